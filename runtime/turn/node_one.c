/* node_one.c - one worker a node: what it takes next, in order and deep; it runs alone,
 * or a thread turns it among others, or the simulator does. */
#include "node_parts.h"

#include "runtime/base/clock.h"
#include "runtime/base/mem.h"
#include "runtime/base/pool.h"
#include "runtime/exec/exec.h"
#include "runtime/fault/fault.h"
#include "runtime/ucode/crash.h"
#include "runtime/node/topo.h"
#include "runtime/node/trace.h"
#include "runtime/turn/life.h"
#include "runtime/ucode/df.h"

#include <sched.h>
#include <time.h>

enum {
    NODE_TURNS = 64,   /* of one node before its thread turns the next */
    LONG_TICKS = 20000, /* calls that may be long begin within so many of its first turn: 5-10 us */
    QUIET_SPINS = 80000,   /* ticks without work, some 30 us, before a thread yields, */
    QUIET_YIELDS = 800000, /* and before it naps: not so many yields, each of which may take as
                            * long as others have work */
    DRAIN_TO = 8,      /* a queue that was long is emptied to the eighth part */
    TURN_NS = 100      /* virtual time of a turn besides its calls */
};

/* ---- turns ---- */

enum { LINE = 64, FRAME_LINES = 3 }; /* of memory; in which most frames and their words lie */

/* A long queue has left the cache: what comes out soon is fetched meanwhile, and its frame. */
static inline void
look_ahead(const struct fifo *q)
{
    const struct task *far = fifo_ahead(q, 5), *near = fifo_ahead(q, 2);
    if (!fifo_is_marked(far)) __builtin_prefetch(far);
    if (!near || fifo_is_marked(near)) return;
    for (int i = 0; i < FRAME_LINES; i++) __builtin_prefetch((char *)near->frame + i * LINE);
}

/* A loop that may pause; what is marked is one. */
static inline bool
is_loop(const struct task *t)
{
    return fifo_is_marked(t) || t->kind != TASK_READY;
}

/* Takes the next entry; ranges that must pause are put aside, in order. */
static struct task *
fifo_next(struct worker *w)
{
    if (!fifo_empty(&w->paused) && !worker_should_pause(w)) return fifo_pop(&w->paused);
    struct task *t;
    look_ahead(&w->fifo);
    while ((t = fifo_pop(&w->fifo)) && is_loop(t) && worker_should_pause(w))
        if (!fifo_push(&w->paused, t)) fault_nomem();
    return t;
}

/* A queue that was long has left the caches, and each entry that it gives costs a way to memory. If
 * it grew again at once, all would go through it once for each level of a tree; so it is emptied,
 * but for a part that the caches hold. */
static bool
queue_drains(struct worker *w)
{
    long entries = worker_entries(w), most = w->node->queue_long; /* decision 0028 */
    w->drains = w->drains ? entries > most / DRAIN_TO : entries >= most;
    return w->drains;
}

/* The stack comes before the queue; what the queue gives while it is emptied, and all below that,
 * uses the stack. A body that is marked goes back to the tail, without a look at it. */
static struct task *
order_next(struct worker *w)
{
    w->order = ORDER_STACK;
    if (w->nfirst) {
        w->nfirst--;
        return fifo_pop(&w->fifo);
    }
    if (!fifo_empty(&w->ranges_of[0]) && !worker_should_pause(w)) return fifo_pop(&w->ranges_of[0]);
    for (;;) {
        struct task *t = fifo_next(w);
        w->order = queue_drains(w) ? ORDER_TURN : ORDER_QUEUE;
        if (!fifo_is_marked(t)) return t;
        t = fifo_unmarked(t);
        if (w->order == ORDER_TURN) return t;
        if (!fifo_push(&w->fifo, t)) fault_nomem(); /* its second turn */
    }
}

/* Of several nodes: the newest range, of those begun here and of those sent by others in turn.
 * Ranges stay paused also if nothing is ready: what calls wait for comes from other nodes, mostly.
 * Where it does not, all nodes are at rest some day, and are told to go on (done.h). */
static struct task *
deep_range(struct worker *w)
{
    if (w->wide) return &w->wide->head;
    if (!worker_has_ranges(w) || worker_should_pause(w)) {
        w->side = 0;
        return NULL;
    }
    w->side = !fifo_empty(&w->ranges_of[!w->side]) ? !w->side : w->side;
    return fifo_pop(&w->ranges_of[w->side]);
}

