/* perf_tell.h - results of luna perf beside each other: as a table, as JSON, as a picture. */
#ifndef LUNA_APPS_PERF_TELL_H
#define LUNA_APPS_PERF_TELL_H

#include "apps/luna/draw/plot.h"
#include "apps/luna/perf/perf_run.h"

struct perf_result {
    const char *peer;
    struct perf_table table; /* the rows of all turns, one behind the other */
};

struct perf_results {
    const char *bench, *unit; /* of times */
    struct perf_result *at;
    int n, turns;
    bool least; /* of the turns the one with the least mean counts, not the median */
};

/* One line for each number of processes and bytes: the mean of each peer, and our part of the best
 * of the others. */
void perf_tell_table(FILE *out, struct arena *a, const struct perf_results *r);
/* All columns of all rows. False: out of memory. */
bool perf_tell_json(FILE *out, const struct perf_results *r);
/* A new picture: time by size, or by processes where there is no size, both logarithmic. False: out
 * of memory. */
bool perf_picture(struct picture *out, struct arena *a, const struct perf_results *r);

#endif
