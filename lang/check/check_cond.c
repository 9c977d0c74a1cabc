/* check_cond.c - conditions that are always true or false (SEM5, SEM6), whiles that never end
 * (EXT9), bounds of loops (LUNA38, LUNA39).
 *
 * A condition is true for all values of its names if it is true for a value below, at, between
 * and above each point where one of its comparisons changes:  a > 0 || a <= 0  is tried for -1,
 * 0, 1. Sums that differ by more than a constant are tried independently of each other, which
 * covers more than can happen: what comes out as constant is constant. So a side that is computed
 * stands for itself alone: ints wrap around and reals are rounded, n + 1 > n is not always true.
 * What may be real is also tried as NaN, which makes every comparison false but `!=`. */
#include "lang/check/check_facts.h"

#include <math.h>

enum {
    SUMS_MAX = 4,    /* in one condition */
    POINTS_MAX = 12, /* of one sum */
    TRIES_MAX = 20000
};

struct sum { /* a sum without its constant, and the values to try for it */
    int key;
    bool whole; /* only ints */
    double points[POINTS_MAX];
    int npoints;
    double tries[3 * POINTS_MAX + 2];
    int ntries;
    double now;
};

struct node {
    enum { N_CONST, N_NOT, N_BOTH, N_EITHER, N_COMPARE, N_TRUTH } kind;
    bool constant;
    struct node *a, *b;
    int sum;        /* sign * sum + k  is compared with 0 */
    double sign, k;
    enum op op;
};

struct condition {
    struct facts *f;
    struct sum sums[SUMS_MAX];
    int nsums;
    bool failed; /* too large to tell */
    bool starts; /* the only sum is a counter that goes up from here */
    double from;
};

/* ---- a condition as a tree of comparisons of sums ---- */

/* Two comparisons of one sum share its values: that is what makes a > 0 || a <= 0 constant. */
static int
add_sum(struct condition *c, const char *text, bool whole, double point)
{
    int key = forms_intern(c->f->forms, text), i = 0;
    while (i < c->nsums && c->sums[i].key != key) i++;
    if (i == c->nsums) {
        if (c->nsums == SUMS_MAX) {
            c->failed = true;
            return 0;
        }
        c->sums[c->nsums++] = (struct sum){.key = key, .whole = whole};
    }
    struct sum *s = &c->sums[i];
    s->whole &= whole;
    for (int p = 0; p < s->npoints; p++) {
        if (s->points[p] == point) return i;
    }
    if (s->npoints == POINTS_MAX) c->failed = true;
    else s->points[s->npoints++] = point;
    return i;
}

static const char *
sum_text(struct condition *c, struct form v, int sign)
{
    const char *text = "sum";
    for (int i = 0; i < v.n; i++) {
        text = arena_printf(c->f->arena, "%s+%lld*%d", text, (long long)sign * v.terms[i].factor,
                            v.terms[i].atom);
    }
    return text;
}

static struct node *
node_new(struct condition *c, struct node n)
{
    struct node *own = arena_new_of(c->f->arena, struct node);
    *own = n;
    return own;
}

static struct node *
node_const(struct condition *c, bool value)
{
    return node_new(c, (struct node){.kind = N_CONST, .constant = value});
}

static bool
compare(enum op op, double v)
{
    switch (op) {
    case OP_LT: return v < 0;
    case OP_LE: return v <= 0;
    case OP_EQ: return v == 0;
    case OP_NE: return v != 0;
    case OP_GT: return v > 0;
    default: return v >= 0;
    }
}

/* Ints without doubt: a DF is one if all that is known to write it agree. */
static bool
is_int(const struct condition *c, const struct expr *e)
{
    struct target t;
    if (e->type != T_VALUE) return e->type == T_INT;
    if (e->kind == E_BIN) return is_int(c, e->a) && is_int(c, e->b);
    if (e->kind != E_REF || !forms_target(c->f->forms, e->ref, &t) || t.sym->kind != SYM_DF)
        return false;
    const struct df_row *d = facts_df(c->f, t.sym);
    return d && d->held == VALUE_INT;
}

