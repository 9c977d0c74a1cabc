/* rebalance.c - when steps begin and end. */
#include "rebalance_parts.h"

#include "runtime/base/mem.h"
#include "runtime/table/cells.h"
#include "runtime/node/costs.h"
#include "runtime/fault/fault.h"
#include "runtime/exec/move.h"
#include "runtime/node/msg.h"
#include "runtime/exec/where.h"
#include "runtime/node/send.h"
#include "runtime/node/trace.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* In these it may be that a node has hardly begun. Not in all: many cells may have no calls. */
enum { FIRST_STEPS = 8 };

static uint64_t
now_ns(const struct rebalance *b)
{
    return b->node->net->ops->now_ns(b->node->net);
}

/* ---- messages ---- */

void
rebalance_tell(struct rebalance *b, int to, enum rebalance_what what, const void *bytes, size_t n)
{
    struct writer wr = {0};
    write_u32(&wr, what);
    write_bytes(&wr, bytes, n);
    if (wr.failed) fault_nomem();
    send_bytes(b->w, to, MSG_BALANCE, writer_data(&wr), wr.size);
    writer_fini(&wr);
}

/* ---- steps ---- */

bool
rebalance_due(struct worker *w)
{
    struct rebalance *b = w->node->balance;
    if (!b || atomic_load_explicit(&b->busy, memory_order_relaxed)) return false;
    if (!atomic_load_explicit(&w->node->settled, memory_order_relaxed)) return false;
    uint32_t step = atomic_load_explicit(&b->step, memory_order_relaxed);
    if (w->balanced != step) {
        w->balanced = step;
        w->calls_then = w->calls;
    }
    if (w->calls == w->calls_then) return false;
    uint64_t since = w->calls - w->calls_then, nworkers = (uint64_t)w->node->nworkers;
    if (b->knobs.every_calls && since * nworkers < b->knobs.every_calls) return false;
    return now_ns(b) - atomic_load_explicit(&b->ended_ns, memory_order_relaxed) >=
           atomic_load_explicit(&b->rest_ns, memory_order_relaxed);
}

/* When the first node has come as far as to begin a step, the thread of another may have just
 * started: its loads are not low, but not known. While all stand still. */
static bool
has_hardly_begun(const struct rebalance *b)
{
    const struct node *n = b->node;
    uint64_t calls = 0;
    bool waits = false; /* something, to be run */
    for (int i = 0; i < n->nworkers; i++) {
        struct worker *w = &n->workers[i];
        calls += w->calls;
        waits |= w->many ? worker_has_calls(w) || !deque_empty(&w->ranges) ||
                               !ranked_empty(&w->node->ranked)
                         : worker_has_turns(w);
    }
    return atomic_load(&b->step) <= FIRST_STEPS && waits && calls < distrib_count(n->map);
}

static void
begin(struct rebalance *b)
{
    if (!b->loads.taken_ns) b->loads.taken_ns = b->node->began_ns;
    atomic_fetch_add(&b->step, 1);
    atomic_store(&b->busy, true);
    node_still(b->w);
    if (loads_take(&b->loads, b->node, b->knobs.measure, now_ns(b)) != OK) fault_nomem();
    b->unknown = has_hardly_begun(b);
    node_go(b->w);
    b->own = (struct rebalance_summary){.step = atomic_load(&b->step),
                                       .nodes = 1,
                                       .load = b->loads.total,
                                       .often = b->loads.often,
                                       .active = b->loads.active,
                                       .heaviest = b->loads.heaviest,
                                       .before = b->loads.total};
    b->way->begin(b);
}

/* step: has just ended; 0: none. */
static void
trace_now_owned(struct rebalance *b, uint32_t step)
{
    uint64_t now = now_ns(b);
    if (TRACED(b->w)) trace_balanced(b->w, step, b->spent_ns + now - b->entered_ns, b->changed);
    if (step) {
        b->spent_ns = 0;
        b->entered_ns = now;
    }
    b->changed = false;
}

void
rebalance_end(struct rebalance *b, double after, double left)
{
    b->own.after = after;
    b->own.left = left;
    trace_now_owned(b, b->own.step);
    uint64_t rest = b->own.ns * REBALANCE_REST;
    atomic_store(&b->rest_ns, rest > b->knobs.every_ns ? rest : b->knobs.every_ns);
    atomic_store(&b->ended_ns, now_ns(b));
    atomic_store(&b->busy, false);
    rebalance_summary_add(b, &b->own);
}

/* Ends and begins as long as others are waiting for us. */
static void
go_on(struct rebalance *b)
{
    while (!atomic_load(&b->busy) && b->way->called(b)) begin(b);
}

/* Time spent here counts as the balancer's. */
static uint64_t
enter(struct worker *w)
{
    struct rebalance *b = w->node->balance;
    b->w = w;
    return b->entered_ns = now_ns(b);
}

static void
leave_after(struct rebalance *b, uint64_t begun)
{
    uint64_t now = now_ns(b);
    b->own.ns += now - begun;
    b->spent_ns += now - b->entered_ns;
}

void
rebalance_begin(struct worker *w)
{
    struct rebalance *b = w->node->balance;
    uint64_t begun = enter(w);
    begin(b);
    go_on(b);
    leave_after(b, begun);
}

