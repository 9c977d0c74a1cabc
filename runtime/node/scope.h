/* scope.h - activations that wait for the end of what was sent to other nodes.
 *
 * A statement or loop that goes to another node takes the handle of its scope along; when all of it
 * has ended there, the handle comes back by ENDED. A handle is good once and from one node
 * (for a call that looks for a cell: from any): one that was damaged on the way finds nothing.
 *
 *     free --lend (the activation gets a count)--> lent to node n --take, from n--> free
 *
 *     handle:  times its place was used << 32 | place + 1          0: no scope */
#ifndef LUNA_RUNTIME_SCOPE_H
#define LUNA_RUNTIME_SCOPE_H

#include "runtime/data/frame.h"

#include <pthread.h>

struct scope_slot {
    struct frame *frame; /* NULL: free */
    uint32_t used;       /* times */
    int32_t to;          /* the node it is lent to; free: the next free one, -1: none */
};

struct scopes { /* of one node; any worker may call */
    pthread_mutex_t lock;
    struct scope_slot *slot;
    uint32_t n, room;
    int32_t free;
};

void     scopes_init(struct scopes *s);
void     scopes_fini(struct scopes *s);
/* A call for a cell may be passed on: who will run it is not known when it leaves. */
enum { SCOPE_ANYWHERE = -2 };
/* Gives a handle and takes a count of `f` for it. 0: out of memory. */
uint64_t scope_lend(struct scopes *s, struct frame *f, int to);
/* The activation, with the count; NULL: node `from` holds no such handle. */
struct frame *scope_take(struct scopes *s, uint64_t handle, int from);
/* In builds with assertions: has another node a handle of it? How many handles are out? */
bool scope_is_lent(struct scopes *s, const struct frame *f);
long scope_count_lent(struct scopes *s);

#endif
