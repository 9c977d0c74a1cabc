/* form.c - see form.h. Mirrors what lower makes of expressions; does not know what words mean. */
#include "lang/prove/form.h"

#include "runtime/base/vec.h"

#include <limits.h>

/* ---- sums ---- */

static int
term_order(const struct sets_term *a, const struct sets_term *b)
{
    return a->space != b->space ? (int)a->space - (int)b->space : a->number - b->number;
}

struct sum
sum_of(struct arena *arena, int64_t a, const struct sum *x, int64_t b, const struct sum *y,
       int64_t k)
{
    struct sets_term *terms = arena_array(arena, struct sets_term, (size_t)(x->n + y->n) + 1);
    struct sum s = {a * x->k + b * y->k + k, 0, terms};
    for (int i = 0, j = 0; i < x->n || j < y->n;) {
        int order = i == x->n ? 1 : j == y->n ? -1 : term_order(&x->terms[i], &y->terms[j]);
        struct sets_term t = order <= 0 ? x->terms[i] : y->terms[j];
        t.factor = 0;
        if (order <= 0) t.factor += a * x->terms[i++].factor;
        if (order >= 0) t.factor += b * y->terms[j++].factor;
        if (t.factor) terms[s.n++] = t;
    }
    return s;
}

static const struct sum nothing;

static struct sum
scaled(struct arena *arena, const struct sum *x, int64_t c)
{
    return sum_of(arena, c, x, 0, &nothing, 0);
}

/* ---- conditions ---- */

const struct condition *
form_cond_add(struct arena *arena, const struct condition *list, bool equal, struct sum sum)
{
    struct condition *c;
    if (!sum.n && (equal ? sum.k == 0 : sum.k >= 0)) return list;
    c = arena_new_of(arena, struct condition);
    *c = (struct condition){list, equal, sum};
    return c;
}

const struct condition *
form_cond_both(struct arena *arena, const struct condition *a, const struct condition *b)
{
    for (; a; a = a->next) b = form_cond_add(arena, b, a->equal, a->sum);
    return b;
}

/* The terms of one are `times`, 1 or -1, those of the other. */
static bool
has_terms(const struct sum *a, const struct sum *b, int times)
{
    if (a->n != b->n) return false;
    for (int i = 0; i < a->n; i++) {
        const struct sets_term *x = &a->terms[i], *y = &b->terms[i];
        if (term_order(x, y) || x->factor != times * y->factor) return false;
    }
    return true;
}

/* What is equal to 0 is at least 0, and so is its opposite. */
static bool
exclude_each_other(const struct condition *a, const struct condition *b)
{
    int64_t x = a->sum.k, y = b->sum.k;
    if (has_terms(&a->sum, &b->sum, -1)) return a->equal && b->equal ? x + y != 0 : x + y < 0;
    if ((!a->equal && !b->equal) || !has_terms(&a->sum, &b->sum, 1)) return false;
    return a->equal && b->equal ? x != y : a->equal ? y < x : x < y;
}

bool
form_cond_never(const struct condition *list)
{
    return form_cond_never_with(list, NULL);
}

bool
form_cond_never_with(const struct condition *list, const struct condition *old)
{
    for (const struct condition *a = list; a != old; a = a->next) {
        if (!a->sum.n) return true; /* those that always hold were left out */
        for (const struct condition *b = a->next; b; b = b->next)
            if (exclude_each_other(a, b)) return true;
    }
    return false;
}

/* ---- ranges ---- */

/* Far beyond any int, and never wrong: factors and numbers of terms are small. */
static const int64_t FAR = INT64_C(1) << 50;

static int64_t
clamp(int64_t x)
{
    return x < -FAR ? -FAR : x > FAR ? FAR : x;
}

static struct interval
column_range(const struct former *f, const struct sets_term *t)
{
    return t->space == SETS_SYMBOL ? f->symbols[t->number]
           : t->space == SETS_FROM ? f->counters[t->number]
                                   : f->some[t->number];
}

