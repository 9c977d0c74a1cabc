/* cellmap.c - linear probing; a removed entry is filled by those behind it: there are no marks. */
#include "cellmap.h"

#include "runtime/base/mem.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static uint32_t
first_slot(const struct cellmap *m, uint32_t cell)
{
    return (uint32_t)((cell * 0x9E3779B97F4A7C15ull) >> 32) & (m->room - 1);
}

/* Where the cell is, or where it would be put. */
static uint32_t
slot_of(const struct cellmap *m, uint32_t cell)
{
    uint32_t i = first_slot(m, cell);
    while (m->entry[i].cell != cell && m->entry[i].cell != LATTICE_NONE)
        i = (i + 1) & (m->room - 1);
    return i;
}

void
cellmap_fini(struct cellmap *m)
{
    mem_free(m->entry);
    *m = (struct cellmap){0};
}

bool
cellmap_copy(struct cellmap *to, const struct cellmap *from)
{
    if (!from->room) return true;
    to->entry = mem_zalloc(from->room, sizeof *to->entry);
    if (!to->entry) return false;
    memcpy(to->entry, from->entry, from->room * sizeof *to->entry);
    to->n = from->n;
    to->room = from->room;
    return true;
}

bool
cellmap_reserve(struct cellmap *m, uint32_t n)
{
    uint64_t room = m->room ? m->room : 8;
    while (room / 4 * 3 < n) room *= 2;
    if (room == m->room) return true;
    struct cellmap old = *m;
    m->entry = mem_zalloc(room, sizeof *m->entry);
    if (!m->entry) {
        *m = old;
        return false;
    }
    m->room = (uint32_t)room;
    for (uint32_t i = 0; i < m->room; i++) m->entry[i].cell = LATTICE_NONE;
    for (uint32_t i = 0; i < old.room; i++)
        if (old.entry[i].cell != LATTICE_NONE)
            m->entry[slot_of(m, old.entry[i].cell)] = old.entry[i];
    mem_free(old.entry);
    return true;
}

void
cellmap_put(struct cellmap *m, uint32_t cell, uint32_t value, uint32_t epoch)
{
    struct cellmap_entry *e = &m->entry[slot_of(m, cell)];
    if (e->cell == LATTICE_NONE) m->n++;
    assert(m->n < m->room);
    *e = (struct cellmap_entry){cell, value, epoch};
}

struct cellmap_entry *
cellmap_find(const struct cellmap *m, uint32_t cell)
{
    if (!m->room || cell == LATTICE_NONE) return NULL;
    struct cellmap_entry *e = &m->entry[slot_of(m, cell)];
    return e->cell == cell ? e : NULL;
}

void
cellmap_remove(struct cellmap *m, uint32_t cell)
{
    if (!m->room) return;
    uint32_t hole = slot_of(m, cell), mask = m->room - 1;
    if (m->entry[hole].cell != cell) return;
    m->n--;
    for (uint32_t i = (hole + 1) & mask; m->entry[i].cell != LATTICE_NONE; i = (i + 1) & mask) {
        /* It may move back if the hole lies between the slot it wanted and where it is. */
        uint32_t wanted = first_slot(m, m->entry[i].cell);
        if (((i - wanted) & mask) < ((i - hole) & mask)) continue;
        m->entry[hole] = m->entry[i];
        hole = i;
    }
    m->entry[hole].cell = LATTICE_NONE;
}

uint64_t
cellmap_bytes(const struct cellmap *m)
{
    return (uint64_t)m->room * sizeof *m->entry;
}
