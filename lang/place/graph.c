/* graph.c - counters, and around which statements they are. */
#include "lang/place/graph_parts.h"

#include "lang/prove/params.h"
#include "runtime/base/vec.h"

#include <string.h>

enum { CALLS_MAX = 4000 };
#define BOX_SMALL (INT64_C(1) << 24)

/* ---- main's words ---- */

static const struct end unknown;

/* What the words of a sub's frame are by the loops around its activations. */
struct activation {
    bool asked;
    struct words { /* an int, or the indices of a name */
        int n;
        struct index *index;
    } *words;
};

static int64_t
floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static struct end
end_add(struct end a, int64_t factor, const struct end *b)
{
    if (!a.known || !b->known || a.by || b->by) return unknown;
    a.k += factor * b->k;
    for (int i = 0; i < b->n; i++) {
        int at = 0;
        while (at < a.n && a.term[at].word != b->term[i].word) at++;
        if (at == BOUND_TERMS) return unknown;
        if (at == a.n) {
            a.term[at].word = b->term[i].word;
            a.term[at].factor = 0;
            a.n++;
        }
        a.term[at].factor += factor * b->term[i].factor;
    }
    return a;
}

struct end
end_less(const struct end *a, const struct end *b)
{
    return end_add(*a, -1, b);
}

bool
end_constant(const struct end *a)
{
    bool same = a->known;
    for (int i = 0; i < a->n; i++) same &= !a->term[i].factor;
    return same;
}

bool
end_same(const struct end *a, const struct end *b)
{
    struct end x = *a, y = *b;
    x.by = y.by = 0;
    struct end less = end_less(&x, &y);
    return a->by == b->by && end_constant(&less) && !less.k;
}

struct end
end_divided(const struct end *a, int64_t k, int64_t by)
{
    struct end all = *a;
    all.k += k;
    if (end_constant(&all)) all.k = floor_div(all.k, by);
    else if (by > 1) all.by = by;
    return all;
}

static void ask_given(struct builder *b, uint32_t sub);

/* A sum without counters, in main's words. */
static struct end
in_main(struct builder *b, const struct walk *w, const struct sums *s)
{
    struct end all = {.known = true};
    if (!s || s->n != 1) return unknown;
    const struct sum *sum = &s->pieces[0].sum;
    all.k = sum->k;
    for (int i = 0; i < sum->n; i++) {
        const struct sets_term *t = &sum->terms[i];
        const struct fixed *f = t->space == SETS_SYMBOL ? &w->fixed[t->number] : NULL;
        if (!f || (f->kind != FIXED_MAIN && f->kind != FIXED_PARAM)) return unknown;
        struct end word = {.known = true, .n = 1, .term = {{f->word, 1}}};
        if (f->kind == FIXED_PARAM) {
            ask_given(b, w->sub);
            word = b->g->given[w->sub][f->word];
        }
        all = end_add(all, t->factor, &word);
    }
    return all;
}

/* What all calls of the sub say that its words are. */
static void
ask_given(struct builder *b, uint32_t sub)
{
    struct place_graph *g = b->g;
    const struct plan *p = g->plan;
    uint32_t words = p->subs.row[sub].nwords;
    bool any = false;
    if (b->state[sub]) return; /* a recursion: unknown */
    b->state[sub] = 1;
    struct end *found = arena_array(g->arena, struct end, words + 1);
    for (uint32_t i = 0; i < p->subs.n; i++)
        for (const struct called *c = b->walks[i] ? b->walks[i]->called : NULL; c; c = c->next) {
            const struct env *inside = c->step->inside;
            if (inside->sub != sub) continue;
            for (uint32_t k = 0; k < words; k++) {
                struct end one = in_main(b, b->walks[i], inside->frame[k]);
                if (!any)
                    found[k] = one;
                else if (!end_same(&found[k], &one))
                    found[k] = unknown;
            }
            any = true;
        }
    g->given[sub] = found;
    b->state[sub] = 2;
}

