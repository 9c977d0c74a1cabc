/* philox.h - random numbers that have no state: the k-th number of a stream is a function of seed,
 * stream and k alone. Whoever asks for it gets the same, in whatever order and on whatever node, so
 * a result does not depend on how the work was cut.
 *
 *     double x = random_real(seed, stream, k);         0 <= x < 1
 *
 * Take the number of a particle or of a grid point as the stream, and number its draws from 0 on.
 *
 * This is Philox2x64-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1,
 * 2, 3" (SC11), which passes the known batteries of tests. It is not for cryptography. Copy this
 * file into the folder of your program. */
#ifndef PHILOX_H
#define PHILOX_H

#include <math.h>
#include <stdint.h>

struct random_pair {
    uint64_t a, b;
};

/* 128 random bits. Each of the ten rounds multiplies one word, and the halves of the product become
 * the two words of the next. */
static inline struct random_pair
random_bits(uint64_t seed, uint64_t stream, uint64_t k)
{
    uint64_t low = k, high = stream, key = seed;
    for (int round = 0; round < 10; round++) {
        __extension__ unsigned __int128 product = (unsigned __int128)low * 0xd2b74407b1ce6e93;
        low = (uint64_t)(product >> 64) ^ key ^ high;
        high = (uint64_t)product;
        key += 0x9e3779b97f4a7c15;
    }
    return (struct random_pair){low, high};
}

/* The upper 53 bits: as many as a double holds. */
static inline double
random_unit(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

static inline double
random_real(uint64_t seed, uint64_t stream, uint64_t k)
{
    return random_unit(random_bits(seed, stream, k).a);
}

/* 0 to n - 1, each as likely as the others up to n / 2^64; n > 0. */
static inline uint64_t
random_below(uint64_t n, uint64_t seed, uint64_t stream, uint64_t k)
{
    __extension__ unsigned __int128 product =
        (unsigned __int128)random_bits(seed, stream, k).a * n;
    return (uint64_t)(product >> 64);
}

/* Normal, with mean 0 and variance 1, by the method of Box and Muller. */
static inline double
random_normal(uint64_t seed, uint64_t stream, uint64_t k)
{
    struct random_pair r = random_bits(seed, stream, k);
    double angle = 2 * 3.14159265358979323846 * random_unit(r.b);
    return sqrt(-2 * log(1 - random_unit(r.a))) * cos(angle);
}

#endif