static bool
hear_given(struct rebalance *b, int from, const void *bytes, size_t n)
{
    struct cell_load note;
    (void)from;
    if (n % sizeof note) return false;
    for (size_t at = 0; at < n; at += sizeof note) {
        memcpy(&note, (const char *)bytes + at, sizeof note);
        if (note.cell >= lattice_size(&b->knobs.cells)) return false;
        loads_scale(&note, 1 / b->loads.speed);
        if (loads_add(&b->loads, &note) != OK) fault_nomem();
    }
    return true;
}

/* Who hears what. False: malformed. */
typedef bool hear_fn(struct rebalance *b, int from, const void *bytes, size_t n);
static hear_fn *const hear[TELL_KINDS] = {
    [TELL_LOAD] = rebalance_paper_hear_load,
    [TELL_TRANSFER] = rebalance_paper_hear_transfer,
    [TELL_GIVEN] = hear_given,
    [TELL_PLAN] = rebalance_two_phase_hear,
    [TELL_SUMMARY] = rebalance_summary_hear,
    [TELL_LESSON] = rebalance_lesson_hear,
};

bool
on_balance(struct worker *w, struct reader *r)
{
    struct rebalance *b = w->node->balance;
    uint32_t what = read_u32(r);
    size_t n = (size_t)(r->end - r->at);
    int from = r->packet->from;
    assert(w->node->map || !w->node->settle); /* protocols 9.9 */
    if (!b || r->bad || from >= b->nodes || what >= TELL_KINDS) return false;
    uint64_t begun = enter(w);
    bool ok = hear[what](b, from, r->at, n);
    if (ok) go_on(b);
    leave_after(b, begun);
    return ok;
}

void
rebalance_taken(struct worker *w, int from, uint32_t cells, unsigned told)
{
    struct rebalance *b = w->node->balance;
    if (!b) return;
    uint64_t begun = enter(w);
    b->changed = true;
    b->way->taken(b, from, cells, told);
    go_on(b);
    if (!atomic_load(&b->busy)) trace_now_owned(b, 0); /* our own step is over */
    leave_after(b, begun);
}

void
rebalance_heard(struct worker *w, int from, unsigned told)
{
    struct rebalance *b = w->node->balance;
    if (!b || !b->way->heard) return;
    enter(w);
    b->way->heard(b, from, told);
}

/* ---- moving ---- */

/* Ahead of cells go their loads, so that the taker need not begin anew. */
void
rebalance_count(struct rebalance *b, int to, const uint32_t *cells, uint32_t n)
{
    struct cell_load *notes = mem_zalloc(n, sizeof *notes);
    if (!notes) fault_nomem();
    b->own.cells += n;
    b->changed = true;
    for (uint32_t i = 0; i < n; i++) {
        const struct cell_load *c = loads_find(&b->loads, cells[i]);
        notes[i].cell = cells[i];
        if (!c) continue;
        notes[i] = *c;
        loads_scale(&notes[i], b->loads.speed);
        b->own.bytes += (uint64_t)c->bytes;
        loads_drop(&b->loads, cells[i]);
    }
    rebalance_tell(b, to, TELL_GIVEN, notes, n * sizeof *notes);
    mem_free(notes);
}

void
rebalance_move(struct rebalance *b, int to, const uint32_t *cells, uint32_t n)
{
    rebalance_count(b, to, cells, n);
    move_cells(b->w, to, cells, n);
}

/* ---- the rest ---- */

static void
find_neighbours(struct rebalance *b)
{
    b->line = distrib_line(b->node->map);
    assert(lattice_size(&b->line) == (uint32_t)b->nodes);
    for (int side = 0; side < 2 * b->line.ndims; side++) {
        uint32_t to = lattice_beside(&b->line, (uint32_t)b->node->number, side);
        if (to != LATTICE_NONE) b->neighbour[b->nneighbours++] = (int)to;
    }
}

static enum err
note_costs(struct node *n, bool by_weight)
{
    for (int i = 0; i < n->nworkers; i++) {
        n->workers[i].by_weight = by_weight;
        if (costs_new(&n->workers[i].costs) != OK) return E_NOMEM;
    }
    return OK;
}

enum err
rebalance_new(struct rebalance **out, struct node *n, const struct rebalance_knobs *k)
{
    enum err e = OK;
    if (n->number >= distrib_nodes(n->map)) return OK; /* has no cells, and never will */
    struct rebalance *b = mem_zalloc(1, sizeof *b);
    if (!b) return E_NOMEM;
    b->node = n;
    b->knobs = *k;
    b->nodes = distrib_nodes(n->map);
    b->way = k->mode == REBALANCE_PAPER ? &rebalance_paper : &rebalance_two_phase;
    b->loads.speed = 1;
    if (n->settle) b->loads.taken_ns = now_ns(b); /* while the program runs */
    atomic_init(&b->rest_ns, k->every_ns);
    find_neighbours(b);
    if (k->measure == LOAD_TIME || k->measure == LOAD_WEIGHT)
        e = note_costs(n, k->measure == LOAD_WEIGHT);
    if (e == OK) e = b->way->init(b);
    if (e == OK) *out = b;
    else rebalance_free(b);
    return e;
}

void
rebalance_free(struct rebalance *b)
{
    if (!b) return;
    b->way->fini(b);
    loads_fini(&b->loads);
    rebalance_summary_fini(b);
    mem_free(b);
}