/* A side of a comparison: a name, a number, or the one value of what is computed. */
static struct form
side_of(struct condition *c, const struct expr *e)
{
    struct form v = forms_of(c->f->forms, e);
    if (!v.n || (v.n == 1 && v.terms->factor == 1 && !v.k)) return v;
    struct term *t = arena_new_of(c->f->arena, struct term);
    const char *text = arena_printf(c->f->arena, "value of %s%+d", sum_text(c, v, 1), v.k);
    *t = (struct term){forms_intern(c->f->forms, text), 1};
    return (struct form){.n = 1, .terms = t};
}

/* a < b is a - b < 0. The sign makes b - a the same sum, so that a < b && b < a is seen. Equal or
 * not is known also of computed sides that differ by a constant: they wrap around alike. */
static struct node *
compare_ints(struct condition *c, const struct expr *e)
{
    struct forms *f = c->f->forms;
    struct form d = forms_diff(f, forms_of(f, e->a), forms_of(f, e->b));
    if (!d.n && (!d.k || e->op == OP_EQ || e->op == OP_NE))
        return node_const(c, compare(e->op, d.k));
    d = forms_diff(f, side_of(c, e->a), side_of(c, e->b));
    if (!d.n) return node_const(c, compare(e->op, d.k));
    int sign = d.terms[0].factor < 0 ? -1 : 1;
    int sum = add_sum(c, sum_text(c, d, sign), true, -(double)sign * d.k);
    return node_new(c, (struct node){.kind = N_COMPARE, .op = e->op, .sum = sum, .sign = sign,
                                     .k = d.k});
}

/* What may be a real, against a constant or against anything. Against itself it may be NaN. */
static struct node *
compare_reals(struct condition *c, const struct expr *e)
{
    struct known k;
    struct form a = side_of(c, e->a), b = side_of(c, e->b);
    struct node n = {.kind = N_COMPARE, .op = e->op, .sign = 1};
    const char *text;
    bool whole = false;
    if (form_fold(e->b, NULL, &k)) {
        text = sum_text(c, a, 1);
        whole = is_int(c, e->a);
        n.k = -(k.real ? k.d : k.i);
    } else if (form_fold(e->a, NULL, &k)) {
        text = sum_text(c, b, 1);
        whole = is_int(c, e->b);
        n.sign = -1;
        n.k = k.real ? k.d : k.i;
    } else {
        struct form d = forms_diff(c->f->forms, a, b);
        if (!d.n) {
            c->failed = true;
            return node_const(c, false);
        }
        n.sign = d.terms[0].factor < 0 ? -1 : 1;
        text = sum_text(c, d, (int)n.sign);
    }
    n.sum = add_sum(c, text, whole, -n.sign * n.k);
    return node_new(c, n);
}

static struct node *
compile_truth(struct condition *c, const struct expr *e)
{
    struct form v = side_of(c, e);
    bool whole = is_int(c, e);
    if (!v.n) return node_const(c, v.k);
    struct node n = {.kind = N_TRUTH, .sign = 1, .k = v.k};
    const char *text = sum_text(c, v, 1);
    n.sum = add_sum(c, text, whole, -n.k);
    add_sum(c, text, whole, -n.k - 1); /* a real counts from +-1 on */
    add_sum(c, text, whole, -n.k + 1);
    return node_new(c, n);
}

/* Strings are left alone: there is no value "between" two of them. */
static struct node *
compile(struct condition *c, const struct expr *e)
{
    struct known v;
    if (form_fold(e, NULL, &v)) return node_const(c, forms_known_true(v));
    if (e->kind == E_NOT)
        return node_new(c, (struct node){.kind = N_NOT, .a = compile(c, e->a)});
    if (e->kind != E_BIN || e->op > OP_GE) return compile_truth(c, e);
    if (e->op == OP_AND || e->op == OP_OR) {
        struct node *a = compile(c, e->a), *b = compile(c, e->b);
        return node_new(c, (struct node){.kind = e->op == OP_AND ? N_BOTH : N_EITHER,
                                         .a = a, .b = b});
    }
    if (e->a->type == T_STRING || e->b->type == T_STRING) {
        c->failed = true;
        return node_const(c, false);
    }
    return is_int(c, e->a) && is_int(c, e->b) ? compare_ints(c, e) : compare_reals(c, e);
}

