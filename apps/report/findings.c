/* findings.c - what would make the run shorter, best first, each with what it could save at most.
 *
 * No time is promised twice: what a worker was idle without work is one sum, and a finding takes
 * its part out of what is left of it. Where workers share cores, a worker that waits may as well
 * wait for its core, so nothing is said of such time then. What is true of every good run, too, is
 * no finding. */
#include "apps/report/report.h"

#include "runtime/base/amount.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define LEAST 0.03          /* of the run */
#define SHORT_RUN 100000000 /* ns */
#define NEARLY_ALL 0.85     /* of the calls' time: one node has it */

/* ---- telling ---- */

static const char *
percent(struct report_run *r, double x)
{
    return arena_printf(r->arena, "%.0f %%", 100 * x);
}

static const char *
ns_text(struct report_run *r, double ns)
{
    return arena_strdup(r->arena, amount_time(ns * 1e-9).text);
}

static void __attribute__((format(printf, 5, 6)))
found(struct report_run *r, const char *name, double gain, const char *title, const char *fmt, ...)
{
    char text[1200];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (r->nfindings == REPORT_FINDINGS) return;
    struct report_finding *f = &r->findings[r->nfindings++];
    *f = (struct report_finding){name, title, arena_strdup(r->arena, text), gain};
}

/* Of what is left; 0: too little to be worth a word. */
static double
take(double *left, double gain)
{
    double x = gain < *left ? gain : *left;
    if (x < LEAST) return 0;
    *left -= x;
    return x;
}

static size_t
largest(const uint64_t *at, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (at[i] > at[best]) best = i;
    return best;
}

/* ---- each ---- */

static void
short_calls(struct report_run *r)
{
    double busy = (double)r->busy, cost = (double)r->runtime, all = report_all(r);
    if (r->ncalls < 100 || cost <= 0.25 * (busy + cost) || cost < 0.05 * all) return;
    double mean = busy / (double)r->ncalls, each = cost / (double)r->ncalls;
    double times = mean > 0 ? ceil(9 * each / mean) : 0;
    if (mean > 100e3 || times < 2) return;
    found(
        r, "calls-too-short", cost / all * (1 - 1 / times), "Make calls longer",
        "A call takes %s on average, and to find it, to hand it over and to keep its results costs "
        "luna another %s. With pieces %.0f times as large, the same work would cost a tenth of "
        "the calls' time.",
        ns_text(r, mean), ns_text(r, each), times);
}

/* Nanoseconds for which threads had a core, and for which they wanted one; 0: the trace does not
 * tell. */
struct cores {
    double had, wanted;
};

static struct cores
cores_of(const struct report_run *r)
{
    struct cores c = {0, 0};
    for (size_t i = 0; i < r->stats.nrows; i++) {
        c.had += (double)r->stats.rows[i].on;
        c.wanted += (double)(r->stats.rows[i].on + r->stats.rows[i].off);
    }
    return c;
}

/* What sleeps, or waits for a file, needs no core. */
static bool
is_asleep(const struct report_run *r)
{
    struct cores c = cores_of(r);
    return c.had > 0 && (double)r->busy >= 0.2 * report_all(r) && c.wanted <= 0.5 * (double)r->busy;
}

/* Gives whether waiting says nothing: threads that wanted a core did not have one. */
static bool
crowd(struct report_run *r)
{
    double crowd = report_crowd(r), kept = worker_rows_kept(r->stats.rows, r->stats.nrows);
    const struct trace_run *run = &r->stats.run;
    bool known = cores_of(r).had > 0;
    bool lost = known && worker_rows_are_kept(r->stats.rows, r->stats.nrows);
    if (crowd > 1 ? known && (kept <= 0.1 || is_asleep(r)) : !lost) return false;
    if (crowd <= 1) {
        found(r, "kept-from-cores", 0, "Other processes had the cores",
              "Workers were kept from their cores for %s of the time for which they wanted one. So "
              "calls took longer than they would have, and waiting was for a core: nothing more is "
              "said of either. Run it again when the machine is free.",
              percent(r, kept));
        return true;
    }
    found(r, "too-few-cores", 0, "More workers than cores",
          "%llu node%s of %llu worker%s had %llu core%s%s. Much of the waiting here is for a core, "
          "and a call takes longer while others use its core, so nothing more is said of "
          "waiting. Give a run as many workers as there are cores, or look at it with `luna sim`.",
          (unsigned long long)run->nodes, run->nodes == 1 ? "" : "s",
          (unsigned long long)run->workers, run->workers == 1 ? "" : "s",
          (unsigned long long)run->cores, run->cores == 1 ? "" : "s",
          run->hosts.n > 1 ? " on each host" : "");
    return true;
}

