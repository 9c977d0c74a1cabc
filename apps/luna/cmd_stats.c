/* cmd_stats.c - luna stats: what a trace tells (trace/stats.h) as text, as JSON, as a picture. */
#include "apps/luna/cmd.h"
#include "apps/luna/common/files.h"
#include "apps/luna/common/path.h"
#include "apps/luna/common/say.h"
#include "apps/luna/draw/plot.h"
#include "apps/luna/trace/stats_json.h"
#include "runtime/base/amount.h"
#include "runtime/base/io.h"
#include "runtime/base/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUBS_SHOWN = 10, NODES_SHOWN = 16 };

/* ---- as text ---- */

static void
print_sum(const char *name, const struct stats_sum *sum)
{
    printf("  %-12s %12llu %14s\n", name, (unsigned long long)sum->count,
           amount_bytes((double)sum->bytes).text);
}

static void
print_sends(const struct stats *s)
{
    printf("\nsends            messages          bytes");
    for (int i = 0; i < s->only.n; i++) printf("%s%s", i ? ", " : "   of: ", s->only.at[i]);
    putchar('\n');
    for (int i = 0; i < TRACE_KINDS; i++) print_sum(trace_kind_text[i], &s->kind[i]);
    print_sum("control", &s->control);
    printf("  AvgSD %.4g   distance of a send: mean per node, mean of those that sent\n",
           stats_avg_sd(s));
    printf("  AvgSS %.4g MiB   sent by a node: mean of all\n", stats_avg_ss(s));
    if (s->run.cells.ndims) printf("  cells moved: %llu\n", (unsigned long long)s->moves);
}

/* Of the lattice: how many a node has, and how many changed hands in the time of the row. */
static void
print_cells(const struct stats *s, unsigned row, const struct stats_range *p)
{
    printf(" %8llu %8llu %8llu", (unsigned long long)p->cells_min, (unsigned long long)p->cells_max,
           (unsigned long long)s->moves_in[row]);
}

static void
print_load(const struct stats *s)
{
    bool cells = s->run.cells.ndims;
    printf("\nlive fragments         mean            max  on node   max/mean%s\n",
           cells ? "    cells of a node    moved" : "");
    for (unsigned row = 0; row < STATS_ROWS; row++) {
        struct stats_range p = stats_load_in(s, row);
        double end = (double)stats_row_end(s, row) * 1e-9;
        printf("  %11s %14s %14s %8u %10.3f", amount_time(end).text, amount_bytes(p.mean).text,
               amount_bytes(p.max).text, p.node, stats_imbalance(&p));
        if (cells) print_cells(s, row, &p);
        putchar('\n');
    }
}

static void
print_time_row(const char *name, const struct stats_times *t, double calls)
{
    double all = t->calls + t->protocol + t->idle, percent = all > 0 ? 100 / all : 0;
    printf("  %-8s %11s %5.1f%% %11s %5.1f%% %11s %5.1f%% %12.0f\n", name,
           amount_time(t->calls).text, t->calls * percent, amount_time(t->protocol).text,
           t->protocol * percent, amount_time(t->idle).text, t->idle * percent, calls);
}

static void
print_times(const struct stats *s)
{
    struct stats_times mean = {0, 0, 0};
    double calls = 0, share = 1.0 / (double)s->run.nodes;
    printf("\nnode        in calls           in protocols                idle "
           "             calls\n");
    for (unsigned i = 0; i < s->run.nodes; i++) {
        struct stats_times t = stats_times(s, i);
        char name[16];
        snprintf(name, sizeof name, "%u", i);
        if (s->run.nodes <= NODES_SHOWN) print_time_row(name, &t, (double)s->nodes[i].calls);
        mean.calls += t.calls * share;
        mean.protocol += t.protocol * share;
        mean.idle += t.idle * share;
        calls += (double)s->nodes[i].calls * share;
    }
    if (s->run.nodes > 1) print_time_row("mean", &mean, calls);
}

