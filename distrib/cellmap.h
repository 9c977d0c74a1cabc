/* cellmap.h - a map from cells to numbers, for the cells a node owns or has owned.
 *
 * Open addressing in one array, at most three quarters full. Reading never writes, so several
 * threads may read at the same time. */
#ifndef LUNA_DISTRIB_CELLMAP_H
#define LUNA_DISTRIB_CELLMAP_H

#include "distrib/lattice.h"

struct cellmap_entry {
    uint32_t cell; /* LATTICE_NONE: an empty slot */
    uint32_t value, epoch;
};

/* A zeroed struct is an empty map. */
struct cellmap {
    struct cellmap_entry *entry;
    uint32_t n, room; /* room: 0 or a power of two */
};

void cellmap_fini(struct cellmap *m);
/* An empty map becomes a copy; false: no memory. */
bool cellmap_copy(struct cellmap *to, const struct cellmap *from);
/* Makes room for n cells in all: afterwards so many can be put without fail. False: no memory. */
bool cellmap_reserve(struct cellmap *m, uint32_t n);
/* Sets the entry of a cell; there must be room. */
void cellmap_put(struct cellmap *m, uint32_t cell, uint32_t value, uint32_t epoch);
/* NULL: not in the map, as LATTICE_NONE never is. Lent until the map changes. */
struct cellmap_entry *cellmap_find(const struct cellmap *m, uint32_t cell);
void cellmap_remove(struct cellmap *m, uint32_t cell);
uint64_t cellmap_bytes(const struct cellmap *m);

#endif
