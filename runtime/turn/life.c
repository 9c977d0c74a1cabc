/* life.c - a node's life: what it is made of, and the run from outside. */
#include "life.h"

#include "runtime/base/mem.h"
#include "runtime/node/costs.h"
#include "runtime/node/done.h"
#include "runtime/exec/exec.h"
#include "runtime/fault/fault.h"
#include "runtime/store/copies.h"
#include "runtime/store/ledger.h"
#include "runtime/store/past.h"
#include "runtime/rebalance/rebalance.h"
#include "runtime/node/scope.h"
#include "runtime/node/tally.h"
#include "runtime/node/topo.h"
#include "runtime/node/trace.h"
#include "runtime/turn/node_parts.h"
#include "runtime/ucode/df.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = 64 << 10, /* waiting calls a worker, hard */
    WINDOW_DEEP = 256, /* the same where ranges go deep (node.h), at first */
    WINDOW_SOFT = 24,  /* while others have ready work: that is run first */
    WINDOW_RANKED = 4096, /* both, if some calls have priorities: the highest may be made late */
    QUEUE_LONG = 8192  /* in order: loops, branches and bodies in the queue */
};

static enum err
worker_init(struct worker *w, struct node *n, int number, const struct recipes *recipes)
{
    size_t nargs = recipes_args_max(recipes) + 1u;
    w->node = n;
    w->number = number;
    w->many = n->nworkers > 1;
    w->deep = !w->many && n->nodes > 1;
    w->draft = mem_zalloc(1, exec_draft_bytes(n->program));
    w->aside = mem_zalloc(1, exec_draft_bytes(n->program));
    w->actual = mem_zalloc(nargs, sizeof *w->actual);
    w->df = mem_zalloc(nargs, sizeof *w->df);
    w->known.ticks = mem_zalloc(n->program->nsites + 1u, sizeof *w->known.ticks);
    w->known.limit = (uint32_t)ticks_of_ns(COST_SHORT_NS);
    w->heed.patience = HEED_PATIENCE;
    w->measures = w->many || w->deep;
    w->seen = mem_zalloc(n->debug ? nargs : 1, sizeof *w->seen);
    if (!w->draft || !w->aside || !w->actual || !w->df || !w->known.ticks || !w->seen)
        return E_NOMEM;
    if (w->many && (!deque_init(&w->ready) || !deque_init(&w->cold) || !deque_init(&w->came) ||
                    !deque_init(&w->ranges)))
        return E_NOMEM;
    return OK;
}

static enum err
map_new(struct node *n, const struct distrib_setup *map, const char **why)
{
    struct distrib_setup s = *map;
    s.node = n->number;
    enum err e = distrib_new(&n->map, &s, why);
    if (e == OK) atomic_store(&n->cells_owned, distrib_count(n->map));
    return e;
}

/* All nodes of a host together: an eighth of the memory that is free when the run begins. */
static size_t
room_for_copies(const struct node *n, long wanted)
{
    enum { SHARE = 8, ROOM_MOST = 1 << 30 };
    if (wanted) return (size_t)wanted;
    if (n->net->ops->spend) return ROOM_MOST; /* simulated: it must not depend on the machine */
    int nodes = n->net->must_poll ? n->net->host_nodes : n->nodes;
    size_t room = mem_free_bytes() / SHARE / (size_t)nodes;
    return room < ROOM_MOST ? room : ROOM_MOST;
}

/* A node and what hangs on it: one object. */
struct node_whole {
    struct node node;
    struct done done;
    struct scopes scopes;
#ifndef NDEBUG
    struct tally tally;
#endif
};

static long
usual_window(const struct node *n, bool ranked)
{
    if (n->nodes == 1 || n->nworkers > 1) return WINDOW;
    return ranked ? WINDOW_RANKED : WINDOW_DEEP;
}

