/* lines.c - sums over all nodes, and cells that travel: along the lines of the lattice, one
 * dimension after the other.
 *
 *     UP      0 --> 1 --> 2 <-- 3 <-- 4        each adds its own
 *     DOWN    0 <-- 1 <-- 2 --> 3 --> 4        the sum, the same bits for all
 *
 * After the last dimension all nodes have the sum over all. Two messages for each node and
 * dimension, whatever the number of nodes; and so many, one after the other, as the line is long.
 * On a rope the first sum goes from left to right, since each node is to know what is before it.
 *
 *     RIGHT   0 --> 1 --> 2 --> 3        cells that belong to a later row; each keeps its own
 *     LEFT    0 <-- 1 <-- 2 <-- 3        and those of an earlier one */
#include "parts.h"

#include <assert.h>
#include <math.h>
#include <string.h>

int
planner_beside(const struct planner *p, int side)
{
    uint32_t b = lattice_beside(&p->here.line, (uint32_t)p->set.node, 2 * p->now.dim + side);
    return b == LATTICE_NONE ? -1 : (int)b;
}

void
planner_sum_init(struct planner *p, uint32_t n, uint32_t nmax)
{
    assert(n <= p->sum_room);
    p->nsum = n;
    p->nmax = nmax;
    for (uint32_t i = 0; i < n; i++) p->sum[i] = 0;
}

static void
post_sum(struct planner *p, enum planner_kind kind, int to)
{
    planner_open(p, kind);
    buf_add(&p->mail.out, p->sum, p->nsum * sizeof *p->sum);
    planner_post(p, to);
}

/* Where the two ways meet; the end, if there is only one. */
static int32_t
meeting_index(const struct planner *p)
{
    int32_t side = p->here.line.side[p->now.dim];
    return p->here.rope && p->now.op == OP_SUM ? side - 1 : side / 2;
}

static void
send_down(struct planner *p, int side)
{
    if (planner_beside(p, side) >= 0) post_sum(p, PLANNER_DOWN, planner_beside(p, side));
}

/* All that comes from the ends of the line up to here has been added to ours. */
static void
send_up(struct planner *p)
{
    int32_t here = p->here.point.at[p->now.dim], middle = meeting_index(p);
    if (here == middle) {
        send_down(p, 0);
        send_down(p, 1);
        return;
    }
    p->now.left_in = 1;
    post_sum(p, PLANNER_UP, planner_beside(p, here < middle));
}

void
planner_sum_start(struct planner *p)
{
    int32_t here = p->here.point.at[p->now.dim], middle = meeting_index(p);
    /* From one side; or from both, in the middle. */
    p->now.left_in = (here <= middle && planner_beside(p, 0) >= 0) +
                 (here >= middle && planner_beside(p, 1) >= 0);
    if (!p->now.left_in) send_up(p);
}

/* On a rope the loads of cells are added one by one, as they lie on the curve, so that all nodes
 * agree to the last bit where each of them lies. */
static void
add_ours(struct planner *p, const double *before)
{
    for (uint32_t i = 0; i < p->nsum; i++)
        p->sum[i] = i < p->nmax ? fmax(before[i], p->sum[i]) : before[i] + p->sum[i];
    if (p->now.op != OP_SUM || !p->here.rope) return;
    p->me.before = before[p->nmax];
    p->me.speed_before = before[p->nmax + 1];
    p->sum[p->nmax] = p->me.before;
    for (uint32_t i = 0; i < p->own.n; i++) p->sum[p->nmax] += p->own.at[i].load;
}

/* In the middle the left is added first, whichever comes first: so all lines get the same bits. */
static void
hear_up(struct planner *p, int from, const double *other)
{
    if (p->now.left_in == 2 && from == planner_beside(p, 1)) {
        memcpy(p->right_sum, other, p->nsum * sizeof *other);
        p->now.kept = true;
    } else
        add_ours(p, other);
    if (--p->now.left_in) return;
    if (p->now.kept) add_ours(p, p->right_sum);
    send_up(p);
}

