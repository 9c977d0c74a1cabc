/* json.c - the figures of a report as JSON: for programs, and for the page, which shows no others.
 * Times are whole ns; the names are those of docs/report.md. */
#include "runtime/base/json.h"

#include "apps/luna/common/path.h"
#include "apps/luna/trace/stats_json.h"
#include "apps/report/page.h"

#include <math.h>
#include <string.h>

/* ---- fields ---- */

static void
put_list(struct json *j, const char *name)
{
    json_line(j, 1);
    json_key_open(j, name, '[');
}

static void
put_object(struct json *j, const char *name)
{
    json_line(j, 1);
    json_key_open(j, name, '{');
}

static void
put_row(struct json *j)
{
    json_line(j, 2);
    json_open(j, '{');
}

/* [4,2], or null */
static void
put_sides(struct json *j, const char *name, const struct lattice *l)
{
    json_key(j, name);
    if (!l->ndims) {
        json_text(j, NULL);
        return;
    }
    json_open(j, '[');
    for (int d = 0; d < l->ndims; d++) json_int(j, l->side[d]);
    json_close(j, ']');
}

/* ---- the run ---- */

/* A word of a command line as a shell takes it; without `paths` a file has no folder. */
static void
put_shell(struct buf *b, const char *word, bool paths)
{
    const char *value = strchr(word, '=');
    const char *file = value ? value + 1 : word;
    if (!paths && strchr(file, '/')) {
        size_t n = (size_t)(file - word);
        struct buf w = {0};
        buf_add(&w, word, n);
        buf_str(&w, path_base(file));
        put_shell(b, w.data ? w.data : "", true);
        buf_fini(&w);
        return;
    }
    if (*word && !strpbrk(word, " \t\n\"'`$&|;<>()*?[]{}#~!\\")) {
        buf_str(b, word);
        return;
    }
    buf_char(b, '\'');
    for (; *word; word++) {
        if (*word == '\'')
            buf_str(b, "'\\''");
        else
            buf_char(b, *word);
    }
    buf_char(b, '\'');
}

static void
put_command(struct json *j, const struct trace_words *w, bool paths)
{
    struct buf b = {0};
    buf_str(&b, "");
    for (size_t i = 0; i < w->n; i++) {
        if (i) buf_char(&b, ' ');
        put_shell(&b, w->at[i], paths);
    }
    json_key_text(j, "command", b.data ? b.data : "");
    j->to->failed |= b.failed;
    buf_fini(&b);
}

static void
put_hosts(struct json *j, const struct trace_words *w)
{
    json_key_open(j, "hosts", '[');
    for (size_t i = 0; i < w->n; i++) json_text(j, w->at[i]);
    json_close(j, ']');
}

static void
put_run(struct json *j, const struct report_run *r, const struct page_options *o)
{
    const struct trace_run *run = &r->stats.run;
    put_object(j, "run");
    json_key_text(j, "program", o->paths ? run->program : path_base(run->program));
    json_key_text(j, "version", run->version);
    json_key_text(j, "hash", run->hash);
    json_key_text(j, "start", run->start);
    json_key_text(j, "end", run->end);
    json_key_uint(j, "exit_code", run->exit_code);
    json_key_uint(j, "duration", run->duration);
    json_key_uint(j, "nodes", run->nodes);
    json_key_uint(j, "workers", run->workers);
    json_key_text(j, "transport", run->transport);
    json_key_text(j, "distributor", run->distributor);
    put_sides(j, "lattice", &run->lattice);
    put_sides(j, "cells", &run->cells);
    json_key(j, "seed");
    if (run->has_seed)
        json_uint(j, run->seed);
    else
        json_text(j, NULL);
    json_key_uint(j, "cores", run->cores);
    json_key_uint(j, "host_count", run->hosts.n);
    if (o->hosts) put_hosts(j, &run->hosts);
    put_command(j, &run->command, o->paths);
    json_close(j, '}');
}

/* ---- time ---- */

static void
put_time(struct json *j, const struct report_run *r)
{
    put_object(j, "time");
    json_key_uint(j, "calls", r->ncalls);
    json_key_uint(j, "in_calls", r->busy);
    json_key_uint(j, "runtime", r->runtime);
    json_key_uint(j, "idle", r->idle);
    json_key_uint(j, "wasted", r->wasted);
    json_key_open(j, "waits", '{');
    for (int i = 0; i < REPORT_WAITS; i++)
        json_key_uint(j, report_wait_text[i], (uint64_t)llround(r->waits[i]));
    json_close(j, '}');
    json_key_float(j, "balance", 6, report_balance(r));
    json_key_float(j, "crowd", 6, report_crowd(r));
    json_key_uint(j, "alone", (uint64_t)r->alone);
    json_close(j, '}');
}

