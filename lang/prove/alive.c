/* alive.c - see alive.h. */
#include "lang/prove/alive.h"

#include <string.h>

enum { LEVELS_MAX = 4, SPOTS_MAX = 4 };

struct lines {
    struct question q;
    struct waits *all;
    const struct touched *t;
    int word; /* along which they go */
};

/* The same access, with vectors that are so much further along the line. */
static struct access
moved(struct lines *l, const struct access *x, int64_t by)
{
    struct access y = *x;
    struct arena *a = l->q.arena;
    const struct sums **index = arena_array(a, const struct sums *, (size_t)l->t->n + 1);
    memcpy(index, x->index, sizeof *index * (size_t)l->t->n);
    const struct sums *f = index[l->word];
    struct sums *g = arena_alloc(a, sizeof *g + sizeof *g->pieces * (size_t)f->n);
    *g = (struct sums){f->lo + by, f->hi + by, f->n};
    for (int i = 0; i < f->n; i++) {
        g->pieces[i] = f->pieces[i];
        g->pieces[i].sum.k += by;
    }
    index[l->word] = g;
    y.index = index;
    return y;
}

static struct rel *
rel_at_stop(struct lines *l, const struct access *x)
{
    struct rel *r =
        access_rel_from(l->q.w, l->q.sets, x, l->t->n, waits_loops(x), l->q.number);
    return r ? rel_given(l->q.sets, r, l->q.all) : NULL;
}

/* Each instance of `late`, with x[v + by], waits for all of `early` with x[v]; `same`: or is it. */
static bool
comes_after(struct lines *l, const struct access *late, const struct access *early, int64_t by,
            bool same)
{
    struct sets *s = l->q.sets;
    int from = waits_stop(late), to = waits_stop(early);
    struct access back = moved(l, late, -by);
    struct rel *a = rel_at_stop(l, &back), *b = rel_at_stop(l, early);
    if (!a || !b) return false;
    struct rel *pairs = rel_meeting(s, a, b);
    struct rel *self =
        same && from == to ? rel_identity(s, waits_loops(late)) : NULL;
    if (set_empty(s, rel_domain(s, pairs)) == YES) return true;
    for (int far = 0; far <= WAITS_FAR; far++) {
        struct rel *found = far ? waits_within(l->all, from, to, far) : NULL;
        if (self) found = found ? rel_either(s, found, self) : self;
        if (found && rel_part_of(s, pairs, found) == YES) return true;
    }
    return false;
}

/* ---- levels ---- */

static struct set *
written(struct lines *l, int64_t by)
{
    struct set *all = NULL;
    for (const struct access *x = l->t->writes; x; x = x->next) {
        struct access y = moved(l, x, by);
        struct rel *r = rel_at_stop(l, &y);
        if (!r) return NULL;
        struct set *range = rel_range(l->q.sets, r);
        all = all ? set_either(l->q.sets, all, range) : range;
    }
    return all;
}

/* No line has a gap: what comes behind one would not be held back. */
static bool
is_unbroken(struct lines *l)
{
    struct sets *s = l->q.sets;
    struct set *all = written(l, 0), *next = written(l, 1);
    if (!all || !next) return false;
    struct set *starts = set_less(s, all, next);
    struct rel *on = rel_within(s, access_further(s, l->q.arena, l->t->n, l->word), all);
    return set_empty(s, set_meet(s, rel_range(s, on), starts)) == YES;
}

static bool
comes_in_order(struct lines *l)
{
    for (const struct access *x = l->t->writes; x; x = x->next)
        for (const struct access *y = l->t->writes; y; y = y->next)
            if (!comes_after(l, x, y, 1, true)) return false;
    return is_unbroken(l);
}

static int64_t
turns_of(const struct access *x, int level)
{
    const struct nesting *s = x->at;
    while (s && (s->kind != STEP_LOOP || s->loops != level + 1)) s = s->up;
    if (!s || !s->lo || !s->hi) return SPOTS_MAX + 1;
    int64_t far = s->hi->hi - s->lo->lo, step = s->site->kind == PS_FOR ? s->site->step : 1;
    return far < 0 ? 0 : far / (step < 0 ? -step : step) + 1;
}

/* Of each line it reads only so many, u[0] and u[n] say; 0: more than a few. */
static int64_t
spots(const struct lines *l, const struct access *x)
{
    const struct sums *f = x->index[l->word];
    int64_t n = 1;
    if (f->n != 1) return 0;
    for (int i = 0; i < f->pieces[0].sum.n && n <= SPOTS_MAX; i++)
        if (f->pieces[0].sum.terms[i].space == SETS_FROM)
            n *= turns_of(x, f->pieces[0].sum.terms[i].number);
        else if (f->pieces[0].sum.terms[i].space == SETS_SOME) return 0;
    return n < 0 || n > SPOTS_MAX ? 0 : n;
}

