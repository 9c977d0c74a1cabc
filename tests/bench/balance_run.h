/* balance_run.h - a traced run with balancing, as tables: its steps, its iterations, who owned
 * what. balance_read.c fills them from the trace; balance_steps.c and balance_cuts.c tell of
 * them. */
#ifndef LUNA_BENCH_BALANCE_RUN_H
#define LUNA_BENCH_BALANCE_RUN_H

#include "apps/luna/trace/trace_read.h"
#include "runtime/node/speed.h"

#include <stdbool.h>
#include <stdint.h>

struct step {        /* of each node: */
    double *bytes;   /* live when it ended */
    double *out, *in; /* that moved with cells */
    double *work;    /* of calls since the step before */
    double *sends, *hops_of; /* since then, of values that calls of other nodes read */
    double late;     /* bytes sent after calls that moved, which had asked for them before */
    double spent;    /* ns at balancing since the step before, of the node that was so most */
    uint64_t walks, hops, farthest; /* of messages for cells that came since then */
    uint64_t at;     /* when the last node had ended it */
};

struct run_call {
    uint64_t begun, ended;
    uint32_t t, cell; /* of iteration t */
    double work;
};

struct owned {
    uint32_t step, n;
    int node;
    uint32_t *cell;
};

struct moved {
    uint32_t step, cell;
};

struct iteration { /* of each cell: */
    float *work;
    int32_t *node;  /* that ran its calls; -1: none */
    uint64_t *from; /* when its last call began */
    uint64_t at;    /* and that of all cells */
};

struct what {
    struct trace_run run;
    uint32_t ncells;
    int nodes;
    const char *dir, *calls, *speed, *map, *best;
    bool by_time;
    double even; /* max/avg that needs no mending */
    struct speeds *speeds;
    struct step *step; /* 0: before the first */
    size_t nsteps;
    struct owned *owned;
    size_t nowned;
    struct moved *moved;
    size_t nmoved;
    struct iteration *iter;
    size_t niter;
    struct run_call *call;
    size_t ncalls;
    bool *loaded; /* cells that calls were for */
    uint32_t *turn; /* of each cell: the iteration after the one it was at when a step ended */
    double *load;   /* of each cell then */
    uint32_t now; /* the step of the file that is read */
    double work;  /* there, since the last step */
    uint64_t giving_to; /* what is sent goes with cells that have just been given; else nowhere */
    int rows;
    size_t nowned_then, nmoved_then; /* at the step that is told */
    double *of_nodes, *of_others; /* scratch */
    int32_t *owner_before;        /* and, of cells, */
    double *heavy;                /* their loads */
    struct arena *arena;
};

/* Zeroed; until the end. */
void *room(struct what *w, size_t n, size_t size);
/* What a call does is how long it would take on a node of speed 1. */
double speed_of(const struct what *w, int node, uint64_t at);
/* The tables of the run in `dir`, whose run.json is read; false: it cannot be read. */
bool read_all(struct what *w, const char *dir);

struct spread {
    double most, mean, above; /* above: the sum of what is above the mean */
};

/* Of what nodes have, by their speeds then. */
struct spread spread_of(const struct what *w, const double *v, uint64_t at, bool by_speed);
double unevenness(struct spread s);

/* ---- balance_cuts.c: had the cells been cut exactly, for each iteration ---- */

struct cutting {
    int across, along;     /* nodes in the first and second dimension */
    int32_t rows, columns; /* of cells */
    double *row, *column;  /* loads */
    double *across_speed, *along_speed; /* of rows of nodes; of the nodes of one */
    int32_t *end, *stop;   /* of parts */
};

/* Whether the nodes are a lattice of at most two dimensions, as a re-cut needs it. */
bool cutting_open(struct what *w, struct cutting *g);
/* How even each iteration was, where its calls have run; and how even it would have been had the
 * cells been cut anew for it. NULL: only the former. */
void print_iterations(struct what *w, struct cutting *g);
void write_map(struct what *w, struct cutting *g);

#endif
