/* key.h - the name of one data fragment: identity of its declaration's activation, declaration,
 * indices. Two mentions mean the same fragment exactly if their keys are equal. */
#ifndef LUNA_RUNTIME_KEY_H
#define LUNA_RUNTIME_KEY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { KEY_INDICES_MAX = 64 };

struct key {
    uint64_t id; /* node that made it << 44 | its serial number there */
    uint32_t df; /* declaration, and perhaps one of the marks below */
    uint32_t n;
    int32_t ix[KEY_INDICES_MAX];
};

#define KEY_PUSHED 0x80000000u /* a value sent to one label (afterpush) */
/* In a store: awaited from the node where its readers think it lives. A value that is put here
 * does not reach them, or it would depend on chance whether a program with contradicting locators
 * goes on. */
#define KEY_AWAY   0x40000000u
#define KEY_MARKS  (KEY_PUSHED | KEY_AWAY)

/* Mixes everything but the low 3 bits of the last index; those only choose among the 8 buckets of a
 * line, so neighbours lie together, and names without indices are spread like all others. */
static inline uint64_t
key_hash(const struct key *k)
{
    uint64_t h = (k->id ^ (uint64_t)k->df << 32) * 0xD6E8FEB86659FD93ull;
    uint32_t low = 0;
    if (k->n) {
        const int32_t *ix = k->ix, *last = ix + k->n - 1;
        for (; ix < last; ix++) h = (h ^ (uint32_t)*ix ^ h >> 29) * 0x9E3779B97F4A7C15ull;
        low = (uint32_t)*last & 7;
        h = (h ^ (uint32_t)*last >> 3 ^ h >> 31) * 0x9E3779B97F4A7C15ull + k->n;
    }
    h ^= h >> 32;
    h *= 0xD6E8FEB86659FD93ull;
    h ^= h >> 29;
    return h << 3 | (low ^ h >> 61);
}

static inline bool
key_equal(const struct key *a, uint64_t id, uint32_t df, uint32_t n, const int32_t *ix)
{
    if (a->id != id || a->df != df || a->n != n) return false;
    switch (n) { /* most names have two indices or fewer */
    case 0: return true;
    case 1: return a->ix[0] == ix[0];
    case 2: return a->ix[0] == ix[0] && a->ix[1] == ix[1];
    default: return !memcmp(a->ix, ix, n * sizeof *ix);
    }
}

#endif
