/* bid.c - which transfer a node wants next: first what mends a shape, then what levels loads,
 * then what makes borders shorter. */
#include "parts.h"

#include "runtime/base/mem.h"

#include <math.h>

double
planner_load_of(void *who, uint32_t cell)
{
    struct planner *p = who;
    const struct cellmap_entry *e = cellmap_find(&p->item_slot, cell);
    if (e) return planner_weight(p, p->item.at[e->value].load);
    return cellmap_find(&p->idle, cell) ? 0 : 1;
}

void
planner_bid_add(struct planner *p, uint32_t cell)
{
    struct planner_bid *b = &p->bid;
    if (b->n == b->room) {
        uint32_t room = b->room + b->room / 2 + 8, *at = mem_realloc(b->cell, room * sizeof *at);
        if (!at) {
            planner_fail(p, E_NOMEM);
            return;
        }
        b->cell = at;
        b->room = room;
    }
    b->cell[b->n++] = cell;
}

/* ---- what levels ---- */

/* The edge over which most has to go; -1: over none it is worth a cell. */
static int
next_edge(const struct planner *p)
{
    const double *quota = p->turns.quota;
    int best = -1;
    for (int k = 0; k < p->here.nedges; k++)
        if (quota[k] >= p->all.grain / 4 && (best < 0 || quota[k] > quota[best])) best = k;
    return best;
}

static void
bid_to_level(struct planner *p)
{
    struct planner_bid *b = &p->bid;
    for (int k; b->to < 0 && (k = next_edge(p)) >= 0;) {
        uint32_t n = 0, room = distrib_count(p->copy);
        while (b->room < room && p->err == OK) planner_bid_add(p, 0);
        b->n = 0;
        if (p->err != OK) return;
        enum err e =
            distrib_choose(p->copy, p->here.edge[k], p->turns.quota[k], planner_load_of, p,
                           b->cell, &n);
        if (e != OK) planner_fail(p, e);
        b->n = n;
        b->to = n ? p->here.edge[k] : -1;
        b->edge = n ? k : -1;
        b->limit = INFINITY;
        if (!n) p->turns.quota[k] = 0;
    }
}

/* ---- single cells ---- */

/* The cell for a neighbour with which the sum over faces of how far they reach rises least, below
 * `least`; not one that has just come. No neighbour gets more than its share and half a heaviest
 * cell, or a higher level. */
static void
bid_one(struct planner *p, double least, double level)
{
    for (int k = 0; k < p->here.nedges; k++) {
        const struct planner_peer *b = planner_peer(p, p->here.edge[k]);
        double top = fmax(level * b->speed, p->all.even * b->speed + p->all.grain / 2), rise = 0;
        struct distrib_wish w = {
            .load = planner_load_of, .who = p, .most = top - b->load, .except = p->turns.last_come};
        uint32_t cell = LATTICE_NONE;
        if (b->speed <= 0) continue; /* it has not said yet */
        enum err e = distrib_best(p->copy, b->node, &w, &cell, &rise);
        if (e != OK) planner_fail(p, e);
        if (cell == LATTICE_NONE || rise >= least) continue;
        least = rise;
        p->bid.n = 0;
        planner_bid_add(p, cell);
        p->bid.to = b->node;
        p->bid.limit = top;
    }
}

/* What flows have left here, since there are only whole cells. */
static void
bid_to_shed(struct planner *p)
{
    if (p->load > p->all.even * p->me.speed + p->all.grain / 2) bid_one(p, INFINITY, 0);
}

/* Also to whom it does not make as loaded as we are. */
static void
bid_to_smooth(struct planner *p)
{
    /* Moves that leave the sum as it is make way for others that lower it. */
    double least = p->block.wandering ? 1e-9 : -1e-9;
    bid_one(p, least, p->load / p->me.speed - 1e-9 * p->all.even);
}

/* ---- and who must hold still ---- */

static void
add_witness(void *who, int node)
{
    struct planner *p = who;
    struct planner_bid *b = &p->bid;
    if (b->nwitness == b->witness_room) {
        int room = b->witness_room + 16, *at = mem_realloc(b->witness, (size_t)room * sizeof *at);
        if (!at) {
            planner_fail(p, E_NOMEM);
            return;
        }
        b->witness = at;
        b->witness_room = room;
    }
    b->witness[b->nwitness++] = node;
}

void
planner_bid_choose(struct planner *p)
{
    struct planner_bid *b = &p->bid;
    b->to = b->edge = -1;
    b->n = 0;
    b->nwitness = 0;
    b->load = 0;
    planner_bid_to_mend(p);
    if (b->to < 0) bid_to_level(p);
    if (b->to < 0) bid_to_shed(p);
    if (b->to < 0 && p->block.smoothing) bid_to_smooth(p);
    if (b->to < 0 || p->err != OK) return;
    for (uint32_t i = 0; i < b->n; i++) b->load += planner_load_of(p, b->cell[i]);
    enum err e = distrib_witnesses(p->copy, b->to, b->cell, b->n, add_witness, p);
    if (e != OK) planner_fail(p, e);
}
