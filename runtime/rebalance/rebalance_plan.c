/* rebalance_plan.c - --balance=two-phase: what planner.h has found, carried out.
 *
 * Under patch cells go straight from their old to their final owner, with all that is bound to
 * them. Under rope only borders can slide: so first cells change owners along the line, by name
 * only, and when all borders are where they should be, what is bound to the cells follows in one
 * go. Until then nobody misses it: who asks the new owner waits there, as if it had not been made
 * yet. */
#include "rebalance_parts.h"

#include "runtime/base/mem.h"
#include "runtime/base/vec.h"
#include "runtime/fault/fault.h"
#include "runtime/exec/move.h"
#include "runtime/planner/planner.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Loads of time are nanoseconds of a round of calls. What is gained in so many rounds must be more
 * than it takes to move the bytes, which all nodes do at the same time. */
static const double rounds_ahead = 10, ns_a_byte = 1;

struct going {
    uint32_t cell;
    int to;
    bool passes; /* rope: was not ours when the step began; but something may have come for it */
};

struct two_phase {
    struct planner *plan;
    struct going *going; /* cells that leave in this step, by where they go */
    uint32_t ngoing, room;
    int64_t given[2], come[2]; /* cells in this step; rope: over the border on this side */
    bool moving, slides;
};

static void
send_plan(void *who, int to, const void *bytes, size_t n)
{
    rebalance_tell(who, to, TELL_PLAN, bytes, n);
}

static void
count_moved(void *who, uint64_t *sent, uint64_t *heard)
{
    const struct node *n = ((struct rebalance *)who)->node;
    *sent = n->moving_sent;
    *heard = n->moving_heard;
}

static enum err
two_phase_init(struct rebalance *b)
{
    struct two_phase *t = b->two_phase = mem_zalloc(1, sizeof *t);
    if (!t) return E_NOMEM;
    t->slides = distrib_slides(b->node->map);
    double bytes_cost = b->knobs.measure == LOAD_TIME ? ns_a_byte / rounds_ahead / b->nodes : 0;
    struct planner_setup s = {.map = b->node->map,
                              .cells = b->knobs.cells,
                              .node = b->node->number,
                              .nnodes = b->nodes,
                              .byte_cost = bytes_cost,
                              .unsteady = true,
                              .threshold = b->knobs.threshold,
                              .send = send_plan,
                              .count = count_moved,
                              .who = b};
    return planner_new(&t->plan, &s);
}

static void
two_phase_fini(struct rebalance *b)
{
    struct two_phase *t = b->two_phase;
    if (!t) return;
    planner_free(t->plan);
    mem_free(t->going);
    mem_free(t);
}

/* ---- moving ---- */

static void
note_going(void *who, uint32_t cell, int to)
{
    struct two_phase *t = who;
    if (!vec_more(NULL, t->going, t->ngoing, t->room)) fault_nomem();
    t->going[t->ngoing++] = (struct going){cell, to, false};
}

static void
note_passing(struct two_phase *t, uint32_t cell, int to)
{
    note_going(t, cell, to);
    t->going[t->ngoing - 1].passes = true;
}

static int
compare_going(const void *pa, const void *pb)
{
    const struct going *a = pa, *b = pb;
    if (a->to != b->to) return a->to < b->to ? -1 : 1;
    return (a->cell > b->cell) - (a->cell < b->cell);
}

/* Tells each node that gets something of its cells, and gives it those which are still ours. */
static void
give_groups(struct rebalance *b)
{
    struct two_phase *t = b->two_phase;
    uint32_t *cells = mem_alloc(((size_t)t->ngoing + 1) * sizeof *cells);
    if (!cells) fault_nomem();
    for (uint32_t i = 0, n = 0; i < t->ngoing; i++) {
        const struct going *g = &t->going[i];
        if (!g->passes) cells[n++] = g->cell;
        if (i + 1 < t->ngoing && g[1].to == g->to) continue;
        if (n) {
            rebalance_count(b, g->to, cells, n);
            move_traced(b->w, g->to, cells, n);
            if (!t->slides) move_owners(b->w, g->to, cells, n);
        }
        n = 0;
    }
    mem_free(cells);
}

static void
move_bound(struct rebalance *b)
{
    struct two_phase *t = b->two_phase;
    if (!t->ngoing) return;
    qsort(t->going, t->ngoing, sizeof *t->going, compare_going);
    give_groups(b);
    struct cell_move *moves = mem_alloc(t->ngoing * sizeof *moves);
    if (!moves) fault_nomem();
    for (uint32_t i = 0; i < t->ngoing; i++)
        moves[i] = (struct cell_move){t->going[i].cell, t->going[i].to};
    move_contents(b->w, moves, t->ngoing);
    mem_free(moves);
}

struct line { /* the cells at one end of ours, from the middle of the curve on */
    uint32_t *cell, n, skip, most;
};

static void
note_end(void *who, uint32_t cell)
{
    struct line *l = who;
    if (l->skip) l->skip--;
    else if (l->n < l->most) l->cell[l->n++] = cell;
}