struct interval
sum_range(const struct former *f, const struct sum *s)
{
    struct interval r = {s->k, s->k};
    for (int i = 0; i < s->n; i++) {
        struct interval c = column_range(f, &s->terms[i]);
        int64_t by = s->terms[i].factor, lo, hi;
        if (__builtin_mul_overflow(by, by > 0 ? c.lo : c.hi, &lo)) lo = -FAR;
        if (__builtin_mul_overflow(by, by > 0 ? c.hi : c.lo, &hi)) hi = FAR;
        r.lo = clamp(r.lo + clamp(lo));
        r.hi = clamp(r.hi + clamp(hi));
    }
    return r;
}

/* ---- forms being made ---- */

/* Pieces are gathered here: what is more than there is room for is no form. */
struct draft {
    struct former *f;
    int n;
    bool too_many;
    struct piece pieces[FORM_PIECES_MAX];
};

static void
begin(struct draft *d, struct former *f)
{
    d->f = f;
    d->n = 0;
    d->too_many = false;
}

static void
add_piece(struct draft *d, struct sum sum, const struct condition *conds)
{
    if (form_cond_never(conds)) return;
    d->too_many |= d->n == FORM_PIECES_MAX;
    if (!d->too_many) d->pieces[d->n++] = (struct piece){sum, conds};
}

/* So that no sum of two products with an int leaves 64 bits. */
static bool
is_large(const struct sum *s)
{
    static const int64_t most = 1 << 30;
    bool large = s->k < -INT32_MAX || s->k > INT32_MAX;
    for (int i = 0; i < s->n; i++) large |= s->terms[i].factor < -most || s->terms[i].factor > most;
    return large;
}

static const struct sums *
finish(struct draft *d)
{
    size_t size = sizeof(struct sums) + sizeof(struct piece) * (size_t)d->n;
    struct sums *r = arena_alloc(d->f->arena, size);
    *r = (struct sums){.lo = FAR, .hi = -FAR, .n = d->n};
    for (int i = 0; i < d->n; i++) {
        struct interval at = sum_range(d->f, &d->pieces[i].sum);
        if (is_large(&d->pieces[i].sum)) {
            d->f->lack = LACK_WRAPS;
            return NULL;
        }
        r->pieces[i] = d->pieces[i];
        if (at.lo < r->lo) r->lo = at.lo;
        if (at.hi > r->hi) r->hi = at.hi;
    }
    return d->too_many ? NULL : r;
}

static const struct sums *
no_word(void *who, unsigned word)
{
    (void)who, (void)word;
    return NULL;
}

static const struct sums *
no_truth(void *who, enum op op, const struct expr_node *a, const struct expr_node *b)
{
    (void)who, (void)op, (void)a, (void)b;
    return NULL;
}

void
form_know_nothing(struct former *f)
{
    f->local = f->frame = f->input = no_word;
    f->index = NULL;
    f->truth = no_truth;
    f->holds = NULL;
}

const struct sums *
form_of_int(struct former *f, int64_t k)
{
    struct draft d;
    begin(&d, f);
    add_piece(&d, (struct sum){.k = k}, NULL);
    return finish(&d);
}

static struct sum
sum_of_column(struct former *f, enum sets_space space, int number)
{
    struct sets_term *t = arena_new_of(f->arena, struct sets_term);
    *t = (struct sets_term){space, number, 1};
    return (struct sum){0, 1, t};
}

const struct sums *
form_of_column(struct former *f, enum sets_space space, int number)
{
    struct draft d;
    begin(&d, f);
    add_piece(&d, sum_of_column(f, space, number), NULL);
    return finish(&d);
}

/* a*x + b*y + k */
static const struct sums *
combine(struct former *f, int64_t a, const struct sums *x, int64_t b, const struct sums *y,
        int64_t k)
{
    if (!x || !y) return NULL;
    struct draft d;
    begin(&d, f);
    for (int i = 0; i < x->n; i++)
        for (int j = 0; j < y->n && !d.too_many; j++)
            add_piece(&d, sum_of(f->arena, a, &x->pieces[i].sum, b, &y->pieces[j].sum, k),
                      form_cond_both(f->arena, x->pieces[i].conds, y->pieces[j].conds));
    return finish(&d);
}

