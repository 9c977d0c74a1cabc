/* node.c - workers and their turns, idleness, sleep. */
#include "node.h"

#include "runtime/base/mem.h"
#include "runtime/base/pool.h"
#include "runtime/base/ticks.h"
#include "runtime/exec.h"
#include "runtime/fault.h"
#include "runtime/past.h"
#include "runtime/rebalance.h"
#include "runtime/remote.h"
#include "runtime/steal.h"
#include "runtime/topo.h"
#include "runtime/trace.h"
#include "runtime/ucode/df.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
#define cpu_relax() _mm_pause()
#else
#define cpu_relax() ((void)0)
#endif

enum {
    NODE_SHIFT = 44,      /* identities: node number above, serial below */
    SERIAL_BLOCK = 1024,
    WINDOW = 64 << 10,    /* waiting calls a worker, hard */
    WINDOW_DEEP = 256,   /* the same where ranges go deep (node.h), at first */
    WINDOW_SOFT = 24,     /* the same while others have ready work: run or steal that first */
    SPIN_TURNS = 2000,    /* about 20-50 us of looking before a worker sleeps */
    SLEEP_NS_MAX = 1000000,
    POLL_TURNS = 16,      /* looks for packets every so many turns: lost in the noise */
    POLL_TICKS = 100000,  /* or so many ticks, some 30-50 us */
    TOGETHER_NS = 1000,   /* calls that take less are short */
    SHORT_CALLS = 16,     /* so many must have been short before others are taken to be, too */
    NODE_TURNS = 64,      /* of one node before its thread turns the next */
    QUIET_SPINS = 300,    /* rounds without work, some 30 us, before a thread yields, */
    QUIET_NAPS = 1000,    /* and before it naps; */
    CROWD_YIELDS = 40,    /* with more threads than cores it yields at once, and naps soon */
    NAP_NS_MIN = 50000,   /* the first naps; then each is longer by 1/16, */
    NAP_NS_MAX = 1000000  /* to here */
};

uint64_t
worker_new_id(struct worker *w)
{
    if (w->serial == w->serial_end) {
        uint64_t block = atomic_fetch_add_explicit(&w->node->serials, 1, memory_order_relaxed);
        /* Not 0: a report tells identities from counters by their size. */
        w->serial = ((uint64_t)w->node->number << NODE_SHIFT) + (1ull << 40) + block * SERIAL_BLOCK;
        w->serial_end = w->serial + SERIAL_BLOCK;
    }
    return w->serial++;
}

/* ---- waking ---- */

static void
futex(atomic_int *word, int op, int value, const struct timespec *timeout)
{
    syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, timeout, NULL, 0);
}

/* Called after something was pushed. A sleeper that is missed looks again within SLEEP_NS_MAX. */
static inline void
wake_one(struct node *n)
{
    if (!atomic_load_explicit(&n->sleepers, memory_order_relaxed)) return;
    atomic_fetch_add(&n->wake, 1);
    futex(&n->wake, FUTEX_WAKE, 1, NULL);
}

static void
wake_all(struct node *n)
{
    atomic_fetch_add(&n->wake, 1);
    futex(&n->wake, FUTEX_WAKE, n->nworkers, NULL);
}

/* ---- queues ---- */

void
worker_ready(struct worker *w, struct task *t)
{
    bool ok = true;
    if (!w->many) {
        ok = fifo_push(&w->fifo, t);
        w->nready++;
    } else if (!w->next) {
        w->next = t;
    } else {
        ok = deque_push(&w->ready, t);
        wake_one(w->node);
    }
    if (!ok) fault_nomem();
}

static inline bool
is_range(const struct task *t)
{
    return t->kind == TASK_RANGE || t->kind == TASK_BODY;
}

void
worker_later(struct worker *w, struct task *t)
{
    bool ok;
    if (w->many) ok = deque_push(&w->ranges, t);
    else if (w->deep && is_range(t)) ok = fifo_push_first(&w->ranges_of[w->side], t);
    else ok = fifo_push(&w->fifo, t);
    if (!ok) fault_nomem();
    if (w->many) wake_one(w->node);
}

void
worker_from_afar(struct worker *w, struct task *t)
{
    if (!w->deep) worker_later(w, t);
    else if (!fifo_push(&w->ranges_of[1], t)) fault_nomem();
}

