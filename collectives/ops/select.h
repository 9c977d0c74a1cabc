/* select.h - which algorithm when. Only on what all members know alike: their number, the size of
 * the message, whether the group was crowded when it was made.
 *
 * The limits were measured with two processes on two cores (docs/collectives.md). */
#ifndef LUNA_COLLECTIVES_SELECT_H
#define LUNA_COLLECTIVES_SELECT_H

#include "collectives/group/group.h"

/* True: each member looks at all others, p^2 lines but one hop. False: log p hops of one line each.
 * Where members take turns on a core a hop is a turn, so one is best. */
static inline bool
select_flat_barrier(const struct coll *g)
{
    return g->size <= 8 || g->crowded;
}

/* True: in a line or its slot. */
static inline bool
select_small(const struct coll *g, size_t bytes)
{
    return bytes <= LINE_BYTES || bytes <= g->layout.slot;
}

/* What is told of a message in a slot before the rest is copied. Shorter ones gain nothing, and
 * where members share a core a second word may cost a second turn. */
static inline size_t
select_first_part(const struct coll *g, size_t bytes)
{
    return bytes < 3 << 9 || g->crowded ? bytes : bytes / 2 / LINE * LINE;
}

/* The fragments of a message. Up to 8 KiB two are slower than one; larger than 16 gains nothing. */
static inline size_t
select_fragment(const struct coll *g, size_t bytes)
{
    if (g->fragment) return g->fragment;
    return bytes <= 16 << 10 ? 8 << 10 : 16 << 10;
}

/* True: everybody reads all operands and computes all. False: a slice each, and two hops more. */
static inline bool
select_everyone_computes(const struct coll *g, size_t bytes)
{
    return bytes * (size_t)g->size <= 16 << 10;
}

/* True: the root reads all operands. False: a slice each. The root's share is p m against 3 m. */
static inline bool
select_root_computes(const struct coll *g, size_t bytes)
{
    return g->size <= 3 || bytes <= 4 << 10;
}

#endif