/* ---- trying values ---- */

/* Below all points, at each, between neighbours, above all; NaN. For ints the ones next to a point
 * do: a point may lie between two ints. */
static void
choose_tries(struct sum *s)
{
    for (int i = 0; i < s->npoints; i++) { /* few: insertion sort */
        double p = s->points[i];
        int j = i;
        for (; j && s->points[j - 1] > p; j--) s->points[j] = s->points[j - 1];
        s->points[j] = p;
    }
    s->tries[s->ntries++] = floor(s->points[0]) - 1;
    if (!s->whole) s->tries[s->ntries++] = NAN;
    for (int i = 0; i < s->npoints; i++) {
        double p = s->points[i];
        double above = i + 1 < s->npoints ? (p + s->points[i + 1]) / 2 : p + 1;
        if (s->whole) { /* p itself or its neighbours; the next point brings those before it */
            s->tries[s->ntries++] = floor(p);
            s->tries[s->ntries++] = floor(p) + 1;
            if (i) s->tries[s->ntries++] = ceil(p) - 1;
        } else {
            s->tries[s->ntries++] = p;
            s->tries[s->ntries++] = above;
        }
    }
}

static void
leave_from(struct sum *s, double from)
{
    int n = 0;
    for (int i = 0; i < s->ntries; i++)
        if (s->tries[i] > from) s->tries[n++] = s->tries[i];
    s->tries[n++] = from;
    s->ntries = n;
}

static bool
eval(const struct condition *c, const struct node *n)
{
    double v = 0;
    if (n->kind >= N_COMPARE) v = n->sign * c->sums[n->sum].now + n->k;
    switch (n->kind) {
    case N_CONST: return n->constant;
    case N_NOT: return !eval(c, n->a);
    case N_BOTH: return eval(c, n->a) && eval(c, n->b);
    case N_EITHER: return eval(c, n->a) || eval(c, n->b);
    case N_COMPARE: return compare(n->op, v);
    case N_TRUTH: return v <= -1 || v >= 1;
    }
    return false;
}

/* 1 always true, 0 always false, -1 it depends. */
static int
try_all(struct condition *c, const struct node *n)
{
    int index[SUMS_MAX] = {0}, result = -2, count = 1;
    for (int i = 0; i < c->nsums; i++) {
        choose_tries(&c->sums[i]);
        if (c->starts) leave_from(&c->sums[i], c->from);
        count *= c->sums[i].ntries;
        if (count > TRIES_MAX) return -1;
    }
    while (count--) {
        for (int i = 0; i < c->nsums; i++) c->sums[i].now = c->sums[i].tries[index[i]];
        int v = eval(c, n);
        if (result != -2 && v != result) return -1;
        result = v;
        for (int i = 0; i < c->nsums && ++index[i] == c->sums[i].ntries; i++) index[i] = 0;
    }
    return result;
}

static int
always(struct facts *f, const struct expr *e)
{
    struct condition c = {.f = f};
    struct node *n = compile(&c, e);
    return c.failed ? -1 : try_all(&c, n);
}

static const struct expr *
counter_in(const struct expr *e, const struct symbol *counter)
{
    if (!e) return NULL;
    if (e->kind == E_REF) return e->ref->sym == counter && !e->ref->nindices ? e : NULL;
    if (e->kind != E_BIN && e->kind != E_NOT) return NULL;
    const struct expr *found = counter_in(e->a, counter);
    return found || e->kind == E_NOT ? found : counter_in(e->b, counter);
}