bool
worker_has_ranges(const struct worker *w)
{
    return !fifo_empty(&w->paused) || !fifo_empty(&w->ranges_of[0]) ||
           !fifo_empty(&w->ranges_of[1]);
}

bool
worker_has_turns(const struct worker *w)
{
    return !fifo_empty(&w->fifo) || (worker_has_ranges(w) && !worker_should_pause(w));
}

/* ---- one worker ---- */

/* Takes the next entry; ranges that must pause are put aside, in order. */
static struct task *
fifo_next(struct worker *w)
{
    if (!fifo_empty(&w->paused) && !worker_should_pause(w)) return fifo_pop(&w->paused);
    struct task *t;
    while ((t = fifo_pop(&w->fifo)) && t->kind != TASK_READY && worker_should_pause(w))
        if (!fifo_push(&w->paused, t)) fault_nomem();
    return t;
}

/* Of several nodes: the newest range, of those begun here and of those sent by others in turn; if
 * ranges must pause, or there are none, the next call. Ranges stay paused also if nothing is ready:
 * what calls wait for comes from other nodes, mostly. Where it does not, all nodes are at rest some
 * day, and are told to go on (done.h). */
static struct task *
deep_next(struct worker *w)
{
    if (!worker_has_ranges(w) || worker_should_pause(w)) {
        w->side = 0;
        return fifo_pop(&w->fifo);
    }
    w->side = !fifo_empty(&w->ranges_of[!w->side]) ? !w->side : w->side;
    return fifo_pop(&w->ranges_of[w->side]);
}

static bool
turn_one(struct worker *w)
{
    struct task *t = w->deep ? deep_next(w) : fifo_next(w);
    if (!t) return false;
    if (t->kind == TASK_BODY && !w->deep) {
        t->kind = TASK_RANGE;
        worker_later(w, t);
    } else if (is_range(t)) {
        exec_range(w, (struct range *)t);
    } else {
        if (t->kind == TASK_READY) w->nready--;
        exec_task(w, t);
    }
    return true;
}

/* ---- standing still ---- */

void
node_still(struct worker *w)
{
    struct node *n = w->node;
    if (!n->gated) return;
    atomic_store(&n->still, true);
    for (int i = 0; i < n->nworkers; i++)
        while (&n->workers[i] != w && atomic_load(&n->workers[i].inside)) sched_yield();
}

void
node_go(struct worker *w)
{
    if (w->node->gated) atomic_store(&w->node->still, false);
}

void
worker_wait_outside(struct worker *w)
{
    while (atomic_load(&w->node->still)) {
        atomic_store(&w->inside, false);
        while (atomic_load(&w->node->still)) sched_yield();
        atomic_store(&w->inside, true);
    }
}

/* Between turns: somebody may wait for us to be outside. */
static inline void
worker_pass(struct worker *w)
{
    if (w->node->gated && atomic_load_explicit(&w->node->still, memory_order_relaxed))
        worker_wait_outside(w);
}

/* ---- packets ---- */

void
node_send(struct node *n, int to, struct packet *p)
{
    atomic_fetch_add_explicit(&n->sent, 1, memory_order_relaxed);
    trace_packet(n, p);
    n->net->ops->send(n->net, to, p);
}

/* While calls are short, what they leave to be sent travels together: it is late by a microsecond
 * at most, or by the first long call after many short ones. */
static bool
may_travel_together(struct node *n)
{
    if (n->nworkers > 1) return false;
    uint64_t now = n->net->ops->now_ns(n->net), since = now - n->called_ns;
    n->called_ns = now;
    n->short_calls = since < TOGETHER_NS ? n->short_calls + 1 : 0;
    if (n->short_calls > SHORT_CALLS && now - n->sent_off_ns < TOGETHER_NS) return true;
    n->sent_off_ns = now;
    return false;
}

void
node_send_off(struct node *n)
{
    if (!n->net->ops->flush || !n->net->ops->pending(n->net) || may_travel_together(n)) return;
    if (atomic_flag_test_and_set_explicit(&n->polling, memory_order_acquire)) return;
    n->net->ops->flush(n->net);
    atomic_flag_clear_explicit(&n->polling, memory_order_release);
}

void
node_stop(struct node *n)
{
    atomic_store(&n->stop, true);
    wake_all(n);
}

static bool
is_work(uint32_t kind)
{
    return (kind & ~MSG_ROUTED) < MSG_PROBE;
}

