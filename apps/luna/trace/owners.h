/* owners.h - who owned which cell at a moment, put together from the lines of a trace.
 *
 * A node tells all its cells at the start and after each change (`own`), and each cell it gives
 * away (`move`). What counts for a cell is the latest line before the moment that says anything
 * about it:
 *
 *     node 1   own: a b c ....... move c to 2, own: a b ...............
 *     node 2   own: d .............................. own: c d .........
 *                                   ^
 *                       here c is node 2's, though only node 1 has told
 *
 * Everything lives in the arena. */
#ifndef LUNA_APPS_OWNERS_H
#define LUNA_APPS_OWNERS_H

#include "apps/luna/trace/trace_read.h"

#define OWNERS_NONE (-1)

struct owners {
    struct lattice cells;
    unsigned nodes;
    uint64_t at;         /* the moment, ns */
    int32_t *of;         /* per cell: its node, or OWNERS_NONE */
    uint64_t told;       /* cells named, at any time */
    uint32_t twice;      /* cells that two nodes tell as theirs (the later line counts) */
    uint32_t twice_cell; /* the first of them, and its two nodes */
    int twice_by[2];
    struct gathering *gathering;
};

/* At `at`; then owners_add for every event, then owners_settle. */
struct owners *owners_new(struct arena *a, const struct trace_run *run, uint64_t at);
void owners_add(void *who, unsigned node, const struct trace_event *e); /* a trace_event_fn */
void owners_settle(struct owners *o);
/* In place of owners_settle: one node has all, and tells nothing. */
void owners_alone(struct owners *o);

/* The same, coarser: a cell stands for a block of k to each side, and is whose most of it is. */
struct owners *owners_shrink(struct arena *a, const struct owners *o, int k);

/* ---- figures ---- */

struct owners_of_node {
    uint32_t cells;
    uint32_t pieces;     /* groups of adjacent cells */
    uint32_t neighbours; /* nodes with a cell beside one of its own: near[0..neighbours) */
    const int32_t *near; /* ascending */
};

struct owners_figures {
    struct owners_of_node *node;
    uint32_t nobodys;    /* cells */
    uint64_t pairs, cut; /* pairs of adjacent cells; of which two nodes own one each */
};

struct owners_figures owners_figures(struct arena *a, const struct owners *o);

#endif
