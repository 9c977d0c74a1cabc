/* carry.c - stops that read what each other write, and the loops that order them.
 *
 *     for t for i   u[t+1][i] = f(u[t][i-1], u[t][i], u[t][i+1])      t carries, i does not
 *     for t for i   u[t+1][i] = f(u[t+1][i-1], u[t][i+1])     t carries, and then i is a pipeline
 *     for i for j   h[i][j] = f(h[i-1][j], h[i][j-1])               i and j are a wavefront */
#include "lang/place/carry.h"

#include "runtime/base/vec.h"

/* PAIRS_MAX: of a write and a read of one DF that are looked at, a tenth of a second. */
enum { WAYS_MAX = 16, EDGES_MAX = 200000, DEPTH_MAX = 16, PAIRS_MAX = 4000000 };

struct distance {
    bool known;
    int64_t turns;
};
struct way { /* from a write to a read that may meet it */
    int from, to;
    uint32_t df;
    const struct distance *distance; /* in the loops around both */
    int common;
    bool dropped;
};

struct finder {
    struct carry *c;
    struct arena *arena;
    const struct directions *d;
    const struct place_graph *g;
    struct way *ways;
    int n, room, pairs;
    int *first, *sorted; /* ways by the stop they are from */
    int *part, parts;    /* by stop: in which part it is */
    /* Tarjan's; circle: a stop of those that wait for each other; size: of it, how many. */
    int *circle, *size, *order, *low, *stack, count, top;
    bool *stacked;
};

/* ---- from touches to ways ---- */

static int
common_counters(const struct stop *a, const struct stop *b)
{
    int n = 0;
    while (n < a->ncounters && n < b->ncounters && a->counter[n] == b->counter[n]) n++;
    return n;
}

/* What one index says of the distance: along `counter`, or nothing (-1). False: they never meet. */
static bool
apart_by(const struct place_graph *g, const struct index_step *w, const struct index_step *r,
         int *counter, int64_t *turns)
{
    *counter = -1;
    if (w->counter < 0 && r->counter < 0) return w->k == r->k;
    if (w->counter != r->counter || w->c != r->c || !w->c) return true;
    int64_t turn = w->c * g->counters[w->counter].step;
    if ((w->k - r->k) % turn) return false;
    *counter = w->counter;
    *turns = (w->k - r->k) / turn;
    return true;
}

/* False: they never meet. */
static bool
add_distance(const struct stop *s, int common, int counter, int64_t turns, struct distance *all)
{
    int at = counter < 0 ? -1 : directions_counter(s, counter);
    if (at < 0 || at >= common) return true;
    if (all[at].known) return all[at].turns == turns;
    all[at] = (struct distance){true, turns};
    return true;
}

static void
keep_way(struct finder *f, const struct touch *w, const struct touch *r, int common,
         const struct distance *all)
{
    if (f->n == EDGES_MAX) {
        f->c->unclear = true;
        return;
    }
    struct distance *kept = arena_array(f->arena, struct distance, (size_t)common + 1);
    memcpy(kept, all, (size_t)common * sizeof *kept);
    vec_need(f->arena, f->ways, f->n, f->room);
    f->ways[f->n++] = (struct way){w->stop, r->stop, w->df, kept, common, false};
}

/* Index by index, each in the ways it may come out. */
static void
follow(struct finder *f, const struct touch *w, const struct touch *r, int common, int position,
       const struct distance *so_far)
{
    const struct stop *s = &f->g->stops[w->stop];
    if (position == f->g->dfs[w->df].n) {
        keep_way(f, w, r, common, so_far);
        return;
    }
    const struct index *a = &w->index[position], *b = &r->index[position];
    bool vague = !a->n || !b->n || a->n * b->n > WAYS_MAX;
    for (int i = 0; i < (vague ? 1 : a->n); i++)
        for (int k = 0; k < (vague ? 1 : b->n); k++) {
            struct distance all[DEPTH_MAX];
            int counter = -1;
            int64_t turns = 0;
            bool border = !vague && (a->step[i].counter < 0) != (b->step[k].counter < 0);
            memcpy(all, so_far, sizeof all);
            if (border && a->n * b->n > 1) continue; /* an end of the array */
            if (!vague && !apart_by(f->g, &a->step[i], &b->step[k], &counter, &turns)) continue;
            if (!add_distance(s, common, counter, turns, all)) continue;
            follow(f, w, r, common, position + 1, all);
        }
}