static struct task *
deep_next(struct worker *w)
{
    struct task *t; /* loops that others have sent stand behind what came before them */
    while ((t = fifo_pop(&w->soon)) && task_is_range(t) && !(t->flags & RANGE_TURN))
        if (!fifo_push(&w->ranges_of[1], t)) fault_nomem();
    if (t && task_is_range(t)) t->flags &= (uint8_t)~RANGE_TURN; /* its rest is below its loops */
    if (!t) t = deep_range(w);
    if (t) heed_made(&w->heed);
    return t ? t : fifo_pop(&w->fifo);
}

/* What is next is a call that may be long. */
static bool
is_due(const struct worker *w)
{
    return w->aged.n && fifo_empty(&w->soon) && fifo_empty(&w->fifo) &&
           (!worker_has_ranges(w) || worker_should_pause(w));
}

/* Deep, only calls are ready in the sense that ranges pause for them. */
static inline bool
is_counted(const struct worker *w, const struct task *t)
{
    return !w->deep || w->node->program->sites[t->site].kind == LUNA_S_CALL;
}

static void
turn_take(struct worker *w, struct task *t)
{
    if (task_is_range(t)) {
        node_before_work(w->node);
        exec_range(w, (struct range *)t);
    } else {
        if (t->kind == TASK_READY && is_counted(w, t)) w->nready--;
        exec_task(w, t);
    }
}

/* True: it did something, or waits before a long call, for *rest_ns if nothing comes. */
static bool
turn_one(struct worker *w, uint64_t *rest_ns)
{
    struct task *t = w->deep ? deep_next(w) : order_next(w);
    *rest_ns = 0;
    if (w->deep && !t && w->aged.n) {
        if (w->asked) worker_looks_for_asked(w);
        if (worker_heeds(w, w->aged.item->task, rest_ns)) return true;
        t = aged_pop(&w->aged);
    }
    if (!t) t = aged_pop(&w->aged);
    if (t) turn_take(w, t);
    return t != NULL;
}

void
node_run_alone(struct node *n)
{
    running.df = n->workers[0].df;
    running.actual = n->workers[0].actual;
    uint64_t began = trace_work(&n->workers[0]);
    uint64_t none, from = n->workers[0].works_from = cpu_ticks();
    while (turn_one(&n->workers[0], &none)) node_lets_look(n);
    n->workers[0].worked += cpu_ticks() - from;
    n->workers[0].works_from = 0;
    trace_worked(&n->workers[0], began);
    worker_leaves_core(&n->workers[0]);
}

/* ---- a thread turns several nodes ----
 *
 * Each thread has nodes of its own. While there is something short to do on any of them it does
 * that, also on nodes of others where packets have lain for a while: their thread sleeps, or is in
 * a long call. Then it runs a call that may be long. A node runs its calls one after the other: so
 * of the node that has most calls of that statement ahead, ready or not, or most that are ready,
 * among its own and those of threads that are in a long call. Who turns a node has taken it. */

enum {
    SHORT_ROUNDS = 16, /* at most so many before a call that may be long */
    LEFT_LOOKS = 20,   /* so many looks are a while, some 2 us; */
    LEFT_SPINS = 1000  /* for packets so many, if no long call is next here: the other thread may
                        * be about to wake up */
};

struct turner {
    struct node **nodes;
    int n, first, step; /* its own are first, first + step, ... */
    struct bell bell;   /* of all of its own */
    struct turners *all;
    unsigned *left;     /* by node of others: looks in a row that saw it left alone with work */
    bool sees;          /* the last look saw such a node */
};

struct turners {
    unsigned *left; /* that of all of them */
    atomic_int up;  /* threads that have started */
    atomic_bool begun;
    int n;
    struct turner at[];
};

static bool
node_take(struct node *n)
{
    return !atomic_load_explicit(&n->stop, memory_order_relaxed) &&
           !atomic_load_explicit(&n->taken, memory_order_relaxed) &&
           !atomic_exchange_explicit(&n->taken, true, memory_order_acquire);
}

/* The next one may be the only one of its statement, before many others that are ready. */
static unsigned
calls_due(const struct worker *w)
{
    if (!is_due(w)) return 0;
    unsigned ahead = w->ahead[w->aged.item->task->site];
    return w->aged.n > ahead ? (unsigned)w->aged.n : ahead;
}

