/* test_copy.c - both ways to copy, from anywhere to anywhere, and nothing beside it. */
#include "collectives/group/copy.h"
#include "runtime/base/rng.h"
#include "tests/lib/check.h"

enum { BYTES_MAX = 700, ROOM = BYTES_MAX + 300 };

static unsigned char from[ROOM], to[ROOM];

TEST(all_borders)
{
    struct rng r = rng_of(1);
    for (int i = 0; i < ROOM; i++) from[i] = (unsigned char)rng_next(&r);
    for (int around = 0; around < 2; around++)
        for (size_t bytes = 0; bytes < BYTES_MAX; bytes += bytes < 140 ? 1 : 37)
            for (size_t a = 0; a < 70; a += 3)
                for (size_t b = 1; b < 70; b += 7) {
                    memset(to, 0x55, sizeof to);
                    copy_bytes(to + 64 + b, from + a, bytes, around);
                    CHECK(!memcmp(to + 64 + b, from + a, bytes), "%zu from %zu to %zu", bytes, a,
                          b);
                    for (size_t i = 0; i < ROOM; i++)
                        if (i < 64 + b || i >= 64 + b + bytes)
                            CHECK(to[i] == 0x55, "%zu from %zu to %zu: byte %zu", bytes, a, b, i);
                }
}

TEST(only_large_messages_go_around)
{
    CHECK(copy_around_from() >= 1 << 18, "from %zu bytes on", copy_around_from());
}

static void
learn(struct copy_way *w, double ticks, int times)
{
    while (times--) copier_learn(w, ticks);
}

TEST(two_slow_copies_of_three_change_the_way)
{
    struct copy_way w = {.slow = 10};
    learn(&w, .5, 3);
    CHECK(!w.around && w.wait);
    learn(&w, 30, 1);
    CHECK(!w.around, "one may be an accident");
    CHECK(!w.wait, "the next one is to tell");
    learn(&w, 30, 1);
    CHECK(w.around);
    CHECK(w.wait == 3 * 32, "the slower the rarer: after %u", w.wait);
    learn(&w, .5, 1);
    CHECK(w.around && !w.wait);
    learn(&w, .5, 1);
    CHECK(!w.around);
}

TEST(all_ways_copy)
{
    enum { LARGE = 40000 };
    static char room[1 << 18], data[LARGE], copy[LARGE + 1];
    struct rng r = rng_of(2);
    for (int i = 0; i < LARGE; i++) data[i] = (char)rng_next(&r);
    for (int how = COLL_COPY_TIMED; how <= COLL_COPY_AROUND; how++) {
        struct copier c;
        copier_init(&c, (enum coll_copying)how, room, sizeof room);
        for (int i = 0; i < 2000; i++) {
            size_t bytes = i % 3 ? rng_below(&r, 6000) : rng_below(&r, LARGE);
            memset(copy, 0x55, bytes + 1);
            copier_copy(&c, i % 2 ? COPY_NEAR : COPY_WIDE, copy, data, bytes);
            CHECK(!memcmp(copy, data, bytes) && copy[bytes] == 0x55, "way %d, %zu", how, bytes);
        }
        for (int w = 0; w < COPY_KINDS; w++)
            CHECK(how == COLL_COPY_TIMED || c.way[w].around == (how == COLL_COPY_AROUND));
    }
}

TEST(where_nothing_can_be_measured_caches_are_used)
{
    static char room[4096], data[4096];
    struct copier c;
    copier_init(&c, COLL_COPY_TIMED, room, sizeof room);
    for (int i = 0; i < 100; i++) copier_copy(&c, COPY_NEAR, room, data, sizeof data);
    CHECK(!c.way[COPY_SHORT].around);
}

TEST_MAIN(T(all_borders), T(only_large_messages_go_around),
          T(two_slow_copies_of_three_change_the_way), T(all_ways_copy),
          T(where_nothing_can_be_measured_caches_are_used))
