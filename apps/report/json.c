/* json.c - the figures of a report as JSON: for programs, and for the page, which shows no others.
 * Times are whole ns; the names are those of docs/report.md. */
#include "runtime/base/json.h"

#include "apps/luna/common/path.h"
#include "apps/report/page.h"

#include <math.h>
#include <string.h>

/* ---- fields ---- */

static void
put_count(struct json *j, const char *name, uint64_t x)
{
    json_key(j, name);
    json_uint(j, x);
}

static void
put_real(struct json *j, const char *name, double x)
{
    json_key(j, name);
    json_float(j, 6, x);
}

static void
put_words(struct json *j, const char *name, const char *text)
{
    json_key(j, name);
    json_text(j, text);
}

static void
put_list(struct json *j, const char *name)
{
    json_line(j, 1);
    json_key(j, name);
    json_open(j, '[');
}

static void
put_object(struct json *j, const char *name)
{
    json_line(j, 1);
    json_key(j, name);
    json_open(j, '{');
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
    put_words(j, "command", b.data ? b.data : "");
    j->to->failed |= b.failed;
    buf_fini(&b);
}

static void
put_hosts(struct json *j, const struct trace_words *w)
{
    json_key(j, "hosts");
    json_open(j, '[');
    for (size_t i = 0; i < w->n; i++) json_text(j, w->at[i]);
    json_close(j, ']');
}

static void
put_run(struct json *j, const struct report_run *r, const struct page_options *o)
{
    const struct trace_run *run = &r->stats.run;
    put_object(j, "run");
    put_words(j, "program", o->paths ? run->program : path_base(run->program));
    put_words(j, "version", run->version);
    put_words(j, "hash", run->hash);
    put_words(j, "start", run->start);
    put_words(j, "end", run->end);
    put_count(j, "exit_code", run->exit_code);
    put_count(j, "duration", run->duration);
    put_count(j, "nodes", run->nodes);
    put_count(j, "workers", run->workers);
    put_words(j, "transport", run->transport);
    put_words(j, "distributor", run->distributor);
    put_sides(j, "lattice", &run->lattice);
    put_sides(j, "cells", &run->cells);
    json_key(j, "seed");
    if (run->has_seed)
        json_uint(j, run->seed);
    else
        json_text(j, NULL);
    put_count(j, "cores", run->cores);
    put_count(j, "host_count", run->hosts.n);
    if (o->hosts) put_hosts(j, &run->hosts);
    put_command(j, &run->command, o->paths);
    json_close(j, '}');
}

/* ---- time ---- */

static void
put_time(struct json *j, const struct report_run *r)
{
    put_object(j, "time");
    put_count(j, "calls", r->ncalls);
    put_count(j, "in_calls", r->busy);
    put_count(j, "runtime", r->runtime);
    put_count(j, "idle", r->idle);
    put_count(j, "wasted", r->wasted);
    json_key(j, "waits");
    json_open(j, '{');
    for (int i = 0; i < REPORT_WAITS; i++)
        put_count(j, report_wait_text[i], (uint64_t)llround(r->waits[i]));
    json_close(j, '}');
    put_real(j, "balance", report_balance(r));
    put_real(j, "crowd", report_crowd(r));
    put_count(j, "alone", (uint64_t)r->alone);
    json_close(j, '}');
}

static void
put_findings(struct json *j, const struct report_run *r)
{
    put_list(j, "findings");
    for (unsigned i = 0; i < r->nfindings; i++) {
        const struct report_finding *f = &r->findings[i];
        put_row(j);
        put_words(j, "name", f->name);
        put_real(j, "gain", f->gain);
        put_words(j, "title", f->title);
        put_words(j, "text", f->text);
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
    put_words(j, "name", s->name);
    put_count(j, "line", s->line);
    put_count(j, "count", s->count);
    put_count(j, "total", s->total);
    put_count(j, "least", x->least);
    put_count(j, "median", x->median);
    put_count(j, "p95", x->p95);
    put_count(j, "most", x->most);
    json_key(j, "bins");
    json_open(j, '[');
    for (int k = 0; k < REPORT_BINS; k++) json_uint(j, x->bins[k]);
    json_close(j, ']');
    put_count(j, "on_path", r->path.by[i]);
    put_count(j, "calls_on_path", r->path.count[i]);
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
        put_count(j, "first", g->first);
        put_count(j, "last", g->last);
        put_count(j, "calls", g->calls);
        put_count(j, "in_calls", g->busy);
        put_count(j, "runtime", g->runtime);
        put_count(j, "idle", g->idle);
        put_count(j, "wasted", g->wasted);
        put_count(j, "sent", g->sent);
        put_count(j, "received", g->received);
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
    put_count(j, "count", r->nslices);
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
    put_count(j, "peak", r->peak);
    put_count(j, "left", r->left);
    put_count(j, "left_count", r->left_count);
    json_key(j, "live");
    json_open(j, '[');
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
        put_words(j, "name", d->name);
        put_count(j, "count", d->count);
        put_count(j, "bytes", d->bytes);
        put_count(j, "distance", d->dist);
        for (int k = 0; k < TRACE_KINDS; k++) put_count(j, trace_kind_text[k], d->by[k]);
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
    put_words(j, "call", b.data ? b.data : "");
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
        put_count(j, "sub", c->sub);
        put_count(j, "node", at->lane / r->stats.run.workers);
        put_count(j, "worker", at->lane % r->stats.run.workers);
        put_count(j, "t", c->t);
        put_count(j, "dur", c->dur);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
put_path(struct json *j, const struct report_run *r)
{
    const struct report_path *p = &r->path;
    put_object(j, "path");
    put_count(j, "calls", p->ncalls);
    put_count(j, "in_calls", p->calls);
    put_count(j, "messages", p->nmessages);
    put_count(j, "in_messages", p->messages);
    put_count(j, "between", p->between);
    put_top(j, r);
    json_close(j, '}');
}

void
page_json(struct buf *out, const struct report_run *r, const struct segments *s,
          const struct page_options *o)
{
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
    put_path(&j, r);
    json_line(&j, 1);
    put_count(&j, "moves", r->nmoves);
    put_count(&j, "segments", s->n);
    put_count(&j, "merged", s->merged);
    json_close(&j, '}');
    buf_char(out, '\n');
}
