/* trace_read.h - the files of a trace, read strictly: a line that is not as docs/traces.md says is
 * told with its file and number, and the trace is refused.
 *
 * Fields may stand in any order, and unknown ones are skipped: a later version may add some. Cells
 * are told by their indices in the files, by their numbers (distrib/lattice.h) here. */
#ifndef LUNA_APPS_TRACE_READ_H
#define LUNA_APPS_TRACE_READ_H

#include "distrib/lattice.h"
#include "runtime/base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_words {
    const char **at;
    size_t n;
};

struct trace_run { /* run.json */
    const char *program, *transport, *end;
    const char *distributor;           /* NULL: not told, and so are */
    const char *version, *hash, *start;
    const char *format;                /* text or binary */
    bool binary;
    struct trace_words command, hosts; /* without words: not told */
    bool has_seed;
    uint64_t seed, cores;              /* no cores: not told */
    struct lattice cells, lattice; /* without dimensions: the run had none */
    uint64_t nodes, workers, exit_code, duration; /* ns */
};

enum trace_ev {
    TRACE_EV_SEND,
    TRACE_EV_RECV,
    TRACE_EV_LOAD,
    TRACE_EV_MOVE,
    TRACE_EV_EXEC,
    TRACE_EV_OWN,
    TRACE_EV_DF,
    TRACE_EV_WORKER,
    TRACE_EV_END
};
enum trace_kind {
    TRACE_KIND_REPLY,
    TRACE_KIND_PUSH,
    TRACE_KIND_MIGRATE,
    TRACE_KIND_COLLECTIVE,
    TRACE_KINDS
};
extern const char *const trace_kind_text[TRACE_KINDS];

/* What has brought the last input of a call, or a value that is sent: the k-th call of a worker of
 * this node, or the k-th message of a node; both count from 1. */
struct trace_by {
    enum { TRACE_BY_NOBODY, TRACE_BY_CALL, TRACE_BY_MESSAGE } what;
    uint64_t node, worker, k;
};

struct trace_event { /* texts are lent for the call; what an event lacks is 0 */
    enum trace_ev ev;
    enum trace_kind kind; /* of a send */
    const char *df, *cf;
    uint64_t t, to, bytes, dist, count, step, line, worker, dur, ctl_msgs, ctl_bytes, idle;
    uint64_t chain;      /* of an exec: the longest of what it needs, and itself */
    uint64_t ready;      /* of an exec that has waited, since when it could run */
    uint64_t from, k;    /* of a recv: whose message; of both: which message it was, 0: not told */
    struct trace_by by;  /* of an exec and a send */
    uint64_t balancer, walks, hops, farthest; /* of a load that has a step */
    bool has_idle;
    uint64_t calls, in_calls, runtime, wasted, steals, naps; /* of a worker, with idle */
    uint64_t on, off; /* of its thread */
    uint64_t spin, sleep; /* parts of idle */
    uint64_t lines; /* of an end: how many its file has; 0: not told */
    uint64_t made, biggest, peak, values, life, longest, unread, left; /* of a df, with bytes */
    uint32_t cell;         /* of a move; of an exec, if it has one */
    bool has_cell;
    uint64_t cells;        /* of a load: how many; of an own: of `owned` */
    const uint32_t *owned; /* lent, as the texts */
};

struct record;

/* All: false: it is damaged or not there, and that was said. When the system is at fault that
 * is said, too, and they jump (arena_jump). */
bool trace_is_folder(const char *dir); /* NULL: none was given */
bool trace_read_run(struct arena *a, const char *dir, struct trace_run *out);
/* Calls fn for every event of the node, in the order of the file. */
typedef void trace_event_fn(void *who, unsigned node, const struct trace_event *e);
bool trace_read_node(struct arena *a, const char *dir, const struct trace_run *run, unsigned node,
                     trace_event_fn *fn, void *who);
/* The same for the records of a binary trace, as they are, before each event. */
typedef void trace_record_fn(void *who, const struct record *r);
bool trace_read_records(struct arena *a, const char *dir, const struct trace_run *run,
                        unsigned node, trace_record_fn *fn, void *who);

#endif
