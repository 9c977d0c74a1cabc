/* chain.c - which calls are on the longest chain of those that need each other. The trace tells how
 * long it was when a call ended: so from the longest one back to that whose chain is as long as its
 * own without it. In long runs chains are rounded a little (runtime/data/chain.h): then to the one
 * that fits best. */
#include "apps/report/report.h"

#include <stdlib.h>

struct link {
    uint64_t chain;
    const struct report_call *call;
};

static int
by_chain(const void *a, const void *b)
{
    const struct link *x = a, *y = b;
    if (x->chain != y->chain) return x->chain < y->chain ? -1 : 1;
    return (x->call->t > y->call->t) - (x->call->t < y->call->t);
}

/* The first of those that are at least as long; n: none. */
static size_t
first_of(const struct link *at, size_t n, uint64_t chain)
{
    size_t from = 0, to = n;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (at[middle].chain < chain) from = middle + 1;
        else to = middle;
    }
    return from;
}

/* The one before `call`, whose chain is nearest to what is left without it; among equals the first
 * that began. */
static size_t
link_before(const struct link *at, size_t n, const struct report_call *call)
{
    uint64_t left = call->chain - call->dur;
    size_t above = first_of(at, n, left);
    if (!above) return 0;
    uint64_t below = at[above - 1].chain;
    bool nearer = above == n || left - below < at[above].chain - left;
    return nearer ? first_of(at, n, below) : above;
}

void
report_find_chain(struct report_run *r)
{
    struct report_chain *c = &r->chain;
    size_t n = 0;
    c->by = arena_array(r->arena, uint64_t, r->stats.nsubs + 1);
    c->ns = r->stats.chain;
    if (!c->ns) return;
    struct link *at = arena_array(r->arena, struct link, r->ncalls + 1);
    for (size_t i = 0; i < r->nlanes; i++)
        for (size_t k = 0; k < r->lanes[i].n; k++)
            at[n++] = (struct link){r->lanes[i].at[k].chain, &r->lanes[i].at[k]};
    qsort(at, n, sizeof *at, by_chain);
    const struct report_call *call = at[n - 1].call;
    while (call->chain) {
        c->by[call->sub] += call->dur;
        c->calls++;
        if (call->chain <= call->dur) break;
        const struct report_call *before = at[link_before(at, n, call)].call;
        if (before->chain >= call->chain) break; /* it took no time, or was rounded away */
        call = before;
    }
}