static inline bool
may_have_come(const struct node *n)
{
    return n->nodes > 1 && (n->net->must_poll || n->net->ops->pending(n->net));
}

static void
handle_all(struct worker *w, struct packet *p)
{
    for (struct packet *next; p; p = next) {
        next = p->next;
        if (is_work(p->kind))
            atomic_fetch_add_explicit(&w->node->received, 1, memory_order_relaxed);
        remote_handle(w, p);
    }
}

/* Handles what has come. True: there was something. One worker at a time; others go on working. */
static bool
node_poll(struct worker *w)
{
    struct node *n = w->node;
    if (!may_have_come(n)) return false;
    if (atomic_flag_test_and_set_explicit(&n->polling, memory_order_acquire)) return false;
    struct packet *p = n->net->ops->poll(n->net);
    bool any = p != NULL;
    handle_all(w, p);
    atomic_flag_clear_explicit(&n->polling, memory_order_release);
    return any;
}

static void
balance_sometimes(struct worker *w)
{
    struct node *n = w->node;
    if (!rebalance_due(w) || atomic_flag_test_and_set_explicit(&n->polling, memory_order_acquire))
        return;
    if (rebalance_due(w)) rebalance_begin(w);
    atomic_flag_clear_explicit(&n->polling, memory_order_release);
}

/* After some turns, or when the last ones took long. */
static inline void
poll_sometimes(struct worker *w)
{
    struct node *n = w->node;
    if (n->nodes == 1) return;
    uint64_t now = cpu_ticks();
    if (++w->turns < (n->steals ? 1 : POLL_TURNS) && now - w->polled < POLL_TICKS) return;
    w->turns = 0;
    w->polled = now;
    node_poll(w);
    steal_feed(w);
    if (n->balance) balance_sometimes(w);
}

/* All workers of this node were found idle, after `departures` of them from that state. */
static bool
still_idle(struct node *n, unsigned departures)
{
    return n->nworkers == 1 || (atomic_load(&n->idle) == n->nworkers &&
                                atomic_load(&n->departures) == departures);
}

/* Nothing is left to do on this node for now. Who polls may wake it: so look once more under the
 * flag. */
static void
node_rests(struct worker *w, unsigned departures)
{
    struct node *n = w->node;
    if (n->nodes == 1) {
        node_stop(n);
        return;
    }
    if (atomic_flag_test_and_set_explicit(&n->polling, memory_order_acquire)) return;
    if (!n->net->ops->pending(n->net) && still_idle(n, departures)) {
        if (n->steals) steal_ask(w);
        done_at_rest(w);
    }
    atomic_flag_clear_explicit(&n->polling, memory_order_release);
}

/* Without work since so many looks. Nobody is woken by a packet, so who waits looks again and
 * again; but a nap is about 1/16 of the time waited so far, so that a message is late by a small
 * part only, and those who wait for long leave the cores to others. */
struct quiet {
    unsigned looks;
    long nap_ns;
};

static void
nap(struct quiet *q)
{
    struct timespec ts = {.tv_nsec = q->nap_ns};
    nanosleep(&ts, NULL);
    q->nap_ns += q->nap_ns / 16;
    if (q->nap_ns > NAP_NS_MAX) q->nap_ns = NAP_NS_MAX;
}

static inline struct quiet
quiet_begin(void)
{
    return (struct quiet){0, NAP_NS_MIN};
}

/* ---- one worker a node: a thread turns several nodes ---- */

struct turner {
    struct node **nodes;
    int n, first, step; /* turns nodes first, first + step, ... */
};

/* Some turns of one node; true: it did something. */
static bool
node_turns(struct node *n)
{
    struct worker *w = &n->workers[0];
    uint64_t began = trace_begin(w);
    bool any = node_poll(w);
    running.df = w->df;
    for (int k = 0; k < NODE_TURNS && turn_one(w); k++) {
        any = true;
        poll_sometimes(w);
    }
    if (any) trace_worked(w, began);
    else trace_tick(w);
    if (!any) node_rests(w, 0);
    return any;
}

/* In this round no node had anything to do. */
static void
turner_waits(struct quiet *q)
{
    bool crowd = topo_oversubscribed();
    if (++q->looks > (crowd ? CROWD_YIELDS : QUIET_NAPS)) nap(q);
    else if (crowd || q->looks > QUIET_SPINS) sched_yield();
    else cpu_relax();
}