static void
node_leave(struct node *n)
{
    atomic_store_explicit(&n->due, calls_due(&n->workers[0]), memory_order_relaxed);
    atomic_store_explicit(&n->taken, false, memory_order_release);
}

static inline unsigned
node_due(const struct node *n)
{
    return atomic_load_explicit(&n->due, memory_order_relaxed);
}

/* ---- for others who look ---- */

enum { HOLD_NAP_NS = 100000 };

/* Whoever turns it grants it, or nobody turns it just now. */
static bool
is_held(struct node *n)
{
    int wanted = LOOK_WANTED;
    if (atomic_load(&n->look) == LOOK_GRANTED) return true;
    if (n->nodes == 1 || !node_take(n)) return false;
    if (atomic_compare_exchange_strong(&n->look, &wanted, LOOK_NONE)) return true;
    node_leave(n); /* granted meanwhile */
    return true;
}

bool
node_hold(struct node *n, int most_ms, const atomic_bool *ending)
{
    uint64_t until = clock_ns() + (uint64_t)most_ms * 1000000;
    int wanted = LOOK_WANTED;
    if (n->nworkers > 1) return true;
    atomic_store(&n->look, LOOK_WANTED);
    while (clock_ns() < until && !atomic_load(ending)) {
        if (is_held(n)) return true;
        nanosleep(&(struct timespec){.tv_nsec = HOLD_NAP_NS}, NULL);
    }
    return !atomic_compare_exchange_strong(&n->look, &wanted, LOOK_NONE);
}

void
node_release(struct node *n)
{
    int granted = LOOK_GRANTED;
    if (n->nworkers > 1 || atomic_compare_exchange_strong(&n->look, &granted, LOOK_NONE)) return;
    node_leave(n);
}

/* A call that may be long: if the caller says so, the first, and those behind it of a few
 * microseconds. */
static bool
may_begin(const struct worker *w, bool may_be_long, uint64_t *from)
{
    uint64_t now = cpu_ticks();
    if (!*from) *from = now;
    return may_be_long &&
           (*from == now || (now - *from < LONG_TICKS &&
                             worker_expects_ns(w, w->aged.item->task) < HEED_CALL_NS));
}

/* Some turns; true: it did something. */
static bool
node_turns_some(struct node *n, bool may_be_long)
{
    struct worker *w = &n->workers[0];
    uint64_t rest_ns = 0, from = 0;
    bool any = node_poll(w);
    running.df = w->df;
    running.actual = w->actual;
    for (int k = 0; k < NODE_TURNS && !rest_ns; k++) {
        if (is_due(w) && !may_begin(w, may_be_long, &from)) break;
        if (!turn_one(w, &rest_ns)) break;
        any = true;
        node_lets_look(n);
        node_poll_sometimes(w);
    }
    if (any) node_send_off(n, true); /* nothing else is to be done first */
    return any;
}

/* The same, if nobody else turns it. A call that may be long is begun only if the caller says so,
 * and then one, or some that were not so long. */
static bool
node_turns(struct node *n, bool may_be_long)
{
    if (!node_take(n)) return false;
    node_lets_look(n);
    struct worker *w = &n->workers[0];
    uint64_t began = trace_begin(w), from = w->works_from = cpu_ticks();
    bool any = node_turns_some(n, may_be_long);
    bool paused = !any && worker_has_ranges(w);
    uint64_t now = any || paused ? cpu_ticks() : 0; /* who waits for a message reads none in vain */
    w->works_from = 0;
    if (any) w->worked += now - from;
    if (any) trace_worked(w, began);
    else trace_tick(w);
    if (!any && !is_due(w)) node_rests(w, 0);
    if (w->paused_from) w->wasted += from - w->paused_from;
    w->paused_from = paused ? now : 0;
    node_leave(n);
    return any;
}

/* Once a round: for how long have nodes of other threads had something to do that nobody did? */
static void
turner_looks(struct turner *t)
{
    t->sees = false;
    for (int i = 0; i < t->n; i++) {
        const struct node *n = t->nodes[i];
        if (i % t->step == t->first) continue;
        bool waits = node_due(n) || (!n->net->must_poll && n->net->ops->pending(n->net));
        bool taken = atomic_load_explicit(&n->taken, memory_order_relaxed);
        t->left[i] = waits && !taken ? t->left[i] + 1 : 0;
        t->sees |= t->left[i] > 0;
    }
}