bool
graph_words_in(const struct place_graph *g, uint32_t sub, const struct end *of, struct end *there)
{
    const struct end *given = g->given[sub];
    *there = *of;
    for (int i = 0; i < of->n && sub != g->plan->main; i++) {
        uint32_t w = 0, words = g->plan->subs.row[sub].nwords;
        while (w < words &&
               !(given[w].known && !given[w].k && given[w].n == 1 &&
                 given[w].term[0].word == of->term[i].word && given[w].term[0].factor == 1))
            w++;
        if (w == words) return false;
        there->term[i].word = w;
    }
    return of->known;
}

/* ---- counters and stops ---- */

/* From its least value to its most it is so far. */
static double
turns_over(int64_t far, int64_t step)
{
    far = far < 0 ? -1 : far / (step < 0 ? -step : step);
    return far >= TURNS_MOST ? TURNS_MOST : (double)far + 1;
}

static double
turns_of(const struct end *lo, const struct end *hi, int64_t step)
{
    struct end n = end_add(*hi, -1, lo);
    return end_constant(&n) ? turns_over(n.k, step) : TURNS_MOST;
}

static bool
has_counter(const struct sums *s)
{
    for (int i = 0; s && i < s->n; i++)
        for (int k = 0; k < s->pieces[i].sum.n; k++)
            if (s->pieces[i].sum.terms[k].space == SETS_FROM) return true;
    return false;
}

static double
turns_between(const struct sums *lo, const struct sums *hi, int64_t step)
{
    return lo && hi ? turns_over(hi->hi - lo->lo, step) : TURNS_MOST;
}

static int
counter_of(struct builder *b, const struct walk *w, const struct nesting *at)
{
    struct place_graph *g = b->g;
    uint32_t row = (uint32_t)(at->site - g->plan->sites.row);
    if (g->counter_of[row] >= 0) {
        struct counter *c = &g->counters[g->counter_of[row]];
        struct end lo = in_main(b, w, at->lo), hi = in_main(b, w, at->hi);
        if (!c->lo.known || !c->hi.known) c->lo = lo, c->hi = hi;
        return g->counter_of[row];
    }
    struct counter c = {.site = at->site, .of_while = at->site->kind == PS_WHILE};
    c.step = at->site->kind == PS_FOR ? at->site->step : 1;
    c.stride = 1;
    c.slanted = has_counter(at->lo) || has_counter(at->hi);
    c.lo = in_main(b, w, at->lo);
    c.hi = in_main(b, w, at->hi);
    c.turns = c.of_while  ? TURNS_OF_WHILE
              : c.slanted ? turns_between(at->lo, at->hi, c.step)
                          : turns_of(&c.lo, &c.hi, c.step);
    vec_need(g->arena, g->counters, g->ncounters, g->counters_room);
    g->counters[g->ncounters] = c;
    g->counter_of[row] = g->ncounters;
    return g->ncounters++;
}

const int *
graph_counters(struct builder *b, const struct walk *w, const struct nesting *at, int *n)
{
    const struct activations *outer = &b->g->activations[w->sub];
    *n = outer->n + nesting_loops(at);
    int *all = arena_array(b->g->arena, int, (size_t)*n + 1);
    for (int i = 0; i < outer->n; i++) all[i] = outer->counter[i];
    for (; at; at = at->up)
        if (at->kind == STEP_LOOP) all[outer->n + at->loops - 1] = counter_of(b, w, at);
    return all;
}

/* ---- activations ---- */

static const struct index nothing = {.lo = INT32_MIN, .hi = INT32_MAX};

/* What a word is that the caller gives as this sum of a counter around the call, or of an int that
 * the caller was given itself. */
