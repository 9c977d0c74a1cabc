/* patch_domain.c - the cells of one node, and what it knows of the cells beside them. */
#include "patch.h"

#include "runtime/base/mem.h"

#include <assert.h>
#include <string.h>

void
patch_domain_fini(struct patch *p)
{
    mem_free(p->cell);
    mem_free(p->side);
    mem_free(p->early);
    mem_free(p->start);
    cellmap_fini(&p->slot);
    cellmap_fini(&p->gone);
}

/* A copy of n elements, NULL for none or if there is no memory, which *good keeps. */
static void *
copy_of(const void *from, size_t n, size_t size, bool *good)
{
    void *to = n ? mem_zalloc(n, size) : NULL;
    if (to)
        memcpy(to, from, n * size);
    else if (n)
        *good = false;
    return to;
}

enum err
patch_domain_copy(struct distrib *to, const struct distrib *from)
{
    const struct patch *f = patch_of(from);
    struct patch *t = to->mine = mem_alloc(sizeof *t);
    bool good = true;
    if (!t) return E_NOMEM;
    *t = *f;
    t->slot = t->gone = (struct cellmap){0};
    t->room = f->n;
    t->early_room = f->nearly;
    t->cell = copy_of(f->cell, f->n, sizeof *f->cell, &good);
    t->side = copy_of(f->side, (size_t)f->n * (size_t)f->sides, sizeof *f->side, &good);
    t->early = copy_of(f->early, f->nearly, sizeof *f->early, &good);
    t->start = copy_of(f->start, f->nstart, sizeof *f->start, &good);
    good &= cellmap_copy(&t->slot, &f->slot);
    good &= cellmap_copy(&t->gone, &f->gone);
    return good ? OK : E_NOMEM;
}

bool
patch_reserve(struct patch *p, uint32_t n)
{
    if (!cellmap_reserve(&p->slot, n)) return false;
    if (n <= p->room) return true;
    uint32_t room = p->room ? p->room : n;
    while (room < n) room += room / 2 + 1;
    uint32_t *cell = mem_realloc(p->cell, room * sizeof *cell);
    if (cell) p->cell = cell;
    struct patch_side *side = mem_realloc(p->side, room * sizeof *side * (size_t)p->sides);
    if (side) p->side = side;
    if (!cell || !side) return false;
    p->room = room;
    return true;
}

uint32_t
patch_add(struct patch *p, uint32_t cell, uint32_t epoch)
{
    assert(p->n < p->room && !cellmap_find(&p->slot, cell)); /* protocols 9.1 */
    uint32_t slot = p->n++;
    p->cell[slot] = cell;
    cellmap_put(&p->slot, cell, slot, epoch);
    return slot;
}

void
patch_drop(struct patch *p, uint32_t slot)
{
    assert(slot < p->n && cellmap_find(&p->slot, p->cell[slot])->value == slot);
    uint32_t last = --p->n;
    cellmap_remove(&p->slot, p->cell[slot]);
    if (slot == last) return;
    p->cell[slot] = p->cell[last];
    for (int s = 0; s < p->sides; s++) *patch_side(p, slot, s) = *patch_side(p, last, s);
    cellmap_find(&p->slot, p->cell[slot])->value = slot;
}

uint64_t
patch_domain_bytes(const struct patch *p)
{
    uint64_t per_cell = sizeof *p->cell + (uint64_t)p->sides * sizeof *p->side;
    return sizeof *p + p->room * per_cell + p->nstart * sizeof *p->start +
           p->early_room * sizeof *p->early + cellmap_bytes(&p->slot) + cellmap_bytes(&p->gone);
}
