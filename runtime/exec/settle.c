/* settle.c - see settle.h. */
#include "settle.h"

#include "runtime/base/exit.h"
#include "runtime/fault/fault.h"
#include "runtime/node/send.h"
#include "runtime/table/cells.h"

#include <sched.h>
#include <string.h>

/* What a LATTICE says. */
struct sides {
    uint32_t place; /* of the call */
    int32_t side[LATTICE_DIMS_MAX];
};

static void
settle_once(struct node *n, uint32_t place)
{
    const struct luna_program *p = n->program;
    if (!atomic_exchange(&n->settling, true)) return;
    fault_begin(F_RUN13, place, "a second call of '%s', which makes the lattice of cells",
                p->subs[p->lattice_sub].name);
    fault_note(p->subs[p->lattice_sub].place, "a program has one lattice: it is called once");
    fault_end(EXIT_RUN);
}

static void
tell_others(struct worker *w, enum msg_kind kind, const void *bytes, size_t size)
{
    for (int to = 0; to < w->node->nodes; to++)
        if (to != w->node->number) send_bytes(w, to, kind, bytes, size);
}

/* A statement is no handler, and waits for the one that runs: that does not wait for workers as
 * long as no cells move. */
static void
settle_between_handlers(struct worker *w, const struct lattice *l, uint32_t place)
{
    struct node *n = w->node;
    while (atomic_flag_test_and_set_explicit(&n->polling, memory_order_acquire)) sched_yield();
    n->settle(w, l, place);
    atomic_flag_clear_explicit(&n->polling, memory_order_release);
}

bool
settle_begin(struct worker *w, struct range *body, uint32_t place)
{
    struct node *n = w->node;
    struct sides s = {.place = place};
    settle_once(n, place);
    struct lattice l = cells_extent(n->program, body->head.frame, place);
    settle_between_handlers(w, &l, place);
    if (n->nodes == 1) return true;
    for (int d = 0; d < LATTICE_DIMS_MAX; d++) s.side[d] = l.side[d];
    n->unsettled = n->nodes - 1;
    n->body = body;
    tell_others(w, MSG_LATTICE, &s, sizeof s);
    return false;
}

bool
on_lattice(struct worker *w, struct reader *r)
{
    struct node *n = w->node;
    struct sides s;
    struct lattice l;
    if (!n->settle || r->end - r->at != sizeof s) return false;
    memcpy(&s, r->at, sizeof s);
    if (s.place != LUNA_NONE && s.place >= n->program->nplaces) return false;
    if (!lattice_init(&l, (int)n->program->nextents, s.side)) return false;
    settle_once(n, s.place);
    n->settle(w, &l, s.place);
    send_bytes(w, r->packet->from, MSG_SETTLED, NULL, 0);
    return true;
}

bool
on_settled(struct worker *w, struct reader *r)
{
    struct node *n = w->node;
    if (!n->settle || !n->map || atomic_load(&n->settled) || !reader_done(r)) return false;
    if (n->body && --n->unsettled) return true;
    atomic_store(&n->settled, true);
    if (!n->body) return true;
    struct range *body = n->body;
    n->body = NULL;
    tell_others(w, MSG_SETTLED, NULL, 0);
    worker_later(w, &body->head);
    return true;
}
