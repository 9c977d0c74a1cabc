/* cmd_stats.c - luna stats: what a trace tells about sends, load and time.
 *
 *     AvgSD   per node the mean distance of its sends; the mean of these over the nodes that sent
 *     AvgSS   per node the bytes of its sends; then the mean over all nodes, in MiB
 *
 * Both count replies, pushes and migrations; collectives and control have rows of their own. */
#include "apps/luna/cmd.h"
#include "apps/luna/common/files.h"
#include "apps/luna/common/say.h"
#include "apps/luna/draw/plot.h"
#include "apps/luna/trace/trace_read.h"
#include "runtime/base/amount.h"
#include "runtime/base/json.h"
#include "runtime/base/map.h"
#include "runtime/base/vec.h"
#include "runtime/workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 10, SUBS_SHOWN = 10, NODES_SHOWN = 16 };

struct sum {
    uint64_t count, bytes;
};

struct load { /* of a node, in one row of the table */
    uint64_t t, bytes, cells;
    bool known;
};

struct of_node {
    uint64_t sends, dist, bytes; /* those that AvgSD and AvgSS count */
    uint64_t calls, in_calls, idle;
    bool has_idle;
    struct load load[ROWS];
    struct plot_point *points; /* --plot: all of its load */
    size_t npoints, room;
};

struct sub { /* calls of one name at one line */
    const char *name;
    uint64_t line, count, total;
};

struct stats {
    struct arena *arena;
    struct trace_run run;
    struct words only; /* --df */
    bool *sent;        /* of each of these: was there one? */
    struct of_node *nodes;
    struct worker_row *rows; /* of workers, in their order; none in traces of before */
    size_t nrows, rows_room;
    struct sum kind[TRACE_KINDS], control;
    uint64_t moves, moves_in[ROWS];
    bool plots, failed; /* failed: there was not enough memory */
    struct map *found; /* subs by line and name */
    struct buf key;
    struct sub **subs; /* in the end sorted */
    size_t nsubs, subs_room;
};

/* ---- adding up ---- */

static size_t
name_size(const char *text)
{
    return strcspn(text, "[");
}

static bool
is_wanted(const struct stats *s, const char *df)
{
    size_t n = name_size(df);
    for (int i = 0; i < s->only.n; i++)
        if (strlen(s->only.at[i]) == n && !strncmp(s->only.at[i], df, n)) return s->sent[i] = true;
    return !s->only.n;
}

/* Most often the name is not as the program has it. */
static void
note_absent(const struct stats *s)
{
    for (int i = 0; i < s->only.n; i++)
        if (!s->sent[i]) say_note("no value of '%s' was sent", s->only.at[i]);
}

static void
add_send(struct stats *s, struct of_node *n, const struct trace_event *e)
{
    if (!is_wanted(s, e->df)) return;
    s->kind[e->kind].count++;
    s->kind[e->kind].bytes += e->bytes;
    if (e->kind == TRACE_KIND_COLLECTIVE) return;
    n->sends++;
    n->dist += e->dist;
    n->bytes += e->bytes;
}

/* The end of a row's time. */
static uint64_t
row_end(const struct stats *s, unsigned row)
{
    return row + 1 == ROWS ? s->run.duration : s->run.duration / ROWS * (row + 1);
}

static unsigned
row_of(const struct stats *s, uint64_t t)
{
    unsigned row = 0;
    while (row + 1 < ROWS && t > row_end(s, row)) row++;
    return row;
}

static void
add_point(struct stats *s, struct of_node *n, const struct trace_event *e)
{
    if (!vec_more(s->arena, n->points, n->npoints, n->room)) return;
    n->points[n->npoints++] = (struct plot_point){(double)e->t * 1e-9, (double)e->bytes};
}

static void
add_load(struct stats *s, struct of_node *n, const struct trace_event *e)
{
    struct load *l = &n->load[row_of(s, e->t)];
    if (s->plots) add_point(s, n, e);
    if (l->known && l->t > e->t) return; /* workers write in an order of their own */
    *l = (struct load){e->t, e->bytes, e->cells, true};
}

static void
add_move(struct stats *s, const struct trace_event *e)
{
    s->moves++;
    s->moves_in[row_of(s, e->t)]++;
}

static void
add_worker(struct stats *s, unsigned node, const struct trace_event *e)
{
    if (!vec_more(s->arena, s->rows, s->nrows, s->rows_room)) return;
    s->rows[s->nrows++] = (struct worker_row){.node = node,
                                              .worker = e->worker,
                                              .calls = e->calls,
                                              .in_calls = e->in_calls,
                                              .runtime = e->runtime,
                                              .idle = e->idle,
                                              .wasted = e->wasted,
                                              .steals = e->steals,
                                              .naps = e->naps};
}