static struct index
word_of(struct builder *b, const struct walk *w, const struct sums *s, const int *counter)
{
    struct index all = nothing, of = nothing;
    struct index_step *step = arena_new_of(b->g->arena, struct index_step);
    if (!s || s->n != 1 || s->pieces[0].sum.n != 1) return all;
    const struct sum *sum = &s->pieces[0].sum;
    const struct sets_term *t = &sum->terms[0];
    if (t->space == SETS_FROM) {
        *step = (struct index_step){counter[t->number], t->factor, sum->k, false};
        return (struct index){1, step, s->lo, s->hi};
    }
    if (t->space == SETS_SYMBOL && w->fixed[t->number].kind == FIXED_PARAM) {
        const struct words *word = &b->inside[w->sub].words[w->fixed[t->number].word];
        if (word->n == 1) of = *word->index;
    }
    if (!of.n) return all;
    *step = *of.step;
    step->c *= t->factor;
    step->k = step->k * t->factor + sum->k;
    if (t->factor != 1) return (struct index){1, step, all.lo, all.hi};
    return (struct index){1, step, of.lo + sum->k, of.hi + sum->k};
}

/* Of a name: the indices it was given by all callers together. */
static struct words
name_words(struct builder *b, const struct walk *w, const struct bound *name, const int *counter)
{
    struct words own = {0}, all;
    uint32_t ndfs = b->g->plan->dfs.n;
    if (name->decl == PLAN_NONE) return own;
    if (name->decl >= ndfs) own = b->inside[w->sub].words[name->decl - ndfs];
    all.n = own.n + name->n - name->hidden;
    all.index = arena_array(b->g->arena, struct index, (size_t)all.n + 1);
    for (int i = 0; i < own.n; i++) all.index[i] = own.index[i];
    for (int i = own.n; i < all.n; i++)
        all.index[i] = word_of(b, w, name->index[name->hidden + i - own.n], counter);
    return all;
}

static void
fill_words(struct builder *b, struct activation *in, const struct walk *w,
           const struct nesting *call, const int *counter)
{
    const struct plan *p = b->g->plan;
    for (unsigned i = 0; i < call->site->nargs; i++) {
        const struct plan_arg *arg = &p->args.row[call->site->arg + i];
        if (arg->kind == PA_NAME)
            in->words[i] = name_words(b, w, &call->inside->names[i], counter);
        if (arg->kind != PA_INT) continue;
        in->words[i].n = 1;
        in->words[i].index = arena_new_of(b->g->arena, struct index);
        *in->words[i].index = word_of(b, w, call->inside->frame[i], counter);
    }
}

/* An int, for a user can write it; and as it is. */
static int
worth(enum source_kind kind, const struct index_step *s)
{
    return (kind == SOURCE_INT ? 4 : 2) + (s->c == 1 && !s->k);
}

static void
find_source(const struct place_graph *g, const struct activation *in, const struct plan_site *call,
            int counter, struct source *source, struct index *index)
{
    int best = 0;
    for (unsigned i = 0; i < call->nargs; i++) {
        bool name = g->plan->args.row[call->arg + i].kind == PA_NAME;
        enum source_kind kind = name ? SOURCE_INDEX : SOURCE_INT;
        for (int k = 0; k < in->words[i].n; k++) {
            const struct index *x = &in->words[i].index[k];
            if (!x->n || x->step->counter != counter || x->step->c < 1) continue;
            if (worth(kind, x->step) <= best) continue;
            best = worth(kind, x->step);
            *source = (struct source){kind, (uint16_t)i, k};
            *index = *x;
        }
    }
}

/* By that call. */
static void
set_activations(struct builder *b, uint32_t sub, const struct walk *w, const struct called *call,
                bool only)
{
    struct place_graph *g = b->g;
    struct activations *all = &g->activations[sub];
    all->counter = graph_counters(b, w, call->step, &all->n);
    int outer = g->activations[w->sub].n;
    struct source *source = arena_array(g->arena, struct source, (size_t)all->n + 1);
    struct index *index = arena_array(g->arena, struct index, (size_t)all->n + 1);
    fill_words(b, &b->inside[sub], w, call->step, all->counter + outer);
    for (int i = 0; i < all->n; i++) {
        struct index_step *step = arena_new_of(g->arena, struct index_step);
        *step = (struct index_step){all->counter[i], 1, 0, false};
        index[i] = (struct index){1, step, nothing.lo, nothing.hi};
        find_source(g, &b->inside[sub], call->step->site, all->counter[i], &source[i], &index[i]);
        if (!only) index[i].lo = nothing.lo, index[i].hi = nothing.hi;
    }
    all->source = source;
    all->index = index;
}