static void
turner_run(const struct turner *t)
{
    for (struct quiet q = quiet_begin();;) {
        bool any = false, left = false;
        for (int i = t->first; i < t->n; i += t->step) {
            if (atomic_load_explicit(&t->nodes[i]->stop, memory_order_relaxed)) continue;
            left = true;
            any |= node_turns(t->nodes[i]);
        }
        if (!left) return;
        if (any) q = quiet_begin();
        else turner_waits(&q);
    }
}

static void
run_alone(struct node *n)
{
    running.df = n->workers[0].df;
    uint64_t began = trace_begin(&n->workers[0]);
    while (turn_one(&n->workers[0])) continue;
    trace_worked(&n->workers[0], began);
}

/* ---- many workers ---- */

static long
node_waiting(const struct node *n)
{
    long sum = 0;
    for (int i = 0; i < n->nworkers; i++)
        sum += atomic_load_explicit(&n->workers[i].waiting, memory_order_relaxed);
    return sum;
}

static inline bool
may_unroll(const struct node *n)
{
    return node_waiting(n) < (long)WINDOW_SOFT * n->nworkers;
}

static void
run_entry(struct worker *w, struct task *t)
{
    if (t->kind == TASK_RANGE || t->kind == TASK_BODY) exec_range(w, (struct range *)t);
    else exec_task(w, t);
    while (w->next) {
        t = w->next;
        w->next = NULL;
        exec_task(w, t);
    }
}

static struct task *
steal_from(struct worker *w, bool ranges)
{
    struct node *n = w->node;
    struct task *t = NULL;
    for (int k = 1; k < n->nworkers && !t; k++) {
        struct worker *v = &n->workers[(w->number + k) % n->nworkers];
        t = deque_steal(ranges ? &v->ranges : &v->ready);
    }
    if (t) w->steals++;
    return t;
}

/* What a worker does while it has work or finds some at once. */
static bool
turn_many(struct worker *w)
{
    poll_sometimes(w);
    struct task *t = w->next; /* a packet may have made one ready */
    w->next = NULL;
    if (!t) t = deque_pop(&w->ready);
    if (!t && may_unroll(w->node)) t = deque_pop(&w->ranges);
    if (!t) t = steal_from(w, false);
    if (t) run_entry(w, t);
    return t != NULL;
}

struct look { /* around, while idle */
    bool ready, ranges;
};

static struct look
look_around(struct node *n)
{
    struct look l = {false, false};
    for (int k = 0; k < n->nworkers; k++) {
        l.ready |= !deque_empty(&n->workers[k].ready);
        l.ranges |= !deque_empty(&n->workers[k].ranges);
    }
    return l;
}

/* All are idle and every loop has paused: one goes on, that of the lowest worker that has one, so
 * that not each lets its own run ahead. */
static bool
is_first_with_range(struct worker *w)
{
    for (int k = 0; k < w->number; k++)
        if (!deque_empty(&w->node->workers[k].ranges)) return false;
    return !deque_empty(&w->ranges);
}

static void
idle_wait(struct worker *w, struct quiet *q)
{
    struct node *n = w->node;
    if (++q->looks < SPIN_TURNS && !topo_oversubscribed()) {
        for (int i = 0; i < 8; i++) cpu_relax();
        return;
    }
    if (q->looks < SPIN_TURNS) {
        sched_yield();
        q->looks += SPIN_TURNS / CROWD_YIELDS;
        return;
    }
    int seen = atomic_load(&n->wake);
    atomic_fetch_add(&n->sleepers, 1);
    struct look l = look_around(n);
    bool all = atomic_load(&n->idle) == n->nworkers;
    if (n->nodes > 1 && !atomic_flag_test_and_set(&n->listening)) {
        /* Nobody wakes us for a packet: one of the idle looks again soon, for all of them. */
        if (n->net->ops->pending(n->net)) sched_yield();
        else nap(q);
        atomic_flag_clear(&n->listening);
    } else if (!l.ready && (!all || n->nodes > 1) && !atomic_load(&n->stop)) {
        struct timespec ts = {.tv_nsec = SLEEP_NS_MAX};
        w->sleeps++;
        futex(&n->wake, FUTEX_WAIT, seen, &ts);
    }
    atomic_fetch_sub(&n->sleepers, 1);
}

