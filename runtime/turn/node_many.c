/* node_many.c - many workers a node: what each takes next, theft, idleness, sleep. */
#include "node_parts.h"

#include "runtime/base/pool.h"
#include "runtime/exec/exec.h"
#include "runtime/fault/fault.h"
#include "runtime/ucode/crash.h"
#include "runtime/node/topo.h"
#include "runtime/node/trace.h"
#include "runtime/ucode/df.h"

#include <sched.h>

enum {
    TRIAL_FIRST = 8,  /* statements that may wait in vain before a worker pauses, at first */
    TRIAL_SHORTS = 10, /* idle as long as so many short calls, with loops to walk: a longer trial */
    SPIN_SHORTS = 250 /* and so many before it sleeps: half a millisecond */
};

/* ---- turns ---- */

/* ---- loops on trial ----
 *
 * When more calls wait than that, ready ones come first. Calls that wait are memory, not work: a
 * worker without any goes on walking loops as long as it finds calls that can run. When
 * TRIAL_FIRST statements have had to wait since a call of it ran, the walk was in vain, and it
 * pauses; each time it has been idle for a while then, it tries twice as many, up to the hard
 * window. */

static void
trial_look(struct worker *w)
{
    if (w->calls == w->trial.calls && w->trial.most) return;
    w->trial = (struct trial){w->calls, w->waits, TRIAL_FIRST};
}

static bool
below_window(const struct node *n)
{
    return node_waiting(n) < n->window * n->nworkers && !lead_is_far(&n->lead);
}

static bool
trial_goes_on(struct worker *w)
{
    trial_look(w);
    return w->waits - w->trial.waits < w->trial.most && below_window(w->node);
}

static void
trial_widen(struct worker *w)
{
    trial_look(w);
    w->trial.most = 2 * (w->waits - w->trial.waits) + TRIAL_FIRST;
}

/* With several nodes a first successor that may be long waits until others were thought of. */
static void
run_entry(struct worker *w, struct task *t)
{
    if (task_is_range(t)) {
        node_before_work(w->node);
        exec_range(w, (struct range *)t);
    } else {
        exec_task(w, t);
    }
    while (w->next && (w->node->nodes == 1 || !worker_expects_long(w, w->next)) &&
           ranked_empty(&w->node->ranked)) {
        t = w->next;
        w->next = NULL;
        exec_task(w, t);
    }
}

enum theft { THEFT_CALL, THEFT_COLD, THEFT_CAME, THEFT_RANGE, THEFT_HARVEST };

static struct task *
steal_one(struct worker *from, enum theft what)
{
    if (what == THEFT_RANGE) return deque_steal(&from->ranges);
    if (what == THEFT_HARVEST) return harvest_pop(&from->harvest, true);
    if (what == THEFT_CAME) return deque_steal(&from->came);
    return what == THEFT_COLD ? deque_steal(&from->cold) : worker_steal_call(from);
}

static struct task *
steal(struct worker *w, enum theft what)
{
    struct node *n = w->node;
    struct task *t = NULL;
    for (int k = 1; k < n->nworkers && !t; k++) {
        int i = w->number + k;
        struct worker *v = &n->workers[i < n->nworkers ? i : i - n->nworkers];
        t = steal_one(v, what);
        if (t) worker_took(w, v);
    }
    return t;
}

/* What other nodes have sent is begun in that order. */
static inline struct task *
pop_came(struct worker *w)
{
    return worker_has_come(w) ? deque_steal(&w->came) : NULL;
}

/* A ready call that is cold here: rather one that another worker has found to be cold there. */
static struct task *
pop_cold(struct worker *w)
{
    if (deque_empty(&w->cold)) return NULL;
    struct task *t = steal(w, THEFT_COLD);
    return t ? t : deque_pop(&w->cold);
}

/* ---- several nodes: what others may wait for comes before a call that may be long ---- */

enum { WINDOW_AHEAD = 256 }; /* so many may wait on this node while loops are walked first */

static void
put_back(struct worker *w, struct task *t)
{
    if (w->node->recipes[t->site].ranked) worker_ready(w, t);
    else if (!deque_push(&w->ready, t)) fault_nomem();
}

