/* cost.h - what a grid would cost: how even the work is, and how many values travel. */
#ifndef LUNA_LANG_PLACE_COST_H
#define LUNA_LANG_PLACE_COST_H

#include "lang/place/grid.h"

enum { COST_SIZES = 3 };

struct grid_cost {
    double all;     /* to compare by */
    double busiest; /* of 4 nodes: which part of the calls it has */
    double values;  /* from elsewhere for each call, on 16 nodes */
    int heaviest;   /* the stop that makes the busiest busy */
};

void cost_of(struct grid_cost *c, const struct directions *d, const struct grid *g);

/* The touch it follows; NULL: none, it stays on node 0. */
const struct touch *cost_leader(const struct place_graph *g, const struct grid *grid,
                                const struct stop *s);

#endif