static void
asleep(struct report_run *r)
{
    if (!is_asleep(r)) return;
    found(
        r, "calls-sleep", 0, "Calls do not compute",
        "Workers were in calls for %s, and had a core for only %s. If the calls sleep, or wait for "
        "files or other programs, more workers than cores (`-t`) let more of them wait at the "
        "same time.",
        ns_text(r, (double)r->busy), ns_text(r, cores_of(r).had));
}

/* Before the first call, and behind the last, nobody is in one. What was interrupted may have been
 * about to begin the next. */
static void
no_calls(struct report_run *r, double *waiting)
{
    const struct trace_run *run = &r->stats.run;
    uint64_t first = run->duration, last = 0;
    for (size_t i = 0; i < r->nlanes; i++) {
        const struct report_lane *l = &r->lanes[i];
        if (!l->n) continue;
        uint64_t end = l->at[l->n - 1].t + l->at[l->n - 1].dur;
        if (l->at[0].t < first) first = l->at[0].t;
        if (end > last) last = end;
    }
    if (last > run->duration || strcmp(run->end, "done") != 0) last = run->duration;
    double behind = (double)(run->duration - last);
    double none = (double)first + behind, share = none / (double)run->duration;
    if (share <= 0.2) return;
    if (run->duration < SHORT_RUN)
        found(r, "short-run", 0, "The run is too short to tell much",
              "In %s of its %s no call ran: that is how luna starts and ends. Give the program "
              "more to do, and look again.",
              ns_text(r, none), ns_text(r, (double)run->duration));
    else if ((share = take(waiting, share)) > 0)
        found(r, "no-calls", share, "No call ran for a part of the run",
              "The first call began after %s, and the last one ended %s before the run did. Before "
              "the first call luna unfolds loops and conditions. If they are not long, other "
              "processes had the cores: run it again.",
              ns_text(r, (double)first), ns_text(r, behind));
}

/* A node of one worker is idle with work when a loop has paused and nothing is ready. Nobody knows
 * whether the loop would have made something that is, so other causes take their part first. */
static void
idle_with_work(struct report_run *r, double left)
{
    if (left <= 0.05) return;
    if (r->stats.run.workers == 1)
        found(
            r, "idle-with-work", left, "Loops ran far ahead",
            "Nodes had nothing ready while one of their loops had paused because many of its calls "
            "wait. Perhaps a later iteration has a call that could have run. Begin with what "
            "others "
            "wait for, or put a loop into each turn of a `while`.");
    else
        found(r, "idle-with-work", left, "Workers were idle although there was work",
              "Calls were ready that no worker had taken yet, or a loop had paused because many of "
              "its "
              "calls wait. If other workers were busy then, calls are so short that handing them "
              "over "
              "takes as long, or other processes used the cores. If none was, a loop runs far "
              "ahead of "
              "what its calls need: begin with what others wait for.");
}

/* Which function one worker alone was in, most of the time. */
static const struct stats_sub *
sub_alone(const struct report_run *r)
{
    return r->stats.subs[largest(r->alone_of, r->stats.nsubs)];
}

/* What each call needs is told, and the longest chain of them. False: it is not long. */
static bool
long_chain(struct report_run *r, double *waiting)
{
    double share = (double)r->chain.ns / (double)r->stats.run.duration;
    if (r->nlanes < 2 || share <= 0.6) return false;
    const struct stats_sub *s = r->stats.subs[largest(r->chain.by, r->stats.nsubs)];
    double gain = take(waiting, share * (1 - 1 / (double)r->nlanes));
    if (gain <= 0) return true;
    found(r, "chain", gain, "Calls wait for each other",
          "The longest chain of calls that need each other takes %s, %s of the run, and no number "
          "of nodes or workers makes that shorter. Most of it is in `%s`, line %llu: make these "
          "calls shorter, cut the chain, or give the others something to do meanwhile.",
          ns_text(r, (double)r->chain.ns), percent(r, share), s->name, (unsigned long long)s->line);
    return true;
}

