/* words.c - rules of place as text. */
#include "lang/place/words.h"

#include "lang/place/rules.h"

#include <inttypes.h>
#include <string.h>

struct writer {
    const struct place_graph *g;
    const struct grid *grid;
    const struct source *source;
    struct buf *out;
    uint32_t df; /* whose rule is written */
};

/* ---- names ---- */

/* Of a list: the one that lies in the word of its loop. */
static const char *
list_counter_name(const struct plan_site *loop)
{
    int word = loop->nlocal + (loop->kind == PS_LIST ? loop->nargs - 1 : 0);
    for (const struct expr *e = loop->stmt->args; e; e = e->next)
        for (const struct reduce_range *r = e->over; r; r = r->next)
            if (r->counter->slot == word) return r->counter->name.text;
    return "i";
}

static const char *
counter_name(const struct counter *c)
{
    const struct stmt *s = c->site->stmt;
    if (s->kind == S_REDUCE) return s->ranges->counter->name.text;
    return s->kind == S_CALL ? list_counter_name(c->site) : s->counter->name.text;
}

/* The counter it goes along with in most loops; -1: none. */
static int
counter_at(const struct place_graph *g, uint32_t df, int position)
{
    const struct fragments *f = &g->dfs[df];
    int best = -1, most = -1;
    for (int i = f->touch; i < f->touch + f->ntouches; i++) {
        const struct touch *t = &g->touches[i];
        int around = g->stops[t->stop].ncounters + (t->write ? 100 : 0);
        for (int k = 0; k < t->index[position].n; k++)
            if (t->index[position].step[k].counter >= 0 && around > most) {
                most = around;
                best = t->index[position].step[k].counter;
            }
    }
    return best;
}

static const char *
word_name(const struct place_graph *g, uint32_t sub, uint32_t word)
{
    const struct symbol *p = g->plan->subs.row[sub].sub->params;
    for (uint32_t i = 0; p && i < word; i++) p = p->next;
    return p ? p->name.text : "?";
}

/* NULL: it has none. */
static const char *
name_at(const struct place_graph *g, uint32_t df, int position)
{
    const struct fragments *f = &g->dfs[df];
    const struct source *s = position < f->hidden ? &f->source[position] : NULL;
    if (s && s->kind == SOURCE_INT) return word_name(g, g->plan->dfs.row[df].sub, s->word);
    int counter = counter_at(g, df, position);
    return counter < 0 ? NULL : counter_name(&g->counters[counter]);
}

static void
put_name(const struct writer *w, int position)
{
    const char *name = name_at(w->g, w->df, position);
    for (int p = 0; p < position && name; p++) {
        const char *other = name_at(w->g, w->df, p);
        bool seen = p >= w->g->dfs[w->df].hidden || !graph_is_nowhere(w->g, w->df, p);
        if (seen && other && !strcmp(name, other)) name = NULL;
    }
    if (name) buf_str(w->out, name);
    else buf_printf(w->out, "at%d", position - w->g->dfs[w->df].hidden + 1);
}

/* ---- expressions ---- */

static void
put_bound(const struct writer *w, uint32_t sub, const struct end *b)
{
    bool any = false;
    if (b->by) buf_char(w->out, '(');
    for (int i = 0; i < b->n; i++) {
        if (!b->term[i].factor) continue;
        if (any) buf_str(w->out, " + ");
        if (b->term[i].factor != 1) buf_printf(w->out, "%" PRId64 "*", b->term[i].factor);
        buf_str(w->out, word_name(w->g, sub, b->term[i].word));
        any = true;
    }
    if (!any)
        buf_printf(w->out, "%" PRId64, b->k);
    else if (b->k)
        buf_printf(w->out, " %c %" PRId64, b->k < 0 ? '-' : '+', b->k < 0 ? -b->k : b->k);
    if (b->by) buf_printf(w->out, ") / %" PRId64, b->by);
}

/* The least and the largest coordinate. */
static void
range_of(const struct writer *w, const struct side *s, int64_t *lo, int64_t *hi)
{
    const struct fragments *f = &w->g->dfs[w->df];
    *lo = INT32_MAX;
    *hi = INT32_MIN;
    for (int i = f->touch; i < f->touch + f->ntouches; i++) {
        const struct index *x = &w->g->touches[i].index[s->position];
        if (x->lo < *lo) *lo = x->lo;
        if (x->hi > *hi) *hi = x->hi;
    }
    *lo = (*lo + s->add + s->lift) / s->c;
    *hi = (*hi + s->add + s->lift) / s->c;
}

