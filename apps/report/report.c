/* report.c - adding up events; see report.h. What it cannot do alone is in waits.c, path.c and
 * findings.c. */
#include "apps/report/report.h"

#include "runtime/base/map.h"
#include "runtime/base/vec.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool
report_init(struct report_run *r, struct arena *a, const struct trace_run *run)
{
    *r = (struct report_run){.arena = a, .found = map_new_in(a)};
    r->nlanes = run->nodes * run->workers;
    r->lanes = arena_array(a, struct report_lane, r->nlanes);
    r->group_size = (unsigned)((run->nodes + REPORT_GROUPS - 1) / REPORT_GROUPS);
    r->ngroups = (unsigned)((run->nodes + r->group_size - 1) / r->group_size);
    r->groups = arena_array(a, struct report_group, r->ngroups);
    for (unsigned i = 0; i < r->ngroups; i++) {
        uint64_t last = (i + 1) * (uint64_t)r->group_size - 1;
        r->groups[i].first = i * r->group_size;
        r->groups[i].last = (unsigned)(last < run->nodes ? last : run->nodes - 1);
    }
    return stats_init(&r->stats, a, run);
}

void
report_fini(struct report_run *r)
{
    stats_fini(&r->stats);
}

/* ---- events ---- */

/* [2][4][-1] behind a name: adds the numbers, and gives how many; none if it is something else. */
static uint32_t
add_indices(struct report_run *r, const char *cf)
{
    size_t before = r->nindices;
    const char *p = cf + strcspn(cf, "[");
    while (*p == '[') {
        char *end;
        long x = strtol(p + 1, &end, 10);
        if (end == p + 1 || *end != ']' || x < INT32_MIN || x > INT32_MAX) break;
        vec_need(r->arena, r->indices, r->nindices, r->indices_room);
        r->indices[r->nindices++] = (int32_t)x;
        p = end + 1;
    }
    if (*p) r->nindices = before;
    return (uint32_t)(r->nindices - before);
}

static void
add_call(struct report_run *r, unsigned node, const struct trace_event *e)
{
    struct report_lane *l = &r->lanes[node * r->stats.run.workers + e->worker];
    uint32_t first = (uint32_t)r->nindices, dims = add_indices(r, e->cf);
    if (!r->stats.last) return; /* out of memory, which stats_end tells */
    vec_need(r->arena, l->at, l->n, l->room);
    l->at[l->n++] = (struct report_call){e->t, e->dur, e->chain, e->ready, report_by_of(r, &e->by),
                                          r->stats.last->number, first, dims,
                                          e->has_cell ? e->cell : LATTICE_NONE};
    r->caused |= e->by.what != TRACE_BY_NOBODY;
    l->busy += e->dur;
    r->ncalls++;
}

static uint32_t
df_number(struct report_run *r, const char *name)
{
    size_t n = strcspn(name, "[");
    struct report_df *d = map_get_bytes(r->found, name, n);
    if (!d) {
        vec_need(r->arena, r->dfs, r->ndfs, r->dfs_room);
        d = r->dfs[r->ndfs] = arena_new_of(r->arena, struct report_df);
        d->name = arena_strndup(r->arena, name, n);
        map_put_bytes(r->found, name, n, d);
        d->number = (uint32_t)r->ndfs++;
    }
    return d->number;
}

static void
add_send(struct report_run *r, unsigned node, const struct trace_event *e)
{
    uint32_t df = df_number(r, e->df), to = (uint32_t)e->to;
    struct report_df *d = r->dfs[df];
    d->count++;
    d->bytes += e->bytes;
    d->dist += e->dist;
    d->by[e->kind] += e->bytes;
    vec_need(r->arena, r->sends, r->nsends, r->sends_room);
    r->sends[r->nsends++] = (struct report_send){
        e->t, e->bytes, node, to, df, e->k > UINT32_MAX ? 0 : (uint32_t)e->k,
        report_by_of(r, &e->by)};
    r->groups[node / r->group_size].sent += e->bytes;
    r->groups[to / r->group_size].received += e->bytes;
}

static void
add_load(struct report_run *r, unsigned node, const struct trace_event *e)
{
    vec_need(r->arena, r->loads, r->nloads, r->loads_room);
    r->loads[r->nloads++] = (struct report_load){e->t, e->bytes, e->count, node};
    if (!e->step) return;
    r->balancer += e->balancer;
    if (node) return;
    vec_need(r->arena, r->steps, r->nsteps, r->steps_room);
    r->steps[r->nsteps++] = e->t;
}

