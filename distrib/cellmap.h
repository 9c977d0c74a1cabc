/* cellmap.h - a map from cells to numbers, for the cells a node owns or has owned.
 *
 * Open addressing in one array of pairs, at most three quarters full. Reading never writes, so
 * several threads may read at the same time. */
#ifndef LUNA_DISTRIB_CELLMAP_H
#define LUNA_DISTRIB_CELLMAP_H

#include "distrib/lattice.h"

struct cellmap_pair {
    uint32_t cell, value; /* LATTICE_NONE: an empty place */
};

/* A zeroed struct is an empty map. */
struct cellmap {
    struct cellmap_pair *pair;
    uint32_t n, room; /* room: 0 or a power of two */
};

void cellmap_fini(struct cellmap *m);
/* Makes room for n cells in all: afterwards so many can be put without fail. False: no memory. */
bool cellmap_reserve(struct cellmap *m, uint32_t n);
/* Sets the value of a cell; there must be room. */
void cellmap_put(struct cellmap *m, uint32_t cell, uint32_t value);
/* LATTICE_NONE: not in the map. */
uint32_t cellmap_get(const struct cellmap *m, uint32_t cell);
void cellmap_remove(struct cellmap *m, uint32_t cell);
uint64_t cellmap_bytes(const struct cellmap *m);

#endif
