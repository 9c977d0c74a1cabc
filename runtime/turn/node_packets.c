/* node_packets.c - packets to and from other nodes, and what else one worker does at a time:
 * steps of balancing, rest. */
#include "node_parts.h"

#include "runtime/fault/fault.h"
#include "runtime/exec/copy.h"
#include "runtime/node/done.h"
#include "runtime/node/msg.h"
#include "runtime/rebalance/rebalance.h"
#include "runtime/turn/inbox.h"
#include "runtime/node/trace.h"

/* ---- what comes ---- */

void
node_handle(struct worker *w, struct packet *p)
{
    for (struct packet *next; p; p = next) {
        next = p->next;
        if (msg_is(p->kind, MSG_ASKS)) heed_asked(&w->heed);
        if (msg_is(p->kind, MSG_WORK))
            atomic_fetch_add_explicit(&w->node->received, 1, memory_order_relaxed);
        inbox_take(w, p);
    }
}

bool
node_poll(struct worker *w)
{
    struct node *n = w->node;
    if (!node_may_have_come(n)) return false;
    if (atomic_flag_test_and_set_explicit(&n->polling, memory_order_acquire)) return false;
    struct packet *p = n->net->ops->poll(n->net);
    bool any = p != NULL;
    node_handle(w, p);
    atomic_flag_clear_explicit(&n->polling, memory_order_release);
    return any;
}

void
node_balance_sometimes(struct worker *w)
{
    struct node *n = w->node;
    if (!rebalance_due(w) || atomic_flag_test_and_set_explicit(&n->polling, memory_order_acquire))
        return;
    if (rebalance_due(w)) rebalance_begin(w);
    atomic_flag_clear_explicit(&n->polling, memory_order_release);
}

/* ---- rest ---- */

/* All workers of this node were found idle, after `departures` of them from that state. */
static bool
still_idle(struct node *n, unsigned departures)
{
    return n->nworkers == 1 || (atomic_load(&n->idle) == n->nworkers &&
                                atomic_load(&n->departures) == departures);
}

/* Who polls may wake it: so look once more under the flag. */
void
node_rests(struct worker *w, unsigned departures)
{
    struct node *n = w->node;
    if (n->nodes == 1) {
        assert(node_is_at_rest(n, false)); /* section 7 */
        node_stop(n);
        return;
    }
    if (atomic_flag_test_and_set_explicit(&n->polling, memory_order_acquire)) return;
    if (!n->net->ops->pending(n->net) && still_idle(n, departures)) {
        assert(node_is_at_rest(n, false)); /* sections 6, 7 */
        if (n->steals) steal_ask(w);
        copy_rest(w);
        /* One of the idle may leave to go on with a loop that has paused: what was seen counts if
         * nobody had left when it was seen. */
        struct done_seen seen = done_look(n);
        if (still_idle(n, departures)) done_at_rest(w, &seen);
    }
    atomic_flag_clear_explicit(&n->polling, memory_order_release);
}
