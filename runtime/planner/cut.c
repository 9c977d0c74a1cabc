/* cut.c - a plan in few rounds, for loads that do not stand still: rows of cells are dealt
 * out to rows of nodes by the sums of all; each row of nodes then cuts its own along the next
 * dimension, and so on.
 *
 * In the last dimension a row of cells may be divided. There cells follow each other like a snake,
 * and the parts are pieces of it:
 *
 *     0 5 6        for two nodes, for example: 0 1 2 3 and 4 5 6 7 8
 *     1 4 7
 *     2 3 8
 *
 * A part hangs together therefore, and parts stand in the order of their nodes, whatever the loads.
 * Only whether neighbours in the lattice touch has to be looked at. */
#include "parts.h"

#include <string.h>

/* Where the parts of dimension d begin. */
static int *
begins(const struct planner *p, int d)
{
    int *at = p->begin;
    for (int k = 0; k < d; k++) at += p->here.field.nodes[k];
    return at;
}

static bool
is_last(const struct planner *p)
{
    return p->try.depth == p->here.line.ndims - 1;
}

uint32_t
planner_cut_size(const struct planner *p)
{
    return (uint32_t)(p->here.field.cells[p->try.depth] + p->here.field.nodes[p->try.depth]);
}

void
planner_cut_fill(struct planner *p, uint32_t at)
{
    int d = p->try.depth;
    double *load = p->sum + at, *speed = load + p->here.field.cells[d];
    speed[p->here.point.at[d]] = p->me.speed;
    for (uint32_t i = 0; i < p->item.n; i++) {
        const struct planner_item *it = &p->item.at[i];
        load[lattice_point(&p->set.cells, it->cell).at[d]] += planner_weight(p, it->load);
    }
}

/* Whole rows stay with whom they were if that does hardly any harm. */
void
planner_cut_done(struct planner *p, uint32_t at)
{
    const struct price_field *f = &p->here.field;
    int d = p->try.depth, side = f->cells[d], parts = f->nodes[d], *begin = begins(p, d);
    const double *load = p->sum + at, *speed = load + side;
    double cut[parts + 1];
    balance_cut(load, side, parts, speed, cut);
    if (is_last(p)) memcpy(p->cut, cut, sizeof cut);
    for (int k = 1; k < parts && !begin[parts - 1]; k++) begin[k] = (int)(cut[k] + .5);
    if (!is_last(p)) balance_rows(load, side, parts, speed, begin);
}

/* How far through its row of cells in the last dimension the snake is at a cell. */
static double
along_snake(const struct planner *p, const struct lattice_point *at)
{
    int d = p->try.depth, across = d ? d - 1 : 1, here = p->here.point.at[across];
    int32_t lo = 0, hi = p->here.field.cells[across];
    if (d) {
        const int *begin = begins(p, across);
        lo = begin[here];
        if (here + 1 < p->here.field.nodes[across]) hi = begin[here + 1];
    }
    double part = (at->at[across] - lo + .5) / (hi - lo);
    return at->at[d] % 2 ? 1 - part : part;
}

int
planner_cut_part(const struct planner *p, uint32_t cell)
{
    struct lattice_point at = lattice_point(&p->set.cells, cell);
    int d = p->try.depth, k = 0, parts = p->here.field.nodes[d];
    if (is_last(p)) {
        double middle = at.at[d] + along_snake(p, &at);
        while (k + 1 < parts && middle > p->cut[k + 1]) k++;
    } else {
        const int *begin = begins(p, d);
        while (k + 1 < parts && at.at[d] >= begin[k + 1]) k++;
    }
    return k;
}

/* ---- do neighbours touch? ---- */

static bool
touches(const struct planner *p, uint32_t cell)
{
    for (int s = 0; s < 2 * p->set.cells.ndims; s++)
        if (cellmap_find(&p->item_slot, lattice_beside(&p->set.cells, cell, s))) return true;
    return false;
}

static bool
at_border(const struct planner *p, uint32_t cell)
{
    for (int s = 0; s < 2 * p->set.cells.ndims; s++) {
        uint32_t beside = lattice_beside(&p->set.cells, cell, s);
        if (beside != LATTICE_NONE && !cellmap_find(&p->item_slot, beside)) return true;
    }
    return false;
}

/* Neighbours hear which cells are at our border. */
void
planner_touch_start(struct planner *p)
{
    p->try.flawed = !p->item.n;
    cellmap_fini(&p->item_slot);
    if (!cellmap_reserve(&p->item_slot, p->item.n)) {
        planner_fail(p, E_NOMEM);
        return;
    }
    for (uint32_t i = 0; i < p->item.n; i++) cellmap_put(&p->item_slot, p->item.at[i].cell, i, 0);
    planner_open(p, PLANNER_TOUCH);
    for (uint32_t i = 0; i < p->item.n; i++) {
        uint32_t cell = p->item.at[i].cell;
        if (at_border(p, cell)) buf_add(&p->mail.out, &cell, sizeof cell);
    }
    p->now.left_in = p->here.nedges;
    for (int k = 0; k < p->here.nedges; k++) planner_post(p, p->here.edge[k]);
}

void
planner_touch_hear(struct planner *p, const struct planner_heard *h)
{
    bool met = false;
    int k = 0;
    while (k < p->here.nedges && p->here.edge[k] != h->from) k++;
    if (k == p->here.nedges || h->n % sizeof(uint32_t)) {
        planner_fail(p, E_PROTOCOL);
        return;
    }
    for (size_t i = 0; i < h->n / sizeof(uint32_t) && !met; i++) {
        uint32_t cell;
        memcpy(&cell, (const char *)h->body + i * sizeof cell, sizeof cell);
        met = cell < lattice_size(&p->set.cells) && touches(p, cell);
    }
    p->try.flawed |= !met;
    p->now.left_in--;
}
