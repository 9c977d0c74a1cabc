/* hilbert.h - the points of a box of 1 to 3 dimensions, numbered along a curve that keeps near
 * points near.
 *
 * The box is cut into a row of cubes along its longest side, as wide as its second longest, rounded
 * up to a power of two. Each cube has a Hilbert curve that starts where the one before it ends.
 *
 *      0  1 14 15 | 16 17 30 31 | 32 33 ..      a box of 4 x 10; 3 x 6 below
 *      3  2 13 12 | 19 18 29 28 | 35 34 ..
 *      4  7  8 11 | 20 23 24 27 | 36 39 ..       0  1 10 11 | 12 13 ..
 *      5  6  9 10 | 21 22 25 26 | 37 38 ..       3  2  9  8 | 15 14 ..
 *                                                4  5  6  7 | 16 17 ..
 *
 * Points of a cube outside the box are left out and the others keep their order. So any sides will
 * do; the curve has no jumps if the sides but the longest are one power of two and divide it.
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
