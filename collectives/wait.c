/* wait.c - the slow half of waiting. */
#include "collectives/wait.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    SPIN_NS = 50000,      /* longer than any step of a small message takes */
    CROWDED_NS = 3000,    /* about two switches between processes */
    YIELD_NS = 1000000,   /* below the time slices of schedulers */
    SLEEP_NS = 10000000,  /* then look around: deaths are seen about this late */
    SPINS_A_LOOK = 16     /* pauses between two looks at the clock */
};

static uint64_t
now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

enum outcome { WAITING, THERE, BROKEN };

/* Asks for the word first: what has come has come, also in a broken group. */
static inline enum outcome
check(struct waiter *w, _Atomic uint64_t *word, uint64_t least)
{
    if (atomic_load_explicit(word, memory_order_acquire) >= least) return THERE;
    return atomic_load_explicit(&w->head->broken, memory_order_relaxed) ? BROKEN : WAITING;
}

/* Shared, not private: the other processes have the word at other addresses. */
static long
futex(_Atomic uint32_t *word, int call, uint32_t value, const struct timespec *timeout)
{
    return syscall(SYS_futex, (uint32_t *)word, call, value, timeout, NULL, 0);
}

void
wait_ring(struct head *head)
{
    atomic_fetch_add_explicit(&head->bell, 1, memory_order_seq_cst);
    futex(&head->bell, FUTEX_WAKE, INT_MAX, NULL);
}

static struct member *
member_of(const struct waiter *w, int rank)
{
    return (struct member *)((char *)w->first + (size_t)rank * w->stride);
}

static bool
is_crowded(const struct waiter *w)
{
    return atomic_load_explicit(&w->head->crowded, memory_order_relaxed);
}

void
wait_here(struct waiter *w)
{
    atomic_store_explicit(&w->self->cpu, sched_getcpu(), memory_order_relaxed);
}

bool
wait_blocks(const struct waiter *w, int member)
{
    int cpu = atomic_load_explicit(&member_of(w, member)->cpu, memory_order_relaxed);
    return cpu == sched_getcpu();
}

static enum outcome
spin(struct waiter *w, _Atomic uint64_t *word, uint64_t least, int writer)
{
    uint64_t until = now_ns() + (is_crowded(w) ? CROWDED_NS : SPIN_NS);
    for (int i = 0;; i++) {
        enum outcome o = check(w, word, least);
        if (o != WAITING) return o;
        if (i % SPINS_A_LOOK == 0 && (wait_blocks(w, writer) || now_ns() > until)) return WAITING;
        wait_pause();
    }
}

/* Gives the core to others, to the writer above all. */
static enum outcome
yield(struct waiter *w, _Atomic uint64_t *word, uint64_t least, int writer)
{
    uint64_t until = 0;
    for (int i = 0;; i++) {
        sched_yield();
        enum outcome o = check(w, word, least);
        if (o == WAITING && is_crowded(w)) o = spin(w, word, least, writer);
        if (o != WAITING) return o;
        if (i % 4) continue;
        uint64_t now = now_ns();
        if (!until) until = now + YIELD_NS;
        if (now > until) return WAITING;
    }
}

static enum outcome
sleep_once(struct waiter *w, _Atomic uint64_t *word, uint64_t least)
{
    struct timespec most = {.tv_nsec = SLEEP_NS};
    struct head *head = w->head;
    uint32_t bell = atomic_load_explicit(&head->bell, memory_order_seq_cst);
    /* Counted before the last look at the word: who publishes after it sees the count. */
    atomic_fetch_add_explicit(&head->sleepers, 1, memory_order_seq_cst);
    atomic_thread_fence(memory_order_seq_cst);
    enum outcome o = check(w, word, least);
    bool late = o == WAITING && futex(&head->bell, FUTEX_WAIT, bell, &most) && errno == ETIMEDOUT;
    atomic_fetch_sub_explicit(&head->sleepers, 1, memory_order_relaxed);
    if (late) w->look(w->who);
    return o == WAITING ? check(w, word, least) : o;
}

bool
wait_slowly(struct waiter *w, _Atomic uint64_t *word, uint64_t least, int writer)
{
    wait_here(w);
    enum outcome o = spin(w, word, least, writer);
    if (o == WAITING) o = yield(w, word, least, writer);
    while (o == WAITING) {
        o = sleep_once(w, word, least);
        /* After a bell for somebody else the word may be close. */
        for (int i = 0; i < 4 && o == WAITING; i++) {
            sched_yield();
            o = check(w, word, least);
        }
    }
    return o == THERE;
}

void
wait_break(struct head *head, enum err reason)
{
    uint32_t none = 0;
    atomic_compare_exchange_strong(&head->broken, &none, (uint32_t)reason);
    wait_ring(head);
}
