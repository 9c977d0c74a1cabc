/* test_ticks.c - the cheap clock and its rate. */
#include "runtime/base/ticks.h"
#include "tests/lib/check.h"

#include <time.h>

static uint64_t
system_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

TEST(ticks_follow_the_clock)
{
    ticks_of_ns(1);
    uint64_t ns = system_ns(), ticks = cpu_ticks();
    while (system_ns() - ns < 20000000) continue;
    uint64_t ticked = ticks_to_ns(cpu_ticks() - ticks), passed = system_ns() - ns;
    CHECK(ticked > passed / 2 && ticked < passed * 2, "%lu ns by ticks of %lu",
          (unsigned long)ticked, (unsigned long)passed);
}

TEST(there_and_back)
{
    for (uint64_t ns = 100; ns < 1000000000000u; ns *= 10) {
        uint64_t back = ticks_to_ns(ticks_of_ns(ns));
        CHECK(back + 2 >= ns && back <= ns + 2, "%lu became %lu", (unsigned long)ns,
              (unsigned long)back);
    }
}

TEST_MAIN(T(ticks_follow_the_clock), T(there_and_back))
