/* patch.h - what one node of a patch knows: its domain. Only the files patch*.c include it.
 *
 * For each cell it owns, a node keeps who owns the cells beside it, and nothing else of the world:
 *
 *            2                  a cell with its epoch, how often it has changed hands;
 *         0 cell 1              for each of its sides the owner of the cell there, and that
 *            3                  cell's epoch, so that late news is told from new
 *
 * Of cells it has owned it keeps to whom it gave them: messages that come late go after them. */
#ifndef LUNA_DISTRIB_PATCH_H
#define LUNA_DISTRIB_PATCH_H

#include "distrib/cellmap.h"
#include "distrib/kind.h"

enum { PATCH_SIDES_MAX = 2 * LATTICE_DIMS_MAX, PATCH_OUTSIDE = -1 };

struct patch_side {
    int32_t owner; /* PATCH_OUTSIDE: the lattice ends here */
    uint32_t epoch;
};

struct patch {
    int sides;               /* of a cell: 2 for each dimension */
    uint32_t n, room;        /* own cells */
    uint32_t *cell, *epoch;  /* in any order */
    struct patch_side *side; /* `sides` of each own cell */
    struct cellmap slot;     /* own cell -> its place in the arrays */
    struct cellmap gone;     /* cell that was ours -> to whom it went */
    bool boxed;              /* still the box of an even start */
    uint32_t *start, nstart; /* ascending, unless the start was even: what was founded here */
};

static inline struct patch *
patch_of(const struct distrib *d)
{
    return d->mine;
}

static inline struct patch_side *
patch_side(const struct patch *p, uint32_t slot, int side)
{
    return &p->side[(uint64_t)slot * (uint64_t)p->sides + (uint64_t)side];
}

/* Room for `n` own cells in all. */
bool patch_reserve(struct patch *p, uint32_t n);
/* A new own cell, its sides not yet set; there must be room. Gives its slot. */
uint32_t patch_add(struct patch *p, uint32_t cell, uint32_t epoch);
void patch_drop(struct patch *p, uint32_t slot);

/* patch_walk.c */
int patch_onward(const struct distrib *d, uint32_t cell, uint32_t *at);

#endif
