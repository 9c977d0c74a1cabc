/* trace_parts.h - what the files of trace share. */
#ifndef LUNA_RUNTIME_TRACE_PARTS_H
#define LUNA_RUNTIME_TRACE_PARTS_H

#include "runtime/base/buf.h"
#include "runtime/node/trace.h"
#include "runtime/node/trace_binary.h"
#include "runtime/node/trace_line.h"

struct trace_worker {
    struct trace_front front;
    struct trace_node *node;
    struct trace_buffer lines;
    struct trace_records records; /* binary: what is in them */
    struct buf values;     /* of the call that is told: what it read and assigned */
    struct task_cause now; /* if not by_call: why it does it; since when, 0: not yet asked */
    uint64_t mark;         /* of the message that is being made; 0: none */
    atomic_uint_fast64_t active; /* ns at work, */
    atomic_uint_fast64_t since;  /* and since then, if it is not 0, */
    atomic_uint_fast64_t in_calls; /* ns of exec lines */
};

struct trace_node {
    struct trace_node *next;
    struct node *node;
    struct trace_worker *workers;
    atomic_uint_fast64_t next_load, ctl_msgs, ctl_bytes, messages;
    atomic_uint_fast32_t told; /* lines of its own */
    uint64_t walks, walked; /* of messages for cells, when the last step was told */
    struct live *live;
    char *path;
};

/* What is traced, and how; from trace_open on. */
struct trace_setup {
    const struct luna_program *program;
    struct trace_options o;
    uint64_t epoch;
};
extern struct trace_setup trace_setup;

/* The worker that has begun last on this thread: what is freed here is freed at its time. */
extern _Thread_local struct worker *trace_here;

uint64_t trace_now_slowly(struct worker *w);

static inline uint64_t
trace_now_of(struct worker *w)
{
    uint64_t ns;
    if (__builtin_expect(!trace_setup.o.sim && quick_try(&ns), 1)) return ns - trace_setup.epoch;
    return trace_now_slowly(w);
}

/* A line that the node tells, not one of its workers, behind TRACE_BLOCK_HEAD bytes of room. */
void trace_node_append(struct trace_node *tn, char *line, size_t size);

/* ---- fragments (trace_df.c) ---- */

/* From now on those of the node are counted. False: no memory. */
bool trace_df_begin(struct trace_node *tn);
/* The run ends; then the lines of each node, and nobody asks any more. */
void trace_df_ends(struct trace_node *nodes, uint64_t now);
void trace_df_lines(struct trace_node *tn, uint64_t now);
void trace_df_close(void);

/* ---- causes (trace_cause.c) ---- */

/* A call that has ended `now` is told: what it causes from now on is its doing. */
static inline void
trace_cause_call(struct worker *w, uint64_t now)
{
    w->trace->front.by_call = true;
    w->trace->front.ended = now;
}
struct task_cause trace_cause_now(const struct worker *w);
/* The message that is being made will carry this number, and a value if `value`. */
uint64_t trace_cause_number(struct worker *w, bool value);
struct told_by trace_cause_told(struct task_cause c);
void trace_cause_recv(struct worker *w, const struct told_recv *r);

#endif