static void
add_ways(struct finder *f, uint32_t df)
{
    const struct fragments *x = &f->g->dfs[df];
    const struct touch *all = &f->g->touches[x->touch];
    struct distance none[DEPTH_MAX] = {{0}};
    if (x->seen & SEEN_OUT) return;
    for (int i = 0; i < x->ntouches && !f->c->unclear; i++)
        for (int k = 0; all[i].write && k < x->ntouches; k++) {
            if (all[k].write) continue;
            f->c->unclear |= ++f->pairs >= PAIRS_MAX;
            if (f->c->unclear) return;
            int common = common_counters(&f->g->stops[all[i].stop], &f->g->stops[all[k].stop]);
            follow(f, &all[i], &all[k], common < DEPTH_MAX ? common : DEPTH_MAX, 0, none);
        }
}

/* An element goes into the result of this turn. */
static void
add_reduction(struct finder *f, int term)
{
    const struct stop *s = &f->g->stops[term];
    int to = s->site->kind == PS_TERM ? f->g->stop_of[s->site->callee] : -1;
    if (to < 0) return;
    int common = common_counters(s, &f->g->stops[to]);
    struct touch from = {.stop = term}, result = {.stop = to};
    struct distance none[DEPTH_MAX];
    if (common > DEPTH_MAX) common = DEPTH_MAX;
    for (int i = 0; i < common; i++) none[i] = (struct distance){true, 0};
    keep_way(f, &from, &result, common, none);
}

/* The ways of each stop side by side. */
static void
sort_ways(struct finder *f)
{
    int n = f->g->nstops;
    f->first = arena_array(f->arena, int, (size_t)n + 2);
    f->sorted = arena_array(f->arena, int, (size_t)f->n + 1);
    for (int i = 0; i < f->n; i++) f->first[f->ways[i].from + 2]++;
    for (int i = 2; i <= n + 1; i++) f->first[i] += f->first[i - 1];
    for (int i = 0; i < f->n; i++) f->sorted[f->first[f->ways[i].from + 1]++] = i;
}

/* ---- parts in which all wait for all ---- */

struct part {
    int number; /* that its stops have in f->part */
    int nstops, nways;
    const int *stop, *way;
    int common; /* so many loops are around all of it: */
    const int *counter;
};

static bool
is_inside(const struct finder *f, const struct way *w)
{
    return !w->dropped && f->part[w->from] == f->part[w->to];
}

static void
visit(struct finder *f, int stop)
{
    f->order[stop] = f->low[stop] = ++f->count;
    f->stack[f->top++] = stop;
    f->stacked[stop] = true;
    for (int i = f->first[stop]; i < f->first[stop + 1]; i++) {
        const struct way *w = &f->ways[f->sorted[i]];
        if (!is_inside(f, w)) continue;
        if (!f->order[w->to]) visit(f, w->to);
        else if (!f->stacked[w->to]) continue;
        int low = f->stacked[w->to] && f->order[w->to] < f->low[w->to] ? f->order[w->to]
                                                                     : f->low[w->to];
        if (low < f->low[stop]) f->low[stop] = low;
    }
    if (f->low[stop] < f->order[stop]) return;
    for (int last = -1; last != stop;) {
        last = f->stack[--f->top];
        f->stacked[last] = false;
        f->circle[last] = stop;
    }
}

/* f->circle of each stop of the part: the same for those that wait for each other. */
static void
find_circles(struct finder *f, const struct part *p)
{
    f->count = f->top = 0;
    for (int i = 0; i < p->nstops; i++) f->order[p->stop[i]] = 0;
    for (int i = 0; i < p->nstops; i++)
        if (!f->order[p->stop[i]]) visit(f, p->stop[i]);
}

