/* bench_shm.c - our own operations as benchmarks: they run beside any MPI. */
#include "collectives/coll.h"
#include "collectives/perf/bench.h"

#include <string.h>

static int
exchange(void *comm, const void *mine, void *all, size_t bytes)
{
    int n = (int)bytes;
    return MPI_Allgather(mine, n, MPI_BYTE, all, n, MPI_BYTE, *(MPI_Comm *)comm);
}

static enum err
call(struct bench *b)
{
    size_t n = (size_t)b->n;
    switch ((int)b->id) {
    case LIST_ShmBcast: return coll_bcast(b->group, b->send, b->bytes, 0);
    case LIST_ShmReduce:
        return coll_reduce(b->group, b->send, b->recv, n, COLL_DOUBLE, COLL_SUM, 0);
    case LIST_ShmAllreduce:
        return coll_allreduce(b->group, b->send, b->recv, n, COLL_DOUBLE, COLL_SUM);
    default: return coll_barrier(b->group);
    }
}

void
bench_shm_launch(struct bench *b)
{
    enum err e = call(b);
    if (e) bench_check(false, err_text(e));
}

void
bench_shm_meet(struct bench *b)
{
    enum err e = coll_barrier(b->group);
    if (e) bench_check(false, err_text(e));
}

static void
check(struct bench *b)
{
    const double *sent = (const double *)(const void *)b->send;
    size_t n = b->bytes / sizeof *sent;
    bench_ones(b);
    bench_shm_launch(b);
    if (!n || b->flags & LIST_NO_DATA) return;
    if (b->id == LIST_ShmBcast)
        bench_check(sent[0] == 1 && sent[n - 1] == 1, "a broadcast is wrong");
    else if (b->id == LIST_ShmAllreduce || !b->rank) bench_check_sum(b);
}

void
bench_shm_open_group(struct bench *b)
{
    struct coll_setup setup = {
        .rank = b->rank, .size = b->size, .exchange = exchange, .who = &b->comm};
    char why[COLL_WHY];
    enum err e = coll_new(&b->group, &setup, why);
    if (e) bench_check(false, why);
    check(b);
}

void
bench_shm_close_group(struct bench *b)
{
    MPI_Barrier(b->comm); /* nobody is in the last call */
    coll_free(b->group);
}
