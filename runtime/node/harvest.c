/* harvest.c - the queue of harvest.h, under its lock; and when to look. */
#include "harvest.h"

#include "runtime/base/spin.h"

enum {
    GAP_FIRST = 128, /* calls between two looks, */
    GAP_MOST = 4096 /* and after many that found few: each costs as much as some short calls */
};

static void
unlock(struct harvest *h)
{
    atomic_store_explicit(&h->n, h->loops.tail - h->loops.head, memory_order_release);
    spin_unlock(&h->busy);
}

void
harvest_fini(struct harvest *h)
{
    fifo_fini(&h->loops);
}

bool
harvest_push(struct harvest *h, struct task *loop, bool last)
{
    spin_lock(&h->busy);
    bool ok = last ? fifo_push(&h->loops, loop) : fifo_push_first(&h->loops, loop);
    unlock(h);
    return ok;
}

struct task *
harvest_pop(struct harvest *h, bool last)
{
    if (!harvest_loops(h)) return NULL;
    spin_lock(&h->busy);
    struct task *t = last ? fifo_pop_last(&h->loops) : fifo_pop(&h->loops);
    unlock(h);
    return t;
}

void
harvest_looked(struct harvest *h, uint64_t found, uint64_t calls)
{
    uint64_t gap = found > HARVEST_FEW || !h->gap ? GAP_FIRST : 2 * h->gap;
    h->gap = gap > GAP_MOST ? GAP_MOST : gap;
    h->at = calls + h->gap;
}
