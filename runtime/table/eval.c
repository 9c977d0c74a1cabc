/* eval.c - the interpreter of expression rows, and the luna_v_* functions of program.h. */
#include "eval.h"

#include "runtime/base/exit.h"
#include "runtime/base/numeric.h"
#include "runtime/base/pool.h"
#include "runtime/fault/fault.h"
#include "runtime/table/mention.h"
#include "runtime/table/name.h"
#include "runtime/table/writers.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct temp { /* a value to release when the statement is done */
    struct temp *next;
    luna_value value;
};

static luna_value
keep(const luna_env *e, luna_value v)
{
    struct temp *t = pool_get(pool_class(sizeof *t));
    if (!t || v.type == LUNA_UNSET) fault_nomem();
    t->value = v;
    t->next = e->temps;
    ((luna_env *)e)->temps = t; /* the one word of an env that expressions change */
    return v;
}

void
eval_drop_temps(luna_env *e)
{
    for (struct temp *t = e->temps, *next; t; t = next) {
        next = t->next;
        value_release(t->value);
        pool_put(pool_class(sizeof *t), t);
    }
    e->temps = NULL;
}

/* ---- faults ---- */

static uint32_t
place_of(const luna_env *e)
{
    const struct luna_program *p = fault_program();
    uint32_t place = LUNA_NONE;
    if (p && e->about >= LUNA_ABOUT_LOCATOR(0)) {
        place = p->locators[e->about - LUNA_ABOUT_LOCATOR(0)].place;
    } else if (p && e->about) {
        const struct luna_decl *d = &p->dfs[(e->about - 1) / 4];
        uint32_t part = (e->about - 1) % 4;
        place = part == LUNA_ABOUT_SHAPE ? d->place : p->abouts[d->about].place[part];
    } else if (p && e->arg) {
        place = p->args[e->site->arg + e->arg - 1].place;
    }
    return place == LUNA_NONE ? e->site->place : place;
}

/* The outside rule of 'x[3]'; a locator knows no name, it may be that of a statement. */
static void
name_about(const struct luna_program *p, const luna_env *e, char *text, size_t size)
{
    static const char *const part[] = {"cell rule", "bytes rule", "outside rule", "shape"};
    char df[NAME_MAX_TEXT];
    if (e->about >= LUNA_ABOUT_LOCATOR(0)) {
        snprintf(text, size, "a locator");
        return;
    }
    struct key k = {.df = (e->about - 1) / 4};
    k.n = p->abouts[p->dfs[k.df].about].nindices;
    memcpy(k.ix, e->ix, k.n * sizeof *k.ix);
    name_df(p, &k, df, sizeof df);
    snprintf(text, size, "the %s of '%s'", part[(e->about - 1) % 4], df);
}

/* With the statement and its counters: of a thousand iterations one divides by zero. */
static void
begin_fault(const luna_env *e, enum fault_code code, const char *fmt, va_list ap)
{
    char words[2 * NAME_MAX_TEXT], cf[NAME_MAX_TEXT] = "", said[2 * NAME_MAX_TEXT];
    vsnprintf(words, sizeof words, fmt, ap);
    const struct luna_program *p = fault_program();
    if (p) name_site(p, e, cf, sizeof cf);
    if (p && e->about) {
        name_about(p, e, said, sizeof said);
        fault_begin(code, place_of(e), "%s, in %s", words, said);
        fault_note(e->site->place, "it is needed here%s%s", *cf ? ", by " : "", cf);
        return;
    }
    fault_begin(code, place_of(e), "%s%s%s", words, *cf ? ", in " : "", cf);
}

/* Of this thread: eval_int_try() tells what fails, eval_try() does not. */
static _Thread_local enum { TRY_NOT, TRY_ALOUD, TRY_QUIETLY } tries;
static _Thread_local bool failed;

static void
tell_failed(const luna_env *e, const char *fmt, va_list ap)
{
    char words[2 * NAME_MAX_TEXT], about[2 * NAME_MAX_TEXT];
    vsnprintf(words, sizeof words, fmt, ap);
    name_about(fault_program(), e, about, sizeof about);
    fault_warn(F_RUN18, place_of(e), "%s, in %s, which says nothing then", words, about);
}

/* 0, which counts for nothing, if the expression is only tried. */
static __attribute__((format(printf, 4, 5))) int32_t
eval_fault(const luna_env *e, enum fault_code code, const char *hint, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (tries == TRY_NOT) begin_fault(e, code, fmt, ap);
    if (tries == TRY_ALOUD) tell_failed(e, fmt, ap);
    va_end(ap);
    failed = true;
    if (tries != TRY_NOT) return 0;
    fault_hint("%s", hint);
    fault_end(EXIT_RUN);
}

void
eval_try(void)
{
    tries = TRY_QUIETLY;
    failed = false;
}