/* An int of the run: sums on the way to it may leave the ints, as arithmetic that wraps around is
 * the same in any order; it may not. */
static const struct sums *
as_int(struct former *f, const struct sums *x)
{
    if (!x || !x->n || (x->lo >= INT32_MIN && x->hi <= INT32_MAX)) return x;
    f->lack = LACK_WRAPS;
    return NULL;
}

static const struct sums *
no_sum(struct former *f)
{
    f->lack = LACK_SUM;
    return NULL;
}

static const struct sums *
no_number(struct former *f)
{
    f->lack = LACK_NUMBER;
    return NULL;
}

const struct sums *
form_add(struct former *f, const struct sums *x, int64_t k)
{
    return as_int(f, combine(f, 1, x, 0, x, k));
}

static const struct sums *
multiply(struct former *f, const struct sums *x, const struct sums *y)
{
    if (!x || !y) return NULL;
    struct draft d;
    begin(&d, f);
    for (int i = 0; i < x->n; i++)
        for (int j = 0; j < y->n && !d.too_many; j++) {
            const struct piece *p = &x->pieces[i], *q = &y->pieces[j];
            if (p->sum.n && q->sum.n) return no_sum(f);
            struct sum s = p->sum.n ? scaled(f->arena, &p->sum, q->sum.k)
                                    : scaled(f->arena, &q->sum, p->sum.k);
            add_piece(&d, s, form_cond_both(f->arena, p->conds, q->conds));
        }
    return finish(&d);
}

static int
new_some(struct former *f, int64_t lo, int64_t hi)
{
    vec_need(f->arena, f->some, f->nsome, f->some_room);
    f->some[f->nsome] = (struct interval){lo, hi};
    return f->nsome++;
}

const struct sums *
form_steps(struct former *f, const struct sums *x, int64_t step)
{
    if (!x) return NULL;
    int n = new_some(f, INT32_MIN, INT32_MAX);
    return combine(f, 1, x, step, form_of_column(f, SETS_SOME, n), 0);
}

/* ---- division, cut towards 0 ---- */

/* One sign: q and x have it, and |x| - k < k*|q| <= |x|. */
static void
add_quotient(struct draft *d, const struct piece *p, int64_t k, int sign, bool rest)
{
    struct arena *a = d->f->arena;
    struct interval at = sum_range(d->f, &p->sum);
    int q = new_some(d->f, at.lo < 0 ? at.lo / k : 0, at.hi > 0 ? at.hi / k : 0);
    struct sum quotient = sum_of_column(d->f, SETS_SOME, q);
    const struct condition *c = p->conds;
    c = form_cond_add(a, c, false, sum_of(a, sign, &p->sum, 0, &nothing, sign < 0 ? -1 : 0));
    c = form_cond_add(a, c, false, sum_of(a, sign, &p->sum, -sign * k, &quotient, 0));
    c = form_cond_add(a, c, false, sum_of(a, -sign, &p->sum, sign * k, &quotient, k - 1));
    add_piece(d, rest ? sum_of(a, 1, &p->sum, -k, &quotient, 0) : quotient, c);
}

static void
divide_by_number(struct draft *d, const struct sums *x, int64_t k, bool rest)
{
    for (int i = 0; i < x->n && !d->too_many; i++) {
        struct interval at = sum_range(d->f, &x->pieces[i].sum);
        if (at.hi >= 0) add_quotient(d, &x->pieces[i], k, 1, rest);
        if (at.lo < 0) add_quotient(d, &x->pieces[i], k, -1, rest);
    }
}

/* ---- division by what is no number, but goes only a few times into what is divided ---- */

enum { TURNS_MAX = 3 };

/* a*x + b*n + k is at least 0, for all that is known. */
static bool
surely(struct former *f, int64_t a, const struct sum *x, int64_t b, const struct sum *n, int64_t k)
{
    struct sum s = sum_of(f->arena, a, x, b, n, k);
    return sum_range(f, &s).lo >= 0 || (f->holds && f->holds(f->who, &s));
}

