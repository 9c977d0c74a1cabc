/* cellmap.c - linear probing; a removed pair is filled by those behind it: there are no marks. */
#include "cellmap.h"

#include "runtime/base/mem.h"

#include <assert.h>

static uint32_t
first_place(const struct cellmap *m, uint32_t cell)
{
    return (uint32_t)((cell * 0x9E3779B97F4A7C15ull) >> 32) & (m->room - 1);
}

/* Where the cell is, or where it would be put. */
static uint32_t
place_of(const struct cellmap *m, uint32_t cell)
{
    uint32_t i = first_place(m, cell);
    while (m->pair[i].cell != cell && m->pair[i].cell != LATTICE_NONE) i = (i + 1) & (m->room - 1);
    return i;
}

void
cellmap_fini(struct cellmap *m)
{
    mem_free(m->pair);
    *m = (struct cellmap){0};
}

bool
cellmap_reserve(struct cellmap *m, uint32_t n)
{
    uint64_t room = m->room ? m->room : 8;
    while (room / 4 * 3 < n) room *= 2;
    if (room == m->room) return true;
    struct cellmap old = *m;
    m->pair = mem_zalloc(room, sizeof *m->pair);
    if (!m->pair) {
        *m = old;
        return false;
    }
    m->room = (uint32_t)room;
    m->n = 0;
    for (uint32_t i = 0; i < m->room; i++) m->pair[i].cell = LATTICE_NONE;
    for (uint32_t i = 0; i < old.room; i++)
        if (old.pair[i].cell != LATTICE_NONE) cellmap_put(m, old.pair[i].cell, old.pair[i].value);
    mem_free(old.pair);
    return true;
}

void
cellmap_put(struct cellmap *m, uint32_t cell, uint32_t value)
{
    struct cellmap_pair *p = &m->pair[place_of(m, cell)];
    if (p->cell == LATTICE_NONE) m->n++;
    assert(m->n < m->room);
    *p = (struct cellmap_pair){cell, value};
}

uint32_t
cellmap_get(const struct cellmap *m, uint32_t cell)
{
    if (!m->room) return LATTICE_NONE;
    const struct cellmap_pair *p = &m->pair[place_of(m, cell)];
    return p->cell == cell ? p->value : LATTICE_NONE;
}

void
cellmap_remove(struct cellmap *m, uint32_t cell)
{
    if (!m->room) return;
    uint32_t hole = place_of(m, cell), mask = m->room - 1;
    if (m->pair[hole].cell != cell) return;
    m->n--;
    for (uint32_t i = (hole + 1) & mask; m->pair[i].cell != LATTICE_NONE; i = (i + 1) & mask) {
        /* It may move back if the hole lies between the place it wanted and where it is. */
        uint32_t wanted = first_place(m, m->pair[i].cell);
        if (((i - wanted) & mask) < ((i - hole) & mask)) continue;
        m->pair[hole] = m->pair[i];
        hole = i;
    }
    m->pair[hole].cell = LATTICE_NONE;
}

uint64_t
cellmap_bytes(const struct cellmap *m)
{
    return (uint64_t)m->room * sizeof *m->pair;
}
