/* hilbert.h - the points of a box of 1 to 3 dimensions, numbered along a curve that keeps near
 * points near.
 *
 * The box is cut into a row of cubes along its longest side, as wide as its second longest, rounded
 * up to a power of two. Each cube has a Hilbert curve that starts where the one before it ends.
 *
 *     +--+ +--+|+--+ +--+|+-
 *     |  | |  ||   | |   |         two cubes of 4x4 and a piece of a third
 *     +-+ +-+ ||...
 *
 * Points of a cube outside the box are left out and the order of the others is kept. So any sides
 * will do; consecutive points are adjacent if no cube is cut, that is if all sides but the longest
 * are the same power of two and divide the longest.
 *
 * No table: both ways count the points of smaller and smaller cubes that lie inside the box, in a
 * number of steps that grows with the logarithm of the side. */
#ifndef LUNA_DISTRIB_HILBERT_H
#define LUNA_DISTRIB_HILBERT_H

#include "distrib/lattice.h"

struct hilbert {
    int ndims, bits;                /* a cube has sides of 2^bits */
    int dim[LATTICE_DIMS_MAX];      /* of the box, by length: the curve's last one is the longest */
    int32_t side[LATTICE_DIMS_MAX]; /* in that order */
    uint32_t cube; /* points of a cube inside the box, if it is not the last one of the row */
};

void hilbert_init(struct hilbert *h, const struct lattice *box);
uint32_t hilbert_rank(const struct hilbert *h, struct lattice_point p);
struct lattice_point hilbert_point(const struct hilbert *h, uint32_t rank);

#endif
