/* cost.h - how long calls last, by statement: what the scheduler knows of the future.
 *
 * A call of a statement whose calls are known to be short runs where it is met. Before any other
 * begins, what others could do meanwhile is made and offered (design.md, section 7). Each worker
 * keeps a word a statement: smoothed ticks of its calls, 0 while there was none; who knows nothing
 * asks the others once, and then expects a long one. Short calls are measured now and then, all
 * others each time.
 *
 * A statement may have calls of both kinds, and a long call that was taken for a short one keeps
 * what its worker holds from all others. So it takes some short calls until a statement is trusted
 * to have no others (COST_DOUBT), and only one long call until all workers doubt it again.
 *
 * In the simulator weights decide (node.h), never ticks: the same seed gives the same run. */
#ifndef LUNA_RUNTIME_COST_H
#define LUNA_RUNTIME_COST_H

#include "runtime/base/ticks.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    COST_SHORT_NS = 2000, /* calls that take less are short */
    COST_DOUBT = 10,      /* a first call counts as if calls of so many times that came before it */
    COST_SAMPLE = 13      /* one in so many of them is measured; odd, so that statements that take
                           * turns are all met */
};

struct costs_known { /* of one worker */
    _Atomic uint32_t *ticks; /* by row of sites[]; others write it only when a short one was long */
    uint32_t limit; /* COST_SHORT_NS in ticks */
};

static inline uint32_t
cost_ticks(const struct costs_known *c, uint32_t site)
{
    return atomic_load_explicit(&c->ticks[site], memory_order_relaxed);
}

/* UINT64_MAX: not known. */
static inline uint64_t
cost_ns(const struct costs_known *c, uint32_t site)
{
    uint32_t ticks = cost_ticks(c, site);
    return ticks ? (uint64_t)ticks * COST_SHORT_NS / c->limit : UINT64_MAX;
}

static inline bool
cost_is_short(const struct costs_known *c, uint32_t site)
{
    return cost_ticks(c, site) - 1 < c->limit; /* 0, unknown, is the largest number */
}

static inline void
cost_set(struct costs_known *c, uint32_t site, uint32_t ticks)
{
    atomic_store_explicit(&c->ticks[site], ticks, memory_order_relaxed);
}

/* A call, or the mean of several, has taken so many ticks. */
static inline void
cost_learn(struct costs_known *c, uint32_t site, uint64_t ticks)
{
    uint64_t old = cost_ticks(c, site), first = (uint64_t)c->limit * COST_DOUBT;
    uint64_t mean = (3 * (old ? old : ticks > first ? ticks : first) + ticks) / 4;
    cost_set(c, site, mean < UINT32_MAX ? (uint32_t)mean + !mean : UINT32_MAX);
}

#endif
