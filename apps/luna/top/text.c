/* text.c - a run in lines of text, and in JSON. */
#include "apps/luna/top/top.h"

#include "runtime/base/amount.h"
#include "runtime/base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- nodes ---- */

struct row {
    int node, pid;
    double busy, calls_per_s, sent_per_s; /* below 0: not known */
    uint64_t calls, bytes;                /* bytes: of the process, at its first node; else 0 */
    int64_t waiting;
};

static struct row
row_of(const struct status_process *p, int k)
{
    const struct status_node *n = &p->copy->node[k];
    return (struct row){.node = p->copy->first + k,
                        .pid = (int)p->pid,
                        .busy = status_busy(p, k),
                        .calls_per_s = status_calls_per_s(p, k),
                        .sent_per_s = status_sent_per_s(p, k),
                        .calls = n->calls,
                        .bytes = k ? 0 : p->copy->now.bytes,
                        .waiting = n->waiting};
}

static int
by_node(const void *a, const void *b)
{
    const struct row *p = a, *q = b;
    return (p->node > q->node) - (p->node < q->node);
}

static int
by_busy(const void *a, const void *b)
{
    const struct row *p = a, *q = b;
    int less = (p->busy < q->busy) - (p->busy > q->busy);
    return less ? less : by_node(a, b);
}

static int
by_calls(const void *a, const void *b)
{
    const struct row *p = a, *q = b;
    int less = (p->calls_per_s < q->calls_per_s) - (p->calls_per_s > q->calls_per_s);
    return less ? less : by_node(a, b);
}

/* Of all who have told; NULL: none, or no memory. */
static struct row *
rows_of(const struct status_runs *runs, const struct status_sum *sum, enum top_order order, int *n)
{
    static int (*const compare[TOP_ORDERS])(const void *, const void *) = {by_node, by_busy,
                                                                           by_calls};
    struct row *rows = calloc((size_t)sum->told + 1, sizeof *rows);
    *n = 0;
    if (!rows) return NULL;
    for (int i = 0; i < runs->n; i++) {
        const struct status_process *p = &runs->process[i];
        if (!p->copy->now.at_ns) continue;
        for (int k = 0; k < p->copy->here; k++) rows[(*n)++] = row_of(p, k);
    }
    qsort(rows, (size_t)*n, sizeof *rows, compare[order]);
    return rows;
}

/* ---- lines ---- */

static const char *
plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static void
put_rate(struct buf *out, double per_s)
{
    if (per_s < 0) buf_printf(out, " %9s", "-");
    else buf_printf(out, " %9.0f", per_s);
}

static void
put_row(struct buf *out, const struct row *r)
{
    enum { BAR = 8 };
    static const char full[] = "########", empty[] = "........";
    int bar = (int)(r->busy * BAR + 0.5);
    buf_printf(out, "%5d %8d ", r->node, r->pid);
    if (r->busy < 0) buf_printf(out, "%14s", "-");
    else buf_printf(out, "%.*s%.*s %3.0f %%", bar, full, BAR - bar, empty, 100 * r->busy);
    put_rate(out, r->calls_per_s);
    buf_printf(out, " %11" PRIu64 " %7" PRId64, r->calls, r->waiting);
    put_rate(out, r->sent_per_s);
    if (r->bytes) buf_printf(out, " %10s", amount_bytes((double)r->bytes).text);
    buf_char(out, '\n');
}

static void
put_calls(struct buf *out, const struct status_sum *sum, int most)
{
    for (int i = 0; i < sum->ncalls && i < most; i++) {
        const struct status_call *c = &sum->call[i];
        buf_printf(out, "%s: %s: %u call%s running", c->place, c->function, c->running,
                   plural(c->running));
        char since[32];
        if (c->longest_ns)
            buf_printf(out, ", the longest since %s",
                       status_time(since, 1e-9 * (double)c->longest_ns));
        buf_char(out, '\n');
    }
}

static int
put_head(struct buf *out, const struct status_runs *runs, const struct status_sum *sum)
{
    const struct status_page *one = runs->process[0].copy;
    char loop[STATUS_LINE], time[32];
    buf_printf(out, "%s: %s, %d node%s x %d worker%s", one->program,
               status_time(time, sum->seconds), sum->nodes, plural((uint64_t)sum->nodes),
               one->workers, plural((uint64_t)one->workers));
    if (sum->told < sum->nodes)
        buf_printf(out, "; what follows is about %d of them", sum->told);
    buf_printf(out, "\n%" PRIu64 " calls run", sum->calls);
    if (sum->calls_per_s >= 0) buf_printf(out, ", %.0f/s", sum->calls_per_s);
    buf_printf(out, ", %" PRIu64 " running, %" PRIu64 " wait", sum->running, sum->waiting);
    if (sum->busy >= 0) buf_printf(out, ", busy %.0f %%", 100 * sum->busy);
    if (sum->imbalance >= 0) buf_printf(out, ", busiest/mean %.2f", sum->imbalance);
    buf_printf(out, ", %s of %s\n", amount_bytes((double)sum->bytes).text,
               amount_bytes((double)sum->bytes_most).text);
    if (!status_loop_text(loop, sizeof loop, sum)) return 2;
    buf_printf(out, "%s\n", loop);
    return 3;
}

