/* ticks.h - the cheapest clock there is: it only grows, at some rate. */
#ifndef LUNA_BASE_TICKS_H
#define LUNA_BASE_TICKS_H

#include <stdint.h>

#if defined(__x86_64__)
#define cpu_ticks() ((uint64_t)__builtin_ia32_rdtsc())
#else
#include "clock.h"
#define cpu_ticks() clock_ns()
#endif

/* How many pass in so many ns. The first call of a process takes some 50 us. */
uint64_t ticks_of_ns(uint64_t ns);
uint64_t ticks_to_ns(uint64_t ticks);

/* Ticks in a ns, by one comparison of some 50 us; the two above use the first. */
double ticks_compare(void);

#endif
