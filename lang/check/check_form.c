/* check_form.c - normal forms as interned texts: short, since an atom is written by its number. */
#include "lang/check/check_form.h"

#include "runtime/base/map.h"
#include "runtime/base/vec.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TERMS_MAX 16 /* a longer sum is an atom by itself */

struct interned {
    const char *text;
    struct form let; /* of a let that was seen */
    bool let_known;
};

struct forms {
    struct arena *arena;
    struct map *rows;       /* of `texts`, by text; they move: numbers plus one */
    struct interned *texts; /* by their numbers */
    int n, room;
};

struct forms *
forms_new(struct arena *a)
{
    struct forms *f = arena_new_of(a, struct forms);
    f->arena = a;
    f->rows = map_new_in(a);
    return f;
}

/* ---- texts and their numbers ---- */

int
forms_intern(struct forms *f, const char *text)
{
    uintptr_t id = (uintptr_t)map_get(f->rows, text);
    if (id) return (int)id - 1;
    vec_need(f->arena, f->texts, f->n, f->room);
    f->texts[f->n] = (struct interned){.text = arena_strdup(f->arena, text)};
    map_put(f->rows, text, (void *)(uintptr_t)++f->n);
    return f->n - 1;
}

const char *
forms_text(const struct forms *f, int id)
{
    return f->texts[id].text;
}

int
forms_count(const struct forms *f)
{
    return f->n;
}

/* ---- sums ---- */

static struct form
form_of_int(int64_t k)
{
    return (struct form){.k = (int32_t)(uint32_t)k};
}

static struct form
form_of_atom(struct forms *f, const char *text)
{
    struct form r = {.n = 1, .terms = arena_new_of(f->arena, struct term)};
    r.terms[0] = (struct term){forms_intern(f, text), 1};
    return r;
}

/* Numbers wrap around as those of the run do: i*65536*65536 is 0 there, and so it is here. */
static int32_t
wrap_mul(int32_t a, int32_t b)
{
    return (int32_t)(uint32_t)((int64_t)a * b);
}