enum err
node_new(struct node **out, const struct luna_program *p, struct transport *net,
         const struct node_options *o)
{
    enum err e = E_NOMEM;
    struct node_whole *whole = aligned_alloc(128, (sizeof *whole + 127) & ~(size_t)127);
    if (!whole) {
        net->ops->free(net);
        return e;
    }
    memset(whole, 0, sizeof *whole);
    struct node *n = &whole->node;
    n->done = &whole->done;
    n->scopes = &whole->scopes;
#ifndef NDEBUG
    n->tally = &whole->tally;
#endif
    n->program = p;
    n->net = net;
    n->number = net->node;
    n->nodes = net->nodes;
    n->nworkers = o->workers;
    task_all_age = n->nodes > 1;
    task_all_caused = o->traced;
    n->digest_row = o->digest_row;
    bool ranked = recipes_ranked(o->recipes);
    n->soft = ranked ? WINDOW_RANKED : WINDOW_SOFT;
    n->window = o->window ? (long)o->window : usual_window(n, ranked);
    lead_init(&n->lead, n->nodes, o->lead);
    n->queue_long = o->queue ? (long)o->queue : QUEUE_LONG;
    n->debug = o->debug;
    n->hash = o->hash;
    n->compares = o->compares;
    n->proved = o->proved;
    n->steals = o->steal && n->nodes > 1;
    n->tells = o->stats;
    n->shares = o->shares;
    n->recipes = recipes_rows(o->recipes);
    n->slots = recipes_slots(o->recipes);
    n->deleted = recipes_deleted(o->recipes);
    n->lent = recipes_lent(o->recipes);
    n->cells = o->cells;
    n->between = o->between;
    n->speeds = speeds_has(o->speeds, n->number) ? o->speeds : NULL;
    atomic_flag_clear(&n->polling);
    atomic_flag_clear(&n->listening);
    scopes_init(n->scopes);
    size_t bytes = (size_t)n->nworkers * sizeof *n->workers;
    n->workers = aligned_alloc(128, (bytes + 127) & ~(size_t)127);
    if (!n->workers) goto fail;
    memset(n->workers, 0, bytes);
    if ((e = store_new(&n->store, (unsigned)o->workers)) != OK) goto fail;
    if ((o->debug || o->hash) && (e = past_new(&n->past)) != OK) goto fail;
    if (o->map && (e = map_new(n, o->map, o->why)) != OK) goto fail;
    bool copies = n->nodes > 1 && o->copies >= 0;
    if (copies && (e = copies_new(&n->copies, room_for_copies(n, o->copies))) != OK) goto fail;
    if (copies && (e = ledger_new(&n->ledger)) != OK) goto fail;
    for (int i = 0; i < n->nworkers; i++)
        if ((e = worker_init(&n->workers[i], n, i, o->recipes)) != OK) goto fail;
    bool later = o->settle && n->nodes > 1;
    n->settle = o->settle;
    atomic_init(&n->settled, !later);
    n->gated = ((o->balance && n->map) || later) && n->nworkers > 1;
    if (o->balance && (n->map || later)) {
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
        fifo_fini(&w->soon);
        aged_fini(&w->aged);
        mem_free(w->ahead);
        fifo_fini(&w->ranges_of[0]);
        fifo_fini(&w->ranges_of[1]);
        fifo_fini(&w->begun);
        fifo_fini(&w->looked_at);
        deque_fini(&w->ready);
        deque_fini(&w->cold);
        deque_fini(&w->came);
        deque_fini(&w->ranges);
        harvest_fini(&w->harvest);
        mem_free(w->draft);
        mem_free(w->aside);
        mem_free(w->actual);
        mem_free(w->df);
        mem_free(w->seen);
        mem_free(w->known.ticks);
        costs_free(w->costs);
    }
    ranked_fini(&n->ranked);
    lead_fini(&n->lead);
    rebalance_free(n->balance);
    store_free(n->store);
    past_free(n->past);
    copies_free(n->copies);
    ledger_free(n->ledger);
    scopes_fini(n->scopes);
    distrib_free(n->map);
    n->net->ops->free(n->net);
    free(n->workers);
    free(n); /* the first of the whole */
}

void
node_start(struct node *n, struct frame *main)
{
    struct range *r = exec_body_range(main, n->program->subs[main->sub].body);
    if (!r) fault_nomem();
    worker_later(&n->workers[0], &r->head);
}

/* ---- the run ---- */

