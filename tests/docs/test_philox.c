/* test_philox.c - docs/cookbook/random/philox.h: published values, and whether the numbers look
 * random: along k, along streams and along seeds, since users count in all three. */
#include "docs/cookbook/random/philox.h"
#include "tests/lib/check.h"

#include <stdio.h>

enum { DRAWS = 200000 };

/* Words of the reference implementation's list of known answers: counter low, high; key. */
TEST(known_answers)
{
    struct random_pair r = random_bits(0, 0, 0);
    CHECK(r.a == 0xca00a0459843d731 && r.b == 0x66c24222c9a845b5);
    r = random_bits(UINT64_MAX, UINT64_MAX, UINT64_MAX);
    CHECK(r.a == 0x65b021d60cd8310f && r.b == 0x4d02f3222f86df20);
    r = random_bits(0xa4093822299f31d0, 0x13198a2e03707344, 0x243f6a8885a308d3);
    CHECK(r.a == 0x0a5e742c2997341c && r.b == 0xb0f883d38000de5d);
}

/* The n-th number along one of the three: seed, stream, k. */
static struct random_pair
along(int which, uint64_t n)
{
    return random_bits(which == 0 ? n : 5, which == 1 ? n : 7, which == 2 ? n : 11);
}

/* Mean, variance and the correlation of neighbours, each within five standard deviations. */
static void
moments(int which)
{
    double sum = 0, squares = 0, products = 0, last = 0;
    for (uint64_t n = 0; n < DRAWS; n++) {
        double x = random_unit(along(which, n).a) - 0.5;
        CHECK(x >= -0.5 && x < 0.5);
        sum += x;
        squares += x * x;
        products += n ? x * last : 0;
        last = x;
    }
    double root = sqrt(DRAWS);
    CHECK(fabs(sum / DRAWS) < 5 * sqrt(1.0 / 12) / root);
    CHECK(fabs(squares / DRAWS - 1.0 / 12) < 5 * sqrt(1.0 / 180) / root);
    CHECK(fabs(products / DRAWS) < 5 * (1.0 / 12) / root);
}

/* Chi-square of 256 equally likely classes: mean 255, standard deviation about 22.6. */
static void
bytes(int which, int shift)
{
    static unsigned count[2][256];
    double square[2] = {0, 0}, expected = DRAWS / 256.0;
    for (int w = 0; w < 2; w++)
        for (int c = 0; c < 256; c++) count[w][c] = 0;
    for (uint64_t n = 0; n < DRAWS; n++) {
        struct random_pair r = along(which, n);
        count[0][r.a >> shift & 255]++;
        count[1][r.b >> shift & 255]++;
    }
    for (int w = 0; w < 2; w++) {
        for (int c = 0; c < 256; c++) square[w] += pow(count[w][c] - expected, 2) / expected;
        CHECK(square[w] > 255 - 5 * 22.6 && square[w] < 255 + 6 * 22.6);
    }
}

/* A bit that is turned over in the input turns over half of the bits of the output, on average. */
static void
avalanche(int which)
{
    enum { TRIED = 400 };
    for (int bit = 0; bit < 64; bit++) {
        int changed = 0;
        for (uint64_t n = 0; n < TRIED; n++) {
            struct random_pair r = along(which, n), s = along(which, n ^ (uint64_t)1 << bit);
            changed += __builtin_popcountll(r.a ^ s.a) + __builtin_popcountll(r.b ^ s.b);
        }
        double mean = (double)changed / TRIED; /* of 128 bits: 64, give or take 5.66 */
        CHECK(fabs(mean - 64) < 5.5 * 5.66 / sqrt(TRIED));
    }
}

TEST(below)
{
    unsigned count[7] = {0};
    for (uint64_t n = 0; n < DRAWS; n++) {
        uint64_t x = random_below(7, 1, 2, n);
        CHECK(x < 7);
        if (x < 7) count[x]++;
    }
    for (int c = 0; c < 7; c++)
        CHECK(fabs(count[c] - DRAWS / 7.0) < 5 * sqrt(DRAWS * 6.0 / 49));
    CHECK(random_below(1, 1, 2, 3) == 0);
    CHECK(random_real(1, 2, 3) == random_unit(random_bits(1, 2, 3).a));
}

/* The first four moments of the normal distribution are 0, 1, 0 and 3. */
TEST(normal)
{
    double power[5] = {0};
    for (uint64_t n = 0; n < DRAWS; n++) {
        double x = random_normal(3, n, 0);
        CHECK(isfinite(x));
        for (int p = 1; p <= 4; p++) power[p] += pow(x, p) / DRAWS;
    }
    double root = sqrt(DRAWS);
    CHECK(fabs(power[1]) < 5 / root && fabs(power[2] - 1) < 5 * sqrt(2) / root);
    CHECK(fabs(power[3]) < 5 * sqrt(15) / root && fabs(power[4] - 3) < 5 * sqrt(96) / root);
}

TEST(moments_of_uniform_numbers)
{
    for (int which = 0; which < 3; which++) moments(which);
}

TEST(bytes_are_equally_likely)
{
    for (int which = 0; which < 3; which++)
        for (int shift = 0; shift < 64; shift += 8) bytes(which, shift);
}

TEST(each_bit_of_input_matters)
{
    for (int which = 0; which < 3; which++) avalanche(which);
}

TEST_MAIN(T(known_answers), T(moments_of_uniform_numbers), T(bytes_are_equally_likely),
          T(each_bit_of_input_matters), T(below), T(normal))
