/* inbox.c - packets that have come: passed on to whoever owns their cell, or done. */
#include "inbox.h"

#include "runtime/base/exit.h"
#include "runtime/node/done.h"
#include "runtime/fault/fault.h"
#include "runtime/exec/copy.h"
#include "runtime/exec/gone.h"
#include "runtime/exec/home.h"
#include "runtime/exec/move.h"
#include "runtime/rebalance/rebalance.h"
#include "runtime/exec/reduce.h"
#include "runtime/node/send.h"
#include "runtime/node/trace.h"
#include "runtime/exec/settle.h"
#include "runtime/exec/share.h"
#include "runtime/exec/spread.h"
#include "runtime/exec/steal.h"

#include <assert.h>

static bool
on_owner(struct worker *w, struct reader *r)
{
    const struct node *n = w->node;
    uint32_t cell = read_u32(r), epoch = read_u32(r);
    if (!reader_done(r) || !n->map || cell >= lattice_size(n->cells)) return false;
    distrib_learn(n->map, cell, r->packet->from, epoch);
    return true;
}

/* ---- cells that come: what had looked for them goes on, then balancing does ---- */

static bool
on_parcel(struct worker *w, struct reader *r)
{
    struct taken t;
    int from = r->packet->from;
    if (!move_take(w, r, &t)) return false;
    for (struct packet *p = t.parked, *next; p; p = next) {
        next = p->next;
        atomic_fetch_add(&w->node->received, 1);
        inbox_take(w, p);
    }
    rebalance_taken(w, from, t.cells, t.told);
    return true;
}

static bool
on_news(struct worker *w, struct reader *r)
{
    unsigned told;
    if (!move_hear(w, r, &told)) return false;
    rebalance_heard(w, r->packet->from, told);
    return true;
}

/* ---- the way to the owner of a cell ---- */

enum arrival { ARRIVED, PASSED_ON, MALFORMED };

static enum arrival
route(struct worker *w, struct packet *p, struct reader *rd)
{
    const struct node *n = w->node;
    struct route r;
    assert(n->map || !n->settle); /* protocols 9.8 */
    if (!n->map || !msg_is(p->kind, MSG_TO_CELL) || p->size < sizeof r) return MALFORMED;
    rd->end -= sizeof r;
    char *words = p->body + (p->size - sizeof r);
    memcpy(&r, words, sizeof r);
    if (r.cell >= lattice_size(n->cells) || r.from < 0 || r.from >= n->nodes) return MALFORMED;
    int next = distrib_onward(n->map, r.cell, &r.at);
    if (next == DISTRIB_WAIT) {
        move_park(w->node, p);
        return PASSED_ON;
    }
    if (next != n->number) {
        r.hops++;
        memcpy(words, &r, sizeof r);
        node_send(w->node, next, p);
        return PASSED_ON;
    }
    p->kind &= ~MSG_ROUTED;
    p->from = r.from;
    rd->bound = r.cell + 1;
    w->walks++;
    w->walked += r.hops + 1;
    if (w->farthest < r.hops + 1) w->farthest = r.hops + 1;
    if (r.hops && r.from != n->number) send_owner(w, r.from, r.cell);
    return ARRIVED;
}

/* ---- the table ---- */

typedef bool handler(struct worker *w, struct reader *r); /* false: malformed */

static handler *const handlers[MSG_KINDS] = {
    [MSG_CALL] = on_call,   [MSG_RANGE] = on_range, [MSG_REQUEST] = on_request,
    [MSG_VALUE] = on_value, [MSG_PUT] = on_put,     [MSG_KILL] = on_kill,
    [MSG_ENDED] = on_ended, [MSG_PROBE] = on_probe, [MSG_REPORT] = on_report,
    [MSG_STOP] = on_stop,   [MSG_GO_ON] = on_go_on,
    [MSG_OWNER] = on_owner, [MSG_PARCEL] = on_parcel,
    [MSG_NEWS] = on_news,   [MSG_FRAGMENT] = on_fragment, [MSG_WAITING] = on_waiting,
    [MSG_FOLLOWS] = on_follows, [MSG_STOLEN] = on_stolen, [MSG_HUNGRY] = on_hungry,
    [MSG_FOLDED] = on_folded, [MSG_TERMS] = on_terms,
    [MSG_BALANCE] = on_balance, [MSG_SPREAD] = on_spread,
    [MSG_COPY] = on_copy,   [MSG_COUNTS] = on_counts, [MSG_DROP] = on_drop,
    [MSG_LEFT] = on_left,   [MSG_TURNED] = on_turned,
    [MSG_LATTICE] = on_lattice, [MSG_SETTLED] = on_settled, [MSG_RAN] = on_ran,
};

void
inbox_take(struct worker *w, struct packet *p)
{
    struct reader r = reader_of(p, w->node->program);
    enum arrival a = p->kind & MSG_ROUTED ? route(w, p, &r) : ARRIVED;
    if (a == PASSED_ON) return;
    trace_comes(w, p);
    handler *h = a == ARRIVED && p->kind < MSG_KINDS ? handlers[p->kind] : NULL;
    if (!h || !h(w, &r)) {
        fault_begin(F_RUN12, LUNA_NONE, "node %d sent a malformed message of kind %u to node %d",
                    p->from, p->kind, w->node->number);
        fault_hint("all nodes must run the same version of luna and of the program");
        fault_end(EXIT_SYSTEM);
    }
    packet_free(p);
}
