/* harvest.h - loops over elements of reductions, of which many were still to come.
 *
 * Of a node with many workers. Such loops stand aside, not among those that make elements: who has
 * nothing else to do walks them, and waits for what is missing. Meanwhile each worker looks at its
 * own from time to time and takes what has come, from where a loop stands as far as elements are
 * there (decision 0050). Else a sum of many values would find them all in memory when the last has
 * come, and begin then.
 *
 * Workers make elements from several places on. So a worker without such a loop takes another's,
 * and a loop that was looked at in vain is halved. */
#ifndef LUNA_RUNTIME_HARVEST_H
#define LUNA_RUNTIME_HARVEST_H

#include "runtime/node/queue.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    HARVEST_LOOKS = 2,   /* a worker looks at so many loops at a time; */
    HARVEST_PARTS = 4,   /* so many of its own are not halved; */
    HARVEST_FEW = 16,    /* so many elements are few, */
    HARVEST_MOST = 4096  /* and so many are enough for a while */
};

/* Of a worker; zeroed: empty. */
struct harvest {
    _Alignas(128) atomic_flag busy;
    atomic_size_t n; /* for who looks without the lock */
    struct fifo loops;
    /* Its own: when it looks next, by the calls that it has run, */
    uint64_t at, gap;
    bool looks;     /* and whether it does; */
    uint64_t found; /* elements that had come, of the loop at hand */
};

static inline size_t
harvest_loops(const struct harvest *h)
{
    return atomic_load_explicit(&h->n, memory_order_acquire);
}

void         harvest_fini(struct harvest *h);
bool         harvest_push(struct harvest *h, struct task *loop, bool last); /* false: no memory */
struct task *harvest_pop(struct harvest *h, bool last);                     /* NULL: empty */
/* A look is over that found so many. The next one is later after one that found few. */
void         harvest_looked(struct harvest *h, uint64_t found, uint64_t calls);

#endif
