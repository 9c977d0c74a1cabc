/* test_model.c - the model gives the figures the paper prints, and its optimum is one. */
#include "collectives/group/model.h"
#include "tests/lib/check.h"

#include <math.h>

/* The constants of the paper's figures. */
static const struct model paper = {1e-9, 50e-9, 100e-9, 10e-9};
static const double mib = 1 << 20;

static int
near(double have, double want, double part)
{
    return fabs(have - want) <= part * want;
}

TEST(figures_of_the_paper)
{
    double f = model_fragment(16 * mib, 4 * mib, 50), s = 4 * mib / f;
    CHECK(near(f, 14.5e3, 0.01), "f* = %g", f);
    CHECK(near(model_time(&paper, 16 * mib, f, s), 16.9e-3, 0.01), "t = %g",
          model_time(&paper, 16 * mib, f, s));
    CHECK(near(model_time(&paper, 16 * mib, 8192, 1), 33.9e-3, 0.01), "s = 1: %g",
          model_time(&paper, 16 * mib, 8192, 1));
    CHECK(near(model_time(&paper, 16 * mib, 8192, 64), 17.1e-3, 0.01), "s = 64: %g",
          model_time(&paper, 16 * mib, 8192, 64));
}

TEST(three_regimes)
{
    const struct model c = {1, 10, 100, 1};
    CHECK(model_time(&c, 64, 64, 4) == 101 + 10 + 128, "one fragment");
    CHECK(model_time(&c, 256, 64, 4) == 101 + 64 + 4 * 10 + 256, "it fits");
    CHECK(model_time(&c, 257, 64, 4) == 2 * 165 + 5 * 10 + 257, "used again");
}

TEST(nothing_is_better_than_the_optimum)
{
    for (double m = mib; m <= 64 * mib; m *= 4) {
        double f = model_fragment(m, mib, 50), best = model_time(&paper, m, f, mib / f);
        for (double g = f / 8; g <= f * 8; g *= 1.1)
            CHECK(model_time(&paper, m, g, mib / g) >= best * 0.995, "m %g: f %g", m, g);
    }
}

TEST(choices)
{
    struct model_queue q = model_choose(0, 0, 0, 1, 4096);
    CHECK(q.fragment == 8192 && q.fragments == 64, "nothing known: %zu x %d", q.fragment,
          q.fragments);
    q = model_choose(1 << 20, 0, 0, 1, 4096);
    CHECK(q.fragment == 4096 && q.fragments == 256, "m known: %zu x %d", q.fragment, q.fragments);
    q = model_choose(1 << 20, 0, 0, 1600, 4096);
    CHECK(q.fragment == 40960 && q.fragments == 26, "t_w known: %zu x %d",
          q.fragment, q.fragments);
    q = model_choose(100000, 8192, 0, 1, 4096);
    CHECK(q.fragment == 8192 && q.fragments == 13, "f given: %zu x %d", q.fragment, q.fragments);
    q = model_choose(4 << 20, 0, 16, 64, 4096);
    CHECK(q.fragment == 16384 && q.fragments == 16, "s given: %zu x %d", q.fragment, q.fragments);
    q = model_choose(100, 8192, 0, 1, 4096);
    CHECK(q.fragments == 2, "never less than two: %d", q.fragments);
    q = model_choose((size_t)1 << 40, 4096, 0, 1, 4096);
    CHECK(q.fragments == 1024, "never too many: %d", q.fragments);
}

TEST_MAIN(T(figures_of_the_paper), T(three_regimes), T(nothing_is_better_than_the_optimum),
          T(choices))
