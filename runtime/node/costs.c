/* costs.c - a table that doubles, by the number of the cell. */
#include "costs.h"

#include "runtime/base/mem.h"

enum { COSTS_FIRST = 64 };

enum err
costs_new(struct costs **out)
{
    struct costs *c = mem_zalloc(1, sizeof *c);
    if (!c) return E_NOMEM;
    c->room = COSTS_FIRST;
    c->slot = mem_zalloc(c->room, sizeof *c->slot);
    if (!c->slot) {
        mem_free(c);
        return E_NOMEM;
    }
    *out = c;
    return OK;
}

void
costs_free(struct costs *c)
{
    if (!c) return;
    mem_free(c->slot);
    mem_free(c);
}

static struct cost *
slot_of(const struct costs *c, uint32_t cell)
{
    uint32_t at = cell * 2654435761u;
    for (;; at++) {
        struct cost *s = &c->slot[at & (c->room - 1)];
        if (!s->cell || s->cell == cell + 1) return s;
    }
}

static enum err
costs_grow(struct costs *c)
{
    struct costs more = {.used = c->used, .room = 2 * c->room};
    more.slot = mem_zalloc(more.room, sizeof *more.slot);
    if (!more.slot) return E_NOMEM;
    for (uint32_t i = 0; i < c->room; i++)
        if (c->slot[i].cell) *slot_of(&more, c->slot[i].cell - 1) = c->slot[i];
    mem_free(c->slot);
    *c = more;
    return OK;
}

enum err
costs_note(struct costs *c, uint32_t cell, double cost)
{
    struct cost *s = slot_of(c, cell);
    if (s->cell) {
        s->cost += cost;
        s->calls++;
        return OK;
    }
    *s = (struct cost){cell + 1, cost, 1};
    c->used++;
    return c->used > c->room / 2 ? costs_grow(c) : OK;
}
