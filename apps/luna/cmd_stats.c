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
#include "runtime/workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 10, SUB_SLOTS = 1024, SUBS_SHOWN = 10, NODES_SHOWN = 16 };

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
    struct sub *next;
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
    bool plots;
    struct sub *slots[SUB_SLOTS], **subs; /* subs: sorted */
    unsigned nsubs;
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
    size_t bytes = n->room * sizeof *n->points;
    if (n->npoints == n->room) {
        n->room = n->room ? 2 * n->room : 64;
        n->points = arena_grow(s->arena, n->points, bytes, n->room * sizeof *n->points);
    }
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
    size_t bytes = s->rows_room * sizeof *s->rows;
    if (s->nrows == s->rows_room) {
        s->rows_room = s->rows_room ? 2 * s->rows_room : 64;
        s->rows = arena_grow(s->arena, s->rows, bytes, s->rows_room * sizeof *s->rows);
    }
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

static struct sub *
sub_find(struct stats *s, const char *cf, uint64_t line)
{
    size_t n = name_size(cf);
    struct sub **slot = &s->slots[line % SUB_SLOTS];
    for (struct sub *x = *slot; x; x = x->next)
        if (x->line == line && strlen(x->name) == n && !strncmp(x->name, cf, n)) return x;
    struct sub *x = arena_new_of(s->arena, struct sub);
    *x = (struct sub){*slot, arena_printf(s->arena, "%.*s", (int)n, cf), line, 0, 0};
    s->nsubs++;
    return *slot = x;
}

static void
add_exec(struct stats *s, struct of_node *n, const struct trace_event *e)
{
    struct sub *x = sub_find(s, e->cf, e->line);
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

static void
sort_subs(struct stats *s)
{
    unsigned n = 0;
    s->subs = arena_alloc(s->arena, (s->nsubs + 1) * sizeof *s->subs);
    for (int i = 0; i < SUB_SLOTS; i++)
        for (struct sub *x = s->slots[i]; x; x = x->next) s->subs[n++] = x;
    qsort(s->subs, n, sizeof *s->subs, by_total);
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
    for (unsigned i = 0; i < s->nsubs && i < SUBS_SHOWN; i++) {
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
json_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') putchar('\\');
        if ((unsigned char)*text < ' ') printf("\\u%04x", (unsigned char)*text);
        else putchar(*text);
    }
    putchar('"');
}

static void
json_sum(const char *before, const char *name, const struct sum *sum)
{
    printf("%s\"%s\":{\"count\":%llu,\"bytes\":%llu}", before, name, (unsigned long long)sum->count,
           (unsigned long long)sum->bytes);
}

static void
json_load(const struct stats *s)
{
    printf(",\n \"load\":[");
    for (unsigned row = 0; row < ROWS; row++) {
        struct spread p = load_in(s, row);
        printf("%s{\"t\":%llu,\"mean\":%.17g,\"max\":%.17g,\"node\":%u,\"imbalance\":%.17g,"
               "\"cells_min\":%llu,\"cells_max\":%llu,\"moves\":%llu}",
               row ? ",\n  " : "\n  ", (unsigned long long)row_end(s, row), p.mean, p.max, p.node,
               imbalance(&p), (unsigned long long)p.cells_min, (unsigned long long)p.cells_max,
               (unsigned long long)s->moves_in[row]);
    }
    printf("]");
}

static void
json_times(const struct stats *s)
{
    printf(",\n \"time\":[");
    for (unsigned i = 0; i < s->run.nodes; i++) {
        struct times t = times_of(s, i);
        printf("%s{\"node\":%u,\"calls\":%.9f,\"protocol\":%.9f,\"idle\":%.9f,\"count\":%llu}",
               i ? ",\n  " : "\n  ", i, t.calls, t.protocol, t.idle,
               (unsigned long long)s->nodes[i].calls);
    }
    printf("]");
}

static void
json_workers(const struct stats *s)
{
    printf(",\n \"wasted\":%.9g,\"each_worker\":[", worker_rows_wasted(s->rows, s->nrows));
    for (size_t i = 0; i < s->nrows; i++) {
        const struct worker_row *r = &s->rows[i];
        printf("%s{\"node\":%llu,\"worker\":%llu,\"calls\":%llu,\"in_calls\":%.9f,"
               "\"runtime\":%.9f,\"idle\":%.9f,\"wasted\":%.9f,\"steals\":%llu,\"naps\":%llu}",
               i ? ",\n  " : "\n  ", (unsigned long long)r->node, (unsigned long long)r->worker,
               (unsigned long long)r->calls, (double)r->in_calls * 1e-9,
               (double)r->runtime * 1e-9, (double)r->idle * 1e-9, (double)r->wasted * 1e-9,
               (unsigned long long)r->steals, (unsigned long long)r->naps);
    }
    printf("]");
}

static void
json_subs(const struct stats *s)
{
    printf(",\n \"subs\":[");
    for (unsigned i = 0; i < s->nsubs; i++) {
        const struct sub *x = s->subs[i];
        printf(i ? ",\n  {\"name\":" : "\n  {\"name\":");
        json_text(x->name);
        printf(",\"line\":%llu,\"count\":%llu,\"total\":%.9f,\"mean\":%.9f}",
               (unsigned long long)x->line, (unsigned long long)x->count, (double)x->total * 1e-9,
               (double)x->total * 1e-9 / (double)x->count);
    }
    printf("]");
}

static void
print_json(const struct stats *s)
{
    const struct trace_run *r = &s->run;
    printf("{\"program\":");
    json_text(r->program);
    printf(",\n \"nodes\":%llu,\"workers\":%llu,\"transport\":", (unsigned long long)r->nodes,
           (unsigned long long)r->workers);
    json_text(r->transport);
    printf(",\"end\":");
    json_text(r->end);
    printf(",\"exit_code\":%llu,\"duration\":%.9f,\n \"AvgSD\":%.17g,"
           "\"AvgSS\":%.17g,\n \"sends\":{",
           (unsigned long long)r->exit_code, (double)r->duration * 1e-9, avg_sd(s), avg_ss(s));
    for (int i = 0; i < TRACE_KINDS; i++) json_sum(i ? "," : "", trace_kind_text[i], &s->kind[i]);
    json_sum("},\n ", "control", &s->control);
    printf(",\"moves\":%llu", (unsigned long long)s->moves);
    json_load(s);
    json_times(s);
    json_workers(s);
    json_subs(s);
    printf("}\n");
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

int
cmd_stats(struct options *o)
{
    struct stats *s = arena_new_of(o->arena, struct stats);
    *s = (struct stats){.arena = o->arena, .plots = o->plot};
    if (!trace_is_folder(o->file) || !trace_read_run(o->arena, o->file, &s->run)) return EXIT_USAGE;
    if (o->df) words_split(o->arena, &s->only, o->df, ",");
    s->sent = memset(arena_alloc(o->arena, (size_t)s->only.n + 1), 0, (size_t)s->only.n + 1);
    size_t bytes = s->run.nodes * sizeof *s->nodes;
    s->nodes = memset(arena_alloc(o->arena, bytes), 0, bytes);
    for (unsigned i = 0; i < s->run.nodes; i++)
        if (!trace_read_node(o->file, &s->run, i, add, s)) return EXIT_USAGE;
    sort_subs(s);
    note_absent(s);
    if (o->json) print_json(s);
    else print_text(s);
    return o->plot ? draw_load(s, o->plot) : EXIT_DONE;
}
