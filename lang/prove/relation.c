/* relation.c - see relation.h. Conditions around an access, and its indices, are crossed piece by
 * piece; what is left are rows for sets. */
#include "lang/prove/relation.h"

#include <string.h>

/* Pieces of a relation while they are made: lists of conditions, with the words of the vector. */
struct pieces {
    struct walk *w;
    int n;
    bool too_many;
    const struct condition *any[FORM_PIECES_MAX];
};

static void
pieces_cross(struct pieces *p, const struct condition *const *with, int n)
{
    struct pieces all = {.w = p->w, .too_many = p->too_many};
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < n; j++) {
            const struct condition *both = form_cond_both(p->w->forms.arena, with[j], p->any[i]);
            if (form_cond_never_with(both, p->any[i])) continue;
            all.too_many |= all.n == FORM_PIECES_MAX;
            if (!all.too_many) all.any[all.n++] = both;
        }
    *p = all;
}

/* sign * (column - form) is 0, or at least 0. */
static void
pieces_bound(struct pieces *p, enum sets_space space, int number, int sign, bool equal,
             const struct sums *f)
{
    const struct condition *any[FORM_PIECES_MAX];
    struct sets_term *term = arena_new_of(p->w->forms.arena, struct sets_term);
    struct sum column = {0, 1, term};
    *term = (struct sets_term){space, number, 1};
    for (int i = 0; i < f->n; i++)
        any[i] = form_cond_add(
            p->w->forms.arena, f->pieces[i].conds, equal,
            sum_of(p->w->forms.arena, sign, &column, -sign, &f->pieces[i].sum, 0));
    pieces_cross(p, any, f->n);
}

/* One step of the way to a statement. */
static void
pieces_step(struct pieces *p, const struct nesting *at)
{
    if (at->where) pieces_cross(p, at->where->any, at->where->n);
    if (at->kind != STEP_LOOP) return;
    if (at->lo) pieces_bound(p, SETS_FROM, at->loops - 1, 1, false, at->lo);
    if (at->hi) pieces_bound(p, SETS_FROM, at->loops - 1, -1, false, at->hi);
    if (at->on) pieces_bound(p, SETS_FROM, at->loops - 1, 1, true, at->on);
}

static void
pieces_around(struct pieces *p, const struct nesting *at)
{
    if (!at) return;
    pieces_around(p, at->up);
    pieces_step(p, at);
}

/* The columns that need only exist, numbered from 0 within a piece. */
struct numbering {
    const int *symbol;
    int from; /* counters from here on are such */
    int some[2 * FORM_PIECES_MAX];
    int nsome;
    bool too_many;
};

/* What a requirement names, and nothing else does. */
static bool
is_unnumbered(const struct numbering *m, const struct sets_term *t)
{
    return t->space == SETS_SYMBOL && m->symbol[t->number] < 0;
}

static bool
need_only_exist(const struct numbering *m, const struct sets_term *t)
{
    return t->space == SETS_SOME || (t->space == SETS_FROM && t->number >= m->from) ||
           is_unnumbered(m, t);
}

static int
number_of(struct numbering *m, const struct sets_term *t)
{
    bool some = need_only_exist(m, t);
    if (t->space == SETS_SYMBOL && !some) return m->symbol[t->number];
    if (!some) return t->number;
    int i = 0, number = t->space == SETS_SOME ? t->number : -1 - 2 * t->number;
    if (t->space == SETS_SYMBOL) number--;
    while (i < m->nsome && m->some[i] != number) i++;
    if (i == 2 * FORM_PIECES_MAX) {
        m->too_many = true;
        return 0;
    }
    if (i == m->nsome) m->some[m->nsome++] = number;
    return i;
}