/* Above the soft window an idle worker unrolls others' loops only after it has looked for ready
 * work for a while, and never above the hard one. */
static bool
idle_may_unroll(struct node *n, unsigned turns)
{
    long waiting = node_waiting(n);
    if (waiting < (long)WINDOW_SOFT * n->nworkers) return true;
    return turns > SPIN_TURNS / 4 && waiting < n->window * n->nworkers;
}

/* First not idle any more, then counted: whoever sees all idle and no departure since knows that
 * nobody is on the way out with an uncounted one. */
static inline void
idle_leave(struct node *n)
{
    atomic_fetch_sub(&n->idle, 1);
    atomic_fetch_add(&n->departures, 1);
}

/* Leaves the idle state and takes what it can get; NULL: nothing, idle again. */
static struct task *
idle_take(struct worker *w, bool ranges, bool own_only)
{
    struct node *n = w->node;
    idle_leave(n);
    struct task *t = steal_from(w, false);
    if (!t) t = deque_pop(&w->ready); /* packets may have filled it */
    if (!t && ranges) t = deque_pop(&w->ranges);
    if (!t && ranges && !own_only) t = steal_from(w, true);
    if (!t) atomic_fetch_add(&n->idle, 1);
    return t;
}

/* An idle worker looks for packets. What they make ready is in its queues then; it is not idle
 * while it handles them. It leaves that state only for packets, and under the flag: who looks
 * whether the node is at rest must hold the flag too, and sees the departure. */
static bool
idle_poll(struct worker *w)
{
    struct node *n = w->node;
    if (!may_have_come(n)) return false;
    if (atomic_flag_test_and_set_explicit(&n->polling, memory_order_acquire)) return false;
    struct packet *p = n->net->ops->poll(n->net);
    bool any = p != NULL;
    if (any) {
        idle_leave(n);
        uint64_t began = trace_begin(w);
        handle_all(w, p);
        trace_worked(w, began);
        if (w->next) { /* a first successor is nowhere else: put it where it is seen */
            struct task *t = w->next;
            w->next = NULL;
            if (!deque_push(&w->ready, t)) fault_nomem();
        }
        atomic_fetch_add(&n->idle, 1);
    }
    atomic_flag_clear_explicit(&n->polling, memory_order_release);
    return any;
}

/* Nothing ready of one's own, nothing in hand. Gives work, or NULL when the whole node is at rest:
 * all idle and nothing left in any queue. A thief leaves the idle state before it tries. */
static struct task *
idle(struct worker *w)
{
    struct node *n = w->node;
    atomic_fetch_add(&n->idle, 1);
    for (struct quiet q = quiet_begin();; idle_wait(w, &q)) {
        if (atomic_load(&n->stop)) return NULL;
        if (idle_poll(w)) q = quiet_begin();
        trace_tick(w);
        unsigned departures = atomic_load(&n->departures);
        bool all = atomic_load(&n->idle) == n->nworkers;
        struct look l = look_around(n);
        bool ranges = l.ranges && (all ? is_first_with_range(w) : idle_may_unroll(n, q.looks));
        if (l.ready || ranges) {
            struct task *t = idle_take(w, ranges, all);
            if (t) return t;
        } else if (all && l.ranges) {
            if (atomic_load(&n->sleepers)) wake_all(n); /* who has to go on may sleep */
        } else if (all && atomic_load(&n->idle) == n->nworkers &&
                   atomic_load(&n->departures) == departures) {
            /* Nobody left the idle state while we looked: nothing can have moved behind our back.
             */
            node_rests(w, departures);
        }
    }
}

static void
run_many(struct worker *w)
{
    running.df = w->df;
    for (struct task *t = NULL;;) {
        uint64_t began = trace_begin(w);
        worker_enter(w);
        if (t) run_entry(w, t);
        while (turn_many(w)) worker_pass(w);
        worker_leave(w);
        trace_worked(w, began);
        if (!(t = idle(w))) return;
    }
}

static void *
worker_thread(void *who)
{
    struct worker *w = who;
    crash_handler_thread();
    topo_bind_worker(w->node->number * w->node->nworkers + w->number);
    run_many(w);
    crash_handler_thread_end();
    pool_thread_flush();
    return NULL;
}

/* ---- the node ---- */

