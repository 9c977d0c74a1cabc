/* plan_parts.h - what the files of the planner share; only plan*.c include it.
 *
 * All nodes take the same decisions, from numbers that are the same everywhere to the last bit. So
 * they go through the same operations ("ops") in the same order, and a message says which step and
 * op it is for. One for a later op waits in the inbox.
 *
 *     plan.c         messages and the inbox; what is called from outside
 *     plan_steps.c   which op follows which
 *     plan_lines.c   sums over all nodes, and cells that travel, both along lines of the lattice
 *     plan_price.c   start prices, rounds of prices
 *     plan_cut.c     a plan by cuts alone, in a hurry
 *     plan_spread.c  the outcome told to the owners, and made true on the copy of the map
 *     plan_turns.c   transfers between neighbours on the copy
 *     plan_bid.c     which transfer a node wants next
 *     plan_mend.c    those that mend */
#ifndef LUNA_RUNTIME_PLAN_PARTS_H
#define LUNA_RUNTIME_PLAN_PARTS_H

#include "balance/balance.h"
#include "balance/flow.h"
#include "balance/price.h"
#include "distrib/cellmap.h"
#include "runtime/base/rng.h"
#include "runtime/plan.h"

/* A cell in the plan: whose it is now, and where along the rope its middle lies, in speeds. */
struct plan_item {
    uint32_t cell;
    int32_t home;
    double load, bytes, middle;
};

struct plan_items {
    struct plan_item *at;
    uint32_t n, room;
};

enum plan_kind {
    PLAN_CALL, /* begin! */
    PLAN_UP,
    PLAN_DOWN, /* a sum so far; the sum */
    PLAN_RIGHT,
    PLAN_LEFT, /* cells that travel */
    PLAN_PRICE,
    PLAN_CELLS,
    PLAN_LEVEL,
    PLAN_TOUCH,
    PLAN_CLAIM,
    PLAN_PARCEL,
    PLAN_NEWS,
    PLAN_FACES,
    PLAN_BID,
    PLAN_GRANT,
    PLAN_RESULT,
    PLAN_KINDS
};

/* Before each message. `op` is 0 for what may be heard at any time: calls and news. */
struct plan_head {
    uint32_t step, op, kind, bytes; /* of what follows */
};

/* A message that waits for its op. */
struct plan_letter {
    struct plan_letter *next;
    int from;
    struct plan_head head;
    char body[];
};

enum plan_op {
    OP_SUM,    /* is there anything to do? */
    OP_SHARE,  /* how much counts of a cell that fills a node? */
    OP_ROWS,   /* loads of the rows of cells */
    OP_CUT,    /* the same of one dimension, among nodes that are in one part so far */
    OP_SWEEP,  /* cells travel to where the start prices send them */
    OP_TOUCH,  /* do neighbours touch? */
    OP_LOOK,   /* is the plan even? */
    OP_PRICE,  /* neighbours tell their prices */
    OP_CELLS,  /* and send cells that are cheaper there */
    OP_SPREAD, /* owners hear; the copy follows */
    OP_FACES,  /* what is behind the border? */
    OP_CHECK,  /* shape and evenness */
    OP_FLOW,   /* how much has to cross each edge */
    OP_TURN,   /* transfers */
    OP_CLAIM,  /* owners hear the end of it */
    OP_CARRY,  /* the caller's turn */
    OP_SETTLE, /* until all that the caller sent is heard */
    OP_OVER
};

enum { PLAN_NEAR_MAX = 26, PLAN_EDGES_MAX = 6 };

/* A node whose domain touches ours, or that is our neighbour in the lattice; known by both. */
struct plan_peer {
    int node;
    double load, speed;
    uint32_t wishes; /* bits, see plan_turns.c */
    uint64_t priority;
    double want, room;             /* load that it wants to give to us; most we may have then */
    int32_t lacks[PLAN_EDGES_MAX]; /* its neighbours in the lattice that it does not touch */
    bool granted, empty;
};

struct plan_circle {
    struct plan_peer *at;
    int n, room;
};

/* A transfer that this node wants. */
struct plan_bid {
    int to; /* -1: none */
    uint32_t *cell, n, room;
    double load, limit; /* of the taker afterwards */
    int edge;           /* whose quota it serves, or -1 */
    int *witness, nwitness, witness_room;
};