void
top_text(const struct status_runs *runs, const struct status_sum *sum, enum top_order order,
         int lines, struct buf *out)
{
    int n, used = put_head(out, runs, sum) + sum->ncalls + 1;
    put_calls(out, sum, STATUS_CALLS);
    struct row *rows = rows_of(runs, sum, order, &n);
    int shown = !lines || used + n <= lines ? n : lines - used - 1;
    buf_printf(out, "%5s %8s %14s %9s %11s %7s %9s %10s\n", "node", "pid", "busy", "calls/s",
               "calls", "wait", "sent/s", "memory");
    for (int i = 0; i < shown; i++) put_row(out, &rows[i]);
    if (shown < n) buf_printf(out, "and %d more\n", n - (shown > 0 ? shown : 0));
    free(rows);
}

/* ---- JSON ---- */

static double
known(double x)
{
    return x < 0 ? NAN : x; /* null */
}

static void
json_row(struct json *j, const struct row *r)
{
    json_open(j, '{');
    json_key_uint(j, "node", (uint64_t)r->node);
    json_key_uint(j, "pid", (uint64_t)r->pid);
    json_key_uint(j, "calls", r->calls);
    json_key_float(j, "calls_per_s", 6, known(r->calls_per_s));
    json_key_float(j, "sent_per_s", 6, known(r->sent_per_s));
    json_key_float(j, "busy", 4, known(r->busy));
    json_key_uint(j, "waiting", (uint64_t)r->waiting);
    json_close(j, '}');
}

static void
json_loop(struct json *j, const struct status_loop *l)
{
    json_key(j, "loop");
    if (!*l->place) {
        json_text(j, NULL);
        return;
    }
    json_open(j, '{');
    json_key_text(j, "place", l->place);
    json_key(j, "at"), json_int(j, status_counter(l));
    if (l->first <= l->last) {
        json_key(j, "first"), json_int(j, l->first);
        json_key(j, "last"), json_int(j, l->last);
    }
    json_close(j, '}');
}

static void
json_calls(struct json *j, const struct status_sum *sum)
{
    json_key_open(j, "running", '[');
    for (int i = 0; i < sum->ncalls; i++) {
        const struct status_call *c = &sum->call[i];
        json_open(j, '{');
        json_key_text(j, "function", c->function);
        json_key_text(j, "place", c->place);
        json_key_uint(j, "calls", c->running);
        json_key_float(j, "longest", 6, c->longest_ns ? 1e-9 * (double)c->longest_ns : NAN);
        json_close(j, '}');
    }
    json_close(j, ']');
}

void
top_json(const struct status_runs *runs, const struct status_sum *sum, struct buf *out)
{
    struct json j = {.to = out};
    int n;
    struct row *rows = rows_of(runs, sum, TOP_BY_NODE, &n);
    const struct status_page *one = runs->process[0].copy;
    json_open(&j, '{');
    json_key_text(&j, "program", one->program);
    json_key_float(&j, "seconds", 6, sum->seconds);
    json_key_uint(&j, "nodes", (uint64_t)sum->nodes);
    json_key_uint(&j, "told", (uint64_t)sum->told);
    json_key_uint(&j, "workers", (uint64_t)one->workers);
    json_key_uint(&j, "calls", sum->calls);
    json_key_float(&j, "calls_per_s", 6, known(sum->calls_per_s));
    json_key_uint(&j, "waiting", sum->waiting);
    json_key_float(&j, "busy", 4, known(sum->busy));
    json_key_float(&j, "imbalance", 4, known(sum->imbalance));
    json_key_uint(&j, "bytes", sum->bytes);
    json_key_uint(&j, "bytes_most", sum->bytes_most);
    json_loop(&j, &sum->loop);
    json_calls(&j, sum);
    json_key_open(&j, "node", '[');
    for (int i = 0; i < n; i++) json_row(&j, &rows[i]);
    json_close(&j, ']');
    json_close(&j, '}');
    buf_char(out, '\n');
    free(rows);
}
