/* coll_mpi.c - times collective operations, ours or those of the MPI library it is compiled with;
 * coll.sh runs it.
 *
 *     coll_mpi luna|mpi LAUNCHES producer|hot OPERATION,..|all BYTES...
 *
 * Members are bound to cores in turn. A launch starts at a time that all have agreed on (one host,
 * one clock) and has taken as long as the slowest member; who comes late makes it void. With
 * `producer` members rewrite what they send before each launch, as programs do: hot buffers flatter
 * methods that copy once. Prints the operation, bytes, median and quartiles in microseconds, how
 * many launches, and of two members what a line takes from one core to the other, in ns, before and
 * after: on virtual machines the same two cores are now near to each other, now far.
 *
 * With more members than cores nobody can start at a given time. Barriers follow each other there;
 * a call of another operation comes after a barrier, and takes from the moment the data is ready
 * (that of the root, or of the last member) until the slowest member has finished. Printed is the
 * median over ten series of the mean call: one over calls would hide time slices that are lost. */
#include "collectives/coll.h"

#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of a call, by the clock of a member; and of all: the latest. */
struct mark {
    double ready, end;
};

struct bench {
    int rank, size, cores, launches, luna, producer;
    struct coll *group;
    double *send, *recv;
    double *ends; /* of each launch, from its start; negative: void */
    struct mark *marks;
    struct hop *hop; /* NULL: there are not two members, each with a core */
};

/* Lines of two members, by turns. */
struct hop {
    _Alignas(128) atomic_uint there;
    _Alignas(128) atomic_uint back;
};

