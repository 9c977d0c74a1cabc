/* flow.h - how much load has to cross each edge of the lattice of nodes until all levels are even.
 *
 * On numbers only: nothing moves. Each round a node hears the levels of its neighbours and
 * pushes load towards the lower ones; a part of what it pushed last time goes again, so that far
 * slopes are worn down soon. Both ends of an edge find the same number with opposite signs. The
 * sums are a net flow: what crosses an edge there and back is not counted.
 *
 * Rounds grow with the longest side of the lattice. */
#ifndef LUNA_BALANCE_FLOW_H
#define LUNA_BALANCE_FLOW_H

#include <stdint.h>

enum { FLOW_EDGES = 6 };

/* What all nodes know alike. */
struct flow_pace {
    double push, again;
    int rounds;
};

struct flow_pace flow_pace(const int32_t nodes[3]); /* sides of the lattice of nodes */

struct flow {
    double load, speed;
    double last[FLOW_EDGES], sum[FLOW_EDGES]; /* away from here: positive */
};

/* What neighbours are told, with the speed: load by speed. */
double flow_level(const struct flow *f);
/* One round, with the levels and speeds that the n neighbours have told for it. */
void flow_round(struct flow *f, const struct flow_pace *p, const double *level, const double *speed,
                int n, int round);

#endif
