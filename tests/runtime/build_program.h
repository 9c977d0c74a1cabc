/* build_program.h - programs as the compiler would make them, written by hand in a page of C.
 *
 *     struct build *b = build_new();
 *     uint32_t x = build_df(b, "x");
 *     build_function(b, "init", init, "ni");
 *     build_sub(b, "main", "", BLOCK(b,
 *         CALL("init", .arg = {OUT(DF(x, INT(0))), A_INT(INT(7))}),
 *         FOR(INT(0), INT(9), BLOCK(b,
 *             CALL("step", .in = {DF(x, LOCAL(0, 0))},
 *                  .arg = {VALUE(IN(0)), OUT_COUNT(DF(x, LOCAL(0, 1)), INT(1))})))));
 *     const struct luna_program *p = build_done(b);
 *
 * Blocks are built from the inside out; build_done() counts the locals of each statement and finds
 * the callees by name. Every statement lies on a line of its own of "test.fa", counted in the order
 * of building, unless .line says which. */
#ifndef LUNA_TESTS_BUILD_PROGRAM_H
#define LUNA_TESTS_BUILD_PROGRAM_H

#include "runtime/program.h"

enum { B_TERMS = 3, B_INDICES = 3, B_ARGS = 6, B_INS = 4, B_REFS = 3 };

/* Each begins with `used`, so that an array of them ends at the first that is not. */
struct b_expr {
    int used;
    struct luna_expr x;
    struct luna_term term[B_TERMS]; /* of AFFINE */
};

#define EXPR(...) ((struct b_expr){.used = 1, .x = {__VA_ARGS__}})
#define INT(n) EXPR(.kind = LUNA_E_INT, .k = (n))
#define REAL(d) EXPR(.kind = LUNA_E_REAL, .u.real = (d))
#define STR(s) EXPR(.kind = LUNA_E_STRING, .u.string = (s))
#define LOCAL(w, plus) EXPR(.kind = LUNA_E_LOCAL, .a = (w), .k = (plus))
#define FRAME(w, plus) EXPR(.kind = LUNA_E_FRAME, .a = (w), .k = (plus))
#define FREAL(w) EXPR(.kind = LUNA_E_FREAL, .a = (w))
#define FVALUE(w) EXPR(.kind = LUNA_E_FVALUE, .a = (w))
#define IN(n) EXPR(.kind = LUNA_E_IN, .a = (n))
#define IX(n) EXPR(.kind = LUNA_E_IX, .a = (n))
#define INT_FN(f) EXPR(.kind = LUNA_E_INT_FN, .u.int_fn = (f))
#define REAL_FN(f) EXPR(.kind = LUNA_E_REAL_FN, .u.real_fn = (f))
#define VALUE_FN(f) EXPR(.kind = LUNA_E_VALUE_FN, .u.value_fn = (f))
#define AFFINE(n, ...)                                                                             \
    ((struct b_expr){.used = 1, .x = {.kind = LUNA_E_AFFINE, .k = (n)}, .term = {__VA_ARGS__}})

struct b_ref {
    int used, base;
    unsigned word;
    uint32_t df;
    struct b_expr ix[B_INDICES];
    struct b_expr home; /* of a locator_cyclic; unused: node 0 */
};

#define DF(row, ...) ((struct b_ref){.used = 1, .df = (row), .ix = {__VA_ARGS__}})
#define DF_AT(row, where, ...)                                                                     \
    ((struct b_ref){.used = 1, .df = (row), .home = where, .ix = {__VA_ARGS__}})
/* Declared in the loop whose identity is local `w`. */
#define DF_OF(w, row, ...)                                                                         \
    ((struct b_ref){.used = 1, .base = LUNA_B_LOCAL_ID, .word = (w), .df = (row),                 \
                    .ix = {__VA_ARGS__}})
#define PARAM(w, ...)                                                                              \
    ((struct b_ref){.used = 1, .base = LUNA_B_PARAM, .word = (w), .df = LUNA_NONE,                \
                    .ix = {__VA_ARGS__}})
#define PARAM_AT(w, where, ...)                                                                    \
    ((struct b_ref){.used = 1, .base = LUNA_B_PARAM, .word = (w), .df = LUNA_NONE, .home = where, \
                    .ix = {__VA_ARGS__}})

