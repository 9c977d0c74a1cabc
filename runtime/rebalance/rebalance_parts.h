/* rebalance_parts.h - what the files of rebalance share.
 *
 *     rebalance.c         steps: when they begin and end, messages
 *     rebalance_knobs.c   the options
 *     rebalance_summary.c  what a step was, and what all should know of it
 *     rebalance_paper.c   loads to neighbours, quotas, transactions
 *     rebalance_plan.c    a plan of all nodes, and carrying it out */
#ifndef LUNA_RUNTIME_REBALANCE_PARTS_H
#define LUNA_RUNTIME_REBALANCE_PARTS_H

#include "balance/balance.h"
#include "runtime/base/buf.h"
#include "runtime/rebalance/rebalance.h"

#include <stdatomic.h>

enum { NEIGHBOURS_MAX = 2 * LATTICE_DIMS_MAX };
/* A step is followed by at least so many times its own length without one, however often steps are
 * wanted: one that moves much while many calls wait takes long. */
enum { REBALANCE_REST = 60 };

/* What a message is about: its first word. Who hears it is in a table in rebalance.c. */
enum rebalance_what {
    TELL_LOAD,
    TELL_TRANSFER,
    TELL_GIVEN,
    TELL_PLAN,
    TELL_SUMMARY,
    TELL_LESSON,
    TELL_KINDS
};

/* A step, as one node or several have seen it. */
struct rebalance_summary {
    uint32_t step, nodes; /* whose it is */
    double load, heaviest; /* of cells */
    double before, after;  /* of the most loaded node */
    double left;           /* of all nodes, by which `after` is told: loads may have changed */
    double often, active;  /* of loads */
    uint64_t cells, bytes, ns;
    const char *why; /* this node's own words: nothing moves; NULL: nothing to say */
};

struct paper;
struct two_phase;
struct rebalance;

/* A way to balance: what --balance chooses. */
struct rebalance_way {
    enum err (*init)(struct rebalance *b); /* makes its own part of b; E_NOMEM */
    void (*fini)(struct rebalance *b);     /* also if init has failed */
    void (*begin)(struct rebalance *b);    /* a step */
    bool (*called)(const struct rebalance *b); /* others have begun the next one */
    /* Cells have come, and `told` nodes are told; news has been heard, for `told` others, too. */
    void (*taken)(struct rebalance *b, int from, uint32_t cells, unsigned told);
    void (*heard)(struct rebalance *b, int from, unsigned told); /* optional */
};

extern const struct rebalance_way rebalance_paper, rebalance_two_phase;

struct rebalance {
    struct node *node;
    struct worker *w; /* who has called */
    struct rebalance_knobs knobs;
    struct lattice line; /* of nodes: distrib_line */
    int neighbour[NEIGHBOURS_MAX], nneighbours; /* there */
    int nodes; /* that have cells */
    struct loads loads;
    atomic_uint step; /* the last one begun */
    bool unknown;     /* two-phase: loads say nothing yet */
    atomic_bool busy; /* in it */
    atomic_uint_fast64_t ended_ns, rest_ns; /* the last one; so long none begins */
    struct rebalance_summary own;
    uint64_t entered_ns, spent_ns; /* now; and in all since a step was last traced */
    bool changed; /* other cells are ours than when that was last traced */
    struct buf summaries; /* of steps not all of whose parts are here: array */
    const struct rebalance_way *way;
    struct paper *paper; /* one of the two */
    struct two_phase *two_phase;
};

void rebalance_tell(struct rebalance *b, int to, enum rebalance_what what, const void *bytes,
                    size_t n);
/* Moves cells of ours to `to`, and counts them; or counts them only, and tells their loads. */
void rebalance_move(struct rebalance *b, int to, const uint32_t *cells, uint32_t n);
void rebalance_count(struct rebalance *b, int to, const uint32_t *cells, uint32_t n);
/* Nothing is left to do for this step; `after`: what the most loaded node has now, as far as it is
 * known here; `left`: what this one has then. */
void rebalance_end(struct rebalance *b, double after, double left);

/* ---- rebalance_summary.c: what a step was goes to node 0, by the tree of lattice_parent ---- */
void rebalance_summary_add(struct rebalance *b, const struct rebalance_summary *part);
bool rebalance_summary_hear(struct rebalance *b, int from, const void *bytes, size_t n);
bool rebalance_lesson_hear(struct rebalance *b, int from, const void *bytes, size_t n);
void rebalance_summary_fini(struct rebalance *b);

/* ---- the two ways; false: malformed, or for the other one ---- */
bool rebalance_paper_hear_load(struct rebalance *b, int from, const void *bytes, size_t n);
bool rebalance_paper_hear_transfer(struct rebalance *b, int from, const void *bytes, size_t n);
bool rebalance_two_phase_hear(struct rebalance *b, int from, const void *bytes, size_t n);

#endif
