/* stats.h - the numbers of measuring: what a sample tells, when there are enough launches, how long
 * a slot must be, how far a clock is off. Pure: no clock and no MPI in here.
 *
 * The method is that of MPIPerf (Kurnosov 2012). Launches come in stages:
 *
 *     stage 0: 4 launches without a schedule ──► the first slot
 *     stage j: 8 launches, one a slot        ──► valid times; too many invalid: a longer slot
 *
 * until the rule of stopping says so. Then the valid times are sorted, trimmed, averaged. */
#ifndef LUNA_COLLECTIVES_PERF_STATS_H
#define LUNA_COLLECTIVES_PERF_STATS_H

#include <stdbool.h>

/* ---- a sample ---- */

struct sample { /* numbers that cannot be known, as an error of one launch, are NAN */
    int total, valid, kept; /* launches: all, valid ones, those left after trimming */
    double mean, stddev, stderr_; /* of those kept; stderr_: of the mean */
    double rse;                   /* stderr_ / mean, % */
    double min, max;              /* of the valid ones */
    double err, low, high;        /* the interval mean -+ err */
    double relerr;                /* err / mean, % */
};

/* Sorts times[0..n) and drops the share `trim` of them at each end. `total` is only passed on. */
struct sample sample_of(double *times, int n, int total, double trim, double confidence);

/* Student's a: P(|t| <= a) = confidence, with `freedom` degrees of freedom, at least 1. */
double stats_student(double confidence, int freedom);

double stats_median(double *values, int n); /* sorts them; n >= 1 */

/* Of repetitions of a whole measurement: stddev / (mean sqrt(n)), %. */
double stats_repeat_error(const double *means, int n);

/* ---- stages ---- */

enum { STAGE_WARM = 4, STAGE_LAUNCHES = 8 };
enum { RSE_LEAST_VALID = 10 }; /* a relative standard error of fewer says nothing */

struct rules {
    double rse;        /* %, when it is the rule; else 0 */
    int valid;         /* how many valid launches are enough, when that is the rule */
    int least, most;   /* launches, whatever the rule says */
    double trim, confidence;
};

/* Are these `launched` launches enough, `n` of them valid? Keeps the order of times. */
bool rules_met(const struct rules *r, int launched, const double *times, int n);

/* The length of a slot, from the time of the warm-up; then again if a stage had too many invalid
 * launches: it at least doubles. But if it is long enough already for `needs`, a typical launch
 * with what comes before it, the system has taken a core, and longer slots would only make that
 * likelier. */
double stats_slot_first(double stage_time, int launches, double needs);
double stats_slot_next(double slot, double stage_time, int launches, int invalid, double needs);

/* ---- clocks ---- */

/* How far the clock of another is ahead of ours, from exchanges: we ask at `asked`, it answers with
 * its time `told`, we have that at `back`. The quickest exchange is the one to believe. */
struct offset {
    double quickest, value;
    int since; /* exchanges since the quickest */
};

enum { OFFSET_PATIENCE = 100 };

struct offset offset_none(void);
/* True: the quickest has not changed for OFFSET_PATIENCE exchanges. */
bool offset_take(struct offset *o, double asked, double told, double back);

/* Ring: to_previous[i] is how far the clock of i - 1 is ahead of that of i; becomes that of 0. */
void offset_ring(double *to_previous, int n);

#endif
