/* quick.h - the system's clock, CLOCK_MONOTONIC in ns, read for half of its price: from a counter
 * of the processor, if that runs evenly, whatever the cores do, and the system trusts it; else it
 * is the clock itself.
 *
 * The counter's rate is compared with the clock's again and again, ever more seldom, so that both
 * differ by less than a tenth of a microsecond. It never goes back. */
#ifndef LUNA_BASE_QUICK_H
#define LUNA_BASE_QUICK_H

#include "clock.h"
#include "ticks.h"

#include <stdatomic.h>
#include <stdbool.h>

struct quick_line { /* ns of ticks */
    uint64_t ticks, ns;
    uint64_t rate;  /* ns in 2^32 ticks */
    uint64_t until; /* ticks: later the clock must be looked at again */
};

extern const struct quick_line *_Atomic quick_line; /* NULL: there is no such counter */

/* Takes a tenth of a millisecond, the first time. Before any thread reads. */
void quick_begin(void);
uint64_t quick_renew(void);

static inline uint64_t
quick_on(const struct quick_line *l, uint64_t ticks)
{
    /* The counter may be read before the line is, so that it is the smaller by a little. */
    __int128 more = (__int128)(int64_t)(ticks - l->ticks) * (int64_t)l->rate;
    return l->ns + (uint64_t)(more >> 32);
}

/* False: it is not as simple as that, see quick_ns. */
static inline bool
quick_try(uint64_t *ns)
{
    const struct quick_line *l = atomic_load_explicit(&quick_line, memory_order_acquire);
    if (__builtin_expect(!l, 0)) return false;
    uint64_t ticks = cpu_ticks();
    *ns = quick_on(l, ticks);
    return __builtin_expect(ticks < l->until, 1);
}

/* Processors may read the counter a little before what stands in front of it is done. */
static inline uint64_t
quick_ns(void)
{
    uint64_t ns;
    if (quick_try(&ns)) return ns;
    return atomic_load_explicit(&quick_line, memory_order_relaxed) ? quick_renew() : clock_ns();
}

/* All reads that stand in front of it are done then. */
static inline void
quick_after(void)
{
#if defined(__x86_64__)
    __builtin_ia32_lfence();
#endif
}

#endif