/* True: packets of a node that nobody turns. */
static bool
turner_helps(struct turner *t, bool due)
{
    turner_looks(t);
    for (int i = 0; i < t->n; i++)
        if (t->left[i] > (due ? LEFT_LOOKS : LEFT_SPINS) && node_turns(t->nodes[i], false))
            return true;
    return false;
}

static bool
turner_runs_short(struct turner *t)
{
    bool any = false, due = false;
    for (int i = t->first; i < t->n; i += t->step) {
        any |= node_turns(t->nodes[i], false);
        due |= node_due(t->nodes[i]) > 0;
    }
    return any || turner_helps(t, due);
}

/* Twice the calls ahead, and one more if it is the thread's own; 0: not for this thread. A node
 * that another one has taken, also to help, tells what was due before. */
static unsigned
rank_of(const struct turner *t, int i)
{
    if (atomic_load_explicit(&t->nodes[i]->taken, memory_order_relaxed)) return 0;
    bool own = i % t->step == t->first;
    unsigned due = own || t->left[i] > LEFT_LOOKS ? node_due(t->nodes[i]) : 0;
    return due ? 2 * due + own : 0;
}

/* True: it has run a call, or waits before one. */
static bool
turner_runs_long(struct turner *t)
{
    struct node *most = NULL;
    for (unsigned i = 0, best = 0; i < (unsigned)t->n; i++) {
        unsigned rank = rank_of(t, (int)i);
        if (rank <= best) continue;
        best = rank;
        most = t->nodes[i];
    }
    return most && node_turns(most, true);
}

static bool
turner_is_over(const struct turner *t)
{
    for (int i = t->first; i < t->n; i += t->step)
        if (!atomic_load_explicit(&t->nodes[i]->stop, memory_order_relaxed)) return false;
    return true;
}

static bool
turner_hears(const struct turner *t)
{
    for (int i = t->first; i < t->n; i += t->step) {
        struct transport *net = t->nodes[i]->net;
        if (!net->must_poll && net->ops->pending(net)) return true;
    }
    return false;
}

static void
turner_naps(struct turner *t, struct quiet *q)
{
    bell_lie_down(&t->bell);
    if (turner_hears(t)) {
        bell_get_up(&t->bell);
        return;
    }
    uint64_t from = t->nodes[t->first]->trace ? cpu_ticks() : 0; /* which tells of it */
    node_nap(q, &t->bell);
    for (int i = t->first; i < t->n && from; i += t->step)
        t->nodes[i]->workers[0].slept += cpu_ticks() - from;
}

/* In this round no node had anything to do. Whoever sees one left alone does not nap: the looks
 * until it helps are to be a short time. */
static void
turner_waits(struct turner *t, struct quiet *q)
{
    bool crowd = topo_oversubscribed();
    uint64_t waited = quiet_ticks(q);
    bool long_enough = crowd ? ++q->looks > CROWD_YIELDS : waited > QUIET_YIELDS;
    if (long_enough && !t->sees) turner_naps(t, q);
    else if (crowd || waited > QUIET_SPINS) sched_yield();
    else spin_relax();
}

static void
turner_run(struct turner *t)
{
    unsigned rounds = 0; /* since the last call that may have been long */
    for (struct quiet q = quiet_begin(); !turner_is_over(t);) {
        bool any = turner_runs_short(t);
        if (!any || ++rounds > SHORT_ROUNDS) {
            any |= turner_runs_long(t);
            rounds = 0;
        }
        if (any) q = quiet_begin();
        else turner_waits(t, &q);
    }
    if (t->n <= t->step) worker_leaves_core(&t->nodes[t->first]->workers[0]);
}

/* The thread of it is there. */
static void
turner_begins(const struct turner *t)
{
    if (t->n <= t->step) worker_takes_core(&t->nodes[t->first]->workers[0]); /* who has one node */
}

static void *
turner_thread(void *who)
{
    struct turner *t = who;
    crash_handler_thread();
    turner_begins(t);
    pool_thread_begin();
    atomic_fetch_add(&t->all->up, 1);
    node_thread_awaits(&t->all->begun);
    turner_run(t);
    crash_handler_thread_end();
    pool_thread_flush();
    return NULL;
}