/* It calls itself, perhaps far below. */
static bool
is_recursive(const struct builder *b, uint32_t sub)
{
    uint32_t n = b->g->plan->subs.n, *row = arena_array(b->g->arena, uint32_t, (size_t)n + 1);
    bool *seen = arena_array(b->g->arena, bool, (size_t)n + 1);
    uint32_t nrows = 1;
    row[0] = sub;
    for (uint32_t i = 0; i < nrows && !seen[sub]; i++) {
        const struct called *c = b->walks[row[i]] ? b->walks[row[i]]->called : NULL;
        for (; c; c = c->next) {
            uint32_t to = c->step->inside->sub;
            if (!seen[to] && to != sub) row[nrows++] = to;
            seen[to] = true;
        }
    }
    return seen[sub];
}

/* A recursion is left alone. */
static void
ask_activations(struct builder *b, uint32_t sub)
{
    struct place_graph *g = b->g;
    struct activation *in = &b->inside[sub];
    const struct walk *from = NULL;
    const struct called *best = NULL;
    int ncalls = 0, most = -1;
    if (in->asked) return;
    in->asked = true;
    in->words = arena_array(g->arena, struct words, (size_t)g->plan->subs.row[sub].nwords + 1);
    if (is_recursive(b, sub)) return;
    for (uint32_t i = 0; i < g->plan->subs.n; i++)
        for (const struct called *c = b->walks[i] ? b->walks[i]->called : NULL; c; c = c->next) {
            if (c->step->inside->sub != sub) continue;
            ask_activations(b, i);
            int loops = g->activations[i].n + nesting_loops(c->step);
            ncalls++;
            if (loops <= most) continue;
            most = loops;
            best = c;
            from = b->walks[i];
        }
    if (best) set_activations(b, sub, from, best, ncalls == 1);
}

int
graph_stop(struct builder *b, const struct plan_site *site, const int *counter, int n, bool own)
{
    struct place_graph *g = b->g;
    uint32_t row = (uint32_t)(site - g->plan->sites.row);
    if (g->stop_of[row] < 0) {
        vec_need(g->arena, g->stops, g->nstops, g->stops_room);
        g->stops[g->nstops] = (struct stop){.site = site, .ncounters = -1};
        g->stop_of[row] = g->nstops++;
    }
    struct stop *s = &g->stops[g->stop_of[row]];
    if (n > s->ncounters || (own && n == s->ncounters)) {
        s->ncounters = n;
        s->counter = counter;
        s->turns = 1;
        for (int i = 0; i < n; i++) s->turns *= g->counters[counter[i]].turns;
    }
    return g->stop_of[row];
}

/* Where the loops around its declaration are told: those in the sub by their counters. */
static const struct source *
sources_of(struct place_graph *g, const struct activations *outer, const struct touched *t)
{
    size_t n = (size_t)outer->n + (size_t)t->hidden;
    struct source *all = arena_array(g->arena, struct source, n + 1);
    const struct access *x = t->writes ? t->writes : t->reads;
    for (int i = 0; i < outer->n; i++) all[i] = outer->source[i];
    for (const struct nesting *at = x ? x->at : NULL; at; at = at->up)
        if (at->kind == STEP_LOOP && at->loops <= t->hidden)
            all[outer->n + at->loops - 1] = (struct source){SOURCE_LOCAL, (uint16_t)at->word, 0};
    return all;
}

