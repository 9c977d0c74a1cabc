/* planner.h - plans where all cells should be, before any of them moves (--balance=two-phase).
 *
 * The planner of one node. The planners of all nodes talk to each other about numbers: loads,
 * prices, and cells by name only. In the end each knows which of its cells go where, straight from
 * their old to their final owner, or all know that nothing is worth moving.
 *
 *           planner_begin          all agree              planner_moved
 *     IDLE -----------------> BUSY -----------> MOVE ------------------> SETTLING ----> IDLE
 *      ^                       |      planner_each_move,              until all that was
 *      '-----------------------'      planner_expected: the           sent has been heard
 *         even, or not worth it       caller moves them               on all nodes
 *
 * All nodes begin each step; who hears that others have begun (planner_called) begins too. Steps
 * follow each other: none begins before the one before it is over on all nodes.
 *
 * A state machine: no threads, no transport, no clock. Messages leave by `send` and come in by
 * planner_hear; between two nodes they must keep their order. The calls of a planner must not run
 * at the same time, and not inside its callbacks.
 *
 * docs/protocols-balancing.md, section 11, tells what is said and why it ends. */
#ifndef LUNA_PLANNER_H
#define LUNA_PLANNER_H

#include "distrib/distrib.h"

struct planner;

struct planner_setup {
    /* Who owns what, lent as long as the planner lives. It plans on a copy, of planner_begin. */
    const struct distrib *map;
    struct lattice cells;
    int node, nnodes; /* of nnodes that may have cells; others have no planner */
    /* Nothing is planned unless the highest load is above the average by this part of it. */
    double threshold;
    /* What loads will be is not known yet at the start of the run: better no long plans then. */
    bool unsteady;
    /* A plan is carried out if it brings the highest load within the threshold, or lowers it by
     * more than that; and if the load that it takes from the most loaded node is worth more than
     * what moves: bytes times this. 0: moving costs nothing. */
    double byte_cost;
    void (*send)(void *who, int to, const void *bytes, size_t n); /* lends the bytes */
    /* While SETTLING: how many messages that must arrive before the step is over the caller has
     * sent and heard, since the start of the run. */
    void (*count)(void *who, uint64_t *sent, uint64_t *heard);
    void *who;
};

/* E_NOMEM. */
enum err planner_new(struct planner **out, const struct planner_setup *s);
void planner_free(struct planner *p);

enum planner_state { PLANNER_IDLE, PLANNER_BUSY, PLANNER_MOVE, PLANNER_SETTLING };
enum planner_state planner_state(const struct planner *p);
/* The op under way, in a word; docs/protocols-balancing.md, section 11, tells of each. */
const char *planner_doing(const struct planner *p);

/* The next step, only when IDLE: load and size of each own cell, n in all, as distrib_each lists
 * them, and what load this node can bear beside others. `unknown`: its work has hardly begun, so
 * that loads say nothing yet, and nothing moves in this step. E_NOMEM. */
enum err planner_begin(struct planner *p, const uint32_t *cell, const double *load,
                       const double *bytes, uint32_t n, double speed, bool unknown);
/* Somebody has begun the next step: begin it too. */
bool planner_called(const struct planner *p);
/* What another node's planner has sent; kept if it is for a step that has not begun here. E_FORMAT,
 * E_PROTOCOL, E_NOMEM: the run is lost. */
enum err planner_hear(struct planner *p, int from, const void *bytes, size_t n);

/* MOVE: calls fn for each own cell that goes, with its final owner. */
void planner_each_move(const struct planner *p, void (*fn)(void *who, uint32_t cell, int to),
                       void *who);
/* How many cells come here. */
uint32_t planner_expected(const struct planner *p);
/* Under rope: how many cells cross the border to the left (side 0) or right (side 1) neighbour away
 * from here; below 0: to here. Those on their way to others are among them. */
int64_t planner_crossing(const struct planner *p, int side);
/* All that goes has gone and all that comes has come. */
enum err planner_moved(struct planner *p);

/* The last step, or the one under way as far as it has come; the same numbers on all nodes. Loads
 * are by speed: that of a node is its sum by its speed, and so is the average. */
struct planner_summary {
    uint32_t step;          /* 1, 2, .. */
    double before, after;   /* highest load by average load */
    double total, heaviest; /* of all cells, of one */
    double even;            /* average load, by speed */
    uint64_t cells, bytes;  /* that move, on all nodes */
    bool needed, taken;
    const char *why; /* why nothing moves, or NULL */
};
struct planner_summary planner_summary(const struct planner *p);

/* What planning has cost here since the start of the run. */
struct planner_cost {
    uint64_t messages, bytes, memory_max;
};
struct planner_cost planner_cost(const struct planner *p);

#endif
