/* report.h - where the time of a traced run went: events are added, then all figures of the page
 * are there. Nothing is read or written here, and nothing knows how it will look.
 *
 *     trace -> report_add -> report_end --+-- enablers.c  what brought a call its last input
 *                                         +-- waits.c     why each worker was idle
 *                                         +-- path.c      the chain of calls that ended last
 *                                         +-- chain.c     the longest, which no node shortens
 *                                         '-- findings.c  what would help
 *     struct report_run -> json.c  (figures)  -\
 *                   -> segments.c (calls) --> page.c (one HTML file)
 *
 * Sums that `luna stats` prints too are those of its struct stats. A *lane* is a worker: lane w of
 * node n is number n * workers + w. A *group* is a node, or several neighbours if there are more
 * than REPORT_GROUPS. Times are in ns since the start of the run. All lives in the arena. */
#ifndef LUNA_APPS_REPORT_H
#define LUNA_APPS_REPORT_H

#include "apps/luna/trace/stats.h"

enum {
    REPORT_GROUPS = 64,
    REPORT_SLICES = 60,
    REPORT_POINTS = 240, /* of live bytes over time */
    REPORT_BINS = 14,
    REPORT_TOP = 4, /* longest calls of the path that are named */
    REPORT_FINDINGS = 12,
    REPORT_LOADS = 1 << 20, /* cells x slices of which loads are told, at most */
    REPORT_LEVELS = 16,
    REPORT_GAP = 3000, /* ns: shorter gaps between calls are the runtime's work, no waiting */
    REPORT_SMALL = 256 /* bytes: smaller values cost what a message costs */
};

struct report_by { /* what has brought something: see struct trace_by */
    uint32_t what : 2, at : 30; /* at: a lane, of a message its node */
    uint32_t k;
};

struct report_call {
    uint64_t t, dur, chain; /* chain: see struct report_chain */
    uint64_t ready;         /* 0 if it has not waited, or nobody knows */
    struct report_by by;
    uint32_t sub;     /* which of `subs` */
    uint32_t indices; /* where its indices are, `dims` of them */
    uint32_t dims, cell; /* the cell it ran for; LATTICE_NONE: none */
};

enum report_wait {                     /* what an idle worker waited for */
                   REPORT_FOR_OTHERS,  /* a value of another node came, and then it went on */
                   REPORT_FOR_OWN,     /* none came: something of its own node */
                   REPORT_FOR_START,   /* before its first call */
                   REPORT_FOR_END,     /* behind its last */
                   REPORT_FOR_NOTHING, /* it never had a call */
                   REPORT_WAITS
};
extern const char *const report_wait_text[REPORT_WAITS];

struct report_lane {
    struct report_call *at; /* by time */
    size_t n, room;
    bool sorted; /* the file had them in another order */
    uint64_t busy, runtime, idle, wasted;
    double waits[REPORT_WAITS]; /* ns; together: idle less wasted */
};

struct report_send {
    uint64_t t, bytes;
    uint32_t from, to, df, k; /* k: of its message, among those of the sender; 0: not told */
    struct report_by by;
};

struct report_df {
    const char *name;
    uint64_t count, bytes, dist, by[TRACE_KINDS]; /* bytes by kind */
    double small; /* ns that workers waited for its values below REPORT_SMALL; */
    double large; /* and while others of it were on their way, as far as the trace tells */
    uint32_t number;
};

struct report_sub { /* beside its struct stats_sub, of the same number */
    uint64_t least, median, p95, most;
    uint64_t bins[REPORT_BINS]; /* from least to most, on a logarithmic scale */
};

struct report_group {
    unsigned first, last; /* nodes */
    uint64_t calls, busy, runtime, idle, wasted, sent, received;
};

struct report_move {
    uint64_t t;
    uint32_t cell, to;
};

struct report_load {
    uint64_t t, bytes, count;
    uint32_t node;
};

/* ---- the critical path ---- */

struct report_seg { /* calls of one lane, one after the other */
    uint64_t from, to;
    uint32_t lane;
};

struct report_path {
    struct report_seg *segs; /* by time */
    size_t n, room;
    uint64_t calls, ncalls; /* ns in calls, and how many */
    uint64_t messages, nmessages;
    uint64_t between;     /* ns in the runtime, or waiting on the same node */
    uint64_t *by, *count; /* per sub */
    struct report_at {
        uint32_t lane, call;
    } top[REPORT_TOP];
    unsigned ntop;
};