static enum err
worker_init(struct worker *w, struct node *n, int number, const struct recipes *recipes)
{
    size_t nargs = recipes_args_max(recipes) + 1u;
    w->node = n;
    w->number = number;
    w->many = n->nworkers > 1;
    w->deep = !w->many && n->nodes > 1;
    w->draft = mem_zalloc(1, exec_draft_bytes(n->program));
    w->actual = mem_zalloc(nargs, sizeof *w->actual);
    w->df = mem_zalloc(nargs, sizeof *w->df);
    if (!w->draft || !w->actual || !w->df) return E_NOMEM;
    if (w->many && (!deque_init(&w->ready) || !deque_init(&w->ranges))) return E_NOMEM;
    return OK;
}

int
node_distance(const struct node *n, int to)
{
    if (n->map) return distrib_distance(n->map, n->number, to);
    return to > n->number ? to - n->number : n->number - to;
}

static enum err
map_new(struct node *n, const struct node_options *o)
{
    struct distrib_setup s = *o->map;
    s.node = n->number;
    enum err e = distrib_new(&n->map, &s, o->why);
    if (e == OK) atomic_init(&n->cells_owned, distrib_count(n->map));
    return e;
}

enum err
node_new(struct node **out, const struct luna_program *p, struct transport *net,
         const struct node_options *o)
{
    enum err e = E_NOMEM;
    struct node *n = aligned_alloc(128, (sizeof *n + 127) & ~(size_t)127);
    if (!n) {
        net->ops->free(net);
        return e;
    }
    memset(n, 0, sizeof *n);
    n->program = p;
    n->net = net;
    n->number = net->node;
    n->nodes = net->nodes;
    n->nworkers = o->workers;
    n->digest_row = o->digest_row;
    n->window = n->nodes > 1 && n->nworkers == 1 ? WINDOW_DEEP : WINDOW;
    if (o->window) n->window = (long)o->window;
    n->debug = o->debug;
    n->hash = o->hash;
    n->steals = o->steal && n->nodes > 1;
    n->shares = o->shares;
    n->recipes = recipes_rows(o->recipes);
    n->cells = o->cells;
    n->between = o->between;
    n->speeds = speeds_has(o->speeds, n->number) ? o->speeds : NULL;
    atomic_flag_clear(&n->polling);
    atomic_flag_clear(&n->listening);
    scopes_init(&n->scopes);
    size_t bytes = (size_t)n->nworkers * sizeof *n->workers;
    n->workers = aligned_alloc(128, (bytes + 127) & ~(size_t)127);
    if (!n->workers) goto fail;
    memset(n->workers, 0, bytes);
    if ((e = store_new(&n->store, o->workers > 1)) != OK) goto fail;
    if ((o->debug || o->hash) && (e = past_new(&n->past)) != OK) goto fail;
    if (o->map && (e = map_new(n, o)) != OK) goto fail;
    for (int i = 0; i < n->nworkers; i++)
        if ((e = worker_init(&n->workers[i], n, i, o->recipes)) != OK) goto fail;
    n->gated = o->balance && n->map && n->nworkers > 1;
    if (o->balance && n->map) {
        if ((e = lives_new(&n->lives, true)) != OK) goto fail;
        store_measure(n->store, n->lives);
    }
    if (o->balance && n->map && (e = rebalance_new(&n->balance, n, o->balance)) != OK) goto fail;
    *out = n;
    return OK;
fail:
    node_free(n);
    return e;
}

void
node_free(struct node *n)
{
    if (!n) return;
    for (int i = 0; n->workers && i < n->nworkers; i++) {
        struct worker *w = &n->workers[i];
        fifo_fini(&w->fifo);
        fifo_fini(&w->paused);
        fifo_fini(&w->ranges_of[0]);
        fifo_fini(&w->ranges_of[1]);
        deque_fini(&w->ready);
        deque_fini(&w->ranges);
        mem_free(w->draft);
        mem_free(w->actual);
        mem_free(w->df);
        costs_free(w->costs);
    }
    rebalance_free(n->balance);
    store_free(n->store);
    past_free(n->past);
    scopes_fini(&n->scopes);
    distrib_free(n->map);
    n->net->ops->free(n->net);
    free(n->workers);
    free(n);
}

static void
thread_start(pthread_t *thread, void *(*run)(void *), void *who, int number)
{
    int e = pthread_create(thread, NULL, run, who);
    if (!e) return;
    fault_begin(F_RUN12, LUNA_NONE, "cannot start thread %d: %s", number + 1, strerror(e));
    fault_hint("ask for fewer workers (-t) or nodes (-n)");
    fault_end(5);
}

