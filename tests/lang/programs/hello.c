/* A fragment program, made by luna from the .fa file named at the end: tables for
 * the runtime. program.h says what each column means; rows name each other by
 * number. */
#include "program.h"

/* What expressions see: counters and ints of the frame, reals, other values of the frame,
 * inputs, and the indices of a mention. */
#define L(n) ((int32_t)e->local[n].i)
#define F(n) ((int32_t)e->frame[n].i)
#define FR(n) (e->frame[n].d)
#define FV(n) luna_v_of_word(e, n)
#define IN(n) (e->in[n])
#define IX(n) (e->ix[n])

/* ---- atomic subs, called with their C types ---- */
extern void luna_u_0(const char *, struct luna_df *) __asm__("greet");
extern void luna_u_1(const struct luna_df *, struct luna_df *) __asm__("luna_inline_twice");
extern void luna_u_2(const struct luna_df *, double, int32_t) __asm__("luna_inline_sign");
#line 2 "hello.fa"
static void call_0(const luna_actual *a) { luna_u_0(a[0].s, a[1].out); }
#line 6 "hello.fa"
static void call_1(const luna_actual *a) { luna_u_1(a[0].in, a[1].out); }
#line 9 "hello.fa"
static void call_2(const luna_actual *a) { luna_u_2(a[0].in, a[1].d, a[2].i); }
#line 25 "program.c"

/* ---- tables ---- */
/* Rows of exprs[] and sites[]. */
#define NONE LUNA_NONE
#define E_INT(k) {LUNA_E_INT, 0, 0, k, {0}}
#define E_REAL(r) {LUNA_E_REAL, 0, 0, 0, {.real = r}}
#define E_STRING(s) {LUNA_E_STRING, 0, 0, 0, {.string = s}}
#define E_LOCAL(a, k) {LUNA_E_LOCAL, 0, a, k, {0}}
#define E_FRAME(a, k) {LUNA_E_FRAME, 0, a, k, {0}}
#define E_IX(a, k) {LUNA_E_IX, 0, a, k, {0}}
#define E_IN(a) {LUNA_E_IN, 0, a, 0, {0}}
#define E_FREAL(a) {LUNA_E_FREAL, 0, a, 0, {0}}
#define E_FVALUE(a) {LUNA_E_FVALUE, 0, a, 0, {0}}
#define E_AFFINE(n, k, t) {LUNA_E_AFFINE, 0, n, k, {.terms = t}}
#define E_QUOTIENT(e, k) {LUNA_E_QUOTIENT, 0, 0, k, {.terms = e}}
#define E_INT_FN(f) {LUNA_E_INT_FN, 0, 0, 0, {.int_fn = f}}
#define E_REAL_FN(f) {LUNA_E_REAL_FN, 0, 0, 0, {.real_fn = f}}
#define E_VALUE_FN(f) {LUNA_E_VALUE_FN, 0, 0, 0, {.value_fn = f}}
#define S_CALL(flags, nlocal, nin, in, nargs, arg, callee, rules, place, sub) \
    {LUNA_S_CALL, flags, nlocal, nin, nargs, in, arg, callee, NONE, NONE, NONE, rules, \
     place, sub}
#define S_EXPAND(flags, nlocal, nin, in, nargs, arg, callee, rules, place, sub) \
    {LUNA_S_EXPAND, flags, nlocal, nin, nargs, in, arg, callee, NONE, NONE, NONE, rules, \
     place, sub}
#define S_FOR(flags, nlocal, nin, in, lo, hi, body, rules, place, sub) \
    {LUNA_S_FOR, flags, nlocal, nin, 0, in, 0, NONE, body, lo, hi, rules, place, sub}
#define S_WHILE(flags, nlocal, nin, in, start, body, rules, place, sub) \
    {LUNA_S_WHILE, flags, nlocal, nin, 0, in, 0, NONE, body, start, NONE, rules, place, sub}
#define S_TEST(flags, nlocal, nin, in, nargs, arg, cond, body, rules, place, sub) \
    {LUNA_S_TEST, flags, nlocal, nin, nargs, in, arg, NONE, body, cond, NONE, rules, \
     place, sub}
