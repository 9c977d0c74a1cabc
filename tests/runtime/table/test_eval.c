/* test_eval.c - each kind of row, each operation on values, and the words of each fault. */
#include "runtime/base/pool.h"
#include "runtime/table/eval.h"
#include "runtime/fault/fault.h"
#include "tests/runtime/run_child.h"

#include <limits.h>
#include <math.h>

static const struct luna_place places[] = {{0, 3, 9, 12}};
static const char *const files[] = {"test.fa"};
static const struct luna_program nothing = {.places = places, .nplaces = 1, .files = files};
static const struct luna_site site = {.kind = LUNA_S_IF, .rules = LUNA_NONE, .place = 0};
static luna_env env = {.site = &site};

#define I(n) luna_v_of_int(n)
#define R(d) luna_v_of_real(d)
#define S(s) luna_v_of_string(&env, s)

static int
is_int(luna_value v, int want)
{
    return v.type == LUNA_INT && (int)v.w.i == want;
}

static int
is_real(luna_value v, double want)
{
    return v.type == LUNA_REAL && (v.w.d == want || (isnan(want) && isnan(v.w.d)));
}

static int
is_text(luna_value v, const char *want)
{
    return v.type == LUNA_STRING && !strcmp(value_block(v)->data, want) &&
           value_block(v)->size == strlen(want) + 1;
}

static luna_value
some_bytes(void)
{
    return value_of_block(block_new(3), LUNA_BYTES);
}

/* ---- faults: `call` in a child ends it with 3 and says `words` ---- */

static void (*doing)(void);

static int
do_it(const void *who)
{
    (void)who;
    fault_set_program(&nothing);
    doing();
    return 0;
}

#define FAULT(call, words, hint)                                                                   \
    do {                                                                                           \
        doing = call;                                                                              \
        CHECK_FAILS(run_child(do_it, NULL), 3,                                                     \
                    "test.fa:3:9: error[" words ", in if\nhint: " hint "\n");                      \
    } while (0)

#define ASK "ask first: b == 0 ? 0 : a / b"
#define BEYOND "an int has 32 bits; reals hold larger numbers"
#define CHOSEN "what it holds is chosen by the function that assigns it"
#define BYTES "bytes are read by functions that take a value"

#define DOES(name, what)                                                                           \
    static void name(void)                                                                         \
    {                                                                                              \
        (void)(what);                                                                              \
    }

/* ---- arithmetic ---- */

TEST(ints_wrap_around)
{
    CHECK(is_int(luna_v_add(&env, I(INT_MAX), I(1)), INT_MIN));
    CHECK(is_int(luna_v_sub(&env, I(INT_MIN), I(1)), INT_MAX));
    CHECK(is_int(luna_v_mul(&env, I(65536), I(65536)), 0));
    CHECK(is_int(luna_v_mul(&env, I(-46341), I(46341)), 2147479015));
    CHECK(is_int(luna_v_mul(&env, I(INT_MIN), I(-1)), INT_MIN));
    CHECK(is_int(luna_v_neg(&env, I(INT_MIN)), INT_MIN));
    CHECK(is_int(luna_v_neg(&env, I(5)), -5));
}

TEST(division_is_that_of_c)
{
    CHECK(is_int(luna_v_div(&env, I(5), I(2)), 2) && is_int(luna_v_div(&env, I(-5), I(2)), -2));
    CHECK(is_int(luna_v_mod(&env, I(-5), I(3)), -2) && is_int(luna_v_mod(&env, I(5), I(-3)), 2));
    CHECK(is_int(luna_v_div(&env, I(INT_MIN), I(1)), INT_MIN));
    CHECK(luna_i_div(&env, 7, -2) == -3 && luna_i_mod(&env, 7, -2) == 1);
    CHECK(is_real(luna_v_div(&env, R(1), I(0)), INFINITY));
    CHECK(is_real(luna_v_div(&env, R(0), R(0)), NAN));
}

TEST(one_real_makes_it_real)
{
    CHECK(is_real(luna_v_add(&env, I(1), R(0.5)), 1.5));
    CHECK(is_real(luna_v_sub(&env, R(0.5), I(1)), -0.5));
    CHECK(is_real(luna_v_mul(&env, R(0.5), R(3)), 1.5));
    CHECK(is_real(luna_v_div(&env, I(5), R(2)), 2.5));
    CHECK(is_real(luna_v_neg(&env, R(0)), 0) && signbit(luna_v_neg(&env, R(0)).w.d));
    CHECK(is_real(luna_v_add(&env, I(INT_MAX), R(1)), 2147483648.0), "no wrap");
}

