/* planner_soup.h - the planners of all nodes of a run, the map they plan for, and their messages:
 * in order between two nodes, stirred by a seed among all others. What is planned is moved. A
 * message to a node that its sender need not know (planner_link.h) is a flaw. */
#ifndef LUNA_TESTS_PLANNER_SOUP_H
#define LUNA_TESTS_PLANNER_SOUP_H

#include "runtime/planner/planner.h"
#include "tests/distrib/world.h"

struct soup_message;

/* Messages from one node to one other. */
struct soup_channel {
    int from, to;
    struct soup_message *first, **end;
};

struct soup {
    struct world w;
    struct lattice line; /* of nodes, on a rope a line */
    struct rng rng;
    bool in_turn; /* the oldest channel first, instead of a random one: for large runs */
    struct soup_node *node;
    struct soup_channel **slot; /* a table of channels by (from, to) */
    size_t nslots, nchannels;
    struct soup_channel **busy; /* a ring of those with something in them */
    size_t first, nbusy, room;
    int unknown;          /* a node that does not know its loads yet; -1: all do */
    bool alone;           /* only node 0 begins by itself */
    uint64_t damage;      /* the number of the message that is changed on its way; 0: none */
    bool damaged;         /* it was */
    double *load, *bytes; /* of all cells; filled by the test before a step */
    double *speed;        /* of nodes */
    uint64_t sent;        /* by planners */
    uint64_t moved;       /* cells, in the last step */
    uint64_t hops;        /* messages in it that had to wait for each other */
    char ops[256];        /* what node 0 was seen to do in it; two in turn are told once */
    const char *flaw;     /* the first one */
    enum err err;         /* what a planner has said, if that was it */
};

/* Takes the world. Loads and sizes of cells are 1, and speeds too. */
struct soup *soup_new(struct world w, uint64_t seed, double threshold, double byte_cost);
void soup_free(struct soup *s);
/* A whole step: nodes begin at random times. Gives the report, the same for all. */
struct planner_summary soup_step(struct soup *s);
/* As the map says now: highest load by average load, both by speed. */
double soup_imbalance(const struct soup *s);
double soup_node_load(const struct soup *s, int node);
/* Cells of the map by owner. */
void soup_owners(const struct soup *s, int32_t *owner);
/* The most that a planner has cost. */
struct planner_cost soup_cost(const struct soup *s);

#endif
