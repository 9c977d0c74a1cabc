/* sync.h - launches that start at one time: clocks are compared, stages planned and repeated.
 *
 *     process 0:  tau = now + bound ──broadcast──►  all
 *     all:        launch i starts at tau + i slot   (they spin until then)
 *                 ends before tau + (i + 1) slot, else it is invalid for all
 *
 * A launch takes as long as its slowest process. Who arrives after the start makes it invalid, and
 * so does who leaves the waiting late because the system took the core. */
#ifndef LUNA_COLLECTIVES_PERF_SYNC_H
#define LUNA_COLLECTIVES_PERF_SYNC_H

#include "collectives/perf/bench.h"

struct sync {
    MPI_Comm comm;
    int rank, size;
    double offset;   /* add it to our time to have that of process 0 */
    double bcast_us; /* bound of a broadcast of the time */
    FILE *log;       /* process 0's; NULL: none */
};

/* Collective, as all here. */
void sync_clocks(struct sync *s, enum clocks how);
/* Writes how far the clock of process 0 is ahead of each. */
void sync_log_clocks(const struct sync *s);

struct launches {
    double *slowest, *own; /* us, of the valid ones: of the slowest process, of this one */
    int total, valid;
};

/* Room for `most` launches. */
void launches_open(struct launches *l, int most);
void launches_close(struct launches *l);

/* Until the rules are met. */
void sync_measure(struct sync *s, struct bench *b, struct launches *l);
/* Calls that follow each other: the mean of each row, as of the slowest process. */
enum { SYNC_ROWS = 10 };
int  sync_row_calls(const struct ask *a);
void sync_rows(struct sync *s, struct bench *b, struct launches *l);

#endif
