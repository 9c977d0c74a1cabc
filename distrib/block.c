/* block.c - the cells, row by row, in equal pieces, one per node in the order of nodes: neighbours
 * within a row stay together. A yardstick for the others. */
#include "kind.h"

static int
block_owner(const struct distrib *d, uint32_t cell)
{
    return (int)((uint64_t)cell * (uint64_t)d->nnodes / d->ncells);
}

/* The first cell of a node: the least c with floor(c * N / cells) = node. */
static uint32_t
first_of(const struct distrib *d, int node)
{
    return (uint32_t)(((uint64_t)node * d->ncells + (uint64_t)d->nnodes - 1) / (uint64_t)d->nnodes);
}

static void
block_each(const struct distrib *d, void (*fn)(void *who, uint32_t cell), void *who)
{
    for (uint32_t c = first_of(d, d->node), end = first_of(d, d->node + 1); c < end; c++)
        fn(who, c);
}

const struct distrib_kind distrib_block = {
    .name = "block",
    .owner = block_owner,
    .each = block_each,
};
