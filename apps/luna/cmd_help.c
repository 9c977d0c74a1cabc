/* cmd_help.c - the table of commands, and what luna help prints of it. */
#include "apps/luna/cmd.h"
#include "apps/luna/common/say.h"
#include "collectives/perf/ask.h"
#include "runtime/base/near.h"

#include <string.h>

const struct command commands[] = {
    {"run", WHO_RUN, cmd_run, "luna run [options] FILE.fa [args of main]",
     "compile a program and run it",
     "A program that was compiled before, and whose sources have not changed, starts at once.\n"
     "FILE may also be an object made by -c. The first word after FILE that is not an option, or\n"
     "the word --, begins the arguments of main.\n"},
    {"build", WHO_BUILD, cmd_build, "luna build [options] FILE.fa -o PROG",
     "make an executable of a program",
     "PROG takes those options of luna run that concern the run: PROG --help lists them.\n"},
    {"sim", WHO_SIM, cmd_sim, "luna sim [options] FILE.fa [args of main]",
     "run it in the simulator: many nodes, virtual time, one thread",
     "Messages take random times that depend on the seed alone: the same seed gives the same run.\n"
     "The last line has a digest of all events. A fault names the command that repeats it.\n"},
    {"check", WHO_CHECK, cmd_check, "luna check [options] FILE.fa [args of main]",
     "find errors and warnings, run nothing",
     "The exit code is 1 if there are errors. Text goes to stderr, JSON to stdout.\n"
     "Each report has a CODE in brackets. SYN5 means SYN5.1, SYN5.2 and so on; all means every\n"
     "code.\n"},
    {"plan", WHO_PLAN, cmd_plan, "luna plan [options] FILE.fa [args of main]",
     "what a run will send and what must wait for what, before it",
     "Nothing runs: calls and what they read are counted for these arguments, nodes and cells.\n"
     "What follows from values is asked for by name, and given by --let. 4..8 means that readers\n"
     "of a node may share messages. docs/plan.md tells what is counted, and what is not.\n"},
    {"stats", WHO_STATS, cmd_stats, "luna stats TRACE_DIR [--json] [--df=NAMES]",
     "figures of a traced run: sends, load, time, workers",
     "TRACE_DIR was written by luna run --trace=TRACE_DIR. AvgSD is the average distance of a\n"
     "send: the mean for each node, then the mean over the nodes that sent anything. AvgSS is the\n"
     "average of what a node sends, in MiB. The idlest workers come first; idle: work is the time\n"
     "in which their node had work for them.\n"},
    {"report", WHO_REPORT, cmd_report, "luna report TRACE_DIR [OTHER] [-o FILE.html]",
     "a page: where the time of a traced run went",
     "TRACE_DIR was written by luna run --trace=TRACE_DIR. The page is one file without network\n"
     "that any browser opens, and that you can mail: TRACE_DIR/report.html, or FILE.html; - is\n"
     "stdout. 'luna run --report' runs a program and makes the page at once. With two traces the\n"
     "page compares the runs: OTHER/compare.html.\n"},
    {"map", WHO_MAP, cmd_map, "luna map TRACE_DIR [--at=TIME] [-o FILE.png]",
     "which node owns which cells",
     "TRACE_DIR was written by luna run --trace=TRACE_DIR, of a program that has cells. The\n"
     "first index goes down, the second to the right; with three there is a plane for each value\n"
     "of the first. Then comes a line for each node: its cells, their pieces, its neighbours.\n"},
    {"export", WHO_EXPORT, cmd_export, "luna export TRACE_DIR --to=FORMAT [-o FILE]",
     "a trace for other tools: perfetto, paje, otf2, csv, text",
     "TRACE_DIR was written by luna run --trace=TRACE_DIR. perfetto is JSON for ui.perfetto.dev,\n"
     "chrome://tracing and speedscope; paje is for ViTE, pj_dump and StarVZ; csv is a table of\n"
     "calls, csv-sends one of what was sent, for pandas and R; text makes a binary trace one of\n"
     "text. docs/traces.md has more.\n"},
    {"top", WHO_TOP, cmd_top, "luna top [PID] [--once] [--json]",
     "what a run does just now, from another terminal",
     "PID is a run, one of its ranks, or what has started it; without PID it is the run there\n"
     "is. Runs of yours on this host are found. They spend no time on this while nobody looks.\n"
     "On the terminal the key s sorts nodes by something else, q leaves.\n"},
    {"perf", 0, NULL, "luna perf [options] BENCHMARK", "measure collective operations",
     "Processes are started by mpiexec; BENCHMARK is an operation of MPI (Bcast, Ibcast, ...), of "
     "luna\n(ShmBcast, TrigReduce, ...) or a test of the measurement itself (WaitPatternUp, ...): "
     "-q lists\nthem. The report goes to stdout. docs/perf.md explains the method.\n"},
    {"dump", WHO_DUMP, cmd_dump, "luna dump --pass=NAME [options] FILE.fa",
     "print what a pass of the compiler makes", ""},
    {"help", 0, NULL, "luna help [COMMAND]", "this text, or all about a command", ""},
    {NULL, 0, NULL, NULL, NULL, NULL},
};

const struct command *
command_find(const char *name)
{
    for (const struct command *c = commands; c->name; c++)
        if (!strcmp(c->name, name)) return c;
    return NULL;
}

int
command_unknown(const char *name)
{
    struct near near = {.word = name};
    for (const struct command *c = commands; c->name; c++) near_try(&near, c->name);
    say_error("unknown command '%s'", name);
    if (near.best) say_hint("did you mean 'luna %s'?", near.best);
    else say_hint("'luna help' lists the commands");
    return EXIT_USAGE;
}

void
cmd_help_short(FILE *out)
{
    fprintf(out, "luna %s: fragmented programs on one core or many\n\n", LUNA_VERSION);
    for (const struct command *c = commands; c->name; c++)
        fprintf(out, "  %-44s %s\n", c->usage, c->summary);
}

void
cmd_help_command(const struct command *c, FILE *out)
{
    fprintf(out, "usage: %s\n\nluna %s: %s.\n%s", c->usage, c->name, c->summary, c->story);
    bool perf = !strcmp(c->name, "perf");
    if (!c->who && !perf) return;
    if (perf) fputs("\noptions:\n", out);
    if (perf) ask_help(out);
    options_help(c->who, out);
}

int
cmd_help(int argc, char **argv)
{
    if (argc > 1) {
        say_error("'luna help' takes one command; '%s' is one word too many", argv[1]);
        return EXIT_USAGE;
    }
    if (argc == 1 && strcmp(argv[0], "--help") && strcmp(argv[0], "-h")) {
        const struct command *c = command_find(argv[0]);
        if (!c) return command_unknown(argv[0]);
        cmd_help_command(c, stdout);
        return EXIT_DONE;
    }
    fputs("NAME\n", stdout); /* as the original's begins: scripts look for it */
    cmd_help_short(stdout);
    fputs("\n'luna [options] FILE.fa [args]', without a command, works as in the original LuNA.\n"
          "'luna help COMMAND' lists its options; 'luna --version' prints the version.\n\n"
          "exit codes: 0 done, 1 the program has errors, 2 wrong usage, 3 run-time error,\n"
          "4 the program cannot go on, 5 the system failed (memory, disk, no compiler)\n",
          stdout);
    return EXIT_DONE;
}