/* Of nothing but the counter, which only goes up from where it starts: always true from there? */
static bool
always_upwards(struct facts *f, const struct stmt *s)
{
    struct condition c = {.f = f};
    struct known from;
    struct node *n = compile(&c, s->cond);
    const struct expr *counter = counter_in(s->cond, s->counter);
    if (c.failed || c.nsums != 1 || !counter) return false;
    if (!form_fold(s->lo, NULL, &from) || from.real) return false;
    if (c.sums[0].key != forms_intern(f->forms, sum_text(&c, forms_of(f->forms, counter), 1)))
        return false;
    c.starts = true;
    c.from = from.i;
    return try_all(&c, n) == 1;
}

/* ---- SEM5, EXT9 ---- */

static void
check_endless(struct facts *f, int site, bool upwards)
{
    const struct stmt *s = f->sites[site].stmt;
    enum severity sev = facts_may_exit(f) ? SEV_WARNING : facts_severity(f, site);
    diag(f->diag, sev, D_EXT9, s->cond->span, "this while never ends: its condition is %s",
         upwards ? "true where its counter starts, and for all that come behind it"
                 : "always true");
    diag_hint(f->diag, upwards ? "a while counts up; to count down, use a `for` with `by -1`"
                               : "let the condition read a fragment that its body writes: ..., i "
                                 "= 0 .. out n");
}

static bool
is_switch(const struct expr *e)
{
    while (e->kind == E_NOT) e = e->a;
    return e->kind == E_INT || e->kind == E_REF; /* if 0 { ... }: meant */
}

/* Whether something was said. */
static bool
check_always(struct facts *f, int site)
{
    const struct stmt *s = f->sites[site].stmt;
    int value = always(f, s->cond);
    bool upwards = value < 0 && s->kind == S_WHILE && always_upwards(f, s);
    if (value < 0 && !upwards) return false;
    if (s->kind == S_WHILE && value) {
        check_endless(f, site, upwards);
    } else {
        if (is_switch(s->cond) || facts_from_macro(f, s->cond)) return false;
        diag(f->diag, SEV_WARNING, D_SEM5, s->cond->span, "this condition is always %s",
             value ? "true" : "false");
    }
    return true;
}

/* ---- SEM6 ---- */

/* A sub is looked at if it is called 2 .. CALLS_MAX times. */
enum { CALLS_MAX = 64 };

/* The value of `cond` in the sub as called from `site`; false if not known before the run. */
static bool
value_for_call(struct facts *f, int site, const struct expr *cond, bool *value)
{
    const struct stmt *s = f->sites[site].stmt;
    struct binding *env = NULL;
    struct known v;
    const struct symbol *p = s->sub->params;
    if (s->nargs != s->sub->nparams) return false;
    for (const struct expr *e = s->args; e; e = e->next, p = p->next) {
        if ((p->type != T_INT && p->type != T_REAL) || !form_fold(e, NULL, &v)) continue;
        if (facts_from_macro(f, e)) continue;
        if (p->type == T_INT) v = (struct known){.i = forms_known_int(v)};
        else if (!v.real) v = (struct known){.real = true, .d = v.i};
        struct binding *b = arena_new_of(f->arena, struct binding);
        *b = (struct binding){.next = env, .sym = p, .value = v};
        env = b;
    }
    if (!env || !form_fold(cond, env, &v)) return false;
    *value = forms_known_true(v);
    return true;
}

/* A macro's value may be another one tomorrow, so conditions made of it are meant. */
static bool
check_same(struct facts *f, int site)
{
    const struct stmt *s = f->sites[site].stmt;
    const struct sub_row *sub = &f->subs[f->sites[site].sub];
    bool first = false, value = false;
    if (sub->ncalls < 2 || sub->ncalls > CALLS_MAX || sub->sub == f->tree->main) return false;
    for (int i = 0; i < sub->ncalls; i++) {
        if (!value_for_call(f, sub->calls[i], s->cond, &value)) return false;
        if (!i) first = value;
        if (value != first) return false;
    }
    if (facts_from_macro(f, s->cond)) return false;
    diag(f->diag, SEV_WARNING, D_SEM6, s->cond->span,
         "this condition is %s for all %d calls of '%s'", first ? "true" : "false", sub->ncalls,
         sub->sub->name.text);
    for (int i = 0; i < sub->ncalls && i < 2; i++) {
        diag_note(f->diag, f->sites[sub->calls[i]].stmt->span, "called here");
    }
    return true;
}