/* Something to walk, instead of the call `t`, which goes back. NULL: there is nothing. */
static struct task *
walk_before(struct worker *w, struct task *t)
{
    struct task *r = pop_came(w);
    if (!r) r = steal(w, THEFT_CAME);
    if (!r && lead_is_far(&w->node->lead)) return NULL;
    if (!r && node_waiting(w->node) < WINDOW_AHEAD) r = worker_pop_range(w);
    if (!r && node_waiting(w->node) < WINDOW_AHEAD) r = steal(w, THEFT_RANGE);
    if (r) put_back(w, t);
    return r;
}

/* A call that may be long is next, and nobody is idle who could listen: true, not yet. */
static bool
listens_before(struct worker *w, struct task *t)
{
    struct node *n = w->node;
    uint64_t rest_ns;
    if (atomic_load_explicit(&n->idle, memory_order_relaxed)) return false;
    if (!worker_heeds(w, t, &rest_ns)) return false;
    put_back(w, t);
    node_poll(w);
    return true;
}

/* What is to be run instead of the call `t`; NULL: nothing just now. */
static struct task *
others_first(struct worker *w, struct task *t)
{
    if (t->kind != TASK_READY || !worker_expects_long(w, t)) return t;
    struct task *r = walk_before(w, t);
    if (r) return r;
    return listens_before(w, t) ? NULL : t;
}

/* Its own or another's. */
static struct task *
next_ready(struct worker *w)
{
    struct task *t = w->next; /* a packet may have made one ready */
    w->next = NULL;
    if (!t) t = pop_came(w);
    if (!t) t = deque_pop(&w->ready);
    if (!t && worker_few_wait(w)) t = worker_pop_range(w);
    if (!t) t = pop_cold(w);
    return t ? t : steal(w, THEFT_CALL);
}

/* Some ready calls have priorities: what makes more of them comes first, since it may be that one
 * of those is the highest; then the highest. A call without the rule has 0. */
static struct task *
next_ranked(struct worker *w)
{
    struct ranked *ranked = &w->node->ranked;
    struct task *t = pop_came(w);
    if (!t && worker_few_wait(w)) t = worker_pop_range(w);
    if (!t) t = ranked_pop(ranked, 0);
    if (!t) t = next_ready(w);
    return t ? t : ranked_pop(ranked, RANKED_ANY);
}

/* One of its own; without one another's, of those that it has looked at in vain. */
static struct task *
harvest_next(struct worker *w)
{
    struct task *t = harvest_pop(&w->harvest, false);
    return t ? t : steal(w, THEFT_HARVEST);
}

/* Takes what has come of reductions. What that makes ready is next. */
static __attribute__((noinline)) void
harvest_some(struct worker *w)
{
    struct task *loop[HARVEST_LOOKS];
    uint64_t found = 0;
    int n = 0;
    while (n < HARVEST_LOOKS && (loop[n] = harvest_next(w))) n++;
    w->harvest.looks = true;
    for (int k = 0; k < n; k++) {
        exec_range_look(w, (struct range *)loop[k]);
        found += w->harvest.found;
    }
    w->harvest.looks = false;
    harvest_looked(&w->harvest, found, w->calls);
}

/* What a worker does while it has work or finds some at once. */
static bool
turn_many(struct worker *w)
{
    node_poll_sometimes(w);
    if (w->calls >= w->harvest.at) harvest_some(w);
    struct task *t = ranked_empty(&w->node->ranked) ? next_ready(w) : next_ranked(w);
    if (!t && trial_goes_on(w)) t = worker_pop_range(w);
    if (!t) {
        worker_shows(w);
        return false;
    }
    if (w->node->nodes > 1) {
        if (!(t = others_first(w, t))) return true;
        if (t->kind != TASK_READY) heed_made(&w->heed);
    }
    run_entry(w, t);
    return true;
}

/* ---- idleness and sleep ---- */

struct look { /* around, while idle */
    bool ready, ranges;
};

static struct look
look_around(struct node *n)
{
    struct look l = {!ranked_empty(&n->ranked), false};
    for (int k = 0; k < n->nworkers; k++) {
        l.ready |= worker_has_calls(&n->workers[k]);
        l.ranges |= worker_has_loops(&n->workers[k]);
    }
    return l;
}

/* Loops may go on though nothing is ready: on other nodes something may be, so there is an end to
 * that until all nodes are at rest (done.h). */
static bool
may_go_on(const struct node *n)
{
    return n->nodes == 1 || below_window(n);
}

/* All are idle and every loop has paused: one goes on, that of the lowest worker that has one, so
 * that not each lets its own run ahead. */
