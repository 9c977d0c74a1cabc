/* loads.h - loads of cells that tests balance: how much a cell of the lattice has. */
#ifndef LUNA_TESTS_DISTRIB_LOADS_H
#define LUNA_TESTS_DISTRIB_LOADS_H

#include "distrib/lattice.h"
#include "runtime/base/rng.h"

typedef double load_fn(const struct lattice *cells, struct lattice_point p, struct rng *r);

/* What can be cut evenly along single dimensions. */
load_fn load_half, load_quarter, load_stripe;
/* What cannot: a block of 4, a disc of 8 among cells of 1; 0 to 4 by chance. */
load_fn load_hot_block, load_disc, load_random;

#endif
