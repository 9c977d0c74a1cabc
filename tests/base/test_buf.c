/* test_buf.c - bytes that grow, and failures that are remembered until the end. */
#include "runtime/base/buf.h"
#include "runtime/base/mem.h"
#include "tests/lib/check.h"

#include <stdint.h>

TEST(what_is_added_stands_there_with_a_zero_behind)
{
    struct buf b = {0};
    buf_add(&b, "", 0);
    CHECK(b.data && !b.data[0] && !b.size);
    buf_str(&b, "ab");
    buf_char(&b, 'c');
    buf_printf(&b, "%d%s", 12, "!");
    CHECK_STR(b.data, "abc12!");
    CHECK(b.size == 6 && b.room > b.size);
    buf_add(&b, "x\0y", 3);
    CHECK(b.size == 9 && !memcmp(b.data, "abc12!x\0y", 10));
    buf_clear(&b);
    CHECK(!b.size && !b.data[0]);
    buf_fini(&b);
    CHECK(!b.data && !b.room);
    buf_clear(&b);
    buf_fini(&b);
}

TEST(it_grows_at_each_size)
{
    struct buf b = {0};
    for (size_t n = 0; n < 70000; n++) {
        CHECK(b.size == n && (!n || !b.data[n]), "size %zu", n);
        buf_char(&b, (char)('a' + n % 26));
    }
    for (size_t n = 0; n < 70000; n++) CHECK(b.data[n] == (char)('a' + n % 26), "byte %zu", n);
    buf_fini(&b);
}

TEST(prints_fit_exactly)
{
    for (int width = 250; width < 260; width++) {
        struct buf b = {0};
        buf_printf(&b, "%*d", width, 7);
        CHECK(b.size == (size_t)width && strlen(b.data) == b.size, "width %d", width);
        buf_printf(&b, "%*d", 600, 8);
        CHECK(strlen(b.data) == (size_t)width + 600);
        buf_fini(&b);
    }
}

TEST(a_failure_is_remembered)
{
    struct buf b = {0};
    buf_str(&b, "kept");
    mem_fail_after(0);
    buf_printf(&b, "%1000d", 1);
    mem_fail_after(-1);
    CHECK(b.failed);
    buf_str(&b, "not added");
    CHECK_STR(b.data, "kept");
    buf_clear(&b);
    buf_str(&b, "again");
    CHECK(!b.failed);
    CHECK_STR(b.data, "again");
    buf_fini(&b);
}

TEST(a_size_no_memory_has_fails_at_once)
{
    struct buf b = {0};
    buf_str(&b, "x");
    buf_add(&b, "", SIZE_MAX - 1);
    CHECK(b.failed && b.size == 1);
    buf_fini(&b);
}

TEST_MAIN(T(what_is_added_stands_there_with_a_zero_behind), T(it_grows_at_each_size),
          T(prints_fit_exactly), T(a_failure_is_remembered),
          T(a_size_no_memory_has_fails_at_once))
