/* plan.h - plans where all cells should be, before any of them is carried (--balance=two-phase).
 *
 * The planner of one node. The planners of all nodes talk to each other about numbers: loads,
 * prices, and cells by name only. In the end each knows which of its cells go where, straight from
 * their old to their final owner, or all know that nothing is worth moving.
 *
 *              plan_begin            all agree              plan_carried
 *     IDLE -----------------> BUSY -----------> CARRY ---------------------> SETTLING ----> IDLE
 *      ^                       |      plan_each_move, plan_expected:      until all that was
 *      '-----------------------'      the caller carries for real         sent has been heard
 *         even, or not worth it                                           on all nodes
 *
 * All nodes begin each step; who hears that others have begun (plan_called) begins too. Steps
 * follow each other: none begins before the one before it is over on all nodes.
 *
 * A state machine: no threads, no transport, no clock. Messages leave by `send` and come in by
 * plan_hear; between two nodes they must keep their order. The calls of a planner must not run at
 * the same time, and not inside its callbacks.
 *
 * docs/protocols.md tells what is said and why it ends. */
#ifndef LUNA_RUNTIME_PLAN_H
#define LUNA_RUNTIME_PLAN_H

#include "distrib/distrib.h"

struct plan;

struct plan_setup {
    /* Who owns what, lent as long as the planner lives. It plans on a copy made in plan_begin. */
    const struct distrib *map;
    const char *kind; /* "rope" or "patch" */
    struct lattice cells, nodes;
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
enum err plan_new(struct plan **out, const struct plan_setup *s);
void plan_free(struct plan *p);

enum plan_state { PLAN_IDLE, PLAN_BUSY, PLAN_CARRY, PLAN_SETTLING };
enum plan_state plan_state(const struct plan *p);

/* The next step, only when IDLE: load and size of each own cell, n in all, as distrib_each lists
 * them, and what load this node can bear beside others. `unknown`: its work has hardly begun, so
 * that loads say nothing yet, and nothing moves in this step. E_NOMEM. */
enum err plan_begin(struct plan *p, const uint32_t *cell, const double *load, const double *bytes,
                    uint32_t n, double speed, bool unknown);
/* Somebody has begun the next step: begin it too. */
bool plan_called(const struct plan *p);
/* What another node's planner has sent; kept if it is for a step that has not begun here. E_FORMAT,
 * E_PROTOCOL, E_NOMEM: the run is lost. */
enum err plan_hear(struct plan *p, int from, const void *bytes, size_t n);

/* CARRY: calls fn for each own cell that goes, with its final owner. */
void plan_each_move(const struct plan *p, void (*fn)(void *who, uint32_t cell, int to), void *who);
/* How many cells come here. */
uint32_t plan_expected(const struct plan *p);
/* Under rope: how many cells cross the border to the left (side 0) or right (side 1) neighbour away
 * from here; below 0: to here. Those on their way to others are among them. */
int64_t plan_crossing(const struct plan *p, int side);
/* All that goes has gone and all that comes has come. */
enum err plan_carried(struct plan *p);

/* The last step, or the one under way as far as it has come; the same numbers on all nodes. Loads
 * are by speed: that of a node is its sum by its speed, and so is the average. */
struct plan_report {
    uint32_t step;          /* 1, 2, .. */
    double before, after;   /* highest load by average load */
    double total, heaviest; /* of all cells, of one */
    double even;            /* average load, by speed */
    uint64_t cells, bytes;  /* that move, on all nodes */
    bool needed, taken;
    const char *why; /* why nothing moves, or NULL */
};
struct plan_report plan_report(const struct plan *p);

/* What planning has cost here since the start of the run. */
struct plan_cost {
    uint64_t messages, bytes, memory_max;
};
struct plan_cost plan_cost(const struct plan *p);

#endif
