/* group.c - steps and sets, and small questions. */
#include "collectives/group/group.h"

#include "collectives/group/tree.h"

int
coll_rank(const struct coll *g)
{
    return g->rank;
}

int
coll_size(const struct coll *g)
{
    return g->size;
}

enum err
coll_tell(const struct coll *g, struct coll_about *out)
{
    *out = g->about;
    if (g->size == 1) return OK;
    if (!group_is_here(g)) return E_USER;
    out->crowded = atomic_load(&g->head->crowded);
    return OK;
}

enum err
coll_break(struct coll *g)
{
    if (g->size == 1) return OK;
    if (!group_is_here(g)) return E_USER;
    wait_break(&g->waiter, E_BROKEN);
    return OK;
}

enum err
group_confused(struct coll *g)
{
    wait_break(&g->waiter, E_PROTOCOL);
    return group_broken(g);
}

bool
group_await_left(struct coll *g, uint64_t step)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < g->size; i++) {
        if (i == g->rank) continue;
        _Atomic uint64_t *left = &group_member_at(g, i)->left;
        uint64_t now = atomic_load_explicit(left, memory_order_acquire);
        if (now < step) {
            if (!wait_slowly(&g->waiter, &(struct wait){left, step, i, BELL_LEFT})) return false;
            now = step;
        }
        if (now < least) least = now;
    }
    g->all_left = least;
    return true;
}

/* One that is written, but otherwise, is from a member that has begun another operation. */
static bool
line_there(struct coll *g, int i, uint64_t stamp)
{
    _Atomic uint64_t *theirs = &group_line_at(g, i)->stamp;
    if (!wait_for(&g->waiter, theirs, group_small_stamp(g, 0), i)) return false;
    if (atomic_load_explicit(theirs, memory_order_relaxed) == stamp) return true;
    group_confused(g);
    return false;
}

bool
group_lines(struct coll *g, uint64_t stamp)
{
    /* Those first who can only come while this member waits: to spin for others would keep all
     * waiting. */
    if (g->crowded)
        for (int i = 0; i < g->size; i++)
            if (i != g->rank && wait_blocks(&g->waiter, i) && !line_there(g, i, stamp))
                return false;
    for (int i = 0; i < g->size; i++)
        if (i != g->rank && !line_there(g, i, stamp)) return false;
    group_all_here(g);
    return true;
}

bool
group_take(struct coll *g, bool writer, size_t *bytes, int *cell)
{
    int per_set = g->layout.cells / g->layout.sets;
    if (g->used == per_set) {
        group_leave(g);
        g->used = 0;
        g->set = (g->set + 1) % g->layout.sets;
        if (writer && !group_all_left(g, (int64_t)g->set_step[g->set])) return false;
    }
    g->set_step[g->set] = g->step;
    size_t size = g->layout.cell, left = (size_t)(per_set - g->used);
    size_t cells = (*bytes + size - 1) / size;
    if (cells > left) {
        cells = left;
        *bytes = left * size;
    }
    *cell = g->set * per_set + g->used;
    g->used += (int)cells;
    return true;
}

const struct kin *
group_kin(struct coll *g, int root)
{
    if (!g->kin[root])
        g->kin[root] = tree_of_rank(g->tree, g->fan_out, g->size, g->leaders, root, g->rank);
    return g->kin[root];
}