/* NULL: out of memory. */
static struct sub *
sub_find(struct stats *s, const char *cf, uint64_t line)
{
    size_t n = name_size(cf);
    buf_clear(&s->key);
    buf_add(&s->key, &line, sizeof line);
    buf_add(&s->key, cf, n);
    if (s->key.failed) return NULL;
    struct sub *x = map_get_bytes(s->found, s->key.data, s->key.size);
    if (x) return x;
    x = arena_new_of(s->arena, struct sub);
    *x = (struct sub){arena_strndup(s->arena, cf, n), line, 0, 0};
    if (!vec_more(s->arena, s->subs, s->nsubs, s->subs_room) ||
        !map_put_bytes(s->found, s->key.data, s->key.size, x))
        return NULL;
    return s->subs[s->nsubs++] = x;
}

static void
add_exec(struct stats *s, struct of_node *n, const struct trace_event *e)
{
    struct sub *x = sub_find(s, e->cf, e->line);
    s->failed |= !x;
    if (!x) return;
    x->count++;
    x->total += e->dur;
    n->calls++;
    n->in_calls += e->dur;
}

static void
add(void *who, unsigned node, const struct trace_event *e)
{
    struct stats *s = who;
    struct of_node *n = &s->nodes[node];
    switch (e->ev) {
    case TRACE_EV_SEND: add_send(s, n, e); return;
    case TRACE_EV_LOAD: add_load(s, n, e); return;
    case TRACE_EV_EXEC: add_exec(s, n, e); return;
    case TRACE_EV_MOVE: add_move(s, e); return;
    case TRACE_EV_OWN: return;
    case TRACE_EV_WORKER: add_worker(s, node, e); return;
    case TRACE_EV_END:
        s->control.count += e->ctl_msgs;
        s->control.bytes += e->ctl_bytes;
        n->idle = e->idle;
        n->has_idle = e->has_idle;
        return;
    }
}

static int
by_total(const void *a, const void *b)
{
    const struct sub *x = *(struct sub *const *)a, *y = *(struct sub *const *)b;
    if (x->total != y->total) return x->total < y->total ? 1 : -1;
    int names = strcmp(x->name, y->name);
    return names ? names : x->line < y->line ? -1 : 1;
}


/* ---- figures ---- */

static double
avg_sd(const struct stats *s)
{
    double sum = 0;
    unsigned senders = 0;
    for (unsigned i = 0; i < s->run.nodes; i++) {
        const struct of_node *n = &s->nodes[i];
        if (!n->sends) continue;
        senders++;
        sum += (double)n->dist / (double)n->sends;
    }
    return senders ? sum / senders : 0;
}

static double
avg_ss(const struct stats *s)
{
    double sum = 0;
    for (unsigned i = 0; i < s->run.nodes; i++) sum += (double)s->nodes[i].bytes;
    return sum / (double)s->run.nodes / (1 << 20);
}

struct spread {
    double mean, max;
    unsigned node; /* that has the most */
    uint64_t cells_min, cells_max;
};

/* A node without a line in this row has what it had before. */
static struct spread
load_in(const struct stats *s, unsigned row)
{
    static const struct load none;
    struct spread p = {.cells_min = UINT64_MAX};
    for (unsigned i = 0; i < s->run.nodes; i++) {
        unsigned k = row + 1;
        while (k && !s->nodes[i].load[k - 1].known) k--;
        const struct load *l = k ? &s->nodes[i].load[k - 1] : &none;
        double bytes = (double)l->bytes;
        p.mean += bytes / (double)s->run.nodes;
        if (bytes > p.max) p.node = i;
        if (bytes > p.max) p.max = bytes;
        if (l->cells < p.cells_min) p.cells_min = l->cells;
        if (l->cells > p.cells_max) p.cells_max = l->cells;
    }
    return p;
}

static double
imbalance(const struct spread *p)
{
    return p->mean > 0 ? p->max / p->mean : 1;
}

struct times {
    double calls, protocol, idle; /* seconds, of all workers of a node */
};

static struct times
times_of(const struct stats *s, unsigned node)
{
    const struct of_node *n = &s->nodes[node];
    double all = (double)s->run.duration * (double)s->run.workers, calls = (double)n->in_calls;
    double idle = n->has_idle ? (double)n->idle : all - calls;
    if (idle > all - calls) idle = all - calls;
    if (idle < 0) idle = 0;
    double protocol = all - calls - idle;
    return (struct times){calls * 1e-9, (protocol > 0 ? protocol : 0) * 1e-9, idle * 1e-9};
}