static struct sets_piece
numbered(struct walk *w, const struct condition *list, struct numbering *m)
{
    struct arena *a = w->forms.arena;
    int n = 0;
    for (const struct condition *c = list; c; c = c->next) n++;
    struct sets_row *rows = arena_array(a, struct sets_row, (size_t)n + 1);
    n = 0;
    m->nsome = 0;
    for (const struct condition *c = list; c; c = c->next) {
        struct sets_term *terms = arena_array(a, struct sets_term, (size_t)c->sum.n + 1);
        for (int i = 0; i < c->sum.n; i++) {
            terms[i] = c->sum.terms[i];
            terms[i].number = number_of(m, &terms[i]);
            if (need_only_exist(m, &c->sum.terms[i])) terms[i].space = SETS_SOME;
        }
        rows[n++] = (struct sets_row){c->equal, c->sum.k, c->sum.n, terms};
    }
    return (struct sets_piece){m->nsome, n, rows};
}

static struct rel *
pieces_rel(struct pieces *p, struct sets *s, int from, int to, const int *new_symbol)
{
    struct sets_piece *rows = arena_array(p->w->forms.arena, struct sets_piece, (size_t)p->n + 1);
    struct numbering m = {.symbol = new_symbol, .from = from};
    for (int i = 0; i < p->n; i++) rows[i] = numbered(p->w, p->any[i], &m);
    if (p->too_many || m.too_many) return NULL;
    return rel_of(s, from, to, rows, p->n);
}

static struct pieces
pieces_of(struct walk *w, const struct access *a, int n)
{
    struct pieces p = {.w = w, .n = 1};
    pieces_around(&p, a->at);
    for (int i = 0; i < n; i++)
        if (a->index[i]) pieces_bound(&p, SETS_TO, i, 1, true, a->index[i]);
    return p;
}

struct rel *
access_rel(struct walk *w, struct sets *s, const struct access *a, int n, const int *new_symbol)
{
    return access_rel_from(w, s, a, n, nesting_loops(a->at), new_symbol);
}

struct rel *
access_rel_from(struct walk *w, struct sets *s, const struct access *a, int n, int from,
                const int *new_symbol)
{
    struct pieces p = pieces_of(w, a, n);
    return pieces_rel(&p, s, from, n, new_symbol);
}

struct rel *
access_promise(struct walk *w, struct sets *s, const struct access *a, const int *new_symbol)
{
    struct pieces p = {.w = w, .n = 1};
    pieces_around(&p, a->at);
    pieces_bound(&p, SETS_TO, 0, 1, true, a->promise);
    pieces_bound(&p, SETS_TO, 0, 1, false, form_of_int(&w->forms, 0));
    return pieces_rel(&p, s, nesting_loops(a->at), 1, new_symbol);
}

/* ---- conditions ---- */

static bool
is_settled(const struct nesting *s)
{
    return s->site->stmt && (s->site->stmt->settled || s->other);
}

/* What is meant to be so now says nothing. */
static struct pieces
pieces_unsettled(struct walk *w, const struct nesting *at)
{
    struct pieces p = {.w = w, .n = 1};
    for (; at; at = at->up)
        if (!is_settled(at)) pieces_step(&p, at);
    return p;
}

struct rel *
access_choice(struct walk *w, struct sets *s, const struct choice *c, const struct where *where,
              const int *new_symbol)
{
    struct pieces p = pieces_unsettled(w, c->at);
    if (where) pieces_cross(&p, where->any, where->n);
    return pieces_rel(&p, s, nesting_loops(c->at), 0, new_symbol);
}

static struct rel *
rel_of_words(struct pieces *p, struct sets *s, const struct sums *const *index, int n)
{
    int *none = arena_array(p->w->forms.arena, int, (size_t)p->w->nfixed + 1);
    for (int i = 0; i < p->w->nfixed; i++) none[i] = -1;
    for (int i = 0; i < n; i++)
        if (index[i]) pieces_bound(p, SETS_TO, i, 1, true, index[i]);
    return pieces_rel(p, s, 0, n, none);
}

struct rel *
access_choice_words(struct walk *w, struct sets *s, const struct choice *c,
                    const struct where *where, const struct sums *const *index, int n)
{
    struct pieces p = pieces_unsettled(w, c->at);
    if (where) pieces_cross(&p, where->any, where->n);
    return rel_of_words(&p, s, index, n);
}

struct rel *
access_called(struct walk *w, struct sets *s, const struct called *c,
              const struct sums *const *index, int n)
{
    struct pieces p = pieces_unsettled(w, c->step->up);
    return rel_of_words(&p, s, index, n);
}

