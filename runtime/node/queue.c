/* queue.c - the slow halves: growing and stealing. */
#include "queue.h"

#include "runtime/base/pool.h"

#include <stdlib.h>
#include <string.h>

#ifdef QUEUE_TSAN
#define QUEUE_ACQUIRE memory_order_seq_cst
#else
#define QUEUE_ACQUIRE memory_order_acquire
#endif

enum { RING_FIRST = 256 };

void
fifo_fini(struct fifo *q)
{
    if (q->ring) pool_give(q->ring, (q->mask + 1) * sizeof *q->ring);
    *q = (struct fifo){0};
}

bool
fifo_grow(struct fifo *q)
{
    size_t room = q->ring ? (q->mask + 1) * 2 : RING_FIRST, n = q->tail - q->head;
    struct task **ring = pool_take(room * sizeof *ring);
    if (!ring) return false;
    for (size_t i = 0; i < n; i++) ring[i] = q->ring[(q->head + i) & q->mask];
    fifo_fini(q);
    *q = (struct fifo){.ring = ring, .tail = n, .mask = room - 1};
    return true;
}

static size_t
ring_bytes(long room)
{
    return sizeof(struct ring) + (size_t)room * sizeof(_Atomic(struct task *));
}

static struct ring *
ring_new(long room)
{
    struct ring *r = pool_take(ring_bytes(room));
    if (!r) return NULL;
    memset(r, 0, ring_bytes(room));
    r->mask = room - 1;
    return r;
}

bool
deque_init(struct deque *d)
{
    memset(d, 0, sizeof *d);
    struct ring *r = ring_new(RING_FIRST);
    atomic_init(&d->ring, r);
    return r != NULL;
}

void
deque_fini(struct deque *d)
{
    struct ring *r = atomic_load(&d->ring);
    for (struct ring *older; r; r = older) {
        older = r->older;
        pool_give(r, ring_bytes(r->mask + 1));
    }
    atomic_store(&d->ring, NULL);
}

bool
deque_grow(struct deque *d)
{
    long b = atomic_load_explicit(&d->bottom, memory_order_relaxed);
    struct ring *old = atomic_load_explicit(&d->ring, memory_order_relaxed);
    d->top_seen = atomic_load_explicit(&d->top, memory_order_acquire);
    if (b - d->top_seen < old->mask) return true; /* thieves have made room */
    struct ring *r = ring_new((old->mask + 1) * 2);
    if (!r) return false;
    for (long i = d->top_seen; i < b; i++)
        atomic_init(&r->item[i & r->mask],
                    atomic_load_explicit(&old->item[i & old->mask], memory_order_relaxed));
    r->older = old;
    atomic_store_explicit(&d->ring, r, memory_order_release);
    return true;
}

struct task *
deque_steal(struct deque *d)
{
    long t = atomic_load_explicit(&d->top, QUEUE_ACQUIRE);
    if (t >= atomic_load_explicit(&d->bottom, memory_order_acquire)) return NULL;
    queue_fence();
    long b = atomic_load_explicit(&d->bottom, QUEUE_ACQUIRE);
    if (t >= b) return NULL;
    struct ring *r = atomic_load_explicit(&d->ring, memory_order_acquire);
    struct task *item = atomic_load_explicit(&r->item[t & r->mask], memory_order_relaxed);
    return atomic_compare_exchange_strong(&d->top, &t, t + 1) ? item : NULL;
}
