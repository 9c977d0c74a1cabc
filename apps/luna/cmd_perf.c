/* cmd_perf.c - luna perf: measures collective operations, by processes that it starts. */
#include "apps/luna/cmd.h"
#include "apps/luna/files.h"
#include "apps/luna/perf_run.h"
#include "apps/luna/say.h"
#include "collectives/perf/ask.h"
#include "lang/near.h"
#include "runtime/ranks.h"

#include <math.h>
#include <string.h>

/* ---- the words ---- */

/* Says what is wrong with them. */
static int
say_fault(const struct ask_fault *f)
{
    const char *word = f->option ? f->option : f->bench;
    struct near near = {.word = word};
    for (int i = 0; f->option && f->option[1] == '-' && ask_option(i); i++)
        near_try(&near, ask_option(i));
    for (int i = 0; f->bench && i < LIST_COUNT; i++) near_try(&near, list[i].name);
    say_error("%s", f->text);
    if (near.best) say_hint("did you mean '%s'?", near.best);
    else if (f->option) say_hint("'luna help perf' lists the options");
    else if (f->bench) say_hint("'luna perf -q' lists the benchmarks");
    else if (f->hint[0]) say_hint("%s", f->hint);
    return EXIT_USAGE;
}

static void
words_of(struct arena *a, struct words *w, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) words_add(a, w, argv[i]);
}

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

/* ---- the command ---- */

int
cmd_perf(struct arena *a, int argc, char **argv)
{
    struct ask ask;
    struct ask_fault fault;
    struct words words = {0};
    struct perf_table table = {0};
    if (!ask_read(&ask, argc, argv, &fault)) return say_fault(&fault);
    words_of(a, &words, argc, argv);
    switch (ask.show) {
    case SHOW_LIST: return show_list();
    case SHOW_TIMERS: return show_timers();
    case SHOW_TIMER_CHECK: return check_timers();
    case SHOW_HELP: help_command(command_find("perf"), stdout); return EXIT_DONE;
    case SHOW_RESULTS: break;
    }
    if (ranks_started()) return perf_become(a, &words);
    return perf_run(a, perf_peer(0), (int)ask.procs.most, &words, stdout, &table);
}
