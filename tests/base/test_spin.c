/* test_spin.c - a pause leaves all as it is, and takes longer than nothing but not long. */
#include "runtime/base/clock.h"
#include "runtime/base/spin.h"
#include "tests/lib/check.h"

#include <pthread.h>
#include <stdatomic.h>

static _Atomic int said;

static void *
say(void *who)
{
    atomic_store(&said, 1);
    return who;
}

TEST(who_spins_sees_what_another_thread_says)
{
    pthread_t other;
    CHECK(!pthread_create(&other, NULL, say, NULL));
    while (!atomic_load(&said)) spin_relax();
    pthread_join(other, NULL);
}

/* Interrupted now and then: the least of many looks is told. */
TEST(a_pause_is_short)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 100; i++) {
        uint64_t began = clock_ns();
        for (int k = 0; k < 100; k++) spin_relax();
        uint64_t took = clock_ns() - began;
        if (took < least) least = took;
    }
    CHECK(least < 100 * 1000, "%llu ns for 100", (unsigned long long)least);
}

TEST_MAIN(T(who_spins_sees_what_another_thread_says), T(a_pause_is_short))
