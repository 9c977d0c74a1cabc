/* ticks.c - the rate of the cheap clock, by comparing it to the system's. */
#include "ticks.h"

#include "clock.h"

#include <pthread.h>

enum {
    COMPARED_NS = 50000,
    LOOKS = 8 /* of so many the one is taken that was interrupted least */
};

struct moment {
    uint64_t ticks, ns, apart; /* ticks between which ns was read */
};

/* Both clocks at once, nearly: an interrupt between two reads would count for one clock alone. */
static struct moment
moment_now(void)
{
    struct moment best = {.apart = UINT64_MAX};
    for (int i = 0; i < LOOKS; i++) {
        uint64_t before = cpu_ticks(), ns = clock_ns(), apart = cpu_ticks() - before;
        if (apart < best.apart) best = (struct moment){before + apart / 2, ns, apart};
    }
    return best;
}

double
ticks_compare(void)
{
    struct moment from = moment_now(), to = from;
    while (to.ns - from.ns < COMPARED_NS) to = moment_now();
    return (double)(to.ticks - from.ticks) / (double)(to.ns - from.ns);
}

static double per_ns;

static void
compare(void)
{
    per_ns = ticks_compare();
}

static double
rate(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, compare);
    return per_ns;
}

uint64_t
ticks_of_ns(uint64_t ns)
{
    return (uint64_t)((double)ns * rate());
}

uint64_t
ticks_to_ns(uint64_t ticks)
{
    return (uint64_t)((double)ticks / rate());
}