static void
print_workers(const struct stats *s)
{
    if (!s->nrows) return;
    putchar('\n');
    worker_rows_print(stdout, s->rows, s->nrows);
    worker_rows_judge(stdout, "note: ", s->rows, s->nrows);
}

static void
print_subs(const struct stats *s)
{
    printf("\n       count          total           mean   hottest calls\n");
    for (size_t i = 0; i < s->nsubs && i < SUBS_SHOWN; i++) {
        const struct stats_sub *x = s->subs[i];
        printf("%12llu %14s %14s   %s, line %llu\n", (unsigned long long)x->count,
               amount_time((double)x->total * 1e-9).text,
               amount_time((double)x->total * 1e-9 / (double)x->count).text, x->name,
               (unsigned long long)x->line);
    }
}

static void
print_chain(const struct stats *s)
{
    if (!s->chain) return;
    printf("\nlongest chain of dependent calls: %s, %.1f%% of the run\n",
           amount_time((double)s->chain * 1e-9).text,
           s->run.duration ? 100 * (double)s->chain / (double)s->run.duration : 0);
}

static void
print_dfs(const struct stats *s)
{
    if (!s->ndfs) return;
    printf("\n        made        bytes      biggest   most alive    mean life     unread   "
           "most bytes in\n");
    for (size_t i = 0; i < s->ndfs && i < SUBS_SHOWN; i++) {
        const struct stats_df *x = s->dfs[i];
        printf("%12llu %12s %12s %12s ", (unsigned long long)x->made,
               amount_bytes((double)x->bytes).text, amount_bytes((double)x->biggest).text,
               x->values ? amount_bytes((double)x->peak).text : "-");
        printf("%12s %10llu   %s, line %llu\n",
               x->values ? amount_time(stats_life(x)).text : "-", (unsigned long long)x->unread,
               x->name, (unsigned long long)x->line);
    }
}

static void
print_text(const struct stats *s)
{
    const struct trace_run *r = &s->run;
    printf("%s on %llu node%s x %llu worker%s, %s: %s after %s\n", r->program,
           (unsigned long long)r->nodes, r->nodes == 1 ? "" : "s", (unsigned long long)r->workers,
           r->workers == 1 ? "" : "s", r->transport, r->end,
           amount_time((double)r->duration * 1e-9).text);
    print_sends(s);
    print_load(s);
    print_times(s);
    print_workers(s);
    print_subs(s);
    print_chain(s);
    print_dfs(s);
}

/* ---- as JSON ---- */

/* A line each. */
static void
put_row(struct json *j)
{
    json_line(j, 2);
    json_open(j, '{');
}

static void
put_sum(struct json *j, const char *name, const struct stats_sum *sum)
{
    json_key_open(j, name, '{');
    json_key_uint(j, "count", sum->count);
    json_key_uint(j, "bytes", sum->bytes);
    json_close(j, '}');
}