/* How often n goes into x at most: sign * x < (turns + 1) * n. */
static int
turns_of(struct former *f, const struct sum *x, int sign, const struct sum *n)
{
    int turns = 0;
    while (turns <= TURNS_MAX && !surely(f, -sign, x, turns + 1, n, -1)) turns++;
    return turns;
}

/* n goes just `turns` times into x, or, if that is less than 0, into -x. */
static void
add_turn(struct draft *d, const struct piece *p, const struct piece *by, int turns, bool rest)
{
    struct arena *a = d->f->arena;
    int sign = turns < 0 ? -1 : 1, times = sign * turns;
    const struct condition *c = form_cond_both(a, p->conds, by->conds);
    struct sum quotient = {.k = turns};
    c = form_cond_add(a, c, false, sum_of(a, -sign, &p->sum, times + 1, &by->sum, -1));
    c = form_cond_add(a, c, false,
                      turns ? sum_of(a, sign, &p->sum, -times, &by->sum, 0)
                            : sum_of(a, 1, &p->sum, 1, &by->sum, -1));
    add_piece(d, rest ? sum_of(a, 1, &p->sum, -turns, &by->sum, 0) : quotient, c);
}

/* False: nobody knows how often. */
static bool
divide_by_sum(struct draft *d, const struct piece *x, const struct piece *y, bool rest)
{
    struct former *f = d->f;
    if (!surely(f, 0, &nothing, 1, &y->sum, -1)) return false;
    int up = turns_of(f, &x->sum, 1, &y->sum);
    int down = surely(f, 1, &x->sum, 0, &nothing, 0) ? 0 : turns_of(f, &x->sum, -1, &y->sum);
    if (up > TURNS_MAX || down > TURNS_MAX) return false;
    for (int k = -down; k <= up; k++) add_turn(d, x, y, k, rest);
    return true;
}

static bool
is_number(const struct sums *x)
{
    return x->n == 1 && !x->pieces[0].conds && !x->pieces[0].sum.n;
}

static const struct sums *
divide(struct former *f, const struct sums *x, const struct sums *y, bool rest)
{
    x = as_int(f, x);
    y = as_int(f, y);
    if (!x || !y) return NULL;
    struct draft d;
    begin(&d, f);
    if (is_number(y)) {
        if (y->pieces[0].sum.k < 1) return no_sum(f);
        divide_by_number(&d, x, y->pieces[0].sum.k, rest);
    } else {
        for (int i = 0; i < x->n; i++)
            for (int j = 0; j < y->n && !d.too_many; j++)
                if (!divide_by_sum(&d, &x->pieces[i], &y->pieces[j], rest)) return no_number(f);
    }
    const struct sums *r = finish(&d);
    if (!r || !rest) return r;
    /* The columns of a rest are not independent: what is left is less than what divides. */
    struct sums *less = (struct sums *)r;
    less->lo = x->lo < 0 ? 1 - y->hi : 0;
    less->hi = x->hi > 0 ? y->hi - 1 : 0;
    return less;
}

/* ---- conditions of nodes ---- */

static const struct sums *form_of_node(struct former *f, const struct expr_node *n);

/* What was gathered, whose sums do not matter. */
static const struct where *
finish_where(const struct draft *d, bool exact)
{
    int n = d->too_many ? 1 : d->n; /* everywhere */
    struct where *w =
        arena_alloc(d->f->arena, sizeof(struct where) + sizeof(struct condition *) * (size_t)n);
    w->exact = exact && !d->too_many;
    w->n = n;
    for (int i = 0; i < n && !d->too_many; i++) w->any[i] = d->pieces[i].conds;
    return w;
}

static const struct where *
everywhere(struct former *f)
{
    struct draft d;
    begin(&d, f);
    add_piece(&d, nothing, NULL);
    return finish_where(&d, false);
}

static const struct where *
where_both(struct former *f, const struct where *a, const struct where *b)
{
    struct draft d;
    begin(&d, f);
    for (int i = 0; i < a->n; i++)
        for (int j = 0; j < b->n; j++)
            add_piece(&d, nothing, form_cond_both(f->arena, a->any[i], b->any[j]));
    return finish_where(&d, a->exact && b->exact);
}

