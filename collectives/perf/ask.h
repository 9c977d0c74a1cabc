/* ask.h - what is to be measured: the words of a command line, read into a struct.
 *
 * The options are those of MPIPerf, and a few of ours with long names. Both sides read them: luna
 * perf, which starts processes, and each of these. */
#ifndef LUNA_COLLECTIVES_PERF_ASK_H
#define LUNA_COLLECTIVES_PERF_ASK_H

#include "collectives/perf/list.h"
#include "collectives/perf/stats.h"
#include "collectives/perf/tick.h"
#include "runtime/base/args.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* From `least` to `most` by adding `add`, or multiplying by `times` if that is not 0. */
struct series {
    long least, most, add, times;
};
long series_next(const struct series *r, long now); /* above `most`: there is none */
long series_last(const struct series *r);

enum buffers { BUFFERS_PRODUCER, BUFFERS_HOT, BUFFERS_COLD };
enum mode { MODE_BEST, MODE_SYNCTIME, MODE_NOSYNC };
enum clocks { CLOCKS_BEST, CLOCKS_LINEAR, CLOCKS_RING, CLOCKS_SAME };
enum show { SHOW_RESULTS, SHOW_LIST, SHOW_TIMERS, SHOW_TIMER_CHECK, SHOW_HELP };

enum { ASK_PEERS = 8 };

struct ask {
    enum list_id bench; /* LIST_COUNT: none was given */
    int bench_word;     /* which word it was */
    struct series procs, counts;
    bool procs_given;
    struct rules rules;
    enum mode mode;
    enum clocks clocks;
    enum buffers buffers;
    enum timer timer;
    bool blocking; /* non-blocking operations are awaited at once */
    int computes;  /* pieces of work between beginning and waiting */
    bool bind;     /* processes to cores, in turn */
    bool seconds;
    const char *per_process, *log; /* files; NULL: none */
    bool log_master;
    enum show show;

    /* Of luna perf alone. */
    const char *peers[ASK_PEERS]; /* lent: as they stand in --compare, each ends at its comma */
    int npeers, turns;
    bool json, self_check, least; /* least: of the turns the best counts, not the median */
    const char *plot;
};

/* Words are lent, for as long as `a` lives. False: they are wrong, see the fault. */
bool ask_read(struct ask *a, int argc, char *const *argv, struct args_fault *fault);
void ask_help(FILE *out);

#endif
