/* patch_grow.c - which cells go to a neighbour: a connected group on the border with it.
 *
 *     . . a a a b b       The group grows cell by cell from one that touches the neighbour's
 *     . . a a x b b       domain. Each time the cell is taken that adds the least surface between
 *     . . a x x b .       the two domains, then the one nearest to the first, as long as the sum
 *     . . a a a a .       of loads comes nearer to what is wanted and no invariant breaks.
 *
 * All invariants of the two domains can be checked with what the giver knows: its own rest must be
 * connected and touch its neighbours; the other one only grows; and the order is a matter of each
 * cell and those beside it. */
#include "patch.h"

#include "runtime/base/mem.h"

#include <math.h>
#include <string.h>

enum { SHARED_MAX = 2 * LATTICE_DIMS_MAX };

struct group {
    const struct distrib *d;
    const struct patch *p;
    int to;
    uint32_t *beside;              /* for each slot and side: the slot there, or LATTICE_NONE */
    double *load;                  /* of each slot */
    bool *given;                   /* is in the group */
    uint32_t *seen, *queue, round; /* for floods */
    uint32_t left;                 /* own cells that are not given */
    int neighbour[SHARED_MAX];     /* of us in the lattice of nodes; -1: none there */
    int64_t faces[SHARED_MAX];     /* between our rest and each of them */
    uint32_t first;                /* slot of the first of the group; LATTICE_NONE: none */
    double sum;
};

/* Who owns the cell at a side if the group goes as it is. */
static int
owner_at(const struct group *g, uint32_t slot, int side)
{
    uint32_t e = g->beside[(uint64_t)slot * (uint64_t)g->p->sides + (uint64_t)side];
    if (e == LATTICE_NONE) return patch_side(g->p, slot, side)->owner;
    return g->given[e] ? g->to : g->d->node;
}

static void
group_fini(struct group *g)
{
    mem_free(g->beside);
    mem_free(g->load);
    mem_free(g->given);
    mem_free(g->seen);
    mem_free(g->queue);
}

static bool
group_alloc(struct group *g)
{
    uint64_t n = g->p->n;
    g->beside = mem_zalloc(n * (uint64_t)g->p->sides, sizeof *g->beside);
    g->load = mem_zalloc(n, sizeof *g->load);
    g->given = mem_zalloc(n, sizeof *g->given);
    g->seen = mem_zalloc(n, sizeof *g->seen);
    g->queue = mem_zalloc(n, sizeof *g->queue);
    return g->beside && g->load && g->given && g->seen && g->queue;
}

/* Adds the faces of one cell to the counts. */
static void
count_faces(struct group *g, uint32_t slot, int64_t *faces, int sign)
{
    for (int s = 0; s < g->p->sides; s++)
        for (int k = 0, owner = owner_at(g, slot, s); k < SHARED_MAX; k++)
            if (owner >= 0 && owner == g->neighbour[k]) faces[k] += sign;
}

static void
group_init(struct group *g)
{
    const struct patch *p = g->p;
    g->first = LATTICE_NONE;
    g->left = p->n;
    for (int k = 0; k < SHARED_MAX; k++) {
        uint32_t node = LATTICE_NONE;
        if (k < 2 * g->d->nodes.ndims) node = lattice_beside(&g->d->nodes, (uint32_t)g->d->node, k);
        g->neighbour[k] = node == LATTICE_NONE ? -1 : (int)node;
    }
    for (uint32_t slot = 0; slot < p->n; slot++) {
        for (int s = 0; s < p->sides; s++) {
            uint32_t beside = lattice_beside(&g->d->cells, p->cell[slot], s);
            const struct cellmap_entry *e = cellmap_find(&p->slot, beside);
            g->beside[(uint64_t)slot * (uint64_t)p->sides + (uint64_t)s] =
                e ? e->value : LATTICE_NONE;
        }
        count_faces(g, slot, g->faces, 1);
    }
}

/* ---- may a cell go? ---- */

