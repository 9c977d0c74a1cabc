/* node_queues.c - ranges are put into queues; what only their maker sees is shown; who sleeps is
 * woken. It must not know statements: what becomes of a ready call is decided in exec_ready.c. */
#include "node.h"

#include "runtime/base/ticks.h"
#include "runtime/fault/fault.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    SLEEP_NS_MAX = 1000000,
    TURN_CHILDREN = 256, /* of ranges, in a turn */
    TURNS_AHEAD = 65536  /* calls that wait: more would be memory, also of conditions */
};

/* ---- waking ---- */

static void
futex(atomic_int *word, int op, int value, const struct timespec *timeout)
{
    syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, timeout, NULL, 0);
}

void
node_wake_sleeper(struct node *n)
{
    atomic_store_explicit(&n->offered, cpu_ticks(), memory_order_relaxed);
    atomic_fetch_add(&n->wake, 1);
    futex(&n->wake, FUTEX_WAKE, 1, NULL);
    if (n->nodes > 1) bell_ring(&n->bell);
}

void
node_wake_all(struct node *n)
{
    atomic_fetch_add(&n->wake, 1);
    futex(&n->wake, FUTEX_WAKE, n->nworkers, NULL);
}

void
node_sleep(struct node *n, int seen)
{
    struct timespec ts = {.tv_nsec = SLEEP_NS_MAX};
    futex(&n->wake, FUTEX_WAIT, seen, &ts);
}

/* ---- queues ---- */

/* Deep: the next turn of a while is a loop, like ranges, if its condition asks for nothing; else it
 * asks first, like a call that has come, unless very many wait. */
static bool
is_loop(const struct worker *w, const struct task *t)
{
    if (task_is_range(t)) return !(t->flags & RANGE_TURN);
    const struct luna_site *site = &w->node->program->sites[t->site];
    if (t->kind != TASK_START || site->kind != LUNA_S_TEST) return false;
    return !site->nin || node_waiting(w->node) > w->node->window + TURNS_AHEAD;
}

static bool
later_deep(struct worker *w, struct task *t)
{
    if (w->begins && task_is_range(t)) return fifo_push(&w->begun, t);
    if (!is_loop(w, t)) return fifo_push(&w->soon, t);
    if (w->hosts && task_is_range(t)) return fifo_push(&w->ranges_of[1], t);
    return fifo_push_first(&w->ranges_of[w->side], t);
}

/* In order: it may run before what was there. In the queue the body of a sub takes two turns, and
 * is marked for its first. */
static bool
later_in_order(struct worker *w, struct task *t)
{
    bool first = w->order == ORDER_STACK || (task_is_range(t) && w->order != ORDER_QUEUE);
    if (first) return fifo_push_first(&w->ranges_of[0], t);
    return fifo_push(&w->fifo, task_is_range(t) && t->flags & RANGE_INSIDE ? fifo_marked(t) : t);
}

static __attribute__((noinline)) void
later_few(struct worker *w, struct task *t)
{
    if (!(w->deep ? later_deep(w, t) : later_in_order(w, t))) fault_nomem();
}

/* The n oldest of those kept. */
static __attribute__((noinline)) void
show_oldest(struct worker *w, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (!deque_push(&w->ranges, w->kept[i])) fault_nomem();
    w->nkept -= n;
    memmove(w->kept, w->kept + n, w->nkept * sizeof *w->kept);
}

void
worker_shows(struct worker *w)
{
    if (w->nkept) show_oldest(w, w->nkept);
}

/* No loop, nor a turn of one: it is begun whatever a window says, since other nodes wait for it. */
static inline bool
has_come(const struct node *n, const struct task *t)
{
    return !task_is_range(t) && n->program->sites[t->site].kind != LUNA_S_TEST;
}