TEST(comparisons_give_one_or_nothing)
{
    CHECK(luna_v_lt(&env, I(1), I(2)) == 1 && luna_v_lt(&env, I(2), I(2)) == 0);
    CHECK(luna_v_le(&env, I(2), I(2)) == 1 && luna_v_le(&env, I(3), I(2)) == 0);
    CHECK(luna_v_eq(&env, I(2), I(2)) == 1 && luna_v_eq(&env, I(INT_MIN), I(0)) == 0);
    CHECK(luna_v_lt(&env, I(-1), R(-0.5)) == 1 && luna_v_le(&env, R(0.5), I(0)) == 0);
    CHECK(luna_v_eq(&env, I(1), R(1)) == 1 && luna_v_eq(&env, R(1.5), I(1)) == 0);
    CHECK(!luna_v_eq(&env, R(NAN), R(NAN)) && !luna_v_le(&env, R(NAN), R(0)));
    CHECK(luna_v_eq(&env, S("a"), S("a")) == 1 && luna_v_eq(&env, S("a"), S("ab")) == 0);
    eval_drop_temps(&env);
}

DOES(div_zero, luna_v_div(&env, I(7), I(0)))
DOES(mod_zero, luna_v_mod(&env, I(7), I(0)))
DOES(i_div_zero, luna_i_div(&env, -7, 0))
DOES(i_mod_zero, luna_i_mod(&env, -7, 0))

TEST(divisions_that_have_no_result)
{
    FAULT(div_zero, "RUN4]: division of 7 by zero", ASK);
    FAULT(mod_zero, "RUN4]: remainder of 7 by zero", ASK);
    FAULT(i_div_zero, "RUN4]: division of -7 by zero", ASK);
    FAULT(i_mod_zero, "RUN4]: remainder of -7 by zero", ASK);
}

DOES(add_bytes, luna_v_add(&env, I(1), some_bytes()))
DOES(sub_string, luna_v_sub(&env, S("x"), R(1)))
DOES(mul_bytes, luna_v_mul(&env, some_bytes(), I(1)))
DOES(div_unset, luna_v_div(&env, I(1), value_unset()))
DOES(neg_string, luna_v_neg(&env, S("x")))
DOES(mod_real, luna_v_mod(&env, I(1), R(2)))
DOES(less_string, luna_v_lt(&env, S("a"), S("b")))
DOES(equal_mixed, luna_v_eq(&env, S("1"), I(1)))
DOES(int_string, luna_v_int(&env, S("1")))
DOES(real_bytes, luna_v_real(&env, some_bytes()))
DOES(true_string, luna_v_true(&env, S("x")))
DOES(string_bytes, luna_v_string(&env, some_bytes()))
DOES(cat_unset, luna_v_cat(&env, S("x"), value_unset()))

TEST(types_that_do_not_fit)
{
    FAULT(add_bytes, "RUN1]: a number is needed, but the value is bytes", BYTES);
    FAULT(sub_string, "RUN1]: a number is needed, but the value is a string", CHOSEN);
    FAULT(mul_bytes, "RUN1]: a number is needed, but the value is bytes", BYTES);
    FAULT(div_unset, "RUN1]: a number is needed, but the value is unset", CHOSEN);
    FAULT(neg_string, "RUN1]: a number is needed, but the value is a string", CHOSEN);
    FAULT(mod_real, "RUN1]: % needs two ints, but one of them is real", "int(...) cuts a real");
    FAULT(less_string, "RUN1]: a number is needed, but the value is a string", CHOSEN);
    FAULT(equal_mixed, "RUN1]: a number is needed, but the value is a string", CHOSEN);
    FAULT(int_string, "RUN1]: a number is needed, but the value is a string", CHOSEN);
    FAULT(real_bytes, "RUN1]: a number is needed, but the value is bytes", BYTES);
    FAULT(true_string, "RUN1]: a number is needed, but the value is a string", CHOSEN);
    FAULT(string_bytes, "RUN1]: a string is needed, but the value is bytes", BYTES);
    FAULT(cat_unset, "RUN1]: a string is needed, but the value is unset", CHOSEN);
}

/* ---- conversions ---- */