#define S_IF(flags, nlocal, nin, in, cond, body, rules, place, sub) \
    {LUNA_S_IF, flags, nlocal, nin, 0, in, 0, NONE, body, cond, NONE, rules, place, sub}
#define S_REDUCE(flags, nlocal, nin, in, nargs, arg, callee, body, op, n, rules, at, s) \
    {LUNA_S_REDUCE, flags, nlocal, nin, nargs, in, arg, callee, body, op, n, rules, at, s}
#define S_TERM(flags, nlocal, nin, in, callee, at, rules, place, sub) \
    {LUNA_S_TERM, flags, nlocal, nin, 0, in, 0, callee, NONE, at, NONE, rules, place, sub}

static const struct luna_sub subs[] = {
    {"main", "", 0, 0, 0, 0},
};

static const struct luna_function functions[] = {
    {"hello", call_0, "sn", 4, 0},
    {"twice", call_1, "vn", 6, 0},
    {"sign", call_2, "vri", 8, 0},
};

static const struct luna_decl dfs[] = {
    {"n", 0, 1, NONE},
    {"m", 0, 2, NONE},
};

static const struct luna_site sites[] = {
    S_CALL(0, 0, 0, 0, 2, 0, 0, NONE, 3, 0), /* 14: hello */
    S_CALL(0, 0, 1, 0, 2, 2, 1, NONE, 5, 0), /* 15: twice */
    S_CALL(0, 0, 1, 1, 3, 4, 2, NONE, 7, 0), /* 16: sign */
};

static const struct luna_block blocks[] = {
    {0, 3},
};

static const struct luna_expr exprs[] = {
    E_STRING("world"),
    E_IN(0),
    E_REAL(1.0),
    E_INT(2),
};

static const struct luna_ref refs[] = {
    {LUNA_B_FRAME_ID, 0, 0, 0, 0, NONE}, /* n */
    {LUNA_B_FRAME_ID, 0, 0, 1, 0, NONE}, /* m */
};

static const struct luna_in ins[] = {
    {0, LUNA_IN_REQUEST, 0},
    {1, LUNA_IN_REQUEST, 0},
};

static const struct luna_arg args[] = {
    {LUNA_A_STRING, 0, NONE, NONE},
    {LUNA_A_NAME, 0, NONE, NONE},
    {LUNA_A_VALUE, 1, NONE, NONE},
    {LUNA_A_NAME, 1, NONE, NONE},
    {LUNA_A_VALUE, 1, NONE, NONE},
    {LUNA_A_REAL, 2, NONE, NONE},
    {LUNA_A_INT, 3, NONE, NONE},
};

static const struct luna_place places[] = {
    {0, 11, 5, 9},
    {0, 13, 8, 9},
    {0, 13, 11, 12},
    {0, 14, 5, 27},
    {0, 2, 44, 49},
    {0, 15, 5, 16},
    {0, 6, 7, 12},
    {0, 16, 5, 20},
    {0, 9, 9, 13},
};

static const char *const files[] = {
    "hello.fa",
};

/* Present when the program has C++. */
extern int luna_guard(void (*fn)(void *), void *who, char *text, size_t size)
    __attribute__((weak));

__attribute__((visibility("default")))
const struct luna_program luna_program = {
    .abi = LUNA_ABI,
    .main = 0,
    .version = "test",
    .name = "hello.fa",
    .hash = UINT64_C(0x0000000000001234),
    .subs = subs, .nsubs = 1,
    .functions = functions, .nfunctions = 3,
    .dfs = dfs, .ndfs = 2,
    .sites = sites, .nsites = 3,
    .blocks = blocks, .nblocks = 1,
    .exprs = exprs, .nexprs = 4,
    .refs = refs, .nrefs = 2,
    .ins = ins, .nins = 2,
    .args = args, .nargs = 7,
    .places = places, .nplaces = 9,
    .files = files, .nfiles = 1,
    .guard = luna_guard,
    .main_params = "",
};
