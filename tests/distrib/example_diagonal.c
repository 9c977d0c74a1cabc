/* diagonal.c - diagonal after diagonal, round and round the nodes: each row and each column of
 * cells is spread over all of them. */
#include "distrib/kind.h"

static int
diagonal_owner(const struct distrib *d, uint32_t cell)
{
    struct lattice_point p = lattice_point(&d->cells, cell);
    return (p.at[0] + p.at[1] + p.at[2]) % d->nnodes;
}

/* May be left out: then all cells are tried. */
static void
diagonal_each(const struct distrib *d, void (*fn)(void *who, uint32_t cell), void *who)
{
    int32_t last = d->cells.side[d->cells.ndims - 1];
    for (uint32_t row = 0; row < d->ncells; row += (uint32_t)last) {
        int skip = d->node - diagonal_owner(d, row);
        for (int32_t i = skip < 0 ? skip + d->nnodes : skip; i < last; i += d->nnodes)
            fn(who, row + (uint32_t)i);
    }
}

const struct distrib_kind distrib_diagonal = {
    .name = "diagonal",
    .owner = diagonal_owner,
    .each = diagonal_each,
};