struct turners *
nodes_start_turned(struct node **nodes, int n, pthread_t *threads)
{
    int nthreads = topo_cores() < n ? topo_cores() : n;
    struct turners *all = mem_zalloc(1, sizeof *all + (size_t)nthreads * sizeof *all->at);
    if (all) all->left = mem_zalloc((size_t)nthreads * (size_t)n, sizeof *all->left);
    if (!all || !all->left) fault_nomem();
    all->n = nthreads;
    atomic_init(&all->up, 1);
    for (int i = 0; i < n; i++) {
        struct worker *w = &nodes[i]->workers[0];
        w->ahead = mem_zalloc(w->node->program->nsites + 1u, sizeof *w->ahead);
        if (!w->ahead) fault_nomem();
        w->heed.crowd = (unsigned)(n / nthreads);
    }
    for (int i = 0; i < nthreads; i++) {
        struct turner *t = &all->at[i];
        *t = (struct turner){.nodes = nodes, .n = n, .first = i, .step = nthreads,
                             .all = all, .left = &all->left[i * n]};
        for (int k = i; k < n; k += nthreads) nodes[k]->net->bell = &t->bell;
        if (i) node_worker_start(&nodes[i]->workers[0], &threads[i], turner_thread, t);
    }
    return all;
}

void
nodes_meet_turned(struct turners *all)
{
    node_worker_bind(&all->at[0].nodes[0]->workers[0]);
    turner_begins(&all->at[0]);
    /* Else the first long call would begin before the others can ask for anything. */
    while (atomic_load(&all->up) < all->n) sched_yield();
}

void
nodes_run_turned(struct turners *all, pthread_t *threads)
{
    struct turner *own = &all->at[0];
    atomic_store_explicit(&all->begun, true, memory_order_release);
    turner_run(own);
    for (int i = 1; i < all->n; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < own->n; i++) own->nodes[i]->net->bell = NULL;
    mem_free(all->left);
    mem_free(all);
}

/* ---- the simulator ---- */

/* Gives when the turn begins. The time since the last one was wasted if loops had paused then. */
static uint64_t
sim_turn_begins(struct worker *w)
{
    uint64_t now = w->node->net->ops->now_ns(w->node->net);
    if (w->paused_from) w->wasted += now - w->paused_from;
    return now;
}

/* `more`: there is something to do at once. */
static void
sim_turn_ends(struct worker *w, uint64_t began, uint64_t now, bool more)
{
    w->worked += now - began;
    w->paused_from = !more && worker_has_ranges(w) ? now : 0;
}

/* True: there is something to do at once, perhaps because the node has told that there is not. */
static bool
sim_has_more(struct worker *w)
{
    if (worker_has_turns(w)) return true;
    node_rests(w, 0);
    return worker_has_turns(w);
}

void
nodes_simulate(struct node **nodes, int n, struct sim *sim, uint64_t call_ns)
{
    for (int i = 0; i < n; i++) {
        nodes[i]->weighs = true;
        nodes[i]->call_ns = call_ns;
        node_look_for_watchers(nodes[i]);
    }
    for (int i; sim_next(sim, &i);) {
        struct worker *w = &nodes[i]->workers[0];
        if (atomic_load_explicit(&nodes[i]->stop, memory_order_relaxed)) continue;
        uint64_t began = trace_begin(w), from = sim_turn_begins(w), rest_ns;
        node_poll(w);
        steal_feed(w);
        running.df = w->df;
        running.actual = w->actual;
        bool any = turn_one(w, &rest_ns);
        if (nodes[i]->between) nodes[i]->between(w);
        /* Whoever only hears something may have been told to stop. */
        if (any && nodes[i]->balance) node_balance_sometimes(w);
        bool more = sim_has_more(w);
        uint64_t now = rest_ns ? sim_waits(sim, i, rest_ns) : sim_turned(sim, i, TURN_NS, more);
        sim_turn_ends(w, from, now, more);
        trace_worked(w, began);
    }
    for (int i = 0; i < n; i++)
        if (!atomic_load(&nodes[i]->stop)) {
            fault_begin(F_RUN12, LUNA_NONE,
                        "the simulation stands still, but node %d has not ended", i);
            fault_hint("this is a fault of luna, not of your program; please report it");
            fault_end(5);
        }
}