struct b_arg {
    int used, kind;
    struct b_expr x;
    struct b_ref ref;
    int has_post, post;
    struct b_expr count;
};

#define A_INT(e) ((struct b_arg){.used = 1, .kind = LUNA_A_INT, .x = e})
#define A_REAL(e) ((struct b_arg){.used = 1, .kind = LUNA_A_REAL, .x = e})
#define A_STRING(e) ((struct b_arg){.used = 1, .kind = LUNA_A_STRING, .x = e})
#define VALUE(e) ((struct b_arg){.used = 1, .kind = LUNA_A_VALUE, .x = e})
#define OUT(r) ((struct b_arg){.used = 1, .kind = LUNA_A_NAME, .ref = r})
#define OUT_COUNT(r, e)                                                                            \
    ((struct b_arg){.used = 1, .kind = LUNA_A_NAME, .ref = r, .has_post = 1,                      \
                    .post = LUNA_P_COUNT, .count = e})
#define OUT_DROP(r)                                                                                \
    ((struct b_arg){.used = 1, .kind = LUNA_A_NAME, .ref = r, .has_post = 1, .post = LUNA_P_DROP})

struct b_label {
    int used;
    uint32_t name; /* a row of build_df */
    struct b_expr ix[B_INDICES];
};

struct b_stmt {
    int kind;
    const char *callee;
    struct b_ref in[B_INS];
    unsigned waits;  /* bit i: in[i] comes by afterpush */
    unsigned rounds; /* bit i: in[i] begins a round, as those do whose indices depend on inputs */
    struct b_arg arg[B_ARGS];
    struct b_expr a, b;
    uint32_t body;
    unsigned flags, line;
    struct b_ref set[B_REFS], kill[B_REFS], push[B_REFS];
    struct b_label label, push_to[B_REFS];
    struct b_expr node; /* locator_cyclic: e */
    unsigned op, counters; /* of a reduction */
    int step; /* of a FOR; 0: it is 1 */
};

#define CALL(name, ...) ((struct b_stmt){.kind = LUNA_S_CALL, .callee = name, __VA_ARGS__})
#define EXPAND(name, ...) ((struct b_stmt){.kind = LUNA_S_EXPAND, .callee = name, __VA_ARGS__})
#define FOR(lo, hi, block, ...)                                                                    \
    ((struct b_stmt){.kind = LUNA_S_FOR, .a = lo, .b = hi, .body = block, __VA_ARGS__})
#define IF(cond, block, ...)                                                                       \
    ((struct b_stmt){.kind = LUNA_S_IF, .a = cond, .body = block, __VA_ARGS__})
/* `test` is a block of one TEST. */
#define WHILE(start, test, ...)                                                                    \
    ((struct b_stmt){.kind = LUNA_S_WHILE, .a = start, .body = test, __VA_ARGS__})
#define TEST_OF(cond, block, out, ...)                                                             \
    ((struct b_stmt){.kind = LUNA_S_TEST, .a = cond, .body = block, .arg = {out}, __VA_ARGS__})

/* `out`, then two bounds for each of its n counters; the last one's body is a block of one TERM. */
#define REDUCE(how, n, block, ...)                                                                 \
    ((struct b_stmt){.kind = LUNA_S_REDUCE, .op = how, .counters = n, .body = block,              \
                     .arg = {__VA_ARGS__}})
#define TERM(element, ...)                                                                         \
    ((struct b_stmt){.kind = LUNA_S_TERM, .in = {element}, __VA_ARGS__})

struct build;

struct build *build_new(void);
void          build_free(struct build *b); /* and the program */

uint32_t build_df(struct build *b, const char *name);
void     build_function(struct build *b, const char *name, void (*call)(const luna_actual *),
                        const char *params);
uint32_t build_block(struct build *b, const struct b_stmt *stmts, unsigned n);
#define BLOCK(b, ...)                                                                              \
    build_block((b), (struct b_stmt[]){__VA_ARGS__},                                              \
                sizeof((struct b_stmt[]){__VA_ARGS__}) / sizeof(struct b_stmt))
/* The first one named main is main. Letters behind the arguments of calls are nfparams. */
void build_sub(struct build *b, const char *name, const char *params, uint32_t body);
const struct luna_program *build_done(struct build *b);

#endif