static int32_t
wrap_add(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

/* a + factor * b: two lists of rising atoms are merged, and terms that cancel are left out. */
static struct form
add(struct forms *f, struct form a, struct form b, int32_t factor)
{
    struct form r = {.k = wrap_add(a.k, wrap_mul(b.k, factor))};
    if (!a.n && !b.n) return r;
    r.terms = arena_array(f->arena, struct term, (size_t)(a.n + b.n));
    for (int i = 0, j = 0; i < a.n || j < b.n;) {
        struct term t;
        if (j == b.n || (i < a.n && a.terms[i].atom < b.terms[j].atom)) {
            t = a.terms[i++];
        } else if (i == a.n || b.terms[j].atom < a.terms[i].atom) {
            t = b.terms[j++];
            t.factor = wrap_mul(t.factor, factor);
        } else {
            t = a.terms[i++];
            t.factor = wrap_add(t.factor, wrap_mul(b.terms[j++].factor, factor));
        }
        if (t.factor) r.terms[r.n++] = t;
    }
    return r;
}

struct form
forms_diff(struct forms *f, struct form a, struct form b)
{
    return add(f, a, b, -1);
}

/* ---- texts being printed: mostly short; nothing to free when the arena gives up ---- */

struct text {
    struct arena *arena;
    char *at;
    size_t size, room;
    char small[240];
};

static void
text_init(struct text *t, struct arena *a)
{
    t->arena = a;
    t->at = t->small;
    t->size = 0;
    t->room = sizeof t->small;
    t->small[0] = 0;
}

__attribute__((format(printf, 2, 3))) static void
text_add(struct text *t, const char *fmt, ...)
{
    for (;;) {
        va_list ap;
        va_start(ap, fmt);
        size_t n = (size_t)vsnprintf(t->at + t->size, t->room - t->size, fmt, ap);
        va_end(ap);
        if (n < t->room - t->size) {
            t->size += n;
            return;
        }
        char *bigger = arena_alloc(t->arena, t->room * 2 + n);
        memcpy(bigger, t->at, t->size);
        t->at = bigger;
        t->room = t->room * 2 + n;
    }
}

static void
print_form(struct text *out, struct form v)
{
    text_add(out, "%d", v.k);
    for (int i = 0; i < v.n; i++) text_add(out, "+%d*%d", v.terms[i].factor, v.terms[i].atom);
}

/* An operation that is not taken apart: its kind, operator and operands. */
static struct form
opaque(struct forms *f, const struct expr *e)
{
    const struct expr *operands[] = {e->a, e->b, e->c};
    struct form parts[3];
    for (int i = 0; i < 3; i++) {
        if (operands[i]) parts[i] = forms_of(f, operands[i]);
    }
    struct text t;
    text_init(&t, f->arena);
    text_add(&t, "(%d.%d.%d", (int)e->kind, (int)e->op,
             (int)e->cast + 16 * (int)e->items);
    for (int i = 0; i < 3; i++) {
        if (!operands[i]) continue;
        text_add(&t, " ");
        print_form(&t, parts[i]);
    }
    return form_of_atom(f, t.at);
}

/* Each let is taken apart once: `let b = a+a, c = b+b, ...` doubles at each level otherwise. */
static struct form
form_of_let(struct forms *f, const struct symbol *let)
{
    char name[40];
    snprintf(name, sizeof name, "let%p", (const void *)let);
    int id = forms_intern(f, name);
    if (!f->texts[id].let_known) {
        struct form v = forms_of(f, let->let_value);
        f->texts[id].let = v; /* the array may have moved meanwhile */
        f->texts[id].let_known = true;
    }
    return f->texts[id].let;
}

/* A fragment in an index is an atom by its key, so x[n] and x[n] are equal whatever n will be;
 * other names are atoms by their symbol. An undeclared name is equal to no other mention. */
static struct form
form_of_ref(struct forms *f, const struct expr *e)
{
    struct target t;
    char name[40];
    if (forms_target(f, e->ref, &t)) {
        snprintf(name, sizeof name, "r%d", t.key);
        return form_of_atom(f, name);
    }
    const struct symbol *s = e->ref->sym;
    if (!s && !strcmp(e->ref->name.text, "all")) return form_of_int(-1);
    if (s && s->kind == SYM_LET && s->let_value && !e->ref->nindices) return form_of_let(f, s);
    snprintf(name, sizeof name, "s%p", s ? (const void *)s : (const void *)e);
    return form_of_atom(f, name);
}

/* Only sums and products with a number on one side stay
 * sums. A quotient rounds: 2*(i/2) is not i. */
static struct form
form_of_bin(struct forms *f, const struct expr *e)
{
    bool whole = e->a->type != T_REAL && e->b->type != T_REAL && e->a->type != T_STRING &&
                 e->b->type != T_STRING;
    if (!whole || (e->op != OP_ADD && e->op != OP_SUB && e->op != OP_MUL)) return opaque(f, e);
    struct form a = forms_of(f, e->a), b = forms_of(f, e->b), zero = {0};
    if (a.n + b.n > TERMS_MAX) return opaque(f, e);
    if (e->op == OP_ADD) return add(f, a, b, 1);
    if (e->op == OP_SUB) return add(f, a, b, -1);
    if (!a.n) return add(f, zero, b, a.k);
    if (!b.n) return add(f, zero, a, b.k);
    return opaque(f, e);
}

struct form
forms_of(struct forms *f, const struct expr *e)
{
    struct form zero = {0};
    switch (e->kind) {
    case E_INT: return form_of_int(e->ival);
    case E_REF: return form_of_ref(f, e);
    case E_BIN: return form_of_bin(f, e);
    case E_NEG:
        if (e->a->type == T_REAL || e->a->type == T_STRING) return opaque(f, e);
        return add(f, zero, forms_of(f, e->a), -1);
    case E_CAST:
        if (e->cast == T_INT && e->a->type == T_INT) return forms_of(f, e->a);
        return opaque(f, e);
    case E_NOT:
    case E_NODES:
    case E_NODE:
    case E_PART:
    case E_COND: return opaque(f, e);
    case E_REALNUM: return form_of_atom(f, arena_printf(f->arena, "%a", e->rval));
    case E_STR: return form_of_atom(f, arena_printf(f->arena, "\"%s", e->str));
    }
    return zero;
}

/* ---- references ---- */

/* `let y = x[1]` and then y[2]: the indices of what the let stands for come first. */
static bool
print_indices(struct forms *f, const struct ref *r, struct text *out, struct target *t)
{
    bool lets = r->sym->kind == SYM_LET;
    if (lets) {
        const struct expr *v = r->sym->let_value;
        if (!v || v->kind != E_REF || !v->ref->sym) return false;
        if (!print_indices(f, v->ref, out, t)) return false;
    } else {
        t->sym = r->sym;
    }
    for (const struct expr *e = r->indices; e; e = e->next) {
        struct form v = forms_of(f, e);
        if (v.n) t->constant = false;
        t->depth++;
        text_add(out, "[");
        print_form(out, v);
        text_add(out, "]");
    }
    return true;
}

static bool
is_fragment(const struct symbol *s)
{
    return s && (s->kind == SYM_DF ||
                 (s->kind == SYM_PARAM && (s->type == T_NAME || s->type == T_VALUE)));
}

bool
forms_target(struct forms *f, const struct ref *r, struct target *out)
{
    if (!r->sym || (r->sym->kind != SYM_LET && !is_fragment(r->sym))) return false;
    struct text suffix;
    text_init(&suffix, f->arena);
    *out = (struct target){.constant = true};
    if (!print_indices(f, r, &suffix, out) || !is_fragment(out->sym)) return false;
    out->suffix = arena_strndup(f->arena, suffix.at, suffix.size);
    const char *text = arena_printf(f->arena, "s%p%s", (const void *)out->sym, out->suffix);
    out->key = forms_intern(f, text);
    return true;
}

int
forms_key_with(struct forms *f, int key, const char *suffix)
{
    if (!*suffix) return key;
    return forms_intern(f, arena_printf(f->arena, "%s%s", f->texts[key].text, suffix));
}

/* ---- constants ---- */

/* Lets may double an expression at each level; beyond this many steps nothing is known. */
#define FOLD_STEPS_MAX 20000

struct fold {
    const struct binding *env;
    int steps;
};

static bool
fits_int(double d)
{
    return d > -2147483649.0 && d < 2147483648.0;
}

/* What does not fit an int is a fault at run time; any number will do for a report. */
int32_t
forms_known_int(struct known v)
{
    if (!v.real) return v.i;
    return fits_int(v.d) ? (int32_t)v.d : 0;
}

bool
forms_known_whole(struct known v)
{
    return !v.real || (fits_int(v.d) && v.d == (int32_t)v.d);
}

bool
forms_known_fits(struct known v)
{
    return !v.real || fits_int(v.d);
}

bool
forms_known_true(struct known v)
{
    return v.real ? fabs(v.d) >= 1 : v.i != 0;
}

static struct known
known_of_int(int64_t i)
{
    return (struct known){.i = (int32_t)(uint32_t)(uint64_t)i};
}

static struct known
known_of_real(double d)
{
    return (struct known){.real = true, .d = d};
}

static double
as_real(struct known v)
{
    return v.real ? v.d : v.i;
}

static bool
fold_real(enum op op, double x, double y, struct known *out)
{
    switch (op) {
    case OP_ADD: *out = known_of_real(x + y); return true;
    case OP_SUB: *out = known_of_real(x - y); return true;
    case OP_MUL: *out = known_of_real(x * y); return true;
    case OP_DIV: *out = known_of_real(x / y); return true;
    case OP_LT: *out = known_of_int(x < y); return true;
    case OP_LE: *out = known_of_int(x <= y); return true;
    case OP_GT: *out = known_of_int(x > y); return true;
    case OP_GE: *out = known_of_int(x >= y); return true;
    case OP_EQ: *out = known_of_int(x == y); return true;
    case OP_NE: *out = known_of_int(x != y); return true;
    default: return false;
    }
}

static bool
fold_int(enum op op, int64_t x, int64_t y, struct known *out)
{
    switch (op) {
    case OP_ADD: *out = known_of_int(x + y); return true;
    case OP_SUB: *out = known_of_int(x - y); return true;
    case OP_MUL: *out = known_of_int(x * y); return true;
    case OP_DIV:
    case OP_MOD:
        if (!y) return false; /* a fault at run time */
        *out = known_of_int(op == OP_DIV ? x / y : x % y);
        return true;
    default: return fold_real(op, (double)x, (double)y, out);
    }
}

static bool fold(struct fold *f, const struct expr *e, struct known *out);

/* Both sides must be known, also of && and ||: the run waits for the fragments of both. */
static bool
fold_bin(struct fold *f, const struct expr *e, struct known *out)
{
    struct known x, y;
    if (!fold(f, e->a, &x) || !fold(f, e->b, &y)) return false;
    if (e->op == OP_AND || e->op == OP_OR) {
        bool a = forms_known_true(x), b = forms_known_true(y);
        *out = known_of_int(e->op == OP_AND ? a && b : a || b);
        return true;
    }
    if (x.real || y.real) return fold_real(e->op, as_real(x), as_real(y), out);
    return fold_int(e->op, x.i, y.i, out);
}

/* The innermost binding counts, which is the first. */
static bool
fold_ref(struct fold *f, const struct ref *r, struct known *out)
{
    if (r->nindices) return false;
    if (!r->sym) {
        *out = known_of_int(-1);
        return !strcmp(r->name.text, "all");
    }
    for (const struct binding *b = f->env; b; b = b->next) {
        if (b->sym != r->sym) continue;
        *out = b->value;
        return true;
    }
    return r->sym->kind == SYM_LET && r->sym->let_value && fold(f, r->sym->let_value, out);
}

/* An int beside a real is one; of what else may be a real nothing is known. */
static bool
fold_cond(struct fold *f, const struct expr *e, struct known *out)
{
    struct known c, beside;
    if (!fold(f, e->a, &c)) return false;
    bool yes = forms_known_true(c);
    const struct expr *taken = yes ? e->b : e->c, *other = yes ? e->c : e->b;
    if (!fold(f, taken, out)) return false;
    if (out->real || other->type == T_INT || other->type == T_STRING) return true;
    beside.real = other->type == T_REAL;
    if (!beside.real && !fold(f, other, &beside)) return false;
    if (beside.real) *out = known_of_real(out->i);
    return true;
}

static bool
fold(struct fold *f, const struct expr *e, struct known *out)
{
    if (++f->steps > FOLD_STEPS_MAX) return false;
    switch (e->kind) {
    case E_INT: *out = known_of_int(e->ival); return true;
    case E_REALNUM: *out = known_of_real(e->rval); return true;
    case E_REF: return fold_ref(f, e->ref, out);
    case E_BIN: return fold_bin(f, e, out);
    case E_NEG:
        if (!fold(f, e->a, out)) return false;
        *out = out->real ? known_of_real(-out->d) : known_of_int(-(int64_t)out->i);
        return true;
    case E_NOT:
        if (!fold(f, e->a, out)) return false;
        *out = known_of_int(!forms_known_true(*out));
        return true;
    case E_CAST:
        if (e->cast == T_STRING || !fold(f, e->a, out)) return false;
        *out = e->cast == T_INT ? known_of_int(forms_known_int(*out))
                                : known_of_real(as_real(*out));
        return true;
    case E_COND: return fold_cond(f, e, out);
    case E_NODES:
    case E_NODE:
    case E_PART:
    case E_STR: return false;
    }
    return false;
}

bool
form_fold(const struct expr *e, const struct binding *env, struct known *out)
{
    struct fold f = {.env = env};
    return fold(&f, e, out);
}
