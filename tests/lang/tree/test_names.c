/* test_names.c - interning and slots. */
#include "lang/tree/names.h"

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

TEST_MAIN(T(equal_texts_are_equal_pointers), T(slots_stay_while_the_table_grows))
