/* grid.c - rules of place for one choice of directions. */
#include "lang/place/grid.h"

#include <string.h>

/* Patch keeps some 60 bytes of each cell, so a few thousand are enough. */
static const int32_t most_plain[] = {4096, 256, 40};
static const int32_t most_folded[] = {32, 8, 4};

/* ---- ends ---- */

static int64_t
low_of(const struct directions *d, const struct direction *x)
{
    const struct counter *c = &d->graph->counters[x->widest];
    return (c->stride > 1 ? 0 : c->lo.k) + x->offset;
}

/* Its ends are known, and the low one is a number. */
static bool
has_ends(const struct directions *d, const struct direction *x)
{
    return x->widest >= 0 && end_constant(&d->graph->counters[x->widest].lo);
}

static struct end
extent_of(const struct directions *d, const struct direction *x)
{
    const struct counter *c = &d->graph->counters[x->widest];
    struct end far = end_less(&c->hi, &c->lo);
    return end_divided(&far, c->stride, c->stride);
}

static void
set_ends(struct grid *g, const struct directions *d, const struct carry *c)
{
    for (int m = 0; m < g->ndims; m++) {
        const struct direction *x = &d->all[g->direction[m]];
        bool wave = carry_wave(c, d, x) >= 0;
        g->wanders |= wave || (x->slanted && g->ndims > 1);
        g->folded |= wave || x->slanted || !has_ends(d, x);
    }
    g->most = (g->folded ? most_folded : most_plain)[g->ndims - 1];
    for (int m = 0; m < g->ndims; m++) {
        const struct direction *x = &d->all[g->direction[m]];
        bool known = has_ends(d, x);
        g->low[m] = known ? low_of(d, x) : 0;
        g->extent[m] =
            known && !x->slanted ? extent_of(d, x) : (struct end){.known = true, .k = g->most};
    }
}

/* ---- rules ---- */

/* What becomes of a coordinate of the DF that runs from 0 to less than n. */
static bool
fit(const struct grid *g, const struct place_graph *graph, uint32_t df, int m,
    const struct end *n, struct side *s)
{
    struct end there;
    const struct end *extent = &g->extent[m];
    if (g->folded) {
        s->folded = g->most;
        return true;
    }
    bool small = end_constant(extent) && extent->k <= g->most;
    if (end_same(n, extent)) {
        if (small) return true;
        s->scaled_to = g->most;
    } else {
        if (!end_constant(extent)) return false;
        s->scaled_to = small ? (int32_t)extent->k : g->most;
        if (end_constant(n) && n->k <= s->scaled_to) s->scaled_to = 0;
    }
    s->of = *n;
    if (s->scaled_to && !graph_words_in(graph, graph->plan->dfs.row[df].sub, n, &there)) {
        s->folded = s->scaled_to;
        s->scaled_to = 0;
    }
    return true;
}

static int
aligned_index(const struct grid *g, const struct directions *d, uint32_t df, int m)
{
    const struct fragments *f = &d->graph->dfs[df];
    for (int p = 0; p < f->n; p++)
        if (d->number[d->first_index[df] + p] == g->direction[m]) return p;
    return -1;
}

static bool
is_chosen(const struct grid *g, int direction)
{
    for (int m = 0; m < g->ndims; m++)
        if (g->direction[m] == direction) return true;
    return false;
}

/* The next one from `p` on that goes nowhere. */
static int
free_index(const struct grid *g, const struct directions *d, const struct carry *c, uint32_t df,
           int p)
{
    const struct fragments *f = &d->graph->dfs[df];
    for (; p < f->n; p++) {
        int node = d->first_index[df] + p;
        const struct direction *x = &d->all[d->number[node]];
        if (c->index[node] || is_chosen(g, d->number[node])) continue;
        if (p < f->hidden && carry_is_time(c, d, x)) continue; /* declared anew in each turn */
        if (x->turns > 1 && (g->folded || has_ends(d, x))) return p;
    }
    return -1;
}

