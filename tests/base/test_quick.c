/* test_quick.c - the quick clock beside the system's. */
#include "runtime/base/quick.h"

#include "tests/lib/check.h"

/* How far it lies outside of what the clock says around it, in ns. */
static uint64_t
apart(void)
{
    uint64_t before = clock_ns(), now = quick_ns(), after = clock_ns();
    if (now < before) return before - now;
    return now > after ? now - after : 0;
}

TEST(without_a_beginning_it_is_the_clock)
{
    CHECK(apart() == 0);
}

/* For longer than the first lines are good. An interrupt may make one comparison of both worse. */
TEST(it_stays_with_the_clock_and_never_goes_back)
{
    uint64_t last = 0, end, far = 0, looks = 0;
    bool grows = true;
    quick_begin();
    quick_begin(); /* nothing more happens */
    end = clock_ns() + 50000000;
    while (clock_ns() < end) {
        quick_after();
        uint64_t now = quick_ns();
        grows = grows && now >= last;
        last = now;
        looks++;
        far += apart() > 1000;
    }
    CHECK(grows);
    CHECK(far <= looks / 10);
}

/* A line that was drawn long ago is not believed. */
TEST(after_a_pause_the_clock_is_looked_at_again)
{
    struct timespec pause = {0, 120000000};
    quick_begin();
    uint64_t before = quick_ns(), least = UINT64_MAX;
    nanosleep(&pause, NULL);
    CHECK(quick_ns() - before >= 119000000);
    for (int i = 0; i < 1000; i++) {
        uint64_t now = apart();
        if (now < least) least = now;
    }
    CHECK(least <= 1000);
}

TEST_MAIN(T(without_a_beginning_it_is_the_clock), T(it_stays_with_the_clock_and_never_goes_back),
          T(after_a_pause_the_clock_is_looked_at_again))