void
planner_sum_hear(struct planner *p, const struct planner_heard *h)
{
    double other[p->nsum + 1];
    if (h->n != p->nsum * sizeof *other || !p->now.left_in) {
        planner_fail(p, h->n != p->nsum * sizeof *other ? E_FORMAT : E_PROTOCOL);
        return;
    }
    memcpy(other, h->body, h->n);
    if (h->kind == PLANNER_UP) {
        hear_up(p, h->from, other);
        return;
    }
    memcpy(p->sum, other, h->n);
    p->now.left_in = 0;
    send_down(p, h->from == planner_beside(p, 0));
}

/* ---- calls ---- */

static bool
has_begun(const struct planner *p, int node)
{
    for (const struct planner_letter *l = p->mail.inbox; l; l = l->next)
        if (l->from == node && l->head.step == p->step) return true;
    return false;
}

void
planner_call_others(struct planner *p)
{
    p->now.op = OP_SUM;
    for (p->now.dim = 0; p->now.dim < p->here.line.ndims; p->now.dim++) {
        int32_t here = p->here.point.at[p->now.dim], middle = meeting_index(p);
        for (int side = 0; side < 2; side++) {
            int to = planner_beside(p, side);
            bool hears_soon = !p->now.dim && (side ? here < middle : here > middle);
            if (to < 0 || hears_soon || has_begun(p, to)) continue;
            planner_open(p, PLANNER_CALL);
            planner_post(p, to);
        }
        if (here) return;
    }
}

/* ---- sweeps ---- */

/* Whether a cell belongs behind this node (1), before it (-1) or here. */
static int
way_of(const struct planner *p, const struct planner_item *it)
{
    int32_t here = p->here.point.at[p->now.dim];
    int way;
    if (p->here.rope) {
        bool behind = it->middle >= p->me.speed_before + p->me.speed;
        way = behind - (it->middle < p->me.speed_before);
    } else {
        int row = planner_row(p, it->cell, p->now.dim);
        way = (row > here) - (row < here);
    }
    return planner_beside(p, way > 0) < 0 ? 0 : way;
}

/* Where the middle of each own cell lies on the rope: the part of all load before it, in speeds. */
static void
find_middles(struct planner *p)
{
    double before = p->me.before;
    for (uint32_t i = 0; i < p->item.n; i++) {
        struct planner_item *it = &p->item.at[i];
        it->middle = (before + it->load / 2) * p->all.speeds / p->all.total;
        before += it->load;
    }
}

static void
sort_out(struct planner *p, const struct planner_items *v)
{
    for (uint32_t i = 0; i < v->n; i++) {
        int way = way_of(p, &v->at[i]);
        struct planner_items *to = way > 0 ? &p->right : way < 0 ? &p->left : &p->item;
        if (planner_items_add(p, to, &v->at[i]) && !way)
            p->load += planner_weight(p, v->at[i].load);
    }
}

/* What goes on to one side: once all has come from the other. */
static void
send_on(struct planner *p, int side)
{
    struct planner_items *v = side ? &p->right : &p->left;
    int to = planner_beside(p, side);
    if (to < 0) return;
    p->me.crossing[side] += v->n;
    planner_open(p, side ? PLANNER_RIGHT : PLANNER_LEFT);
    planner_pack_items(p, v);
    planner_post(p, to);
    v->n = 0;
}

void
planner_sweep_start(struct planner *p)
{
    struct planner_items all = p->item;
    if (p->here.rope) find_middles(p);
    p->item = (struct planner_items){0};
    p->left.n = p->right.n = 0;
    p->load = 0;
    sort_out(p, &all);
    planner_items_fini(&all);
    for (int side = 0; side < 2; side++) {
        if (planner_beside(p, side) >= 0)
            p->now.left_in++;
        else
            send_on(p, !side);
    }
}

void
planner_sweep_hear(struct planner *p, const struct planner_heard *h)
{
    struct planner_items come = {0};
    int side = h->kind == PLANNER_RIGHT; /* goes on to */
    if (!p->now.left_in) {
        planner_fail(p, E_PROTOCOL);
        return;
    }
    planner_unpack_items(p, &come, h->body, h->n);
    p->me.crossing[!side] -= come.n;
    sort_out(p, &come);
    planner_items_fini(&come);
    send_on(p, side);
    p->now.left_in--;
}
