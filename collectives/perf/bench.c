/* bench.c - see bench.h. */
#include "collectives/perf/bench.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { ROOT = 0, BLOCKS = 8, LINE = 64, PAGE = 4096 };

void
check_or_abort(bool fine, const char *what)
{
    if (fine) return;
    fprintf(stderr, "luna perf: error: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 5);
}

/* ---- what is launched ---- */

#define BOTH(name, iname, ...)                                                                     \
    static void go_##name(struct room *r)                                                          \
    {                                                                                              \
        MPI_##name(__VA_ARGS__, r->comm);                                                          \
    }                                                                                              \
    static void go_##iname(struct room *r)                                                         \
    {                                                                                              \
        MPI_##iname(__VA_ARGS__, r->comm, &r->request);                                            \
    }

#define SENT r->send, r->n, r->type
#define SENT_V r->send, r->counts, r->at
#define RECEIVED r->recv, r->n, r->type
#define RECEIVED_V r->recv, r->counts, r->at

BOTH(Allgather, Iallgather, SENT, RECEIVED)
BOTH(Allgatherv, Iallgatherv, SENT, RECEIVED_V, r->type)
BOTH(Allreduce, Iallreduce, r->send, RECEIVED, MPI_SUM)
BOTH(Alltoall, Ialltoall, SENT, RECEIVED)
BOTH(Alltoallv, Ialltoallv, SENT_V, r->type, RECEIVED_V, r->type)
BOTH(Alltoallw, Ialltoallw, SENT_V, r->types, RECEIVED_V, r->types)
BOTH(Bcast, Ibcast, SENT, ROOT)
BOTH(Exscan, Iexscan, r->send, RECEIVED, MPI_SUM)
BOTH(Gather, Igather, SENT, RECEIVED, ROOT)
BOTH(Gatherv, Igatherv, SENT, RECEIVED_V, r->type, ROOT)
BOTH(Reduce, Ireduce, r->send, RECEIVED, MPI_SUM, ROOT)
BOTH(Reduce_scatter, Ireduce_scatter, r->send, r->recv, r->counts, r->type, MPI_SUM)
BOTH(Reduce_scatter_block, Ireduce_scatter_block, r->send, RECEIVED, MPI_SUM)
BOTH(Scan, Iscan, r->send, RECEIVED, MPI_SUM)
BOTH(Scatter, Iscatter, SENT, RECEIVED, ROOT)
BOTH(Scatterv, Iscatterv, SENT_V, r->type, RECEIVED, ROOT)

static void
go_Barrier(struct room *r)
{
    MPI_Barrier(r->comm);
}

static void
go_Ibarrier(struct room *r)
{
    MPI_Ibarrier(r->comm, &r->request);
}

/* Processes in pairs: an even one sends to the next. */
static void
go_Send(struct room *r)
{
    int other = r->rank ^ 1;
    if (other >= r->size) return;
    if (r->rank < other) MPI_Send(SENT, other, 0, r->comm);
    else MPI_Recv(RECEIVED, other, 0, r->comm, MPI_STATUS_IGNORE);
}

static void
go_Sendrecv(struct room *r)
{
    int other = r->rank ^ 1;
    if (other < r->size)
        MPI_Sendrecv(SENT, other, 0, RECEIVED, other, 0, r->comm, MPI_STATUS_IGNORE);
}

/* From begin to end: the first reading of the timer is part of it. */
static void
wait_exactly(double us)
{
    tick_wait(us - tick.cost_us);
}

/* The slowest of n processes waits for n microseconds. */
static void
go_WaitPatternUp(struct room *r)
{
    wait_exactly(r->rank + 1);
}

static void
go_WaitPatternDown(struct room *r)
{
    wait_exactly(r->size - r->rank);
}

static void
go_WaitPatternNull(struct room *r)
{
    (void)r;
}

#define go_ShmAllreduce shm_launch
#define go_ShmBarrier shm_launch
#define go_ShmBcast shm_launch
#define go_ShmReduce shm_launch
#define go_TrigAllreduce triggered_begin
#define go_TrigIallreduce triggered_begin
#define go_TrigReduce triggered_begin
#define go_TrigIreduce triggered_begin

static void (*const go[LIST_COUNT])(struct room *) = {
#define PAIR(name, iname, flags) [LIST_##name] = go_##name, [LIST_##iname] = go_##iname,
#define ONE(name, flags) [LIST_##name] = go_##name,
    LIST_COLLECTIVES(PAIR) LIST_OTHERS(ONE)
#undef PAIR
#undef ONE
};

/* What has been begun moves on when it is asked how far it is. */
static bool
is_over(struct room *r)
{
    int over;
    if (r->flags & LIST_TRIGGERED) return triggered_over(r);
    MPI_Test(&r->request, &over, MPI_STATUS_IGNORE);
    return over;
}

static void
overlap(struct room *r)
{
    for (int i = 0; i < r->ask->computes; i++) {
        tick_wait(r->work_us / r->ask->computes);
        is_over(r);
    }
}

static void
await(struct room *r)
{
    if (!(r->flags & LIST_TRIGGERED)) MPI_Wait(&r->request, MPI_STATUS_IGNORE);
    else
        while (!is_over(r)) {}
}

void
bench_launch(struct room *r)
{
    go[r->id](r);
    if (r->flags & LIST_OVERLAPS && r->work_us > 0) overlap(r);
    if (r->flags & (LIST_OVERLAPS | LIST_TRIGGERED)) await(r);
}

void
bench_meet(struct room *r)
{
    if (r->flags & LIST_SHM) shm_meet(r);
    else MPI_Barrier(r->comm);
}

/* ---- buffers ---- */

/* Out of all caches. */
static void
forget(char *at, size_t bytes)
{
#if defined(__x86_64__)
    for (size_t i = 0; i < bytes; i += LINE) _mm_clflush(at + i);
    _mm_mfence();
#else
    (void)at, (void)bytes;
#endif
}

static size_t
stride(size_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE + LINE;
}

/* Blocks in rotation, so that also what the processor would fetch ahead is another. */
static void
rotate(struct room *r)
{
    size_t block = (size_t)(r->round % BLOCKS);
    r->send = r->sends + block * stride(r->send_bytes);
    r->recv = r->recvs + block * stride(r->recv_bytes);
    forget(r->send, r->send_bytes);
    forget(r->recv, r->recv_bytes);
}

static void
produce(struct room *r)
{
    double *x = (double *)(void *)r->send;
    size_t n = r->send_bytes / sizeof *x;
    for (size_t i = 0; i < n; i++) x[i] = (double)r->round + (double)i;
    memset(r->send + n * sizeof *x, r->round, r->send_bytes % sizeof *x);
}

void
bench_prepare(struct room *r)
{
    bool sends = !(r->flags & LIST_ROOT_SENDS) || r->rank == ROOT;
    r->round++;
    if (r->flags & LIST_NO_DATA) return;
    if (r->ask->buffers == BUFFERS_COLD) rotate(r);
    if (r->ask->buffers == BUFFERS_PRODUCER && sends) produce(r);
}

void
bench_ones(struct room *r)
{
    double *sent = (double *)(void *)r->send;
    for (size_t i = 0; i < r->bytes / sizeof *sent; i++) sent[i] = r->rank + 1;
}

void
bench_check_sum(const struct room *r)
{
    const double *got = (const double *)(const void *)r->recv;
    size_t n = r->bytes / sizeof *got;
    double want = r->size * (r->size + 1) / 2.0;
    check_or_abort(!n || (got[0] == want && got[n - 1] == want), "a reduction is wrong");
}

/* Of what is sent, or received, in all launches: cold buffers are several. */
static double
buffer_bytes(const struct ask *ask, double bytes)
{
    return ask->buffers == BUFFERS_COLD ? BLOCKS * (bytes + 2 * LINE) : bytes;
}

double
bench_bytes(const struct ask *ask, int procs, long bytes)
{
    unsigned flags = list[ask->bench].flags;
    if (flags & LIST_NO_DATA) return 0;
    double sent = (double)bytes * (flags & LIST_SEND_ALL ? procs : 1);
    double received = (double)bytes * (flags & LIST_RECV_ALL ? procs : 1);
    if (sent > INT_MAX || received > INT_MAX) return -1;
    return buffer_bytes(ask, sent) + buffer_bytes(ask, received);
}

static void *
memory(size_t bytes)
{
    void *p = NULL;
    check_or_abort(!posix_memalign(&p, PAGE, bytes + 1), "out of memory");
    memset(p, 0, bytes + 1); /* the pages are there, and on this process's node */
    return p;
}

static void
make_vectors(struct room *r)
{
    size_t size = (size_t)r->size;
    r->counts = memory(size * sizeof *r->counts);
    r->at = memory(size * sizeof *r->at);
    r->types = memory(size * sizeof *r->types);
    for (int i = 0; i < r->size; i++) {
        r->counts[i] = r->n;
        r->at[i] = i * r->n; /* elements, or bytes: only bytes have types of their own */
        r->types[i] = r->type;
    }
}

void
bench_open(struct room *r, MPI_Comm comm, const struct ask *ask, enum list_id id, long bytes)
{
    *r = (struct room){.ask = ask, .id = id, .flags = list[id].flags, .comm = comm};
    MPI_Comm_rank(comm, &r->rank);
    MPI_Comm_size(comm, &r->size);
    bool reduces = r->flags & LIST_REDUCES, cold = ask->buffers == BUFFERS_COLD;
    r->bytes = (size_t)bytes;
    r->n = (int)(reduces ? r->bytes / sizeof(double) : r->bytes);
    r->type = reduces ? MPI_DOUBLE : MPI_BYTE;
    r->send_bytes = r->bytes * (size_t)(r->flags & LIST_SEND_ALL ? r->size : 1);
    r->recv_bytes = r->bytes * (size_t)(r->flags & LIST_RECV_ALL ? r->size : 1);
    r->send = r->sends = memory(cold ? BLOCKS * stride(r->send_bytes) : r->send_bytes);
    r->recv = r->recvs = memory(cold ? BLOCKS * stride(r->recv_bytes) : r->recv_bytes);
    make_vectors(r);
    if (r->flags & LIST_SHM) shm_open_group(r);
    if (r->flags & LIST_TRIGGERED) triggered_open(r);
}

void
bench_close(struct room *r)
{
    if (r->flags & LIST_SHM) shm_close_group(r);
    if (r->flags & LIST_TRIGGERED) triggered_close(r);
    free(r->sends);
    free(r->recvs);
    free(r->counts);
    free(r->at);
    free(r->types);
}
