/* block_cyclic.c - blocks of cells, round and round the lattice of nodes along each side, as dense
 * matrix codes have it: even loads also where the work wanders over the matrix, and each row and
 * column of cells on one row or column of nodes.
 *
 *     blocks of 1x1, nodes 2x2        0 1 0 1
 *                                     2 3 2 3
 *                                     0 1 0 1  */
#include "kind.h"

static int
block_cyclic_owner(const struct distrib *d, uint32_t cell)
{
    struct lattice_point at, p = lattice_point(&d->cells, cell);
    for (int i = 0; i < LATTICE_DIMS_MAX; i++)
        at.at[i] = i < d->nodes.ndims ? p.at[i] / d->block[i] % d->nodes.side[i] : 0;
    return (int)lattice_number(&d->nodes, at.at);
}

const struct distrib_kind distrib_block_cyclic = {
    .name = "block-cyclic",
    .on_lattice = true,
    .in_blocks = true,
    .owner = block_cyclic_owner,
};
