/* test_clean.c - unsafe characters become '?', all others stay. */
#include "runtime/base/clean.h"
#include "tests/lib/check.h"

#include <string.h>

static void
cleaned(const char *text, const char *keep, const char *want)
{
    char copy[64];
    strcpy(copy, text);
    size_t n = clean_text(copy, keep);
    CHECK(n == strlen(copy) && !strcmp(copy, want), "'%s'", copy);
}

TEST(what_is_safe_stays)
{
    cleaned("", "", "");
    cleaned("a b~", "", "a b~");
    cleaned("\303\274\342\202\254", "", "\303\274\342\202\254");
}

TEST(what_is_not_becomes_one_mark)
{
    cleaned("\033[31mred", "", "?[31mred");
    cleaned("a\nb\tc\177", "", "a?b?c?");
    cleaned("a\nb\tc\r", "\n\t", "a\nb\tc?");
    cleaned("x\342\200\256y", "", "x?y"); /* a turn of direction */
    cleaned("\377\376z", "", "??z");
    cleaned("\303", "", "?");
}

TEST_MAIN(T(what_is_safe_stays), T(what_is_not_becomes_one_mark))
