/* patch_domain.c - the cells of one node, and what it knows of the cells beside them. */
#include "patch.h"

#include "runtime/base/mem.h"

#include <assert.h>

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
    assert(p->n < p->room);
    uint32_t slot = p->n++;
    p->cell[slot] = cell;
    cellmap_put(&p->slot, cell, slot, epoch);
    return slot;
}

void
patch_drop(struct patch *p, uint32_t slot)
{
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
