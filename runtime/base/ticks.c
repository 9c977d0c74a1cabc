/* ticks.c - the rate of the cheap clock, by comparing it to the system's. */
#include "ticks.h"

#include <pthread.h>
#include <time.h>

enum { COMPARED_NS = 50000 };

static double per_ns;

static uint64_t
system_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void
compare(void)
{
    uint64_t from = system_ns(), ticks = cpu_ticks(), now;
    while ((now = system_ns()) - from < COMPARED_NS) continue;
    per_ns = (double)(cpu_ticks() - ticks) / (double)(now - from);
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
