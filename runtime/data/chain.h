/* chain.h - how long the longest chain of calls was that a value comes from, in a traced run: ns,
 * as the value carries them (luna_value.chain). Exact below 2^28, 268 ms. Above that 28 bits are
 * kept, and the rest is rounded up as often as it is large, by chance: so a sum of many does not
 * drift. */
#ifndef LUNA_RUNTIME_CHAIN_H
#define LUNA_RUNTIME_CHAIN_H

#include <stdint.h>

enum { CHAIN_BITS = 27 }; /* of the word; one more, the highest, is not written. Above them: how far
                           * to shift, and one more */

static inline uint64_t
chain_ns(uint32_t c)
{
    uint32_t e = c >> CHAIN_BITS, low = c & ((1u << CHAIN_BITS) - 1);
    return e ? (uint64_t)(low | 1u << CHAIN_BITS) << (e - 1) : low;
}

/* `salt`: another one each time. */
static inline uint32_t
chain_of_ns(uint64_t ns, uint64_t salt)
{
    if (ns >> (CHAIN_BITS + 1) == 0) return (uint32_t)ns;
    if (ns >> 57) return UINT32_MAX;
    unsigned e = 64 - (unsigned)__builtin_clzll(ns) - (CHAIN_BITS + 1);
    uint64_t chance = (ns ^ salt) * 0x9E3779B97F4A7C15ull;
    chance = (chance ^ chance >> 32) * 0xD6E8FEB86659FD93ull;
    uint64_t m = (ns + (chance >> (64 - e))) >> e; /* may be one bit longer */
    return (e << CHAIN_BITS) + (uint32_t)m;
}

static inline uint32_t
chain_longer(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

#endif
