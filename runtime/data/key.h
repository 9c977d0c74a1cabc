/* key.h - the name of one data fragment: identity of its declaration's activation, declaration,
 * indices. Two mentions mean the same fragment exactly if their keys are equal.
 *
 * It must not know programs: how a mention becomes a key is in table/mention.h. */
#ifndef LUNA_RUNTIME_KEY_H
#define LUNA_RUNTIME_KEY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    KEY_INDICES_MAX = 64,
    KEY_BLOCK_BITS = 32 /* identities of a block: a worker takes another when they are used up */
};

struct key {
    uint64_t id; /* node that made it << 44 | block of one of its workers << KEY_BLOCK_BITS | serial
                  * number */
    uint32_t df; /* declaration, and perhaps one of the marks below */
    uint32_t n;
    uint32_t bound; /* at its home: its cell + 1; 0: bound to none. No part of the name */
    int32_t ix[KEY_INDICES_MAX];
};

#define KEY_PUSHED 0x80000000u /* a value sent to one label (afterpush) */
/* In a store: awaited from the node where its readers think it lives. A value that is put here
 * does not reach them, or it would depend on chance whether a program with contradicting locators
 * goes on. */
#define KEY_AWAY   0x40000000u
/* In a store: awaited by a call that has moved here with its cell, from where the call had asked
 * before (move.h). The cell is one more index. */
#define KEY_FOLLOWS 0x20000000u
/* A part of a fragment; which, are two more indices. Where the whole is, no part has an entry. */
#define KEY_PART 0x10000000u
/* A read beyond the shape: there is no such fragment, and in no store (shape.h). */
#define KEY_BEYOND 0x08000000u
#define KEY_MARKS (KEY_PUSHED | KEY_AWAY | KEY_FOLLOWS | KEY_PART | KEY_BEYOND)

/* Which part: `count` bytes from `from` on; count < 0: number `from` of those of the kind
 * -1 - count (enum luna_part_kind). */
struct key_part {
    int32_t from, count;
};
enum { PART_WHOLE = INT32_MIN }; /* a count: all of it */

static inline bool
key_part_fits(const struct key *k)
{
    return k->n + 3 <= KEY_INDICES_MAX; /* and a cell */
}

static inline void
key_add_part(struct key *k, struct key_part x)
{
    k->df |= KEY_PART;
    k->ix[k->n++] = x.from;
    k->ix[k->n++] = x.count;
}

/* Takes it off again; the whole: nothing was. */
static inline struct key_part
key_take_part(struct key *k)
{
    if (!(k->df & KEY_PART)) return (struct key_part){0, PART_WHOLE};
    k->df &= ~KEY_PART;
    k->n -= 2;
    return (struct key_part){k->ix[k->n], k->ix[k->n + 1]};
}

/* Of whatever stands in a store: the fragment. */
static inline void
key_plain(struct key *k)
{
    if (k->df & KEY_FOLLOWS) k->n--;
    k->df &= ~(KEY_AWAY | KEY_FOLLOWS);
    key_take_part(k);
}

/* The two halves of a product, added without carry: what one bit changes is spread over all. */
static inline uint64_t
key_mix(uint64_t a, uint64_t b)
{
    unsigned __int128 m = (unsigned __int128)a * b;
    return (uint64_t)m ^ (uint64_t)(m >> 64);
}

/* Mixes everything but the low 3 bits of the last index, or, without indices, of the declaration's
 * number; those only choose among the 8 buckets of a line. So neighbours lie together, and so do
 * what one activation declares. */
static inline uint64_t
key_hash(const struct key *k)
{
    uint64_t a = k->id ^ 0xD6E8FEB86659FD93ull;
    if (!k->n) {
        uint64_t h = key_mix(a, k->df >> 3 ^ 0x9E3779B97F4A7C15ull);
        return h << 3 | ((k->df ^ h >> 61) & 7);
    }
    uint64_t b = ((uint64_t)k->n << 32 | k->df) ^ 0x9E3779B97F4A7C15ull;
    uint64_t last = (uint32_t)k->ix[k->n - 1];
    if (k->n > 1) b ^= (uint64_t)(uint32_t)k->ix[0] << 32;
    uint64_t h = key_mix(a, b);
    for (uint32_t i = 1; i + 1 < k->n; i++)
        h = key_mix(h ^ (uint32_t)k->ix[i], 0xD6E8FEB86659FD93ull);
    h = key_mix(h ^ last >> 3, 0xA0761D6478BD642Full);
    return h << 3 | ((last ^ h >> 61) & 7);
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