/* ---- as text ---- */

static void
print_sum(const char *name, const struct sum *sum)
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
           avg_sd(s));
    printf("  AvgSS %.4g MiB   sent by a node: mean of all\n", avg_ss(s));
    if (s->run.cells.ndims) printf("  cells moved: %llu\n", (unsigned long long)s->moves);
}

/* Of the lattice: how many a node has, and how many changed hands in the time of the row. */
static void
print_cells(const struct stats *s, unsigned row, const struct spread *p)
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
    for (unsigned row = 0; row < ROWS; row++) {
        struct spread p = load_in(s, row);
        printf("  %11s %14s %14s %8u %10.3f", amount_time((double)row_end(s, row) * 1e-9).text,
               amount_bytes(p.mean).text, amount_bytes(p.max).text, p.node, imbalance(&p));
        if (cells) print_cells(s, row, &p);
        putchar('\n');
    }
}

static void
print_time_row(const char *name, const struct times *t, double calls)
{
    double all = t->calls + t->protocol + t->idle, percent = all > 0 ? 100 / all : 0;
    printf("  %-8s %11s %5.1f%% %11s %5.1f%% %11s %5.1f%% %12.0f\n", name,
           amount_time(t->calls).text, t->calls * percent, amount_time(t->protocol).text,
           t->protocol * percent, amount_time(t->idle).text, t->idle * percent, calls);
}