static void
put_load(struct json *j, const struct stats *s)
{
    json_key_open(j, "load", '[');
    for (unsigned row = 0; row < STATS_ROWS; row++) {
        struct stats_range p = stats_load_in(s, row);
        put_row(j);
        json_key_uint(j, "t", stats_row_end(s, row));
        json_key_float(j, "mean", 17, p.mean);
        json_key_float(j, "max", 17, p.max);
        json_key_uint(j, "node", p.node);
        json_key_float(j, "imbalance", 17, stats_imbalance(&p));
        json_key_uint(j, "cells_min", p.cells_min);
        json_key_uint(j, "cells_max", p.cells_max);
        json_key_uint(j, "moves", s->moves_in[row]);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
put_times(struct json *j, const struct stats *s)
{
    json_key_open(j, "time", '[');
    for (unsigned i = 0; i < s->run.nodes; i++) {
        struct stats_times t = stats_times(s, i);
        put_row(j);
        json_key_uint(j, "node", i);
        json_key_seconds(j, "calls", t.calls);
        json_key_seconds(j, "protocol", t.protocol);
        json_key_seconds(j, "idle", t.idle);
        json_key_uint(j, "count", s->nodes[i].calls);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
put_workers(struct json *j, const struct stats *s)
{
    json_key_float(j, "wasted", 9, worker_rows_wasted(s->rows, s->nrows));
    json_key_open(j, "each_worker", '[');
    for (size_t i = 0; i < s->nrows; i++) {
        const struct worker_row *r = &s->rows[i];
        put_row(j);
        json_key_uint(j, "node", r->node);
        json_key_uint(j, "worker", r->worker);
        json_key_uint(j, "calls", r->calls);
        json_key_seconds(j, "in_calls", (double)r->in_calls * 1e-9);
        json_key_seconds(j, "runtime", (double)r->runtime * 1e-9);
        json_key_seconds(j, "idle", (double)r->idle * 1e-9);
        if (s->sleeps) json_key_seconds(j, "spin", (double)(r->idle - r->slept) * 1e-9);
        if (s->sleeps) json_key_seconds(j, "sleep", (double)r->slept * 1e-9);
        json_key_seconds(j, "wasted", (double)r->wasted * 1e-9);
        json_key_uint(j, "steals", r->steals);
        json_key_uint(j, "naps", r->naps);
        if (r->on) json_key_seconds(j, "on", (double)r->on * 1e-9);
        if (r->on) json_key_seconds(j, "off", (double)r->off * 1e-9);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
put_subs(struct json *j, const struct stats *s)
{
    json_key_open(j, "subs", '[');
    for (size_t i = 0; i < s->nsubs; i++) {
        const struct stats_sub *x = s->subs[i];
        put_row(j);
        json_key_text(j, "name", x->name);
        json_key_uint(j, "line", x->line);
        json_key_uint(j, "count", x->count);
        json_key_seconds(j, "total", (double)x->total * 1e-9);
        json_key_seconds(j, "mean", (double)x->total * 1e-9 / (double)x->count);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
put_run(struct json *j, const struct stats *s)
{
    const struct trace_run *r = &s->run;
    json_key_text(j, "program", r->program);
    json_line(j, 1);
    json_key_uint(j, "nodes", r->nodes);
    json_key_uint(j, "workers", r->workers);
    json_key_text(j, "transport", r->transport);
    json_key_text(j, "end", r->end);
    json_key_uint(j, "exit_code", r->exit_code);
    json_key_seconds(j, "duration", (double)r->duration * 1e-9);
    if (s->chain) json_key_seconds(j, "chain", (double)s->chain * 1e-9);
}

static void
put_sends(struct json *j, const struct stats *s)
{
    json_line(j, 1);
    json_key_float(j, "AvgSD", 17, stats_avg_sd(s));
    json_key_float(j, "AvgSS", 17, stats_avg_ss(s));
    json_line(j, 1);
    json_key_open(j, "sends", '{');
    for (int i = 0; i < TRACE_KINDS; i++) put_sum(j, trace_kind_text[i], &s->kind[i]);
    json_close(j, '}');
    json_line(j, 1);
    put_sum(j, "control", &s->control);
    json_key_uint(j, "moves", s->moves);
}

/* False: out of memory. */
static bool
print_json(const struct stats *s)
{
    struct buf text = {0};
    struct json j = {.to = &text};
    json_open(&j, '{');
    put_run(&j, s);
    put_sends(&j, s);
    json_line(&j, 1);
    put_load(&j, s);
    json_line(&j, 1);
    put_times(&j, s);
    json_line(&j, 1);
    put_workers(&j, s);
    json_line(&j, 1);
    put_subs(&j, s);
    json_line(&j, 1);
    stats_dfs_json(&j, "dfs", s, STATS_SECONDS);
    json_close(&j, '}');
    buf_char(&text, '\n');
    bool fine = !text.failed;
    if (fine) io_print(text.data, text.size);
    buf_fini(&text);
    return fine;
}

/* ---- as a picture ---- */

static int
by_time(const void *a, const void *b)
{
    const struct plot_point *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

static struct plot_curve
curve_of(const struct stats *s, unsigned node)
{
    const struct stats_node *n = &s->nodes[node];
    struct plot_point *points = arena_array(s->arena, struct plot_point, n->npoints + 1);
    for (size_t k = 0; k < n->npoints; k++)
        points[k] = (struct plot_point){(double)n->points[k].t * 1e-9, (double)n->points[k].bytes};
    qsort(points, n->npoints, sizeof *points, by_time);
    return (struct plot_curve){.name = arena_printf(s->arena, "node %u", node),
                               .points = points, .n = n->npoints};
}

/* The curve of each node, and the largest load of all. */
static struct plot_curve *
curves_of(const struct stats *s, double *max)
{
    struct plot_curve *all = arena_array(s->arena, struct plot_curve, s->run.nodes);
    for (unsigned i = 0; i < s->run.nodes; i++) {
        all[i] = curve_of(s, i);
        for (size_t k = 0; k < all[i].n; k++)
            if (all[i].points[k].y > *max) *max = all[i].points[k].y;
    }
    return all;
}

static int
draw_load(const struct stats *s, const char *path)
{
    double max = 0, end = (double)s->run.duration * 1e-9;
    const struct plot_curve *curves = curves_of(s, &max);
    struct plot plot = {
        .title = arena_printf(s->arena, "%s on %llu nodes%s%s", path_base(s->run.program),
                              (unsigned long long)s->run.nodes, s->run.distributor ? ", " : "",
                              s->run.distributor ? s->run.distributor : ""),
        .x = {.label = "time", .max = end, .unit = amount_unit_of_time(end)},
        .y = {.label = "live fragments", .max = max, .unit = amount_unit_of_bytes(max)},
        .curves = curves,
        .n = (unsigned)s->run.nodes,
    };
    struct picture p;
    return cmd_picture_out(&p, plot_picture(&p, &plot), path);
}

/* ---- the command ---- */

/* Traces of before do not tell. */
static bool
may_be_made(const struct stats *s, const char *name)
{
    for (size_t i = 0; i < s->ndfs; i++)
        if (!strcmp(s->dfs[i]->name, name)) return true;
    return !s->ndfs;
}

/* Most often the name is not as the program has it. */
static void
note_absent(const struct stats *s)
{
    for (int i = 0; i < s->only.n; i++) {
        const char *name = s->only.at[i];
        if (s->sent[i]) continue;
        if (may_be_made(s, name)) say_note("no value of '%s' was sent", name);
        else say_note("no value of '%s' was made: is it a name of the program?", name);
    }
}

static int
tell(const struct stats *s, const struct options *o)
{
    note_absent(s);
    if (!o->json) {
        print_text(s);
    } else if (!print_json(s)) {
        say_error("out of memory");
        return EXIT_SYSTEM;
    }
    return o->plot ? draw_load(s, o->plot) : EXIT_DONE;
}

int
cmd_stats(struct options *o)
{
    struct stats s;
    struct trace_run run;
    bool whole = true;
    if (!trace_is_folder(o->file) || !trace_read_run(o->arena, o->file, &run)) return EXIT_USAGE;
    bool fits = stats_init(&s, o->arena, &run);
    if (o->df) stats_choose(&s, o->df);
    s.plots = o->plot;
    for (unsigned i = 0; fits && whole && i < run.nodes; i++)
        whole = trace_read_node(o->arena, o->file, &run, i, stats_add, &s);
    fits = fits && stats_end(&s);
    if (!fits) say_error("out of memory");
    int code = !fits ? EXIT_SYSTEM : whole ? tell(&s, o) : EXIT_USAGE;
    stats_fini(&s);
    return code;
}
