/* cyclic.c - cell after cell, round and round the nodes: even loads, neighbours always elsewhere.
 * A yardstick for the others. */
#include "kind.h"

static int
cyclic_owner(const struct distrib *d, uint32_t cell)
{
    return (int)(cell % (uint32_t)d->nnodes);
}

static void
cyclic_each(const struct distrib *d, void (*fn)(void *who, uint32_t cell), void *who)
{
    for (uint64_t c = (uint64_t)d->node; c < d->ncells; c += (uint64_t)d->nnodes)
        fn(who, (uint32_t)c);
}

const struct distrib_kind distrib_cyclic = {
    .name = "cyclic",
    .owner = cyclic_owner,
    .each = cyclic_each,
};
