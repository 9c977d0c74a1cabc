/* perf_run.h - luna perf starts the program that measures, with the MPI of a peer, and reads what
 * it reports. luna itself knows no MPI. */
#ifndef LUNA_APPS_PERF_RUN_H
#define LUNA_APPS_PERF_RUN_H

#include "apps/luna/common/files.h"
#include "runtime/base/arena.h"

#include <stdio.h>

struct perf_peer {
    const char *name;
    const char *program;      /* in lib/luna */
    const char *launchers[4]; /* the first that is in PATH; NULL at the end */
    const char *before[8];    /* words for it */
    const char *packages;     /* what to install */
    bool ours;                /* our operation instead of MPI's */
};

const struct perf_peer *perf_peer(int i); /* NULL behind the last */

enum { PERF_COLUMNS = 20 };

struct perf_row { /* by column; NAN: it is not known */
    double at[PERF_COLUMNS];
};

struct perf_table {
    const char *library; /* the MPI, in its own words */
    const char *columns[PERF_COLUMNS];
    int ncolumns;
    struct perf_row *rows;
    int n, room;
};

/* Can it be measured here? Says what is missing, as an error or a warning. */
bool perf_peer_is_there(struct arena *a, const struct perf_peer *peer, bool error);

/* Where a column is; -1: there is none. */
int perf_column(const struct perf_table *t, const char *name);

/* Starts `procs` processes and adds the rows that they report; lines go to `echo` as they come
 * (NULL: nowhere). Says what is wrong and gives an exit code, or 0. */
int perf_run(struct arena *a, const struct perf_peer *peer, int procs, const struct words *words,
             FILE *echo, struct perf_table *out);

/* This process was started by a launcher already: becomes the program. Returns when it cannot. */
int perf_become(struct arena *a, const struct words *words);

#endif
