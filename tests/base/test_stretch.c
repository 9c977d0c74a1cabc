/* test_stretch.c - what is given is joined with what lies beside it, and nothing is told twice. */
#include "runtime/base/stretch.h"
#include "runtime/base/mem.h"
#include "runtime/base/rng.h"
#include "tests/lib/check.h"

#include <stdint.h>
#include <string.h>

enum { ZONE = 1 << 20, UNITS = ZONE / 64 };
static char *zone[2];

static void
make_zones(void)
{
    for (int i = 0; i < 2 && !zone[i]; i++) {
        zone[i] = mem_aligned(64, ZONE);
        CHECK(zone[i] != NULL);
        stretch_zone(zone[i], ZONE);
    }
}

static struct stretch *
before(struct stretch *list, void *at, size_t bytes)
{
    struct stretch *s = at;
    s->bytes = bytes;
    s->next = list;
    return s;
}

static void
take_all(void)
{
    while (stretch_take(64)) continue;
}

TEST(what_lies_side_by_side_is_one)
{
    make_zones();
    char *p = zone[0] + STRETCH_HEAD;
    struct stretch *list = before(NULL, p + 4096, 8192), *s;
    list = before(list, p + 65536, 64);
    list = before(list, p, 4096);
    CHECK(!stretch_give(list));
    CHECK(!stretch_take(12288 + 64));
    CHECK((s = stretch_take(12288)) == (void *)p && s->bytes == 12288);
    CHECK((s = stretch_take(64)) == (void *)(p + 65536) && s->bytes == 64);
    CHECK(!stretch_take(64));
}

TEST(what_is_kept_is_joined_later)
{
    make_zones();
    char *p = zone[0] + STRETCH_HEAD;
    struct stretch *s;
    stretch_keep(p, 4096);
    stretch_keep(p + 4096, 4096);
    CHECK(!stretch_take(8192));
    CHECK(!stretch_give(NULL));
    CHECK((s = stretch_take(8192)) == (void *)p && s->bytes == 8192);
    CHECK(!stretch_take(64));
}

TEST(the_smallest_that_fits_is_taken)
{
    make_zones();
    char *p = zone[0] + STRETCH_HEAD;
    stretch_keep(p, 65536);
    stretch_keep(p + 100 * 1024, 4096);
    stretch_keep(p + 200 * 1024, 16384);
    CHECK(stretch_take(5000) == (void *)(p + 200 * 1024));
    CHECK(stretch_take(5000) == (void *)p);
    CHECK(!stretch_take(5000));
    take_all();
}

TEST(zones_are_apart_and_what_lies_in_none_comes_back)
{
    make_zones();
    static _Alignas(64) char other[2][128];
    struct stretch *list = NULL;
    for (int i = 0; i < 2; i++) {
        list = before(list, zone[i] + STRETCH_HEAD, ZONE - STRETCH_HEAD);
        list = before(list, other[i], 128);
    }
    list = stretch_give(list);
    CHECK(list && list->next && !list->next->next && list->bytes == 128);
    CHECK((char *)list >= other[0] && (char *)list < other[0] + sizeof other);
    for (int i = 0; i < 2; i++) CHECK(stretch_take(64)->bytes == ZONE - STRETCH_HEAD);
    CHECK(!stretch_take(64));
}

/* Pieces of a zone go to and fro; each unit is mine or theirs, never both. */
TEST(no_byte_is_told_twice)
{
    make_zones();
    static bool mine[UNITS];
    struct rng r = rng_of(7);
    memset(mine, 1, sizeof mine);
    for (int round = 0; round < 300; round++) {
        struct stretch *list = NULL, *s;
        for (int at = 1, n; at < UNITS; at += n) {
            for (n = 1; at + n < UNITS && mine[at + n] == mine[at] && rng_below(&r, 20);) n++;
            if (!mine[at] || rng_below(&r, 2)) continue;
            memset(mine + at, 0, (size_t)n);
            list = before(list, zone[0] + at * 64, (size_t)n * 64);
        }
        CHECK(!stretch_give(list));
        for (int i = 0; i < 200 && (s = stretch_take(64 * (1 + rng_below(&r, 40)))); i++) {
            size_t first = (size_t)((char *)s - zone[0]) / 64, n = s->bytes / 64;
            for (size_t k = first; k < first + n; k++) CHECK(k && k < UNITS && !mine[k], "%zu", k);
            memset(mine + first, 1, n);
            memset(s, 0xee, n * 64);
        }
    }
    take_all();
}

TEST_MAIN(T(what_lies_side_by_side_is_one), T(what_is_kept_is_joined_later),
          T(the_smallest_that_fits_is_taken), T(zones_are_apart_and_what_lies_in_none_comes_back),
          T(no_byte_is_told_twice))