bool
eval_tried(void)
{
    tries = TRY_NOT;
    return !failed;
}

bool
eval_int_try(const struct luna_program *p, const luna_env *e, uint32_t expr, int32_t *value)
{
    eval_try();
    tries = TRY_ALOUD;
    *value = eval_int(p, e, expr);
    return eval_tried();
}

/* Of a value that came as input `in` of the statement: with those who may have assigned it. */
static __attribute__((noreturn, format(printf, 4, 5))) void
input_fault(const luna_env *e, unsigned in, const char *hint, const char *fmt, ...)
{
    const struct luna_program *p = fault_program();
    va_list ap;
    va_start(ap, fmt);
    begin_fault(e, F_RUN1, fmt, ap);
    va_end(ap);
    writers_note(p, mention_df(p, e, p->ins[e->site->in + in].ref));
    fault_hint("%s", hint);
    fault_end(EXIT_RUN);
}

static const char by_zero[] = "ask first: b == 0 ? 0 : a / b";
static const char beyond_int[] = "an int has 32 bits; reals hold larger numbers";
static const char no_truth[] = "compare it: x == x is 0 for nan alone";

/* A text that was made on the way: of which input? */
static int
joined_with(const luna_env *e, char *name, size_t size)
{
    for (unsigned i = 0; i < e->site->nin && e->in; i++)
        if (e->in[i].type == LUNA_STRING)
            return name_input(fault_program(), e, e->in[i], name, size);
    return -1;
}

static void
wrong_type(const luna_env *e, luna_value v, const char *wanted)
{
    const char *what = value_type_text(v.type), *article = v.type == LUNA_STRING ? "a " : "";
    const char *hint = v.type == LUNA_BYTES
                           ? "bytes are read by functions that take a value"
                           : "what it holds is chosen by the function that assigns it";
    char name[NAME_MAX_TEXT], joined[NAME_MAX_TEXT + 40];
    bool known = fault_program() && v.type >= LUNA_STRING;
    int in = known ? name_input(fault_program(), e, v, name, sizeof name) : -1;
    if (in >= 0)
        input_fault(e, (unsigned)in, hint, "%s needed, but '%s' is %s%s", wanted, name, article,
                    what);
    if (known && v.type == LUNA_STRING && (in = joined_with(e, name, sizeof name)) >= 0) {
        snprintf(joined, sizeof joined, "'%s' is a string, and + joins those", name);
        input_fault(e, (unsigned)in, joined, "%s needed, but the value is a string", wanted);
    }
    eval_fault(e, F_RUN1, hint, "%s needed, but the value is %s%s", wanted, article, what);
}

/* ---- conversions ---- */

int32_t
luna_r_int(const luna_env *e, double d)
{
    if (!(d > -2147483649.0 && d < 2147483648.0))
        return eval_fault(e, F_RUN4, beyond_int, "%g does not fit an int", d);
    return (int32_t)d;
}

int32_t
luna_v_int(const luna_env *e, luna_value v)
{
    if (v.type == LUNA_INT) return (int32_t)v.w.i;
    if (v.type == LUNA_REAL) return luna_r_int(e, v.w.d);
    wrong_type(e, v, "a number is");
    return 0;
}

double
luna_v_real(const luna_env *e, luna_value v)
{
    if (v.type == LUNA_REAL) return v.w.d;
    if (v.type == LUNA_INT) return (double)v.w.i;
    wrong_type(e, v, "a number is");
    return 0;
}

int32_t
luna_v_true(const luna_env *e, luna_value v)
{
    if (v.type != LUNA_REAL) return luna_v_int(e, v) != 0;
    if (isnan(v.w.d)) return eval_fault(e, F_RUN4, no_truth, "nan is neither true nor false");
    return v.w.d <= -1.0 || v.w.d >= 1.0; /* not 0 when cut: also what does not fit an int */
}

static void
real_text(char *text, size_t size, double d)
{
    locale_t theirs = numeric_begin();
    snprintf(text, size, "%f", d);
    numeric_end(theirs);
}

luna_value
luna_v_string(const luna_env *e, luna_value v)
{
    char text[400]; /* the longest double in %f has 317 characters */
    if (v.type == LUNA_STRING) return v;
    if (v.type == LUNA_INT) snprintf(text, sizeof text, "%d", (int)v.w.i);
    else if (v.type == LUNA_REAL) real_text(text, sizeof text, v.w.d);
    else wrong_type(e, v, "a string is");
    return keep(e, value_of_string(text, strlen(text)));
}

luna_value
luna_v_of_string(const luna_env *e, const char *text)
{
    return keep(e, value_of_string(text, strlen(text)));
}

luna_value
luna_v_of_word(const luna_env *e, uint32_t frame_word)
{
    return *(const luna_value *)e->frame[frame_word].p;
}