/* Why one worker alone was in a call: where the trace does not tell the longest chain, perhaps. */
enum alone { ALONE_NODE, ALONE_NODE_PERHAPS, ALONE_IN_TURN, ALONE_CHAIN_PERHAPS };
static const struct {
    const char *name, *title, *cure;
} alone_told[] = {
    {"one-node", "One node works, the others wait",
     "So spread them over the nodes: by cells or locators, or `--balance`."},
    {"one-node", "One node works, the others wait",
     "If these calls do not need each other, spread them over the nodes (locators, cells, "
     "`--balance`). If each needs the one before, that does not help, and no number of nodes does: "
     "make them shorter."},
    {"alone", "One worker at a time",
     "So the others may have waited for conditions and bounds of loops, or for values under way: "
     "decide such things earlier, or give the others something to do meanwhile."},
    {"chain", "Calls wait for each other",
     "As long as each needs the one before, no number of nodes or workers helps: make them "
     "shorter, or give the others something to do meanwhile."}};

/* Which node, of one worker, it always was, or nearly; or no node, -1. */
static int
node_alone(const struct report_run *r)
{
    const struct trace_run *run = &r->stats.run;
    size_t node = largest(r->alone_on, run->nodes);
    bool same = run->nodes > 1 && run->workers == 1 && (double)r->alone_on[node] > 0.9 * r->alone;
    return same ? (int)node : -1;
}

static const char *
chain_is_short(struct report_run *r)
{
    if (!r->chain.ns) return "";
    return arena_printf(r->arena,
                        "The longest chain of calls that read what another one has made takes only "
                        "%s of the run. ",
                        percent(r, (double)r->chain.ns / (double)r->stats.run.duration));
}

/* One worker at a time, for most of the run, though the longest chain is not long, if it is known.
 * If it is always the same node all calls may be there; if it has but more than the others, that is
 * told as uneven. */
static void
alone(struct report_run *r, double *waiting)
{
    double share = r->alone / (double)r->stats.run.duration;
    if (r->nlanes < 2 || share <= 0.6) return;
    int node = node_alone(r);
    bool known = r->chain.ns > 0;
    if (node >= 0 && (double)r->stats.nodes[node].in_calls < NEARLY_ALL * (double)r->busy) {
        if (known) return;
        node = -1;
    }
    enum alone why = node >= 0 ? known ? ALONE_NODE : ALONE_NODE_PERHAPS
                     : known   ? ALONE_IN_TURN
                               : ALONE_CHAIN_PERHAPS;
    const struct stats_sub *s = sub_alone(r);
    double gain = take(waiting, share * (1 - 1 / (double)r->nlanes));
    if (gain <= 0) return;
    found(r, alone_told[why].name, gain, alone_told[why].title,
          "For %s of the run one worker alone was in a call, and the others had nothing to do. "
          "Most of that time was in `%s`, line %llu. %s%s",
          percent(r, share), s->name, (unsigned long long)s->line, chain_is_short(r),
          alone_told[why].cure);
}

/* What stands against moving cells from the node that has most to one that has least; NULL: nothing
 * that is known. Calls without a cell stay where they are, and to move a cell that is as heavy as
 * what one node has more than the other, or nearly, changes nothing. */