TEST(a_real_becomes_an_int_by_truncation)
{
    CHECK(luna_r_int(&env, 7.9) == 7 && luna_r_int(&env, -7.9) == -7);
    CHECK(luna_r_int(&env, -0.5) == 0);
    CHECK(luna_r_int(&env, 2147483647.9) == INT_MAX);
    CHECK(luna_r_int(&env, -2147483648.9) == INT_MIN);
    CHECK(luna_v_int(&env, R(3.99)) == 3 && luna_v_int(&env, I(-4)) == -4);
    CHECK(luna_v_real(&env, I(-4)) == -4.0 && luna_v_real(&env, R(0.25)) == 0.25);
}

DOES(too_large, luna_r_int(&env, 2147483648.0))
DOES(too_small, luna_v_int(&env, R(-2147483649.0)))
DOES(infinite, luna_v_int(&env, R(INFINITY)))
DOES(not_a_number, luna_v_int(&env, R(NAN)))

TEST(reals_that_are_no_int)
{
    FAULT(too_large, "RUN4]: 2.14748e+09 does not fit an int", BEYOND);
    FAULT(too_small, "RUN4]: -2.14748e+09 does not fit an int", BEYOND);
    FAULT(infinite, "RUN4]: inf does not fit an int", BEYOND);
    doing = not_a_number; /* nan may be printed with its sign */
    struct ran ran = run_child(do_it, NULL);
    CHECK(ran.code == 3 && strstr(ran.err, "nan does not fit an int"), "%s", ran.err);
}

TEST(truth_is_that_of_the_truncated_number)
{
    CHECK(!luna_v_true(&env, R(0.5)) && !luna_v_true(&env, R(-0.5)) && !luna_v_true(&env, R(0)));
    CHECK(luna_v_true(&env, R(1)) && luna_v_true(&env, R(-1)) && luna_v_true(&env, R(1e300)));
    CHECK(!luna_v_true(&env, R(-0.999999)) && luna_v_true(&env, R(-INFINITY)));
    CHECK(luna_v_true(&env, I(-1)) && !luna_v_true(&env, I(0)));
}

TEST(texts_of_values)
{
    CHECK(is_text(luna_v_string(&env, I(INT_MIN)), "-2147483648"));
    CHECK(is_text(luna_v_string(&env, R(2.5)), "2.500000"));
    CHECK(strlen(value_block(luna_v_string(&env, R(-1.7e308)))->data) == 317);
    luna_value s = S("text");
    CHECK(luna_v_string(&env, s).w.p == s.w.p, "a string is its own text");
    CHECK(is_text(luna_v_cat(&env, luna_v_cat(&env, S("a"), I(1)), R(2)), "a12.000000"));
    CHECK(is_text(luna_v_cat(&env, S(""), S("")), ""));
    CHECK(env.temps);
    eval_drop_temps(&env);
    CHECK(!env.temps);
    eval_drop_temps(&env);
}

TEST(values_on_the_way_are_freed)
{
    luna_value v = S("0123456789");
    value_retain(v);
    eval_drop_temps(&env);
    CHECK(atomic_load(&value_block(v)->refs) == 1, "ours");
    value_release(v);
    pool_thread_flush();
    size_t before = 0;
    for (int i = 0; i < 20000; i++) {
        luna_v_cat(&env, S("abc"), I(i));
        eval_drop_temps(&env);
        if (i == 1000) before = pool_bytes();
    }
    CHECK(pool_bytes() == before, "%zu more", pool_bytes() - before);
}

/* ---- rows ---- */

static int32_t
int_fn(const luna_env *e)
{
    return (int32_t)e->local[0].i * 100;
}

static double
real_fn(const luna_env *e)
{
    return e->frame[1].d / 2;
}

static luna_value
value_fn(const luna_env *e)
{
    return luna_v_cat(e, luna_v_of_word(e, 2), e->in[0]);
}

enum { K_INT, K_REAL, K_STRING, K_LOCAL, K_FRAME, K_IX, K_IN, K_FREAL, K_FVALUE, K_AFFINE,
       K_AFFINE_0, K_QUOTIENT, K_INT_FN, K_REAL_FN, K_VALUE_FN, ROWS };

