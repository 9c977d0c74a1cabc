/* wait.c - the slow half of waiting. */
#include "collectives/group/wait.h"

#include "runtime/base/clock.h"
#include "runtime/base/spin.h"

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
    YIELD_NS = 1000000,   /* below the time slices of schedulers; not crowded */
    SLEEP_NS = 10000000,  /* then look around: deaths are seen about this late */
    SPINS_QUICK = 40,     /* about a microsecond */
    SPINS_A_LOOK = 16,    /* pauses between two looks at the clock */
    SPINS_A_CALL = 64,    /* and between two calls of what is to go on: a call takes some 10 */
    NAP_NS = 100000,      /* between two of these calls in a sleep, */
    NAP_MOST_NS = 1000000 /* and when there was nothing to do in a few of them */
};

/* `ns` since it was first asked; *since is 0 before. Waits that end at once need no clock. */
static bool
has_passed(uint64_t *since, uint64_t ns)
{
    uint64_t now = clock_ns();
    if (!*since) *since = now;
    return now - *since > ns;
}

enum outcome { WAITING, THERE, BROKEN };

/* Asks for the word first: what has come has come, also in a broken group. */
static inline enum outcome
check(struct wait_member *w, const struct wait *a)
{
    if (atomic_load_explicit(a->word, memory_order_acquire) >= a->least) return THERE;
    return atomic_load_explicit(&w->head->broken, memory_order_relaxed) ? BROKEN : WAITING;
}

/* Shared, not private: the other processes have the word at other addresses. */
static long
futex(_Atomic uint32_t *word, int call, uint32_t value, const struct timespec *timeout)
{
    return syscall(SYS_futex, (uint32_t *)word, call, value, timeout, NULL, 0);
}

void
wait_ring(struct wait_bell *b)
{
    atomic_fetch_add_explicit(&b->rings, 1, memory_order_seq_cst);
    futex(&b->rings, FUTEX_WAKE, INT_MAX, NULL);
}

static struct member *
member_of(const struct wait_member *w, int rank)
{
    return (struct member *)((char *)w->first + (size_t)rank * w->stride);
}

static bool
is_crowded(const struct wait_member *w)
{
    return atomic_load_explicit(&w->head->crowded, memory_order_relaxed);
}

void
wait_here(struct wait_member *w)
{
    int cpu = sched_getcpu();
    /* The others look at it often: it stays in their caches. */
    if (atomic_load_explicit(&w->self->cpu, memory_order_relaxed) != cpu)
        atomic_store_explicit(&w->self->cpu, cpu, memory_order_relaxed);
}

bool
wait_blocks(const struct wait_member *w, int member)
{
    int cpu = atomic_load_explicit(&member_of(w, member)->cpu, memory_order_relaxed);
    return cpu == sched_getcpu();
}

/* Most waits end here, unless members share cores: no line of the writer's but the one it is about
 * to write. */
static enum outcome
glance(struct wait_member *w, const struct wait *a)
{
    enum outcome o = WAITING;
    int looks = is_crowded(w) ? 0 : SPINS_QUICK;
    for (int i = 0; i < looks && (o = check(w, a)) == WAITING; i++) spin_relax();
    return o;
}

static enum outcome
spin(struct wait_member *w, const struct wait *a)
{
    uint64_t since = 0;
    for (int i = 0;; i++) {
        enum outcome o = check(w, a);
        if (o != WAITING) return o;
        if (i % SPINS_A_LOOK == 0 &&
            (wait_blocks(w, a->writer) ||
             has_passed(&since, is_crowded(w) ? CROWDED_NS : SPIN_NS)))
            return WAITING;
        if (i % SPINS_A_CALL == SPINS_A_CALL - 1) wait_progress(w);
        spin_relax();
    }
}

/* The members last seen on this core, at least 1. */
static int
sharers(const struct wait_member *w)
{
    int n = 0;
    for (int i = 0; i < w->size; i++) n += wait_blocks(w, i);
    return n ? n : 1;
}

/* Gives the core to others: about once to each of those here, if they keep the writer from
 * running. If it has not come by then, it does not get what is given. */
static enum outcome
yield(struct wait_member *w, const struct wait *a)
{
    bool crowded = is_crowded(w);
    int rounds = crowded || wait_blocks(w, a->writer) ? sharers(w) + 1 : INT_MAX;
    uint64_t since = 0;
    for (int i = 0; i < rounds; i++) {
        sched_yield();
        enum outcome o = check(w, a);
        if (o == WAITING) wait_progress(w);
        if (o == WAITING && crowded) o = spin(w, a);
        if (o != WAITING) return o;
        if (i % 4 == 0 && has_passed(&since, YIELD_NS)) break;
    }
    return WAITING;
}

/* True: nobody rang in time. */
static bool
nap(struct wait_member *w, const struct wait *a, uint64_t ns)
{
    struct timespec most = {.tv_nsec = (long)ns};
    struct wait_bell *b = &member_of(w, a->writer)->bell[a->bell];
    uint32_t rings = atomic_load_explicit(&b->rings, memory_order_seq_cst);
    /* Counted before the last look at the word: who publishes after it sees the count. */
    atomic_fetch_add_explicit(&b->sleepers, 1, memory_order_seq_cst);
    atomic_thread_fence(memory_order_seq_cst);
    bool late = check(w, a) == WAITING && futex(&b->rings, FUTEX_WAIT, rings, &most) &&
                errno == ETIMEDOUT;
    atomic_fetch_sub_explicit(&b->sleepers, 1, memory_order_relaxed);
    return late;
}

/* Who leaves the group has written all it ever will. (Or something else, which the first look
 * finds: of two reasons the first stays.) */
static void
look_around(struct wait_member *w, const struct wait *a)
{
    w->look(w->who);
    if (atomic_load(&member_of(w, a->writer)->gone) && check(w, a) == WAITING)
        wait_break(w, E_BROKEN);
}

static enum outcome
sleep_long(struct wait_member *w, const struct wait *a)
{
    uint64_t ns = w->progress ? NAP_NS : SLEEP_NS, slept = 0;
    enum outcome o = WAITING;
    while (o == WAITING) {
        bool late = nap(w, a, ns);
        if (late && (slept += ns) >= SLEEP_NS) {
            look_around(w, a);
            slept = 0;
        }
        /* After a bell for something else the word may be close. */
        o = late ? check(w, a) : spin(w, a);
        if (o != WAITING || !w->progress) continue;
        ns = wait_progress(w) ? NAP_NS : ns * 2 < NAP_MOST_NS ? ns * 2 : NAP_MOST_NS;
    }
    return o;
}

bool
wait_slowly(struct wait_member *w, const struct wait *a)
{
    enum outcome o = glance(w, a);
    if (o == WAITING) {
        wait_here(w);
        o = spin(w, a);
    }
    if (o == WAITING) o = yield(w, a);
    if (o == WAITING) o = sleep_long(w, a);
    return o == THERE;
}

void
wait_break(struct wait_member *w, enum err reason)
{
    uint32_t none = 0;
    atomic_compare_exchange_strong(&w->head->broken, &none, (uint32_t)reason);
    for (int i = 0; i < w->size; i++)
        for (int b = 0; b < BELLS; b++) wait_ring(&member_of(w, i)->bell[b]);
}