static const char *
immovable(struct report_run *r, unsigned node)
{
    const struct trace_run *run = &r->stats.run;
    uint64_t ncells = lattice_size(&run->cells), none = 0, least = UINT64_MAX,
             lightest = UINT64_MAX;
    double mean = (double)r->busy / (double)run->nodes;
    uint64_t most = r->stats.nodes[node].in_calls;
    uint64_t *of = arena_array(r->arena, uint64_t, ncells);
    for (size_t k = 0; k < run->workers; k++) {
        const struct report_lane *l = &r->lanes[node * run->workers + k];
        for (size_t i = 0; i < l->n; i++)
            if (l->at[i].cell < ncells)
                of[l->at[i].cell] += l->at[i].dur;
            else
                none += l->at[i].dur;
    }
    for (unsigned i = 0; i < run->nodes; i++)
        if (r->stats.nodes[i].in_calls < least) least = r->stats.nodes[i].in_calls;
    for (uint64_t i = 0; i < ncells; i++)
        if (of[i] && of[i] < lightest) lightest = of[i];
    if ((double)none > 0.5 * ((double)most - mean))
        return arena_printf(r->arena,
                            "%s of it was in calls that run for no cell, and do not move: "
                            "give what they assign a cell.",
                            ns_text(r, (double)none));
    if ((double)lightest >= 0.9 * (double)(most - least))
        return arena_printf(r->arena,
                            "It has no cell that is light enough to move: the lightest has %s, "
                            "and would make another node as busy. Make more and smaller ones than "
                            "%llu.",
                            ns_text(r, (double)lightest), (unsigned long long)ncells);
    return NULL;
}

static void
uneven(struct report_run *r, double *waiting)
{
    double balance = report_balance(r), sum = 0;
    for (unsigned s = 0; s < r->nslices; s++) sum += (r->most[s] - r->mean[s]) / r->nslices;
    if (r->stats.run.nodes < 2 || balance >= 0.95 || sum <= 0.05) return;
    uint64_t most = 0;
    unsigned node = 0;
    for (unsigned i = 0; i < r->stats.run.nodes; i++)
        if (r->stats.nodes[i].in_calls > most) most = r->stats.nodes[node = i].in_calls;
    const char *how = r->stats.run.cells.ndims ? immovable(r, node) : NULL;
    if (!how)
        how = !r->stats.run.cells.ndims
                  ? "Look at the locators, which say where calls run and values live."
              : r->nmoves
                  ? "Cells moved in steps of balancing: with a smaller `--balance-every` they may "
                    "follow a load that changes faster."
              : r->nsteps
                  ? "Steps of balancing have moved no cell; with `--stats` the run says why."
                  : "Run it with `--balance=two-phase --balance-load=time`, so that cells move to "
                    "nodes that have less to do.";
    double gain = take(waiting, sum);
    if (gain <= 0) return;
    found(r, "uneven", gain, "Spread the work more evenly",
          "Node %u was in calls for %s, the nodes on average for %s. %s", node,
          ns_text(r, (double)most), ns_text(r, (double)r->busy / (double)r->stats.run.nodes), how);
}

/* Of the time that was waited for values of one kind the fragment with most of it; NULL: it is not
 * much, of the run or of what is left of it. */
static const struct report_df *
most_waited(struct report_run *r, double (*of)(const struct report_df *), double *waiting,
            double *gain)
{
    double sum = 0;
    const struct report_df *most = NULL;
    for (size_t i = 0; i < r->ndfs; i++) {
        sum += of(r->dfs[i]);
        if (!most || of(r->dfs[i]) > of(most)) most = r->dfs[i];
    }
    *gain = sum / report_all(r) > 0.1 ? take(waiting, sum / report_all(r)) : 0;
    return *gain > 0 ? most : NULL;
}

static double
large_of(const struct report_df *x)
{
    return x->large;
}

static double
small_of(const struct report_df *x)
{
    return x->small;
}

/* Of large ones it counts how long they were on their way, not until they were made. */
static void
messages(struct report_run *r, double *waiting)
{
    double gain;
    const struct report_df *most = most_waited(r, large_of, waiting, &gain);
    if (most)
        found(r, "large-messages", gain, "Move less data",
              "That much of the workers' time was spent waiting while values of %d bytes and more "
              "were on their way from other nodes. Most of it ended with `%s`, of which %llu "
              "values, %s, were sent. Let it live where it is read (`cell`; `luna plan` tells what "
              "a rule sends), make it earlier, or have fewer nodes read it.",
              REPORT_SMALL, most->name, (unsigned long long)most->count,
              arena_strdup(r->arena, amount_bytes((double)most->bytes).text));
    most = most_waited(r, small_of, waiting, &gain);
    if (most)
        found(
            r, "small-messages", gain, "Fewer and larger messages",
            "That much of the workers' time was spent waiting until a value of less than %d bytes "
            "came from another node%s. Most of it ended with `%s`, of which %llu values were "
            "sent. Put several into one fragment, or let them live where they are needed.",
            REPORT_SMALL, r->caused ? "" : " (an estimate)", most->name,
            (unsigned long long)most->count);
}

