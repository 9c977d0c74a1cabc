/* learnt.h - what a node has learnt about owners of cells: a small array of atomic words.
 *
 * A word holds a cell, its owner, and the epoch: how often the cell had changed hands then. A cell
 * has one place, found by its number, and the newer of two facts about the same cell stays; of two
 * cells that share a place the later one. So it is bounded, any thread may read and write it, and a
 * fact may be old or gone: it is a hint, and whoever follows it must be able to go on.
 *
 * The array is made when the first fact comes. Without memory nothing is learnt. */
#ifndef LUNA_DISTRIB_LEARNT_H
#define LUNA_DISTRIB_LEARNT_H

#include <stdatomic.h>
#include <stdint.h>

enum { LEARNT_BITS = 8, LEARNT_WORDS = 1 << LEARNT_BITS };

struct learnt {
    _Atomic(uint64_t) *_Atomic words;
};

struct learnt_fact {
    int owner; /* -1: nothing is known */
    uint32_t epoch;
};

void learnt_fini(struct learnt *l);
void learnt_put(struct learnt *l, uint32_t cell, int owner, uint32_t epoch);
struct learnt_fact learnt_get(const struct learnt *l, uint32_t cell);
uint64_t learnt_bytes(const struct learnt *l);

#endif
