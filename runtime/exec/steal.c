/* steal.c - see steal.h. */
#include "steal.h"

#include "runtime/exec/exec_parts.h"
#include "runtime/fault/fault.h"
#include "runtime/exec/home.h"
#include "runtime/node/send.h"

enum {
    NEIGHBOURS = 31, /* bits of a node's number */
    LOOK = 16,       /* entries at the end of a queue that are looked at */
    GIVE = 8         /* calls at once to one neighbour, at most half of what there is */
};

static bool
is_neighbour(const struct node *n, int k)
{
    return (n->number ^ 1 << k) < n->nodes;
}

/* Which neighbour `node` is; -1: none. */
static int
neighbour_of(const struct node *n, int node)
{
    unsigned bits = (unsigned)(n->number ^ node);
    return __builtin_popcount(bits) == 1 ? __builtin_ctz(bits) : -1;
}

/* ---- what can be stolen ---- */

static bool
may_go(const struct node *n, const struct task *t)
{
    if (t->kind != TASK_READY && t->kind != TASK_START) return false;
    if (t->flags & TASK_GATHERED) return false; /* its lists are here */
    const struct luna_site *site = &n->program->sites[t->site];
    return site->flags & LUNA_F_STEALABLE && site->kind == LUNA_S_CALL && t->at == site->nin;
}

/* One worker: of calls that may be long, one of the youngest. */
static struct task *
take_long(struct worker *w)
{
    for (size_t i = w->aged.n, n = 0; i-- > 0 && n < LOOK; n++)
        if (may_go(w->node, w->aged.item[i].task)) return aged_take(&w->aged, i);
    return NULL;
}

/* The last of the queue that may go, those behind it move up. */
static struct task *
take_short(struct worker *w)
{
    struct fifo *q = &w->fifo;
    for (size_t i = q->tail, n = 0; i > q->head && n < LOOK; i--, n++) {
        struct task *t = q->ring[(i - 1) & q->mask];
        if (!may_go(w->node, t)) continue;
        for (size_t k = i; k < q->tail; k++) q->ring[(k - 1) & q->mask] = q->ring[k & q->mask];
        q->tail--;
        return t;
    }
    return NULL;
}

static struct task *
take_last(struct worker *w)
{
    struct task *t = take_long(w);
    if (!t) t = take_short(w);
    if (t) w->nready--;
    return t;
}

/* Many: the oldest of this worker's own; another kind goes back. */
static struct task *
take_oldest(struct worker *w)
{
    struct task *t = worker_steal_call(w);
    if (!t) t = ranked_last(&w->node->ranked);
    if (!t || may_go(w->node, t)) return t;
    bool ready = t->kind == TASK_READY;
    if (ready && w->node->recipes[t->site].ranked) worker_ready(w, t);
    else if (!deque_push(ready ? &w->ready : &w->came, t)) fault_nomem();
    return NULL;
}

/* How many calls may leave without this worker having nothing. A loop that has paused makes none:
 * if it counted, nodes whose loops have all paused would hand the same call on and on. */
static long
surplus(struct worker *w)
{
    if (w->many) return worker_has_calls(w) || !ranked_empty(&w->node->ranked);
    if (!fifo_empty(&w->soon)) return 0; /* there is more to come: give all at once */
    return (w->nready + (worker_has_ranges(w) && !worker_should_pause(w))) / 2;
}

/* ---- giving ---- */

static bool
give(struct worker *w, int to, long most)
{
    const struct luna_program *p = w->node->program;
    bool any = false;
    for (struct task *t; most-- > 0; any = true) {
        if (!(t = w->many ? take_oldest(w) : take_last(w))) break;
        /* One that came as CALL was not yet counted as waiting here. */
        if (t->kind == TASK_START) worker_call_waiting(w, t, 1);
        send_give(w, to, &p->sites[t->site], t);
        exec_task_left(w, &p->sites[t->site], t);
    }
    return any;
}

void
steal_give(struct worker *w)
{
    struct node *n = w->node;
    uint64_t hungry = atomic_load(&n->hungry);
    for (int k = 0; k < NEIGHBOURS && hungry >> k; k++) {
        uint64_t bit = (uint64_t)1 << k;
        long most = surplus(w);
        if (!most) return;
        if (!(hungry & bit) || !(atomic_fetch_and(&n->hungry, ~bit) & bit)) continue;
        if (!give(w, n->number ^ 1 << k, most < GIVE ? most : GIVE)) {
            atomic_fetch_or(&n->hungry, bit);
            return;
        }
    }
}

bool
on_hungry(struct worker *w, struct reader *r)
{
    struct node *n = w->node;
    int k = neighbour_of(n, r->packet->from);
    if (!reader_done(r) || k < 0 || !n->steals) return false;
    atomic_fetch_or(&n->hungry, (uint64_t)1 << k);
    return true;
}

/* ---- asking ---- */

static void
tell_hungry(struct node *n, int to)
{
    struct packet *p = packet_new(MSG_HUNGRY, 0);
    if (!p) fault_nomem();
    node_send(n, to, p);
}

void
steal_ask(struct worker *w)
{
    struct node *n = w->node;
    for (int k = 0; k < NEIGHBOURS && 1 << k < n->nodes; k++) {
        uint64_t bit = (uint64_t)1 << k;
        if (!is_neighbour(n, k) || n->asked & bit) continue;
        n->asked |= bit;
        tell_hungry(n, n->number ^ 1 << k);
    }
}

bool
on_stolen(struct worker *w, struct reader *r)
{
    struct node *n = w->node;
    int k = neighbour_of(n, r->packet->from);
    if (k < 0 || !n->steals) return false;
    n->asked &= ~((uint64_t)1 << k);
    w->steals++;
    return on_call(w, r);
}
