/* node.c - what a node and its workers can do by themselves: give identities, send, stop, stand
 * still. It must not know statements, nor who turns it. */
#include "node.h"

#include "runtime/node/msg.h"
#include "runtime/node/trace.h"

#include <sched.h>

enum {
    NODE_SHIFT = 44,    /* identities: node number above, serial below */
    TOGETHER_NS = 1000, /* calls that take less are short */
    SHORT_CALLS = 16    /* so many must have been short before others are taken to be, too */
};

/* ---- sending ---- */

void
node_send(struct node *n, int to, struct packet *p)
{
    if (msg_is(p->kind, MSG_WORK))
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
node_send_off(struct node *n, bool at_once)
{
    if (!n->net->ops->flush || !n->net->ops->pending(n->net)) return;
    if (!at_once && may_travel_together(n)) return;
    if (atomic_flag_test_and_set_explicit(&n->polling, memory_order_acquire)) return;
    n->net->ops->flush(n->net);
    atomic_flag_clear_explicit(&n->polling, memory_order_release);
}

void
node_stop(struct node *n)
{
    atomic_store(&n->stop, true);
    node_wake_all(n);
}

/* ---- standing still, and the rest ---- */

int
node_distance(const struct node *n, int to)
{
    if (n->map) return distrib_distance(n->map, n->number, to);
    return to > n->number ? to - n->number : n->number - to;
}

uint64_t
worker_new_id(struct worker *w)
{
    if (w->serial == w->serial_end) {
        uint64_t block = atomic_fetch_add_explicit(&w->node->serials, 1, memory_order_relaxed);
        /* Not 0: a report tells identities from counters by their size. */
        w->serial = ((uint64_t)w->node->number << NODE_SHIFT) + (1ull << 40) +
                    (block << KEY_BLOCK_BITS);
        w->serial_end = w->serial + (1ull << KEY_BLOCK_BITS);
    }
    return w->serial++;
}

void
node_stands_still(struct node *n)
{
    int wanted = LOOK_WANTED;
    if (!atomic_compare_exchange_strong(&n->look, &wanted, LOOK_GRANTED)) return;
    while (atomic_load_explicit(&n->look, memory_order_acquire) == LOOK_GRANTED) sched_yield();
}

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

double
worker_spends(struct worker *w, double weight)
{
    struct transport *net = w->node->net;
    double ns = weight * (double)w->node->call_ns;
    if (w->node->speeds) ns /= node_speed(w->node);
    uint64_t whole = (uint64_t)(ns + 0.5);
    w->weight += weight;
    w->called += whole;
    net->ops->spend(net, whole);
    return ns;
}
