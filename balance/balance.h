/* balance.h - how much load should go where. Loads in, quotas out; which cells these are is
 * distrib's business, and moving them the runtime's.
 *
 * Pure: no messages, no memory, no clock. A load is any number from 0 on: bytes, fragments, time. A
 * node's speed says how much load it should have beside others; where all are alike it is 1.
 *
 * Two ways:
 *
 *     the paper's   balance_diffuse    each node looks at its neighbours and gives what is too much
 *     two phases    balance_cut        plan on numbers first: equal parts along each dimension,
 *                   balance_rows       in a hurry that is all; else
 *                   price.h            prices, by which cells find their nodes,
 *                   flow.h             and what is left, over the edges of the lattice; each cell
 *                                      moves once, when all is planned */
#ifndef LUNA_BALANCE_BALANCE_H
#define LUNA_BALANCE_BALANCE_H

#include <stdbool.h>

/* Whether a plan is worth making: the most loaded node is above what it has to be - the average, or
 * the heaviest cell - by more than the threshold, and by more than a cell that could go; else no
 * cell could mend it. */
bool balance_needed(double most, double least, double cell, double threshold);

/* ---- the rule of the paper ----
 *
 * Each node is the centre of a group, itself and its neighbours. A centre far above the average of
 * its group gives its surplus to the members below it, in proportion to what each lacks. Groups
 * overlap, and so load travels. */

struct balance_node {
    double load, speed;
};

struct balance_rule {
    double threshold; /* of the average: a centre gives when it is above by more; 0.05 is 5 % */
    double share;     /* of the surplus, given at once; 1: all */
};

/* What the centre gives to each of its n neighbours; 0 for those that get nothing. */
void balance_diffuse(const struct balance_rule *rule, struct balance_node centre,
                     const struct balance_node *neighbour, int n, double *quota);
/* What is left of a quota when its transfer begins, by what is known of the same group then: never
 * more than the centre has too much, or neighbour `to` too little. */
double balance_limit(double quota, struct balance_node centre, const struct balance_node *neighbour,
                     int n, int to);

/* ---- parts of a row ---- */

/* Cuts a row of `side` loads into parts: at[k] is where part k begins, for k = 0 to `parts`, with
 * fractions of a place that is divided. Part k gets share[k] of the load, by the sum of shares;
 * NULL: all the same. Without load, parts of such lengths. */
void balance_cut(const double *load, int side, int parts, const double *share, double *at);
/* The same in whole places, at least one for each part; `side` is at least `parts`. The most
 * loaded part, by its share, has hardly more than must be. As far as that allows, parts begin where
 * begin[] says when it comes in; begin[0] becomes 0. */
void balance_rows(const double *load, int side, int parts, const double *share, int *begin);
/* The part of an element of a row, with `before` of `total` in front of it: the one its middle
 * falls in. */
int balance_part(double before, double load, double total, int parts);

#endif
