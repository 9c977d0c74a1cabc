/* plan_bid.c - which transfer a node wants next: first what mends a shape, then what levels loads,
 * then what makes borders shorter. */
#include "plan_parts.h"

#include "runtime/base/mem.h"

#include <math.h>

double
plan_load_of(void *who, uint32_t cell)
{
    struct plan *p = who;
    const struct cellmap_entry *e = cellmap_find(&p->item_slot, cell);
    if (e) return p->item.at[e->value].load;
    return cellmap_find(&p->idle, cell) ? 0 : 1;
}

static void
add_cell(struct plan *p, uint32_t cell)
{
    struct plan_bid *b = &p->bid;
    if (b->n == b->room) {
        uint32_t room = b->room + b->room / 2 + 8, *at = mem_realloc(b->cell, room * sizeof *at);
        if (!at) {
            plan_fail(p, E_NOMEM);
            return;
        }
        b->cell = at;
        b->room = room;
    }
    b->cell[b->n++] = cell;
}

/* ---- what mends ---- */

/* The first piece. */
static void
add_stray(void *who, uint32_t cell, int to)
{
    struct plan *p = who;
    if (p->bid.to == -1) p->bid.to = to;
    if (p->bid.to == to) add_cell(p, cell);
}

static bool
touches(const struct plan *p, uint32_t cell, int node)
{
    for (int s = 0; s < 2 * p->set.cells.ndims; s++)
        if (distrib_beside(p->copy, cell, s) == node) return true;
    return false;
}

