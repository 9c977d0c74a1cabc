/* owners.c - the outcome is told to the owners, and made true on the copy of the map.
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
    p->now.told++;
}

void
planner_owners_start(struct planner *p)
{
    struct planner_items *v = &p->item;
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
                buf_add(&p->mail.out, &cell, sizeof cell);
        }
        if (home != p->set.node) {
            planner_post(p, home);
            if (p->now.op == OP_OWNERS) p->now.left_in += (int)(end - i);
        }
    }
}

static void
post_parcel(struct planner *p, int to, const uint32_t *cell, uint32_t n)
{
    planner_open(p, PLANNER_PARCEL);
    enum err e = distrib_give(p->copy, to, cell, n, &p->mail.out);
    if (e != OK)
        planner_fail(p, e);
    else
        planner_post(p, to);
}

void
planner_claim_hear(struct planner *p, const struct planner_heard *h)
{
    uint32_t n = (uint32_t)(h->n / sizeof n), *cell = mem_alloc(h->n + 1);
    if (!cell || h->n % sizeof n) {
        planner_fail(p, cell ? E_FORMAT : E_NOMEM);
        mem_free(cell);
        return;
    }
    memcpy(cell, h->body, h->n);
    for (uint32_t i = 0; i < n && p->err == OK; i++) note_owner(p, cell[i], h->from);
    if (p->err == OK && p->now.op == OP_OWNERS) post_parcel(p, h->from, cell, n);
    mem_free(cell);
}

bool
planner_owners_over(const struct planner *p)
{
    return !p->now.left_in && p->now.told == p->own.n;
}

void
planner_tell_news(void *who, int node, const void *news, size_t bytes)
{
    struct planner *p = who;
    planner_open(p, PLANNER_NEWS);
    buf_add(&p->mail.out, news, bytes);
    planner_post(p, node);
    p->news.sent++;
}

void
planner_parcel_hear(struct planner *p, const struct planner_heard *h)
{
    uint32_t had = distrib_count(p->copy);
    enum err e = distrib_take(p->copy, h->from, h->body, h->n, planner_tell_news, p);
    if (e != OK)
        planner_fail(p, e);
    else
        p->now.left_in -= (int)(distrib_count(p->copy) - had);
}

void
planner_news_hear(struct planner *p, const struct planner_heard *h)
{
    p->news.heard++;
    p->turns.news_due--;
    p->turns.stale = true;
    enum err e = p->copy ? distrib_hear(p->copy, h->body, h->n, planner_tell_news, p) : E_PROTOCOL;
    if (e != OK) planner_fail(p, e);
}