static bool
is_first_with_range(struct worker *w)
{
    if (!may_go_on(w->node)) return false;
    for (int k = 0; k < w->number; k++)
        if (worker_has_loops(&w->node->workers[k])) return false;
    return worker_has_loops(w);
}

static void
idle_wait(struct worker *w, struct quiet *q, uint64_t waited)
{
    struct node *n = w->node;
    bool crowd = topo_oversubscribed();
    if (!crowd && waited < SPIN_SHORTS * (uint64_t)w->known.limit) {
        for (int i = 0; i < 8; i++) spin_relax();
        return;
    }
    if (crowd && ++q->looks < CROWD_YIELDS) {
        sched_yield();
        return;
    }
    int seen = atomic_load(&n->wake);
    atomic_fetch_add(&n->sleepers, 1);
    struct look l = look_around(n);
    bool all = atomic_load(&n->idle) == n->nworkers;
    if (n->nodes > 1 && !atomic_flag_test_and_set(&n->listening)) {
        /* One of the idle listens, for all of them. */
        bell_lie_down(&n->bell);
        uint64_t from = cpu_ticks();
        if (n->net->ops->pending(n->net)) bell_get_up(&n->bell);
        else node_nap(q, &n->bell);
        w->slept += cpu_ticks() - from;
        atomic_flag_clear(&n->listening);
    } else if (!l.ready && !(l.ranges && below_window(n)) && (!all || n->nodes > 1) &&
               !atomic_load(&n->stop)) {
        uint64_t from = cpu_ticks();
        w->sleeps++;
        node_sleep(n, seen);
        w->slept += cpu_ticks() - from;
    }
    atomic_fetch_sub(&n->sleepers, 1);
}

/* First not idle any more, then counted: whoever sees all idle and no departure since knows that
 * nobody is on the way out with an uncounted one. */
static inline void
idle_leave(struct node *n)
{
    atomic_fetch_sub(&n->idle, 1);
    atomic_fetch_add(&n->departures, 1);
}

/* Leaves the idle state and takes what it can get; NULL: nothing, idle again. A loop of its own
 * that was walked in vain comes behind those of others: it may be a sum of what they make. */
static struct task *
idle_take(struct worker *w, bool ranges, bool own_only)
{
    struct node *n = w->node;
    idle_leave(n);
    struct task *t = pop_came(w);
    if (!t) t = ranked_pop(&n->ranked, 0);
    if (!t) t = steal(w, THEFT_CALL);
    if (!t) t = deque_pop(&w->ready); /* packets may have filled it */
    if (!t) t = deque_pop(&w->cold);
    if (!t) t = ranked_pop(&n->ranked, RANKED_ANY);
    bool vain = w->trial.most > TRIAL_FIRST && w->calls == w->trial.calls;
    if (!t && ranges && vain && !own_only) t = steal(w, THEFT_RANGE);
    if (!t && ranges) t = deque_pop(&w->ranges);
    if (!t && ranges && !own_only) t = steal(w, THEFT_RANGE);
    if (!t && ranges) t = harvest_pop(&w->harvest, false);
    if (!t && ranges && !own_only) t = steal(w, THEFT_HARVEST);
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
    if (!node_may_have_come(n)) return false;
    if (atomic_flag_test_and_set_explicit(&n->polling, memory_order_acquire)) return false;
    struct packet *p = n->net->ops->poll(n->net);
    bool any = p != NULL;
    if (any) {
        idle_leave(n);
        uint64_t began = trace_begin(w);
        node_handle(w, p);
        trace_worked(w, began);
        if (w->next) { /* a first successor is nowhere else: put it where it is seen */
            struct task *t = w->next;
            w->next = NULL;
            if (!deque_push(&w->ready, t)) fault_nomem();
        }
        worker_shows(w);
        atomic_fetch_add(&n->idle, 1);
    }
    atomic_flag_clear_explicit(&n->polling, memory_order_release);
    return any;
}

/* Where the time of an idle worker goes: it counts as wasted while there is something that it could
 * take. Who slept learns from `offered` since when. */
struct pause {
    uint64_t looked, tried; /* ticks: at the last look, at the last longer trial */
    bool work;              /* there was some at the last look */
};

