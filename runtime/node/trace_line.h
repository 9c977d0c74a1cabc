/* trace_line.h - lines of a trace, or records: put into a buffer for each worker, appended whole to
 * the file of its node. It knows no events.
 *
 * No stdio, for lines are many and short. The worker of a buffer prints; whoever leaves the process
 * flushes all of them. Records go to the file in blocks (trace_block.h). */
#ifndef LUNA_RUNTIME_TRACE_LINE_H
#define LUNA_RUNTIME_TRACE_LINE_H

#include "runtime/node/trace_block.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TRACE_LINE_ROOM = TRACE_NAME_ROOM + 1024
};

struct trace_buffer {
    const char *path; /* lent */
    char *data;
    size_t room, head; /* in front of records there is the head of a block; else 0 */
    uint32_t worker;
    unsigned blocks;   /* how many were written; of lines, too */
    atomic_uint_fast64_t lines; /* and how many these have */
    _Atomic uint64_t filled; /* bytes of whole lines, and the head; above 32 bits: lines */
    atomic_flag held;  /* data is being written or moved */
};

struct trace_line {
    struct trace_buffer *to;
    char *at, *start;
};

/* False: no memory. */
bool trace_buffer_init(struct trace_buffer *b, const char *path, bool records, uint32_t worker);
void trace_buffer_fini(struct trace_buffer *b);
void trace_flush(struct trace_buffer *b);

extern atomic_bool trace_line_leaving; /* the process is */
bool trace_line_make_room(struct trace_buffer *b, size_t bytes);

/* A line, and perhaps a text of so many bytes in it. False: the process is leaving, and another
 * thread writes what there is. */
static inline bool
trace_line_begin(struct trace_line *l, struct trace_buffer *b, size_t bytes)
{
    uint32_t used = (uint32_t)atomic_load_explicit(&b->filled, memory_order_relaxed);
    bytes += TRACE_LINE_ROOM;
    if (__builtin_expect(b->room - used < bytes, 0)) {
        if (!trace_line_make_room(b, bytes)) return false;
        used = (uint32_t)atomic_load_explicit(&b->filled, memory_order_relaxed);
    }
    if (atomic_load_explicit(&trace_line_leaving, memory_order_relaxed)) return false;
    *l = (struct trace_line){.to = b, .at = b->data + used, .start = b->data + used};
    return true;
}

static inline void
trace_line_end(struct trace_line *l)
{
    struct trace_buffer *b = l->to;
    uint64_t lines = (atomic_load_explicit(&b->filled, memory_order_relaxed) >> 32) + 1;
    uint64_t bytes = (uint64_t)(l->at - b->data);
    atomic_store_explicit(&b->filled, lines << 32 | bytes, memory_order_release);
}

void trace_text(struct trace_line *l, const char *s);
void trace_number(struct trace_line *l, const char *before, uint64_t v);
/* step[3][-1], of a room of TRACE_NAME_ROOM; what is longer ends in "...". */
void trace_name(struct trace_line *l, const char *base, const int32_t *ix, unsigned n);

/* ---- files: opened for each write, for a process may hold more nodes than open files ---- */
int  trace_file_put(const char *path, int flags, const char *text, size_t n); /* errno, or 0 */
/* Says what is wrong, once; from then on nothing is written. */
void trace_file_append(const char *path, const char *text, size_t n);
void trace_cannot_write(const char *path, int e, const char *hint);
bool trace_has_failed(void);
/* The process leaves now: no line is begun any more. */
void trace_stops(void);

#endif
