/* The map of cells against an array, and what is learnt about owners. */
#include "distrib/cellmap.h"
#include "distrib/learnt.h"
#include "runtime/base/mem.h"
#include "runtime/base/rng.h"
#include "tests/lib/check.h"

#include <stdbool.h>

TEST(a_map_is_an_array_with_holes)
{
    enum { CELLS = 300 };
    struct cellmap m = {0};
    struct rng r = rng_of(7);
    uint32_t value[CELLS], n = 0;
    memset(value, 0xff, sizeof value);
    CHECK(!cellmap_find(&m, 5) && !cellmap_find(&m, LATTICE_NONE), "empty");
    cellmap_remove(&m, 5);
    for (uint32_t i = 0; i < 20000; i++) {
        uint32_t c = (uint32_t)rng_below(&r, CELLS);
        /* Fills and empties in turn. */
        if (rng_below(&r, 10) < (i / 3000 % 2 ? 3 : 7)) {
            n += value[c] == LATTICE_NONE;
            CHECK(cellmap_reserve(&m, n));
            cellmap_put(&m, c, value[c] = i, i + 1);
        } else {
            n -= value[c] != LATTICE_NONE;
            value[c] = LATTICE_NONE;
            cellmap_remove(&m, c);
        }
        CHECK(m.n == n && !cellmap_find(&m, LATTICE_NONE));
        for (uint32_t k = 0; k < CELLS; k += 1 + i % 7) {
            struct cellmap_entry *e = cellmap_find(&m, k);
            CHECK(e ? e->value == value[k] && e->epoch == e->value + 1 : value[k] == LATTICE_NONE,
                  "%u after %u", k, i);
        }
    }
    CHECK(cellmap_bytes(&m) <= CELLS * 2 * 2 * sizeof *m.entry);
    cellmap_fini(&m);
}

TEST(a_map_without_memory_is_as_before)
{
    struct cellmap m = {0};
    CHECK(cellmap_reserve(&m, 6));
    for (uint32_t c = 0; c < 6; c++) cellmap_put(&m, c, c, 0);
    mem_fail_after(0);
    bool grown = cellmap_reserve(&m, 100);
    mem_fail_after(-1);
    CHECK(!grown && m.n == 6 && cellmap_find(&m, 5)->value == 5);
    cellmap_fini(&m);
}

static int
knows(const struct learnt *l, uint32_t cell, int owner)
{
    return learnt_get(l, cell).owner == owner;
}

TEST(newer_facts_stay)
{
    struct learnt l = {NULL};
    CHECK(knows(&l, 3, -1) && !learnt_bytes(&l));
    learnt_put(&l, 3, 10, 2);
    CHECK(knows(&l, 3, 10) && learnt_get(&l, 3).epoch == 2);
    learnt_put(&l, 3, 11, 1);
    CHECK(knows(&l, 3, 10), "older");
    learnt_put(&l, 3, 12, 2);
    CHECK(knows(&l, 3, 12), "as old: the one that came later");
    learnt_put(&l, 3, 13, 5);
    CHECK(knows(&l, 3, 13) && knows(&l, 3 + LEARNT_WORDS, -1));
    learnt_put(&l, 3 + LEARNT_WORDS, 14, 0);
    CHECK(knows(&l, 3 + LEARNT_WORDS, 14) && knows(&l, 3, -1), "two cells, one place");
    learnt_fini(&l);
}

TEST(facts_have_bounds)
{
    struct learnt l = {NULL};
    learnt_put(&l, 0x7ffffffe, (1 << 24) - 1, 0xffffffff);
    CHECK(knows(&l, 0x7ffffffe, (1 << 24) - 1) && knows(&l, 0x7ffffffe - LEARNT_WORDS, -1));
    learnt_put(&l, 0x7ffffffe, 1, 0xfffffffe);
    CHECK(knows(&l, 0x7ffffffe, 1), "beyond its bits an epoch is as new as any");
    learnt_put(&l, 1, 1 << 24, 0);
    CHECK(knows(&l, 1, -1), "an owner too large is not kept");
    for (uint32_t c = 0; c < 100000; c++) learnt_put(&l, c, 1, 0);
    CHECK(learnt_bytes(&l) == LEARNT_WORDS * 8);
    learnt_fini(&l);
    mem_fail_after(0);
    struct learnt none = {NULL};
    learnt_put(&none, 1, 1, 0);
    mem_fail_after(-1);
    CHECK(knows(&none, 1, -1));
}

TEST_MAIN(T(a_map_is_an_array_with_holes), T(a_map_without_memory_is_as_before),
          T(newer_facts_stay), T(facts_have_bounds))
