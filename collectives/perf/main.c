/* main.c - luna_perf, the program that measures: mpiexec -n N luna_perf [options] BENCHMARK.
 *
 * luna perf starts it. It takes the same options; those that concern luna perf alone have no effect
 * here. The report goes to stdout. */
#include "collectives/perf/report.h"
#include "runtime/base/clean.h"
#include "runtime/base/exit.h"
#include "runtime/base/joined.h"
#include "runtime/base/manager.h"
#include "runtime/base/mem.h"
#include "runtime/net/mpi_leave.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct files {
    FILE *per_process, *log;
};

/* ---- the machine ---- */

/* On the cores that this process may use, those of its host in turn. Gives how many there are. */
static int
cores(bool bind, int rank_here)
{
    cpu_set_t mine, one;
    if (sched_getaffinity(0, sizeof mine, &mine)) return 1;
    int n = CPU_COUNT(&mine), nth = rank_here % n, cpu = 0;
    for (; !CPU_ISSET(cpu, &mine) || nth--; cpu++) continue;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (bind) sched_setaffinity(0, sizeof one, &one);
    return n;
}

struct machine { /* as far as processes measure: others that a launcher has started sleep */
    bool one_host, crowded;
    int here; /* most of them on a host */
};

static struct machine
look_around(const struct ask *a)
{
    MPI_Comm host;
    int rank, rank_here, here, most[2], all = (int)series_last(&a->procs);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &rank_here);
    int measures = rank < all;
    MPI_Allreduce(&measures, &here, 1, MPI_INT, MPI_SUM, host);
    MPI_Comm_free(&host);
    int own[2] = {here, here > cores(a->bind, rank_here)};
    MPI_Allreduce(own, most, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return (struct machine){most[0] == all, most[1], most[0]};
}

/* All use the timer or none. The rate of the counter is that of process 0 on one host, so that it
 * is the same. */
