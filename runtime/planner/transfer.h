/* transfer.h - cells go to neighbours in transactions, as one node takes part in them.
 *
 * A transaction is the transfer of one group of cells from one node to a neighbour. A node gives or
 * takes in one at a time; and while a node gives, its witnesses do not (distrib_witnesses). So what
 * must be true of domains is true after each of them.
 *
 *     giver                      taker                        witnesses
 *     ASK ---------------------> is free: YES, its load
 *     chooses cells
 *     HOLD -----------------------------------------------> do not give now: YES
 *     all agree: gives the cells, which
 *     come by a way of their own -> tells news, all heard
 *          <-------------- ENDED
 *     FREE ------------------------------------------------> may give again
 *
 * Each transaction has a random priority. A request that cannot be granted now waits; a node
 * serves those that wait in descending order. Nobody waits for a lower one that has not begun:
 *
 *     the node itself asks, with a lower one    it takes back what it has asked (FREE), and tries
 *                                               again afterwards
 *     it has promised to take in a lower one    it tells that giver to do so (YIELD)
 *
 * (Why those who have not begun make way, and not those who came last: docs/decisions/0019.)
 *
 * So who waits, waits for a higher one, or for one that has begun, which waits for nobody: there is
 * no circle. What a giver chose it chooses anew if something has moved before it could begin.
 *
 * No transport, no clock, no fragments: messages go out by `send` and come in by transfer_hear. */
#ifndef LUNA_PLANNER_TRANSFER_H
#define LUNA_PLANNER_TRANSFER_H

#include "distrib/distrib.h"
#include "runtime/base/rng.h"

struct transfers;

struct transfer_setup {
    struct distrib *map; /* lent */
    int node;
    uint64_t seed; /* of priorities: another one for each node */
    void *who;     /* of all that follow: */
    void (*send)(void *who, int to, const void *bytes, size_t n);
    double (*load)(void *who); /* of this node now */
    /* How much `to` should get, which has `load` now; 0: nothing any more. */
    double (*want)(void *who, int to, double load);
    distrib_load_fn *cell_load;
    /* All agree: moves the cells. The taker calls transfer_taken, who hears news of it calls
     * transfer_heard. */
    void (*give)(void *who, int to, const uint32_t *cells, uint32_t n);
    void (*nomem)(void); /* there is no memory; does not return */
};

enum err transfer_new(struct transfers **out, const struct transfer_setup *s);
void transfer_free(struct transfers *t);

/* From now on cells for `to`, a neighbour, are looked for; once for each call. */
void transfer_want(struct transfers *t, int to);
/* Whether all that was planned has been done, or given up: what was in the way again and again. */
bool transfer_idle(const struct transfers *t);

/* A message that another node sent by `send`. False: malformed. */
bool transfer_hear(struct transfers *t, int from, const void *bytes, size_t n);
/* The cells of a transaction have come, and `told` nodes have been told of it. */
void transfer_taken(struct transfers *t, int from, unsigned told);
/* News that `from` has sent has been heard. */
void transfer_heard(struct transfers *t, int from);

/* For asserts: one role at a time, and nobody is held still who gives. */
bool transfer_is_valid(const struct transfers *t);

/* How many this node has begun, and taken back. */
struct transfer_counts {
    uint64_t begun, taken_back;
};
struct transfer_counts transfer_counts(const struct transfers *t);

#endif
