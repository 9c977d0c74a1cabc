/* trace_binary.h - what happened as a record (trace_block.h), of less than TRACE_LINE_ROOM bytes
 * and those of its values. It begins and ends no lines of a buffer. */
#ifndef LUNA_RUNTIME_TRACE_BINARY_H
#define LUNA_RUNTIME_TRACE_BINARY_H

#include "runtime/node/trace_line.h"
#include "runtime/node/trace_told.h"

struct trace_last { /* the record before of a name */
    unsigned block; /* it was told in that one */
    unsigned usual; /* the same, of a site whose calls trace_exec_line may tell in the short way */
    uint32_t n, room, cell;
    int32_t ix[];
};

struct trace_names { /* by their numbers */
    struct trace_last **last;
    uint32_t n;
};

struct trace_records { /* of a worker: what the next one is the difference from */
    struct trace_names sites, dfs;
    unsigned block; /* that this is about, counted from 1 */
    uint32_t worker;
    uint64_t t, sent, call, message; /* a time, and numbers */
    uint64_t reads; /* the chain of a call without the call */
};

bool trace_binary_init(struct trace_records *r, uint32_t worker, uint32_t nsites, uint32_t ndfs);
void trace_binary_fini(struct trace_records *r);

/* They leave when there is no memory. */
char *trace_binary_name(char *at, struct trace_records *r, struct trace_names *names,
                        const struct told_name *name);
void trace_binary_send(struct trace_line *l, struct trace_records *r, const struct told_send *s);
void trace_binary_recv(struct trace_line *l, struct trace_records *r, const struct told_recv *v);

/* Between both a line of JSON is printed. */
void trace_binary_text(struct trace_line *l);
void trace_binary_text_end(struct trace_line *l);

#endif
