/* test_copy.c - both ways to copy, from anywhere to anywhere, and nothing beside it. */
#include "collectives/copy.h"
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

TEST_MAIN(T(all_borders), T(only_large_messages_go_around))