/* ---- branches of one if ---- */

static const struct nesting *
common_if(const struct access *a, const struct access *b)
{
    for (const struct nesting *s = a->at; s; s = s->up)
        for (const struct nesting *t = b->at; t && s->kind == STEP_IF; t = t->up)
            if (t->kind == STEP_IF && s->site == t->site && s->up == t->up && s->other != t->other)
                return s;
    return NULL;
}

struct rel *
access_rel_branches(struct walk *w, struct sets *s, const struct access *a, const struct access *b,
                    int n, const int *new_symbol)
{
    const struct nesting *step = common_if(a, b);
    if (!step) return NULL;
    struct pieces p = pieces_of(w, a, n), more = pieces_of(w, b, n);
    p.too_many |= more.too_many || p.n + more.n > FORM_PIECES_MAX;
    if (p.too_many) return NULL;
    memcpy(p.any + p.n, more.any, sizeof *p.any * (size_t)more.n);
    p.n += more.n;
    return pieces_rel(&p, s, nesting_loops(step->up), n, new_symbol);
}

/* For the bounds of the box, which are beyond what forms may hold. */
static const struct sums *
number(struct walk *w, int64_t k)
{
    struct sums *f = arena_alloc(w->forms.arena, sizeof *f + sizeof *f->pieces);
    f->n = 1;
    f->pieces[0].sum.k = k;
    return f;
}

static bool
names_unnumbered(const struct sum *s, const int *new_symbol)
{
    for (int i = 0; i < s->n; i++)
        if (s->terms[i].space == SETS_SYMBOL && new_symbol[s->terms[i].number] < 0) return true;
    return false;
}

static bool
list_unnumbered(const struct condition *c, const int *new_symbol)
{
    for (; c; c = c->next)
        if (names_unnumbered(&c->sum, new_symbol)) return true;
    return false;
}

static bool
where_unnumbered(const struct where *any, const int *new_symbol)
{
    for (int i = 0; any && i < any->n; i++)
        if (list_unnumbered(any->any[i], new_symbol)) return true;
    return false;
}

static bool
form_unnumbered(const struct sums *f, const int *new_symbol)
{
    for (int i = 0; f && i < f->n; i++)
        if (names_unnumbered(&f->pieces[i].sum, new_symbol) ||
            list_unnumbered(f->pieces[i].conds, new_symbol))
            return true;
    return false;
}

/* The symbols at hand do not decide alone whether the call fulfils what is required. */
static bool
mentions_unnumbered(const struct breach *b, const int *new_symbol)
{
    if (where_unnumbered(b->where, new_symbol)) return true;
    for (const struct nesting *t = b->at; t; t = t->up)
        if (form_unnumbered(t->lo, new_symbol) || form_unnumbered(t->hi, new_symbol) ||
            where_unnumbered(t->where, new_symbol))
            return true;
    return false;
}

/* With these symbols the run ends at the call: what else it does wrong does not matter. */
static struct set *
without_breach(struct walk *w, struct sets *s, struct set *all, const struct breach *b,
               const int *new_symbol)
{
    struct pieces p = {.w = w, .n = 1};
    pieces_around(&p, b->at);
    pieces_cross(&p, b->where->any, b->where->n);
    struct rel *r = pieces_rel(&p, s, 0, 0, new_symbol);
    return r ? set_less(s, all, rel_domain(s, r)) : all;
}

/* A while ends where it begins, or after a turn for which its condition holds. */
static void
pieces_end(struct pieces *p, int number)
{
    const struct fixed *x = &p->w->fixed[number];
    const struct sums *next = form_add(&p->w->forms, x->from, 1);
    if (!next) { /* it may begin with the largest int */
        pieces_bound(p, SETS_SYMBOL, number, 1, false, x->from);
        return;
    }
    struct pieces begins = *p, goes = *p;
    pieces_bound(&begins, SETS_SYMBOL, number, 1, true, x->from);
    pieces_bound(&goes, SETS_SYMBOL, number, 1, false, next);
    pieces_cross(&goes, x->goes->any, x->goes->n);
    p->too_many |= begins.too_many || goes.too_many || begins.n + goes.n > FORM_PIECES_MAX;
    if (p->too_many) return;
    memcpy(begins.any + begins.n, goes.any, sizeof *goes.any * (size_t)goes.n);
    begins.n += goes.n;
    *p = begins;
}