static bool
is_gone(struct lines *l, const struct access *read, int64_t by, bool same)
{
    for (const struct access *x = l->t->writes; x; x = x->next)
        if (!comes_after(l, x, read, by, same)) return false;
    return true;
}

/* When a value is there, how many are at most that are `by` or more before it; -1: not known. */
static int64_t
left_behind(struct lines *l, int64_t by, bool same)
{
    int64_t n = 0;
    for (const struct access *x = l->t->reads; x; x = x->next) {
        if (is_gone(l, x, by, same)) continue;
        int64_t few = spots(l, x);
        if (!few) return -1;
        n += few;
    }
    return n;
}

/* A word that is a loop's counter somewhere where the DF is written. */
static bool
is_line(const struct touched *t, int word)
{
    for (const struct access *x = t->writes; x; x = x->next) {
        const struct sums *f = x->index[word];
        for (int i = 0; i < f->n; i++)
            for (int k = 0; k < f->pieces[i].sum.n; k++)
                if (f->pieces[i].sum.terms[k].space == SETS_FROM) return true;
    }
    return false;
}

static int
levels_along(struct lines *l)
{
    int64_t least = 0;
    if (!comes_in_order(l)) return 0;
    for (int levels = 1; levels <= LEVELS_MAX && (!least || levels < least); levels++)
        for (int same = levels > 1; same >= 0; same--) {
            int64_t more = left_behind(l, levels - same, same);
            if (more >= 0 && (!least || levels + more < least)) least = levels + more;
        }
    return (int)least;
}

static bool
are_exact(const struct access *list, int n)
{
    for (const struct access *x = list; x; x = x->next) {
        if (x->through) return false;
        for (int i = 0; i < n; i++)
            if (!x->index[i]) return false;
    }
    return true;
}

/* Of lines along that word; 0: not found. */
static int
levels_of(struct sets *s, struct waits *all, const struct touched *t, int word, const bool *used)
{
    struct lines l = {.all = all, .t = t, .word = word};
    question_begin(&l.q, s, waits_walk(all), t, used);
    waits_begin(all, &l.q);
    return levels_along(&l);
}

/* ---- lines ---- */

/* Vectors without that word; -1: with all. */
static struct rel *
cut(struct walk *w, struct sets *s, const struct access *x, int n, int word, const int *number)
{
    const struct sums **index = arena_array(w->forms.arena, const struct sums *, (size_t)n + 1);
    struct access y = *x;
    int left = 0;
    for (int i = 0; i < n; i++)
        if (i != word) index[left++] = x->index[i];
    y.index = index;
    return access_rel_from(w, s, &y, left, 0, number);
}

static void
count_lines(struct sets *s, struct walk *w, const struct touched *t, int word, struct alive *out)
{
    int *number = arena_array(w->forms.arena, int, (size_t)w->nfixed + 1);
    bool exact = are_exact(t->writes, t->n); /* whoever reads them */
    struct set *all = NULL;
    for (int i = 0; i < w->nfixed; i++) number[i] = -1;
    sets_begin(s, 0);
    for (const struct access *x = t->writes; x; x = x->next) {
        struct rel *r = exact ? cut(w, s, x, t->n, word, number) : NULL;
        if (!r) return;
        all = all ? set_either(s, all, rel_range(s, r)) : rel_range(s, r);
    }
    if (!all) return;
    struct count *n = count_of(s, rel_to(s, all));
    out->known = count_at(s, n, NULL, NULL, &out->lines);
}

static bool
is_less(const struct alive *a, const struct alive *b)
{
    if (!b->levels || a->known != b->known) return !b->levels || a->known;
    return a->known && a->levels * a->lines < b->levels * b->lines;
}

struct alive
alive_of(struct sets *s, struct waits *all, const struct touched *t, const bool *last)
{
    struct walk *w = waits_walk(all);
    struct alive whole = {0}, best = {0};
    bool *used = arena_array(w->forms.arena, bool, (size_t)w->nfixed + 1);
    bool looks = last && t->writes && are_exact(t->writes, t->n) &&
                 are_exact(t->reads, t->n) && !access_many(t) && waits_mark(all, t, used);
    for (int i = 0; i < t->n && looks; i++) {
        struct alive along = {.word = i, .turns = i < t->hidden};
        if (!last[i] || !is_line(t, i)) continue;
        along.levels = levels_of(s, all, t, i, used);
        if (along.levels) count_lines(s, w, t, i, &along);
        if (along.levels && is_less(&along, &best)) best = along;
    }
    if (w->flags[t->decl] & DECL_VAGUE) return whole; /* others write it, too */
    count_lines(s, w, t, -1, &whole);
    if (!best.levels) return whole;
    return whole.known && (!best.known || whole.lines <= best.levels * best.lines) ? whole : best;
}