/* ---- arithmetic ---- */

static int
both_int(const luna_env *e, luna_value a, luna_value b)
{
    if (a.type == LUNA_INT && b.type == LUNA_INT) return 1;
    if (a.type != LUNA_INT && a.type != LUNA_REAL) wrong_type(e, a, "a number is");
    if (b.type != LUNA_INT && b.type != LUNA_REAL) wrong_type(e, b, "a number is");
    return 0;
}

static double
as_real(luna_value v)
{
    return v.type == LUNA_REAL ? v.w.d : (double)v.w.i;
}

int32_t
luna_i_div(const luna_env *e, int32_t a, int32_t b)
{
    if (b == 0) return eval_fault(e, F_RUN4, by_zero, "division of %d by zero", a);
    return b == -1 ? (int32_t)(0u - (uint32_t)a) : a / b; /* the least int by -1 wraps around */
}

int32_t
luna_i_mod(const luna_env *e, int32_t a, int32_t b)
{
    if (b == 0) return eval_fault(e, F_RUN4, by_zero, "remainder of %d by zero", a);
    return b == -1 ? 0 : a % b; /* a machine cannot do it with the least int */
}

static bool tells_wraps;

void
eval_tell_wraps(bool tells)
{
    tells_wraps = tells;
}

static __attribute__((noinline)) void
wrapped(const luna_env *e, int32_t a, const char *op, int32_t b, int32_t to)
{
    if (tells_wraps && tries != TRY_QUIETLY)
        fault_warn(F_RUN4, place_of(e), "%d %s %d does not fit an int: it wraps around to %d", a,
                   op, b, to);
}

#define INT_ARITHMETIC(name, builtin, sign)                                                        \
    int32_t name(const luna_env *e, int32_t a, int32_t b)                                          \
    {                                                                                              \
        int32_t c;                                                                                 \
        if (builtin(a, b, &c)) wrapped(e, a, sign, b, c);                                          \
        return c;                                                                                  \
    }
INT_ARITHMETIC(luna_i_add, __builtin_add_overflow, "+")
INT_ARITHMETIC(luna_i_sub, __builtin_sub_overflow, "-")
INT_ARITHMETIC(luna_i_mul, __builtin_mul_overflow, "*")

#define ARITHMETIC(name, op, of_ints)                                                              \
    luna_value name(const luna_env *e, luna_value a, luna_value b)                                 \
    {                                                                                              \
        if (both_int(e, a, b))                                                                     \
            return luna_v_of_int(of_ints(e, (int32_t)a.w.i, (int32_t)b.w.i));                      \
        return luna_v_of_real(as_real(a) op as_real(b));                                           \
    }
static ARITHMETIC(add_numbers, +, luna_i_add)
ARITHMETIC(luna_v_sub, -, luna_i_sub)
ARITHMETIC(luna_v_mul, *, luna_i_mul)

luna_value
luna_v_add(const luna_env *e, luna_value a, luna_value b)
{
    bool joins = a.type == LUNA_STRING || b.type == LUNA_STRING;
    return joins ? luna_v_cat(e, a, b) : add_numbers(e, a, b);
}

luna_value
luna_v_div(const luna_env *e, luna_value a, luna_value b)
{
    if (both_int(e, a, b)) return luna_v_of_int(luna_i_div(e, (int32_t)a.w.i, (int32_t)b.w.i));
    return luna_v_of_real(as_real(a) / as_real(b));
}

luna_value
luna_v_mod(const luna_env *e, luna_value a, luna_value b)
{
    if (!both_int(e, a, b))
        eval_fault(e, F_RUN1, "int(...) cuts a real", "%% needs two ints, but one of them is real");
    return luna_v_of_int(luna_i_mod(e, (int32_t)a.w.i, (int32_t)b.w.i));
}

luna_value
luna_v_neg(const luna_env *e, luna_value a)
{
    if (a.type == LUNA_REAL) return luna_v_of_real(-a.w.d);
    return luna_v_sub(e, luna_v_of_int(0), a);
}

int32_t
luna_v_lt(const luna_env *e, luna_value a, luna_value b)
{
    return both_int(e, a, b) ? a.w.i < b.w.i : as_real(a) < as_real(b);
}

int32_t
luna_v_le(const luna_env *e, luna_value a, luna_value b)
{
    return both_int(e, a, b) ? a.w.i <= b.w.i : as_real(a) <= as_real(b);
}

int32_t
luna_v_eq(const luna_env *e, luna_value a, luna_value b)
{
    if (a.type == LUNA_STRING && b.type == LUNA_STRING)
        return !strcmp(value_block(a)->data, value_block(b)->data);
    return both_int(e, a, b) ? a.w.i == b.w.i : as_real(a) == as_real(b);
}