/* ---- comparisons that exclude each other ---- */

/* Which orders of the operands make it true: less, equal, greater; of operands that have changed
 * places, if `turned`. */
static unsigned
orders(const struct truth *t, bool turned)
{
    if (t->op == OP_EQ) return 2;
    return t->op == OP_LT ? (turned ? 4 : 1) : turned ? 3 : 6;
}

static bool
exclude_each_other(const struct fixed *x, const struct fixed *y)
{
    const struct truth *a = x->truth, *b = y->truth;
    if (!a || !b || x->of.env != y->of.env) return false;
    bool left = !strcmp(a->left, b->left), same = left && !strcmp(a->right, b->right);
    bool turned = !strcmp(a->left, b->right) && !strcmp(a->right, b->left);
    if (same || turned) return !(orders(a, false) & orders(b, turned));
    return left && a->op == OP_EQ && b->op == OP_EQ && a->constant && b->constant &&
           a->value != b->value;
}

/* And without a NaN one of them holds. */
bool
access_opposite(const struct fixed *x, const struct fixed *y)
{
    return exclude_each_other(x, y) && !strcmp(x->truth->left, y->truth->left) &&
           !strcmp(x->truth->right, y->truth->right) && x->truth->op != OP_EQ &&
           y->truth->op != OP_EQ;
}

/* At most one of them is true, or just one. */
static void
pieces_one_of(struct pieces *p, const int *at, int n, bool just)
{
    struct sets_term *terms = arena_array(p->w->forms.arena, struct sets_term, (size_t)n);
    for (int i = 0; i < n; i++) terms[i] = (struct sets_term){SETS_SYMBOL, at[i], -1};
    struct sum rest = {1, n, terms};
    struct sum sum = sum_of(p->w->forms.arena, 1, &rest, 0, &(struct sum){0}, 0);
    const struct condition *one = form_cond_add(p->w->forms.arena, NULL, just, sum);
    pieces_cross(p, &one, 1);
}

/* Comparisons of which each excludes all others: one row says so, where a row for each pair would
 * keep isl busy for minutes. */
struct group {
    int *at, n;
};

static bool
fits(const struct walk *w, const struct group *g, int i)
{
    for (int k = 0; k < g->n; k++)
        if (!exclude_each_other(&w->fixed[g->at[k]], &w->fixed[i])) return false;
    return true;
}

/* Those that exclude `j`, from it on: each pair is in a group, some in several. */
static void
pieces_exclude(struct pieces *p, int j, const int *new_symbol, bool *together)
{
    struct walk *w = p->w;
    struct group g = {arena_array(w->forms.arena, int, (size_t)w->nfixed), 0};
    size_t n = (size_t)w->nfixed;
    for (int first = j + 1; first < w->nfixed; first++) {
        if (new_symbol[first] < 0 || together[(size_t)j * n + (size_t)first]) continue;
        if (!exclude_each_other(&w->fixed[j], &w->fixed[first])) continue;
        g.n = 0;
        g.at[g.n++] = j;
        for (int i = first; i < w->nfixed; i++)
            if (new_symbol[i] >= 0 && fits(w, &g, i)) g.at[g.n++] = i;
        for (int a = 0; a < g.n; a++)
            for (int b = a + 1; b < g.n; b++)
                together[(size_t)g.at[a] * n + (size_t)g.at[b]] = true;
        pieces_one_of(p, g.at, g.n, false);
    }
}

struct set *
access_ordered(struct walk *w, struct sets *s, const int *new_symbol)
{
    struct pieces p = {.w = w, .n = 1};
    bool any = false;
    for (int i = 0; i < w->nfixed; i++)
        for (int j = 0; j < i; j++) {
            if (new_symbol[i] < 0 || new_symbol[j] < 0) continue;
            if (!access_opposite(&w->fixed[j], &w->fixed[i])) continue;
            pieces_one_of(&p, (int[]){j, i}, 2, true);
            any = true;
        }
    struct rel *r = any ? pieces_rel(&p, s, 0, 0, new_symbol) : NULL;
    return r ? rel_domain(s, r) : NULL;
}