static const struct where *
where_either(struct former *f, const struct where *a, const struct where *b)
{
    struct draft d;
    begin(&d, f);
    for (int i = 0; i < a->n; i++) add_piece(&d, nothing, a->any[i]);
    for (int i = 0; i < b->n; i++) add_piece(&d, nothing, b->any[i]);
    return finish_where(&d, a->exact && b->exact);
}

/* x op 0, where x is a difference. */
static void
add_compared(struct draft *d, enum op op, const struct sum *x, const struct condition *c)
{
    struct arena *a = d->f->arena;
    struct sum under = sum_of(a, -1, x, 0, &nothing, -1), over = sum_of(a, 1, x, 0, &nothing, -1);
    bool below = op == OP_LT || op == OP_NE, above = op == OP_GT || op == OP_NE;
    if (op == OP_EQ) add_piece(d, nothing, form_cond_add(a, c, true, *x));
    if (op == OP_GE) add_piece(d, nothing, form_cond_add(a, c, false, *x));
    if (op == OP_LE) add_piece(d, nothing, form_cond_add(a, c, false, scaled(a, x, -1)));
    if (below) add_piece(d, nothing, form_cond_add(a, c, false, under));
    if (above) add_piece(d, nothing, form_cond_add(a, c, false, over));
}

static enum op
opposite(enum op op)
{
    static const enum op of[] = {[OP_LT] = OP_GE, [OP_LE] = OP_GT, [OP_EQ] = OP_NE,
                                 [OP_NE] = OP_EQ, [OP_GT] = OP_LE, [OP_GE] = OP_LT};
    return of[op];
}

static const struct where *
compared(struct former *f, enum op op, const struct sums *x, const struct sums *y)
{
    x = as_int(f, x);
    y = as_int(f, y);
    if (!x || !y) return everywhere(f);
    struct draft d;
    begin(&d, f);
    for (int i = 0; i < x->n; i++)
        for (int j = 0; j < y->n; j++) {
            const struct piece *p = &x->pieces[i], *q = &y->pieces[j];
            struct sum s = sum_of(f->arena, 1, &p->sum, -1, &q->sum, 0);
            add_compared(&d, op, &s, form_cond_both(f->arena, p->conds, q->conds));
        }
    return finish_where(&d, true);
}

const struct where *
where_joined(struct former *f, const struct where *a, const struct where *b, bool both)
{
    return both ? where_both(f, a, b) : where_either(f, a, b);
}

const struct where *
where_between(struct former *f, const struct sums *lo, const struct sums *x, const struct sums *hi,
              bool closed, bool yes)
{
    enum op below = closed ? OP_LE : OP_LT;
    return where_joined(f, compared(f, yes ? OP_LE : OP_GT, lo, x),
                        compared(f, yes ? below : opposite(below), x, hi), yes);
}

/* a op b is, or is not. */
static const struct where *
where_is(struct former *f, enum op op, const struct expr_node *a, const struct expr_node *b,
         bool yes)
{
    return compared(f, OP_EQ, f->truth(f->who, op, a, b), form_of_int(f, yes));
}

/* Of the comparison no more is known than that it is the same wherever it stands. a < b and a >= b,
 * which is not the opposite if one of them is NaN, exclude each other. Who is equal to an int is
 * that int also when cut. */
static const struct where *
where_true(struct former *f, const struct expr_node *n, bool yes)
{
    bool turned = n->op == OP_GT || n->op == OP_LE;
    const struct expr_node *a = turned ? n->b : n->a, *b = turned ? n->a : n->b;
    enum op op = n->op == OP_GT ? OP_LT : n->op == OP_LE ? OP_GE : n->op;
    if (op == OP_NE) {
        op = OP_EQ;
        yes = !yes;
    }
    const struct where *w = where_is(f, op, a, b, yes);
    if (!yes || !w->exact) return w;
    if (op != OP_EQ) return where_both(f, w, where_is(f, op == OP_LT ? OP_GE : OP_LT, a, b, false));
    if (b->kind == N_IN && node_is_const(a)) a = n->b, b = n->a;
    if (a->kind != N_IN || !node_is_const(b)) return w;
    const struct where *same = compared(f, OP_EQ, form_of_node(f, a), form_of_node(f, b));
    return same->exact ? where_both(f, w, same) : w;
}

