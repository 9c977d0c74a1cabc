/* local.c - nodes of one process: an inbox each, a stack that any thread pushes and its node
 * empties.
 *
 * Order per pair holds: a sender's pushes are in its own order, and emptying reverses the stack. A
 * node with several workers sends from all of them; their packets have no order among each other,
 * as those of two threads never have. */
#include "transport.h"

#include "runtime/base/clock.h"
#include "runtime/base/mem.h"

#include <stdatomic.h>
#include <stdlib.h>

struct local_hub;

struct local {
    struct transport base;
    struct local_hub *hub;
    _Alignas(128) _Atomic(struct packet *) inbox; /* newest first */
};

struct local_hub {
    int nodes, open; /* endpoints not yet freed */
    struct local endpoint[];
};

static void
local_send(struct transport *t, int to, struct packet *p)
{
    struct local *l = (struct local *)t;
    _Atomic(struct packet *) *inbox = &l->hub->endpoint[to].inbox;
    p->from = t->node;
    p->to = to;
    p->next = atomic_load_explicit(inbox, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(inbox, &p->next, p, memory_order_release,
                                                  memory_order_relaxed))
        continue;
    struct bell *bell = l->hub->endpoint[to].base.bell;
    if (bell) bell_ring(bell);
}

static struct packet *
local_poll(struct transport *t)
{
    struct local *l = (struct local *)t;
    if (!atomic_load_explicit(&l->inbox, memory_order_relaxed)) return NULL;
    struct packet *p = atomic_exchange_explicit(&l->inbox, NULL, memory_order_acquire);
    struct packet *oldest = NULL;
    while (p) {
        struct packet *next = p->next;
        p->next = oldest;
        oldest = p;
        p = next;
    }
    return oldest;
}

static int
local_pending(struct transport *t)
{
    return atomic_load_explicit(&((struct local *)t)->inbox, memory_order_relaxed) != NULL;
}

static uint64_t
local_now_ns(struct transport *t)
{
    (void)t;
    return clock_ns();
}

static void
local_free(struct transport *t)
{
    struct local *l = (struct local *)t;
    for (struct packet *p = local_poll(t), *next; p; p = next) {
        next = p->next;
        packet_free(p);
    }
    if (--l->hub->open == 0) free(l->hub);
}

static const struct transport_ops local_ops = {.send = local_send,
                                               .poll = local_poll,
                                               .pending = local_pending,
                                               .now_ns = local_now_ns,
                                               .free = local_free};

enum err
transport_local_new(struct transport **out, int nodes)
{
    size_t bytes = sizeof(struct local_hub) + (size_t)nodes * sizeof(struct local);
    struct local_hub *h = aligned_alloc(128, (bytes + 127) & ~(size_t)127);
    if (!h) return E_NOMEM;
    h->nodes = h->open = nodes;
    for (int i = 0; i < nodes; i++) {
        struct local *l = &h->endpoint[i];
        l->base = (struct transport){.ops = &local_ops, .node = i, .nodes = nodes,
                                     .host_nodes = nodes};
        l->hub = h;
        atomic_init(&l->inbox, NULL);
        out[i] = &l->base;
    }
    return OK;
}