struct set *
access_fixed(struct walk *w, struct sets *s, const int *new_symbol)
{
    struct pieces p = {.w = w, .n = 1};
    for (int i = 0; i < w->nfixed; i++) {
        if (new_symbol[i] < 0) continue;
        pieces_bound(&p, SETS_SYMBOL, i, 1, false, number(w, w->ranges[i].lo));
        pieces_bound(&p, SETS_SYMBOL, i, -1, false, number(w, w->ranges[i].hi));
        if (w->fixed[i].kind == FIXED_END) pieces_end(&p, i);
    }
    bool *together = arena_array(w->forms.arena, bool, (size_t)w->nfixed * (size_t)w->nfixed + 1);
    for (int i = 0; i < w->nfixed; i++)
        if (new_symbol[i] >= 0 && w->fixed[i].truth) pieces_exclude(&p, i, new_symbol, together);
    for (uint32_t i = 0; i < w->nrequired; i++)
        pieces_cross(&p, w->required[i]->any, w->required[i]->n);
    struct rel *r = pieces_rel(&p, s, 0, 0, new_symbol);
    if (!r) return NULL;
    struct set *all = rel_domain(s, r);
    for (const struct breach *b = w->breaches; b; b = b->next)
        if (!mentions_unnumbered(b, new_symbol)) all = without_breach(w, s, all, b, new_symbol);
    return all;
}

/* ---- which fixed ints occur ---- */

static void mark_sum(const struct walk *w, const struct sum *s, bool *used);
static void mark_where(const struct walk *w, const struct where *where, bool *used);

static void
mark_form(const struct walk *w, const struct sums *f, bool *used)
{
    for (int i = 0; f && i < f->n; i++) {
        mark_sum(w, &f->pieces[i].sum, used);
        for (const struct condition *c = f->pieces[i].conds; c; c = c->next)
            mark_sum(w, &c->sum, used);
    }
}

static void
mark_sum(const struct walk *w, const struct sum *s, bool *used)
{
    for (int i = 0; i < s->n; i++) {
        int at = s->terms[i].number;
        if (s->terms[i].space != SETS_SYMBOL || used[at]) continue;
        used[at] = true;
        mark_form(w, w->fixed[at].from, used);
        mark_where(w, w->fixed[at].goes, used);
    }
}

static void
mark_where(const struct walk *w, const struct where *where, bool *used)
{
    for (int i = 0; where && i < where->n; i++)
        for (const struct condition *c = where->any[i]; c; c = c->next) mark_sum(w, &c->sum, used);
}

static void
mark_around(const struct walk *w, const struct nesting *s, bool *used)
{
    for (; s; s = s->up) {
        mark_form(w, s->lo, used);
        mark_form(w, s->hi, used);
        mark_where(w, s->where, used);
    }
}

void
access_mark(const struct walk *w, const struct access *a, int n, bool *used)
{
    for (int i = 0; i < n; i++) mark_form(w, a->index[i], used);
    mark_around(w, a->at, used);
}

void
access_mark_choice(const struct walk *w, const struct choice *c, bool *used)
{
    mark_around(w, c->at, used);
    mark_where(w, c->yes, used);
    mark_where(w, c->no, used);
}

void
access_mark_promise(const struct walk *w, const struct access *a, bool *used)
{
    mark_form(w, a->promise, used);
}

struct rel *
access_further(struct sets *s, struct arena *a, int n, int word)
{
    struct sets_term *terms = arena_array(a, struct sets_term, 2 * (size_t)n);
    struct sets_row *rows = arena_array(a, struct sets_row, (size_t)n);
    for (int i = 0; i < n; i++) {
        terms[2 * i] = (struct sets_term){SETS_TO, i, 1};
        terms[2 * i + 1] = (struct sets_term){SETS_FROM, i, -1};
        rows[i] = (struct sets_row){i != word, i == word ? -1 : 0, 2, terms + 2 * i};
    }
    struct sets_piece all = {0, n, rows};
    return rel_of(s, n, n, &all, 1);
}
