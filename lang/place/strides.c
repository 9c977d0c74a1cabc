/* strides.c - all steps are tried, and those that do not fit are taken back. */
#include "lang/place/strides.h"

#include "lang/place/directions.h"

/* The least value it has; of ends that are no numbers, one that is not above it by a whole step. */
static int64_t
base_of(const struct counter *c)
{
    int64_t stride = c->step < 0 ? -(int64_t)c->step : c->step;
    bool number = end_constant(&c->lo);
    if (c->step > 0 || !end_constant(&c->hi)) return number ? c->lo.k : 0;
    int64_t far = number ? c->hi.k - c->lo.k : c->hi.k;
    return c->hi.k - far / stride * stride;
}

static void
widen(struct counter *c)
{
    if (c->step >= -1 && c->step <= 1) return;
    c->stride = c->step < 0 ? -(int64_t)c->step : c->step;
    c->base = base_of(c);
}

static void
widen_index(const struct counter *c, struct index_step *s)
{
    s->k += s->c * c->base;
    s->c *= c->stride;
}

static void
narrow_index(const struct counter *c, struct index_step *s)
{
    s->c /= c->stride;
    s->k -= s->c * c->base;
}

/* The index goes along with others only if the coordinate is the counter itself. */
static bool
is_too_wide(const struct counter *c, const struct touch *t, const struct index_step *s,
            const struct scale *scale)
{
    if (s->c == (scale ? scale->c : 1)) return false;
    return s->c / c->stride == (scale ? scale->c : 1) || (t->write && !scale);
}

/* Of those that are to be narrow. True: there are any. */
static bool
mark(const struct place_graph *g, uint32_t df, bool *narrow)
{
    const struct fragments *f = &g->dfs[df];
    bool any = false;
    for (int p = 0; p < f->n && !(f->seen & SEEN_OUT); p++) {
        struct scale scale;
        bool found = directions_scale(g, df, p, &scale);
        for (int i = f->touch; i < f->touch + f->ntouches; i++) {
            const struct touch *t = &g->touches[i];
            for (int k = 0; k < t->index[p].n; k++) {
                const struct index_step *s = &t->index[p].step[k];
                if (s->counter < 0 || g->counters[s->counter].stride == 1) continue;
                if (!is_too_wide(&g->counters[s->counter], t, s, found ? &scale : NULL)) continue;
                narrow[s->counter] = any = true;
            }
        }
    }
    return any;
}

typedef void changer(const struct counter *c, struct index_step *s);

static void
change_index(const struct place_graph *g, const struct index *x, const bool *which, changer *what)
{
    for (int k = 0; k < x->n; k++) {
        struct index_step *s = &x->step[k];
        if (s->counter < 0 || g->counters[s->counter].stride == 1) continue;
        if (!which || which[s->counter]) what(&g->counters[s->counter], s);
    }
}

/* Each index that a wide counter is in, or one of `which`. */
static void
change(const struct place_graph *g, const bool *which, changer *what)
{
    for (uint32_t df = 0; df < g->plan->dfs.n; df++) {
        const struct fragments *f = &g->dfs[df];
        if (f->seen & SEEN_OUT) continue;
        for (int i = f->touch; i < f->touch + f->ntouches; i++)
            for (int p = 0; p < f->n; p++)
                change_index(g, &g->touches[i].index[p], which, what);
    }
}

static bool
take_back(struct place_graph *g, bool *narrow)
{
    bool any = false;
    for (uint32_t df = 0; df < g->plan->dfs.n; df++) any |= mark(g, df, narrow);
    if (!any) return false;
    change(g, narrow, narrow_index);
    for (int i = 0; i < g->ncounters; i++)
        if (narrow[i]) g->counters[i].stride = 1;
    return true;
}

void
strides_find(struct place_graph *g)
{
    bool *narrow = arena_array(g->arena, bool, (size_t)g->ncounters + 1);
    for (int i = 0; i < g->ncounters; i++) widen(&g->counters[i]);
    change(g, NULL, widen_index);
    while (take_back(g, narrow)) continue;
    for (int i = 0; i < g->ncounters; i++)
        if (g->counters[i].stride > 1) g->counters[i].step = g->counters[i].step < 0 ? -1 : 1;
}