/* The shortest way through our cells from one that touches x to one that touches y: its ends. */
static bool
find_way(struct plan *p, int x, int y, uint32_t *first, uint32_t *last)
{
    uint32_t n = p->item.n, head = 0, tail = 0, end = LATTICE_NONE;
    uint32_t *queue = mem_alloc(n * sizeof *queue + 1), *from = mem_alloc(n * sizeof *from + 1);
    if (!queue || !from) plan_fail(p, E_NOMEM);
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

/* x and y are to touch and do not; we lie between them. */
static void
bridge(struct plan *p, int x, int y)
{
    uint32_t first, last;
    if (!find_way(p, x, y, &first, &last)) return;
    bool forth = distrib_may_give(p->copy, first, x);
    if (!forth && !distrib_may_give(p->copy, last, y)) return;
    p->bid.to = forth ? x : y;
    add_cell(p, forth ? first : last);
}

/* How many neighbours of an empty node, us among them, would touch it if it had this cell. */
static int
welcome(const struct plan *p, uint32_t cell, int node)
{
    int touched = 0;
    for (int k = 0; k < 2 * p->line.ndims; k++) {
        uint32_t b = lattice_beside(&p->line, (uint32_t)node, k);
        bool met = false;
        for (int s = 0; b != LATTICE_NONE && s < 2 * p->set.cells.ndims; s++)
            met |= distrib_beside(p->copy, cell, s) == (int)b;
        touched += met;
    }
    return touched;
}

/* A neighbour in the lattice has no cell: the one of ours that would bring it most contacts. */
static void
found(struct plan *p, int node)
{
    int most = -1;
    for (uint32_t i = 0; i < p->item.n; i++) {
        uint32_t cell = p->item.at[i].cell;
        int touched = welcome(p, cell, node);
        if (touched <= most || !distrib_may_give(p->copy, cell, node)) continue;
        most = touched;
        p->bid.n = 0;
        add_cell(p, cell);
        p->bid.to = node;
    }
}

static void
bid_to_mend(struct plan *p)
{
    enum err e = distrib_strays(p->copy, add_stray, p);
    if (e != OK) plan_fail(p, e);
    for (int k = 0; k < p->nedges && p->bid.to < 0; k++)
        if (plan_peer(p, p->edge[k])->empty) found(p, p->edge[k]);
    for (int i = 0; i < p->circle.n; i++)
        for (int k = 0; k < PLAN_EDGES_MAX && p->bid.to < 0; k++) {
            int y = (int)p->circle.at[i].lacks[k];
            if (y >= 0 && plan_peer(p, y)) bridge(p, p->circle.at[i].node, y);
        }
    p->bid.limit = INFINITY;
}

/* ---- what levels ---- */

static void
bid_to_level(struct plan *p)
{
    int best = -1;
    for (int k = 0; k < p->nedges; k++)
        if (p->quota[k] >= p->heaviest / 4 && (best < 0 || p->quota[k] > p->quota[best])) best = k;
    if (best < 0) return;
    struct plan_bid *b = &p->bid;
    uint32_t n = 0, room = distrib_count(p->copy);
    while (b->room < room) add_cell(p, 0);
    b->n = 0;
    if (p->err != OK) return;
    enum err e =
        distrib_choose(p->copy, p->edge[best], p->quota[best], plan_load_of, p, b->cell, &n);
    if (e != OK) plan_fail(p, e);
    b->n = n;
    b->to = n ? p->edge[best] : -1;
    b->edge = best;
    b->limit = INFINITY;
    if (!n) p->quota[best] = 0;
}

/* ---- single cells ---- */

/* The cell for a neighbour with which the sum over faces of how far they reach rises least, below
 * `least`. No neighbour gets more than its share and half a heaviest cell, or a higher level. */
static void
bid_one(struct plan *p, double least, double level)
{
    for (int k = 0; k < p->nedges; k++) {
        const struct plan_peer *b = plan_peer(p, p->edge[k]);
        double top = fmax(level * b->speed, p->even * b->speed + p->heaviest / 2), rise = 0;
        struct distrib_wish w = {
            .load = plan_load_of, .who = p, .most = top - b->load, .except = LATTICE_NONE};
        uint32_t cell = LATTICE_NONE;
        if (b->speed <= 0) continue; /* it has not said yet */
        enum err e = distrib_best(p->copy, b->node, &w, &cell, &rise);
        if (e != OK) plan_fail(p, e);
        if (cell == LATTICE_NONE || rise >= least) continue;
        least = rise;
        p->bid.n = 0;
        add_cell(p, cell);
        p->bid.to = b->node;
        p->bid.limit = top;
    }
}

/* What flows have left here, since there are only whole cells. */
static void
bid_to_shed(struct plan *p)
{
    if (p->load > p->even * p->speed + p->heaviest / 2) bid_one(p, INFINITY, 0);
}

/* Also to whom it does not make as loaded as we are. */
static void
bid_to_smooth(struct plan *p)
{
    bid_one(p, -1e-9, p->load / p->speed - 1e-9 * p->even);
}

/* ---- and who must hold still ---- */

static void
add_witness(void *who, int node)
{
    struct plan *p = who;
    struct plan_bid *b = &p->bid;
    if (b->nwitness == b->witness_room) {
        int room = b->witness_room + 16, *at = mem_realloc(b->witness, (size_t)room * sizeof *at);
        if (!at) {
            plan_fail(p, E_NOMEM);
            return;
        }
        b->witness = at;
        b->witness_room = room;
    }
    b->witness[b->nwitness++] = node;
}

void
plan_bid_choose(struct plan *p)
{
    struct plan_bid *b = &p->bid;
    b->to = b->edge = -1;
    b->n = 0;
    b->nwitness = 0;
    b->load = 0;
    bid_to_mend(p);
    if (b->to < 0) bid_to_level(p);
    if (b->to < 0) bid_to_shed(p);
    if (b->to < 0 && p->smoothing) bid_to_smooth(p);
    if (b->to < 0 || p->err != OK) return;
    for (uint32_t i = 0; i < b->n; i++) b->load += plan_load_of(p, b->cell[i]);
    enum err e = distrib_witnesses(p->copy, b->to, b->cell, b->n, add_witness, p);
    if (e != OK) plan_fail(p, e);
}
