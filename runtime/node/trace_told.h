/* trace_told.h - what happened, as those who write lines or records, and who read records, hand it
 * on. Texts and indices are lent. */
#ifndef LUNA_RUNTIME_TRACE_TOLD_H
#define LUNA_RUNTIME_TRACE_TOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TOLD_MESSAGE = -1, TOLD_UNKNOWN = -2 };
#define TOLD_NO_CELL UINT32_MAX

struct told_by {
    uint64_t k;
    int32_t node;
    int32_t by; /* the worker, or one of both */
};

struct told_name { /* step[3][1]: a site, or a declaration, and the indices behind its name */
    uint32_t number, line, n;
    const char *base;
    const int32_t *ix;
};

struct told_text {
    const char *text;
    size_t size;
};

struct told_call {
    struct told_name name;
    uint64_t t, dur, ready;
    uint64_t chain; /* not less than `dur` */
    uint32_t worker;
    uint32_t cell; /* TOLD_NO_CELL: none */
    bool waited;   /* else there are no `ready` and no `by` */
    struct told_by by;
    struct told_text values; /* ,"in":... */
};

struct told_send {
    struct told_name name;
    uint64_t t, to, bytes, dist;
    uint64_t why; /* enum trace_why */
    uint64_t k;   /* 0: it has no number */
    bool part;
    uint64_t part_from, part_count;
    struct told_by by;
    struct told_text values; /* ,"value":... */
};

struct told_recv {
    uint64_t t, from, k;
};

#endif
