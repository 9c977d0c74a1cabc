/* world.h - all nodes of a run in one test, and partitions of cells that are valid but no boxes. */
#ifndef LUNA_TESTS_DISTRIB_WORLD_H
#define LUNA_TESTS_DISTRIB_WORLD_H

#include "distrib/distrib.h"
#include "runtime/base/rng.h"

struct lattice lattice_of(int ndims, int32_t a, int32_t b, int32_t c);

struct world {
    const char *kind;
    struct lattice cells, nodes;
    int n;
    struct distrib **node;
};

/* NULL owner: an even start. Aborts if it is refused. */
struct world world_new(const char *kind, struct lattice cells, struct lattice nodes,
                       const int32_t *owner);
void world_free(struct world *w);
int world_owner(const struct world *w, uint32_t cell); /* -1: none */

/* Hands a parcel over, and all news that follows from it; empties the buffer. Aborts if refused. */
void world_take(struct world *w, int to, int from, struct buf *parcel);
/* Hops of a walk to the owner; `knowing`: it begins with what the node believes. -1: it did not
 * end, left the nodes, or ended elsewhere. */
int world_walk(const struct world *w, int from, uint32_t cell, bool knowing);

/* Owners of all cells. */
struct partition {
    struct lattice cells, nodes;
    int32_t *owner;
    uint32_t *size;                /* of each node's domain */
    uint32_t *queue, *seen, round; /* for floods: a cell was seen in this round */
};

/* Even boxes. */
struct partition partition_new(struct lattice cells, struct lattice nodes);
void partition_free(struct partition *p);
/* Takes `flips` random cells of a border to the other side where the invariants allow it. The
 * first half of the tries drives the sizes apart: they go to the domain that is wanted larger. */
void partition_stir(struct partition *p, struct rng *r, uint32_t flips);
/* Domains grown cell by cell from random places: connected, and nothing else. */
void partition_grow(struct partition *p, struct rng *r);
/* Whether the cell may go to node b, all five invariants kept; `ordered` false: all but the last
 * two. */
bool partition_may(struct partition *p, uint32_t cell, int b, bool ordered);

#endif
