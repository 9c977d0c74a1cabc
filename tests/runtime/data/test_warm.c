/* test_warm.c - which worker a call is for, by what others have used last. */
#include "runtime/data/warm.h"
#include "tests/lib/check.h"

#include "runtime/base/rng.h"

enum { MATRIX, X, R, P, Q, VALUES }; /* of a block of rows */
enum { VECTOR = 2 * BLOCK_FAR };

static luna_value value[VALUES];
static uint16_t clock_now = UINT16_MAX - 20; /* so that it wraps around */

static void
set_up(void)
{
    for (int i = 0; i < VALUES; i++) {
        struct block *b = block_new(i == MATRIX ? 10 * VECTOR : VECTOR);
        CHECK(b != NULL);
        value[i] = value_of_block(b, LUNA_BYTES);
    }
}

static void
tear_down(void)
{
    for (int i = 0; i < VALUES; i++) value_release(value[i]);
}

static void
used_by(int i, unsigned worker, uint16_t when)
{
    value_block(value[i])->user = (uint8_t)worker;
    value_block(value[i])->used = when;
}

enum { NOBODY = 2 };

/* A call that became ready at `worker`, one of two, reads these, and assigns `made`: who runs
 * it? */
static unsigned
call(unsigned worker, const int *reads, unsigned n, int made)
{
    luna_value v[VALUES];
    for (unsigned i = 0; i < n; i++) v[i] = value[reads[i]];
    if (warm_elsewhere(v, n, worker)) worker = !worker;
    if (warm_elsewhere(v, n, worker)) return NOBODY;
    warm_here(v, n, worker);
    clock_now++;
    for (unsigned i = 0; i < n; i++) value_block(v[i])->used = clock_now;
    used_by(made, worker, clock_now);
    return worker;
}

TEST(most_of_the_bytes_decide)
{
    set_up();
    for (int i = 0; i < VALUES; i++) used_by(i, i == MATRIX ? 0 : 1, (uint16_t)i);
    CHECK(warm_elsewhere(value, VALUES, 1) && !warm_elsewhere(value, VALUES, 0));
    CHECK(warm_elsewhere(value + X, 4, 0) && !warm_elsewhere(value + X, 4, 1));
    used_by(Q, 2, 9); /* three of four are more than two thirds */
    CHECK(!warm_elsewhere(value + X, 4, 1) && warm_elsewhere(value + X, 4, 2));
    tear_down();
}

TEST(of_two_halves_the_later_one_decides)
{
    set_up();
    for (int i = 0; i < VALUES; i++) used_by(i, i < P, (uint16_t)(UINT16_MAX - 1 + i));
    CHECK(!warm_elsewhere(value + X, 4, 0) && warm_elsewhere(value + X, 4, 1), "P, Q are later");
    used_by(X, 1, 100);
    CHECK(warm_elsewhere(value + X, 4, 0) && !warm_elsewhere(value + X, 4, 1));
    tear_down();
}

TEST(what_is_small_is_near_to_all)
{
    luna_value v[2] = {{.type = LUNA_INT}, value_of_block(block_new(BLOCK_FAR - 1), LUNA_BYTES)};
    value_block(v[1])->user = 1;
    CHECK(!warm_elsewhere(v, 2, 0) && !warm_elsewhere(v, 2, 1) && !warm_elsewhere(v, 0, 0));
    warm_here(v, 2, 0);
    CHECK(value_block(v[1])->user == 1);
    value_release(v[1]);
}

/* Conjugate gradients: three calls a turn, which become ready at any of two workers. However the
 * block's values lie at first, from the second turn on the same worker runs all of them. */
TEST(a_torn_block_comes_together)
{
    static const int multiply[] = {MATRIX, P}, advance[] = {X, R, P, Q}, turn[] = {R, P};
    struct rng rng = rng_of(1);
    set_up();
    for (unsigned seed = 0; seed < 1024; seed++) {
        for (int i = 0; i < VALUES; i++) used_by(i, seed >> i & 1, clock_now);
        unsigned who = 0;
        for (int t = 0; t < 9; t++) {
            unsigned by[3] = {call((unsigned)rng_below(&rng, 2), multiply, 2, Q),
                              call((unsigned)rng_below(&rng, 2), advance, 4, X),
                              call((unsigned)rng_below(&rng, 2), turn, 2, P)};
            if (t == 1) who = by[2];
            for (int k = 0; k < 3; k++)
                CHECK(t < 2 ? by[k] != NOBODY : by[k] == who, "seed %u, turn %d", seed, t);
        }
    }
    tear_down();
}

TEST_MAIN(T(most_of_the_bytes_decide), T(of_two_halves_the_later_one_decides),
          T(what_is_small_is_near_to_all), T(a_torn_block_comes_together))
