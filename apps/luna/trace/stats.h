/* stats.h - what a trace tells about sends, load and time: events are added up, then figures are
 * asked for. Nothing is read or printed here.
 *
 *     AvgSD   per node the mean distance of its sends; the mean of these over the nodes that sent
 *     AvgSS   per node the bytes of its sends; then the mean over all nodes, in MiB
 *
 * Both count replies, pushes and migrations; collectives and control have rows of their own. */
#ifndef LUNA_APPS_STATS_H
#define LUNA_APPS_STATS_H

#include "apps/luna/common/files.h"
#include "apps/luna/trace/trace_read.h"
#include "runtime/node/workers.h"

enum { STATS_ROWS = 10 }; /* the run's duration is cut into so many */

struct stats_sum {
    uint64_t count, bytes;
};

struct stats_load { /* of a node, in one row of the table */
    uint64_t t, bytes, cells;
    bool known;
};

struct stats_point {
    uint64_t t, bytes;
};

struct stats_node {
    uint64_t sends, dist, bytes; /* those that AvgSD and AvgSS count */
    uint64_t calls, in_calls, idle;
    bool has_idle;
    struct stats_load load[STATS_ROWS];
    struct stats_point *points; /* if they are wanted: all of its load, in the order of the trace */
    size_t npoints, room;
};

struct stats_sub { /* calls of one name at one line */
    const char *name;
    uint64_t line, count, total;
    uint32_t number; /* in the order of their first calls */
};

struct stats_df { /* fragments of one declaration */
    const char *name;
    uint64_t line, made, bytes, values, life, unread, left; /* sums over nodes */
    uint64_t biggest, longest, peak;                        /* the most of any node */
};

struct stats {
    struct arena *arena;
    struct trace_run run;
    struct words only; /* names of fragments whose sends count; none: all */
    bool *sent;        /* of each of these: was there one? */
    bool plots;        /* points are wanted */
    bool failed;       /* there was not enough memory */
    struct stats_node *nodes;
    struct worker_row *rows; /* of workers, in their order; none in traces of before */
    size_t nrows, rows_room;
    bool sleeps; /* they tell how long they slept */
    uint64_t chain; /* the longest of any call; 0: not told */
    struct stats_sum kind[TRACE_KINDS], control;
    uint64_t moves, moves_in[STATS_ROWS];
    struct stats_sub **subs; /* in the end what took longest is first */
    size_t nsubs, subs_room;
    const struct stats_sub *last; /* of the call that was added last */
    struct map *found; /* subs by line and name */
    struct stats_df **dfs; /* in the end most bytes are first; none in traces of before */
    size_t ndfs, dfs_room;
    struct map *found_dfs;
    struct buf key;    /* of what is looked for */
};

/* False: out of memory. What it gives lives in the arena, but for what fini frees. */
bool stats_init(struct stats *s, struct arena *a, const struct trace_run *run);
void stats_fini(struct stats *s);
/* Only sends of these fragments count: names with commas between. */
void stats_choose(struct stats *s, const char *names);

/* A trace_event_fn: `who` is the struct stats. */
void stats_add(void *who, unsigned node, const struct trace_event *e);
/* All were added. False: out of memory on the way. */
bool stats_end(struct stats *s);

/* ---- figures ---- */

double stats_avg_sd(const struct stats *s);
double stats_avg_ss(const struct stats *s);

/* When a row's time ends. */
uint64_t stats_row_end(const struct stats *s, unsigned row);

struct stats_range { /* of the nodes' load at the end of a row */
    double mean, max;
    unsigned node; /* that has the most */
    uint64_t cells_min, cells_max;
};
struct stats_range stats_load_in(const struct stats *s, unsigned row);
double stats_imbalance(const struct stats_range *p); /* the most, of the mean */

double stats_life(const struct stats_df *x); /* of a value, on average, in seconds */

struct stats_times {
    double calls, protocol, idle; /* seconds, of all workers of a node */
};
struct stats_times stats_times(const struct stats *s, unsigned node);

#endif