static bool
is_in_circle(const struct finder *f, const struct way *w)
{
    return is_inside(f, w) && f->circle[w->from] == f->circle[w->to];
}

static bool
has_circle(struct finder *f, const struct part *p)
{
    find_circles(f, p);
    for (int i = 0; i < p->nways; i++)
        if (is_in_circle(f, &f->ways[p->way[i]])) return true;
    return false;
}

/* ---- which loop orders a part ---- */

/* Its turns hand something on, all to later ones; or all to earlier ones, since the order of the
 * text means nothing. */
static bool
qualifies(const struct finder *f, const struct part *p, int loop)
{
    bool later = false, earlier = false;
    for (int i = 0; i < p->nways; i++) {
        const struct way *w = &f->ways[p->way[i]];
        if (!is_inside(f, w)) continue;
        if (!w->distance[loop].known) return false;
        later |= w->distance[loop].turns > 0;
        earlier |= w->distance[loop].turns < 0;
    }
    return later != earlier;
}

/* What a turn of such a loop hands on. */
static bool
is_carried_by(const struct finder *f, const struct way *w, int loop)
{
    return is_inside(f, w) && w->distance[loop].turns;
}

static void
drop(struct finder *f, const struct part *p, int loop)
{
    for (int i = 0; i < p->nways; i++) {
        struct way *w = &f->ways[p->way[i]];
        w->dropped |= is_carried_by(f, w, loop);
    }
}

static bool
suffices(struct finder *f, const struct part *p, int loop)
{
    bool *before = arena_array(f->arena, bool, (size_t)p->nways + 1);
    for (int i = 0; i < p->nways; i++) before[i] = f->ways[p->way[i]].dropped;
    drop(f, p, loop);
    bool free = !has_circle(f, p);
    for (int i = 0; i < p->nways; i++) f->ways[p->way[i]].dropped = before[i];
    return free;
}

/* -1: none. */
static int
choose(struct finder *f, const struct part *p, bool taken_before, bool *wave)
{
    int outermost = -1, n = 0;
    *wave = false;
    for (int l = 0; l < p->common; l++) {
        if (taken_before && l == p->common - 1) continue;
        if (!qualifies(f, p, l)) continue;
        if (suffices(f, p, l)) return l;
        if (outermost < 0) outermost = l;
        n++;
    }
    *wave = n > 1 && n == p->common;
    return *wave ? -1 : outermost;
}

/* Bits of those that are in the part, or behind it. */
static const uint64_t *
along(const struct finder *f, const struct part *p)
{
    int n = f->g->nstops, top = 0;
    uint64_t *all = arena_array(f->arena, uint64_t, (size_t)n / 64 + 1);
    for (int i = 0; i < p->nstops; i++) f->stack[top++] = p->stop[i];
    for (int i = 0; i < top; i++) all[f->stack[i] / 64] |= UINT64_C(1) << f->stack[i] % 64;
    while (top) {
        int at = f->stack[--top];
        for (int i = f->first[at]; i < f->first[at + 1]; i++) {
            int to = f->ways[f->sorted[i]].to;
            if (all[to / 64] >> to % 64 & 1) continue;
            all[to / 64] |= UINT64_C(1) << to % 64;
            f->stack[top++] = to;
        }
    }
    return all;
}

/* The indices of what is handed from turn to turn. */
static void
mark_indices(struct finder *f, const struct part *p, int loop)
{
    for (int i = 0; i < p->nways; i++) {
        const struct way *w = &f->ways[p->way[i]];
        if (!is_carried_by(f, w, loop)) continue;
        const struct fragments *x = &f->g->dfs[w->df];
        for (int t = x->touch; t < x->touch + x->ntouches; t++)
            for (int at = 0; f->g->touches[t].stop == w->from && at < x->n; at++) {
                const struct index *index = &f->g->touches[t].index[at];
                for (int k = 0; k < index->n; k++)
                    if (index->step[k].counter == p->counter[loop])
                        f->c->index[f->d->first_index[w->df] + at] = true;
            }
    }
}

