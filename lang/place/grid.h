/* grid.h - a lattice of cells along some directions, and where on it the fragments of each DF are.
 *
 * In a dimension a DF is placed by the index that goes along that direction; else by one that goes
 * nowhere, if it has one and is not handed on along it (matmul: a[i][k] on i, k); else at 0. Where
 * ends are not known, or the work wanders through the array, cells are dealt out in turns: the grid
 * is folded. So is one side, if they are not known where the DF is declared. */
#ifndef LUNA_LANG_PLACE_GRID_H
#define LUNA_LANG_PLACE_GRID_H

#include "lang/place/carry.h"

enum { GRID_DIMS = 3, ADD_MOST = 1 << 30 };

/* (index + add) / c, then modulo `folded`, or times scaled_to / of; 0: neither. What is divided is
 * cut towards 0: if it is folded, `lift` more, which is some rounds, is not below 0. */
struct side {
    bool any, aligned;
    int position;
    int64_t add, lift, c;
    int32_t folded, scaled_to;
    struct end of;
};

/* What is folded lies as what is scaled, if it is not longer. */
static inline int32_t
grid_size(const struct side *s)
{
    return s->folded ? s->folded : s->scaled_to;
}

struct grid {
    int ndims;
    bool folded;
    bool wanders; /* a wavefront, or a triangle on a plane: along a line neighbours may talk */
    int direction[GRID_DIMS];
    int64_t low[GRID_DIMS];
    struct end extent[GRID_DIMS];
    int32_t most;                   /* of each side */
    struct side (*side)[GRID_DIMS]; /* by DF */
    bool *ruled;                    /* likewise: it has any */
};

/* Room for rules; and the rules of a lattice along these directions. */
void grid_begin(struct grid *g, struct arena *a, const struct plan *p);
void grid_make(struct grid *g, const struct directions *d, const struct carry *c,
               const int *direction, int n);
/* Of that index: the coordinate of a step, in cells unless it is scaled. False: not known. */
bool grid_at(const struct grid *g, const struct touch *t, int dim, const struct index_step **step,
             int64_t *at);

#endif
