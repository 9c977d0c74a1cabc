/* ranked.h - ready calls that have a priority, of a node with many workers: the highest on top, of
 * equals the one that was ready first.
 *
 * One heap a node: the rule orders what is ready on the node, whoever made it. Only programs that
 * have such rules pay for its lock. With one worker the heap is aged.h's alone. */
#ifndef LUNA_RUNTIME_RANKED_H
#define LUNA_RUNTIME_RANKED_H

#include "runtime/node/aged.h"

#include <stdatomic.h>

#define RANKED_ANY (-1.0 / 0.0)

struct ranked { /* zeroed: empty */
    _Alignas(128) atomic_flag busy;
    atomic_size_t n; /* for who looks without the lock */
    struct aged calls;
    uint32_t made;
};

static inline bool
ranked_empty(struct ranked *r)
{
    return !atomic_load_explicit(&r->n, memory_order_acquire);
}

void         ranked_fini(struct ranked *r);
bool         ranked_push(struct ranked *r, struct task *t, double priority); /* false: no memory */
struct task *ranked_pop(struct ranked *r, double least); /* NULL: none has so much */
struct task *ranked_last(struct ranked *r);              /* one of the lowest; NULL: empty */

#endif