static void
put_index(const struct writer *w, const struct side *s)
{
    int64_t add = s->add + s->lift;
    const char *sign = add < 0 ? "-" : "+";
    bool brackets = add && s->c > 1;
    if (brackets) buf_char(w->out, '(');
    put_name(w, s->position);
    if (add) buf_printf(w->out, " %s %" PRId64, sign, add < 0 ? -add : add);
    if (brackets) buf_char(w->out, ')');
    if (s->c > 1) buf_printf(w->out, " / %" PRId64, s->c);
}

static void
put_bracketed(const struct writer *w, const struct side *s)
{
    bool brackets = s->add + s->lift || s->c > 1;
    if (brackets) buf_char(w->out, '(');
    put_index(w, s);
    if (brackets) buf_char(w->out, ')');
}

/* A number of cells from 1 to `most`. */
static void
put_extent(const struct writer *w, int m)
{
    const struct end *n = &w->grid->extent[m];
    int64_t most = w->grid->most;
    if (end_constant(n)) {
        buf_printf(w->out, "%" PRId64, n->k < 1 ? 1 : n->k > most ? most : n->k);
        return;
    }
    buf_str(w->out, "(");
    put_bound(w, w->g->plan->main, n);
    buf_str(w->out, " < 1 ? 1 : (");
    put_bound(w, w->g->plan->main, n);
    buf_printf(w->out, " > %" PRId64 " ? %" PRId64 " : ", most, most);
    put_bound(w, w->g->plan->main, n);
    buf_str(w->out, "))");
}

/* A step stays between 0 and n, for all turns of its counter. */
static bool
stays_within(const struct place_graph *g, const struct side *s, const struct index_step *step,
             const struct end *n)
{
    const struct scale scale = {s->c, -s->add};
    int64_t at;
    if (!directions_step(&scale, step, &at)) return false;
    if (step->sometimes || step->counter < 0) return step->sometimes || !at;
    const struct counter *c = &g->counters[step->counter];
    if (c->stride > 1 || c->slanted) return true; /* it is what the lattice is made from */
    struct end room = end_less(n, &c->hi);
    return end_constant(&c->lo) && c->lo.k + at >= 0 && end_constant(&room) && room.k - at >= 1;
}

static bool
all_stay_within(const struct writer *w, const struct side *s, const struct end *n)
{
    const struct fragments *f = &w->g->dfs[w->df];
    bool all = true;
    for (int i = f->touch; i < f->touch + f->ntouches; i++) {
        const struct index *x = &w->g->touches[i].index[s->position];
        all &= x->n > 0;
        for (int k = 0; k < x->n; k++) all &= stays_within(w->g, s, &x->step[k], n);
    }
    return all;
}

/* What lies beyond is at the end. */
static void
put_cut(const struct writer *w, const struct side *s, uint32_t sub, const struct end *n)
{
    struct end last = *n;
    last.k -= last.by ? last.by : 1;
    buf_char(w->out, '(');
    put_bracketed(w, s);
    buf_str(w->out, " < 0 ? 0 : (");
    put_bracketed(w, s);
    buf_str(w->out, " < ");
    put_bound(w, sub, n);
    buf_str(w->out, " ? ");
    put_index(w, s);
    buf_str(w->out, " : ");
    put_bound(w, sub, &last);
    buf_str(w->out, "))");
}

static void
put_scaled(const struct writer *w, const struct side *s)
{
    struct end of;
    uint32_t sub = w->g->plan->dfs.row[w->df].sub;
    graph_words_in(w->g, sub, &s->of, &of);
    bool always = end_constant(&of), within = all_stay_within(w, s, &s->of);
    if (!always) {
        buf_str(w->out, "(");
        put_bound(w, sub, &of);
        buf_printf(w->out, " > %d ? ", s->scaled_to);
    }
    if (within) put_bracketed(w, s);
    else put_cut(w, s, sub, &of);
    buf_printf(w->out, always && of.k <= INT32_MAX / s->scaled_to ? " * %d / " : " * %d.0 / ",
               s->scaled_to);
    if (!always) buf_char(w->out, '(');
    put_bound(w, sub, &of);
    if (always) return;
    buf_str(w->out, ") : ");
    if (within) put_index(w, s);
    else put_cut(w, s, sub, &of);
    buf_char(w->out, ')');
}

