/* barrier.c - nobody leaves before all have come.
 *
 * Flat: each member says that it is here, in its own line, and reads those of all others: one hop.
 * Dissemination: in round i member r tells r + 2^i and waits for r - 2^i; after ceil(log2 p) rounds
 * it has heard of all. Words only grow, so there is nothing to reset, and a member that is a
 * barrier ahead does no harm. */
#include "collectives/group.h"
#include "collectives/select.h"

static bool
flat(struct coll *g)
{
    uint64_t here = group_parts(g, 1);
    wait_publish(&g->waiter, &g->self->in.value, here);
    for (int i = 0; i < g->size; i++)
        if (!wait_for(&g->waiter, &member_at(g, i)->in.value, here)) return false;
    return true;
}

static bool
dissemination(struct coll *g)
{
    for (int i = 0, far = 1; far < g->size; i++, far *= 2) {
        int to = (g->rank + far) % g->size;
        wait_publish(&g->waiter, &member_at(g, to)->round[i].value, g->step);
        if (!wait_for(&g->waiter, &g->self->round[i].value, g->step)) return false;
    }
    return true;
}

enum err
coll_barrier(struct coll *g)
{
    if (g->size == 1) return OK;
    enum err e = group_begin(g);
    if (e) return e;
    if (!(select_flat_barrier(g) ? flat : dissemination)(g)) return group_broken(g);
    group_all_here(g);
    group_leave(g);
    return OK;
}