void
node_start(struct node *n, struct frame *main)
{
    struct range *r = exec_body_range(main, n->program->subs[main->sub].body);
    if (!r) fault_nomem();
    r->head.kind = TASK_RANGE;
    worker_later(&n->workers[0], &r->head);
}

static void *
turner_thread(void *who)
{
    const struct turner *t = who;
    crash_handler_thread();
    topo_bind_worker(t->first);
    turner_run(t);
    crash_handler_thread_end();
    pool_thread_flush();
    return NULL;
}

static void
run_turners(struct node **nodes, int n, pthread_t *threads)
{
    int nthreads = topo_cores() < n ? topo_cores() : n;
    struct turner *t = mem_zalloc((size_t)nthreads, sizeof *t);
    if (!t) fault_nomem();
    for (int i = 0; i < nthreads; i++) {
        t[i] = (struct turner){nodes, n, i, nthreads};
        if (i) thread_start(&threads[i], turner_thread, &t[i], i);
    }
    turner_run(&t[0]);
    for (int i = 1; i < nthreads; i++) pthread_join(threads[i], NULL);
    mem_free(t);
}

static void
run_workers(struct node **nodes, int n, pthread_t *threads)
{
    int per = nodes[0]->nworkers;
    for (int i = 1; i < n * per; i++)
        thread_start(&threads[i], worker_thread, &nodes[i / per]->workers[i % per], i);
    topo_bind_worker(0);
    run_many(&nodes[0]->workers[0]);
    for (int i = 1; i < n * per; i++) pthread_join(threads[i], NULL);
}

enum { TURN_NS = 100 }; /* virtual time of a turn besides its calls */

/* The run begins: all that may watch it is there now. */
static void
look_for_watchers(struct node *n)
{
    bool watched =
        n->debug || n->weighs || n->net->must_poll || n->speeds || n->gated;
    bool puts_here = n->nodes == 1 && !n->hash && !n->past && !n->cells;
    n->began_ns = n->net->ops->now_ns(n->net);
    for (int i = 0; i < n->nworkers; i++) {
        struct worker *w = &n->workers[i];
        w->watched = watched || w->trace || w->costs;
        w->puts_here = puts_here;
    }
}

void
nodes_simulate(struct node **nodes, int n, struct sim *sim, uint64_t call_ns)
{
    for (int i = 0; i < n; i++) {
        nodes[i]->weighs = true;
        look_for_watchers(nodes[i]);
    }
    for (int i; sim_next(sim, &i);) {
        struct worker *w = &nodes[i]->workers[0];
        if (atomic_load_explicit(&nodes[i]->stop, memory_order_relaxed)) continue;
        double before = w->weight, speed = node_speed(nodes[i]);
        node_poll(w);
        steal_feed(w);
        running.df = w->df;
        turn_one(w);
        if (nodes[i]->between) nodes[i]->between(w);
        if (nodes[i]->balance) balance_sometimes(w);
        if (!worker_has_turns(w)) node_rests(w, 0);
        uint64_t ns = TURN_NS + (uint64_t)((w->weight - before) * (double)call_ns / speed);
        sim_turned(sim, i, ns, worker_has_turns(w));
        if (TRACED(w)) trace_turned(w, ns);
    }
    for (int i = 0; i < n; i++)
        if (!atomic_load(&nodes[i]->stop)) {
            fault_begin(F_RUN12, LUNA_NONE,
                        "the simulation stands still, but node %d has not ended", i);
            fault_hint("this is a fault of luna, not of your program; please report it");
            fault_end(5);
        }
}

void
nodes_run(struct node **nodes, int n)
{
    for (int i = 0; i < n; i++) look_for_watchers(nodes[i]);
    if (n == 1 && nodes[0]->nworkers == 1 && nodes[0]->nodes == 1) {
        run_alone(nodes[0]);
        return;
    }
    pthread_t *threads = mem_zalloc((size_t)n * (size_t)nodes[0]->nworkers, sizeof *threads);
    if (!threads) fault_nomem();
    if (nodes[0]->nworkers == 1) run_turners(nodes, n, threads);
    else run_workers(nodes, n, threads);
    mem_free(threads);
}
