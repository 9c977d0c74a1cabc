/* barrier.c - nobody leaves before all have come.
 *
 * Flat: each member says that it is here, in its own line, and reads those of all others: one hop.
 * The lines are those of small messages, used in turn: one that the others have just read would
 * have to be taken back from their caches before it can be written.
 * Dissemination: in round i member r tells r + 2^i and waits for r - 2^i; after ceil(log2 p) rounds
 * it has heard of all. Words only grow, so there is nothing to reset, and a member that is a
 * barrier ahead does no harm. */
#include "collectives/group/group.h"
#include "collectives/ops/select.h"

static bool
flat(struct coll *g)
{
    uint64_t here = group_small_stamp(g, 0);
    if (!group_all_left(g, (int64_t)g->step - RING)) return false;
    wait_publish(&g->waiter, &group_line_at(g, g->rank)->stamp, here);
    return group_lines(g, here);
}

static bool
dissemination(struct coll *g)
{
    for (int i = 0, far = 1; far < g->size; i++, far *= 2) {
        int to = (g->rank + far) % g->size;
        wait_publish(&g->waiter, &group_member_at(g, to)->round[i].value, g->step);
        int from = (g->rank - far + g->size) % g->size;
        if (!wait_for(&g->waiter, &g->self->round[i].value, g->step, from)) return false;
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
