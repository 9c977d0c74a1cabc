/* founder.h - what locators ask of the run: how many nodes it has, and who owned a cell when it
 * began.
 *
 *     locator_cyclic: nodes - 1;          luna_nodes
 *     locator_cyclic: node(i / 2, j);     luna_node_of
 *
 * Both are the same on all nodes and do not change while the program runs: what a locator says may
 * be found out anywhere, at any time. Who owns a cell now is not asked here.
 *
 * One for the process: its nodes belong to one run. It is set before anything runs; what it says of
 * cells, before anything runs that has to do with them. */
#ifndef LUNA_RUNTIME_FOUNDER_H
#define LUNA_RUNTIME_FOUNDER_H

#include "distrib/lattice.h"
#include "runtime/program.h"

struct founders {
    int nodes;
    const struct lattice *cells; /* the program's; NULL: it has none */
    /* Who founded it, by its number; NULL: node 0, which is the only one. */
    int (*of)(const void *who, uint32_t cell);
    const void *who;
};

void founders_set(const struct founders *f);
/* The lattice has come while the program runs: others may ask for the number of nodes meanwhile. */
void founders_settle(const struct founders *f);

#endif
