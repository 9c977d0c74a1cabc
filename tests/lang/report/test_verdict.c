/* test_verdict.c - the words behind -W, and what they do to reports. */
#include "lang/report/verdict.h"
#include "tests/lib/check.h"

static struct arena *arena;
static struct diag *d;

/* Two warnings and an error, under these words. */
static void
begin(const char *const *words)
{
    static struct verdicts v; /* looked at as long as there is a diag */
    const char *near;
    v = (struct verdicts){0};
    arena = arena_new();
    d = diag_new(arena, source_new(arena));
    for (; *words; words++)
        if (!verdicts_read(&v, *words, &near)) printf("'%s' is not known\n", *words);
    diag_set_verdicts(d, &v);
    diag_at(d, SEV_WARNING, D_SYN5_6, NULL, "unused");
    diag_hint(d, "use it");
    diag_at(d, SEV_WARNING, D_SEM4, NULL, "unread");
    diag_at(d, SEV_ERROR, D_SYN2, NULL, "unknown");
}

/* What is left: errors, warnings. */
static const char *
left(const char *const *words)
{
    static char text[40];
    begin(words);
    int errors_before = diag_errors(d);
    diag_apply_verdicts(d);
    snprintf(text, sizeof text, "%d %d %d", errors_before, diag_errors(d), diag_warnings(d));
    struct buf json = {0};
    diag_print_json(d, &json);
    char counts[60];
    snprintf(counts, sizeof counts, "\"errors\":%d,\"warnings\":%d}", diag_errors(d),
             diag_warnings(d));
    if (!strstr(json.data, counts)) strcpy(text, "other counts in JSON");
    buf_fini(&json);
    arena_free(arena);
    return text;
}
#define LEFT(...) left((const char *const[]){__VA_ARGS__, NULL})

TEST(without_words_all_is_told)
{
    static const char *const none[] = {NULL};
    CHECK_STR(left(none), "1 1 2");
}

TEST(warnings_are_left_out)
{
    CHECK_STR(LEFT("no-SYN5.6"), "1 1 1");
    CHECK_STR(LEFT("no-syn5.6"), "1 1 1");
    CHECK_STR(LEFT("no-SYN5"), "1 1 1");
    CHECK_STR(LEFT("no-SYN"), "1 1 1");
    CHECK_STR(LEFT("no-SYN5.1"), "1 1 2");
    CHECK_STR(LEFT("no-all"), "1 1 0");
    CHECK_STR(LEFT("no-all", "SEM4"), "1 1 1");
    CHECK_STR(LEFT("SEM4", "no-all"), "1 1 0");
}

/* The passes must not see the new errors, or they would leave out other reports. */
TEST(warnings_become_errors_at_the_end)
{
    CHECK_STR(LEFT("error"), "1 3 0");
    CHECK_STR(LEFT("error=SEM4"), "1 2 1");
    CHECK_STR(LEFT("error=SYN5"), "1 2 1");
    CHECK_STR(LEFT("error", "no-error=SEM4"), "1 2 1");
    CHECK_STR(LEFT("error", "no-error"), "1 1 2");
}

TEST(what_is_not_told_is_no_error)
{
    CHECK_STR(LEFT("error", "no-SEM4"), "1 2 0");
    CHECK_STR(LEFT("no-SEM4", "error"), "1 2 0");
    CHECK_STR(LEFT("no-SEM4", "error=SEM4"), "1 2 1");
}

TEST(errors_stay)
{
    CHECK_STR(LEFT("no-SYN2"), "1 1 2");
    CHECK_STR(LEFT("no-error=SYN2"), "1 1 2");
}

static const char *
suggested(const char *word)
{
    struct verdicts v = {0};
    const char *near;
    if (verdicts_read(&v, word, &near)) return "known";
    return near ? near : "-";
}

TEST(other_words_are_refused)
{
    CHECK_STR(suggested("SEM2.1"), "known");
    CHECK_STR(suggested("SEM2"), "known");
    CHECK_STR(suggested("EXT1"), "known");
    CHECK_STR(suggested("no-SEM2.11"), "SEM2.1");
    CHECK_STR(suggested("error=SME4"), "SEM4");
    CHECK_STR(suggested("eror"), "error");
    CHECK_STR(suggested("SEM2."), "SEM2.1");
    CHECK_STR(suggested("unused"), "-");
    CHECK_STR(suggested("no-"), "-");
    CHECK_STR(suggested(""), "-");
}

/* SYN1 is not SYN10. */
TEST(a_number_is_read_to_its_end)
{
    const char *near;
    struct verdicts v = {0};
    CHECK(verdicts_read(&v, "no-SYN1", &near), "not known");
    CHECK(v.dropped[D_SYN1] && !v.dropped[D_SYN10] && !v.dropped[D_SYN12], "others as well");
}

TEST_MAIN(T(without_words_all_is_told), T(warnings_are_left_out),
          T(warnings_become_errors_at_the_end), T(what_is_not_told_is_no_error), T(errors_stay),
          T(other_words_are_refused), T(a_number_is_read_to_its_end))
