/* patch_group.h - cells that are to go to one node, and what would be true then.
 *
 * All invariants of the two domains can be checked with what the giver knows: its own rest must be
 * connected and touch its neighbours; the other domain only grows; and the order is a matter of
 * each cell and those beside it. */
#ifndef LUNA_DISTRIB_PATCH_GROUP_H
#define LUNA_DISTRIB_PATCH_GROUP_H

#include "distrib/patch/patch.h"

enum { PATCH_NEIGHBOURS_MAX = 2 * LATTICE_DIMS_MAX };

struct patch_group {
    const struct distrib *d;
    const struct patch *p;
    int to;
    uint32_t *beside;              /* for each slot and side: the slot there, or LATTICE_NONE */
    bool *given;                   /* is in the group */
    uint32_t *seen, *queue, round; /* for floods */
    uint32_t left;                 /* own cells that are not given */
    uint32_t first;                /* slot of the first of the group; LATTICE_NONE: none */
    int neighbour[PATCH_NEIGHBOURS_MAX]; /* of us in the lattice of nodes; -1: none there */
    int64_t faces[PATCH_NEIGHBOURS_MAX]; /* between our rest and each of them */
};

/* An empty group for `to`; false: no memory. Close it either way. */
bool patch_group_open(struct patch_group *g, const struct distrib *d, int to);
void patch_group_close(struct patch_group *g);

static inline uint32_t
patch_group_beside(const struct patch_group *g, uint32_t slot, int side)
{
    return g->beside[(uint64_t)slot * (uint64_t)g->p->sides + (uint64_t)side];
}

/* Who owns the cell at a side if the group goes as it is. */
static inline int
patch_group_owner(const struct patch_group *g, uint32_t slot, int side)
{
    uint32_t e = patch_group_beside(g, slot, side);
    if (e == LATTICE_NONE) return patch_side(g->p, slot, side)->owner;
    return g->given[e] ? g->to : g->d->node;
}

/* Whether a cell touches the group; if there is none yet, the domain of `to`. */
bool patch_group_touches(const struct patch_group *g, uint32_t slot);
/* Whether it may go too. */
bool patch_group_may(struct patch_group *g, uint32_t slot);
void patch_group_join(struct patch_group *g, uint32_t slot);

#endif
