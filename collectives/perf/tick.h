/* tick.h - timers: what time it is, in microseconds since an unknown moment.
 *
 * A timer is chosen once. CLOCK_MONOTONIC is the default: on Linux it is read without a system
 * call and is the same clock for all processes of a host. The time-stamp counter is read by
 * RDTSCP, which waits for the instructions before it. CPUID would do so too, but a virtual machine
 * intercepts it: 7 us instead of 0.02. */
#ifndef LUNA_COLLECTIVES_PERF_TICK_H
#define LUNA_COLLECTIVES_PERF_TICK_H

#include "runtime/base/clock.h"

#include <stdbool.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

enum timer { TIMER_CLOCK, TIMER_MPI, TIMER_TSC, TIMERS };

extern const char *const timer_name[TIMERS + 1]; /* NULL in the end */
enum timer timer_find(const char *name); /* TIMERS: none of this name */

struct tick {
    enum timer timer;
    double us_per_cycle;   /* of the counter */
    double (*wtime)(void); /* seconds: MPI_Wtime */
    double cost_us;        /* of a reading */
};

extern struct tick tick; /* the chosen one */

static inline double
tick_us(void)
{
#if defined(__x86_64__)
    unsigned core;
    if (tick.timer == TIMER_TSC) return (double)__rdtscp(&core) * tick.us_per_cycle;
#endif
    if (tick.timer == TIMER_MPI) return tick.wtime() * 1e6;
    return (double)clock_ns() * 1e-3;
}

/* NULL: it is in use now; else why it cannot be. Takes 20 ms for the counter. */
const char *tick_use(enum timer timer, double (*wtime)(void));

/* What reading it costs, the smallest step that was seen, and its rate against CLOCK_MONOTONIC. */
struct tick_check {
    double cost_us, step_us, rate;
    int backward; /* readings that were less than the one before */
};
struct tick_check tick_try(void);

/* Spins. */
void tick_wait(double us);

#endif
