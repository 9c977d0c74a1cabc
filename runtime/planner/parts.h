/* parts.h - what the files of the planner share; only they include it.
 *
 * All nodes take the same decisions, from numbers that are the same everywhere to the last bit. So
 * they go through the same operations ("ops") in the same order, and a message says which step and
 * op it is for. One for a later op waits in the inbox.
 *
 *     planner.c  messages and the inbox; what is called from outside
 *     steps.c    which op follows which
 *     lines.c    sums over all nodes, and cells that travel, both along lines of the lattice
 *     price.c    start prices, rounds of prices
 *     cut.c      a plan by cuts alone, in a hurry
 *     spread.c   the outcome told to the owners, and made true on the copy of the map
 *     turns.c    transfers between neighbours on the copy
 *     bid.c      which transfer a node wants next
 *     mend.c     those that mend */
#ifndef LUNA_PLANNER_PARTS_H
#define LUNA_PLANNER_PARTS_H

#include "balance/balance.h"
#include "balance/flow.h"
#include "balance/price.h"
#include "distrib/cellmap.h"
#include "runtime/base/rng.h"
#include "runtime/planner/planner.h"

/* A cell in the plan: whose it is now, and where along the rope its middle lies, in speeds. */
struct planner_item {
    uint32_t cell;
    int32_t home;
    double load, bytes, middle;
};

struct planner_items {
    struct planner_item *at;
    uint32_t n, room;
};

enum planner_kind {
    PLANNER_CALL, /* begin! */
    PLANNER_UP,
    PLANNER_DOWN, /* a sum so far; the sum */
    PLANNER_RIGHT,
    PLANNER_LEFT, /* cells that travel */
    PLANNER_PRICE,
    PLANNER_CELLS,
    PLANNER_LEVEL,
    PLANNER_TOUCH,
    PLANNER_CLAIM,
    PLANNER_PARCEL,
    PLANNER_NEWS,
    PLANNER_FACES,
    PLANNER_BID,
    PLANNER_GRANT,
    PLANNER_RESULT,
    PLANNER_KINDS
};

/* Before each message. `op` is 0 for what may be heard at any time: calls and news. */
struct planner_head {
    uint32_t step, op, kind, bytes; /* of what follows */
};

/* A message that waits for its op. */
struct planner_letter {
    struct planner_letter *next;
    int from;
    struct planner_head head;
    char body[];
};

enum planner_op {
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

enum { PLANNER_NEAR_MAX = 26, PLANNER_EDGES_MAX = 6 };

/* A node whose domain touches ours, or that is our neighbour in the lattice; known by both. */
struct planner_peer {
    int node;
    double load, speed;
    uint32_t wishes; /* bits, see turns.c */
    uint64_t priority;
    double want, room;             /* load that it wants to give to us; most we may have then */
    int32_t lacks[PLANNER_EDGES_MAX]; /* its neighbours in the lattice that it does not touch */
    bool granted, empty;
};

struct planner_circle {
    struct planner_peer *at;
    int n, room;
};

/* A transfer that this node wants. */
struct planner_bid {
    int to; /* -1: none */
    uint32_t *cell, n, room;
    double load, limit; /* of the taker afterwards */
    int edge;           /* whose quota it serves, or -1 */
    int *witness, nwitness, witness_room;
};

struct planner {
    struct planner_setup set;
    struct lattice line; /* of nodes: on which sums are made */
    struct lattice_point place;
    bool rope;
    struct price_field field;

    /* The machine. */
    uint32_t step, op;
    enum planner_op now;
    int dim;     /* of a sum or sweep */
    int left_in; /* messages this op still waits for */
    struct planner_letter *inbox, **inbox_end;
    uint32_t ahead; /* messages for the next step */
    struct buf out;
    struct planner_report report;
    double reached;    /* highest by average load, after the last plan or without it */
    double unrest;     /* how much it has risen since, in this step or lately */
    int pause, pauses; /* steps to be left out now, and after the last plan that was dropped */
    struct planner_cost cost;
    struct rng rng;
    enum err err;

    /* Own cells as they are, and where they are planned. */
    struct planner_items own;
    int32_t *dest; /* of each own cell; -1: not told yet */
    uint32_t told; /* how many owners know */
    struct cellmap own_slot;
    double speed;
    bool unknown; /* loads of this node say nothing */

    /* Cells planned here. */
    struct planner_items item;
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

    struct planner_items right, left;
    int64_t crossing[2];

    int near[PLANNER_NEAR_MAX], nnear;
    struct price_site site[PLANNER_NEAR_MAX + 1]; /* the first is ours */
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

    int edge[PLANNER_EDGES_MAX], nedges; /* neighbours in the lattice */
    struct flow flow;
    struct flow_pace pace;
    double level[PLANNER_EDGES_MAX], edge_speed[PLANNER_EDGES_MAX], quota[PLANNER_EDGES_MAX];