struct plan {
    struct plan_setup set;
    struct lattice line; /* of nodes: on which sums are made */
    struct lattice_point place;
    bool rope;
    struct price_field field;

    /* The machine. */
    uint32_t step, op;
    enum plan_op now;
    int dim;     /* of a sum or sweep */
    int left_in; /* messages this op still waits for */
    struct plan_letter *inbox, **inbox_end;
    uint32_t ahead; /* messages for the next step */
    struct buf out;
    struct plan_report report;
    double reached;    /* highest by average load, after the last plan or without it */
    double unrest;     /* how much it has risen since, in this step or lately */
    int pause, pauses; /* steps to be left out now, and after the last plan that was dropped */
    struct plan_cost cost;
    struct rng rng;
    enum err err;

    /* Own cells as they are, and where they are planned. */
    struct plan_items own;
    int32_t *dest; /* of each own cell; -1: not told yet */
    uint32_t told; /* how many owners know */
    struct cellmap own_slot;
    double speed;
    bool unknown; /* loads of this node say nothing */

    /* Cells planned here. */
    struct plan_items item;
    struct cellmap item_slot; /* only while the copy is worked on */
    double load;
    struct distrib *copy;
    struct cellmap idle; /* cells without load beside ours */

    /* Sums: the first `nmax` are maxima. */
    double *sum, *right_sum; /* the latter has come before the one from the left */
    bool kept;
    uint32_t nsum, nmax, sum_room;
    double before, speed_before; /* rope: of the nodes to the left */

    /* What all know: of the whole. A cell that is more than a node's share fills a node. So much of
     * it counts that a node with nothing else is as loaded as the others. */
    double total, speeds, heaviest;
    double most_of_cell; /* counts */
    double grain;        /* the heaviest cell that does not fill half a node */
    double even;         /* load by speed that each should have, of what counts */
    double excess;       /* the most load that a node has too much, of what counts */
    double goal;         /* the highest level, of all load, that cannot be helped */
    bool halved;         /* prices are found for loads half way to even ones */

    struct plan_items right, left;
    int64_t crossing[2];

    int near[PLAN_NEAR_MAX], nnear;
    struct price_site site[PLAN_NEAR_MAX + 1]; /* the first is ours */
    struct price price;
    double *row_price; /* of the rows of nodes in each dimension, one behind the other */
    int32_t *row;      /* of nodes, for each row of cells in each dimension */
    int round;

    /* Cuts: where the whole parts of each dimension begin, kept from plan to plan; the last one. */
    int *begin;
    double *cut;
    int depth; /* dimensions that have been cut */
    bool flawed;

    uint64_t news_sent, news_heard;
    double wave_heard; /* in the wave before; -1: there was none */

    int edge[PLAN_EDGES_MAX], nedges; /* neighbours in the lattice */
    struct flow flow;
    struct flow_pace pace;
    double level[PLAN_EDGES_MAX], edge_speed[PLAN_EDGES_MAX], quota[PLAN_EDGES_MAX];

    struct plan_circle circle, last; /* the one of the turn before */
    struct plan_bid bid;
    int32_t lacks[PLAN_EDGES_MAX]; /* neighbours in the lattice that we do not touch */
    bool stale;                    /* something has changed since the bid was chosen */
    uint64_t priority;
    int turn, block, mends, flows, smooths; /* counts of turns, and of blocks of them by aim */
    int attempt;                            /* see plan_steps.c; -1: none yet */
    uint32_t last_come;                     /* a cell, or LATTICE_NONE */
    bool wandering;                         /* smoothing takes what does no harm, too */
    bool spread;                            /* and news of it may be under way */
    bool smoothing, granted, answered, decided;
    int bids_in, results_in;
    int64_t news_due;
    uint64_t moves;     /* of this node in this block */
    uint64_t moves_all; /* of all in all blocks */
};

/* ---- plan.c ---- */