/* Where a comparison, or an int, holds or does not. */
static const struct where *
where_leaf(struct former *f, const struct expr_node *n, bool yes)
{
    if (n->kind == N_BIN && n->op <= OP_GE && !n->affine) {
        if (n->a->type != C_INT || n->b->type != C_INT) return where_true(f, n, yes);
        const struct where *w = compared(f, yes ? n->op : opposite(n->op),
                                         form_of_node(f, n->a), form_of_node(f, n->b));
        return w->exact ? w : where_true(f, n, yes);
    }
    if (n->type != C_INT && n->kind != N_IN) return everywhere(f);
    return compared(f, yes ? OP_NE : OP_EQ, form_of_node(f, n), form_of_int(f, 0));
}

/* By whether it holds; NULL: that was not asked. */
struct ways {
    const struct where *is[2];
};

/* The first, or else the second: pieces that do not meet, for who counts in them. */
static const struct where *
where_first(struct former *f, const struct where *a, const struct where *not_a,
            const struct where *b)
{
    const struct where *rest = where_both(f, not_a, b), *w = where_either(f, a, rest);
    return w->exact ? w : where_either(f, a, b);
}

/* Each node is looked at once. */
static struct ways
where_ways(struct former *f, const struct expr_node *n, const bool asked[2])
{
    if (n->kind == N_NOT) {
        struct ways w = where_ways(f, n->a, (bool[]){asked[1], asked[0]});
        return (struct ways){{w.is[1], w.is[0]}};
    }
    if (n->kind == N_BIN && n->op <= OP_AND && !n->affine) {
        bool any = n->op != OP_AND; /* it holds if one does; else it does not if one does not */
        bool first[2] = {asked[0], asked[1]};
        first[!any] = true;
        struct ways a = where_ways(f, n->a, first), b = where_ways(f, n->b, asked), w = {{0}};
        if (asked[!any]) w.is[!any] = where_both(f, a.is[!any], b.is[!any]);
        if (asked[any]) w.is[any] = where_first(f, a.is[any], a.is[!any], b.is[any]);
        return w;
    }
    return (struct ways){{asked[0] ? where_leaf(f, n, false) : NULL,
                          asked[1] ? where_leaf(f, n, true) : NULL}};
}

static const struct where *
where_node(struct former *f, const struct expr_node *n, bool yes)
{
    return where_ways(f, n, (bool[]){!yes, yes}).is[yes];
}

/* ---- nodes ---- */

static const struct sums *
form_of_affine(struct former *f, const struct affine *x)
{
    const struct sums *sum = form_of_int(f, x->k);
    for (int i = 0; i < x->n; i++) {
        unsigned word = x->term[i].word;
        const struct sums *v = x->term[i].space == FROM_LOCAL   ? f->local(f->who, word)
                               : x->term[i].space == FROM_FRAME ? f->frame(f->who, word)
                               : f->index                       ? f->index(f->who, word)
                                                                : NULL;
        sum = combine(f, 1, sum, (int32_t)x->term[i].coefficient, v, 0);
    }
    return sum;
}

static void
add_where(struct draft *d, const struct where *w, const struct sums *x)
{
    for (int i = 0; i < w->n; i++)
        for (int j = 0; j < x->n && !d->too_many; j++)
            add_piece(d, x->pieces[j].sum,
                      form_cond_both(d->f->arena, w->any[i], x->pieces[j].conds));
}

static const struct sums *
form_of_cond(struct former *f, const struct expr_node *cond, const struct sums *yes,
             const struct sums *no)
{
    struct ways w = where_ways(f, cond, (bool[]){true, true});
    if (!yes || !no || !w.is[0]->exact || !w.is[1]->exact) return NULL;
    struct draft d;
    begin(&d, f);
    add_where(&d, w.is[1], yes);
    add_where(&d, w.is[0], no);
    return finish(&d);
}