static void
add_wave(struct finder *f, const struct part *p)
{
    for (int l = 0; l < p->common; l++) f->c->wave_of[p->counter[l]] = f->c->nwaves;
    vec_need(f->arena, f->c->waves, f->c->nwaves, f->c->waves_room);
    f->c->waves[f->c->nwaves++] = p->common;
}

/* Loops side by side, which only seem to wait for each other: those in front of which is no common
 * one do not. False: there are none. */
static bool
drop_between(struct finder *f, const struct part *p)
{
    bool any = false, rest = false;
    for (int i = 0; i < p->nways; i++) {
        struct way *w = &f->ways[p->way[i]];
        if (!is_inside(f, w)) continue;
        if (w->from != w->to && w->common <= p->common) w->dropped = any = true;
        else rest = true;
    }
    return any && rest;
}

static void
find_common(const struct finder *f, struct part *p)
{
    const struct stop *first = &f->g->stops[p->stop[0]];
    p->counter = first->counter;
    p->common = first->ncounters < DEPTH_MAX ? first->ncounters : DEPTH_MAX;
    for (int i = 1; i < p->nstops; i++) {
        int same = common_counters(first, &f->g->stops[p->stop[i]]);
        if (same < p->common) p->common = same;
    }
}

static void divide(struct finder *f, const struct part *p, bool taken);

static void
carry_part(struct finder *f, struct part *p, bool taken)
{
    bool wave;
    find_common(f, p);
    int loop = choose(f, p, taken, &wave);
    if (wave) add_wave(f, p);
    else if (loop < 0 && drop_between(f, p)) divide(f, p, taken);
    if (loop < 0) return;
    vec_need(f->arena, f->c->all, f->c->n, f->c->room);
    int counter = p->counter[loop];
    f->c->all[f->c->n] = (struct carrier){counter, along(f, p), f->c->last_of[counter]};
    f->c->last_of[counter] = f->c->n++;
    mark_indices(f, p, loop);
    drop(f, p, loop);
    divide(f, p, true);
}

/* Those of a circle, as a part of their own. */
static struct part
part_of(struct finder *f, const struct part *p, int circle)
{
    struct part inner = {.number = ++f->parts};
    int *stop = arena_array(f->arena, int, (size_t)f->size[circle]);
    for (int i = 0; i < p->nstops; i++)
        if (f->circle[p->stop[i]] == circle) stop[inner.nstops++] = p->stop[i];
    int ways = 0;
    for (int i = 0; i < inner.nstops; i++)
        for (int k = f->first[stop[i]]; k < f->first[stop[i] + 1]; k++)
            ways += is_in_circle(f, &f->ways[f->sorted[k]]);
    int *way = arena_array(f->arena, int, (size_t)ways + 1);
    for (int i = 0; i < inner.nstops; i++)
        for (int k = f->first[stop[i]]; k < f->first[stop[i] + 1]; k++)
            if (is_in_circle(f, &f->ways[f->sorted[k]])) way[inner.nways++] = f->sorted[k];
    inner.stop = stop;
    inner.way = way;
    return inner;
}

static void
divide(struct finder *f, const struct part *p, bool taken)
{
    struct part *inner = NULL;
    int n = 0, room = 0;
    find_circles(f, p);
    for (int i = 0; i < p->nstops; i++) f->size[f->circle[p->stop[i]]] = 0;
    for (int i = 0; i < p->nstops; i++) f->size[f->circle[p->stop[i]]]++;
    for (int i = 0; i < p->nways; i++) {
        const struct way *w = &f->ways[p->way[i]];
        int circle = f->circle[w->from];
        if (!is_in_circle(f, w) || !f->size[circle]) continue;
        vec_need(f->arena, inner, n, room);
        inner[n++] = part_of(f, p, circle);
        f->size[circle] = 0; /* done */
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < inner[i].nstops; k++) f->part[inner[i].stop[k]] = inner[i].number;
    for (int i = 0; i < n; i++) carry_part(f, &inner[i], taken);
}