/* Invariant 5: owners before it stand not behind `to`, owners behind it not before `to`. */
static bool
keeps_order(const struct group *g, uint32_t slot)
{
    struct lattice_point here = lattice_point(&g->d->nodes, (uint32_t)g->to);
    for (int s = 0; s < 2 * g->d->nodes.ndims && s < g->p->sides; s++) {
        int owner = owner_at(g, slot, s);
        if (owner == PATCH_OUTSIDE || owner == g->to) continue;
        int32_t there = lattice_point(&g->d->nodes, (uint32_t)owner).at[s / 2];
        if (s % 2 ? there < here.at[s / 2] : there > here.at[s / 2]) return false;
    }
    return true;
}

/* What the faces become when the cell goes. */
static void
faces_without(struct group *g, uint32_t slot, int64_t *faces)
{
    count_faces(g, slot, faces, -1);
    for (int s = 0; s < g->p->sides; s++)
        for (int k = 0; k < SHARED_MAX; k++)
            faces[k] += g->neighbour[k] == g->to && owner_at(g, slot, s) == g->d->node;
}

/* Invariant 4: our rest without the cell still touches all neighbours it touched. */
static bool
keeps_contact(struct group *g, uint32_t slot)
{
    int64_t faces[SHARED_MAX];
    memcpy(faces, g->faces, sizeof faces);
    faces_without(g, slot, faces);
    for (int k = 0; k < SHARED_MAX; k++)
        if (g->faces[k] > 0 && faces[k] <= 0) return false;
    return true;
}

/* Invariant 3: a flood from one cell of our rest beside it meets the others beside it. It mostly
 * ends soon, since they are near each other. */
static bool
keeps_connected(struct group *g, uint32_t slot)
{
    int sides = g->p->sides, wanted = 0;
    uint32_t head = 0, tail = 0, now = ++g->round;
    const uint32_t *beside = &g->beside[(uint64_t)slot * (uint64_t)sides];
    g->seen[slot] = now;
    for (int s = 0; s < sides; s++) {
        if (owner_at(g, slot, s) != g->d->node) continue;
        if (wanted++) continue;
        g->seen[beside[s]] = now;
        g->queue[tail++] = beside[s];
    }
    while (head < tail && wanted > 1) {
        uint32_t c = g->queue[head++];
        for (int s = 0; s < sides; s++) {
            uint32_t e = g->beside[(uint64_t)c * (uint64_t)sides + (uint64_t)s];
            if (e == LATTICE_NONE || g->given[e] || g->seen[e] == now) continue;
            g->seen[e] = now;
            g->queue[tail++] = e;
            for (int k = 0; k < sides; k++) wanted -= beside[k] == e;
        }
    }
    return wanted == 1;
}

static bool
may_go(struct group *g, uint32_t slot)
{
    return g->left > 1 && keeps_order(g, slot) && keeps_contact(g, slot) &&
           keeps_connected(g, slot);
}

/* ---- which one goes? ---- */

/* Whether it touches the group; if there is none yet, the domain of `to`. */
static bool
touches(const struct group *g, uint32_t slot)
{
    for (int s = 0; s < g->p->sides; s++) {
        if (owner_at(g, slot, s) != g->to) continue;
        uint32_t e = g->beside[(uint64_t)slot * (uint64_t)g->p->sides + (uint64_t)s];
        if (g->first == LATTICE_NONE || e != LATTICE_NONE) return true;
    }
    return false;
}

/* The smaller, the sooner: surface first, then nearness to the first cell, then the number. */
struct rank {
    int surface, apart;
    uint32_t cell;
};

static struct rank
rank_of(const struct group *g, uint32_t slot)
{
    struct rank r = {0, 0, g->p->cell[slot]};
    for (int s = 0; s < g->p->sides; s++) {
        int owner = owner_at(g, slot, s);
        if (owner != PATCH_OUTSIDE) r.surface += (owner != g->to) - (owner != g->d->node);
    }
    if (g->first != LATTICE_NONE)
        r.apart = lattice_distance(&g->d->cells, r.cell, g->p->cell[g->first]);
    return r;
}