static void
pause_look(struct worker *w, struct pause *p, bool work)
{
    uint64_t now = cpu_ticks(),
             offered = atomic_load_explicit(&w->node->offered, memory_order_relaxed);
    if (p->work) w->wasted += now - p->looked;
    else if (work && offered > p->looked && offered < now) w->wasted += now - offered;
    p->looked = now;
    p->work = work;
    if (now - p->tried < TRIAL_SHORTS * (uint64_t)w->known.limit) return;
    p->tried = now;
    trial_widen(w);
}

/* Nothing ready of one's own, nothing in hand. Gives work, or NULL when the whole node is at rest:
 * all idle and nothing left in any queue. A thief leaves the idle state before it tries. */
static struct task *
idle_look(struct worker *w, struct pause *p)
{
    struct node *n = w->node;
    unsigned departures = atomic_load(&n->departures);
    bool all = atomic_load(&n->idle) == n->nworkers;
    struct look l = look_around(n);
    pause_look(w, p, l.ready || (l.ranges && below_window(n)));
    bool on_trial = l.ranges && (worker_few_wait(w) || trial_goes_on(w));
    if (l.ready || on_trial || (all && is_first_with_range(w)))
        return idle_take(w, l.ranges, !on_trial);
    if (all && l.ranges && may_go_on(n)) {
        if (atomic_load(&n->sleepers)) node_wake_all(n); /* who has to go on may sleep */
    } else if (all && atomic_load(&n->idle) == n->nworkers &&
               atomic_load(&n->departures) == departures) {
        /* Nobody left the idle state while we looked: nothing can have moved behind our back. */
        node_rests(w, departures);
    }
    return NULL;
}

static struct task *
idle(struct worker *w)
{
    struct node *n = w->node;
    uint64_t from = cpu_ticks(); /* it looks in vain since then */
    struct pause p = {from, from, false};
    struct task *t = NULL;
    atomic_fetch_add(&n->idle, 1);
    struct quiet q = quiet_begin();
    for (; !atomic_load(&n->stop); idle_wait(w, &q, p.looked - from)) {
        if (idle_poll(w)) {
            q = quiet_begin();
            from = p.looked;
        }
        trace_tick(w);
        if ((t = idle_look(w, &p))) break;
    }
    return t;
}

/* ---- threads ---- */

/* Between turns: somebody may wait for us to be outside. */
static inline void
worker_pass(struct worker *w)
{
    if (w->node->gated && atomic_load_explicit(&w->node->still, memory_order_relaxed))
        worker_wait_outside(w);
}

static void
run_many(struct worker *w)
{
    running.df = w->df;
    running.actual = w->actual;
    block_user = (uint8_t)w->number;
    for (struct task *t = NULL;;) {
        uint64_t began = trace_work(w), from = w->works_from = cpu_ticks();
        worker_enter(w);
        if (t) run_entry(w, t);
        while (turn_many(w)) worker_pass(w);
        loans_pay(&w->loans, w->node->store);
        worker_leave(w);
        w->worked += cpu_ticks() - from;
        w->works_from = 0;
        trace_worked(w, began);
        if (!(t = idle(w))) break;
    }
    worker_leaves_core(w);
}

static void *
worker_thread(void *who)
{
    struct worker *w = who;
    crash_handler_thread();
    worker_takes_core(w);
    pool_thread_begin();
    node_thread_awaits(&w->node->begun);
    run_many(w);
    crash_handler_thread_end();
    pool_thread_flush();
    return NULL;
}

void
nodes_start_many(struct node **nodes, int n, pthread_t *threads)
{
    int per = nodes[0]->nworkers;
    for (int i = 1; i < n * per; i++) {
        struct worker *w = &nodes[i / per]->workers[i % per];
        node_worker_start(w, &threads[i], worker_thread, w);
    }
}

void
nodes_meet_many(struct node **nodes)
{
    node_worker_bind(&nodes[0]->workers[0]);
    worker_takes_core(&nodes[0]->workers[0]);
}

void
nodes_run_many(struct node **nodes, int n, pthread_t *threads)
{
    int per = nodes[0]->nworkers;
    for (int i = 0; i < n; i++) nodes[i]->net->bell = &nodes[i]->bell;
    for (int i = 0; i < n; i++)
        atomic_store_explicit(&nodes[i]->begun, true, memory_order_release);
    run_many(&nodes[0]->workers[0]);
    for (int i = 1; i < n * per; i++) pthread_join(threads[i], NULL);
}
