/* test_core_time.c - what the kernel tells of the time of a thread. */
#include "runtime/base/core_time.h"
#include "tests/lib/check.h"

#include <time.h>

TEST(the_text_of_the_kernel)
{
    uint64_t off;
    CHECK(core_time_read("713163 204 1\n", &off) && off == 204);
    CHECK(core_time_read("1 18446744073709551615 7\n", &off) && off == UINT64_MAX);
    CHECK(!core_time_read("", &off) && !core_time_read("12\n", &off));
    CHECK(!core_time_read("a b c", &off));
}

/* Where it tells anything: a thread that works is on a core, one that sleeps is not. */
TEST(work_counts_and_sleep_does_not)
{
    struct core_time a, b, c;
    struct timespec nap = {0, 30000000};
    if (!core_time_now(&a)) return;
    do CHECK(core_time_now(&b) && b.off >= a.off);
    while (b.on - a.on < 5000000);
    nanosleep(&nap, NULL);
    CHECK(core_time_now(&c) && c.off >= b.off);
    CHECK(c.on > b.on && c.on - b.on < 20000000, "%lu ns asleep", (unsigned long)(c.on - b.on));
}

TEST_MAIN(T(the_text_of_the_kernel), T(work_counts_and_sleep_does_not))
