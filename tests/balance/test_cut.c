/* Equal parts of rows. */
#include "balance/balance.h"
#include "tests/lib/check.h"

#include <math.h>

static int
cuts_by(const double *load, int side, int parts, const double *share, const double *want)
{
    double at[9];
    balance_cut(load, side, parts, share, at);
    for (int k = 0; k <= parts; k++)
        if (fabs(at[k] - want[k]) > 1e-9) {
            printf("cut %d at %g\n", k, at[k]);
            return 0;
        }
    return 1;
}

static int
cuts_are(const double *load, int side, int parts, const double *want)
{
    return cuts_by(load, side, parts, NULL, want);
}

TEST(rows_are_cut)
{
    double ones[] = {1, 1, 1, 1, 1, 1, 1, 1}, half[] = {1, 1, 1, 1, 0, 0, 0, 0};
    double middle[] = {0, 0, 1, 1, 1, 1, 0, 0}, none[8] = {0}, one[] = {0, 0, 0, 0, 0, 9, 0, 0};
    CHECK(cuts_are(ones, 8, 4, (double[]){0, 2, 4, 6, 8}));
    CHECK(cuts_are(ones, 8, 3, (double[]){0, 8 / 3., 16 / 3., 8}));
    CHECK(cuts_are(half, 8, 2, (double[]){0, 2, 8}));
    CHECK(cuts_are(half, 8, 8, (double[]){0, .5, 1, 1.5, 2, 2.5, 3, 3.5, 8}));
    CHECK(cuts_are(middle, 8, 4, (double[]){0, 3, 4, 5, 8}));
    CHECK(cuts_are(none, 8, 4, (double[]){0, 2, 4, 6, 8}), "no load");
    CHECK(cuts_are(one, 8, 3, (double[]){0, 5 + 1 / 3., 5 + 2 / 3., 8}), "in one place");
    CHECK(cuts_are(ones, 8, 1, (double[]){0, 8}));
}

TEST(rows_are_cut_by_shares)
{
    double ones[] = {1, 1, 1, 1, 1, 1, 1, 1}, half[] = {1, 1, 1, 1, 0, 0, 0, 0}, none[8] = {0};
    double share[] = {1, 2, 1}, idle[] = {1, 0, 1};
    CHECK(cuts_by(ones, 8, 3, share, (double[]){0, 2, 6, 8}));
    CHECK(cuts_by(half, 8, 3, share, (double[]){0, 1, 3, 8}));
    CHECK(cuts_by(none, 8, 3, share, (double[]){0, 2, 6, 8}), "no load");
    CHECK(cuts_by(ones, 8, 3, idle, (double[]){0, 4, 4, 8}), "a part without a share");
}

static int
rows_begin(const double *load, int parts, const double *share, const int *was, const int *want)
{
    int begin[8] = {0};
    for (int k = 0; k < parts; k++) begin[k] = was[k];
    balance_rows(load, 8, parts, share, begin);
    for (int k = 0; k < parts; k++)
        if (begin[k] != want[k]) {
            printf("part %d begins at %d\n", k, begin[k]);
            return 0;
        }
    return 1;
}

TEST(whole_rows_are_cut)
{
    double ones[] = {1, 1, 1, 1, 1, 1, 1, 1}, front[] = {9, 1, 1, 1, 1, 1, 1, 1}, none[8] = {0};
    double share[] = {1, 2, 1}, waves[] = {3, 1, 3, 1, 3, 1, 3, 1};
    int even[] = {0, 2, 4, 6};
    CHECK(rows_begin(ones, 4, NULL, (int[]){0, 1, 1, 1}, even), "from anywhere");
    CHECK(rows_begin(ones, 4, NULL, (int[]){0, 7, 7, 7}, even));
    CHECK(rows_begin(ones, 3, share, (int[]){0, 0, 0}, (int[]){0, 2, 6}), "by shares");
    CHECK(rows_begin(waves, 4, NULL, even, even));
    /* One row is more than a share: the others may stay where they are. */
    CHECK(rows_begin(front, 3, NULL, (int[]){0, 2, 5}, (int[]){0, 1, 5}));
    CHECK(rows_begin(front, 3, NULL, (int[]){0, 1, 7}, (int[]){0, 1, 7}));
    /* Each has one, also where that is all there is, or nothing to share. */
    CHECK(rows_begin(front, 8, NULL, (int[8]){0}, (int[]){0, 1, 2, 3, 4, 5, 6, 7}));
    CHECK(rows_begin(none, 3, NULL, (int[]){0, 3, 4}, (int[]){0, 3, 4}));
    CHECK(rows_begin(none, 3, NULL, (int[]){0, 0, 9}, (int[]){0, 1, 7}));
}

TEST(elements_fall_into_parts)
{
    int want[] = {0, 0, 1, 1, 2, 2, 3, 3};
    for (int i = 0; i < 8; i++) CHECK(balance_part(i, 1, 8, 4) == want[i], "%d", i);
    CHECK(balance_part(0, 10, 10, 4) == 2, "the middle counts");
    CHECK(balance_part(10, 0, 10, 4) == 3 && balance_part(0, 0, 0, 4) == 0, "no load");
    /* No part is heavier than its share and one element. */
    double load[100], before = 0, sum[7] = {0}, total = 0;
    for (int i = 0; i < 100; i++) total += load[i] = i * 37 % 11;
    for (int i = 0; i < 100; before += load[i++])
        sum[balance_part(before, load[i], total, 7)] += load[i];
    for (int k = 0; k < 7; k++) CHECK(fabs(sum[k] - total / 7) <= 10, "%d: %g", k, sum[k]);
}

TEST(when_to_plan)
{
    CHECK(balance_needed(12, 10, 1, .05) && !balance_needed(12, 10, 1, .25));
    CHECK(!balance_needed(12, 10, 3, .05), "one cell is more than that");
    CHECK(!balance_needed(10, 10, 0, .05) && !balance_needed(0, 0, 0, .05));
    CHECK(balance_needed(20, 10, 1, .05));
}

TEST_MAIN(T(when_to_plan), T(rows_are_cut), T(rows_are_cut_by_shares), T(whole_rows_are_cut),
          T(elements_fall_into_parts))