static bool
is_before(struct rank a, struct rank b)
{
    if (a.surface != b.surface) return a.surface < b.surface;
    if (a.apart != b.apart) return a.apart < b.apart;
    return a.cell < b.cell;
}

static uint32_t
best_slot(struct group *g, double want)
{
    uint32_t best = LATTICE_NONE;
    struct rank least = {0};
    for (uint32_t slot = 0; slot < g->p->n; slot++) {
        if (g->given[slot] || !touches(g, slot)) continue;
        if (fabs(g->sum + g->load[slot] - want) > fabs(g->sum - want)) continue;
        struct rank r = rank_of(g, slot);
        if (best != LATTICE_NONE && !is_before(r, least)) continue;
        if (!may_go(g, slot)) continue;
        best = slot;
        least = r;
    }
    return best;
}

static void
join_group(struct group *g, uint32_t slot)
{
    faces_without(g, slot, g->faces);
    g->given[slot] = true;
    g->left--;
    g->sum += g->load[slot];
    if (g->first == LATTICE_NONE) g->first = slot;
}

enum err
patch_choose(const struct distrib *d, int to, double want, distrib_load_fn *load, void *who,
             uint32_t *cells, uint32_t *n)
{
    struct group g = {.d = d, .p = patch_of(d), .to = to};
    enum err e = E_NOMEM;
    if (group_alloc(&g)) {
        e = OK;
        group_init(&g);
        uint32_t slot, k = 0;
        for (slot = 0; slot < g.p->n; slot++) g.load[slot] = load(who, g.p->cell[slot]);
        while (g.sum < want && (slot = best_slot(&g, want)) != LATTICE_NONE) {
            join_group(&g, slot);
            cells[k++] = g.p->cell[slot];
            /* Cells without load go only for a loaded one behind them. */
            if (g.load[slot] > 0) *n = k;
        }
    }
    group_fini(&g);
    return e;
}

bool
patch_may_give(const struct distrib *d, uint32_t cell, int to)
{
    struct group g = {.d = d, .p = patch_of(d), .to = to};
    const struct cellmap_entry *e = cellmap_find(&g.p->slot, cell);
    bool may = e && group_alloc(&g);
    if (may) {
        group_init(&g);
        may = touches(&g, e->value) && may_go(&g, e->value);
    }
    group_fini(&g);
    return may;
}

/* ---- who must hold still? ---- */

static void
call_once(struct cellmap *met, int node, void (*fn)(void *who, int node), void *who)
{
    if (cellmap_find(met, (uint32_t)node)) return;
    cellmap_put(met, (uint32_t)node, 0, 0);
    fn(who, node);
}

enum err
patch_witnesses(const struct distrib *d, int to, const uint32_t *cells, uint32_t n,
                void (*fn)(void *who, int node), void *who)
{
    const struct patch *p = patch_of(d);
    struct cellmap met = {0}; /* nodes */
    if (!cellmap_reserve(&met, n * (uint32_t)p->sides + SHARED_MAX + 2)) return E_NOMEM;
    cellmap_put(&met, (uint32_t)d->node, 0, 0);
    cellmap_put(&met, (uint32_t)to, 0, 0);
    for (int k = 0; k < 2 * d->nodes.ndims; k++) {
        uint32_t node = lattice_beside(&d->nodes, (uint32_t)d->node, k);
        if (node != LATTICE_NONE) call_once(&met, (int)node, fn, who);
    }
    for (uint32_t i = 0; i < n; i++)
        for (int s = 0; s < p->sides; s++) {
            int node = patch_side(p, cellmap_find(&p->slot, cells[i])->value, s)->owner;
            if (node != PATCH_OUTSIDE) call_once(&met, node, fn, who);
        }
    cellmap_fini(&met);
    return OK;
}
