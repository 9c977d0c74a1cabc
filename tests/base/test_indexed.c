/* test_indexed.c - names with indices, and those that are too long. */
#include "runtime/base/indexed.h"

#include "tests/lib/check.h"

#include <string.h>

static const char *
print(size_t room, const char *base, const int32_t *ix, size_t n)
{
    static char text[64];
    memset(text, '#', sizeof text);
    size_t used = indexed_print(text, room, base, ix, n);
    if (used > room || text[room] != '#') return "it has written too far";
    text[used] = 0;
    return text;
}

TEST(a_name_and_its_indices)
{
    const int32_t ix[] = {0, -1, 2147483647, -2147483647 - 1};
    CHECK_STR(print(60, "step", NULL, 0), "step");
    CHECK_STR(print(60, "x", ix, 2), "x[0][-1]");
    CHECK_STR(print(60, "x", ix, 4), "x[0][-1][2147483647][-2147483648]");
}

TEST(what_is_too_long_ends_in_dots)
{
    const int32_t ix[] = {12, 345};
    CHECK_STR(print(12, "step", ix, 2), "step[12]...");
    CHECK_STR(print(14, "step", ix, 2), "step[12][345]");
    CHECK_STR(print(8, "a_long_name", ix, 0), "a_lo...");
}

TEST_MAIN(T(a_name_and_its_indices), T(what_is_too_long_ends_in_dots))
