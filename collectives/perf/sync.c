/* sync.c - see sync.h. */
#include "collectives/perf/sync.h"

#include <stdlib.h>
#include <string.h>

/* ---- clocks ---- */

enum { TAG_TIME = 1, EXCHANGES_MOST = 10000 };

/* How far the clock of `other` is ahead of ours. A request of 0 ends it. */
static double
ask_clock(const struct sync *s, int other)
{
    struct offset o = offset_none();
    double told, again = 1, enough = 0;
    for (int i = 0; i < EXCHANGES_MOST; i++) {
        double asked = tick_us();
        MPI_Send(&again, 1, MPI_DOUBLE, other, TAG_TIME, s->comm);
        MPI_Recv(&told, 1, MPI_DOUBLE, other, TAG_TIME, s->comm, MPI_STATUS_IGNORE);
        if (offset_take(&o, asked, told, tick_us())) break;
    }
    MPI_Send(&enough, 1, MPI_DOUBLE, other, TAG_TIME, s->comm);
    return o.value;
}

static void
tell_clock(const struct sync *s, int other)
{
    for (double again;;) {
        MPI_Recv(&again, 1, MPI_DOUBLE, other, TAG_TIME, s->comm, MPI_STATUS_IGNORE);
        double now = tick_us();
        if (again == 0) return;
        MPI_Send(&now, 1, MPI_DOUBLE, other, TAG_TIME, s->comm);
    }
}

/* One after the other with process 0. */
static void
clocks_linear(struct sync *s)
{
    if (s->rank) s->offset = ask_clock(s, 0);
    else
        for (int i = 1; i < s->size; i++) tell_clock(s, i);
}

/* Each with the one before, all pairs at a time; then the sums. The first asks nobody. */
static void
clocks_ring(struct sync *s)
{
    double to_previous = 0, *all = NULL;
    for (int turn = 0; turn < 2; turn++) {
        bool tells = s->rank % 2 == turn;
        if (tells && s->rank + 1 < s->size) tell_clock(s, s->rank + 1);
        if (!tells && s->rank > 0) to_previous = ask_clock(s, s->rank - 1);
    }
    if (!s->rank) all = malloc((size_t)s->size * sizeof *all);
    bench_check(s->rank || all, "out of memory");
    MPI_Gather(&to_previous, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, s->comm);
    if (!s->rank) offset_ring(all, s->size);
    MPI_Scatter(all, 1, MPI_DOUBLE, &s->offset, 1, MPI_DOUBLE, 0, s->comm);
    free(all);
}

/* How long a broadcast of a time may take, as of the slowest process: the first opens connections
 * and does not count. The median of seven; the longest of three, as in MPIPerf, is a time slice
 * of the system when others use the cores, and spinning so long loses the next one. If it is too
 * short, the first launches of stages are late and no more. */
static void
bound_bcast(struct sync *s)
{
    enum { TIMES = 7 };
    double took[TIMES + 1], most[TIMES + 1], x = 0;
    for (int i = 0; i <= TIMES; i++) {
        MPI_Barrier(s->comm);
        double start = tick_us();
        MPI_Bcast(&x, 1, MPI_DOUBLE, 0, s->comm);
        took[i] = tick_us() - start;
    }
    MPI_Allreduce(took, most, TIMES + 1, MPI_DOUBLE, MPI_MAX, s->comm);
    s->bcast_us = 1.2 * stats_median(most + 1, TIMES);
}

void
sync_clocks(struct sync *s, enum clocks how)
{
    s->offset = 0;
    if (how == CLOCKS_LINEAR) clocks_linear(s);
    if (how == CLOCKS_RING) clocks_ring(s);
    bound_bcast(s);
}

void
sync_log_clocks(const struct sync *s)
{
    double *all = NULL;
    if (!s->rank) all = malloc((size_t)s->size * sizeof *all);
    bench_check(s->rank || all, "out of memory");
    MPI_Gather(&s->offset, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, s->comm);
    if (!s->rank) fprintf(s->log, "# clocks (us):");
    for (int i = 0; !s->rank && i < s->size; i++) fprintf(s->log, " %.3f", all[i]);
    if (!s->rank) fprintf(s->log, "\n");
    free(all);
}

/* ---- stages ---- */

enum code { VALID, LONG, LATE }; /* the greatest of all processes counts */

#define LATE_US 0.1 /* after the start, and a few readings of the timer: less than a switch */
#define SLOT_US 5.0 /* at least, so that preparing the smallest launches is in time */
#define AHEAD_US 5.0 /* of the bound: in a row broadcasts find their code and lines in the caches */

struct figures {
    double time[STAGE_LAUNCHES], code[STAGE_LAUNCHES];
    double needs[STAGE_LAUNCHES]; /* with preparing, without waiting for the start */
    double all;                   /* the whole stage */
};
enum { FIGURES = sizeof(struct figures) / sizeof(double) };

struct stage {
    int launches;
    double slot;
    struct figures own, most; /* most: of all processes */
};

static double
now_of_root(const struct sync *s)
{
    return tick_us() + s->offset;
}

