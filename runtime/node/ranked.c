/* ranked.c - the heap of ranked.h, under its lock. */
#include "ranked.h"

#include "runtime/base/spin.h"

static void
unlock(struct ranked *r)
{
    atomic_store_explicit(&r->n, r->calls.n, memory_order_release);
    spin_unlock(&r->busy);
}

void
ranked_fini(struct ranked *r)
{
    aged_fini(&r->calls);
}

bool
ranked_push(struct ranked *r, struct task *t, double priority)
{
    spin_lock(&r->busy);
    bool ok = aged_push(&r->calls, t, priority, r->made++, false);
    unlock(r);
    return ok;
}

struct task *
ranked_pop(struct ranked *r, double least)
{
    if (ranked_empty(r)) return NULL;
    spin_lock(&r->busy);
    bool enough = r->calls.n && r->calls.item->priority >= least;
    struct task *t = enough ? aged_pop(&r->calls) : NULL;
    unlock(r);
    return t;
}

struct task *
ranked_last(struct ranked *r)
{
    if (ranked_empty(r)) return NULL;
    spin_lock(&r->busy);
    struct task *t = r->calls.n ? aged_take(&r->calls, r->calls.n - 1) : NULL;
    unlock(r);
    return t;
}
