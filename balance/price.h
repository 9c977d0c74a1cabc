/* price.h - which node a cell is planned for: the one that is near and cheap.
 *
 * Each node has a site, the middle of its box of an even start, and a price. A cell goes to the
 * node with the least
 *
 *     |cell - site|^2 + price
 *
 * Whatever the prices, the parts are convex and stand in the order of their sites. A node with too
 * much load raises its price and loses cells on all sides. In the end loads are even, and among all
 * even plans cells are as near to their sites as can be: that is what prices do.
 *
 * A node knows its own price and its neighbours', also across corners. So a cell goes to the best
 * of these, and on from there; that comes to the best of all.
 *
 *     start    prices by equal parts along each dimension, which is right at once if the load is a
 *              product (half of the cells, a quarter, a stripe); cells travel until none moves
 *     rounds   told by a node to its neighbours: its price; cells that go; then each node adjusts
 *              its price by the load that it has now
 *
 * While cells are still travelling to where the start prices send them, nobody must adjust. */
#ifndef LUNA_BALANCE_PRICE_H
#define LUNA_BALANCE_PRICE_H

#include <stdint.h>

enum { PRICE_DIMS = 3 };

/* What all nodes know alike. Dimensions that are not used have sides of 1. */
struct price_field {
    int32_t cells[PRICE_DIMS], nodes[PRICE_DIMS];
    int rounds; /* of adjusting */
};

struct price_site {
    int32_t place[PRICE_DIMS]; /* in the lattice of nodes */
    double price;
};

/* The part of dimension d in the price of the nodes in row 0, 1, ..: of `nodes[d]` numbers. `load`
 * has the loads of the rows of cells, `speed` the sums of speeds of the rows of nodes; NULL: all
 * the same. A node's price is the sum over the dimensions. */
void price_start(const struct price_field *f, int d, const double *load, const double *speed,
                 double *price);

/* By these alone, the row of nodes that each row of cells goes to; of equal ones the first. */
void price_rows(const struct price_field *f, int d, const double *price, int32_t *row);

/* The cheapest for a cell; of equal ones the first. `round`: -1 while cells travel. */
int price_best(const struct price_field *f, const struct price_site *site, int n,
               const int32_t *cell, int round);

/* A node's price and how fast it changes; both are 0 before the start. */
struct price {
    double value, drift;
};

/* After round 0, 1, ..: by the load planned here now and the one that is wanted here. */
void price_adjust(const struct price_field *f, struct price *p, double load, double wanted,
                  int round);

#endif
