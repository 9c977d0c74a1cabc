/* patch.c - domains of cells, one per node of a lattice of nodes: the start, the table of calls.
 *
 * The even start gives each node a box: in each dimension of the node lattice, index x of W belongs
 * to row floor(x * P / W) of P. Dimensions beyond those of the node lattice are not cut. */
#include "patch.h"

#include "runtime/base/mem.h"

#include <stdlib.h>

/* ---- the start ---- */

static int
patch_owner(const struct distrib *d, uint32_t cell)
{
    struct lattice_point c = lattice_point(&d->cells, cell), n = {{0}};
    for (int k = 0; k < d->nodes.ndims; k++)
        n.at[k] = (int32_t)((int64_t)c.at[k] * d->nodes.side[k] / d->cells.side[k]);
    return (int)lattice_number(&d->nodes, n.at);
}

/* The box of this node at an even start. */
static struct lattice_box
even_box(const struct distrib *d)
{
    struct lattice_point n = lattice_point(&d->nodes, (uint32_t)d->node);
    struct lattice_box b;
    for (int k = 0; k < LATTICE_DIMS_MAX; k++) {
        int64_t w = d->cells.side[k], p = d->nodes.side[k];
        b.lo.at[k] = (int32_t)((n.at[k] * w + p - 1) / p);
        b.hi.at[k] = (int32_t)(((n.at[k] + 1) * w + p - 1) / p - 1);
    }
    return b;
}

/* Who owns a cell at the start, by the caller's word or by the formula. */
struct start {
    const struct distrib *d;
    const struct distrib_setup *s;
};

static int
start_owner(void *who, uint32_t cell)
{
    const struct start *st = who;
    return st->s->owner ? st->s->owner(st->s->who, cell) : patch_owner(st->d, cell);
}

static void
set_sides(struct patch *p, struct start *st)
{
    for (uint32_t slot = 0; slot < p->n; slot++)
        for (int s = 0; s < p->sides; s++) {
            uint32_t beside = lattice_beside(&st->d->cells, p->cell[slot], s);
            int owner = beside == LATTICE_NONE ? PATCH_OUTSIDE : start_owner(st, beside);
            *patch_side(p, slot, s) = (struct patch_side){owner, 0};
        }
}

static enum err
even_start(const struct distrib *d, struct patch *p, const char **why)
{
    for (int k = 0; k < LATTICE_DIMS_MAX; k++)
        if (d->nodes.side[k] > d->cells.side[k]) {
            *why = "a patch needs at least as many cells as nodes in each dimension";
            return E_USER;
        }
    struct lattice_box b = even_box(d);
    uint32_t n = 1;
    for (int k = 0; k < LATTICE_DIMS_MAX; k++) n *= (uint32_t)(b.hi.at[k] - b.lo.at[k] + 1);
    if (!patch_reserve(p, n)) return E_NOMEM;
    struct lattice_point c;
    for (c.at[0] = b.lo.at[0]; c.at[0] <= b.hi.at[0]; c.at[0]++)
        for (c.at[1] = b.lo.at[1]; c.at[1] <= b.hi.at[1]; c.at[1]++)
            for (c.at[2] = b.lo.at[2]; c.at[2] <= b.hi.at[2]; c.at[2]++)
                patch_add(p, lattice_number(&d->cells, c.at), 0);
    p->boxed = true;
    return OK;
}

/* The caller's word: all of it is checked, by every node alike, so that all of them refuse. */
static enum err
given_start(const struct distrib *d, struct patch *p, struct start *st, const char **why)
{
    enum err e = patch_check_start(&d->cells, d->nnodes, start_owner, st, why);
    if (e != OK) return e;
    uint32_t n = 0;
    for (uint32_t c = 0; c < d->ncells; c++) n += start_owner(st, c) == d->node;
    if (!patch_reserve(p, n)) return E_NOMEM;
    for (uint32_t c = 0; c < d->ncells; c++)
        if (start_owner(st, c) == d->node) patch_add(p, c, 0);
    p->start = mem_alloc(n * sizeof *p->start);
    if (!p->start) return E_NOMEM;
    for (p->nstart = 0; p->nstart < n; p->nstart++) p->start[p->nstart] = p->cell[p->nstart];
    return OK;
}

static enum err
patch_init(struct distrib *d, const struct distrib_setup *s, const char **why)
{
    struct patch *p = d->mine = mem_zalloc(1, sizeof *p);
    if (!p) return E_NOMEM;
    p->sides = 2 * d->cells.ndims;
    struct start st = {d, s};
    if (d->node >= d->nnodes) return OK; /* has no cells, and never will */
    enum err e = s->owner ? given_start(d, p, &st, why) : even_start(d, p, why);
    if (e == OK) set_sides(p, &st);
    return e;
}

static void
patch_fini(struct distrib *d)
{
    if (!d->mine) return;
    patch_domain_fini(patch_of(d));
    mem_free(d->mine);
}

/* ---- the table of calls ---- */

static int
compare_cells(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool
patch_founded(const struct distrib *d, uint32_t cell)
{
    const struct patch *p = patch_of(d);
    return bsearch(&cell, p->start, p->nstart, sizeof cell, compare_cells) != NULL;
}

static uint32_t
patch_epoch(const struct distrib *d, uint32_t cell)
{
    return cellmap_find(&patch_of(d)->slot, cell)->epoch;
}

static void
patch_each(const struct distrib *d, void (*fn)(void *who, uint32_t cell), void *who)
{
    const struct patch *p = patch_of(d);
    for (uint32_t slot = 0; slot < p->n; slot++) fn(who, p->cell[slot]);
}

static int
patch_beside(const struct distrib *d, uint32_t cell, int side)
{
    const struct patch *p = patch_of(d);
    return patch_side(p, cellmap_find(&p->slot, cell)->value, side)->owner;
}

static uint32_t
patch_count(const struct distrib *d)
{
    return patch_of(d)->n;
}

static uint64_t
patch_bytes(const struct distrib *d)
{
    return patch_domain_bytes(patch_of(d));
}

const struct distrib_kind distrib_patch = {
    .name = "patch",
    .on_lattice = true,
    .owner = patch_owner,
    .each = patch_each,
    .init = patch_init,
    .fini = patch_fini,
    .copy = patch_domain_copy,
    .owns = patch_owns,
    .founded = patch_founded,
    .epoch = patch_epoch,
    .count = patch_count,
    .bytes = patch_bytes,
    .onward = patch_onward,
    .give = patch_give,
    .take = patch_take,
    .hear = patch_hear,
    .choose = patch_choose,
    .best = patch_best,
    .witnesses = patch_witnesses,
    .beside = patch_beside,
    .may_give = patch_may_give,
    .strays = patch_strays,
    .went = patch_went,
    .forget = patch_forget,
    .flaw = patch_flaw,
    .flaw_among = patch_flaw_among,
};
