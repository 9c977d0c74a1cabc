/* check.h - the whole test library: CHECK, TEST, a main that runs them all.
 *
 *     TEST(arena_gives_zeroed_memory) { CHECK(p[0] == 0, "byte %d", p[0]); }
 *     TEST_MAIN(arena_gives_zeroed_memory, ...)
 *
 * A failed CHECK prints place and words and ends its test; others still run. */
#ifndef LUNA_TESTS_CHECK_H
#define LUNA_TESTS_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_failed; /* of the running test */

#define CHECK(cond, ...)                                                                           \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            printf("%s:%d: CHECK(%s) failed:", __FILE__, __LINE__, #cond);                         \
            printf(" " __VA_ARGS__);                                                               \
            printf("\n");                                                                          \
            check_failed = 1;                                                                      \
            return;                                                                                \
        }                                                                                          \
    } while (0)

#define CHECK_STR(have, want)                                                                      \
    do {                                                                                           \
        const char *have_ = (have), *want_ = (want);                                               \
        if (strcmp(have_, want_)) {                                                                \
            printf("%s:%d: texts differ\n--- have\n%s\n--- want\n%s\n", __FILE__, __LINE__, have_, \
                   want_);                                                                         \
            check_failed = 1;                                                                      \
            return;                                                                                \
        }                                                                                          \
    } while (0)

struct check_test {
    const char *name;
    void (*run)(void);
};

/* Of n like cases, which differ by a seed or a number: sanitizers, which see in any of them what is
 * wrong, get a tenth. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define CHECK_CASES(n) ((n) / 10)
#else
#define CHECK_CASES(n) (n)
#endif

#define TEST(name) static void name(void)
#define T(name) {#name, name}

/* Runs all, or those named on the command line; the exit code is 1 if any failed. */
static inline int
check_main(int argc, char **argv, const struct check_test *tests, size_t n)
{
    int passed = 0, failed = 0;
    for (size_t i = 0; i < n; i++) {
        int wanted = argc < 2;
        for (int k = 1; k < argc; k++) wanted |= !strcmp(argv[k], tests[i].name);
        if (!wanted) continue;
        check_failed = 0;
        tests[i].run();
        if (check_failed) printf("FAILED %s\n", tests[i].name);
        check_failed ? failed++ : passed++;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed || !passed;
}

#define TEST_MAIN(...)                                                                             \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        static const struct check_test tests[] = {__VA_ARGS__};                                    \
        return check_main(argc, argv, tests, sizeof tests / sizeof *tests);                        \
    }

#endif
