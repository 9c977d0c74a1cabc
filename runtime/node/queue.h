/* queue.h - the two queues of a worker.
 *
 * fifo    grows, one thread: the order of the original with one worker. Entries may be marked, in
 *         their lowest bit: then nobody has to look into what has left the caches.
 * deque   Chase and Lev's: the owner pushes and pops at the bottom, thieves take from the top. The
 *         ring grows; old rings stay until the end, since a thief may still read one.
 *
 * They must not know what a task does. Why ranges stand in the fifo whole: docs/decisions/0003. */
#ifndef LUNA_RUNTIME_QUEUE_H
#define LUNA_RUNTIME_QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__SANITIZE_THREAD__)
#define QUEUE_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define QUEUE_TSAN 1
#endif
#endif
/* The thread sanitizer does not know fences: there every access is seq_cst, which is as strong. */
#ifdef QUEUE_TSAN
#define queue_fence() ((void)0)
#define QUEUE_RELAXED memory_order_seq_cst
#else
#define queue_fence() atomic_thread_fence(memory_order_seq_cst)
#define QUEUE_RELAXED memory_order_relaxed
#endif

struct task;

struct fifo {
    struct task **ring;
    size_t head, tail, mask; /* tail - head items; ring is NULL while mask is 0 */
};

void fifo_fini(struct fifo *q);
bool fifo_grow(struct fifo *q); /* false: out of memory */

static inline bool
fifo_empty(const struct fifo *q)
{
    return q->head == q->tail;
}

static inline bool
fifo_push(struct fifo *q, struct task *t)
{
    if (q->tail - q->head >= q->mask && !fifo_grow(q)) return false;
    q->ring[q->tail++ & q->mask] = t;
    return true;
}

/* In front of all others. */
static inline bool
fifo_push_first(struct fifo *q, struct task *t)
{
    if (q->tail - q->head >= q->mask && !fifo_grow(q)) return false;
    if (!q->head) { /* the same places, by larger numbers */
        q->head += q->mask + 1;
        q->tail += q->mask + 1;
    }
    q->ring[--q->head & q->mask] = t;
    return true;
}

static inline struct task *
fifo_pop(struct fifo *q)
{
    return q->head == q->tail ? NULL : q->ring[q->head++ & q->mask];
}

static inline struct task *
fifo_pop_last(struct fifo *q)
{
    return q->head == q->tail ? NULL : q->ring[--q->tail & q->mask];
}

/* The entry that will come out k entries later; NULL: there are not so many. */
static inline struct task *
fifo_ahead(const struct fifo *q, size_t k)
{
    return q->tail - q->head > k ? q->ring[(q->head + k) & q->mask] : NULL;
}

static inline struct task *
fifo_marked(struct task *t)
{
    return (struct task *)((uintptr_t)t | 1);
}

static inline bool
fifo_is_marked(const struct task *t)
{
    return (uintptr_t)t & 1;
}

static inline struct task *
fifo_unmarked(struct task *t)
{
    return (struct task *)((uintptr_t)t & ~(uintptr_t)1);
}

struct ring {
    struct ring *older;
    long mask;
    _Atomic(struct task *) item[];
};

struct deque {
    _Alignas(128) atomic_long top;
    _Alignas(128) atomic_long bottom;
    long top_seen; /* the owner's last look at top: a bound, so that push need not read it */
    _Atomic(struct ring *) ring;
};

bool deque_init(struct deque *d);
void deque_fini(struct deque *d);
bool deque_grow(struct deque *d);

static inline bool
deque_empty(struct deque *d)
{
    /* Acquire: whoever finds it empty because of a theft also sees that the thief is not idle. */
    return atomic_load_explicit(&d->bottom, memory_order_acquire) <=
           atomic_load_explicit(&d->top, memory_order_acquire);
}

static inline bool
deque_push(struct deque *d, struct task *t)
{
    long b = atomic_load_explicit(&d->bottom, memory_order_relaxed);
    struct ring *r = atomic_load_explicit(&d->ring, memory_order_relaxed);
    if (b - d->top_seen >= r->mask) {
        if (!deque_grow(d)) return false;
        r = atomic_load_explicit(&d->ring, memory_order_relaxed);
    }
    atomic_store_explicit(&r->item[b & r->mask], t, memory_order_relaxed);
    atomic_store_explicit(&d->bottom, b + 1, memory_order_release);
    return true;
}

static inline struct task *
deque_pop(struct deque *d)
{
    long b = atomic_load_explicit(&d->bottom, QUEUE_RELAXED) - 1;
    /* Only the owner pushes and top only grows: an empty look needs no fence. */
    if (b < atomic_load_explicit(&d->top, QUEUE_RELAXED)) return NULL;
    struct ring *r = atomic_load_explicit(&d->ring, QUEUE_RELAXED);
    atomic_store_explicit(&d->bottom, b, QUEUE_RELAXED);
    queue_fence();
    long t = atomic_load_explicit(&d->top, QUEUE_RELAXED);
    struct task *item = NULL;
    if (t <= b) item = atomic_load_explicit(&r->item[b & r->mask], QUEUE_RELAXED);
    if (t < b) return item;
    if (t == b && !atomic_compare_exchange_strong(&d->top, &t, t + 1)) item = NULL;
    atomic_store_explicit(&d->bottom, b + 1, QUEUE_RELAXED);
    return item;
}

struct task *deque_steal(struct deque *d); /* NULL: empty, or another was faster */

#endif