static const struct luna_term terms[] = {{7, 0, 0}, {3, 1, 0}, {-2, 0, 1}};
static const struct luna_expr exprs[ROWS] = {
    [K_INT] = {.kind = LUNA_E_INT, .k = -12},
    [K_REAL] = {.kind = LUNA_E_REAL, .u.real = 0.1},
    [K_STRING] = {.kind = LUNA_E_STRING, .u.string = "text"},
    [K_LOCAL] = {.kind = LUNA_E_LOCAL, .a = 1, .k = 5},
    [K_FRAME] = {.kind = LUNA_E_FRAME, .a = 0, .k = -1},
    [K_IX] = {.kind = LUNA_E_IX, .a = 2, .k = 1},
    [K_IN] = {.kind = LUNA_E_IN, .a = 0},
    [K_FREAL] = {.kind = LUNA_E_FREAL, .a = 1},
    [K_FVALUE] = {.kind = LUNA_E_FVALUE, .a = 2},
    [K_AFFINE] = {.kind = LUNA_E_AFFINE, .a = 2, .k = 1000, .u.terms = 1},
    [K_AFFINE_0] = {.kind = LUNA_E_AFFINE, .a = 0, .k = 4, .u.terms = 0},
    [K_QUOTIENT] = {.kind = LUNA_E_QUOTIENT, .k = 5, .u.terms = K_INT},
    [K_INT_FN] = {.kind = LUNA_E_INT_FN, .u.int_fn = int_fn},
    [K_REAL_FN] = {.kind = LUNA_E_REAL_FN, .u.real_fn = real_fn},
    [K_VALUE_FN] = {.kind = LUNA_E_VALUE_FN, .u.value_fn = value_fn},
};
static const struct luna_program program = {.exprs = exprs, .nexprs = ROWS, .terms = terms,
                                            .places = places, .nplaces = 1, .files = files};

TEST(each_kind_of_row)
{
    luna_value text = value_of_string("param", 5);
    luna_word frame[] = {{.i = 40}, {.d = 1.5}, {.p = &text}}, local[] = {{.i = 11}, {.i = -3}};
    luna_value in[] = {luna_v_of_real(2.5)};
    int32_t ix[] = {0, 0, 9};
    luna_env e = {.frame = frame, .local = local, .in = in, .ix = ix, .site = &site};
    const int want[] = {[K_INT] = -12, [K_LOCAL] = 2, [K_FRAME] = 39, [K_IX] = 10,
                        [K_AFFINE] = 1000 + 3 * -3 - 2 * 40, [K_AFFINE_0] = 4, [K_QUOTIENT] = -2,
                        [K_INT_FN] = 1100};
    for (uint32_t k = 0; k < sizeof want / sizeof *want; k++) {
        if (!want[k]) continue;
        CHECK(is_int(eval_value(&program, &e, k), want[k]), "row %u", k);
        CHECK(eval_int(&program, &e, k) == want[k], "row %u", k);
        CHECK(eval_real(&program, &e, k) == want[k] && eval_true(&program, &e, k), "row %u", k);
    }
    CHECK(is_real(eval_value(&program, &e, K_REAL), 0.1) && !eval_int(&program, &e, K_REAL));
    CHECK(is_real(eval_value(&program, &e, K_FREAL), 1.5) && eval_int(&program, &e, K_FREAL) == 1);
    CHECK(eval_real(&program, &e, K_REAL_FN) == 0.75 && !eval_true(&program, &e, K_REAL_FN));
    CHECK(is_real(eval_value(&program, &e, K_IN), 2.5) && eval_int(&program, &e, K_IN) == 2);
    CHECK(is_text(eval_value(&program, &e, K_STRING), "text"));
    CHECK(is_text(eval_string(&program, &e, K_FVALUE), "param"));
    CHECK(is_text(eval_string(&program, &e, K_VALUE_FN), "param2.500000"));
    CHECK(is_text(eval_string(&program, &e, K_INT), "-12"));
    eval_drop_temps(&e);
    CHECK(atomic_load(&value_block(text)->refs) == 1, "lent, not counted");
    value_release(text);
}

TEST(rows_wrap_around_like_the_language)
{
    luna_word local[] = {{.i = INT_MAX}, {.i = INT_MAX}};
    luna_env e = {.frame = local, .local = local, .site = &site};
    CHECK(eval_int(&program, &e, K_LOCAL) == INT_MIN + 4);
    CHECK(is_int(eval_value(&program, &e, K_LOCAL), INT_MIN + 4));
    /* 1000 + 3 max - 2 max, and max + 1000 is 999 + min */
    CHECK(eval_int(&program, &e, K_AFFINE) == INT_MIN + 999);
}

TEST_MAIN(T(ints_wrap_around), T(division_is_that_of_c), T(one_real_makes_it_real),
          T(comparisons_give_one_or_nothing), T(divisions_that_have_no_result),
          T(types_that_do_not_fit), T(a_real_becomes_an_int_by_truncation),
          T(reals_that_are_no_int), T(truth_is_that_of_the_truncated_number),
          T(texts_of_values), T(values_on_the_way_are_freed), T(each_kind_of_row),
          T(rows_wrap_around_like_the_language))