static void
put_side(const struct writer *w, int m)
{
    const struct side *s = &w->grid->side[w->df][m];
    const struct end *n = &w->grid->extent[m];
    int64_t lo, hi;
    if (!s->any) {
        buf_char(w->out, '0');
        return;
    }
    range_of(w, s, &lo, &hi);
    if (s->folded) {
        bool plain = lo >= 0;
        if (!plain) buf_char(w->out, '(');
        put_bracketed(w, s);
        buf_printf(w->out, " %% %d", s->folded);
        if (!plain) buf_printf(w->out, " + %d) %% %d", s->folded, s->folded);
    } else if (s->scaled_to) {
        put_scaled(w, s);
    } else if (end_constant(n) && lo >= 0 && hi < n->k) {
        put_index(w, s);
    } else {
        put_cut(w, s, w->g->plan->main, n);
    }
}

/* ---- rules ---- */

static void
put_rule(struct writer *w, uint32_t df)
{
    const struct fragments *f = &w->g->dfs[df];
    w->df = df;
    buf_printf(w->out, "    cell %s", w->g->plan->dfs.row[df].name);
    for (int p = f->hidden; p < f->n; p++) {
        buf_char(w->out, '[');
        put_name(w, p);
        buf_char(w->out, ']');
    }
    buf_str(w->out, " => ");
    for (int m = 0; m < w->grid->ndims; m++) {
        if (m) buf_str(w->out, ", ");
        put_side(w, m);
    }
    buf_str(w->out, ";\n");
}

static void
put_place(const struct source *s, struct span span, struct buf *out)
{
    struct place place;
    if (source_place(s, span, 0, &place, NULL)) buf_printf(out, "%s:%u", place.file, place.line);
}

/* The loop whose body declares it; NULL: none. */
static const struct stmt *
loop_around(const struct place_graph *g, uint32_t df)
{
    const struct fragments *f = &g->dfs[df];
    const struct stop *s = &g->stops[g->touches[f->touch].stop];
    if (f->hidden == f->outer || s->ncounters < f->hidden) return NULL;
    return g->counters[s->counter[f->hidden - 1]].site->stmt;
}

/* Some rule of the sub goes by this loop around its activations. */
static bool
is_used(const struct writer *w, uint32_t sub, int loop)
{
    bool used = false;
    for (uint32_t df = 0; df < w->g->plan->dfs.n; df++)
        for (int m = 0; m < w->grid->ndims && w->g->plan->dfs.row[df].sub == sub; m++) {
            const struct side *s = &w->grid->side[df][m];
            used |= w->grid->ruled[df] && s->any && s->position == loop;
        }
    return used;
}

/* What the rules name is no parameter, but an index of one. */
static void
put_given(const struct writer *w, uint32_t df)
{
    uint32_t sub = w->g->plan->dfs.row[df].sub;
    const struct activations *a = &w->g->activations[sub];
    const char *before = ", with";
    for (int i = 0; i < a->n; i++) {
        if (a->source[i].kind != SOURCE_INDEX || !is_used(w, sub, i)) continue;
        buf_printf(w->out, "%s int %s as index %d of %s", before, name_at(w->g, df, i),
                   a->source[i].index + 1, word_name(w->g, sub, a->source[i].word));
        before = ",";
    }
}

static void
put_heading(const struct writer *w, uint32_t df)
{
    const struct stmt *loop = loop_around(w->g, df);
    buf_printf(w->out, "  %s", w->g->plan->subs.row[w->g->plan->dfs.row[df].sub].sub->name.text);
    put_given(w, df);
    if (loop) {
        buf_str(w->out, ", behind the loop at ");
        put_place(w->source, loop->span, w->out);
    }
    buf_str(w->out, ":\n");
}

static void
put_lattice(const struct writer *w)
{
    buf_printf(w->out, "  %s:\n    cells ", w->g->plan->subs.row[w->g->plan->main].sub->name.text);
    for (int m = 0; m < w->grid->ndims; m++) {
        if (m) buf_str(w->out, ", ");
        put_extent(w, m);
    }
    buf_str(w->out, ";\n");
}

