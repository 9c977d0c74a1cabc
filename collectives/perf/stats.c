/* stats.c - see stats.h. */
#include "collectives/perf/stats.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a sample ---- */

static int
ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* P(|t| <= a): the finite sums for whole degrees of freedom. */
static double
student_within(double a, int freedom)
{
    double angle = atan(a / sqrt(freedom)), c2 = cos(angle) * cos(angle);
    bool odd = freedom % 2;
    double term = odd ? cos(angle) : 1, sum = freedom == 1 ? 0 : term;
    for (int k = odd ? 3 : 2; k < freedom; k += 2) {
        term *= c2 * (k - 1) / k;
        sum += term;
    }
    return odd ? 2 / M_PI * (angle + sin(angle) * sum) : sin(angle) * sum;
}

double
stats_student(double confidence, int freedom)
{
    double low = 0, high = 1;
    while (student_within(high, freedom) < confidence) high *= 2;
    for (int i = 0; i < 100 && high - low > 1e-12 * high; i++) {
        double middle = (low + high) / 2;
        if (student_within(middle, freedom) < confidence) low = middle;
        else high = middle;
    }
    return (low + high) / 2;
}

static double
mean_of(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i];
    return sum / n;
}

static double
stddev_of(const double *x, int n, double mean)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (x[i] - mean) * (x[i] - mean);
    return n > 1 ? sqrt(sum / (n - 1)) : NAN;
}

struct sample
sample_of(double *times, int n, int total, double trim, double confidence)
{
    struct sample s = {.total = total, .valid = n};
    s.mean = s.stddev = s.stderr_ = s.rse = s.min = s.max = s.err = s.low = s.high = s.relerr = NAN;
    if (!n) return s;
    qsort(times, (size_t)n, sizeof *times, ascending);
    int drop = (int)(n * trim);
    s.kept = n - 2 * drop;
    s.min = times[0];
    s.max = times[n - 1];
    s.mean = mean_of(times + drop, s.kept);
    s.stddev = stddev_of(times + drop, s.kept, s.mean);
    s.stderr_ = s.stddev / sqrt(s.kept);
    if (s.kept < 2) return s;
    s.err = stats_student(confidence, s.kept - 1) * s.stderr_;
    s.low = s.mean - s.err;
    s.high = s.mean + s.err;
    if (s.mean <= 0) return s;
    s.rse = 100 * s.stderr_ / s.mean;
    s.relerr = 100 * s.err / s.mean;
    return s;
}

double
stats_median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, ascending);
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

double
stats_repeat_error(const double *means, int n)
{
    double mean = mean_of(means, n);
    return 100 * stddev_of(means, n, mean) / (mean * sqrt(n));
}

/* ---- stages ---- */

static double
rse_now(const struct rules *r, const double *times, int n)
{
    double *copy = malloc((size_t)n * sizeof *copy), rse;
    if (!copy) return NAN; /* then the limit of launches decides */
    memcpy(copy, times, (size_t)n * sizeof *copy);
    rse = sample_of(copy, n, n, r->trim, r->confidence).rse;
    free(copy);
    return rse;
}

bool
rules_met(const struct rules *r, int launched, const double *times, int n)
{
    if (launched >= r->most) return true;
    if (launched < r->least) return false;
    if (r->rse <= 0) return n >= r->valid;
    return n >= RSE_LEAST_VALID && rse_now(r, times, n) <= r->rse;
}

#define SLOT_SPARE 1.1    /* gamma: a slot is longer than a launch by this */
#define INVALID_SHARE 0.25
#define ENOUGH 4.0             /* times what a launch needs */

double
stats_slot_first(double stage_time, int launches, double needs)
{
    return fmin(SLOT_SPARE * stage_time / launches, ENOUGH * needs);
}

double
stats_slot_next(double slot, double stage_time, int launches, int invalid, double needs)
{
    if (invalid <= INVALID_SHARE * launches || slot >= ENOUGH * needs) return slot;
    double longer = fmax(2 * slot, SLOT_SPARE * stage_time / launches);
    return fmin(longer, ENOUGH * needs);
}

/* ---- clocks ---- */

struct offset
offset_none(void)
{
    return (struct offset){.quickest = DBL_MAX};
}

bool
offset_take(struct offset *o, double asked, double told, double back)
{
    double round_trip = back - asked;
    if (round_trip < o->quickest) {
        *o = (struct offset){round_trip, told - round_trip / 2 - asked, 0};
        return false;
    }
    return ++o->since >= OFFSET_PATIENCE;
}

void
offset_ring(double *to_previous, int n)
{
    if (n > 0) to_previous[0] = 0;
    for (int i = 1; i < n; i++) to_previous[i] += to_previous[i - 1];
}
