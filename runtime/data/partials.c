/* partials.c - linear probing; what is taken out leaves no mark: others move up. */
#include "partials.h"

#include "runtime/base/mem.h"

enum { ROOM_MIN = 16 };

static uint32_t
slot_of(const struct partials *t, uint32_t first)
{
    return (uint32_t)((first * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & t->mask;
}

static void
add(struct partials *t, const struct partial *p)
{
    uint32_t i = slot_of(t, p->first);
    while (t->row[i].value.type != LUNA_UNSET) i = (i + 1) & t->mask;
    t->row[i] = *p;
    t->n++;
}

static enum err
grow(struct partials *t)
{
    uint32_t room = t->row ? 2 * (t->mask + 1) : ROOM_MIN;
    struct partials wider = {.row = mem_zalloc(room, sizeof *wider.row), .mask = room - 1};
    struct partial p;
    if (!wider.row) return E_NOMEM;
    for (uint32_t at = 0; partials_next(t, &at, &p);) add(&wider, &p);
    mem_free(t->row);
    *t = wider;
    return OK;
}

enum err
partials_put(struct partials *t, const struct partial *p)
{
    if ((!t->row || t->n > t->mask / 2) && grow(t) != OK) return E_NOMEM;
    add(t, p);
    return OK;
}

/* Closes the gap at row i: whatever stands behind it and was pushed away from it moves up. */
static void
close_gap(struct partials *t, uint32_t i)
{
    for (uint32_t k = (i + 1) & t->mask; t->row[k].value.type != LUNA_UNSET;
         k = (k + 1) & t->mask) {
        uint32_t home = slot_of(t, t->row[k].first);
        if (((k - home) & t->mask) < ((k - i) & t->mask)) continue;
        t->row[i] = t->row[k];
        i = k;
    }
    t->row[i].value = value_unset();
}

bool
partials_take(struct partials *t, uint32_t first, uint32_t level, struct partial *p)
{
    if (!t->n) return false;
    uint32_t i = slot_of(t, first);
    while (t->row[i].value.type != LUNA_UNSET && t->row[i].first != first) i = (i + 1) & t->mask;
    if (t->row[i].value.type == LUNA_UNSET || t->row[i].level != level) return false;
    *p = t->row[i];
    close_gap(t, i);
    t->n--;
    return true;
}

bool
partials_next(const struct partials *t, uint32_t *at, struct partial *p)
{
    while (t->row && *at <= t->mask) {
        *p = t->row[(*at)++];
        if (p->value.type != LUNA_UNSET) return true;
    }
    return false;
}

void
partials_fini(struct partials *t)
{
    struct partial p;
    for (uint32_t at = 0; partials_next(t, &at, &p);) value_release(p.value);
    mem_free(t->row);
    *t = (struct partials){0};
}

/* ---- the tree ---- */

uint32_t
partials_top(uint32_t total)
{
    uint32_t top = 0;
    while (top < 32 && (UINT64_C(1) << top) < total) top++;
    return top;
}

bool
partials_fits(const struct partial *p, uint32_t total)
{
    return p->first < total && p->level <= partials_top(total) &&
           !(p->first & ((UINT64_C(1) << p->level) - 1));
}
