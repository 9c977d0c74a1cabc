/* bench.h - one benchmark with its buffers: what is launched and measured.
 *
 *     bench_open(&b, comm, ask, LIST_Bcast, 4096);
 *     bench_prepare(&b); bench_launch(&b);          once for each launch
 *     bench_close(&b); */
#ifndef LUNA_COLLECTIVES_PERF_BENCH_H
#define LUNA_COLLECTIVES_PERF_BENCH_H

#include "collectives/perf/ask.h"

#include <mpi.h>

struct coll;
struct triggered;

struct bench {
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
void bench_open(struct bench *b, MPI_Comm comm, const struct ask *ask, enum list_id id, long bytes);
void bench_close(struct bench *b);

/* What a program does before the operation: it makes its data, or has long forgotten it. */
void bench_prepare(struct bench *b);
void bench_launch(struct bench *b);
/* A barrier of the library that is measured: that of MPI may leave processes milliseconds apart
 * where cores are short, and the next calls of ours would be blamed for it. */
void bench_meet(struct bench *b);

/* Checks of ours: each gives its rank + 1; who has a sum looks at its first and last element. */
void bench_ones(struct bench *b);
void bench_check_sum(const struct bench *b);

/* Those in shared memory, in bench_shm.c. Opening checks the results once. */
void bench_shm_open_group(struct bench *b);
void bench_shm_launch(struct bench *b);
void bench_shm_meet(struct bench *b);
void bench_shm_close_group(struct bench *b);

/* Triggered ones, in bench_trig.c. Opening checks the results once. */
void triggered_open(struct bench *b);
void triggered_begin(struct bench *b);
bool triggered_over(struct bench *b); /* moves on, and tells */
void triggered_close(struct bench *b);

/* Says what has failed, and ends all processes. */
void bench_check(bool fine, const char *what);

#endif