/* How many cells have still to cross the border on this side; below 0: to us. */
static int64_t
still_to_cross(const struct two_phase *t, int side)
{
    return planner_crossing(t->plan, side) - t->given[side] + t->come[side];
}

/* Gives as many cells over a border as have to cross it and are here. */
static void
slide(struct rebalance *b, int side)
{
    struct two_phase *t = b->two_phase;
    uint32_t own = distrib_count(b->node->map);
    int64_t cross = still_to_cross(t, side);
    if (cross <= 0 || !own) return;
    struct line l = {.most = cross < own ? (uint32_t)cross : own};
    l.skip = side ? own - l.most : 0;
    l.cell = mem_alloc(l.most * sizeof *l.cell);
    if (!l.cell) fault_nomem();
    distrib_each(b->node->map, note_end, &l);
    t->given[side] += l.n;
    int to = b->node->number + (side ? 1 : -1);
    for (uint32_t i = 0; i < l.n; i++)
        if (!loads_has(&b->loads, l.cell[i])) note_passing(t, l.cell[i], to);
    move_owners(b->w, to, l.cell, l.n);
    mem_free(l.cell);
}

static bool
has_arrived(const struct two_phase *t)
{
    if (t->slides) return !still_to_cross(t, 0) && !still_to_cross(t, 1);
    return t->come[0] == planner_expected(t->plan);
}

static void
start_moving(struct rebalance *b)
{
    struct two_phase *t = b->two_phase;
    t->moving = true;
    t->ngoing = 0;
    planner_each_move(t->plan, note_going, t);
    if (!t->slides) move_bound(b);
}

static void
step_is_over(struct rebalance *b)
{
    struct two_phase *t = b->two_phase;
    struct planner_summary r = planner_summary(t->plan);
    if (t->moving && t->slides) move_bound(b);
    t->moving = false;
    /* What goes with a cell comes before it: its load. The shape of domains, protocols 9.2 to 9.5,
     * is the planner's to assert. */
    assert(t->slides || b->loads.n == distrib_count(b->node->map));
    b->own.why = r.why;
    rebalance_end(b, (r.taken ? r.after : r.before) * r.even, b->own.load);
}

static void
go_on(struct rebalance *b)
{
    struct two_phase *t = b->two_phase;
    enum planner_state s = planner_state(t->plan);
    if (s == PLANNER_MOVE && !t->moving) start_moving(b);
    if (s == PLANNER_MOVE && t->slides) {
        slide(b, 0);
        slide(b, 1);
    }
    if (s == PLANNER_MOVE && has_arrived(t) && planner_moved(t->plan) != OK) fault_nomem();
    if (planner_state(t->plan) == PLANNER_IDLE && atomic_load(&b->busy)) step_is_over(b);
}

/* ---- a step ---- */

/* The planner wants cells as the distributor lists them: along the rope. */
struct listed {
    const struct loads *of;
    uint32_t *cell, n;
    double *load, *bytes;
};

static void
list_cell(void *who, uint32_t cell)
{
    struct listed *l = who;
    l->cell[l->n] = cell;
    l->load[l->n] = loads_of(l->of, cell) * l->of->speed;
    l->bytes[l->n] = loads_bytes_of(l->of, cell);
    l->n++;
}

static void
two_phase_begin(struct rebalance *b)
{
    struct two_phase *t = b->two_phase;
    size_t n = b->loads.n + 1;
    struct listed l = {.of = &b->loads,
                       .cell = mem_alloc(n * sizeof *l.cell),
                       .load = mem_alloc(n * sizeof *l.load),
                       .bytes = mem_alloc(n * sizeof *l.bytes)};
    if (!l.cell || !l.load || !l.bytes) fault_nomem();
    distrib_each(b->node->map, list_cell, &l);
    memset(t->given, 0, sizeof t->given);
    memset(t->come, 0, sizeof t->come);
    if (planner_begin(t->plan, l.cell, l.load, l.bytes, l.n, b->loads.speed, b->unknown) != OK)
        fault_nomem();
    mem_free(l.cell);
    mem_free(l.load);
    mem_free(l.bytes);
    go_on(b);
}

static bool
two_phase_called(const struct rebalance *b)
{
    return planner_called(b->two_phase->plan);
}

bool
rebalance_two_phase_hear(struct rebalance *b, int from, const void *bytes, size_t n)
{
    if (!b->two_phase) return false;
    enum err e = planner_hear(b->two_phase->plan, from, bytes, n);
    if (e == E_NOMEM) fault_nomem();
    if (e == OK) go_on(b);
    return e == OK;
}

static void
two_phase_taken(struct rebalance *b, int from, uint32_t cells, unsigned told)
{
    struct two_phase *t = b->two_phase;
    (void)told;
    t->come[t->slides && from > b->node->number] += cells;
    go_on(b);
}

const struct rebalance_way rebalance_two_phase = {
    .init = two_phase_init,
    .fini = two_phase_fini,
    .begin = two_phase_begin,
    .called = two_phase_called,
    .taken = two_phase_taken,
};
