/* test_stats.c - the numbers of measuring, against values that are known. */
#include "collectives/perf/stats.h"

#include "tests/lib/check.h"

#include <math.h>

static bool
near(double have, double want, double share)
{
    return fabs(have - want) <= share * fabs(want) + 1e-12;
}

TEST(student_is_that_of_the_tables)
{
    static const struct {
        double confidence;
        int freedom;
        double a;
    } known[] = {{.95, 1, 12.7062}, {.95, 2, 4.3027},  {.95, 3, 3.1824},  {.95, 10, 2.2281},
                 {.95, 29, 2.0452}, {.95, 99, 1.9842}, {.90, 1, 6.3138},  {.90, 20, 1.7247},
                 {.99, 1, 63.6567}, {.99, 5, 4.0321},  {.99, 30, 2.7500}, {.95, 100000, 1.95999}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double a = stats_student(known[i].confidence, known[i].freedom);
        CHECK(near(a, known[i].a, 2e-5), "%g, %d: %.6f, not %.6f", known[i].confidence,
              known[i].freedom, a, known[i].a);
    }
}

TEST(a_sample_is_trimmed_and_has_an_interval)
{
    double t[] = {100, 3, 1, 2, 4, 5, 6, 0}; /* 0 1 | 2 3 4 5 | 6 100 */
    struct sample s = sample_of(t, 8, 10, .25, .95);
    CHECK(s.total == 10 && s.valid == 8 && s.kept == 4, "%d %d %d", s.total, s.valid, s.kept);
    CHECK(s.min == 0 && s.max == 100, "%g %g", s.min, s.max);
    CHECK(near(s.mean, 3.5, 1e-12) && near(s.stddev, sqrt(5.0 / 3), 1e-12), "%g", s.stddev);
    CHECK(near(s.stderr_, s.stddev / 2, 1e-12), "%g", s.stderr_);
    CHECK(near(s.rse, 100 * s.stderr_ / 3.5, 1e-12), "%g", s.rse);
    CHECK(near(s.err, 3.18245 * s.stderr_, 1e-5), "%g", s.err);
    CHECK(near(s.high - s.low, 2 * s.err, 1e-12), "%g %g", s.low, s.high);
    CHECK(near(s.relerr, 100 * s.err / 3.5, 1e-12), "%g", s.relerr);
}

TEST(nothing_is_dropped_without_trimming)
{
    double t[] = {4, 1, 3, 2};
    struct sample s = sample_of(t, 4, 4, 0, .95);
    CHECK(s.kept == 4 && s.mean == 2.5, "%d %g", s.kept, s.mean);
}

TEST(what_cannot_be_known_is_no_number)
{
    double one[] = {7};
    struct sample s = sample_of(one, 1, 9, .25, .95);
    CHECK(s.mean == 7 && s.kept == 1 && isnan(s.stderr_) && isnan(s.err) && isnan(s.low));
    s = sample_of(one, 0, 9, .25, .95);
    CHECK(s.total == 9 && s.valid == 0 && s.kept == 0 && isnan(s.mean) && isnan(s.min));
    double zeros[] = {0, 0, 0};
    s = sample_of(zeros, 3, 3, 0, .95);
    CHECK(s.mean == 0 && s.err == 0 && isnan(s.rse) && isnan(s.relerr));
}

TEST(medians_and_repetitions)
{
    double odd[] = {9, 1, 5}, even[] = {4, 1, 9, 2}, means[] = {9, 10, 11, 10};
    CHECK(stats_median(odd, 3) == 5 && stats_median(even, 4) == 3);
    CHECK(near(stats_repeat_error(means, 4), 100 * sqrt(2.0 / 3) / (10 * 2), 1e-12), "%g",
          stats_repeat_error(means, 4));
}

TEST(enough_valid_launches_end_it)
{
    struct rules r = {.valid = 30, .least = 10, .most = 100, .trim = .25, .confidence = .95};
    double t[100];
    for (int i = 0; i < 100; i++) t[i] = 1;
    CHECK(!rules_met(&r, 32, t, 29));
    CHECK(rules_met(&r, 32, t, 30));
    CHECK(rules_met(&r, 100, t, 0), "the limit holds whatever is valid");
    r.valid = 1;
    CHECK(!rules_met(&r, 8, t, 8) && rules_met(&r, 16, t, 16), "at least `least`");
}

TEST(a_small_error_ends_it)
{
    struct rules r = {.rse = 5, .valid = 30, .least = 10, .most = 100, .confidence = .95};
    double even[40], odd[40];
    for (int i = 0; i < 40; i++) {
        even[i] = 10 + i % 2;
        odd[i] = i % 2 ? 1 : 100;
    }
    CHECK(!rules_met(&r, 16, even, 9), "nine are too few");
    CHECK(rules_met(&r, 16, even, 10));
    CHECK(even[0] == 10 && even[1] == 11, "their order is kept");
    CHECK(!rules_met(&r, 40, odd, 40) && rules_met(&r, 100, odd, 40));
}

TEST(slots_grow_when_too_much_is_invalid)
{
    CHECK(near(stats_slot_first(40, 4, 9), 11, 1e-12));
    CHECK(stats_slot_first(4000, 4, 9) == 36, "one launch of the four has lost its core");
    CHECK(stats_slot_next(10, 80, 8, 2, 9) == 10, "a quarter may be invalid");
    CHECK(stats_slot_next(10, 80, 8, 3, 9) == 20, "at least the double");
    CHECK(near(stats_slot_next(10, 200, 8, 8, 9), 27.5, 1e-12), "or what the stage took");
    CHECK(stats_slot_next(10, 80000, 8, 8, 9) == 36, "but not much more than it needs");
    CHECK(stats_slot_next(10, 80000, 8, 8, 1) == 10, "it is not the slot's fault");
}

TEST(the_quickest_exchange_tells_the_offset)
{
    struct offset o = offset_none();
    CHECK(!offset_take(&o, 100, 1105, 110) && o.value == 1000);
    CHECK(!offset_take(&o, 200, 1250, 300) && o.value == 1000, "slower: not believed");
    CHECK(!offset_take(&o, 300, 1303, 304) && o.value == 1001 && o.quickest == 4);
    for (int i = 1; i < OFFSET_PATIENCE; i++)
        CHECK(!offset_take(&o, 400, 1500, 500), "%d", i);
    CHECK(offset_take(&o, 400, 1500, 500) && o.value == 1001);
}

TEST(offsets_of_a_ring_are_sums)
{
    double o[] = {77, 5, -2, 4};
    offset_ring(o, 4);
    CHECK(o[0] == 0 && o[1] == 5 && o[2] == 3 && o[3] == 7, "%g %g %g", o[1], o[2], o[3]);
}

TEST_MAIN(T(student_is_that_of_the_tables), T(a_sample_is_trimmed_and_has_an_interval),
          T(nothing_is_dropped_without_trimming), T(what_cannot_be_known_is_no_number),
          T(medians_and_repetitions), T(enough_valid_launches_end_it), T(a_small_error_ends_it),
          T(slots_grow_when_too_much_is_invalid), T(the_quickest_exchange_tells_the_offset),
          T(offsets_of_a_ring_are_sums))
