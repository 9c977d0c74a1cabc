/* run.h - when and where the calls of a graph have run: from a trace, or from anybody else. */
#ifndef LUNA_TESTS_SCHEDULE_RUN_H
#define LUNA_TESTS_SCHEDULE_RUN_H

#include "graph.h"

enum { RUN_NODES_MAX = 64, RUN_CELLS_MAX = GRAPH_SIDE * GRAPH_SIDE, RUN_WORDS = 256 };

struct run_span {
    int thing, node, worker; /* node -1: it has not run */
    int64_t begin, end;      /* ns */
};

struct turn {
    int node;
    int64_t begin, end;
};

struct run {
    struct run_span *span;       /* by thing; bodies and sums have none */
    const struct turn *turn; /* in which a node was at work besides; lent, may be NULL */
    int turns;
    int nodes, workers;      /* of each node */
    int64_t end;             /* of the last call */
    int owner[RUN_CELLS_MAX];
    char wrong[RUN_WORDS];   /* what does not fit the graph, if anything */
};

/* A run without any call. */
void run_begin(struct run *r, const struct graph *g, int nodes, int workers);
void run_fini(struct run *r);
void run_call(struct run *r, int thing, int node, int worker, int64_t begin, int64_t end);

/* Reads DIR/node-*.jsonl and places the graph by what it says of cells. All calls of the graph must
 * be there, each once, on its node; and none may begin before those whose values it reads have
 * ended. Else `wrong` says what is. */
void run_read(struct run *r, struct graph *g, const char *dir, int nodes, int workers);
/* The last two of these, of any run. */
void run_check(struct run *r, const struct graph *g);

#endif
