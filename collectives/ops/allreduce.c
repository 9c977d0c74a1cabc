/* allreduce.c - reductions in which each member computes a slice of the result.
 *
 * Of as much as a set holds, member i computes slice i: all others copy their operands of it into
 * their queues; i combines them in one pass with its own, which it reads from the user's memory;
 * the result goes into its own queue, where the others copy it from. (There a queue is free:
 * nobody else needs the member's own operand.)
 *
 *     copy in (p-1)/p m  |  combine p operands of m/p  |  copy out (p-1)/p m
 *
 * Operands are copied beginning with the slice of the next member, so that not all wait for the
 * same one. A reduction to a root is the same without copying out, but for the root. */
#include "collectives/ops/reduce.h"
#include "collectives/ops/select.h"

#include <string.h>

/* A round: what fits in a set. Slices begin at lines: no two members write the same one. */
struct round {
    const struct reduction *r;
    size_t at, bytes; /* in the operands */
    int cell;
};

struct slice {
    size_t from, bytes; /* in the round */
};

static struct slice
slice_of(const struct coll *g, const struct round *o, int member)
{
    size_t lines = (o->bytes + LINE - 1) / LINE, p = (size_t)g->size, i = (size_t)member;
    size_t from = lines * i / p * LINE, to = lines * (i + 1) / p * LINE;
    if (to > o->bytes) to = o->bytes;
    return (struct slice){from, to - from};
}

static char *
piece_at(const struct coll *g, const struct round *o, int member, struct slice s)
{
    return group_cell_at(g, member, o->cell) + s.from;
}

static void
give_operands(struct coll *g, const struct round *o)
{
    for (int d = 1; d < g->size; d++) {
        struct slice s = slice_of(g, o, (g->rank + d) % g->size);
        copier_copy(&g->copier, COPY_WIDE, piece_at(g, o, g->rank, s),
                    o->r->send + o->at + s.from, s.bytes);
        wait_publish(&g->waiter, &g->self->in.value, group_parts(g, (unsigned)d));
    }
}

static bool
compute_slice(struct coll *g, const struct round *o)
{
    struct slice s = slice_of(g, o, g->rank);
    for (int i = 0; i < g->size; i++) {
        unsigned turn = (unsigned)((g->rank - i + g->size) % g->size);
        g->operands[i] = i == g->rank ? o->r->send + o->at + s.from : piece_at(g, o, i, s);
        if (i == g->rank) continue;
        if (!wait_for(&g->waiter, &group_member_at(g, i)->in.value, group_parts(g, turn), i))
            return false;
    }
    group_all_here(g);
    char *result = piece_at(g, o, g->rank, s), *mine = result;
    if (reduce_gets(g, o->r)) mine = o->r->recv + o->at + s.from;
    reduce_combine(g, o->r, mine, s.bytes);
    if (o->r->root < 0) copier_copy(&g->copier, COPY_WIDE, result, mine, s.bytes);
    wait_publish(&g->waiter, &g->self->out.value, group_parts(g, 1));
    return true;
}

static bool
take_results(struct coll *g, const struct round *o)
{
    for (int d = 1; d < g->size; d++) {
        int i = (g->rank + d) % g->size;
        struct slice s = slice_of(g, o, i);
        if (!wait_for(&g->waiter, &group_member_at(g, i)->out.value, group_parts(g, 1), i))
            return false;
        memcpy(o->r->recv + o->at + s.from, piece_at(g, o, i, s), s.bytes);
    }
    return true;
}

enum err
reduce_slices(struct coll *g, const struct reduction *r)
{
    struct round o = {.r = r};
    for (; o.at < r->bytes; o.at += o.bytes) {
        o.bytes = r->bytes - o.at;
        /* One round a step: `in` and `out` count within one. */
        if (o.at) group_leave(g);
        group_skip(g, o.bytes);
        if (!group_take(g, true, &o.bytes, &o.cell)) return group_broken(g);
        give_operands(g, &o);
        if (!compute_slice(g, &o)) return group_broken(g);
        if (reduce_gets(g, r) && !take_results(g, &o)) return group_broken(g);
    }
    group_leave(g);
    return OK;
}

enum err
coll_allreduce(struct coll *g, const void *send, void *recv, size_t count, enum coll_type type,
               enum coll_op op)
{
    struct reduction r = {send, recv, 0, type, op, -1};
    return reduce_call(g, r, count, select_everyone_computes);
}
