/* rng.h - random numbers that depend on the seed alone: xorshift64*, seeded through splitmix64. */
#ifndef LUNA_BASE_RNG_H
#define LUNA_BASE_RNG_H

#include <stdint.h>

struct rng {
    uint64_t state;
};

static inline struct rng
rng_of(uint64_t seed)
{
    uint64_t z = seed + 0x9E3779B97F4A7C15ull;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    z ^= z >> 31;
    return (struct rng){z ? z : 1};
}

static inline uint64_t
rng_next(struct rng *r)
{
    r->state ^= r->state >> 12;
    r->state ^= r->state << 25;
    r->state ^= r->state >> 27;
    return r->state * 0x2545F4914F6CDD1Dull;
}

/* 0 .. n-1; n > 0. */
static inline uint64_t
rng_below(struct rng *r, uint64_t n)
{
    return (uint64_t)((unsigned __int128)rng_next(r) * n >> 64);
}

#endif
