/* test_chain.c - ns in 32 bits: exact while they fit, near enough above, and sums do not drift. */
#include "runtime/data/chain.h"
#include "tests/lib/check.h"

#include "runtime/base/rng.h"

#include <math.h>

TEST(below_268_ms_it_is_exact)
{
    struct rng r = rng_of(1);
    for (int i = 0; i < 100000; i++) {
        uint64_t ns = rng_next(&r) >> 36;
        CHECK(chain_ns(chain_of_ns(ns, 0)) == ns, "%lu", (unsigned long)ns);
    }
    CHECK(!chain_of_ns(0, 7) && chain_ns(chain_of_ns((1u << 28) - 1, 7)) == (1u << 28) - 1);
}

TEST(above_it_is_near_and_larger_is_larger)
{
    struct rng r = rng_of(2);
    for (int i = 0; i < 100000; i++) {
        uint64_t ns = rng_next(&r) >> (7 + i % 29), back = chain_ns(chain_of_ns(ns, 0));
        double error = fabs((double)back - (double)ns);
        CHECK(error <= (double)ns / (1 << 27), "%lu is %lu", (unsigned long)ns,
              (unsigned long)back);
        uint64_t more = ns + ns / (1 << 26) + 1;
        CHECK(chain_of_ns(more, 0) >= chain_of_ns(ns, 0), "%lu", (unsigned long)ns);
    }
    CHECK(chain_of_ns(UINT64_MAX, 0) == UINT32_MAX);
    CHECK(chain_of_ns((UINT64_C(1) << 57) - 1, 0) > chain_of_ns(UINT64_C(1) << 56, 0));
}

/* 3 s in steps of 1 us, where the last bits are of 16 ns; and a minute and steps that are shorter
 * than what is kept of it. */
static double
sum_of(uint64_t step, uint64_t from, int n)
{
    uint32_t chain = chain_of_ns(from, 0);
    for (int i = 0; i < n; i++)
        chain = chain_of_ns(chain_ns(chain) + step, (uint64_t)i * (step + 100));
    return (double)(chain_ns(chain) - from) / ((double)step * n) - 1;
}

TEST(many_short_steps_add_up)
{
    CHECK(fabs(sum_of(1000, 0, 3000000)) < 1e-5, "%g", sum_of(1000, 0, 3000000));
    CHECK(fabs(sum_of(100, UINT64_C(60000000000), 1000000)) < 0.005, "%g",
          sum_of(100, UINT64_C(60000000000), 1000000));
}

TEST_MAIN(T(below_268_ms_it_is_exact), T(above_it_is_near_and_larger_is_larger),
          T(many_short_steps_add_up))
