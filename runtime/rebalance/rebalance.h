/* rebalance.h - moves load while the program runs: asks balance how much, asks distrib which cells,
 * and moves them.
 *
 * A node begins a step when its time has come (so many calls, so much time), or when it hears that
 * others have begun the same step. So a step spreads over all nodes by messages between neighbours,
 * also to those that have nothing to run.
 *
 *     paper       loads to the neighbours --> quotas (balance_diffuse) --> transactions
 *                 (transfer.h), one after the other --> over
 *     two-phase   a plan of all nodes (planner.h) --> each moves what leaves it --> over when all
 *                 has arrived everywhere
 *
 * What a step was is told from neighbour to neighbour as far as node 0, which prints it, and what
 * all should know of it comes back the same way. Messages of steps are work like all others: the
 * run does not end in the middle of one, and no step begins without calls that ran since the last.
 *
 * Whoever calls holds the node's `polling`. */
#ifndef LUNA_RUNTIME_REBALANCE_H
#define LUNA_RUNTIME_REBALANCE_H

#include "runtime/rebalance/loads.h"

struct reader;

enum rebalance_mode { REBALANCE_OFF, REBALANCE_PAPER, REBALANCE_TWO_PHASE };

struct rebalance_knobs {
    enum rebalance_mode mode;
    uint64_t every_calls, every_ns; /* of one node; one of them is 0 */
    double threshold;               /* of the average */
    enum load_measure measure;
    struct lattice cells;
    bool stats; /* print each step */
};

struct rebalance;

/* For a node with cells, among others. */
enum err rebalance_new(struct rebalance **out, struct node *n, const struct rebalance_knobs *k);
void rebalance_free(struct rebalance *b);

/* Between turns: whether rebalance_begin should be called. Cheap; `polling` need not be held. */
bool rebalance_due(struct worker *w);
void rebalance_begin(struct worker *w);

bool on_balance(struct worker *w, struct reader *r); /* false: malformed */
/* Cells have come here, and `told` nodes have been told; news has been heard, which `told` nodes
 * must hear too. */
void rebalance_taken(struct worker *w, int from, uint32_t cells, unsigned told);
void rebalance_heard(struct worker *w, int from, unsigned told);

#endif
