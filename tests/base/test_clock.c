/* test_clock.c - the clock goes forward, at the pace of the system's, and ms are ns. */
#include "runtime/base/clock.h"
#include "tests/lib/check.h"

TEST(it_never_goes_back)
{
    uint64_t before = clock_ns();
    for (int i = 0; i < 10000; i++) {
        uint64_t now = clock_ns();
        CHECK(now >= before);
        before = now;
    }
}

TEST(it_goes_on_while_one_sleeps)
{
    uint64_t ns = clock_ns(), ms = clock_ms();
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    CHECK(clock_ns() - ns >= 5000000, "%llu ns", (unsigned long long)(clock_ns() - ns));
    CHECK(clock_ms() - ms >= 4, "%llu ms", (unsigned long long)(clock_ms() - ms));
}

TEST(both_tell_the_same_time)
{
    uint64_t before = clock_ns() / 1000000, ms = clock_ms(), after = clock_ns() / 1000000;
    CHECK(before <= ms && ms <= after);
}

TEST(one_may_wait_until_a_time)
{
    uint64_t until = clock_ns() + 5000000;
    struct timespec t = clock_until(until);
    CHECK(t.tv_nsec >= 0 && t.tv_nsec < 1000000000);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL)) continue;
    CHECK(clock_ns() >= until);
    CHECK(clock_until(3000000007u).tv_sec == 3 && clock_until(3000000007u).tv_nsec == 7);
}

TEST_MAIN(T(it_never_goes_back), T(it_goes_on_while_one_sleeps), T(both_tell_the_same_time),
          T(one_may_wait_until_a_time))