/* ---- the longest chain of calls that need each other ---- */

struct report_chain {
    uint64_t ns;    /* 0: the trace does not tell */
    uint32_t calls; /* on it, as far as they are found, and */
    uint64_t *by;   /* the ns of each sub on it */
};

/* ---- what would help ---- */

struct report_finding {
    const char *name;         /* one word, for programs */
    const char *title, *text; /* what stands between ` and ` is code */
    double gain;              /* of the run's time, at most; 0: a note */
};

struct report_run {
    struct arena *arena;
    struct stats stats; /* and the run */
    struct report_lane *lanes;
    size_t nlanes, ncalls;
    int32_t *indices; /* of all calls */
    size_t nindices, indices_room;
    struct report_sub *subs;              /* in the order of stats.subs */
    uint64_t busy, runtime, idle, wasted; /* of all lanes */

    struct report_send *sends; /* by receiver, then time, from report_end on */
    size_t nsends, sends_room;
    bool caused;               /* the trace tells what has brought what */
    uint64_t *numbered;        /* see enablers.c */
    uint32_t *numbers;
    size_t *arrivals; /* sends[arrivals[n] .. arrivals[n + 1]) came to node n */
    struct map *found;
    struct report_df **dfs; /* what sent most bytes is first, from report_end on */
    size_t ndfs, dfs_room;

    unsigned group_size, ngroups;
    struct report_group *groups;
    uint64_t *bytes, *count; /* [from * ngroups + to] */
    double *waited;          /* ns: [who * ngroups + for whom] */
    double waits[REPORT_WAITS];

    unsigned nslices;
    double *slices; /* the share in calls: [group * nslices + slice] */
    double mean[REPORT_SLICES], most[REPORT_SLICES]; /* over nodes */
    double alone;       /* ns in which exactly one worker was in a call, of two at least */
    uint64_t *alone_of; /* per sub: its part of that, in ns; */
    uint64_t *alone_on; /* and per node */

    struct report_load *loads;
    size_t nloads, loads_room;
    uint64_t live[REPORT_POINTS], peak, left; /* bytes: at most, at the end */
    uint64_t left_count;

    struct report_move *moves; /* by time */
    size_t nmoves, moves_room;
    int32_t *owner;  /* per cell at the start; NULL: no cells */
    uint8_t *loads_of; /* [slice * cells + cell]: how busy calls for it kept a worker, of LEVELS;
                        * NULL: not told */
    uint64_t *steps; /* when steps of balancing ended */
    size_t nsteps, steps_room;
    uint64_t balancer; /* ns spent on it */

    struct report_path path;
    struct report_chain chain;
    struct report_finding findings[REPORT_FINDINGS]; /* best first */
    unsigned nfindings;
};

/* False: out of memory. */
bool report_init(struct report_run *r, struct arena *a, const struct trace_run *run);
void report_fini(struct report_run *r);
void report_add(void *who, unsigned node, const struct trace_event *e); /* a trace_event_fn */
/* All were added; `owner`: of each cell at the start, or NULL. False: out of memory. */
bool report_end(struct report_run *r, int32_t *owner);

/* All time of all workers. */
double report_all(const struct report_run *r);
/* Mean over busiest node; 1: even, or nobody had calls. */
double report_balance(const struct report_run *r);
/* Workers there are for each core that the run was given; 0: nobody knows. */
double report_crowd(const struct report_run *r);

/* ---- parts of report_end ---- */

struct report_by report_by_of(const struct report_run *r, const struct trace_by *by);
void report_number_sends(struct report_run *r);
/* The first value of this message; NULL: it is none, or has none that is known. */
const struct report_send *report_message(const struct report_run *r, struct report_by by);
/* The call that it goes back to. False: nobody knows. */
bool report_enabler(const struct report_run *r, struct report_by by, size_t *lane, size_t *call);
/* The last value that left for the node in (from, to], or NULL. */
const struct report_send *report_arrival(const struct report_run *r, unsigned node, uint64_t from,
                                         uint64_t to);
void report_waits(struct report_run *r);
void report_trace_path(struct report_run *r);
void report_find_chain(struct report_run *r);
void report_findings(struct report_run *r);

#endif
