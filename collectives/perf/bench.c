/* bench.c - see bench.h. */
#include "collectives/perf/bench.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { ROOT = 0, BLOCKS = 8, LINE = 64, PAGE = 4096 };

void
bench_check(bool fine, const char *what)
{
    if (fine) return;
    fprintf(stderr, "luna perf: error: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 5);
}

/* ---- what is launched ---- */

#define BOTH(name, iname, ...)                                                                     \
    static void go_##name(struct bench *b)                                                         \
    {                                                                                              \
        MPI_##name(__VA_ARGS__, b->comm);                                                          \
    }                                                                                              \
    static void go_##iname(struct bench *b)                                                        \
    {                                                                                              \
        MPI_##iname(__VA_ARGS__, b->comm, &b->request);                                            \
    }

#define SENT b->send, b->n, b->type
#define SENT_V b->send, b->counts, b->at
#define RECEIVED b->recv, b->n, b->type
#define RECEIVED_V b->recv, b->counts, b->at

BOTH(Allgather, Iallgather, SENT, RECEIVED)
BOTH(Allgatherv, Iallgatherv, SENT, RECEIVED_V, b->type)
BOTH(Allreduce, Iallreduce, b->send, RECEIVED, MPI_SUM)
BOTH(Alltoall, Ialltoall, SENT, RECEIVED)
BOTH(Alltoallv, Ialltoallv, SENT_V, b->type, RECEIVED_V, b->type)
BOTH(Alltoallw, Ialltoallw, SENT_V, b->types, RECEIVED_V, b->types)
BOTH(Bcast, Ibcast, SENT, ROOT)
BOTH(Exscan, Iexscan, b->send, RECEIVED, MPI_SUM)
BOTH(Gather, Igather, SENT, RECEIVED, ROOT)
BOTH(Gatherv, Igatherv, SENT, RECEIVED_V, b->type, ROOT)
BOTH(Reduce, Ireduce, b->send, RECEIVED, MPI_SUM, ROOT)
BOTH(Reduce_scatter, Ireduce_scatter, b->send, b->recv, b->counts, b->type, MPI_SUM)
BOTH(Reduce_scatter_block, Ireduce_scatter_block, b->send, RECEIVED, MPI_SUM)
BOTH(Scan, Iscan, b->send, RECEIVED, MPI_SUM)
BOTH(Scatter, Iscatter, SENT, RECEIVED, ROOT)
BOTH(Scatterv, Iscatterv, SENT_V, b->type, RECEIVED, ROOT)

static void
go_Barrier(struct bench *b)
{
    MPI_Barrier(b->comm);
}

static void
go_Ibarrier(struct bench *b)
{
    MPI_Ibarrier(b->comm, &b->request);
}

/* Processes in pairs: an even one sends to the next. */
static void
go_Send(struct bench *b)
{
    int other = b->rank ^ 1;
    if (other >= b->size) return;
    if (b->rank < other) MPI_Send(SENT, other, 0, b->comm);
    else MPI_Recv(RECEIVED, other, 0, b->comm, MPI_STATUS_IGNORE);
}

static void
go_Sendrecv(struct bench *b)
{
    int other = b->rank ^ 1;
    if (other < b->size)
        MPI_Sendrecv(SENT, other, 0, RECEIVED, other, 0, b->comm, MPI_STATUS_IGNORE);
}

/* From begin to end: the first reading of the timer is part of it. */
static void
wait_exactly(double us)
{
    tick_wait(us - tick.cost_us);
}

/* The slowest of n processes waits for n microseconds. */
static void
go_WaitPatternUp(struct bench *b)
{
    wait_exactly(b->rank + 1);
}

static void
go_WaitPatternDown(struct bench *b)
{
    wait_exactly(b->size - b->rank);
}

static void
go_WaitPatternNull(struct bench *b)
{
    (void)b;
}

#define go_ShmAllreduce bench_shm_launch
#define go_ShmBarrier bench_shm_launch
#define go_ShmBcast bench_shm_launch
#define go_ShmReduce bench_shm_launch
#define go_TrigAllreduce triggered_begin
#define go_TrigIallreduce triggered_begin
#define go_TrigReduce triggered_begin
#define go_TrigIreduce triggered_begin

static void (*const go[LIST_COUNT])(struct bench *) = {
#define PAIR(name, iname, flags) [LIST_##name] = go_##name, [LIST_##iname] = go_##iname,
#define ONE(name, flags) [LIST_##name] = go_##name,
    LIST_COLLECTIVES(PAIR) LIST_OTHERS(ONE)
#undef PAIR
#undef ONE
};

/* What has been begun moves on when it is asked how far it is. */
static bool
is_over(struct bench *b)
{
    int over;
    if (b->flags & LIST_TRIGGERED) return triggered_over(b);
    MPI_Test(&b->request, &over, MPI_STATUS_IGNORE);
    return over;
}

static void
overlap(struct bench *b)
{
    for (int i = 0; i < b->ask->computes; i++) {
        tick_wait(b->work_us / b->ask->computes);
        is_over(b);
    }
}

static void
await(struct bench *b)
{
    if (!(b->flags & LIST_TRIGGERED)) MPI_Wait(&b->request, MPI_STATUS_IGNORE);
    else
        while (!is_over(b)) {}
}

void
bench_launch(struct bench *b)
{
    go[b->id](b);
    if (b->flags & LIST_OVERLAPS && b->work_us > 0) overlap(b);
    if (b->flags & (LIST_OVERLAPS | LIST_TRIGGERED)) await(b);
}

void
bench_meet(struct bench *b)
{
    if (b->flags & LIST_SHM) bench_shm_meet(b);
    else MPI_Barrier(b->comm);
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
rotate(struct bench *b)
{
    size_t block = (size_t)(b->round % BLOCKS);
    b->send = b->sends + block * stride(b->send_bytes);
    b->recv = b->recvs + block * stride(b->recv_bytes);
    forget(b->send, b->send_bytes);
    forget(b->recv, b->recv_bytes);
}

static void
produce(struct bench *b)
{
    double *x = (double *)(void *)b->send;
    size_t n = b->send_bytes / sizeof *x;
    for (size_t i = 0; i < n; i++) x[i] = (double)b->round + (double)i;
    memset(b->send + n * sizeof *x, b->round, b->send_bytes % sizeof *x);
}

void
bench_prepare(struct bench *b)
{
    bool sends = !(b->flags & LIST_ROOT_SENDS) || b->rank == ROOT;
    b->round++;
    if (b->flags & LIST_NO_DATA) return;
    if (b->ask->buffers == BUFFERS_COLD) rotate(b);
    if (b->ask->buffers == BUFFERS_PRODUCER && sends) produce(b);
}

void
bench_ones(struct bench *b)
{
    double *sent = (double *)(void *)b->send;
    for (size_t i = 0; i < b->bytes / sizeof *sent; i++) sent[i] = b->rank + 1;
}

void
bench_check_sum(const struct bench *b)
{
    const double *got = (const double *)(const void *)b->recv;
    size_t n = b->bytes / sizeof *got;
    double want = b->size * (b->size + 1) / 2.0;
    bench_check(!n || (got[0] == want && got[n - 1] == want), "a reduction is wrong");
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
    bench_check(!posix_memalign(&p, PAGE, bytes + 1), "out of memory");
    memset(p, 0, bytes + 1); /* the pages are there, and on this process's node */
    return p;
}

static void
make_vectors(struct bench *b)
{
    size_t size = (size_t)b->size;
    b->counts = memory(size * sizeof *b->counts);
    b->at = memory(size * sizeof *b->at);
    b->types = memory(size * sizeof *b->types);
    for (int i = 0; i < b->size; i++) {
        b->counts[i] = b->n;
        b->at[i] = i * b->n; /* elements, or bytes: only bytes have types of their own */
        b->types[i] = b->type;
    }
}

void
bench_open(struct bench *b, MPI_Comm comm, const struct ask *ask, enum list_id id, long bytes)
{
    *b = (struct bench){.ask = ask, .id = id, .flags = list[id].flags, .comm = comm};
    MPI_Comm_rank(comm, &b->rank);
    MPI_Comm_size(comm, &b->size);
    bool reduces = b->flags & LIST_REDUCES, cold = ask->buffers == BUFFERS_COLD;
    b->bytes = (size_t)bytes;
    b->n = (int)(reduces ? b->bytes / sizeof(double) : b->bytes);
    b->type = reduces ? MPI_DOUBLE : MPI_BYTE;
    b->send_bytes = b->bytes * (size_t)(b->flags & LIST_SEND_ALL ? b->size : 1);
    b->recv_bytes = b->bytes * (size_t)(b->flags & LIST_RECV_ALL ? b->size : 1);
    b->send = b->sends = memory(cold ? BLOCKS * stride(b->send_bytes) : b->send_bytes);
    b->recv = b->recvs = memory(cold ? BLOCKS * stride(b->recv_bytes) : b->recv_bytes);
    make_vectors(b);
    if (b->flags & LIST_SHM) bench_shm_open_group(b);
    if (b->flags & LIST_TRIGGERED) triggered_open(b);
}

void
bench_close(struct bench *b)
{
    if (b->flags & LIST_SHM) bench_shm_close_group(b);
    if (b->flags & LIST_TRIGGERED) triggered_close(b);
    free(b->sends);
    free(b->recvs);
    free(b->counts);
    free(b->at);
    free(b->types);
}