    struct planner_circle circle, last; /* the one of the turn before */
    struct planner_bid bid;
    int32_t lacks[PLANNER_EDGES_MAX]; /* neighbours in the lattice that we do not touch */
    bool stale;                    /* something has changed since the bid was chosen */
    uint64_t priority;
    int turn, block, mends, flows, smooths; /* counts of turns, and of blocks of them by aim */
    int attempt;                            /* see steps.c; -1: none yet */
    uint32_t last_come;                     /* a cell, or LATTICE_NONE */
    bool wandering;                         /* smoothing takes what does no harm, too */
    bool spread;                            /* and news of it may be under way */
    bool smoothing, granted, answered, decided;
    int bids_in, results_in;
    int64_t news_due;
    uint64_t moves;     /* of this node in this block */
    uint64_t moves_all; /* of all in all blocks */
};

/* ---- planner.c ---- */

/* A message is built by planner_open, buf_add to p->out, and planner_post. */
void planner_open(struct planner *p, enum planner_kind kind);
void planner_post(struct planner *p, int to);
/* Without memory or with a wrong message the step fails; the first reason stays. */
void planner_fail(struct planner *p, enum err e);
bool planner_items_add(struct planner *p, struct planner_items *v, const struct planner_item *it);
void planner_items_fini(struct planner_items *v);
/* Puts items behind the message, or reads them from one that holds nothing else. */
void planner_pack_items(struct planner *p, const struct planner_items *v);
void planner_unpack_items(struct planner *p, struct planner_items *v, const void *body, size_t n);

/* ---- steps.c ---- */

/* The next op begins: its messages go out. `dim` is the first dimension of a sum or sweep. */
void planner_enter(struct planner *p, enum planner_op op, int dim);
bool planner_is_done(const struct planner *p); /* the op under way */
void planner_follow(struct planner *p);        /* it is: the one that follows */
double planner_unrest_at_first(const struct planner *p);
void planner_step_over(struct planner *p, const char *why);
/* What counts of a cell's load. */
double planner_weight(const struct planner *p, double load);
/* Whether all nodes add up numbers in this op. */
bool planner_sums_up(enum planner_op op);
/* The attempt in a hurry. */
bool planner_hurries(const struct planner *p);

/* ---- lines.c: neighbours on the line in dimension p->dim; -1: none ---- */
int planner_beside(const struct planner *p, int side);
void planner_sum_init(struct planner *p, uint32_t n, uint32_t nmax); /* zeroes p->sum */
void planner_sum_start(struct planner *p);
void planner_sum_hear(struct planner *p, enum planner_kind kind, int from, const void *body,
                      size_t n);
/* Sums wait for the ends of lines: away from the middle those are called that have not yet begun;
 * towards it the sum itself is the call. The first node of a line calls those of the lines beside,
 * so that all lines are summed up at the same time. Whoever is called calls on. */
void planner_call_others(struct planner *p);
void planner_sweep_start(struct planner *p);
void planner_sweep_hear(struct planner *p, enum planner_kind kind, const void *body, size_t n);

/* ---- price.c ---- */
void planner_rows_fill(struct planner *p);
void planner_rows_done(struct planner *p);
/* The row of nodes in dimension d that an own cell belongs to by its start price. */
int planner_row(const struct planner *p, uint32_t cell, int d);
void planner_price_start(struct planner *p);
void planner_price_hear(struct planner *p, int from, const void *body, size_t n);
void planner_cells_start(struct planner *p);
void planner_cells_hear(struct planner *p, const void *body, size_t n);

/* ---- cut.c ---- */
/* Sums from p->sum[at] on; planner_cut_size of them. */
void planner_cut_fill(struct planner *p, uint32_t at);
uint32_t planner_cut_size(const struct planner *p);
void planner_cut_done(struct planner *p, uint32_t at);
int planner_cut_part(const struct planner *p, uint32_t cell);
void planner_touch_start(struct planner *p);
void planner_touch_hear(struct planner *p, int from, const void *body, size_t n);

/* ---- spread.c ---- */
void planner_spread_start(struct planner *p);
void planner_spread_hear(struct planner *p, enum planner_kind kind, int from, const void *body,
                         size_t n);
void planner_news_hear(struct planner *p, const void *body, size_t n);
/* For distrib_take. */
void planner_tell_news(void *who, int node, const void *news, size_t bytes);

/* ---- turns.c ---- */
void planner_faces_start(struct planner *p);
void planner_faces_hear(struct planner *p, int from, const void *body, size_t n);
void planner_flow_start(struct planner *p);
void planner_flow_hear(struct planner *p, int from, const void *body, size_t n);
void planner_flow_done(struct planner *p);
void planner_turn_start(struct planner *p);
void planner_turn_hear(struct planner *p, enum planner_kind kind, int from, const void *body,
                       size_t n);
bool planner_turn_over(const struct planner *p);
struct planner_peer *planner_peer(struct planner *p, int node);

/* ---- bid.c ---- */
void planner_bid_choose(struct planner *p);
void planner_bid_add(struct planner *p, uint32_t cell);
double planner_load_of(void *who, uint32_t cell);

/* ---- mend.c ---- */
void planner_bid_to_mend(struct planner *p);

#endif