static void
put_findings(struct json *j, const struct report_run *r)
{
    put_list(j, "findings");
    for (unsigned i = 0; i < r->nfindings; i++) {
        const struct report_finding *f = &r->findings[i];
        put_row(j);
        json_key_text(j, "name", f->name);
        json_key_float(j, "gain", 6, f->gain);
        json_key_text(j, "title", f->title);
        json_key_text(j, "text", f->text);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
put_sub(struct json *j, const struct report_run *r, size_t i)
{
    const struct stats_sub *s = r->stats.subs[i];
    const struct report_sub *x = &r->subs[i];
    put_row(j);
    json_key_text(j, "name", s->name);
    json_key_uint(j, "line", s->line);
    json_key_uint(j, "count", s->count);
    json_key_uint(j, "total", s->total);
    json_key_uint(j, "least", x->least);
    json_key_uint(j, "median", x->median);
    json_key_uint(j, "p95", x->p95);
    json_key_uint(j, "most", x->most);
    json_key_open(j, "bins", '[');
    for (int k = 0; k < REPORT_BINS; k++) json_uint(j, x->bins[k]);
    json_close(j, ']');
    json_key_uint(j, "on_path", r->path.by[i]);
    json_key_uint(j, "calls_on_path", r->path.count[i]);
    json_close(j, '}');
}

static void
put_subs(struct json *j, const struct report_run *r)
{
    put_list(j, "subs");
    for (size_t i = 0; i < r->stats.nsubs; i++) put_sub(j, r, i);
    json_close(j, ']');
}

static void
put_groups(struct json *j, const struct report_run *r)
{
    put_list(j, "groups");
    for (unsigned i = 0; i < r->ngroups; i++) {
        const struct report_group *g = &r->groups[i];
        put_row(j);
        json_key_uint(j, "first", g->first);
        json_key_uint(j, "last", g->last);
        json_key_uint(j, "calls", g->calls);
        json_key_uint(j, "in_calls", g->busy);
        json_key_uint(j, "runtime", g->runtime);
        json_key_uint(j, "idle", g->idle);
        json_key_uint(j, "wasted", g->wasted);
        json_key_uint(j, "sent", g->sent);
        json_key_uint(j, "received", g->received);
        json_close(j, '}');
    }
    json_close(j, ']');
}

/* ---- over time: in thousandths ---- */

static void
put_share(struct json *j, double x)
{
    json_int(j, (int64_t)lround(x * 1000));
}

static void
put_slices(struct json *j, const struct report_run *r)
{
    put_object(j, "slices");
    json_key_uint(j, "count", r->nslices);
    put_list(j, "groups");
    for (unsigned g = 0; g < r->ngroups; g++) {
        json_line(j, 2);
        json_open(j, '[');
        for (unsigned s = 0; s < r->nslices; s++) put_share(j, r->slices[g * r->nslices + s]);
        json_close(j, ']');
    }
    json_close(j, ']');
    put_list(j, "mean");
    for (unsigned s = 0; s < r->nslices; s++) put_share(j, r->mean[s]);
    json_close(j, ']');
    put_list(j, "most");
    for (unsigned s = 0; s < r->nslices; s++) put_share(j, r->most[s]);
    json_close(j, ']');
    json_close(j, '}');
}

static void
put_memory(struct json *j, const struct report_run *r)
{
    put_object(j, "memory");
    json_key_uint(j, "peak", r->peak);
    json_key_uint(j, "left", r->left);
    json_key_uint(j, "left_count", r->left_count);
    json_key_open(j, "live", '[');
    for (int i = 0; i < REPORT_POINTS; i++) json_uint(j, r->live[i]);
    json_close(j, ']');
    json_close(j, '}');
    put_list(j, "steps");
    for (size_t i = 0; i < r->nsteps; i++) json_uint(j, r->steps[i]);
    json_close(j, ']');
}

/* ---- between nodes ---- */

static void
put_dfs(struct json *j, const struct report_run *r)
{
    put_list(j, "fragments");
    for (size_t i = 0; i < r->ndfs; i++) {
        const struct report_df *d = r->dfs[i];
        put_row(j);
        json_key_text(j, "name", d->name);
        json_key_uint(j, "count", d->count);
        json_key_uint(j, "bytes", d->bytes);
        json_key_uint(j, "distance", d->dist);
        for (int k = 0; k < TRACE_KINDS; k++) json_key_uint(j, trace_kind_text[k], d->by[k]);
        json_close(j, '}');
    }
    json_close(j, ']');
}

/* Rows of what is not 0: [from, to, bytes, values]; [who waited, for whom, ns]. */
static void
put_matrices(struct json *j, const struct report_run *r)
{
    size_t n = r->ngroups;
    put_list(j, "sent");
    for (size_t i = 0; i < n * n; i++) {
        if (!r->count[i]) continue;
        json_open(j, '[');
        json_uint(j, i / n), json_uint(j, i % n), json_uint(j, r->bytes[i]),
            json_uint(j, r->count[i]);
        json_close(j, ']');
    }
    json_close(j, ']');
    put_list(j, "waited");
    for (size_t i = 0; i < n * n; i++) {
        if (r->waited[i] < 0.5) continue;
        json_open(j, '[');
        json_uint(j, i / n), json_uint(j, i % n), json_uint(j, (uint64_t)llround(r->waited[i]));
        json_close(j, ']');
    }
    json_close(j, ']');
}

/* ---- the path ---- */

/* step[2][4] */
static void
put_call_name(struct json *j, const struct report_run *r, const struct report_call *c)
{
    struct buf b = {0};
    buf_str(&b, r->stats.subs[c->sub]->name);
    for (uint32_t d = 0; d < c->dims; d++) buf_printf(&b, "[%d]", (int)r->indices[c->indices + d]);
    json_key_text(j, "call", b.data ? b.data : "");
    j->to->failed |= b.failed;
    buf_fini(&b);
}

static void
put_top(struct json *j, const struct report_run *r)
{
    put_list(j, "longest");
    for (unsigned i = 0; i < r->path.ntop; i++) {
        const struct report_at *at = &r->path.top[i];
        const struct report_call *c = &r->lanes[at->lane].at[at->call];
        put_row(j);
        put_call_name(j, r, c);
        json_key_uint(j, "sub", c->sub);
        json_key_uint(j, "node", at->lane / r->stats.run.workers);
        json_key_uint(j, "worker", at->lane % r->stats.run.workers);
        json_key_uint(j, "t", c->t);
        json_key_uint(j, "dur", c->dur);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
put_chain(struct json *j, const struct report_run *r)
{
    if (!r->chain.ns) return;
    put_object(j, "chain");
    json_key_uint(j, "ns", r->chain.ns);
    json_key_uint(j, "calls", r->chain.calls);
    json_key_open(j, "subs", '[');
    for (size_t i = 0; i < r->stats.nsubs; i++) json_uint(j, r->chain.by[i]);
    json_close(j, ']');
    json_close(j, '}');
}

static void
put_path(struct json *j, const struct report_run *r)
{
    const struct report_path *p = &r->path;
    put_object(j, "path");
    json_key_uint(j, "told", r->caused);
    json_key_uint(j, "calls", p->ncalls);
    json_key_uint(j, "in_calls", p->calls);
    json_key_uint(j, "messages", p->nmessages);
    json_key_uint(j, "in_messages", p->messages);
    json_key_uint(j, "between", p->between);
    put_top(j, r);
    json_close(j, '}');
}

void
page_json(struct buf *out, const struct page_run *page, const struct page_options *o)
{
    const struct report_run *r = page->report;
    const struct segments *s = page->calls;
    struct json j = {.to = out};
    json_open(&j, '{');
    put_run(&j, r, o);
    put_time(&j, r);
    put_findings(&j, r);
    put_subs(&j, r);
    put_groups(&j, r);
    put_slices(&j, r);
    put_memory(&j, r);
    put_matrices(&j, r);
    put_dfs(&j, r);
    json_line(&j, 1);
    stats_dfs_json(&j, "made", &r->stats, STATS_NS);
    put_path(&j, r);
    put_chain(&j, r);
    json_line(&j, 1);
    json_key_uint(&j, "moves", r->nmoves);
    json_key_uint(&j, "segments", s->n);
    json_key_uint(&j, "merged", s->merged);
    json_close(&j, '}');
    buf_char(out, '\n');
}

void
page_pair_json(struct buf *out, const struct page_run *a, const struct page_run *b,
               const struct page_options *o)
{
    buf_str(out, "{\"a\":");
    page_json(out, a, o);
    buf_str(out, ",\"b\":");
    page_json(out, b, o);
    buf_str(out, "}\n");
}