/* "1 MiB of them are of `x`, declared in line 12. " if that is known. */
static const char *
most_kept(struct report_run *r)
{
    const struct stats_df *most = NULL;
    for (size_t i = 0; i < r->stats.ndfs; i++)
        if (!most || r->stats.dfs[i]->left > most->left) most = r->stats.dfs[i];
    if (!most || !most->left) return "";
    return arena_printf(r->arena, "%s of them are of `%s`, declared in line %llu. ",
                        arena_strdup(r->arena, amount_bytes((double)most->left).text), most->name,
                        (unsigned long long)most->line);
}

static void
kept(struct report_run *r)
{
    if (r->left < 1 << 20 || r->left * 2 < r->peak || r->left_count < 2) return;
    found(r, "kept", 0, "Values are kept to the end",
          "%llu values, %s, were alive when the run ended; the most at any time was %s. %s"
          "`luna check --proof` tells for each DF why luna did not count its readers; a "
          "`req_count` of yours may be higher than the number of reads.",
          (unsigned long long)r->left_count,
          arena_strdup(r->arena, amount_bytes((double)r->left).text),
          arena_strdup(r->arena, amount_bytes((double)r->peak).text), most_kept(r));
}

static void
balancing(struct report_run *r)
{
    const struct stats_sum *k = r->stats.kind;
    uint64_t moved = k[TRACE_KIND_MIGRATE].bytes;
    uint64_t others =
        k[TRACE_KIND_REPLY].bytes + k[TRACE_KIND_PUSH].bytes + k[TRACE_KIND_COLLECTIVE].bytes;
    double time = (double)r->balancer / report_all(r);
    if (!r->nsteps || (time <= 0.02 && (moved <= others || moved < 1 << 20))) return;
    found(
        r, "balancing", time, "Balance less often",
        "%zu steps of balancing moved %s with cells and took %s of the workers' time; the program "
        "itself sent %s. Take a longer `--balance-every`, or a higher `--balance-threshold`.",
        r->nsteps, arena_strdup(r->arena, amount_bytes((double)moved).text), percent(r, time),
        amount_bytes((double)others).text);
}

/* All is well, so only this is left to do. */
static void
one_function(struct report_run *r)
{
    if (!r->stats.nsubs) return;
    const struct stats_sub *s = r->stats.subs[0];
    double share = (double)s->total / report_all(r);
    if (share <= 0.8) return;
    found(r, "one-function", 0, "The time is in one function",
          "`%s`, line %llu, takes %s of all worker time. If it were twice as fast, the run would "
          "be up "
          "to %s shorter.",
          s->name, (unsigned long long)s->line, percent(r, share), percent(r, share / 2));
}

/* ---- all ---- */

static int
by_gain(const void *a, const void *b)
{
    const struct report_finding *x = a, *y = b;
    bool a_last = !strcmp(x->name, "one-function"), b_last = !strcmp(y->name, "one-function");
    if (x->gain != y->gain) return x->gain < y->gain ? 1 : -1;
    if (a_last != b_last) return a_last ? 1 : -1;
    return strcmp(x->name, y->name);
}

void
report_findings(struct report_run *r)
{
    if (!r->ncalls || !r->stats.run.duration) return;
    bool single = r->stats.run.workers == 1;
    double wasted = (double)r->wasted / report_all(r), waiting = single ? wasted : 0;
    for (int i = 0; i < REPORT_WAITS; i++) waiting += r->waits[i] / report_all(r);
    short_calls(r);
    no_calls(r, &waiting);
    if (!crowd(r)) {
        if (!long_chain(r, &waiting)) alone(r, &waiting);
        uneven(r, &waiting);
        messages(r, &waiting);
        idle_with_work(r, single ? fmin(wasted, waiting) : wasted);
    }
    asleep(r);
    kept(r);
    balancing(r);
    one_function(r);
    if (r->nfindings) qsort(r->findings, r->nfindings, sizeof *r->findings, by_gain);
}
