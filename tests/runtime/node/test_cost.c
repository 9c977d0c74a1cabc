/* test_cost.c - what is known of how long calls last. */
#include "runtime/node/cost.h"
#include "tests/lib/check.h"

static _Atomic uint32_t ticks[3];
static struct costs_known known = {.ticks = ticks, .limit = 6000}; /* 2 us */

TEST(the_unknown_is_long)
{
    CHECK(!cost_is_short(&known, 0));
    int n = 0;
    for (; !cost_is_short(&known, 0); n++) cost_learn(&known, 0, 0); /* as if no time had passed */
    CHECK(n > 4 && n < 13, "trusted after %d short calls", n);
    CHECK(!cost_is_short(&known, 1), "one statement says nothing of another");
}

TEST(a_long_call_is_remembered_for_some)
{
    int n = 0;
    cost_set(&known, 1, 100);
    CHECK(cost_is_short(&known, 1));
    cost_learn(&known, 1, 3000000);
    for (; !cost_is_short(&known, 1); n++) cost_learn(&known, 1, 100);
    CHECK(n > 10 && n < 40, "%d short calls later", n);
}

TEST(it_never_wraps)
{
    cost_learn(&known, 2, UINT64_MAX / 8);
    CHECK(ticks[2] == UINT32_MAX);
    CHECK(!cost_is_short(&known, 2));
    for (int n = 0; n < 200; n++) cost_learn(&known, 2, 1);
    CHECK(cost_is_short(&known, 2));
}

TEST_MAIN(T(the_unknown_is_long),
          T(a_long_call_is_remembered_for_some), T(it_never_wraps))
