/* test_size.c - numbers of bytes, and what is none. */
#include "runtime/base/size.h"
#include "tests/lib/check.h"

#include <limits.h>

TEST(a_number_and_its_unit)
{
    CHECK(size_bytes("0", "") == 0);
    CHECK(size_bytes("17", "") == 17);
    CHECK(size_bytes("64KiB", "") == 65536);
    CHECK(size_bytes("3MiB", "") == 3 << 20);
    CHECK(size_bytes("8GiB", "") == 8l << 30);
    CHECK(size_bytes("8589934591GiB", "") == LONG_MAX - (1l << 30) + 1);
}

TEST(and_what_must_stand_behind_it)
{
    CHECK(size_bytes("17/s", "/s") == 17);
    CHECK(size_bytes("2GiB/s", "/s") == 2l << 30);
    CHECK(size_bytes("2GiB", "/s") == -1);
    CHECK(size_bytes("2GiB/s", "") == -1);
}

TEST(all_else_is_none)
{
    static const char *const wrong[] = {"", "KiB", "-1", "+1", " 1", "1 KiB", "1k", "1KB", "1.5MiB",
                                        "1TiB", "1KiBKiB", "8589934592GiB",
                                        "9223372036854775808"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(size_bytes(wrong[i], "") == -1, "'%s'", wrong[i]);
}

TEST_MAIN(T(a_number_and_its_unit), T(and_what_must_stand_behind_it), T(all_else_is_none))
