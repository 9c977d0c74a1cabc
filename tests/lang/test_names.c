/* test_names.c - interning, slots, and what counts as a slip. */
#include "lang/names.h"

#include "tests/lib/check.h"

TEST(equal_texts_are_equal_pointers)
{
    struct arena *a = arena_new();
    struct names *n = names_new(a);
    const char *x = names_intern(n, "abcd", 3);
    CHECK(!strcmp(x, "abc"), "%s", x);
    CHECK(x == names_intern(n, "abc", 3), "two copies");
    CHECK(x != names_intern(n, "abcd", 4), "prefix taken for the whole");
    CHECK(names_intern(n, "", 0) == names_intern(n, "x", 0), "two empty texts");
    arena_free(a);
}

TEST(slots_stay_while_the_table_grows)
{
    struct arena *a = arena_new();
    struct names *n = names_new(a);
    void **first = names_slot(n, "first");
    CHECK(!*first, "a new slot is not NULL");
    *first = a;
    for (int i = 0; i < 5000; i++) {
        char text[16];
        snprintf(text, sizeof text, "n%d", i);
        *names_slot(n, text) = first;
    }
    CHECK(names_slot(n, "first") == first && *first == a, "slot moved");
    CHECK(*names_slot(n, "n4999") == first, "slot lost");
    CHECK(!*names_slot(n, "n5000"), "slot out of nothing");
    arena_free(a);
}

static const char *
nearest(const char *word, const char *const *of)
{
    struct near n = {.word = word};
    for (; *of; of++) near_try(&n, *of);
    return n.best ? n.best : "-";
}

TEST(slips_are_found_and_strangers_are_not)
{
    static const char *const of[] = {"request", "req_count", "say", "x", "alpha", "alpha2", NULL};
    CHECK_STR(nearest("reqest", of), "request");
    CHECK_STR(nearest("reuqest", of), "request");
    CHECK_STR(nearest("req_cuont", of), "req_count");
    CHECK_STR(nearest("sya", of), "say");
    CHECK_STR(nearest("X", of), "x");
    CHECK_STR(nearest("y", of), "-");
    CHECK_STR(nearest("alhpa", of), "alpha");
    CHECK_STR(nearest("alpha3", of), "alpha");
    CHECK_STR(nearest("ALPHA2", of), "alpha2");
    CHECK_STR(nearest("sing", of), "-");
    CHECK_STR(nearest("say", of), "-"); /* the word itself is no slip of it */
}

TEST(long_words_are_compared_without_harm)
{
    char a[200], b[200];
    memset(a, 'a', sizeof a - 1);
    memset(b, 'a', sizeof b - 1);
    a[199] = b[199] = 0;
    b[100] = 'b';
    struct near n = {.word = a};
    near_try(&n, b);
    CHECK(!n.best, "only words that people mistype are looked at");
}

TEST_MAIN(T(equal_texts_are_equal_pointers), T(slots_stay_while_the_table_grows),
          T(slips_are_found_and_strangers_are_not), T(long_words_are_compared_without_harm))