/* While all workers have work, the newest ranges stay where only their maker sees them: it takes
 * most of them back at once. The oldest of all is there for whoever has no work next: if that were
 * shown a loop only when its maker starts the next iteration, both would begin it at the same time,
 * and nearly all calls would wait. Nobody else touches what is kept while cells move: so not then.
 */
static inline void
later_many(struct worker *w, struct task *t)
{
    const struct node *n = w->node;
    if (n->nodes > 1 && has_come(n, t)) {
        if (!deque_push(&w->came, t)) fault_nomem();
        node_wake_one(w->node);
        return;
    }
    if (w->nkept == WORKER_KEEPS) show_oldest(w, WORKER_KEEPS / 2);
    w->kept[w->nkept++] = t;
    if (deque_empty(&w->ranges)) show_oldest(w, 1);
    if (!n->gated && !atomic_load_explicit(&n->idle, memory_order_relaxed)) return;
    worker_shows(w);
    node_wake_one(w->node);
}

struct task *
worker_pop_range(struct worker *w)
{
    return w->nkept ? w->kept[--w->nkept] : deque_pop(&w->ranges);
}

void
worker_later(struct worker *w, struct task *t)
{
    assert(t->kind > TASK_READY);
    if (w->many) later_many(w, t);
    else later_few(w, t);
}

void
worker_offers(struct worker *w)
{
    worker_shows(w);
    if (w->hand) {
        frame_retain(w->hand->head.frame);
        if (!deque_push(&w->ranges, &w->hand->head)) fault_nomem();
        w->hand = NULL;
    }
    queue_fence();
    if (!deque_empty(&w->ranges) || worker_has_calls(w) || !ranked_empty(&w->node->ranked))
        node_wake_one(w->node);
}

void
worker_took(struct worker *w, struct worker *from)
{
    w->steals++;
    if (!deque_empty(&from->ranges) || worker_has_calls(from)) node_wake_one(w->node);
}

void
worker_from_afar(struct worker *w, struct task *t)
{
    if (!w->deep) worker_later(w, t);
    else if (!fifo_push(&w->soon, t)) fault_nomem(); /* behind statements that came before it */
}

/* ---- what is in them ---- */

bool
worker_has_turns(const struct worker *w)
{
    return !fifo_empty(&w->fifo) || !fifo_empty(&w->soon) || w->aged.n ||
           (worker_has_ranges(w) && !worker_should_pause(w));
}

bool
node_has_ranges(const struct node *n)
{
    if (n->nworkers == 1) return worker_has_ranges(&n->workers[0]);
    for (int i = 0; i < n->nworkers; i++)
        if (worker_has_loops(&n->workers[i])) return true;
    return false;
}

#ifndef NDEBUG
bool
node_is_at_rest(struct node *n, bool ended)
{
    if (n->nworkers == 1) {
        struct worker *w = &n->workers[0];
        return !worker_has_turns(w) && !(ended && worker_has_ranges(w));
    }
    if (!ranked_empty(&n->ranked)) return false;
    for (int i = 0; i < n->nworkers; i++) {
        struct worker *w = &n->workers[i];
        if (worker_has_calls(w)) return false;
        if ((ended || n->nodes == 1) && worker_has_loops(w)) return false;
        /* Their owners write these without locks: they can be read when all have ended. */
        if (ended && (w->next || w->hand || w->child || w->nkept)) return false;
    }
    return true;
}
#endif

long
node_waiting(const struct node *n)
{
    long sum = 0;
    for (int i = 0; i < n->nworkers; i++)
        sum += atomic_load_explicit(&n->workers[i].waiting, memory_order_relaxed);
    return sum;
}

struct range *
worker_goes_on(struct worker *w, int n)
{
    if (!w->nkept || n + w->went_on > TURN_CHILDREN || w->next || w->node->nodes > 1 ||
        w->node->gated || worker_has_calls(w) || !task_is_range(w->kept[w->nkept - 1]) ||
        !worker_few_wait(w))
        return NULL;
    w->went_on++;
    return (struct range *)w->kept[--w->nkept];
}