static double
now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void
must(int failed, const char *what)
{
    if (!failed) return;
    fprintf(stderr, "coll_mpi: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int
exchange(void *who, const void *mine, void *all, size_t bytes)
{
    (void)who;
    return MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}

enum op { BARRIER, BCAST, REDUCE, ALLREDUCE, OPS };
static const char *const names[] = {"barrier", "bcast", "reduce", "allreduce"};

static void
launch(const struct bench *b, enum op op, size_t bytes)
{
    int n = (int)(bytes / sizeof(double));
    if (b->luna) switch (op) {
        case BARRIER: must(coll_barrier(b->group), "barrier"); return;
        case BCAST: must(coll_bcast(b->group, b->send, bytes, 0), "bcast"); return;
        case REDUCE:
            must(coll_reduce(b->group, b->send, b->recv, (size_t)n, COLL_DOUBLE, COLL_SUM, 0),
                 "reduce");
            return;
        default:
            must(coll_allreduce(b->group, b->send, b->recv, (size_t)n, COLL_DOUBLE, COLL_SUM),
                 "allreduce");
            return;
        }
    switch (op) {
    case BARRIER: MPI_Barrier(MPI_COMM_WORLD); return;
    case BCAST: MPI_Bcast(b->send, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD); return;
    case REDUCE: MPI_Reduce(b->send, b->recv, n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); return;
    default: MPI_Allreduce(b->send, b->recv, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); return;
    }
}

static int
sends(const struct bench *b, enum op op)
{
    return op != BARRIER && (op != BCAST || !b->rank);
}

/* What a program does between two operations: it makes new data. The bytes are those of doubles
 * near 0 and 32. */
static void
produce(const struct bench *b, enum op op, size_t bytes, int round)
{
    if (!sends(b, op) || (!b->producer && round > 0)) return;
    memset(b->send, 0x3f + round % 2, bytes);
}

/* Launches every `slot` us from a common start on. */
static void
run(struct bench *b, enum op op, size_t bytes, int launches, double slot)
{
    double start = now_us() + 200;
    MPI_Bcast(&start, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < launches; i++, start += slot) {
        produce(b, op, bytes, i);
        int late = now_us() > start;
        while (now_us() < start) {}
        launch(b, op, bytes);
        b->ends[i] = late ? -1 : now_us() - start;
    }
}

enum { SERIES = 10 };

static int
calls_of_series(const struct bench *b)
{
    return b->launches / SERIES + 1;
}

/* One behind the other. */
static double
mean_barrier(struct bench *b)
{
    int calls = calls_of_series(b);
    double start = now_us();
    for (int i = 0; i < calls; i++) launch(b, BARRIER, 0);
    return (now_us() - start) / calls;
}

static void
mark_calls(struct bench *b, enum op op, size_t bytes, struct mark *mark)
{
    for (int i = 0; i < calls_of_series(b); i++) {
        launch(b, BARRIER, 0); /* else the root is calls ahead, and its data waits for the others */
        produce(b, op, bytes, i);
        mark[i].ready = sends(b, op) ? now_us() : 0;
        launch(b, op, bytes);
        mark[i].end = now_us();
    }
}

/* ends[] becomes the mean call of each series. All are over before members tell each other their
 * marks: after MPI's waiting the scheduler owes time slices to some. */
static void
run_in_a_row(struct bench *b, enum op op, size_t bytes)
{
    int calls = calls_of_series(b);
    for (int s = 0; s < SERIES; s++) {
        launch(b, BARRIER, 0); /* of the one that is measured: MPI's may leave members ms apart */
        launch(b, BARRIER, 0);
        if (op == BARRIER) b->ends[s] = mean_barrier(b);
        else mark_calls(b, op, bytes, b->marks + s * calls);
    }
    if (op == BARRIER) return;
    MPI_Allreduce(MPI_IN_PLACE, b->marks, SERIES * calls * 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int s = 0; s < SERIES; s++) {
        double sum = 0;
        for (const struct mark *m = b->marks + s * calls, *end = m + calls; m < end; m++)
            sum += m->end - m->ready;
        b->ends[s] = sum / calls;
    }
}

static int
ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ends[] becomes those of the slowest member, sorted; gives the number of valid ones. */
static int
gather(struct bench *b, int launches)
{
    static double all[1 << 20];
    MPI_Allgather(b->ends, launches, MPI_DOUBLE, all, launches, MPI_DOUBLE, MPI_COMM_WORLD);
    int n = 0;
    for (int i = 0; i < launches; i++) {
        double most = 0;
        for (int r = 0; r < b->size; r++) {
            double t = all[r * launches + i];
            if (t < 0) most = -1;
            if (most >= 0 && t > most) most = t;
        }
        if (most >= 0) b->ends[n++] = most;
    }
    qsort(b->ends, (size_t)n, sizeof *b->ends, ascending);
    return n;
}

enum { HOPS = 2000 };

/* ns of a line's way to the other core; 0: unknown. */
static double
hop_ns(const struct bench *b)
{
    if (!b->hop) return 0;
    atomic_uint *mine = b->rank ? &b->hop->back : &b->hop->there;
    atomic_uint *theirs = b->rank ? &b->hop->there : &b->hop->back;
    unsigned first = atomic_load(mine);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = now_us();
    for (unsigned i = 1; i <= HOPS; i++) {
        if (!b->rank) atomic_store_explicit(mine, first + i, memory_order_release);
        while (atomic_load_explicit(theirs, memory_order_acquire) != first + i) {}
        if (b->rank) atomic_store_explicit(mine, first + i, memory_order_release);
    }
    return (now_us() - start) * 1e3 / (2 * HOPS);
}

static void
open_hop(struct bench *b, MPI_Win *window)
{
    MPI_Aint bytes = b->rank ? 0 : sizeof *b->hop;
    int unit;
    void *at;
    MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &at, window);
    MPI_Win_shared_query(*window, 0, &bytes, &unit, &at);
    if (!b->rank) memset(at, 0, sizeof *b->hop);
    MPI_Barrier(MPI_COMM_WORLD);
    if (b->size == 2 && b->cores >= 2) b->hop = at;
}

static void
check(const struct bench *b, enum op op, size_t bytes)
{
    size_t n = bytes / sizeof(double), last = n - 1;
    for (size_t i = 0; i < n; i++) b->send[i] = (double)(b->rank + 1);
    launch(b, op, bytes);
    double want = b->size * (b->size + 1) / 2.0;
    if (op == BCAST) must(b->send[0] != 1 || b->send[last] != 1, "a broadcast is wrong");
    if (op == ALLREDUCE || (op == REDUCE && !b->rank))
        must(b->recv[0] != want || b->recv[last] != want, "a reduction is wrong");
}

static void
measure(struct bench *b, enum op op, size_t bytes)
{
    if (op != BARRIER) check(b, op, bytes);
    double slot = 50 + (double)bytes * 1e-3, before = hop_ns(b), after;
    int n = 0;
    if (b->size > b->cores) {
        run_in_a_row(b, op, bytes);
        n = gather(b, SERIES);
    }
    /* The slot is widened until enough launches are in time. */
    bool apart = b->size <= b->cores;
    for (int tries = 0; apart && tries < 6 && n < b->launches / 2; tries++, slot *= 2) {
        run(b, op, bytes, b->launches / 4 + 4, slot); /* warm */
        run(b, op, bytes, b->launches, slot);
        n = gather(b, b->launches);
    }
    must(n < 4, "too busy to measure");
    after = hop_ns(b);
    if (!b->rank)
        printf("%s %zu %.3f %.3f %.3f %d %.0f %.0f\n", names[op], bytes, b->ends[n / 2],
               b->ends[n / 4], b->ends[n * 3 / 4], n, before, after);
}

/* Whether `op` is in a list such as "barrier,bcast", or all are asked for. */
static int
is_asked_for(enum op op, const char *list)
{
    size_t n = strlen(names[op]);
    if (!strcmp(list, "all")) return 1;
    for (const char *at = list; at; at = strchr(at, ','), at = at ? at + 1 : NULL)
        if (!strncmp(at, names[op], n) && (!at[n] || at[n] == ',')) return 1;
    return 0;
}

/* Gives the number of cores there are. */
static int
bind_to_core(int rank)
{
    cpu_set_t mine, one;
    sched_getaffinity(0, sizeof mine, &mine);
    int nth = rank % CPU_COUNT(&mine), cpu = 0;
    for (; !CPU_ISSET(cpu, &mine) || nth--; cpu++) {}
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    return CPU_COUNT(&mine);
}

static void *
room(size_t bytes)
{
    void *p = NULL;
    must(posix_memalign(&p, 4096, bytes), "out of memory");
    memset(p, 1, bytes);
    return p;
}

int
main(int argc, char **argv)
{
    struct bench b = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &b.size);
    must(argc < 6, "coll_mpi luna|mpi LAUNCHES producer|hot OPERATION BYTES...");
    b.luna = !strcmp(argv[1], "luna");
    b.launches = atoi(argv[2]);
    b.producer = !strcmp(argv[3], "producer");
    must(b.launches < 1 || b.launches * b.size > 1 << 20, "too many launches");
    b.cores = bind_to_core(b.rank);
    size_t most = 0;
    for (int i = 5; i < argc; i++)
        if (strtoul(argv[i], 0, 10) > most) most = strtoul(argv[i], 0, 10);
    b.send = room(most + 8);
    b.recv = room(most + 8);
    b.ends = room((size_t)(b.launches + SERIES) * sizeof *b.ends);
    b.marks = room((size_t)(calls_of_series(&b) * SERIES) * sizeof *b.marks);
    struct coll_setup setup = {.rank = b.rank, .size = b.size, .exchange = exchange};
    char why[COLL_WHY];
    if (b.luna) must(coll_new(&b.group, &setup, why), why);
    int asked = 0;
    MPI_Win window;
    open_hop(&b, &window);
    for (int op = 0; op < OPS; op++) {
        if (!is_asked_for((enum op)op, argv[4])) continue;
        asked++;
        for (int i = 5; i < argc && (op != BARRIER || i == 5); i++)
            measure(&b, (enum op)op, strtoul(argv[i], 0, 10));
    }
    must(!asked, "operations are barrier, bcast, reduce, allreduce");
    if (b.luna) coll_free(b.group);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
