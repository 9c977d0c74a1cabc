/* valid.c - what must be true of a planner between two messages, for builds with assertions.
 *
 * Only what no message can spoil, however damaged: a node that hears nonsense says so by an error,
 * and must get as far as that. */
#include "parts.h"

#include <math.h>

static bool
items_exist(const struct planner *p)
{
    uint32_t ncells = lattice_size(&p->set.cells);
    for (uint32_t i = 0; i < p->item.n; i++) {
        const struct planner_item *it = &p->item.at[i];
        if (it->cell >= ncells || it->home < 0 || it->home >= p->set.nnodes) return false;
    }
    return true;
}

/* The sum that is kept of what counts. While heavy cells are looked for what counts is not settled,
 * and afterwards it is added up anew. Numbers are added in other orders, so the last bits differ;
 * those that are none are nonsense that was heard. */
static bool
load_is_sum(const struct planner *p)
{
    double sum = 0;
    if (p->now.op == OP_HEAVY) return true;
    for (uint32_t i = 0; i < p->item.n; i++) sum += planner_weight(p, p->item.at[i].load);
    return !(fabs(sum - p->load) > 1e-9 * (sum + p->all.total));
}

/* In turns what is planned here is what the copy says: each cell is ours once, or in one parcel
 * (docs/protocols-balancing.md, section 9). */
static bool
items_are_ours(const struct planner *p)
{
    if (p->now.op != OP_TURN && p->now.op != OP_FLOW) return true;
    if (p->item_slot.n != p->item.n || distrib_count(p->copy) != p->item.n) return false;
    for (uint32_t i = 0; i < p->item.n; i++) {
        const struct cellmap_entry *e = cellmap_find(&p->item_slot, p->item.at[i].cell);
        if (!e || e->value != i || !distrib_owns(p->copy, p->item.at[i].cell)) return false;
    }
    return true;
}

/* What waits is for an op or a step to come: all nodes go through the same ones in the same order,
 * and nobody is more than a step ahead (section 11). */
static bool
mail_is_early(const struct planner *p)
{
    uint32_t ahead = 0;
    for (const struct planner_letter *l = p->mail.inbox; l; l = l->next) {
        bool next = l->head.step == p->step + 1, later = l->head.op > p->nops;
        if (!next && (l->head.step != p->step || !later)) return false;
        ahead += next;
    }
    return ahead == p->mail.ahead;
}

bool
planner_is_valid(const struct planner *p)
{
    if (p->err != OK) return true;
    if (!mail_is_early(p) || p->now.told > p->own.n) return false;
    if (p->now.op == OP_OVER) return !p->copy && !p->item.n;
    return items_exist(p) && load_is_sum(p) && items_are_ours(p);
}
