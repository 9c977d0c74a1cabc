/* mend.c - bids that bring domains nearer to what they must be: pieces go to whom they touch,
 * neighbours in the lattice reach each other, none is left without cells. */
#include "parts.h"

#include "runtime/base/mem.h"

#include <math.h>

/* ---- pieces ---- */

/* The first one. */
static void
add_stray(void *who, uint32_t cell, int to)
{
    struct planner *p = who;
    if (p->bid.to == -1) p->bid.to = to;
    if (p->bid.to == to) planner_bid_add(p, cell);
}

/* ---- neighbours that should touch and do not ---- */

static bool
touches(const struct planner *p, uint32_t cell, int node)
{
    for (int s = 0; s < 2 * p->set.cells.ndims; s++)
        if (distrib_beside(p->copy, cell, s) == node) return true;
    return false;
}

/* The shortest way through our cells from one that touches x to one that touches y: its ends. */
static bool
find_way(struct planner *p, int x, int y, uint32_t *first, uint32_t *last)
{
    uint32_t n = p->item.n, head = 0, tail = 0, end = LATTICE_NONE;
    uint32_t *queue = mem_alloc(n * sizeof *queue + 1), *from = mem_alloc(n * sizeof *from + 1);
    if (!queue || !from) planner_fail(p, E_NOMEM);
    for (uint32_t i = 0; queue && from && i < n; i++) {
        from[i] = touches(p, p->item.at[i].cell, x) ? i : LATTICE_NONE;
        if (from[i] == i) queue[tail++] = i;
    }
    for (; head < tail && end == LATTICE_NONE; head++) {
        uint32_t i = queue[head], cell = p->item.at[i].cell;
        if (touches(p, cell, y)) end = i;
        for (int s = 0; s < 2 * p->set.cells.ndims; s++) {
            const struct cellmap_entry *e =
                cellmap_find(&p->item_slot, lattice_beside(&p->set.cells, cell, s));
            if (!e || from[e->value] != LATTICE_NONE) continue;
            from[e->value] = i;
            queue[tail++] = e->value;
        }
    }
    if (end != LATTICE_NONE) {
        *last = p->item.at[end].cell;
        while (from[end] != end) end = from[end];
        *first = p->item.at[end].cell;
    }
    mem_free(queue);
    mem_free(from);
    return end != LATTICE_NONE;
}

/* ---- a cell that others of ours hang on ---- */

/* Neighbours in the lattice that this view of ours does not touch. */
static int
lacks(const struct planner *p, const struct distrib *view)
{
    int n = 0;
    for (int k = 0; k < p->here.nedges; k++) {
        bool met = false;
        for (uint32_t i = 0; i < p->item.n && !met; i++)
            for (int s = 0; s < 2 * p->set.cells.ndims; s++)
                met |= distrib_owns(view, p->item.at[i].cell) &&
                       distrib_beside(view, p->item.at[i].cell, s) == p->here.edge[k];
        n += !met;
    }
    return n;
}

/* Whether a cell of `to` would stand in order with those beside it. */
static bool
stands_in_order(const struct planner *p, uint32_t cell, int to)
{
    struct lattice_point here = lattice_point(&p->here.line, (uint32_t)to);
    for (int s = 0; s < 2 * p->here.line.ndims && s < 2 * p->set.cells.ndims; s++) {
        int owner = distrib_beside(p->copy, cell, s);
        if (owner < 0 || owner == p->set.node) continue;
        int32_t there = lattice_point(&p->here.line, (uint32_t)owner).at[s / 2];
        if (s % 2 ? there < here.at[s / 2] : there > here.at[s / 2]) return false;
    }
    return true;
}

static void
add_hanging(void *who, uint32_t cell, int to)
{
    (void)to;
    planner_bid_add(who, cell);
}

/* The cell goes to a node it touches, and all that hangs on it goes along, if the rest of ours is
 * as it must be. It is tried on another copy. */
static bool
bid_with_all(struct planner *p, uint32_t cell, int to)
{
    struct distrib *view = NULL;
    struct buf parcel = {0};
    struct planner_bid *b = &p->bid;
    b->n = 0;
    planner_bid_add(p, cell);
    enum err e = distrib_copy(&view, p->copy);
    if (e == OK) e = distrib_give(view, to, &cell, 1, &parcel);
    if (e == OK) e = distrib_strays(view, add_hanging, p);
    if (e == OK && b->n > 1) e = distrib_give(view, to, b->cell + 1, b->n - 1, &parcel);
    bool good =
        e == OK && p->err == OK && distrib_count(view) && lacks(p, view) <= lacks(p, p->copy);
    for (uint32_t i = 0; good && i < b->n; i++) good = stands_in_order(p, b->cell[i], to);
    buf_fini(&parcel);
    distrib_free(view);
    if (e != OK) planner_fail(p, e);
    if (good)
        b->to = to;
    else
        b->n = 0;
    return good;
}

/* x and y are to touch and do not; we lie between them. */
static void
bridge(struct planner *p, int x, int y)
{
    uint32_t first, last;
    if (!find_way(p, x, y, &first, &last)) return;
    bool forth = distrib_may_give(p->copy, first, x);
    if (forth || distrib_may_give(p->copy, last, y)) {
        p->bid.to = forth ? x : y;
        planner_bid_add(p, forth ? first : last);
    } else if (!bid_with_all(p, first, x))
        bid_with_all(p, last, y);
}

/* ---- neighbours without cells ---- */

/* How many neighbours of an empty node, us among them, would touch it if it had this cell. */
static int
welcome(const struct planner *p, uint32_t cell, int node)
{
    int touched = 0;
    for (int k = 0; k < 2 * p->here.line.ndims; k++) {
        uint32_t b = lattice_beside(&p->here.line, (uint32_t)node, k);
        bool met = false;
        for (int s = 0; b != LATTICE_NONE && s < 2 * p->set.cells.ndims; s++)
            met |= distrib_beside(p->copy, cell, s) == (int)b;
        touched += met;
    }
    return touched;
}

/* A neighbour in the lattice has no cell: the one of ours that would bring it most contacts. */
static void
found(struct planner *p, int node)
{
    int most = -1;
    for (uint32_t i = 0; i < p->item.n; i++) {
        uint32_t cell = p->item.at[i].cell;
        int touched = welcome(p, cell, node);
        if (touched <= most || !distrib_may_give(p->copy, cell, node)) continue;
        most = touched;
        p->bid.n = 0;
        planner_bid_add(p, cell);
        p->bid.to = node;
    }
}

/* ---- all that ---- */

void
planner_bid_to_mend(struct planner *p)
{
    enum err e = distrib_strays(p->copy, add_stray, p);
    if (e != OK) planner_fail(p, e);
    for (int k = 0; k < p->here.nedges && p->bid.to < 0; k++)
        if (planner_peer(p, p->here.edge[k])->empty) found(p, p->here.edge[k]);
    for (int i = 0; i < p->circle.n; i++)
        for (int k = 0; k < PLANNER_EDGES_MAX && p->bid.to < 0; k++) {
            int y = (int)p->circle.at[i].lacks[k];
            if (y >= 0 && planner_peer(p, y)) bridge(p, p->circle.at[i].node, y);
        }
    p->bid.limit = INFINITY;
}