static bool
start_timer(const struct ask *a, bool one_host)
{
    int rank, fine;
    const char *why = tick_use(a->timer, MPI_Wtime);
    fine = !why;
    MPI_Allreduce(MPI_IN_PLACE, &fine, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (one_host) MPI_Bcast(&tick.us_per_cycle, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (why && !rank)
        fprintf(stderr, "luna perf: error: the timer %s: %s\n", timer_name[a->timer], why);
    return fine;
}

/* Is everybody where the benchmark can be, and can be timed? Else process 0 says so. */
static int
check_places(const struct ask *a, const struct machine *m)
{
    const char *name = list[a->bench].name;
    bool pair = a->bench == LIST_Send || a->bench == LIST_Sendrecv, alone = a->procs.least < 2;
    bool apart = !m->one_host, shm = list[a->bench].flags & LIST_SHM;
    bool same = a->clocks == CLOCKS_SAME;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!rank && pair && alone)
        fprintf(stderr, "luna perf: error: %s is between two processes, and one is alone: from -n "
                        "2 on\n", name);
    if (!rank && apart && shm)
        fprintf(stderr, "luna perf: error: %s goes through the memory of one host, and these "
                        "processes are on several: all on one, or a Trig.. benchmark\n", name);
    if (!rank && apart && same)
        fprintf(stderr, "luna perf: error: --clocks=same is of one host, and these processes are "
                        "on several, where clocks are compared: linear or ring\n");
    return (pair && alone) || (apart && (shm || same)) ? EXIT_USAGE : EXIT_DONE;
}

static struct method
make_method(const struct ask *a, struct machine m)
{
    struct method p = {.ask = a, .rows = a->mode == MODE_NOSYNC, .clocks = a->clocks,
                       .crowded = m.crowded};
    if (a->mode == MODE_BEST) p.rows = m.crowded;
    if (p.clocks == CLOCKS_BEST)
        p.clocks = m.one_host && a->timer == TIMER_CLOCK ? CLOCKS_SAME : CLOCKS_LINEAR;
    return p;
}

/* Is there memory for the buffers of the largest measurement? Else process 0 says so. */
static int
check_memory(const struct ask *a, const struct machine *m)
{
    int rank, procs = (int)series_last(&a->procs), here = m->here < procs ? m->here : procs;
    long bytes = series_last(&a->counts);
    double each = bench_bytes(a, procs, bytes), gib = 1 << 30;
    double mine[2] = {each * here, -(double)mem_free_bytes()}, most[2];
    MPI_Allreduce(mine, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (each < 0) {
        if (!rank)
            fprintf(stderr, "luna perf: error: %d blocks of %ld bytes are more than 2 GiB: less "
                            "with -X\n", procs, bytes);
        return EXIT_USAGE;
    }
    if (most[0] <= -most[1]) return EXIT_DONE;
    if (!rank)
        fprintf(stderr, "luna perf: error: the buffers take %.1f GiB of a host's memory, and %.1f "
                        "are free: fewer bytes with -X, or fewer processes\n",
                most[0] / gib, -most[1] / gib);
    return EXIT_SYSTEM;
}

/* ---- measuring ---- */

static void
measure(const struct method *p, struct sync *s, struct bench *b, struct launches *l)
{
    if (p->rows) sync_rows(s, b, l);
    else sync_measure(s, b, l);
}

/* The time without overlap, NAN if it is not known; the work that will overlap takes as long. */
static double
measure_pure(const struct method *p, struct sync *s, struct bench *b, struct launches *l)
{
    measure(p, s, b, l);
    if (!l->valid) return NAN;
    return b->work_us = stats_median(l->slowest, l->valid);
}

static void
one_size(const struct method *p, struct sync *s, const struct files *f, long bytes)
{
    struct bench b;
    struct launches l;
    double pure = 0;
    launches_open(&l, p->ask->rules.most);
    bench_open(&b, s->comm, p->ask, p->ask->bench, bytes);
    if (!p->rows) sync_clocks(s, p->clocks);
    if (!p->rows && p->ask->log) sync_log_clocks(s);
    if (b.flags & LIST_OVERLAPS && !p->ask->blocking) pure = measure_pure(p, s, &b, &l);
    measure(p, s, &b, &l);
    if (p->ask->per_process) report_each(f->per_process, p, &b, &l);
    if (!s->rank) report_line(stdout, p, &b, &l, pure);
    if (!s->rank && !l.valid)
        fprintf(stderr,
                "luna perf: warning: %s of %ld bytes: no launch was valid, %s\n",
                list[p->ask->bench].name, bytes,
                p->crowded ? "there are more processes than cores: -z nosync"
                           : "the machine is busy");
    bench_close(&b);
    launches_close(&l);
}

static void
all_sizes(const struct method *p, struct sync *s, const struct files *f)
{
    const struct series *c = &p->ask->counts;
    unsigned flags = list[p->ask->bench].flags;
    long last = -1;
    if (flags & LIST_NO_DATA) {
        one_size(p, s, f, 0);
        return;
    }
    for (long bytes = c->least; bytes <= c->most; bytes = series_next(c, bytes)) {
        long whole = flags & LIST_REDUCES ? bytes / 8 * 8 : bytes;
        if (whole != last) one_size(p, s, f, whole);
        last = whole;
    }
}

/* The first `procs` processes measure. The others sleep: spinning would take cores from them. */
static void
one_procs(const struct method *p, const struct files *f, int procs)
{
    struct sync s = {.log = f->log};
    MPI_Request all_done;
    int rank, done = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank < procs ? 0 : MPI_UNDEFINED, rank, &s.comm);
    if (rank < procs) {
        MPI_Comm_rank(s.comm, &s.rank);
        MPI_Comm_size(s.comm, &s.size);
        all_sizes(p, &s, f);
        MPI_Comm_free(&s.comm);
    }
    MPI_Ibarrier(MPI_COMM_WORLD, &all_done);
    for (; !done; done ? 0 : usleep(1000)) MPI_Test(&all_done, &done, MPI_STATUS_IGNORE);
}

/* ---- the program ---- */

/* All: 0, or the exit code. */
static int
open_file(FILE **out, const char *path)
{
    int rank, code = EXIT_DONE;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (path && !rank && !(*out = fopen(path, "w"))) {
        int e = errno;
        clean_print("luna perf: error: cannot write '%s': %s\n", path, strerror(e));
        code = (int)exit_unwritten(e);
    }
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return code;
}

/* False: what was written to it is lost. */
static bool
close_file(FILE *f, const char *path)
{
    bool bad = f && ferror(f);
    if (f && fclose(f)) bad = true;
    if (bad) clean_print("luna perf: error: cannot write '%s': %s\n", path, strerror(errno));
    return !bad;
}

static int
run(struct method *p, int size)
{
    struct files f = {NULL, NULL};
    const struct series *procs = &p->ask->procs;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int code = open_file(&f.per_process, p->ask->per_process);
    if (!code) code = open_file(&f.log, p->ask->log);
    if (code) return code;
    if (p->rows && p->ask->log && !rank)
        fprintf(stderr, "luna perf: warning: -l has nothing to write: launches follow each other "
                        "(nosync)\n");
    double start = MPI_Wtime();
    report_head(stdout, p);
    if (!rank) report_columns(stdout, p, "");
    if (f.per_process) report_columns(f.per_process, p, " Rank");
    if (f.log) fprintf(f.log, "# Procs Count Launch Rank Time Code Slot (us)\n");
    for (long n = procs->least; n <= procs->most && n <= size; n = series_next(procs, n))
        one_procs(p, &f, (int)n);
    if (!rank) printf("# Elapsed time: %.2f s\n", MPI_Wtime() - start);
    int whole = close_file(f.per_process, p->ask->per_process);
    whole &= close_file(f.log, p->ask->log);
    MPI_Bcast(&whole, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return whole ? EXIT_DONE : EXIT_SYSTEM;
}

/* A launcher of another kind starts processes that MPI does not know of each other: each would
 * measure alone. Said by the first. */
static bool
is_one_of_many(int size)
{
    static const char *const all[] = {"SLURM_STEP_NUM_TASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    static const char *const own[] = {"SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK"};
    for (int i = 0; i < 3; i++) {
        const char *n = getenv(all[i]), *rank = getenv(own[i]);
        if (size > 1 || !n || atoi(n) < 2) continue;
        if (!rank || !atoi(rank))
            fprintf(stderr, "luna perf: error: %s processes were started, but MPI sees each alone: "
                            "use srun --mpi=pmi2, or the mpiexec of MPICH\n", n);
        return true;
    }
    return false;
}

/* Under a bare mpiexec the number of processes is what it says. */
static int
read_words(struct ask *a, int argc, char **argv, int rank, int size)
{
    struct args_fault fault;
    bool fine = ask_read(a, argc - 1, argv + 1, &fault);
    if (fine && !a->procs_given) a->procs.least = a->procs.most = size;
    bool measures = a->show == SHOW_RESULTS && !a->self_check;
    if (fine && series_last(&a->procs) <= size && measures) return EXIT_DONE;
    if (rank) return EXIT_USAGE;
    if (!fine) clean_print("luna perf: error: %s\n", fault.text);
    else if (!measures)
        fprintf(stderr, "luna perf: error: lists, help and --self-check are of 'luna perf', which "
                        "starts processes itself\n");
    else
        fprintf(stderr, "luna perf: error: %ld processes are asked for, mpiexec has started %d\n",
                series_last(&a->procs), size);
    return EXIT_USAGE;
}

/* A rank that runs a program would wait for us, and we for it. It asks in the same way
 * (mpi_others_differ): what blocks and what does not would not meet. */
static bool
all_measure(int rank)
{
    int own[2] = {JOINED_TO_MEASURE, -JOINED_TO_MEASURE}, least[2];
    MPI_Request r;
    MPI_Iallreduce(own, least, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    bool same = least[0] == -least[1];
    if (!same && !rank) fprintf(stderr, "luna perf: error: %s\n", JOINED_DIFFER);
    return same;
}

int
main(int argc, char **argv)
{
    struct ask a;
    int rank, size;
    if (manager_has_gone()) {
        clean_print("luna perf: error: %s\n", MANAGER_HAS_GONE);
        return EXIT_USAGE;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int code = EXIT_USAGE;
    if (!is_one_of_many(size) && all_measure(rank)) code = read_words(&a, argc, argv, rank, size);
    if (!code) {
        struct machine m = look_around(&a);
        struct method p = make_method(&a, m);
        p.argc = argc;
        p.argv = argv;
        code = check_places(&a, &m);
        if (!code) code = check_memory(&a, &m);
        if (!code) code = start_timer(&a, m.one_host) ? run(&p, size) : EXIT_USAGE;
    }
    mpi_leave(code, NULL, NULL);
    return code;
}