static void
print_times(const struct stats *s)
{
    struct times mean = {0, 0, 0};
    double calls = 0, share = 1.0 / (double)s->run.nodes;
    printf("\nnode        in calls           in protocols                idle "
           "             calls\n");
    for (unsigned i = 0; i < s->run.nodes; i++) {
        struct times t = times_of(s, i);
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
        const struct sub *x = s->subs[i];
        printf("%12llu %14s %14s   %s, line %llu\n", (unsigned long long)x->count,
               amount_time((double)x->total * 1e-9).text,
               amount_time((double)x->total * 1e-9 / (double)x->count).text, x->name,
               (unsigned long long)x->line);
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
}

/* ---- as JSON ---- */

static void
put_count(struct json *j, const char *name, uint64_t x)
{
    json_key(j, name);
    json_uint(j, x);
}

static void
put_time(struct json *j, const char *name, double seconds)
{
    json_key(j, name);
    json_seconds(j, seconds);
}

static void
put_exact(struct json *j, const char *name, double x)
{
    json_key(j, name);
    json_float(j, 17, x);
}

static void
put_words(struct json *j, const char *name, const char *text)
{
    json_key(j, name);
    json_text(j, text);
}

static void
put_rows(struct json *j, const char *name)
{
    json_key(j, name);
    json_open(j, '[');
}

/* A line each. */
static void
put_row(struct json *j)
{
    json_line(j, 2);
    json_open(j, '{');
}

static void
put_sum(struct json *j, const char *name, const struct sum *sum)
{
    json_key(j, name);
    json_open(j, '{');
    put_count(j, "count", sum->count);
    put_count(j, "bytes", sum->bytes);
    json_close(j, '}');
}

static void
put_load(struct json *j, const struct stats *s)
{
    put_rows(j, "load");
    for (unsigned row = 0; row < ROWS; row++) {
        struct spread p = load_in(s, row);
        put_row(j);
        put_count(j, "t", row_end(s, row));
        put_exact(j, "mean", p.mean);
        put_exact(j, "max", p.max);
        put_count(j, "node", p.node);
        put_exact(j, "imbalance", imbalance(&p));
        put_count(j, "cells_min", p.cells_min);
        put_count(j, "cells_max", p.cells_max);
        put_count(j, "moves", s->moves_in[row]);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
put_times(struct json *j, const struct stats *s)
{
    put_rows(j, "time");
    for (unsigned i = 0; i < s->run.nodes; i++) {
        struct times t = times_of(s, i);
        put_row(j);
        put_count(j, "node", i);
        put_time(j, "calls", t.calls);
        put_time(j, "protocol", t.protocol);
        put_time(j, "idle", t.idle);
        put_count(j, "count", s->nodes[i].calls);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
put_workers(struct json *j, const struct stats *s)
{
    json_key(j, "wasted");
    json_float(j, 9, worker_rows_wasted(s->rows, s->nrows));
    put_rows(j, "each_worker");
    for (size_t i = 0; i < s->nrows; i++) {
        const struct worker_row *r = &s->rows[i];
        put_row(j);
        put_count(j, "node", r->node);
        put_count(j, "worker", r->worker);
        put_count(j, "calls", r->calls);
        put_time(j, "in_calls", (double)r->in_calls * 1e-9);
        put_time(j, "runtime", (double)r->runtime * 1e-9);
        put_time(j, "idle", (double)r->idle * 1e-9);
        put_time(j, "wasted", (double)r->wasted * 1e-9);
        put_count(j, "steals", r->steals);
        put_count(j, "naps", r->naps);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
put_subs(struct json *j, const struct stats *s)
{
    put_rows(j, "subs");
    for (size_t i = 0; i < s->nsubs; i++) {
        const struct sub *x = s->subs[i];
        put_row(j);
        put_words(j, "name", x->name);
        put_count(j, "line", x->line);
        put_count(j, "count", x->count);
        put_time(j, "total", (double)x->total * 1e-9);
        put_time(j, "mean", (double)x->total * 1e-9 / (double)x->count);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
put_run(struct json *j, const struct stats *s)
{
    const struct trace_run *r = &s->run;
    put_words(j, "program", r->program);
    json_line(j, 1);
    put_count(j, "nodes", r->nodes);
    put_count(j, "workers", r->workers);
    put_words(j, "transport", r->transport);
    put_words(j, "end", r->end);
    put_count(j, "exit_code", r->exit_code);
    put_time(j, "duration", (double)r->duration * 1e-9);
}

static void
put_sends(struct json *j, const struct stats *s)
{
    json_line(j, 1);
    put_exact(j, "AvgSD", avg_sd(s));
    put_exact(j, "AvgSS", avg_ss(s));
    json_line(j, 1);
    json_key(j, "sends");
    json_open(j, '{');
    for (int i = 0; i < TRACE_KINDS; i++) put_sum(j, trace_kind_text[i], &s->kind[i]);
    json_close(j, '}');
    json_line(j, 1);
    put_sum(j, "control", &s->control);
    put_count(j, "moves", s->moves);
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
    json_close(&j, '}');
    buf_char(&text, '\n');
    bool fine = !text.failed;
    if (fine) fwrite(text.data, 1, text.size, stdout);
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

/* The curve of each node, and the largest load of all. */
static struct plot_curve *
curves_of(const struct stats *s, double *max)
{
    struct plot_curve *all = arena_array(s->arena, struct plot_curve, s->run.nodes);
    for (unsigned i = 0; i < s->run.nodes; i++) {
        const struct of_node *n = &s->nodes[i];
        if (n->npoints) qsort(n->points, n->npoints, sizeof *n->points, by_time);
        all[i] = (struct plot_curve){.name = arena_printf(s->arena, "node %u", i),
                                     .points = n->points, .n = n->npoints};
        for (size_t k = 0; k < n->npoints; k++)
            if (n->points[k].y > *max) *max = n->points[k].y;
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
        .x = {.label = "time", .max = end, .unit = unit_of_time(end)},
        .y = {.label = "live fragments", .max = max, .unit = unit_of_bytes(max)},
        .curves = curves,
        .n = (unsigned)s->run.nodes,
    };
    struct picture p;
    return picture_out(&p, plot_picture(&p, &plot), path);
}

/* ---- the command ---- */

static int
tell(struct stats *s, const struct options *o)
{
    for (unsigned i = 0; i < s->run.nodes; i++)
        if (!trace_read_node(o->file, &s->run, i, add, s)) return EXIT_USAGE;
    if (s->nsubs) qsort(s->subs, s->nsubs, sizeof *s->subs, by_total);
    note_absent(s);
    if (!o->json) print_text(s);
    if (s->failed || (o->json && !print_json(s))) {
        say_error("out of memory");
        return EXIT_SYSTEM;
    }
    return o->plot ? draw_load(s, o->plot) : EXIT_DONE;
}

int
cmd_stats(struct options *o)
{
    struct stats *s = arena_new_of(o->arena, struct stats);
    *s = (struct stats){.arena = o->arena, .plots = o->plot};
    if (!trace_is_folder(o->file) || !trace_read_run(o->arena, o->file, &s->run)) return EXIT_USAGE;
    if (o->df) words_split(o->arena, &s->only, o->df, ",");
    s->sent = arena_array(o->arena, bool, (size_t)s->only.n + 1);
    s->nodes = arena_array(o->arena, struct of_node, s->run.nodes);
    s->failed = !(s->found = map_new());
    int code = s->failed ? EXIT_SYSTEM : tell(s, o);
    map_free(s->found);
    buf_fini(&s->key);
    return code;
}
