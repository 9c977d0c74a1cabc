/* test_ticks.c - the cheap clock and its rate. */
#include "runtime/base/ticks.h"
#include "tests/lib/check.h"

#include <signal.h>
#include <sys/time.h>
#include <time.h>

static uint64_t
system_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* This thread may be stopped between the reads of the two clocks, but not in each of some turns. */
TEST(ticks_follow_the_clock)
{
    uint64_t ticked = 0, passed = 1;
    ticks_of_ns(1);
    for (int turn = 0; turn < 50 && (ticked < passed / 2 || ticked > passed * 2); turn++) {
        uint64_t ns = system_ns(), ticks = cpu_ticks();
        while (system_ns() - ns < 20000000) continue;
        ticked = ticks_to_ns(cpu_ticks() - ticks);
        passed = system_ns() - ns;
    }
    CHECK(ticked >= passed / 2 && ticked <= passed * 2, "%lu ns by ticks of %lu",
          (unsigned long)ticked, (unsigned long)passed);
}

/* An interruption, as long as a comparison takes. */
static void
interrupt(int signal)
{
    (void)signal;
    for (uint64_t from = system_ns(); system_ns() - from < 50000;) continue;
}

/* Now and then one comes between the reads of the two clocks. */
TEST(interruptions_do_not_count)
{
    enum { COMPARISONS = 6000 };
    struct sigaction by = {.sa_handler = interrupt};
    struct itimerval often = {{0, 250}, {0, 250}}, never = {{0, 0}, {0, 0}};
    double least = 1e30, most = 0;
    sigaction(SIGALRM, &by, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < COMPARISONS; i++) {
        double now = ticks_compare();
        if (now < least) least = now;
        if (now > most) most = now;
    }
    setitimer(ITIMER_REAL, &never, NULL);
    CHECK(most < 1.1 * least, "from %g to %g ticks a ns", least, most);
}

TEST(there_and_back)
{
    for (uint64_t ns = 100; ns < 1000000000000u; ns *= 10) {
        uint64_t back = ticks_to_ns(ticks_of_ns(ns));
        CHECK(back + 2 >= ns && back <= ns + 2, "%lu became %lu", (unsigned long)ns,
              (unsigned long)back);
    }
}

TEST_MAIN(T(ticks_follow_the_clock), T(interruptions_do_not_count),
          T(there_and_back))
