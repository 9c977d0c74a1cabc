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
 *     owners.c   the outcome told to the owners, and made true on the copy of the map
 *     turns.c    transfers between neighbours on the copy
 *     bid.c      which transfer a node wants next
 *     mend.c     those that mend
 *     valid.c    what must be true of a planner, in builds with assertions */
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

/* A message that has come: `n` bytes of body. */
struct planner_heard {
    enum planner_kind kind;
    int from;
    const void *body;
    size_t n;
};

/* One that waits for its op. */
struct planner_letter {
    struct planner_letter *next;
    int from;
    struct planner_head head;
    char body[];
};

enum planner_op {
    OP_SUM,    /* is there anything to do? */
    OP_HEAVY,  /* how much counts of a cell that fills a node? */
    OP_ROWS,   /* loads of the rows of cells */
    OP_CUT,    /* the same of one dimension, among nodes that are in one part so far */
    OP_SWEEP,  /* cells travel to where the start prices send them */
    OP_TOUCH,  /* do neighbours touch? */
    OP_LOOK,   /* is the plan even? */
    OP_PRICE,  /* neighbours tell their prices */
    OP_CELLS,  /* and send cells that are cheaper there */
    OP_OWNERS, /* owners hear; the copy follows */
    OP_FACES,  /* what is behind the border? */
    OP_CHECK,  /* shape and evenness */
    OP_FLOW,   /* how much has to cross each edge */
    OP_TURN,   /* transfers */
    OP_CLAIM,  /* owners hear the end of it */
    OP_MOVE,  /* the caller's turn */
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

/* ---- what stays ---- */

/* Where this node stands among the others: as long as the planner lives. */
struct planner_here {
    struct lattice line; /* of nodes: on which sums are made */
    struct lattice_point point;
    bool rope; /* cells lie on a curve, and only borders move */
    struct price_field field;
    struct flow_pace pace;
    int near[PLANNER_NEAR_MAX], nnear;   /* all around, also across corners */
    int edge[PLANNER_EDGES_MAX], nedges; /* neighbours in the lattice */
};

/* What steps leave behind for those that follow. */
struct planner_past {
    double reached;    /* highest by average load, after the last plan or without it */
    double unrest;     /* how much it has risen since, in this step or lately */
    int pause, pauses; /* steps to be left out now, and after the last plan that was dropped */
};

/* Letters from and to others. */
struct planner_mail {
    struct planner_letter *inbox, **inbox_end;
    uint32_t ahead; /* for the next step */
    struct buf out;
    struct planner_cost cost;
};

/* ---- a step: set up by planner_begin ---- */

/* This node. */
struct planner_own {
    double speed;
    bool unknown;                /* its loads say nothing */
    double before, speed_before; /* rope: of the nodes to the left */
    int64_t crossing[2];
};

/* What all know alike, of the whole. A cell that is more than a node's share fills a node. So much
 * of it counts that a node with nothing else is as loaded as the others. */
struct planner_whole {
    double total, speeds, heaviest;
    double most_of_cell; /* counts */
    double grain;        /* the heaviest cell that does not fill half a node */
    double even;         /* load by speed that each should have, of what counts */
    double goal;         /* the highest level, of all load, that cannot be helped */
    bool halved;         /* prices are found for loads half way to even ones */
};

/* News of the copy: when has all of it been heard? */
struct planner_news {
    uint64_t sent, heard;
    double wave_heard; /* in the wave before; -1: there was none */
    bool loose;        /* some may be under way, nobody knows whose */
};

/* ---- an attempt: set up by attempt() in steps.c ---- */

struct planner_try {
    int which; /* see steps.c; -1: none yet */
    /* Prices. */
    int price_round;
    struct price price;
    /* Cuts. */
    int depth; /* dimensions that have been cut */
    bool flawed;
    /* Transfers: blocks of turns so far, all and by aim. */
    int blocks, mends, flows, smooths;
    double excess;      /* the most load that a node has too much, of what counts */
    uint64_t moves;     /* of all nodes in all blocks; more than 0 also if owners have heard of
                         * another plan */
};

/* ---- transfers of an attempt: set up by planner_faces_start ---- */

struct planner_turns {
    int64_t news_due;   /* now it is known how much is to come here */
    uint32_t last_come; /* a cell, or LATTICE_NONE */
    double quota[PLANNER_EDGES_MAX]; /* what flows say has yet to cross each edge */
    bool stale;         /* something has changed since the bid was chosen */
    int32_t lacks[PLANNER_EDGES_MAX]; /* neighbours in the lattice that we do not touch */
};

/* ---- a block of turns with one aim: set up by pursue() in steps.c ---- */

struct planner_block {
    int turn, flow_round;
    struct flow flow;
    double level[PLANNER_EDGES_MAX], edge_speed[PLANNER_EDGES_MAX];
    bool smoothing;
    bool wandering; /* smoothing takes what does no harm, too */
    uint64_t moves; /* of this node */
};

/* ---- a turn: set up by planner_turn_start ---- */

struct planner_turn {
    uint64_t priority;
    bool granted, answered, decided;
    int bids_in;
};

/* ---- an op: set up by planner_enter ---- */

struct planner_now {
    enum planner_op op;
    int dim;       /* of a sum or sweep */
    int left_in;   /* messages it still waits for */
    uint32_t told; /* owners that know */
    bool kept;     /* the sum from the right has come before the one from the left */
};

struct planner {
    struct planner_setup set;
    struct planner_here here;
    struct planner_past past;
    struct planner_mail mail;
    enum err err;

