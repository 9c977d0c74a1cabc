/* test_digest.c - sums of values: the same in any order and by any worker, and for nothing else. */
#include "runtime/base/mem.h"
#include "runtime/store/digest.h"
#include "runtime/data/value.h"
#include "tests/lib/check.h"

static const struct luna_sub subs[] = {{.name = "main"}, {.name = "f"}};
static const struct luna_decl dfs[] = {
    {.name = "x", .sub = 0}, {.name = "y", .sub = 1}, {.name = "a", .sub = 1},
    {.name = "x", .sub = 0}};
static const struct luna_program program = {.subs = subs, .nsubs = 2, .dfs = dfs, .ndfs = 4};

/* There is no other process. */
static void
alone(uint64_t *v, size_t n)
{
    (void)v, (void)n;
}

struct put {
    uint32_t df;
    int n, i;
    int value;
};

/* The printed digest of some puts, by `workers` in turn, in an order that `turn` chooses. */
static const char *
digest(const struct put *puts, int n, int workers, int turn)
{
    static char text[2][2000];
    static int which;
    digest_open(&program, workers);
    for (int i = 0; i < n; i++) {
        const struct put *p = &puts[(i * turn + 1) % n];
        struct key k = {.id = (uint64_t)i, .df = p->df, .n = (uint32_t)p->n, .ix = {p->i}};
        luna_value v = luna_v_of_int(p->value);
        digest_add(i % workers, &k, &v);
    }
    char *out = text[which++ % 2];
    FILE *f = fmemopen(out, sizeof *text, "w");
    digest_sum(alone);
    digest_print(f);
    fclose(f);
    digest_close();
    return out;
}

TEST(neither_order_nor_worker_matters)
{
    struct put p[7] = {{0, 1, 1, 5}, {0, 1, 2, 5}, {0, 1, 3, 6}, {2, 0, 0, 5}, {1, 1, 0, 0},
                       {3, 1, 9, 9}, {0, 0, 0, 5}};
    static char one[2000];
    strcpy(one, digest(p, 7, 1, 1));
    for (int workers = 1; workers < 5; workers++)
        for (int turn = 1; turn < 7; turn++) CHECK_STR(digest(p, 7, workers, turn), one);
}

TEST(names_are_sorted_and_counted_together)
{
    struct put p[4] = {{0, 1, 1, 5}, {3, 1, 2, 5}, {2, 0, 0, 1}, {1, 0, 0, 1}};
    char want[] = "hash f.a 1 hash f.y 1 hash main.x 2 hash * 4 ";
    char have[200] = "", *text = strdup(digest(p, 4, 2, 1));
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *hex = strrchr(line, ' ') + 1;
        CHECK(strlen(hex) == 16 && strspn(hex, "0123456789abcdef") == 16, "%s", line);
        *hex = 0;
        strcat(have, line);
    }
    free(text);
    CHECK_STR(have, want);
}

TEST(anything_else_matters)
{
    struct put base[2] = {{0, 1, 1, 5}, {0, 1, 2, 6}};
    struct put other[][2] = {{{0, 1, 1, 6}, {0, 1, 2, 5}}, /* values exchanged */
                             {{0, 1, 1, 5}, {0, 1, 2, 7}},
                             {{0, 1, 1, 5}, {0, 1, 3, 6}},
                             {{0, 1, 1, 5}, {0, 2, 2, 6}},
                             {{0, 1, 1, 5}, {2, 1, 2, 6}}};
    char *want = strdup(digest(base, 2, 1, 1));
    for (int i = 0; i < 5; i++) {
        const char *have = digest(other[i], 2, 1, 1);
        CHECK(strcmp(strrchr(have, ' '), strrchr(want, ' ')), "variant %d", i);
    }
    free(want);
}

static const char *
digest_of(luna_value v)
{
    static char text[2][200];
    static int which;
    struct key k = {.df = 0};
    digest_open(&program, 1);
    digest_add(0, &k, &v);
    FILE *f = fmemopen(text[which ^= 1], sizeof *text, "w");
    digest_sum(alone);
    digest_print(f);
    fclose(f);
    digest_close();
    return text[which];
}

TEST(type_and_bytes_matter)
{
    luna_value s = value_of_string("1234567", 7), t = value_of_string("1234568", 7);
    luna_value r = luna_v_of_real(0.1), i = {.w.i = 7, .type = LUNA_INT}, j = i;
    j.w.i |= 5ll << 32; /* what lies beyond an int's 4 bytes is not its value */
    CHECK(strcmp(digest_of(s), digest_of(t)));
    luna_value bytes = value_of_block(value_block(s), LUNA_BYTES);
    CHECK(strcmp(digest_of(s), digest_of(bytes)));
    CHECK_STR(digest_of(i), digest_of(j));
    CHECK(strcmp(digest_of(r), digest_of(luna_v_of_real(0.2))));
    value_release(s), value_release(t);
}

TEST(pushed_values_do_not_count)
{
    digest_open(&program, 1);
    struct key k = {.df = 1 | KEY_PUSHED};
    luna_value v = luna_v_of_int(1);
    digest_add(0, &k, &v);
    char text[200];
    FILE *f = fmemopen(text, sizeof text, "w");
    digest_sum(alone);
    digest_print(f);
    fclose(f);
    digest_close();
    CHECK_STR(text, "hash * 0 0000000000000000\n");
}

TEST(without_memory_it_is_not_opened)
{
    long n = 0;
    for (enum err e = E_NOMEM; e != OK; n++) {
        mem_fail_after(n);
        e = digest_open(&program, 3);
        mem_fail_after(-1);
        CHECK(e == OK || e == E_NOMEM);
        digest_close();
    }
    CHECK(n == 7, "%ld", n);
}

TEST_MAIN(T(neither_order_nor_worker_matters), T(names_are_sorted_and_counted_together),
          T(anything_else_matters), T(type_and_bytes_matter), T(pushed_values_do_not_count),
          T(without_memory_it_is_not_opened))
