/* spread.c - the outcome is told to the owners, and made true on the copy of the map.
 *
 *     planned for B, owned by A       B -- claim: these cells are planned for me --> A
 *                                     A -- parcel ---------------------------------> B
 *                                     B -- news -----------> owners of cells beside them
 *
 * A knows how many cells it owns, B how many it claims: neither has to be told when it is done.
 * Only news may be under way longer; the sums of a check find that out. The
 * claims at the end of all (OP_CLAIM) are not followed by parcels. */
#include "parts.h"

#include "runtime/base/mem.h"

#include <stdlib.h>
#include <string.h>

static int
compare_homes(const void *a, const void *b)
{
    const struct planner_item *x = a, *y = b;
    if (x->home != y->home) return x->home < y->home ? -1 : 1;
    return (x->cell > y->cell) - (x->cell < y->cell);
}

/* A cell that must be ours, and nobody's yet in the plan, is planned for a node. */
static void
note_owner(struct planner *p, uint32_t cell, int node)
{
    const struct cellmap_entry *e = cellmap_find(&p->own_slot, cell);
    if (!e || p->dest[e->value] >= 0) {
        planner_fail(p, E_PROTOCOL);
        return;
    }
    p->dest[e->value] = node;
    p->told++;
}

void
planner_spread_start(struct planner *p)
{
    struct planner_items *v = &p->item;
    p->told = 0;
    for (uint32_t i = 0; i < p->own.n; i++) p->dest[i] = -1;
    if (v->n) qsort(v->at, v->n, sizeof *v->at, compare_homes);
    for (uint32_t i = 0, end; i < v->n; i = end) {
        int home = v->at[i].home;
        if (home != p->set.node) planner_open(p, PLANNER_CLAIM);
        for (end = i; end < v->n && v->at[end].home == home; end++) {
            uint32_t cell = v->at[end].cell;
            if (home == p->set.node)
                note_owner(p, cell, home);
            else
                buf_add(&p->out, &cell, sizeof cell);
        }
        if (home != p->set.node) {
            planner_post(p, home);
            if (p->now == OP_SPREAD) p->left_in += (int)(end - i);
        }
    }
}

static void
post_parcel(struct planner *p, int to, const uint32_t *cell, uint32_t n)
{
    planner_open(p, PLANNER_PARCEL);
    enum err e = distrib_give(p->copy, to, cell, n, &p->out);
    if (e != OK)
        planner_fail(p, e);
    else
        planner_post(p, to);
}

static void
hear_claim(struct planner *p, int from, const void *body, size_t size)
{
    uint32_t n = (uint32_t)(size / sizeof n), *cell = mem_alloc(size + 1);
    if (!cell || size % sizeof n) {
        planner_fail(p, cell ? E_FORMAT : E_NOMEM);
        mem_free(cell);
        return;
    }
    memcpy(cell, body, size);
    for (uint32_t i = 0; i < n && p->err == OK; i++) note_owner(p, cell[i], from);
    if (p->err == OK && p->now == OP_SPREAD) post_parcel(p, from, cell, n);
    mem_free(cell);
}

void
planner_tell_news(void *who, int node, const void *news, size_t bytes)
{
    struct planner *p = who;
    planner_open(p, PLANNER_NEWS);
    buf_add(&p->out, news, bytes);
    planner_post(p, node);
    p->news_sent++;
}

void
planner_spread_hear(struct planner *p, enum planner_kind kind, int from, const void *body, size_t n)
{
    if (p->now != OP_SPREAD && (p->now != OP_CLAIM || kind != PLANNER_CLAIM)) {
        planner_fail(p, E_PROTOCOL);
        return;
    }
    if (kind == PLANNER_CLAIM) {
        hear_claim(p, from, body, n);
        return;
    }
    uint32_t had = distrib_count(p->copy);
    enum err e = distrib_take(p->copy, from, body, n, planner_tell_news, p);
    if (e != OK)
        planner_fail(p, e);
    else
        p->left_in -= (int)(distrib_count(p->copy) - had);
}

void
planner_news_hear(struct planner *p, const void *body, size_t n)
{
    p->news_heard++;
    p->news_due--;
    p->stale = true;
    enum err e = p->copy ? distrib_hear(p->copy, body, n, planner_tell_news, p) : E_PROTOCOL;
    if (e != OK) planner_fail(p, e);
}