static enum code
launch_at(const struct sync *s, struct bench *b, double at, double slot, double *took)
{
    double now = now_of_root(s);
    bool late = now > at;
    while (now < at) now = now_of_root(s);
    if (now > at + LATE_US + 4 * tick.cost_us) late = true;
    bench_launch(b);
    double end = now_of_root(s);
    *took = end - now;
    return late ? LATE : end > at + slot ? LONG : VALID;
}

static void
run_stage(struct sync *s, struct bench *b, struct stage *g)
{
    struct figures *own = &g->own;
    *own = (struct figures){.all = 0};
    double prepared = tick_us();
    bench_prepare(b);
    prepared = tick_us() - prepared;
    double start = now_of_root(s) + s->bcast_us + AHEAD_US;
    MPI_Bcast(&start, 1, MPI_DOUBLE, 0, s->comm);
    for (int i = 0; i < g->launches; i++) {
        double begin = tick_us();
        if (i) bench_prepare(b);
        if (i) prepared = tick_us() - begin;
        own->code[i] = launch_at(s, b, start + i * g->slot, g->slot, &own->time[i]);
        own->needs[i] = prepared + own->time[i];
    }
    own->all = now_of_root(s) - start;
    MPI_Allreduce(own, &g->most, FIGURES, MPI_DOUBLE, MPI_MAX, s->comm);
}

/* procs count launch process time code slot */
static void
write_log(const struct sync *s, const struct bench *b, const struct stage *g, int first)
{
    double *all = NULL;
    int size = b->ask->log_master ? 1 : s->size;
    if (!b->ask->log) return;
    if (!s->rank) all = malloc((size_t)s->size * sizeof g->own.time);
    bench_check(s->rank || all, "out of memory");
    MPI_Gather(g->own.time, STAGE_LAUNCHES, MPI_DOUBLE, all, STAGE_LAUNCHES, MPI_DOUBLE, 0,
               s->comm);
    static const char *const codes[] = {"valid", "long", "late"};
    for (int i = 0; !s->rank && i < g->launches; i++)
        for (int p = 0; p < size; p++)
            fprintf(s->log, "%d %zu %d %d %.4f %s %.3f\n", s->size, b->bytes, first + i, p,
                    all[p * STAGE_LAUNCHES + i], codes[(int)g->most.code[i]], g->slot);
    free(all);
}

static double
warm_up(struct sync *s, struct bench *b)
{
    struct stage g = {.launches = STAGE_WARM};
    run_stage(s, b, &g);
    double slot = stats_slot_first(g.most.all, STAGE_WARM, stats_median(g.most.needs, STAGE_WARM));
    return slot < SLOT_US ? SLOT_US : slot;
}

void
sync_measure(struct sync *s, struct bench *b, struct launches *l)
{
    struct stage g = {.slot = warm_up(s, b)};
    const struct rules *rules = &b->ask->rules;
    l->total = l->valid = 0;
    do {
        int left = rules->most - l->total, invalid = 0;
        g.launches = left < STAGE_LAUNCHES ? left : STAGE_LAUNCHES;
        run_stage(s, b, &g);
        write_log(s, b, &g, l->total);
        for (int i = 0; i < g.launches; i++) {
            if (g.most.code[i] != VALID) {
                invalid++;
                continue;
            }
            l->slowest[l->valid] = g.most.time[i];
            l->own[l->valid++] = g.own.time[i];
        }
        l->total += g.launches;
        g.slot = stats_slot_next(g.slot, g.most.all, g.launches, invalid,
                                 stats_median(g.most.needs, g.launches));
    } while (!rules_met(rules, l->total, l->slowest, l->valid));
}

/* ---- rows ---- */

int
sync_row_calls(const struct ask *a)
{
    return a->rules.most > SYNC_ROWS ? a->rules.most / SYNC_ROWS : 1;
}

void
sync_rows(struct sync *s, struct bench *b, struct launches *l)
{
    int calls = sync_row_calls(b->ask);
    bench_prepare(b);
    bench_launch(b);
    for (int row = 0; row < SYNC_ROWS; row++) {
        bench_meet(b);
        bench_meet(b);
        double start = tick_us();
        for (int i = 0; i < calls; i++) {
            bench_prepare(b);
            bench_launch(b);
        }
        l->own[row] = (tick_us() - start) / calls;
    }
    MPI_Allreduce(l->own, l->slowest, SYNC_ROWS, MPI_DOUBLE, MPI_MAX, s->comm);
    l->total = SYNC_ROWS * calls;
    l->valid = SYNC_ROWS;
}

/* ---- room ---- */

void
launches_open(struct launches *l, int most)
{
    size_t bytes = (size_t)(most > SYNC_ROWS ? most : SYNC_ROWS) * sizeof(double);
    *l = (struct launches){.slowest = malloc(bytes), .own = malloc(bytes)};
    bench_check(l->slowest && l->own, "out of memory");
}

void
launches_close(struct launches *l)
{
    free(l->slowest);
    free(l->own);
}