static const struct sums *
form_of_bin(struct former *f, const struct expr_node *n)
{
    if (n->op <= OP_GE) return form_of_cond(f, n, form_of_int(f, 1), form_of_int(f, 0));
    const struct sums *a = form_of_node(f, n->a), *b = form_of_node(f, n->b);
    switch (n->op) {
    case OP_ADD:
        return combine(f, 1, a, 1, b, 0);
    case OP_SUB:
        return combine(f, 1, a, -1, b, 0);
    case OP_MUL:
        return multiply(f, a, b);
    default:
        return divide(f, a, b, n->op == OP_MOD);
    }
}

static const struct sums *
form_of_node(struct former *f, const struct expr_node *n)
{
    if (n->kind == N_TO_INT && n->a->kind == N_IN) n = n->a;
    if (n->kind == N_IN) return f->input(f->who, n->word);
    if (n->type != C_INT) return no_sum(f);
    if (n->affine) return form_of_affine(f, n->affine);
    switch (n->kind) {
    case N_NEG:
        return combine(f, -1, form_of_node(f, n->a), 0, form_of_int(f, 0), 0);
    case N_NOT:
        return form_of_cond(f, n, form_of_int(f, 1), form_of_int(f, 0));
    case N_BIN:
        return form_of_bin(f, n);
    case N_COND:
        return form_of_cond(f, n->a, as_int(f, form_of_node(f, n->b)),
                            as_int(f, form_of_node(f, n->c)));
    default:
        return no_sum(f);
    }
}

/* ---- rows ---- */

static const struct sums *
form_of_terms(struct former *f, const struct plan *p, const struct plan_expr *x)
{
    const struct sums *sum = form_of_int(f, x->k);
    for (uint32_t i = 0; i < x->a; i++) {
        const struct plan_term *t = &p->terms.row[x->terms + i];
        const struct sums *v = t->in_frame ? f->frame(f->who, t->word) : f->local(f->who, t->word);
        sum = combine(f, 1, sum, t->coefficient, v, 0);
    }
    return sum;
}

static const struct sums *
row_value(struct former *f, const struct plan *p, uint32_t row)
{
    const struct plan_expr *x = &p->exprs.row[row];
    const struct sums *zero = form_of_int(f, 0);
    switch (x->kind) {
    case PE_INT:
        return form_of_int(f, x->k);
    case PE_LOCAL:
        return combine(f, 1, f->local(f->who, x->a), 0, zero, x->k);
    case PE_FRAME:
        return combine(f, 1, f->frame(f->who, x->a), 0, zero, x->k);
    case PE_IX:
        return f->index ? combine(f, 1, f->index(f->who, x->a), 0, zero, x->k) : NULL;
    case PE_AFFINE:
        return form_of_terms(f, p, x);
    case PE_QUOTIENT:
        return divide(f, form_of_row(f, p, x->terms), form_of_int(f, x->k), false);
    case PE_IN:
        return f->input(f->who, x->a);
    case PE_INT_FN:
        if (x->truth) return form_of_cond(f, x->node, form_of_int(f, 1), zero);
        return form_of_node(f, x->node);
    default:
        return no_sum(f);
    }
}

static bool
needs_value(const struct expr_node *n)
{
    return n && (n->kind == N_IN || n->kind == N_FVALUE || needs_value(n->a) || needs_value(n->b) ||
                 needs_value(n->c));
}

const struct sums *
form_of_row(struct former *f, const struct plan *p, uint32_t row)
{
    f->lack = LACK_VALUE;
    const struct sums *r = as_int(f, row_value(f, p, row));
    bool lacks_form = f->lack == LACK_SUM || f->lack == LACK_NUMBER;
    if (!r && lacks_form && needs_value(p->exprs.row[row].node)) f->lack = LACK_VALUE;
    return r;
}

const struct where *
where_row(struct former *f, const struct plan *p, uint32_t row, bool yes)
{
    const struct plan_expr *x = &p->exprs.row[row];
    if (x->kind == PE_INT_FN) return where_node(f, x->node, yes);
    return compared(f, yes ? OP_NE : OP_EQ, form_of_row(f, p, row), form_of_int(f, 0));
}
