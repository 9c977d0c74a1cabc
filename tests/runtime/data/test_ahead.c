/* test_ahead.c - values that go along with a loop. */
#include "runtime/data/ahead.h"
#include "runtime/base/block.h"
#include "tests/lib/check.h"

#include <string.h>

static struct key
key(uint64_t id, int32_t i)
{
    return (struct key){.id = id, .df = 3, .n = 1, .ix = {i}};
}

TEST(values_by_name)
{
    struct ahead *a = ahead_new();
    luna_value v;
    for (int i = 0; i < AHEAD_MOST; i++) {
        struct key k = key(7, i);
        ahead_add(a, &k, luna_v_of_int(10 * i));
    }
    for (int i = 0; i < AHEAD_MOST; i++) {
        struct key k = key(7, i);
        CHECK(ahead_take(a, &k, &v) && v.w.i == 10 * i, "%d", i);
    }
    struct key other = key(8, 0), none = key(7, AHEAD_MOST);
    CHECK(!ahead_take(a, &other, &v));
    CHECK(!ahead_take(a, &none, &v));
    ahead_free(a);
    ahead_free(NULL);
}

TEST(blocks_are_counted)
{
    struct ahead *a = ahead_new();
    struct block *b = block_new(100);
    struct key k = key(1, 1);
    luna_value v;
    memset(b->data, 5, 100);
    ahead_add(a, &k, value_of_block(b, LUNA_BYTES));
    CHECK(ahead_take(a, &k, &v));
    ahead_free(a);
    CHECK(value_block(v)->data[99] == 5, "still ours");
    value_release(v);
}

TEST_MAIN(T(values_by_name), T(blocks_are_counted))