static void
add_fragments(struct builder *b, const struct walk *w, const struct touched *t)
{
    struct place_graph *g = b->g;
    struct fragments *f = &g->dfs[t->decl];
    unsigned reasons = DECL_VAGUE | DECL_SENT | DECL_COPIED;
    if (f->seen & SEEN_TOUCHED || w->flags[t->decl] & reasons) f->seen |= SEEN_OUT;
    f->seen |= SEEN_TOUCHED;
    const struct activations *outer = &g->activations[w->sub];
    f->outer = outer->n;
    f->n = outer->n + t->n;
    f->hidden = outer->n + t->hidden;
    f->source = sources_of(g, outer, t);
    f->touch = g->ntouches;
    for (int reads = 0; reads < 2; reads++)
        for (const struct access *x = reads ? t->reads : t->writes; x; x = x->next) {
            int before = g->ntouches;
            graph_add_touches(b, w, x, t->decl, t->n, !reads);
            for (int i = before; i < g->ntouches && reads; i++)
                f->seen |= g->touches[i].number ? SEEN_READ : SEEN_READ | SEEN_WHOLE;
        }
    f->ntouches = g->ntouches - f->touch;
}

static void
reach(struct builder *b, uint32_t sub)
{
    const struct plan *p = b->g->plan;
    bool more = true;
    b->reached[sub] = true;
    while (more) {
        more = false;
        for (uint32_t i = 0; i < p->sites.n; i++) {
            const struct plan_site *s = &p->sites.row[i];
            if (s->kind != PS_EXPAND || !b->reached[s->sub] || b->reached[s->callee]) continue;
            b->reached[s->callee] = more = true;
        }
    }
}

static struct walk *
walk_of(struct builder *b, uint32_t sub, struct param_facts **params)
{
    struct place_graph *g = b->g;
    const struct plan *p = g->plan;
    struct walk *w = arena_new_of(g->arena, struct walk);
    bool **lost = arena_array(g->arena, bool *, (size_t)p->subs.n + 1);
    int calls = CALLS_MAX;
    for (uint32_t i = 0; i < p->subs.n; i++)
        lost[i] = arena_array(g->arena, bool, (size_t)p->subs.row[i].nwords + 1);
    struct walk_options o = {.box = BOX_SMALL, .params = params, .lost = lost, .calls = &calls};
    access_walk(w, g->arena, p, sub, &o);
    w->o.calls = NULL;
    return w;
}

void
graph_make(struct place_graph *g, struct arena *a, const struct plan *p)
{
    struct builder b = {.g = g};
    *g = (struct place_graph){.arena = a, .plan = p};
    g->dfs = arena_array(a, struct fragments, (size_t)p->dfs.n + 1);
    g->given = arena_array(a, struct end *, (size_t)p->subs.n + 1);
    g->stop_of = arena_array(a, int, (size_t)p->sites.n + 1);
    g->counter_of = arena_array(a, int, (size_t)p->sites.n + 1);
    b.walks = arena_array(a, struct walk *, (size_t)p->subs.n + 1);
    b.reached = arena_array(a, bool, (size_t)p->subs.n + 1);
    b.state = arena_array(a, char, (size_t)p->subs.n + 1);
    b.inside = arena_array(a, struct activation, (size_t)p->subs.n + 1);
    g->activations = arena_array(a, struct activations, (size_t)p->subs.n + 1);
    for (uint32_t i = 0; i < p->sites.n; i++) g->stop_of[i] = g->counter_of[i] = -1;
    for (uint32_t i = 0; i < p->subs.n; i++)
        g->given[i] = arena_array(a, struct end, (size_t)p->subs.row[i].nwords + 1);
    reach(&b, p->main);
    struct param_facts **params = params_new(a, p);
    for (uint32_t i = 0; i < p->subs.n; i++)
        if (b.reached[i]) b.walks[i] = walk_of(&b, i, params);
    for (uint32_t i = 0; i < p->subs.n; i++) ask_activations(&b, i);
    for (uint32_t i = 0; i < p->subs.n; i++)
        for (const struct touched *t = b.walks[i] ? b.walks[i]->all : NULL; t; t = t->later)
            if (!(b.walks[i]->flags[t->decl] & DECL_PARAM)) add_fragments(&b, b.walks[i], t);
}
