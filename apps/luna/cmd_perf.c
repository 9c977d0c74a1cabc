/* cmd_perf.c - luna perf: measures collective operations, by processes that it starts. */
#include "apps/luna/cmd.h"
#include "apps/luna/common/files.h"
#include "apps/luna/common/say.h"
#include "apps/luna/perf/perf_limits.h"
#include "apps/luna/perf/perf_tell.h"
#include "collectives/perf/ask.h"
#include "runtime/base/near.h"
#include "runtime/run/ranks.h"

#include <math.h>
#include <string.h>

/* ---- lists ---- */

static int
show_list(void)
{
    for (int i = 0; i < LIST_COUNT; i++) puts(list[i].name);
    return EXIT_DONE;
}

static int
show_timers(void)
{
    for (int i = 0; i < TIMERS; i++) puts(timer_name[i]);
    return EXIT_DONE;
}

/* MPI_Wtime is that of the library: only the processes know it. */
static int
check_timers(void)
{
    for (int i = 0; i < TIMERS; i++) {
        const char *why = i == TIMER_MPI ? "see WaitPatternNull -t mpi_wtime"
                                         : tick_use((enum timer)i, NULL);
        if (why) {
            printf("%-14s %s\n", timer_name[i], why);
            continue;
        }
        struct tick_check c = tick_try();
        bool fine = !c.backward && fabs(c.rate - 1) < 1e-3;
        printf("%-14s %s: a reading costs %.4f us, the least step is %.4f us, rate %.6f, "
               "%d steps back\n", timer_name[i], fine ? "good" : "bad", c.cost_us, c.step_us,
               c.rate, c.backward);
    }
    return EXIT_DONE;
}

/* ---- with several libraries ---- */

struct job {
    struct arena *arena;
    const struct ask *ask;
    const struct words *words;
    struct perf_results results;
    const struct perf_peer *peers[ASK_PEERS];
};

/* NULL: unknown, and said so. */
static const struct perf_peer *
peer_named(struct arena *a, const char *name)
{
    const char *word = arena_printf(a, "%.*s", (int)strcspn(name, ","), name);
    struct near near = {.word = word};
    for (int i = 0; perf_peer(i); i++) {
        if (!strcmp(perf_peer(i)->name, word)) return perf_peer(i);
        near_try(&near, perf_peer(i)->name);
    }
    say_error("--compare knows mpich, openmpi, openmpi-sm and luna, not '%s'", word);
    if (near.best) say_hint("did you mean '%s'?", near.best);
    return NULL;
}

/* Those that are there; nothing else goes with some options. An exit code, or 0. */
static int
choose_peers(struct job *j)
{
    const struct ask *a = j->ask;
    struct perf_results *r = &j->results;
    r->at = arena_array(j->arena, struct perf_result, ASK_PEERS);
    if (a->per_process || a->log) {
        say_error("-o and -l are of one library, not of --compare");
        return EXIT_USAGE;
    }
    for (int i = 0; i < a->npeers; i++) {
        const struct perf_peer *p = peer_named(j->arena, a->peers[i]);
        if (!p) return EXIT_USAGE;
        if (p->ours && list_ours(a->bench) == LIST_COUNT) {
            say_error("luna has no operation of its own in place of %s", list[a->bench].name);
            say_hint("it has for Allreduce, Barrier, Bcast and Reduce");
            return EXIT_USAGE;
        }
        if (!perf_peer_is_there(j->arena, p, false)) continue;
        j->peers[r->n] = p;
        r->at[r->n++] = (struct perf_result){.peer = p->name};
    }
    if (!r->n) say_error("none of them is there");
    return r->n ? EXIT_DONE : EXIT_SYSTEM;
}

/* The words with another benchmark. */
static struct words
words_for(struct arena *a, const struct words *words, int at, enum list_id bench)
{
    struct words w = {0};
    for (int i = 0; i < words->n; i++)
        words_add(a, &w, i == at ? list[bench].name : words->at[i]);
    return w;
}

/* In turns: what disturbs the machine for a while disturbs all of them. */
static int
run_turns(struct job *j)
{
    const struct ask *a = j->ask;
    struct perf_results *r = &j->results;
    for (int turn = 0; turn < r->turns; turn++)
        for (int i = 0; i < r->n; i++) {
            enum list_id bench = (j->peers[i]->ours ? list_ours : list_theirs)(a->bench);
            struct words w = words_for(j->arena, j->words, a->bench_word, bench);
            fprintf(stderr, "turn %d of %d: %s\n", turn + 1, r->turns, r->at[i].peer);
            int code = perf_run(j->arena, j->peers[i], (int)series_last(&a->procs), &w, NULL,
                                &r->at[i].table);
            if (code) return code;
        }
    return EXIT_DONE;
}

/* With MPICH alone: lines are shown as they come. */
static int
run_one(struct job *j)
{
    struct perf_results *r = &j->results;
    r->at = arena_array(j->arena, struct perf_result, 1);
    bool ours = list[j->ask->bench].flags & LIST_OURS;
    r->at[0] = (struct perf_result){.peer = ours ? "luna" : "mpich"};
    r->n = r->turns = 1;
    return perf_run(j->arena, perf_peer(0), (int)series_last(&j->ask->procs), j->words,
                    j->ask->json ? NULL : stdout, &r->at[0].table);
}