/* Who asks what runs and what waits must not wake a function that sleeps (run/ask.h). */
static int
number_of(const struct worker *w)
{
    return w->node->number * w->node->nworkers + w->number;
}

void
node_worker_bind(const struct worker *w)
{
    topo_bind_worker(number_of(w));
}

void
node_worker_start(struct worker *w, pthread_t *thread, void *(*run)(void *), void *who)
{
    sigset_t asks, before;
    sigemptyset(&asks);
    sigaddset(&asks, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &asks, &before);
    int e = topo_start_worker(thread, run, who, number_of(w));
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!e) return;
    fault_begin(F_RUN12, LUNA_NONE, "cannot start a thread for worker %d of node %d: %s", w->number,
                w->node->number, strerror(e));
    fault_hint("ask for fewer workers (-t) or nodes (-n)");
    fault_end(5);
}

enum { BEGIN_LOOKS = 100 }; /* for the run, before a thread yields its core */

/* It is a matter of microseconds, in which to wake a thread that sleeps would be late. */
void
node_thread_awaits(const atomic_bool *begun)
{
    for (unsigned looks = 0; !atomic_load_explicit(begun, memory_order_acquire); looks++) {
        if (looks < BEGIN_LOOKS) spin_relax();
        else sched_yield();
    }
}

static bool
says_bytes(const struct luna_program *p)
{
    for (uint32_t i = 0; i < p->nabouts; i++)
        if (p->abouts[i].bytes != LUNA_NONE) return true;
    return false;
}

void
node_look_for_watchers(struct node *n)
{
    bool watched =
        n->debug || n->compares || n->weighs || n->speeds || n->gated;
    n->measures = (n->debug || n->tells) && says_bytes(n->program);
    bool puts_here =
        n->nodes == 1 && !n->hash && !n->past && !n->cells && !n->measures;
    n->began_ns = n->net->ops->now_ns(n->net);
    for (int i = 0; i < n->nworkers; i++) {
        struct worker *w = &n->workers[i];
        w->told = n->tells && !n->weighs;
        w->watched = watched || w->trace || w->costs || w->told;
        w->only_traced = w->trace && !(watched || w->costs || w->told);
        w->puts_here = puts_here;
        w->timed = true;
    }
}

enum err
node_settle(struct worker *w, const struct distrib_setup *map,
            const struct rebalance_knobs *balance, const char **why)
{
    struct node *n = w->node;
    if (n->nodes == 1) return OK;
    node_still(w);
    enum err e = map_new(n, map, why);
    if (e == OK && balance) e = rebalance_new(&n->balance, n, balance);
    w->watched |= w->costs != NULL; /* of several, each is: they say when they are inside */
    node_go(w);
    if (e == OK && TRACED(w)) trace_settled(w);
    return e;
}

struct crew {
    bool many;
    struct turners *turners; /* one worker each, and several nodes; else NULL */
    pthread_t thread[];
};

struct crew *
crew_new(struct node **nodes, int n)
{
    size_t workers = (size_t)n * (size_t)nodes[0]->nworkers;
    struct crew *c = mem_zalloc(1, sizeof *c + workers * sizeof *c->thread);
    if (!c) fault_nomem();
    c->many = nodes[0]->nworkers > 1;
    bool alone = n == 1 && nodes[0]->nodes == 1;
    if (c->many) nodes_start_many(nodes, n, c->thread);
    else if (!alone) c->turners = nodes_start_turned(nodes, n, c->thread);
    return c;
}

void
crew_meet(struct node **nodes, struct crew *c)
{
    if (c->many) nodes_meet_many(nodes);
    else if (c->turners) nodes_meet_turned(c->turners);
    else worker_takes_core(&nodes[0]->workers[0]);
    pool_thread_begin();
}

void
nodes_run(struct node **nodes, int n, struct crew *c)
{
    for (int i = 0; i < n; i++) node_look_for_watchers(nodes[i]);
    if (c->many) nodes_run_many(nodes, n, c->thread);
    else if (c->turners) nodes_run_turned(c->turners, c->thread);
    else node_run_alone(nodes[0]);
    mem_free(c);
}

/* ---- distance, identities ---- */

