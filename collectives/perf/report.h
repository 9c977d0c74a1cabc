/* report.h - what is printed: a header of lines that begin with #, then a line for each number of
 * processes and bytes. */
#ifndef LUNA_COLLECTIVES_PERF_REPORT_H
#define LUNA_COLLECTIVES_PERF_REPORT_H

#include "collectives/perf/sync.h"

/* How it is measured, once that is decided. */
struct method {
    const struct ask *ask;
    bool rows;          /* calls follow each other */
    bool crowded;       /* more processes than cores */
    enum clocks clocks;
    int argc;
    char **argv;
};

/* Collective; process 0 writes. */
void report_head(FILE *out, const struct method *p);
/* Columns of the measurement of one size. `pure_us`: of the operation without overlap, or 0. */
void report_line(FILE *out, const struct method *p, const struct bench *b, const struct launches *l,
                 double pure_us);
/* Their names; `before`: of one more in front, in the report of each process. */
void report_columns(FILE *out, const struct method *p, const char *before);
/* The same for each process by itself. Collective. */
void report_each(FILE *out, const struct method *p, const struct bench *b,
                 const struct launches *l);

#endif