static void
divide_all(struct finder *f)
{
    int n = f->g->nstops;
    int *stop = arena_array(f->arena, int, (size_t)n + 1);
    int *way = arena_array(f->arena, int, (size_t)f->n + 1);
    for (int i = 0; i < n; i++) stop[i] = i;
    for (int i = 0; i < f->n; i++) way[i] = i;
    struct part all = {.nstops = n, .nways = f->n, .stop = stop, .way = way};
    divide(f, &all, false);
}

void
carry_find(struct carry *c, struct arena *a, const struct directions *d)
{
    struct finder f = {.c = c, .arena = a, .d = d, .g = d->graph};
    size_t n = (size_t)f.g->nstops + 1;
    int indices = 0;
    *c = (struct carry){0};
    for (uint32_t i = 0; i < f.g->plan->dfs.n; i++)
        if (d->first_index[i] + f.g->dfs[i].n > indices)
            indices = d->first_index[i] + f.g->dfs[i].n;
    c->index = arena_array(a, bool, (size_t)indices + 1);
    c->last_of = arena_array(a, int, (size_t)f.g->ncounters + 1);
    c->wave_of = arena_array(a, int, (size_t)f.g->ncounters + 1);
    for (int i = 0; i < f.g->ncounters; i++) c->last_of[i] = c->wave_of[i] = -1;
    f.part = arena_array(a, int, n);
    f.circle = arena_array(a, int, n);
    f.size = arena_array(a, int, n);
    f.order = arena_array(a, int, n);
    f.low = arena_array(a, int, n);
    f.stack = arena_array(a, int, n);
    f.stacked = arena_array(a, bool, n);
    for (uint32_t i = 0; i < f.g->plan->dfs.n && !c->unclear; i++) add_ways(&f, i);
    for (int i = 0; i < f.g->nstops; i++) add_reduction(&f, i);
    if (c->unclear) return;
    sort_ways(&f);
    divide_all(&f);
}

/* ---- directions ---- */

static bool
is_carried(const struct carry *c, int counter, int stop)
{
    for (int i = c->last_of[counter]; i >= 0; i = c->all[i].before)
        if (c->all[i].along[stop / 64] >> stop % 64 & 1) return true;
    return false;
}

/* Carried by the loop of one of its counters, a stop is parallel along another. */
static bool
is_parallel_else(const struct carry *c, const struct stop *s, int stop)
{
    for (int i = 0; i < s->ncounters; i++)
        if (!is_carried(c, s->counter[i], stop)) return true;
    return false;
}

bool
carry_is_time(const struct carry *c, const struct directions *d, const struct direction *x)
{
    const struct place_graph *g = d->graph;
    int most = 0;
    bool all = true;
    if (x->of_while) return true;
    for (int i = 0; i < x->n; i++)
        if (!x->member[i].of_df && g->stops[x->member[i].of].ncounters > most)
            most = g->stops[x->member[i].of].ncounters;
    for (int i = 0; i < x->n; i++) {
        const struct direction_member *m = &x->member[i];
        const struct stop *s = &g->stops[m->of];
        if (m->of_df || s->ncounters < most) continue;
        if (!is_carried(c, s->counter[m->position], m->of)) all = false;
        else if (is_parallel_else(c, s, m->of)) return true; /* whoever else reads its values */
    }
    return most > 0 && all;
}

int
carry_wave(const struct carry *c, const struct directions *d, const struct direction *x)
{
    for (int i = 0; i < x->n && c->nwaves; i++) {
        const struct direction_member *m = &x->member[i];
        if (m->of_df) continue;
        int wave = c->wave_of[d->graph->stops[m->of].counter[m->position]];
        if (wave >= 0) return wave;
    }
    return -1;
}