luna_value
luna_v_cat(const luna_env *e, luna_value a, luna_value b)
{
    a = luna_v_string(e, a);
    b = luna_v_string(e, b);
    size_t n = value_block(a)->size - 1, m = value_block(b)->size - 1;
    struct block *joined = block_new(n + m + 1);
    if (!joined) fault_nomem();
    memcpy(joined->data, value_block(a)->data, n);
    memcpy(joined->data + n, value_block(b)->data, m);
    joined->data[n + m] = 0;
    return keep(e, value_of_block(joined, LUNA_STRING));
}

/* ---- rows ---- */

static int32_t
eval_affine(const struct luna_program *p, const luna_env *e, const struct luna_expr *x)
{
    uint32_t sum = (uint32_t)x->k;
    const struct luna_term *t = &p->terms[x->u.terms];
    for (unsigned i = 0; i < x->a; i++) {
        const luna_word *w = t[i].in_frame ? e->frame : e->local;
        sum += (uint32_t)t[i].coefficient * (uint32_t)w[t[i].word].i;
    }
    return (int32_t)sum;
}

/* Rows of place. */
static int32_t
eval_placed(const struct luna_program *p, const luna_env *e, const struct luna_expr *x)
{
    int32_t v = eval_int(p, e, (uint32_t)x->u.terms);
    if (x->kind == LUNA_E_MODULO) return v % x->k < 0 ? v % x->k + x->k : v % x->k;
    if (x->kind == LUNA_E_SIDE) return v < 1 ? 1 : v > x->a ? x->a : v;
    int32_t n = eval_int(p, e, (uint32_t)x->k);
    return n > x->a ? (int32_t)((int64_t)v * x->a / n) : v;
}

static luna_value
eval_row(const struct luna_program *p, const luna_env *e, const struct luna_expr *x)
{
    switch ((enum luna_expr_kind)x->kind) {
    case LUNA_E_INT: return luna_v_of_int(x->k);
    case LUNA_E_REAL: return luna_v_of_real(x->u.real);
    case LUNA_E_STRING: return luna_v_of_string(e, x->u.string);
    case LUNA_E_LOCAL: return luna_v_of_int((int32_t)((uint32_t)e->local[x->a].i + (uint32_t)x->k));
    case LUNA_E_FRAME: return luna_v_of_int((int32_t)((uint32_t)e->frame[x->a].i + (uint32_t)x->k));
    case LUNA_E_IX: return luna_v_of_int((int32_t)((uint32_t)e->ix[x->a] + (uint32_t)x->k));
    case LUNA_E_IN: return e->in[x->a];
    case LUNA_E_FREAL: return luna_v_of_real(e->frame[x->a].d);
    case LUNA_E_FVALUE: return luna_v_of_word(e, x->a);
    case LUNA_E_AFFINE: return luna_v_of_int(eval_affine(p, e, x));
    case LUNA_E_QUOTIENT: return luna_v_of_int(eval_int(p, e, (uint32_t)x->u.terms) / x->k);
    case LUNA_E_MODULO:
    case LUNA_E_SCALED:
    case LUNA_E_SIDE: return luna_v_of_int(eval_placed(p, e, x));
    case LUNA_E_INT_FN: return luna_v_of_int(x->u.int_fn(e));
    case LUNA_E_REAL_FN: return luna_v_of_real(x->u.real_fn(e));
    case LUNA_E_VALUE_FN: return x->u.value_fn(e);
    }
    return value_unset();
}

int32_t
eval_int_slow(const struct luna_program *p, const luna_env *e, const struct luna_expr *x)
{
    if (x->kind == LUNA_E_AFFINE) return eval_affine(p, e, x);
    if (x->kind == LUNA_E_QUOTIENT) return eval_int(p, e, (uint32_t)x->u.terms) / x->k;
    if (x->kind == LUNA_E_INT_FN) return x->u.int_fn(e);
    if (x->kind >= LUNA_E_MODULO && x->kind <= LUNA_E_SIDE) return eval_placed(p, e, x);
    return luna_v_int(e, eval_row(p, e, x));
}

double
eval_real_slow(const struct luna_program *p, const luna_env *e, const struct luna_expr *x)
{
    return luna_v_real(e, eval_row(p, e, x));
}

luna_value
eval_value(const struct luna_program *p, const luna_env *e, uint32_t expr)
{
    return eval_row(p, e, &p->exprs[expr]);
}

luna_value
eval_string(const struct luna_program *p, const luna_env *e, uint32_t expr)
{
    return luna_v_string(e, eval_row(p, e, &p->exprs[expr]));
}

int
eval_true_slow(const struct luna_program *p, const luna_env *e, const struct luna_expr *x)
{
    return luna_v_true(e, eval_row(p, e, x));
}
