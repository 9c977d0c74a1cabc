/* partials.h - what a node has of a reduction so far: values of parts of the index set.
 *
 * The elements are numbered 0 .. total-1. The one tree in which they are combined is the binary
 * tree over these numbers: a part is `first` .. first + 2^level - 1, as far as there are elements,
 * and first is a multiple of 2^level.
 *
 *     level 2   [0         3] [4     5)
 *     level 1   [0   1] [2   3] [4   5)           total = 6
 *     level 0    0   1   2   3   4   5
 *
 * Two parts that together are one of the next level are combined as soon as both are here, the left
 * one first; a part whose right neighbour would have no element is one of the next level itself. So
 * the shape of the tree follows from the total alone, and whoever has neighbours may combine them.
 * No two parts here have an element in common: `first` alone tells one.
 *
 * It must not know where parts come from. Why there is one order: docs/decisions/0015. */
#ifndef LUNA_RUNTIME_PARTIALS_H
#define LUNA_RUNTIME_PARTIALS_H

#include "runtime/base/err.h"
#include "runtime/data/value.h"

struct partial {
    uint32_t first, level;
    luna_value value; /* unset: an empty row of the table */
};

struct partials { /* zeroed: empty. A table with open addressing */
    struct partial *row;
    uint32_t n, mask;
};

void partials_fini(struct partials *t); /* drops the values */
/* Takes the value on OK. */
enum err partials_put(struct partials *t, const struct partial *p);
/* The part that begins at `first`, if it is here with this level. */
bool partials_take(struct partials *t, uint32_t first, uint32_t level, struct partial *p);
/* The next one from row *at on, which begins with 0. False: there is none. */
bool partials_next(const struct partials *t, uint32_t *at, struct partial *p);

/* The level of the whole. */
uint32_t partials_top(uint32_t total);
/* Raises the level of a part as long as it has no neighbour on its right. */
static inline void
partials_raise(struct partial *p, uint32_t total)
{
    while ((UINT64_C(1) << p->level) < total && !(p->first >> p->level & 1) &&
           p->first + (UINT64_C(1) << p->level) >= total)
        p->level++;
}
/* Whether there is such a part. */
bool partials_fits(const struct partial *p, uint32_t total);
/* Its neighbour, with which it is one of the next level: where that begins. */
static inline uint32_t
partials_neighbour(const struct partial *p)
{
    return p->first ^ (uint32_t)1 << p->level;
}

#endif
