/* clock.h - time that only goes forward, in ns and in ms. ticks.h has a cheaper clock of another
 * rate; nodes ask their transport (net/transport.h), whose time may be that of a simulation. */
#ifndef LUNA_BASE_CLOCK_H
#define LUNA_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t
clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* As calls want it that wait until then. */
static inline struct timespec
clock_until(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
}

static inline uint64_t
clock_ms(void)
{
    return clock_ns() / 1000000u;
}

#endif
