/* reduce.c - reductions in which the one who gets the result computes all of it.
 *
 * Each member gives its operand where the others can read it, fragment by fragment; the root, or
 * everybody, combines all operands of a fragment in one pass into the user's memory. Small ones, up
 * to 2 KiB, are in a line or its slot. One hop; the root reads p m bytes, while the others copy the
 * next fragment. */
#include "collectives/ops/reduce.h"

#include "collectives/ops/ops.h"
#include "collectives/ops/select.h"

#include <string.h>

void
reduce_combine(struct coll *g, const struct reduction *r, void *out, size_t bytes)
{
    ops_combine(r->type, r->op, out, g->operands, g->size, bytes / coll_type_bytes(r->type));
}

static enum err
reduce_small(struct coll *g, const struct reduction *r)
{
    uint64_t stamp = group_small_stamp(g, r->bytes);
    if (g->rank != r->root) {
        if (!group_small_free(g, r->bytes)) return group_broken(g);
        copier_copy(&g->copier, COPY_NEAR, group_small_at(g, g->rank, r->bytes), r->send, r->bytes);
        wait_publish(&g->waiter, &group_line_at(g, g->rank)->stamp, stamp);
    }
    if (reduce_gets(g, r)) {
        if (!group_lines(g, stamp)) return group_broken(g);
        for (int i = 0; i < g->size; i++)
            g->operands[i] = i == g->rank ? r->send : group_small_at(g, i, r->bytes);
        reduce_combine(g, r, r->recv, r->bytes);
    }
    group_leave(g);
    return OK;
}

/* Waits for the part number `part` of all others; the operands are in `cell`, this member's own in
 * the user's memory. */
static bool
gather(struct coll *g, const char *own, int cell, unsigned part)
{
    for (int i = 0; i < g->size; i++) {
        g->operands[i] = i == g->rank ? own : group_cell_at(g, i, cell);
        if (i == g->rank) continue;
        if (!wait_for(&g->waiter, &group_member_at(g, i)->in.value, group_parts(g, part), i))
            return false;
    }
    group_all_here(g);
    return true;
}

static enum err
reduce_whole(struct coll *g, const struct reduction *r)
{
    size_t fragment = select_fragment(g, r->bytes) & ~(size_t)7; /* whole elements */
    bool gives = g->rank != r->root;
    bool short_one = r->bytes <= (size_t)g->near * g->layout.cell; /* for long ones all of a set */
    uint64_t step = 0;
    unsigned part = 0;
    for (size_t done = 0, bytes; done < r->bytes; done += bytes) {
        bytes = r->bytes - done < fragment ? r->bytes - done : fragment;
        int cell;
        if (short_one) group_stay_near(g);
        if (!group_take(g, gives, &bytes, &cell)) return group_broken(g);
        part = step == g->step ? part + 1 : 1;
        step = g->step;
        if (gives) {
            copier_copy(&g->copier, short_one ? COPY_NEAR : COPY_WIDE,
                        group_cell_at(g, g->rank, cell), r->send + done, bytes);
            wait_publish(&g->waiter, &g->self->in.value, group_parts(g, part));
        }
        if (reduce_gets(g, r)) {
            if (!gather(g, r->send + done, cell, part)) return group_broken(g);
            reduce_combine(g, r, r->recv + done, bytes);
        }
    }
    group_leave(g);
    return OK;
}

enum err
reduce_call(struct coll *g, struct reduction r, size_t count, reduce_choice *whole)
{
    if (!ops_has(r.type, r.op)) return E_USER;
    if (__builtin_mul_overflow(count, coll_type_bytes(r.type), &r.bytes)) return E_USER;
    if (!count) return OK;
    if (g->size == 1) {
        memmove(r.recv, r.send, r.bytes);
        return OK;
    }
    enum err e = group_begin(g);
    if (e) return e;
    if (select_small(g, r.bytes)) return reduce_small(g, &r);
    return (whole(g, r.bytes) ? reduce_whole : reduce_slices)(g, &r);
}

enum err
coll_reduce(struct coll *g, const void *send, void *recv, size_t count, enum coll_type type,
            enum coll_op op, int root)
{
    struct reduction r = {send, recv, 0, type, op, root};
    if (root < 0 || root >= g->size) return E_USER;
    return reduce_call(g, r, count, select_root_computes);
}