/* A row holds an int. */
static bool
set_side(struct side *s, int position, const struct scale *scale, int64_t less)
{
    int64_t add = -scale->base - scale->c * less;
    if (add < -ADD_MOST || add > ADD_MOST || scale->c > ADD_MOST) return false;
    s->any = true;
    s->position = position;
    s->c = scale->c;
    s->add = add;
    return true;
}

static void
lift(const struct place_graph *g, uint32_t df, struct side *s)
{
    const struct fragments *f = &g->dfs[df];
    int64_t lo = 0, round = s->c * s->folded;
    if (!s->any || !s->folded || s->c == 1) return;
    for (int i = f->touch; i < f->touch + f->ntouches; i++) {
        const struct index *x = &g->touches[i].index[s->position];
        if (x->lo + s->add < lo) lo = x->lo + s->add;
    }
    int64_t rounds = (-lo + round - 1) / round;
    if (s->add + rounds * round <= ADD_MOST) s->lift = rounds * round;
}

static void
place_df(struct grid *g, const struct directions *d, const struct carry *c, uint32_t df)
{
    int next = 0;
    bool whole = true;
    for (int m = 0; m < g->ndims; m++) {
        struct side *s = &g->side[df][m];
        int p = aligned_index(g, d, df, m);
        if (p < 0) continue;
        int node = d->first_index[df] + p;
        whole &= fit(g, d->graph, df, m, &g->extent[m], s) &&
                 set_side(s, p, &d->scale[node], g->low[m] - d->offset[node]);
        s->aligned = true;
    }
    for (int m = 0; m < g->ndims; m++) {
        struct side *s = &g->side[df][m], tried = {0};
        if (s->any || s->aligned) continue;
        int p = free_index(g, d, c, df, next);
        if (p < 0) break;
        next = p + 1;
        int node = d->first_index[df] + p;
        const struct direction *x = &d->all[d->number[node]];
        bool known = has_ends(d, x);
        struct end n = known && !x->slanted ? extent_of(d, x) : (struct end){0};
        if (!fit(g, d->graph, df, m, &n, &tried)) continue;
        if (set_side(&tried, p, &d->scale[node], known ? low_of(d, x) - d->offset[node] : 0))
            *s = tried;
    }
    for (int m = 0; m < g->ndims; m++) {
        lift(d->graph, df, &g->side[df][m]);
        g->ruled[df] |= g->side[df][m].any;
    }
    g->ruled[df] &= whole;
}

void
grid_begin(struct grid *g, struct arena *a, const struct plan *p)
{
    *g = (struct grid){0};
    g->side = arena_alloc(a, ((size_t)p->dfs.n + 1) * sizeof *g->side);
    g->ruled = arena_array(a, bool, (size_t)p->dfs.n + 1);
}

void
grid_make(struct grid *g, const struct directions *d, const struct carry *c, const int *direction,
          int n)
{
    const struct place_graph *graph = d->graph;
    g->ndims = n;
    g->folded = g->wanders = false;
    for (int m = 0; m < n; m++) g->direction[m] = direction[m];
    set_ends(g, d, c);
    for (uint32_t df = 0; df < graph->plan->dfs.n; df++) {
        unsigned seen = graph->dfs[df].seen;
        memset(g->side[df], 0, sizeof g->side[df]);
        g->ruled[df] = false;
        if ((seen & (SEEN_TOUCHED | SEEN_OUT)) == SEEN_TOUCHED) place_df(g, d, c, df);
    }
}

bool
grid_at(const struct grid *g, const struct touch *t, int dim, const struct index_step **step,
        int64_t *at)
{
    static const struct index_step nowhere = {-1, 0, 0, false};
    const struct side *s = &g->side[t->df][dim];
    *step = &nowhere;
    *at = 0;
    if (!s->any) return true;
    const struct index *x = &t->index[s->position];
    struct scale scale = {s->c, -s->add};
    for (int i = 0; i < x->n; i++)
        if (x->step[i].counter >= 0 || i == x->n - 1) {
            *step = &x->step[i];
            return directions_step(&scale, *step, at);
        }
    return false;
}