static int
measure(struct job *j)
{
    const struct ask *a = j->ask;
    struct picture p;
    int code = a->npeers ? choose_peers(j) : EXIT_DONE;
    if (!code && a->plot) code = cmd_picture_try(a->plot);
    if (!code) code = a->npeers ? run_turns(j) : run_one(j);
    if (code) return code;
    if (a->json && !perf_tell_json(stdout, &j->results)) {
        say_error("out of memory");
        return EXIT_SYSTEM;
    }
    if (!a->json && a->npeers) perf_tell_table(stdout, j->arena, &j->results);
    if (!a->plot) return EXIT_DONE;
    return cmd_picture_out(&p, perf_picture(&p, j->arena, &j->results), a->plot);
}

/* ---- does it measure well here? ---- */

/* The mean of a benchmark, in us; NAN: it was not measured. */
static double
mean_of(const struct job *j, enum list_id bench)
{
    struct perf_table t = {0};
    struct words w = {0};
    for (int i = 0; i < j->words->n; i++)
        if (strcmp(j->words->at[i], "--self-check")) words_add(j->arena, &w, j->words->at[i]);
    words_add(j->arena, &w, list[bench].name);
    int code = perf_run(j->arena, perf_peer(0), (int)series_last(&j->ask->procs), &w, NULL, &t);
    int column = perf_column(&t, "Mean");
    return code || column < 0 || !t.n ? NAN : t.rows[t.n - 1].at[column];
}

static bool
judge(const char *name, bool fine)
{
    printf("%-5s %s\n", fine ? "good:" : "bad:", name);
    return fine;
}

static bool
check_pattern(const struct job *j, enum list_id bench)
{
    double truth = (double)series_last(&j->ask->procs), mean = mean_of(j, bench);
    double wrong = 100 * fabs(mean - truth) / truth;
    return judge(arena_printf(j->arena, "%s %.3f us: %.1f %% from %g (5 at most)",
                              list[bench].name, mean, wrong, truth), wrong <= 5);
}

static bool
check_barrier(const struct job *j)
{
    enum { REPEATS = 10 };
    double means[REPEATS];
    for (int i = 0; i < REPEATS; i++) means[i] = mean_of(j, LIST_Barrier);
    double error = stats_repeat_error(means, REPEATS);
    return judge(arena_printf(j->arena, "Barrier %.3f us: ten times, relative error %.1f %% "
                              "(5 at most)", stats_median(means, REPEATS), error), error <= 5);
}

static int
self_check(const struct job *j)
{
    if (!perf_peer_is_there(j->arena, perf_peer(0), true)) return EXIT_SYSTEM;
    double null = mean_of(j, LIST_WaitPatternNull);
    bool fine = judge(arena_printf(j->arena, "WaitPatternNull %.3f us (0.1 at most)", null),
                      null <= .1);
    fine &= check_pattern(j, LIST_WaitPatternUp);
    fine &= check_pattern(j, LIST_WaitPatternDown);
    fine &= check_barrier(j);
    return fine ? EXIT_DONE : EXIT_SYSTEM;
}

/* ---- the command ---- */

/* Under a launcher there is one report, of the processes that are there. */
static int
become(struct arena *a, const struct ask *ask, const struct words *words)
{
    const char *what = ask->npeers ? "--compare" : ask->self_check ? "--self-check" : NULL;
    if (!what && (ask->json || ask->plot)) what = ask->json ? "--json" : "--plot";
    if (!what) return perf_become(a, words);
    if (!ranks_first()) return EXIT_USAGE;
    say_error("%s is for processes that luna perf starts itself, not mpiexec or srun", what);
    say_hint("on this host: luna perf -n N ..");
    return EXIT_USAGE;
}

static int
show(const struct ask *ask)
{
    if (!ranks_first()) return EXIT_DONE;
    switch (ask->show) {
    case SHOW_LIST: return show_list();
    case SHOW_TIMERS: return show_timers();
    case SHOW_TIMER_CHECK: return check_timers();
    default: cmd_help_command(command_find("perf"), stdout); return EXIT_DONE;
    }
}

int
cmd_perf(struct arena *a, int argc, char **argv)
{
    struct ask ask;
    struct args_fault fault;
    struct words words = {0};
    struct job job = {.arena = a, .ask = &ask, .words = &words};
    if (!ask_read(&ask, argc, argv, &fault)) {
        if (!ranks_first()) return EXIT_USAGE;
        say_error("%s", fault.text);
        if (fault.hint[0]) say_hint("%s", fault.hint);
        return EXIT_USAGE;
    }
    if (ask.show != SHOW_RESULTS) return show(&ask);
    for (int i = 0; i < argc; i++) words_add(a, &words, argv[i]);
    if (ranks_started()) return become(a, &ask, &words);
    const char *bench = ask.self_check ? "--self-check" : list[ask.bench].name;
    int code = perf_limits((int)series_last(&ask.procs), bench);
    if (code) return code;
    if (ask.self_check) return self_check(&job);
    job.results = (struct perf_results){.bench = bench,
                                        .unit = ask.seconds ? "s" : "us",
                                        .turns = ask.turns, .least = ask.least};
    return measure(&job);
}
