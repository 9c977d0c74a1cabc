/* bench.h - one benchmark with its buffers: what is launched and measured.
 *
 *     bench_open(&r, comm, ask, LIST_Bcast, 4096);
 *     bench_prepare(&r); bench_launch(&r);          once for each launch
 *     bench_close(&r); */
#ifndef LUNA_COLLECTIVES_PERF_BENCH_H
#define LUNA_COLLECTIVES_PERF_BENCH_H

#include "collectives/perf/ask.h"

#include <mpi.h>

struct coll;
struct triggered;

struct room {
    const struct ask *ask;
    enum list_id id;
    unsigned flags;
    MPI_Comm comm;
    int rank, size;

    int n;             /* elements of a block */
    size_t bytes;      /* of a block */
    MPI_Datatype type;
    char *send, *recv; /* of the next launch */
    char *sends, *recvs;
    size_t send_bytes, recv_bytes; /* of all blocks of a launch */
    int round;                     /* launches so far */

    int *counts, *at;    /* of each process, for operations with vectors */
    MPI_Datatype *types;

    MPI_Request request;
    double work_us;      /* what overlaps with a non-blocking operation; 0: nothing */
    struct coll *group;  /* for those in shared memory */
    struct triggered *triggered;
};

/* Bytes of the buffers of one of `procs` processes. Below 0: more blocks than MPI can count. */
double bench_bytes(const struct ask *ask, int procs, long bytes);

/* Ends all processes when memory is short. */
void bench_open(struct room *r, MPI_Comm comm, const struct ask *ask, enum list_id id, long bytes);
void bench_close(struct room *r);

/* What a program does before the operation: it makes its data, or has long forgotten it. */
void bench_prepare(struct room *r);
void bench_launch(struct room *r);
/* A barrier of the library that is measured: that of MPI may leave processes milliseconds apart
 * where cores are short, and the next calls of ours would be blamed for it. */
void bench_meet(struct room *r);

/* Checks of ours: each gives its rank + 1; who has a sum looks at its first and last element. */
void bench_ones(struct room *r);
void bench_check_sum(const struct room *r);

/* Those in shared memory, in bench_shm.c. Opening checks the results once. */
void shm_open_group(struct room *r);
void shm_launch(struct room *r);
void shm_meet(struct room *r);
void shm_close_group(struct room *r);

/* Triggered ones, in bench_trig.c. Opening checks the results once. */
void triggered_open(struct room *r);
void triggered_begin(struct room *r);
bool triggered_over(struct room *r); /* moves on, and tells */
void triggered_close(struct room *r);

/* Says what has failed, and ends all processes. */
void check_or_abort(bool fine, const char *what);

#endif
