/* patch_grow.c - which cells go to a neighbour: a connected group on the border with it.
 *
 *     . . a a a b b       The group grows cell by cell from one that touches the neighbour's
 *     . . a a x b b       domain. Each time the cell is taken that adds the least surface between
 *     . . a x x b .       the two domains, then the one nearest to the first, as long as the sum
 *     . . a a a a .       of loads comes nearer to what is wanted and no invariant breaks. */
#include "patch_group.h"

#include "runtime/base/mem.h"

#include <math.h>

/* The smaller, the sooner: surface first, then nearness to the first cell, then the number. */
struct rank {
    int surface, apart;
    uint32_t cell;
};

static struct rank
rank_of(const struct patch_group *g, uint32_t slot)
{
    struct rank r = {0, 0, g->p->cell[slot]};
    for (int s = 0; s < g->p->sides; s++) {
        int owner = patch_group_owner(g, slot, s);
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

/* The next one for a group with this sum; `load` is that of each slot. */
static uint32_t
best_slot(struct patch_group *g, const double *load, double sum, double want)
{
    uint32_t best = LATTICE_NONE;
    struct rank least = {0};
    for (uint32_t slot = 0; slot < g->p->n; slot++) {
        if (g->given[slot] || !patch_group_touches(g, slot)) continue;
        if (fabs(sum + load[slot] - want) > fabs(sum - want)) continue;
        struct rank r = rank_of(g, slot);
        if (best != LATTICE_NONE && !is_before(r, least)) continue;
        if (!patch_group_may(g, slot)) continue;
        best = slot;
        least = r;
    }
    return best;
}

/* Gives the number of cells. Those without load go only for a loaded one behind them. */
static uint32_t
grow(struct patch_group *g, const double *load, double want, uint32_t *cells)
{
    uint32_t slot, n = 0, loaded = 0;
    for (double sum = 0; sum < want; sum += load[slot]) {
        slot = best_slot(g, load, sum, want);
        if (slot == LATTICE_NONE) break;
        patch_group_join(g, slot);
        cells[n++] = g->p->cell[slot];
        if (load[slot] > 0) loaded = n;
    }
    return loaded;
}

enum err
patch_choose(const struct distrib *d, int to, double want, distrib_load_fn *load, void *who,
             uint32_t *cells, uint32_t *n)
{
    struct patch_group g;
    const struct patch *p = patch_of(d);
    double *loads = mem_zalloc(p->n, sizeof *loads);
    enum err e = patch_group_open(&g, d, to) && loads ? OK : E_NOMEM;
    for (uint32_t slot = 0; e == OK && slot < p->n; slot++) loads[slot] = load(who, p->cell[slot]);
    if (e == OK) *n = grow(&g, loads, want, cells);
    patch_group_close(&g);
    mem_free(loads);
    return e;
}