    uint32_t step, nops; /* begun; ops in this step */
    struct planner_summary summary;
    struct rng rng;
    struct planner_own me;
    struct planner_whole all;
    struct planner_news news;
    struct planner_try try;
    struct planner_turns turns;
    struct planner_block block;
    struct planner_turn turn;
    struct planner_now now;

    /* What has memory of its own is emptied by what fills it.
     *
     * Own cells as they are, and where they are planned. */
    struct planner_items own;
    int32_t *dest; /* of each own cell; -1: not told yet */
    struct cellmap own_slot;

    /* Cells planned here, and those on their way along a line. */
    struct planner_items item, right, left;
    struct cellmap item_slot; /* only while the copy is worked on */
    double load;              /* what counts of them */
    struct distrib *copy;
    struct cellmap idle; /* cells without load beside ours */

    /* Sums: the first `nmax` are maxima. */
    double *sum, *right_sum;
    uint32_t nsum, nmax, sum_room;

    /* Prices. */
    struct price_site site[PLANNER_NEAR_MAX + 1]; /* the first is ours */
    double *row_price; /* of the rows of nodes in each dimension, one behind the other */
    int32_t *row;      /* of nodes, for each row of cells in each dimension */

    /* Cuts: where the whole parts of each dimension begin, kept from plan to plan; the last one. */
    int *begin;
    double *cut;

    /* Transfers. */
    struct planner_circle circle, last; /* the one of the turn before */
    struct planner_bid bid;
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

/* Only the phases' own values, zeroed; arrays stay. */
void planner_step_init(struct planner *p);
/* The next op begins: its messages go out. `dim` is the first dimension of a sum or sweep. */
void planner_enter(struct planner *p, enum planner_op op, int dim);
bool planner_is_done(const struct planner *p); /* the op under way */
void planner_follow(struct planner *p);        /* it is: the one that follows */
double planner_unrest_at_first(const struct planner *p);
void planner_step_over(struct planner *p, const char *why);
/* What counts of a cell's load. */
double planner_weight(const struct planner *p, double load);
/* Whether messages of this kind belong to the op under way, or to any. */
bool planner_expects(const struct planner *p, enum planner_kind kind);
bool planner_any_time(enum planner_kind kind);
/* The attempt in a hurry. */
bool planner_hurries(const struct planner *p);

/* ---- lines.c: neighbours on the line in dimension p->dim; -1: none ---- */
int planner_beside(const struct planner *p, int side);
void planner_sum_init(struct planner *p, uint32_t n, uint32_t nmax); /* zeroes p->sum */
void planner_sum_start(struct planner *p);
void planner_sum_hear(struct planner *p, const struct planner_heard *h);
/* Sums wait for the ends of lines: away from the middle those are called that have not yet begun;
 * towards it the sum itself is the call. The first node of a line calls those of the lines beside,
 * so that all lines are summed up at the same time. Whoever is called calls on. */
void planner_call_others(struct planner *p);
void planner_sweep_start(struct planner *p);
void planner_sweep_hear(struct planner *p, const struct planner_heard *h);

/* ---- price.c ---- */
void planner_rows_fill(struct planner *p);
void planner_rows_done(struct planner *p);
/* The row of nodes in dimension d that an own cell belongs to by its start price. */
int planner_row(const struct planner *p, uint32_t cell, int d);
void planner_price_start(struct planner *p);
void planner_price_hear(struct planner *p, const struct planner_heard *h);
void planner_cells_start(struct planner *p);
void planner_cells_hear(struct planner *p, const struct planner_heard *h);

/* ---- cut.c ---- */
/* Sums from p->sum[at] on; planner_cut_size of them. */
void planner_cut_fill(struct planner *p, uint32_t at);
uint32_t planner_cut_size(const struct planner *p);
void planner_cut_done(struct planner *p, uint32_t at);
int planner_cut_part(const struct planner *p, uint32_t cell);
void planner_touch_start(struct planner *p);
void planner_touch_hear(struct planner *p, const struct planner_heard *h);

/* ---- owners.c ---- */
void planner_owners_start(struct planner *p);
bool planner_owners_over(const struct planner *p);
void planner_claim_hear(struct planner *p, const struct planner_heard *h);
void planner_parcel_hear(struct planner *p, const struct planner_heard *h);
void planner_news_hear(struct planner *p, const struct planner_heard *h);
/* For distrib_take. */
void planner_tell_news(void *who, int node, const void *news, size_t bytes);

/* ---- turns.c ---- */
void planner_faces_start(struct planner *p);
void planner_faces_hear(struct planner *p, const struct planner_heard *h);
void planner_flow_start(struct planner *p);
void planner_flow_hear(struct planner *p, const struct planner_heard *h);
void planner_flow_done(struct planner *p);
void planner_turn_start(struct planner *p);
void planner_bid_hear(struct planner *p, const struct planner_heard *h);
void planner_grant_hear(struct planner *p, const struct planner_heard *h);
void planner_result_hear(struct planner *p, const struct planner_heard *h);
bool planner_turn_over(const struct planner *p);
struct planner_peer *planner_peer(struct planner *p, int node);

/* ---- bid.c ---- */
void planner_bid_choose(struct planner *p);
void planner_bid_add(struct planner *p, uint32_t cell);
double planner_load_of(void *who, uint32_t cell);

/* ---- mend.c ---- */
void planner_bid_to_mend(struct planner *p);

/* ---- valid.c: for asserts, between two messages ---- */
bool planner_is_valid(const struct planner *p);

#endif
