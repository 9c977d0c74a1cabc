/* test_bell.c - nobody sleeps through what was brought. */
#include "runtime/base/bell.h"
#include "tests/lib/check.h"

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

enum { ROUNDS = 20000, LONG_NS = 900000000 };

static struct bell bell;
static atomic_int brought, taken;

static void *
bring(void *none)
{
    for (int i = 1; i <= ROUNDS; i++) {
        atomic_store(&brought, i);
        bell_ring(&bell);
        while (atomic_load(&taken) < i) continue;
    }
    return none;
}

static double
seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* If one ring were missed, a round would take LONG_NS. */
TEST(each_ring_is_heard)
{
    pthread_t thread;
    int slept_through = 0;
    CHECK(!pthread_create(&thread, NULL, bring, NULL));
    for (int i = 1; i <= ROUNDS; i++) {
        double begun = seconds();
        while (atomic_load(&brought) < i) {
            bell_lie_down(&bell);
            if (atomic_load(&brought) >= i) bell_get_up(&bell);
            else bell_sleep(&bell, LONG_NS);
        }
        slept_through += seconds() - begun > LONG_NS * 0.9e-9;
        atomic_store(&taken, i);
    }
    pthread_join(thread, NULL);
    CHECK(slept_through == 0, "%d times of %d", slept_through, ROUNDS);
}

TEST(without_a_ring_it_ends)
{
    bell_lie_down(&bell);
    bell_sleep(&bell, 1000);
    CHECK(atomic_load(&bell.sleeps) == 0);
}

TEST_MAIN(T(each_ring_is_heard), T(without_a_ring_it_ends))