static void
put_rules(struct writer *w)
{
    const struct stmt *loop = NULL;
    uint32_t sub = w->g->plan->main;
    put_lattice(w);
    /* Those of a block stand together: declarations are in the order of the text. */
    for (int inner = 0; inner < 2; inner++)
        for (uint32_t df = 0; df < w->g->plan->dfs.n; df++) {
            uint32_t of = w->g->plan->dfs.row[df].sub;
            if (!w->grid->ruled[df]) continue;
            const struct stmt *around = loop_around(w->g, df);
            if ((of != w->g->plan->main || around) != inner) continue;
            if (of != sub || around != loop) put_heading(w, df);
            sub = of;
            loop = around;
            put_rule(w, df);
        }
}

static void
put_left(const struct writer *w)
{
    int n = 0;
    for (uint32_t df = 0; df < w->g->plan->dfs.n; df++) {
        if (w->grid->ruled[df] || !(w->g->dfs[df].seen & SEEN_TOUCHED)) continue;
        buf_str(w->out, n++ ? ", " : "  node 0: ");
        buf_str(w->out, w->g->plan->dfs.row[df].name);
    }
    if (n) buf_char(w->out, '\n');
}

static void
put_carriers(const struct place_graph *g, const struct carry *c, const struct source *s,
             struct buf *out)
{
    int n = 0;
    for (int i = 0; i < c->n; i++) {
        bool again = false;
        for (int k = 0; k < i; k++) again |= c->all[k].counter == c->all[i].counter;
        if (again || n == 4) continue;
        const struct counter *counter = &g->counters[c->all[i].counter];
        buf_printf(out, "%s%s (", n++ ? ", " : "; ", counter_name(counter));
        put_place(s, counter->site->stmt->span, out);
        buf_char(out, ')');
    }
    if (n) buf_str(out, n == 1 ? " carries" : " carry");
}

void
words_print(const struct directions *d, const struct carry *c, const struct grid *grid,
            const struct grid_cost *cost, const struct source *s, struct buf *out)
{
    struct writer w = {.g = d->graph, .grid = grid, .source = s, .out = out};
    buf_str(out, "placement    ");
    for (int m = 0; m < grid->ndims; m++) {
        if (m) buf_str(out, " x ");
        put_extent(&w, m);
    }
    buf_printf(out, " cells; on 16 nodes %.2f values a call from elsewhere", cost->values);
    put_carriers(d->graph, c, s, out);
    buf_char(out, '\n');
    put_rules(&w);
    put_left(&w);
}

/* ---- why not ---- */

static const char *
with_place(struct arena *a, const char *before, const struct source *s, struct span span,
           const char *behind)
{
    struct place place;
    if (!source_place(s, span, 0, &place, NULL)) return arena_printf(a, "%s?%s", before, behind);
    return arena_printf(a, "%s%s:%u%s", before, place.file, place.line, behind);
}

static const struct plan_site *
recursion(const struct plan *p)
{
    for (uint32_t i = 0; i < p->sites.n; i++) {
        const struct plan_site *s = &p->sites.row[i];
        if (s->kind == PS_EXPAND && s->callee == s->sub) return s;
    }
    return NULL;
}

const char *
words_no_space(struct arena *a, const struct place_graph *g, const struct carry *c,
               const struct source *s)
{
    const struct plan_site *again = recursion(g->plan);
    if (again)
        return with_place(a,
                          arena_printf(a, "none: recursion of '%s' (",
                                       g->plan->subs.row[again->sub].sub->name.text),
                          s, again->stmt->span, "); 'stealable' and -b spread its calls");
    if (c->n)
        return with_place(a, "none: in the loop at ", s,
                          g->counters[c->all[0].counter].site->stmt->span,
                          " each call waits for the one before, and nothing is parallel along"
                          " another counter");
    return "none: there is no loop whose calls touch fragments by its counter";
}

const char *
words_busy(struct arena *a, const struct place_graph *g, const struct grid_cost *cost,
           const struct source *s)
{
    const char *part = arena_printf(
        a, "none: the busiest of 4 nodes would have %.0f %% of the calls (", 100 * cost->busiest);
    if (cost->heaviest < 0) return arena_printf(a, "%s)", part);
    return with_place(a, part, s, g->stops[cost->heaviest].site->stmt->span, ")");
}
