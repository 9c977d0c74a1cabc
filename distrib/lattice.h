/* lattice.h - a box of up to three dimensions, of cells or of nodes; its points have numbers.
 *
 * Points are numbered row by row: the last index runs fastest. A lattice of fewer dimensions has
 * sides of 1 behind its own, so that whoever loops over three never needs to ask. */
#ifndef LUNA_DISTRIB_LATTICE_H
#define LUNA_DISTRIB_LATTICE_H

#include <stdbool.h>
#include <stdint.h>

enum { LATTICE_DIMS_MAX = 3 };
#define LATTICE_NONE 0xffffffffu /* no point */
#define LATTICE_POINTS_MAX (1u << 26) /* a node may keep some 40 bytes of each cell */

struct lattice {
    int ndims;
    int32_t side[LATTICE_DIMS_MAX]; /* each at least 1; their product at most LATTICE_POINTS_MAX */
};

struct lattice_point {
    int32_t at[LATTICE_DIMS_MAX];
};

/* A box of points, both ends inclusive; empty: hi < lo in the first dimension. */
struct lattice_box {
    struct lattice_point lo, hi;
};
#define LATTICE_BOX_EMPTY ((struct lattice_box){.lo = {{1, 0, 0}}})

/* False: a side below 1, or too many points. */
bool lattice_init(struct lattice *l, int ndims, const int32_t *sides);
uint32_t lattice_size(const struct lattice *l);
/* The number of the point with `l->ndims` indices ix; LATTICE_NONE: outside. */
uint32_t lattice_number(const struct lattice *l, const int32_t *ix);
/* Moves the indices to the nearest point. */
void lattice_clamp(const struct lattice *l, int32_t *ix);
struct lattice_point lattice_point(const struct lattice *l, uint32_t number);
/* Sum of the differences of their indices. */
int lattice_distance(const struct lattice *l, uint32_t a, uint32_t b);
int lattice_apart(struct lattice_point p, struct lattice_point q);
/* The point next to `number`: side 2 * d is the one before it in dimension d, 2 * d + 1 the one
 * behind. LATTICE_NONE: outside. */
uint32_t lattice_beside(const struct lattice *l, uint32_t number, int side);
/* A tree of all points, each beside its parent: back along dimension 0 to index 0, then along
 * dimension 1, and so on to point 0. So it is as deep as the sides are long.
 *
 *     0 -- 1 -- 2 -- 3
 *     |    |    |    |
 *     4    5    6    7
 *     |    |    |    |
 *     8    9   10   11
 *
 * LATTICE_NONE: point 0 has no parent. Below a point: how many there are, itself among them. */
uint32_t lattice_parent(const struct lattice *l, uint32_t number);
uint32_t lattice_below(const struct lattice *l, uint32_t number);
/* Makes the box large enough for p too. */
void lattice_around(struct lattice_box *b, struct lattice_point p);
/* A node lattice of `n` points: boxes of cells with the fewest faces between them, then the most
 * even sides. At most as many nodes as cells along each dimension, if n's factors allow it. */
void lattice_factor(struct lattice *out, int n, const struct lattice *cells);

#endif