/* A message is built by plan_open, buf_add to p->out, and plan_post. */
void plan_open(struct plan *p, enum plan_kind kind);
void plan_post(struct plan *p, int to);
/* Without memory or with a wrong message the step fails; the first reason stays. */
void plan_fail(struct plan *p, enum err e);
bool plan_items_add(struct plan *p, struct plan_items *v, const struct plan_item *it);
void plan_items_fini(struct plan_items *v);
/* Puts items behind the message, or reads them from one that holds nothing else. */
void plan_pack_items(struct plan *p, const struct plan_items *v);
void plan_unpack_items(struct plan *p, struct plan_items *v, const void *body, size_t n);

/* ---- plan_steps.c ---- */

/* The next op begins: its messages go out. `dim` is the first dimension of a sum or sweep. */
void plan_enter(struct plan *p, enum plan_op op, int dim);
bool plan_is_done(const struct plan *p); /* the op under way */
void plan_follow(struct plan *p);        /* it is: the one that follows */
double plan_unrest_at_first(const struct plan *p);
void plan_step_over(struct plan *p, const char *why);
/* What counts of a cell's load. */
double plan_weight(const struct plan *p, double load);
/* Whether all nodes add up numbers in this op. */
bool plan_sums_up(enum plan_op op);
/* The attempt in a hurry. */
bool plan_hurries(const struct plan *p);

/* ---- plan_lines.c: neighbours on the line in dimension p->dim; -1: none ---- */
int plan_beside(const struct plan *p, int side);
void plan_sum_init(struct plan *p, uint32_t n, uint32_t nmax); /* zeroes p->sum */
void plan_sum_start(struct plan *p);
void plan_sum_hear(struct plan *p, enum plan_kind kind, int from, const void *body, size_t n);
/* Sums wait for the ends of lines: away from the middle those are called that have not yet begun;
 * towards it the sum itself is the call. The first node of a line calls those of the lines beside,
 * so that all lines are summed up at the same time. Whoever is called calls on. */
void plan_call_others(struct plan *p);
void plan_sweep_start(struct plan *p);
void plan_sweep_hear(struct plan *p, enum plan_kind kind, const void *body, size_t n);

/* ---- plan_price.c ---- */
void plan_rows_fill(struct plan *p);
void plan_rows_done(struct plan *p);
/* The row of nodes in dimension d that an own cell belongs to by its start price. */
int plan_row(const struct plan *p, uint32_t cell, int d);
void plan_price_start(struct plan *p);
void plan_price_hear(struct plan *p, int from, const void *body, size_t n);
void plan_cells_start(struct plan *p);
void plan_cells_hear(struct plan *p, const void *body, size_t n);

/* ---- plan_cut.c ---- */
/* Sums from p->sum[at] on; plan_cut_size of them. */
void plan_cut_fill(struct plan *p, uint32_t at);
uint32_t plan_cut_size(const struct plan *p);
void plan_cut_done(struct plan *p, uint32_t at);
int plan_cut_part(const struct plan *p, uint32_t cell);
void plan_touch_start(struct plan *p);
void plan_touch_hear(struct plan *p, int from, const void *body, size_t n);

/* ---- plan_spread.c ---- */
void plan_spread_start(struct plan *p);
void plan_spread_hear(struct plan *p, enum plan_kind kind, int from, const void *body, size_t n);
void plan_news_hear(struct plan *p, const void *body, size_t n);
/* For distrib_take. */
void plan_tell_news(void *who, int node, const void *news, size_t bytes);

/* ---- plan_turns.c ---- */
void plan_faces_start(struct plan *p);
void plan_faces_hear(struct plan *p, int from, const void *body, size_t n);
void plan_flow_start(struct plan *p);
void plan_flow_hear(struct plan *p, int from, const void *body, size_t n);
void plan_flow_done(struct plan *p);
void plan_turn_start(struct plan *p);
void plan_turn_hear(struct plan *p, enum plan_kind kind, int from, const void *body, size_t n);
bool plan_turn_over(const struct plan *p);
struct plan_peer *plan_peer(struct plan *p, int node);

/* ---- plan_bid.c ---- */
void plan_bid_choose(struct plan *p);
void plan_bid_add(struct plan *p, uint32_t cell);
double plan_load_of(void *who, uint32_t cell);

/* ---- plan_mend.c ---- */
void plan_bid_to_mend(struct plan *p);

#endif