/* ---- bounds ---- */

static bool
is_whole(const struct expr *e)
{
    struct known v;
    return form_fold(e, NULL, &v) && forms_known_whole(v);
}

static void
check_bound(struct facts *f, int site, const struct expr *e)
{
    struct target t;
    const struct df_row *d = NULL;
    if (e->kind == E_REF && forms_target(f->forms, e->ref, &t) && t.sym->kind == SYM_DF)
        d = facts_df(f, t.sym);
    if (e->type == T_STRING || (d && (d->held == VALUE_STRING || d->held == VALUE_BYTES))) {
        diag(f->diag, facts_severity(f, site), D_LUNA39, e->span, "this bound is %s",
             d && d->held == VALUE_BYTES ? "bytes, not a number" : "a string, not a number");
    } else if ((e->type == T_REAL && !is_whole(e)) || (d && d->held == VALUE_REAL)) {
        diag(f->diag, SEV_WARNING, D_LUNA39, e->span,
             "this bound is real: it is cut to an int");
    }
}

static void
check_ranges(struct facts *f, int site, const struct reduce_range *r)
{
    for (; r; r = r->next) {
        check_bound(f, site, r->lo);
        check_bound(f, site, r->hi);
    }
}

/* n .. n-1 too: the difference of the bounds is known though they are not, except that of the least
 * n, n-1 is the largest int. From macros an empty loop may be meant. */
static void
check_order(struct facts *f, const struct stmt *s)
{
    int64_t length;
    struct known lo, hi;
    if (!facts_span(f, s, &length) || length >= 0) return;
    if (facts_from_macro(f, s->lo) || facts_from_macro(f, s->hi)) return;
    struct span span = {s->lo->span.lo, s->hi->span.hi};
    bool sure = form_fold(s->lo, NULL, &lo) && form_fold(s->hi, NULL, &hi);
    diag(f->diag, SEV_WARNING, D_LUNA38, span,
         "this for has no iterations: its first value is %s its last%s",
         s->step < 0 ? "below" : "above", sure ? "" : ", unless one of them wraps around");
}

static void
check_step(struct facts *f, const struct stmt *s)
{
    struct known k;
    if (!s->by || s->step || s->by->type == T_NONE) return;
    if (s->by->type == T_STRING || s->by->type == T_REAL) {
        diag(f->diag, SEV_ERROR, D_EXT27, s->by->span, "the step of a for must be an int");
    } else if (form_fold(s->by, NULL, &k)) {
        diag(f->diag, SEV_ERROR, D_EXT27, s->by->span, "a for with step 0 would never end");
    } else {
        diag(f->diag, SEV_ERROR, D_EXT27, s->by->span, "the step of a for must be a constant");
        diag_hint(f->diag, "for t = 0..(b-a)/k { ... }, and a + k*t in place of the counter, takes "
                  "any k");
    }
}

void
check_conditions(struct facts *f)
{
    for (int i = 0; i < f->nsites; i++) {
        struct stmt *s = f->sites[i].stmt;
        if (s->kind == S_IF || s->kind == S_WHILE) {
            bool said = check_always(f, i) || check_same(f, i);
            s->settled = said || is_switch(s->cond) || facts_from_macro(f, s->cond);
        }
        if (s->kind == S_WHILE) s->settled = facts_from_macro(f, s->lo);
        if (s->kind == S_FOR) s->settled = facts_from_macro(f, s->lo) || facts_from_macro(f, s->hi);
        for (const struct expr *e = s->kind == S_CALL ? s->args : NULL; e; e = e->next) {
            s->settled |= facts_from_macro(f, e);
            check_ranges(f, i, e->over);
        }
        if (s->kind == S_REDUCE) check_ranges(f, i, s->ranges);
        if (s->kind == S_FOR || s->kind == S_WHILE) check_bound(f, i, s->lo);
        if (s->kind != S_FOR) continue;
        check_bound(f, i, s->hi);
        check_step(f, s);
        check_order(f, s);
    }
}
