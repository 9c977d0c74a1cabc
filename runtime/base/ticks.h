/* ticks.h - the cheapest clock there is: it only grows, at some rate. */
#ifndef LUNA_BASE_TICKS_H
#define LUNA_BASE_TICKS_H

#include <stdint.h>

#if defined(__x86_64__)
#define cpu_ticks() ((uint64_t)__builtin_ia32_rdtsc())
#else
#include <time.h>
static inline uint64_t
cpu_ticks(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
#endif

/* How many pass in so many ns. The first call of a process takes some 50 us. */
uint64_t ticks_of_ns(uint64_t ns);
uint64_t ticks_to_ns(uint64_t ticks);

/* Ticks in a ns, by one comparison of some 50 us; the two above use the first. */
double ticks_compare(void);

#endif
