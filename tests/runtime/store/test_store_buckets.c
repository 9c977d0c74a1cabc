/* test_store_buckets.c - tables that grow, chains in them, and the room an entry takes. */
#include "runtime/base/mem.h"
#include "runtime/base/pool.h"
#include "tests/lib/check.h"
#include "tests/runtime/store/store_calls.h"

/* Names as programs have them; the k-th of a kind. */
static struct key
rows(int k)
{
    return (struct key){.id = 1, .df = 3, .n = 2, .ix = {k / 1000, k % 1000}};
}

static struct key
columns(int k)
{
    return (struct key){.id = 1, .df = 3, .n = 2, .ix = {k, 0}};
}

static struct key
strides(int k)
{
    return (struct key){.id = 1, .df = 3, .n = 1, .ix = {k * 64}};
}

static struct key
activations(int k) /* an unindexed name in each iteration of a loop */
{
    return (struct key){.id = (1ull << 40) + (uint64_t)k, .df = 3, .n = 0};
}

static void
fill(struct key (*name)(int), int n)
{
    struct store *s = fresh();
    for (int i = 0; i < n; i++) CHECK(put(s, name(i), i, 2) == OK);
    for (int i = 0; i < n; i++) CHECK(want(s, name(i), NULL) == i, "%d of %d", i, n);
    CHECK(count(s) == (size_t)n);
    for (int i = n; i-- > 0;) CHECK(want(s, name(i), NULL) == i, "%d of %d", i, n);
    CHECK(!count(s));
    store_free(s);
}

#if defined(__SANITIZE_THREAD__)
enum { LARGE = 100000 };
#else
enum { LARGE = 1000000 };
#endif

TEST(it_grows_to_a_million_and_finds_each)
{
    fill(rows, LARGE);
}

/* As many names as buckets: the mean cost of finding one, in entries looked at, is that of chance
 * (1.5), or a little more where neighbours are kept together. */
TEST(no_kind_of_names_makes_long_chains)
{
    enum { BUCKETS = 1 << 16 };
    struct key (*name[])(int) = {rows, columns, strides, activations};
    static unsigned chain[BUCKETS];
    for (int k = 0; k < 4; k++) {
        double looked_at = 0;
        memset(chain, 0, sizeof chain);
        for (int i = 0; i < BUCKETS; i++) {
            struct key one = name[k](i);
            looked_at += ++chain[key_hash(&one) & (BUCKETS - 1)];
        }
        CHECK(looked_at / BUCKETS < 8, "kind %d: %.2f entries for each", k, looked_at / BUCKETS);
    }
    fill(columns, LARGE / 5);
    fill(activations, LARGE / 5);
}

TEST(waiters_survive_growing)
{
    enum { N = 50000 };
    struct store *s = fresh();
    struct waiter *w = mem_zalloc(N, sizeof *w);
    for (int i = 0; i < N; i++) CHECK(want(s, rows(i), &w[i]) == WAITS);
    for (int i = 0; i < N; i++) CHECK(put(s, rows(i), i, 1) == OK && served == &w[i], "%d", i);
    CHECK(!count(s));
    mem_free(w);
    store_free(s);
}

TEST(without_room_for_a_larger_table_it_goes_on)
{
    struct store *s = fresh();
    put(s, key(9, 0), 0, -1);
    for (int i = 0; i < 60000; i++) {
        struct key k = rows(i);
        luna_value v = luna_v_of_int(i);
        mem_fail_after(i % 2 ? 3 : -1); /* tables and slabs come from the same door */
        enum err e = store_put(s, &k, v, -1, &served);
        mem_fail_after(-1);
        if (e == E_NOMEM) e = store_put(s, &k, v, -1, &served);
        CHECK(e == OK, "%d", i);
    }
    for (int i = 0; i < 60000; i++) CHECK(want(s, rows(i), NULL) == i);
    store_free(s);
}

TEST(a_name_of_one_index_takes_48_bytes)
{
    CHECK(pool_class(44 + 4) == pool_class(48));
    pool_thread_flush();
    struct store *s = fresh();
    size_t before = pool_bytes();
    for (int i = 0; i < 100000; i++) put(s, key(1, i), 1, -1);
    size_t each = (pool_bytes() - before) / 100000;
    store_free(s);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    CHECK(each <= 49, "%zu bytes each", each);
#else /* each object is malloc's, and larger */
    CHECK(each >= 48, "%zu bytes each", each);
#endif
}

/* Names of one chain, many with the same bit in what leads to them, come and go in any order. */
TEST(names_of_one_chain_come_and_go)
{
    enum { NAMES = 60, STEPS = 200000, BUCKETS = 256 }; /* so few of a table do not make it grow */
    struct store *s = fresh();
    struct key name[NAMES];
    int left[NAMES] = {0}; /* requests that its value will serve; 0: there is none */
    uint32_t dice = 1;
    for (int i = 0, n = 0; n < NAMES; i++)
        if (key_hash(&(struct key){.id = 77, .df = 9, .n = 1, .ix = {i}}) % BUCKETS == 5)
            name[n++] = key(9, i);
    for (int step = 0; step < STEPS; step++) {
        dice = dice * 1664525u + 1013904223u;
        int k = (int)(dice >> 16) % NAMES, uses = 1 + (int)(dice >> 28) % 2;
        luna_value v;
        if (left[k]) {
            CHECK(put(s, name[k], k, uses) == E_TWICE);
            CHECK(store_take(s, &name[k], &v) && v.w.i == k);
            left[k]--;
        } else if (dice >> 24 & 1) {
            CHECK(!store_take(s, &name[k], &v));
            CHECK(put(s, name[k], k, uses) == OK && !served);
            left[k] = uses;
        } else {
            struct waiter w;
            CHECK(want(s, name[k], &w) == WAITS);
            CHECK(put(s, name[k], k, 1) == OK && served == &w);
        }
    }
    size_t there = 0;
    for (int k = 0; k < NAMES; k++) there += left[k] > 0;
    CHECK(count(s) == there && there > NAMES / 4);
    store_free(s);
}

TEST_MAIN(T(it_grows_to_a_million_and_finds_each), T(no_kind_of_names_makes_long_chains),
          T(waiters_survive_growing), T(without_room_for_a_larger_table_it_goes_on),
          T(a_name_of_one_index_takes_48_bytes), T(names_of_one_chain_come_and_go))
