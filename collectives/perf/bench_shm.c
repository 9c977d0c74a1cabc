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
call(struct room *r)
{
    size_t n = (size_t)r->n;
    switch ((int)r->id) {
    case LIST_ShmBcast: return coll_bcast(r->group, r->send, r->bytes, 0);
    case LIST_ShmReduce:
        return coll_reduce(r->group, r->send, r->recv, n, COLL_DOUBLE, COLL_SUM, 0);
    case LIST_ShmAllreduce:
        return coll_allreduce(r->group, r->send, r->recv, n, COLL_DOUBLE, COLL_SUM);
    default: return coll_barrier(r->group);
    }
}

void
shm_launch(struct room *r)
{
    enum err e = call(r);
    if (e) check_or_abort(false, err_text(e));
}

void
shm_meet(struct room *r)
{
    enum err e = coll_barrier(r->group);
    if (e) check_or_abort(false, err_text(e));
}

static void
check(struct room *r)
{
    const double *sent = (const double *)(const void *)r->send;
    size_t n = r->bytes / sizeof *sent;
    bench_ones(r);
    shm_launch(r);
    if (!n || r->flags & LIST_NO_DATA) return;
    if (r->id == LIST_ShmBcast)
        check_or_abort(sent[0] == 1 && sent[n - 1] == 1, "a broadcast is wrong");
    else if (r->id == LIST_ShmAllreduce || !r->rank) bench_check_sum(r);
}

void
shm_open_group(struct room *r)
{
    struct coll_setup setup = {
        .rank = r->rank, .size = r->size, .exchange = exchange, .who = &r->comm};
    char why[COLL_WHY];
    enum err e = coll_new(&r->group, &setup, why);
    if (e) check_or_abort(false, why);
    check(r);
}

void
shm_close_group(struct room *r)
{
    MPI_Barrier(r->comm); /* nobody is in the last call */
    coll_free(r->group);
}
