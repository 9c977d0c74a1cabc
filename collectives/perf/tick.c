/* tick.c - see tick.h. */
#include "collectives/perf/tick.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const timer_name[TIMERS + 1] = {"clock_gettime", "mpi_wtime", "tsc", NULL};

struct tick tick;

enum timer
timer_find(const char *name)
{
    int i = 0;
    while (i < TIMERS && strcmp(timer_name[i], name)) i++;
    return (enum timer)i;
}

static double
clock_us(void)
{
    return (double)clock_ns() * 1e-3;
}

/* ---- the counter ---- */

#if defined(__x86_64__)

/* Does the kernel say that the counter runs evenly, whatever the core does? */
static bool
has_flags(void)
{
    char line[8192] = "";
    FILE *f = fopen("/proc/cpuinfo", "r");
    if (!f) return false;
    while (fgets(line, sizeof line, f) && strncmp(line, "flags", 5)) continue;
    fclose(f);
    return strstr(line, " rdtscp") && strstr(line, " constant_tsc") && strstr(line, " nonstop_tsc");
}

/* A reading of both clocks close together: the closest of a few. */
static void
both(double *us, double *cycles)
{
    double closest = 1e30;
    *us = *cycles = 0;
    for (int i = 0; i < 20; i++) {
        unsigned core;
        double before = clock_us(), count = (double)__rdtscp(&core), after = clock_us();
        if (after - before >= closest) continue;
        closest = after - before;
        *us = (before + after) / 2;
        *cycles = count;
    }
}

static double
rate_over(double length_us)
{
    double us0, cycles0, us1, cycles1;
    both(&us0, &cycles0);
    while (clock_us() < us0 + length_us) continue;
    both(&us1, &cycles1);
    return (us1 - us0) / (cycles1 - cycles0);
}

static const char *
use_counter(void)
{
    if (!has_flags())
        return "/proc/cpuinfo does not say that the counter runs evenly (rdtscp, constant_tsc, "
               "nonstop_tsc)";
    double one = rate_over(1e4), two = rate_over(1e4);
    if (fabs(one / two - 1) > 1e-3) return "the counter does not run evenly";
    tick.us_per_cycle = (one + two) / 2;
    return NULL;
}

#else

static const char *
use_counter(void)
{
    return "this processor has no time-stamp counter that we know";
}

#endif

static double
least_cost(void)
{
    double least = 1e30;
    for (int row = 0; row < 10; row++) {
        double start = tick_us(), end = start;
        for (int i = 0; i < 100; i++) end = tick_us();
        if ((end - start) / 100 < least) least = (end - start) / 100;
    }
    return least;
}

const char *
tick_use(enum timer timer, double (*wtime)(void))
{
    const char *why = timer == TIMER_TSC ? use_counter() : NULL;
    if (timer == TIMER_MPI && !wtime) why = "there is no MPI here";
    if (why) return why;
    tick.timer = timer;
    tick.wtime = wtime;
    tick.cost_us = least_cost();
    return NULL;
}

/* ---- is it any good? ---- */

struct tick_check
tick_try(void)
{
    enum { READINGS = 100000 };
    struct tick_check c = {.step_us = 1e30};
    double other = clock_us(), first = tick_us(), last = first;
    for (int i = 0; i < READINGS; i++) {
        double now = tick_us(), step = now - last;
        if (step < 0) c.backward++;
        if (step > 0 && step < c.step_us) c.step_us = step;
        last = now;
    }
    tick_wait(2e4); /* so that the moments between two readings do not count */
    double end = tick_us(), other_end = clock_us();
    c.cost_us = (last - first) / READINGS;
    c.rate = (end - first) / (other_end - other);
    return c;
}

void
tick_wait(double us)
{
    double end = tick_us() + us;
    while (tick_us() < end) continue;
}
