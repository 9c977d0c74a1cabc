/* Quotas of one centre. */
#include "balance/balance.h"
#include "tests/lib/check.h"

#include <math.h>

static const struct balance_rule plain = {.threshold = 0, .share = 1};

static int
near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

TEST(surplus_is_split_by_what_is_lacking)
{
    struct balance_node all[] = {{4, 1}, {1, 1}, {12, 1}, {3, 1}};
    double q[4];
    /* The average is 8; what lacks is 4, 7, 0, 5. */
    balance_diffuse(&plain, (struct balance_node){20, 1}, all, 4, q);
    CHECK(near(q[0], 12 * 4 / 16.) && near(q[1], 12 * 7 / 16.) && q[2] == 0 &&
              near(q[3], 12 * 5 / 16.),
          "%g %g %g %g", q[0], q[1], q[2], q[3]);
    struct balance_rule half = {.share = .5};
    balance_diffuse(&half, (struct balance_node){20, 1}, all, 4, q);
    CHECK(near(q[0] + q[1] + q[3], 6));
}

TEST(below_the_threshold_nothing_is_given)
{
    struct balance_node one = {90, 1};
    struct balance_rule rule = {.threshold = .06, .share = 1};
    double q;
    balance_diffuse(&rule, (struct balance_node){100, 1}, &one, 1, &q);
    CHECK(q == 0, "5.3 %% above: %g", q);
    rule.threshold = .05;
    balance_diffuse(&rule, (struct balance_node){100, 1}, &one, 1, &q);
    CHECK(near(q, 5));
    balance_diffuse(&plain, (struct balance_node){90, 1}, &one, 1, &q);
    CHECK(q == 0, "even");
    balance_diffuse(&plain, (struct balance_node){80, 1}, &one, 1, &q);
    CHECK(q == 0, "below");
    one.load = 0;
    balance_diffuse(&plain, (struct balance_node){0, 1}, &one, 1, &q);
    CHECK(q == 0, "no load at all");
    balance_diffuse(&plain, (struct balance_node){7, 1}, NULL, 0, &q);
}

TEST(faster_nodes_get_more)
{
    struct balance_node all[] = {{10, 2}, {10, 1}};
    double q[2];
    balance_diffuse(&plain, (struct balance_node){20, 1}, all, 2, q);
    CHECK(near(q[0], 10) && q[1] == 0, "10 for each unit of speed: %g %g", q[0], q[1]);
    balance_diffuse(&plain, (struct balance_node){20, 2}, all, 2, q);
    CHECK(near(q[0], 4. * 6 / 6) && q[1] == 0, "8 for each: %g %g", q[0], q[1]);
}

TEST(a_quota_is_looked_at_again)
{
    struct balance_node all[] = {{2, 1}, {6, 1}};
    struct balance_node centre = {10, 1};
    CHECK(balance_limit(3, centre, all, 2, 0) == 3);
    CHECK(balance_limit(5, centre, all, 2, 0) == 4, "what it lacks");
    CHECK(balance_limit(3, centre, all, 2, 1) == 0, "it lacks nothing");
    centre.load = 7;
    CHECK(balance_limit(3, centre, all, 2, 0) == 2, "what is left to give");
    centre.load = 1;
    CHECK(balance_limit(3, centre, all, 2, 0) == 0);
}

TEST_MAIN(T(surplus_is_split_by_what_is_lacking), T(below_the_threshold_nothing_is_given),
          T(faster_nodes_get_more), T(a_quota_is_looked_at_again))
