/* A fragment program, made by luna from the .fa file named at the end: tables for
 * the runtime. program.h says what each column means; rows name each other by
 * number. */
#define LUNA_EMITTED
#include "program.h"

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
#line 17 "program.c"

/* ---- tables ---- */

static const struct luna_sub subs[] = {
    {"main", "", 0, 0, 0, 0, 0, 0},
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
    {LUNA_B_FRAME_ID, 0, 0, 0, 0, 0, NONE}, /* n */
    {LUNA_B_FRAME_ID, 0, 0, 0, 1, 0, NONE}, /* m */
};

static const struct luna_in ins[] = {
    {0, LUNA_IN_REQUEST, 0, 0, 0, 0},
    {1, LUNA_IN_REQUEST, 0, 0, 0, 0},
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
