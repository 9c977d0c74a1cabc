/* workers.c - rows of workers: from counters, and as a table. */
#include "workers.h"

#include "runtime/base/amount.h"
#include "runtime/base/ticks.h"
#include "runtime/node/node.h"

#include <inttypes.h>
#include <stdlib.h>

enum { ROWS_SHOWN = 16 };
#define WASTED_MUCH .05
#define KEPT_MUCH .1
#define KEPT_NS 200000000 /* what a short run is kept for is chance */

/* ---- from counters ---- */

static uint64_t
least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void
worker_row_split(struct worker_row *r, uint64_t duration, uint64_t worked, uint64_t in_calls,
                 uint64_t wasted)
{
    r->in_calls = least(in_calls, duration);
    r->runtime = least(worked > in_calls ? worked - in_calls : 0, duration - r->in_calls);
    r->idle = duration - r->in_calls - r->runtime;
    r->wasted = least(wasted, r->idle);
    r->slept = least(r->slept, r->idle);
}

/* Workers count without asking anybody who looks on: when a run breaks off they still may. */
static __attribute__((no_sanitize("thread"))) uint64_t
count_of(const uint64_t *count)
{
    return *(const volatile uint64_t *)count;
}

/* Of the simulator, virtual ns. */
static uint64_t
time_of(const struct worker *w, const uint64_t *count)
{
    uint64_t time = count_of(count);
    return w->node->weighs ? time : ticks_to_ns(time);
}

struct worker_row
worker_row_of(const struct worker *w, uint64_t duration)
{
    struct worker_row r = {.node = (uint64_t)w->node->number,
                           .worker = (uint64_t)w->number,
                           .calls = count_of(&w->calls),
                           .steals = count_of(&w->steals),
                           .slept = time_of(w, &w->slept),
                           .naps = count_of(&w->sleeps),
                           .on = count_of(&w->cores.on),
                           .off = count_of(&w->cores.off)};
    worker_row_split(&r, duration, time_of(w, &w->worked), time_of(w, &w->called),
                     time_of(w, &w->wasted));
    return r;
}

/* ---- cores ---- */

void
worker_takes_core(struct worker *w)
{
    if (!core_time_now(&w->began)) w->began = (struct core_time){0, 0};
}

void
worker_leaves_core(struct worker *w)
{
    struct core_time now;
    if (!w->began.on || !core_time_now(&now)) return;
    w->cores = (struct core_time){now.on - w->began.on, now.off - w->began.off};
}

/* ---- for people ---- */

double
worker_rows_wasted(const struct worker_row *rows, size_t n)
{
    double wasted = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        wasted += (double)rows[i].wasted;
        all += (double)rows[i].in_calls + (double)rows[i].runtime + (double)rows[i].idle;
    }
    return all > 0 ? wasted / all : 0;
}

/* Of all that was kept. */
static double
kept_ns(const struct worker_row *rows, size_t n)
{
    double off = 0;
    for (size_t i = 0; i < n; i++) off += (double)rows[i].off;
    return off;
}

double
worker_rows_kept(const struct worker_row *rows, size_t n)
{
    double off = kept_ns(rows, n), on = 0;
    for (size_t i = 0; i < n; i++) on += (double)rows[i].on;
    return on + off > 0 ? off / (on + off) : 0;
}

static int
by_idle(const void *a, const void *b)
{
    const struct worker_row *x = a, *y = b;
    if (x->idle != y->idle) return x->idle < y->idle ? 1 : -1;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    return (x->worker > y->worker) - (x->worker < y->worker);
}

static struct amount
time_text(uint64_t ns)
{
    return amount_time((double)ns * 1e-9);
}

void
worker_rows_print(FILE *f, struct worker_row *rows, size_t n)
{
    qsort(rows, n, sizeof *rows, by_idle);
    fprintf(f, "node  worker        calls    in calls  in runtime  idle: work   idle: none   "
               "steals     naps\n");
    for (size_t i = 0; i < n && i < ROWS_SHOWN; i++) {
        const struct worker_row *r = &rows[i];
        fprintf(f,
                "%-5" PRIu64 " %6" PRIu64 " %12" PRIu64 " %11s %11s %11s %12s %8" PRIu64
                " %8" PRIu64 "\n",
                r->node, r->worker, r->calls, time_text(r->in_calls).text,
                time_text(r->runtime).text, time_text(r->wasted).text,
                time_text(r->idle - r->wasted).text, r->steals, r->naps);
    }
    if (n > ROWS_SHOWN)
        fprintf(f, "%zu more workers were idle for no longer than these\n", n - ROWS_SHOWN);
}

static void
judge_wasted(FILE *f, const char *before, const struct worker_row *rows, size_t n)
{
    double wasted = worker_rows_wasted(rows, n);
    if (wasted <= WASTED_MUCH) return;
    fprintf(f,
            "%sworkers were idle for %.1f%% of their time although their node had work ('idle: "
            "work' above): ready calls that nobody had taken yet (are calls very short, or other "
            "processes on the cores?), or loops that had paused because many of their calls wait "
            "(does one run far ahead of what its calls need?)\n",
            before, 100 * wasted);
}

bool
worker_rows_are_kept(const struct worker_row *rows, size_t n)
{
    return worker_rows_kept(rows, n) > KEPT_MUCH && kept_ns(rows, n) >= KEPT_NS;
}

static void
judge_kept(FILE *f, const char *before, const struct worker_row *rows, size_t n)
{
    double kept = worker_rows_kept(rows, n);
    if (!worker_rows_are_kept(rows, n)) return;
    fprintf(f,
            "%sworkers were kept from their cores for %.1f%% of the time for which they wanted "
            "one: are there more workers than cores, or do other processes run on them?\n",
            before, 100 * kept);
}

void
worker_rows_judge(FILE *f, const char *before, const struct worker_row *rows, size_t n)
{
    judge_wasted(f, before, rows, n);
    judge_kept(f, before, rows, n);
}