static void
add_move(struct report_run *r, const struct trace_event *e)
{
    vec_need(r->arena, r->moves, r->nmoves, r->moves_room);
    r->moves[r->nmoves++] = (struct report_move){e->t, e->cell, (uint32_t)e->to};
}

void
report_add(void *who, unsigned node, const struct trace_event *e)
{
    struct report_run *r = who;
    stats_add(&r->stats, node, e);
    switch (e->ev) {
    case TRACE_EV_EXEC:
        add_call(r, node, e);
        return;
    case TRACE_EV_SEND:
        add_send(r, node, e);
        return;
    case TRACE_EV_LOAD:
        add_load(r, node, e);
        return;
    case TRACE_EV_MOVE:
        add_move(r, e);
        return;
    case TRACE_EV_OWN:
    case TRACE_EV_RECV:
    case TRACE_EV_DF:
    case TRACE_EV_WORKER:
        return;
    case TRACE_EV_END: /* a trace that counts its lines tells causes, though no call has waited */
        r->caused |= e->lines > 0;
        return;
    }
}

/* ---- orders ---- */

static int
by_start(const void *a, const void *b)
{
    const struct report_call *x = a, *y = b;
    return (x->t > y->t) - (x->t < y->t);
}

static int
by_arrival(const void *a, const void *b)
{
    const struct report_send *x = a, *y = b;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    if (x->t != y->t) return x->t < y->t ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

static int
by_moment(const void *a, const void *b)
{
    const struct report_move *x = a, *y = b;
    if (x->t != y->t) return x->t < y->t ? -1 : 1;
    return (x->cell > y->cell) - (x->cell < y->cell);
}

static int
by_load(const void *a, const void *b)
{
    const struct report_load *x = a, *y = b;
    if (x->t != y->t) return x->t < y->t ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static int
by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int
by_bytes(const void *a, const void *b)
{
    const struct report_df *x = *(struct report_df *const *)a, *y = *(struct report_df *const *)b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void
sort(void *at, size_t n, size_t one, int (*order)(const void *, const void *))
{
    if (n > 1) qsort(at, n, one, order);
}

/* Workers write in order, so that there is mostly nothing to do. */
static void
sort_lane(struct report_lane *l)
{
    for (size_t i = 1; i < l->n; i++)
        if (l->at[i].t < l->at[i - 1].t) {
            l->sorted = true;
            sort(l->at, l->n, sizeof *l->at, by_start);
            return;
        }
}

static void
sort_sends(struct report_run *r)
{
    size_t nodes = r->stats.run.nodes, k = 0;
    sort(r->sends, r->nsends, sizeof *r->sends, by_arrival);
    r->arrivals = arena_array(r->arena, size_t, nodes + 1);
    for (size_t n = 0; n <= nodes; n++) {
        while (k < r->nsends && r->sends[k].to < n) k++;
        r->arrivals[n] = k;
    }
}

/* Numbers of subs and fragments become their places in the sorted lists. */
static void
renumber(struct report_run *r)
{
    uint32_t *sub = arena_array(r->arena, uint32_t, r->stats.nsubs + 1);
    uint32_t *df = arena_array(r->arena, uint32_t, r->ndfs + 1);
    for (size_t i = 0; i < r->stats.nsubs; i++) sub[r->stats.subs[i]->number] = (uint32_t)i;
    sort(r->dfs, r->ndfs, sizeof *r->dfs, by_bytes);
    for (size_t i = 0; i < r->ndfs; i++) df[r->dfs[i]->number] = (uint32_t)i;
    for (size_t i = 0; i < r->ndfs; i++) r->dfs[i]->number = (uint32_t)i;
    for (size_t i = 0; i < r->nlanes; i++)
        for (size_t k = 0; k < r->lanes[i].n; k++)
            r->lanes[i].at[k].sub = sub[r->lanes[i].at[k].sub];
    for (size_t i = 0; i < r->nsends; i++) r->sends[i].df = df[r->sends[i].df];
}

/* ---- functions ---- */

static unsigned
bin_of(const struct report_sub *s, uint64_t dur)
{
    if (s->most <= s->least) return 0;
    double low = log((double)s->least + 1), high = log((double)s->most + 1);
    double at = (log((double)dur + 1) - low) / (high - low) * REPORT_BINS;
    return at < REPORT_BINS ? (unsigned)at : REPORT_BINS - 1;
}

static void
sum_sub(struct report_sub *s, uint64_t *durs, size_t n)
{
    sort(durs, n, sizeof *durs, by_number);
    s->least = durs[0];
    s->median = durs[(n - 1) / 2];
    s->p95 = durs[(n - 1) * 95 / 100];
    s->most = durs[n - 1];
    for (size_t i = 0; i < n; i++) s->bins[bin_of(s, durs[i])]++;
}

static void
sum_subs(struct report_run *r)
{
    size_t n = r->stats.nsubs, first = 0;
    uint64_t *durs = arena_array(r->arena, uint64_t, r->ncalls + 1);
    size_t *next = arena_array(r->arena, size_t, n + 1);
    r->subs = arena_array(r->arena, struct report_sub, n + 1);
    for (size_t i = 0; i < n; i++) {
        next[i] = first;
        first += r->stats.subs[i]->count;
    }
    for (size_t i = 0; i < r->nlanes; i++)
        for (size_t k = 0; k < r->lanes[i].n; k++)
            durs[next[r->lanes[i].at[k].sub]++] = r->lanes[i].at[k].dur;
    for (size_t i = 0; i < n; i++)
        sum_sub(&r->subs[i], durs + next[i] - r->stats.subs[i]->count, r->stats.subs[i]->count);
}

/* ---- workers and nodes ---- */

/* Traces of earlier versions tell the idle time of nodes only: workers share it. */
static void
guess_lane(struct report_run *r, unsigned node, struct report_lane *l)
{
    struct stats_times t = stats_times(&r->stats, node);
    double rest = (t.protocol + t.idle) * 1e9, mine;
    uint64_t all = r->stats.run.duration;
    mine = all > l->busy ? (double)(all - l->busy) : 0;
    l->idle = rest > 0 ? (uint64_t)(mine * t.idle * 1e9 / rest) : 0;
    l->runtime = (uint64_t)mine - l->idle;
}

static void
sum_lane(struct report_run *r, size_t i)
{
    struct report_lane *l = &r->lanes[i];
    unsigned node = (unsigned)(i / r->stats.run.workers);
    struct report_group *g = &r->groups[node / r->group_size];
    if (r->stats.nrows == r->nlanes) {
        const struct worker_row *w = &r->stats.rows[i];
        l->runtime = w->runtime;
        l->idle = w->idle;
        l->wasted = w->wasted;
    } else {
        guess_lane(r, node, l);
    }
    g->calls += l->n;
    g->busy += l->busy;
    g->runtime += l->runtime;
    g->idle += l->idle;
    g->wasted += l->wasted;
    r->busy += l->busy;
    r->runtime += l->runtime;
    r->idle += l->idle;
    r->wasted += l->wasted;
}

double
report_all(const struct report_run *r)
{
    return (double)r->stats.run.duration * (double)r->nlanes;
}

double
report_balance(const struct report_run *r)
{
    uint64_t most = 0;
    for (uint64_t i = 0; i < r->stats.run.nodes; i++)
        if (r->stats.nodes[i].in_calls > most) most = r->stats.nodes[i].in_calls;
    return most ? (double)r->busy / (double)r->stats.run.nodes / (double)most : 1;
}

double
report_crowd(const struct report_run *r)
{
    const struct trace_run *run = &r->stats.run;
    if (!run->cores || !strcmp(run->transport, "sim")) return 0;
    double hosts = run->hosts.n ? (double)run->hosts.n : 1;
    return (double)r->nlanes / hosts / (double)run->cores;
}

/* ---- over time ---- */

/* A slice is as long as 20 calls of a worker, or what is even within it would look uneven. */
static void
choose_slices(struct report_run *r)
{
    size_t n = r->ncalls / 20 / r->nlanes;
    r->nslices = n < 1 ? 1 : n > REPORT_SLICES ? REPORT_SLICES : (unsigned)n;
}

static void
slice_call(struct report_run *r, double *row, const struct report_call *c)
{
    double one = (double)r->stats.run.duration / r->nslices;
    double from = (double)c->t, to = from + (double)c->dur;
    unsigned s = one > 0 ? (unsigned)(from / one) : 0;
    for (; s < r->nslices && from < to; s++) {
        double end = one * (s + 1), part = (to < end ? to : end) - from;
        if (part > 0) row[s] += part;
        from += part > 0 ? part : 0;
    }
}

static void
slice_node(struct report_run *r, unsigned node, double *row)
{
    uint64_t workers = r->stats.run.workers;
    double one = (double)r->stats.run.duration / r->nslices * (double)workers;
    unsigned g = node / r->group_size, size = r->groups[g].last - r->groups[g].first + 1;
    memset(row, 0, sizeof *row * r->nslices);
    for (uint64_t w = 0; w < workers; w++) {
        const struct report_lane *l = &r->lanes[node * workers + w];
        for (size_t k = 0; k < l->n; k++) slice_call(r, row, &l->at[k]);
    }
    for (unsigned s = 0; s < r->nslices; s++) {
        double share = one > 0 ? row[s] / one : 0;
        r->slices[g * r->nslices + s] += share / size;
        r->mean[s] += share / (double)r->stats.run.nodes;
        if (share > r->most[s]) r->most[s] = share;
    }
}

static void
slice_all(struct report_run *r)
{
    double row[REPORT_SLICES];
    choose_slices(r);
    r->slices = arena_array(r->arena, double, (size_t)r->ngroups * r->nslices);
    for (unsigned i = 0; i < r->stats.run.nodes; i++) slice_node(r, i, row);
}

/* A slice of a cell is as busy as its calls took of it. */
static void
load_cells(struct report_run *r)
{
    size_t cells = r->owner ? lattice_size(&r->stats.run.cells) : 0, n = cells * r->nslices;
    bool any = false;
    if (!n || n > REPORT_LOADS) return;
    double *busy = arena_array(r->arena, double, n);
    double one = (double)r->stats.run.duration / r->nslices, row[REPORT_SLICES];
    for (size_t i = 0; i < r->nlanes; i++)
        for (size_t k = 0; k < r->lanes[i].n; k++) {
            const struct report_call *c = &r->lanes[i].at[k];
            if (c->cell == LATTICE_NONE) continue;
            any = true;
            memset(row, 0, sizeof row);
            slice_call(r, row, c);
            for (unsigned s = 0; s < r->nslices; s++) busy[s * cells + c->cell] += row[s];
        }
    if (!any || one <= 0) return;
    r->loads_of = arena_array(r->arena, uint8_t, n);
    for (size_t i = 0; i < n; i++) {
        double level = ceil(busy[i] / one * (REPORT_LEVELS - 1));
        r->loads_of[i] = (uint8_t)fmin(level, REPORT_LEVELS - 1);
    }
}

static unsigned
point_of(const struct report_run *r, uint64_t t)
{
    uint64_t all = r->stats.run.duration;
    if (!all || t >= all) return REPORT_POINTS - 1;
    return (unsigned)((double)t / (double)all * REPORT_POINTS);
}

/* The sum over nodes of what each told last; of each point the most. */
static void
sum_live(struct report_run *r)
{
    struct report_load *last = arena_array(r->arena, struct report_load, r->stats.run.nodes);
    uint64_t sum = 0, count = 0;
    unsigned at = 0;
    sort(r->loads, r->nloads, sizeof *r->loads, by_load);
    for (size_t i = 0; i < r->nloads; i++) {
        struct report_load *l = &r->loads[i], *old = &last[l->node];
        unsigned p = point_of(r, l->t);
        while (at < p) r->live[++at] = sum;
        sum += l->bytes - old->bytes;
        count += l->count - old->count;
        *old = *l;
        if (sum > r->live[p]) r->live[p] = sum;
        if (sum > r->peak) r->peak = sum;
    }
    while (at + 1 < REPORT_POINTS) r->live[++at] = sum;
    r->left = sum;
    r->left_count = count;
}

static void
sum_sends(struct report_run *r)
{
    size_t n = (size_t)r->ngroups * r->ngroups;
    r->bytes = arena_array(r->arena, uint64_t, n);
    r->count = arena_array(r->arena, uint64_t, n);
    for (size_t i = 0; i < r->nsends; i++) {
        const struct report_send *s = &r->sends[i];
        size_t at = (size_t)(s->from / r->group_size) * r->ngroups + s->to / r->group_size;
        r->bytes[at] += s->bytes;
        r->count[at]++;
    }
}

bool
report_end(struct report_run *r, int32_t *owner)
{
    if (!stats_end(&r->stats)) return false;
    r->owner = owner;
    for (size_t i = 0; i < r->nlanes; i++) sort_lane(&r->lanes[i]);
    renumber(r);
    sort_sends(r);
    report_number_sends(r);
    sort(r->moves, r->nmoves, sizeof *r->moves, by_moment);
    sort(r->steps, r->nsteps, sizeof *r->steps, by_number);
    for (size_t i = 0; i < r->nlanes; i++) sum_lane(r, i);
    sum_subs(r);
    sum_sends(r);
    sum_live(r);
    slice_all(r);
    load_cells(r);
    report_waits(r);
    report_trace_path(r);
    report_find_chain(r);
    report_findings(r);
    return true;
}
