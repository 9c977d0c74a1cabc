/* plan.h - the fragment plan: the program as flat tables, between the tree and the emitted C.
 *
 * The tables are those of runtime/program.h, row for row (read that header
 * first: it says what each column means); here they hold what the compiler
 * knows, names and texts included, so that a plan can be printed for people
 * (luna dump --pass=lower) and for the C compiler (emit.c). Numbers are rows.
 *
 * Equal rows are one: plan_intern() finds a run of rows that was added before. So a reference
 * that is mentioned a thousand times is one row, and two references are equal if their rows are. */
#ifndef LUNA_LANG_PLAN_PLAN_H
#define LUNA_LANG_PLAN_PLAN_H

#include "lang/tree/ast.h"
#include "runtime/base/buf.h"
#include "runtime/base/vec.h"

#include <stddef.h>

#define PLAN_NONE 0xffffffffu

/* Grows in the arena; rows keep their numbers. Declares
 * struct NAME_table { TYPE *row; n, room; } */
#define PLAN_TABLE(NAME, TYPE)                                                                     \
    struct NAME##_table {                                                                          \
        TYPE *row;                                                                                 \
        uint32_t n, room;                                                                          \
    }

/* The kinds are spelled as in program.h, without LUNA_. */
enum plan_expr_kind {
    PE_INT, PE_REAL, PE_STRING, PE_LOCAL, PE_FRAME, PE_IX, PE_IN, PE_FREAL, PE_FVALUE, PE_AFFINE,
    PE_QUOTIENT, PE_MODULO, PE_SCALED, PE_SIDE, PE_INT_FN, PE_REAL_FN, PE_VALUE_FN
};

/* Rows without pointers have no padding: plan_intern() compares their bytes. */
struct plan_term { int32_t coefficient; uint16_t word, in_frame; };

struct expr_node;
struct plan_expr {
    enum plan_expr_kind kind;
    uint16_t a;
    int32_t k;
    double real;
    const char *string; /* of PE_STRING; interned by plan_text */
    uint32_t terms;
    const char *code; /* of _FN: the C expression; interned */
    uint32_t fn;      /* its number among the functions of expressions */
    uint32_t place;
    const char *text; /* as the user wrote it, for comments and dumps; NULL: not worth one */
    const struct expr_node *node; /* of _FN: what the code was printed from, */
    bool truth;                   /* as 0 or 1 */
};

enum plan_base { PB_FRAME_ID, PB_LOCAL_ID, PB_PARAM };
enum plan_inside { PN_NOT, PN_SMALL, PN_ALWAYS };
struct plan_ref {
    uint8_t base;   /* enum plan_base */
    uint8_t inside; /* enum plan_inside; by prove */
    uint16_t word;
    uint32_t nindices;
    uint32_t df, index, home;
};

enum plan_locator_kind { PL_CYCLIC, PL_REPLICATE_ALL, PL_REPLICATE_STEP };
struct plan_locator { enum plan_locator_kind kind; uint32_t expr, place; };

enum plan_in_kind { PI_NODE, PI_REQUEST, PI_WAIT };
/* again: loops around the statement read the same fragment in each turn, of which there are
 * `turns`; part: only so much of it. PLAN_NONE: who knows; all. */
enum plan_again { PG_NOT, PG_HERE, PG_SPREAD };
struct plan_in { uint32_t ref; uint8_t kind, again; uint16_t round; uint32_t part, turns; };
enum plan_part_kind { PQ_INT, PQ_REAL, PQ_INT64, PQ_FLOAT, PQ_BYTES };
struct plan_part { enum plan_part_kind kind; uint32_t from, count; }; /* exprs[]; count: of BYTES */

/* LIST: row: its number in the block of lists behind the call. */
enum plan_arg_kind { PA_INT, PA_REAL, PA_STRING, PA_VALUE, PA_NAME, PA_LIST };
struct plan_arg { enum plan_arg_kind kind; uint32_t row, post, place; };

/* UNSAID: nobody has said how long the value lives. PROVED: counted by prove. */
enum plan_post_kind { PP_UNSAID, PP_KEEP, PP_COUNT, PP_DROP, PP_PROVED };
struct plan_post { enum plan_post_kind kind; uint32_t count; };

struct plan_push { uint32_t ref, label; };
struct plan_label { uint32_t name, index, nindices, home; };
struct plan_nfarg { uint32_t word, expr, real; };
struct plan_rules {
    uint32_t label, node, near, nnear, weight, priority, set, nset, kill, nkill, push, npush,
        nfparam, nnfparam, set_post;
};
#define PLAN_RULES_NONE                                                                            \
    {                                                                                              \
        .label = PLAN_NONE, .node = PLAN_NONE, .weight = PLAN_NONE, .priority = PLAN_NONE,         \
        .set_post = PLAN_NONE                                                                      \
    }

enum plan_site_kind {
    PS_CALL, PS_EXPAND, PS_FOR, PS_WHILE, PS_TEST, PS_IF, PS_REDUCE, PS_TERM, PS_LIST
};
enum plan_operation { PR_ADD, PR_MUL, PR_MIN, PR_MAX, PR_AND, PR_OR, PR_SUB };
enum { PF_STEALABLE = 1, PF_FRESH = 2, PF_CARRIED = 4, PF_INTS = 8, PF_REALS = 16,
       PF_OWN = 32, PF_INT64 = 64, PF_FLOAT = 128, PF_COMPLEX = 64 | 128 /* one of the two */ };
/* As struct luna_site, where `a`, `b` and the step are told; of a PS_IF b is the block behind
 * `else`. */
struct plan_site {
    enum plan_site_kind kind;
    uint8_t flags;
    uint16_t nlocal, nin, nargs;
    uint32_t in, arg, callee, body, a, b, rules, place, sub;
    int32_t step; /* of a PS_FOR; else 0 */
    const struct stmt *stmt; /* NULL: made up, not written */
    const struct span *spans; /* of the inputs as written: rows are shared, spans are not */
};

struct plan_block { uint32_t site, nsites; };
struct plan_function { const struct sub *sub; uint32_t place; }; /* atomic */
/* `sub` is atomic when main is: then this one stands for "call it". */
struct plan_sub {
    const struct sub *sub;
    uint32_t nwords, body, place, nlocal_max, require, nrequire;
};
struct plan_require { uint32_t expr, place; const char *text; };
struct plan_decl { const char *name; uint32_t sub, place, about; const struct symbol *sym; };
enum plan_capture_from { PF_LOCAL, PF_FRAME, PF_INDEX };
struct plan_capture { uint16_t word; uint8_t from, index; }; /* INDEX: of the name in that word */
/* What is said of a declaration. cell: where its fragments are; bytes: of a value; shape: two for
 * each index, its ends, of which the second is the first beyond where its bit is in `counted`;
 * outside: what is read there. PLAN_NONE: nothing is said of that. */
struct plan_about {
    uint32_t nindices, cell, bytes, shape, outside, counted, capture, ncaptures;
    uint32_t place[3]; /* by plan_about_part */
};
enum plan_about_part { PLAN_ABOUT_CELL, PLAN_ABOUT_BYTES, PLAN_ABOUT_OUTSIDE };
#define PLAN_ABOUT_NONE                                                                            \
    {                                                                                              \
        .cell = PLAN_NONE, .bytes = PLAN_NONE, .shape = PLAN_NONE, .outside = PLAN_NONE,           \
        .place = {PLAN_NONE, PLAN_NONE, PLAN_NONE}                                                 \
    }
struct plan_placed { uint32_t row, now; };
struct plan_refusal { uint32_t expr; const char *text; }; /* of main's frame: no run ends well */
struct plan_place { uint32_t file, line; uint16_t col, end_col; };

struct plan {
    struct arena *arena;
    struct plan_interned *interned; /* what plan_intern knows */
    uint32_t main;
    uint32_t nfns; /* distinct expressions that need C */
    uint32_t extent, nextents; /* of the cells: exprs of the frame */
    uint32_t lattice_sub;      /* of this sub */
    uint32_t placed_extent, nplaced_extents; /* of those that place found */
    bool placed_wanders; /* with them the work goes through the cells */
    bool is_placed; /* what place found is in force */
    bool asks_owners;          /* there is a N_OWNER */
    PLAN_TABLE(plan_sub, struct plan_sub) subs;
    PLAN_TABLE(plan_function, struct plan_function) functions; /* those that are called */
    PLAN_TABLE(plan_decl, struct plan_decl) dfs;
    PLAN_TABLE(plan_site, struct plan_site) sites;
    PLAN_TABLE(plan_block, struct plan_block) blocks;
    PLAN_TABLE(plan_expr, struct plan_expr) exprs;
    PLAN_TABLE(plan_term, struct plan_term) terms;
    PLAN_TABLE(plan_ref, struct plan_ref) refs;
    PLAN_TABLE(plan_in, struct plan_in) ins;
    PLAN_TABLE(plan_part, struct plan_part) parts;
    PLAN_TABLE(plan_arg, struct plan_arg) args;
    PLAN_TABLE(plan_post, struct plan_post) posts;
    PLAN_TABLE(plan_rules, struct plan_rules) rules;
    PLAN_TABLE(plan_locator, struct plan_locator) locators;
    PLAN_TABLE(plan_label, struct plan_label) labels;
    PLAN_TABLE(plan_refusal, struct plan_refusal) refusals;
    PLAN_TABLE(plan_placed, struct plan_placed) placed_dfs;
    PLAN_TABLE(plan_placed_site, struct plan_placed) placed_sites;
    PLAN_TABLE(plan_push, struct plan_push) pushes;
    PLAN_TABLE(plan_nfarg, struct plan_nfarg) nfargs;
    PLAN_TABLE(plan_about, struct plan_about) abouts;
    PLAN_TABLE(plan_capture, struct plan_capture) captures;
    PLAN_TABLE(plan_place, struct plan_place) places;
    PLAN_TABLE(plan_require, struct plan_require) requires;
    PLAN_TABLE(plan_file, const char *) files;
    const char *name; /* of the .fa file */
};

/* An empty plan in the arena. */
struct plan *plan_empty(struct arena *a);

/* Appends one row that is nobody else's; gives its number. */
#define plan_add(p, table, ...)                                                                    \
    (plan_reserve(p, table, 1), (p)->table.row[(p)->table.n] = (__VA_ARGS__), (p)->table.n++)

/* Appends `count` zeroed rows; gives the first one's number. */
#define plan_add_many(p, table, count)                                                             \
    (plan_reserve(p, table, (count)), (p)->table.n += (count), (p)->table.n - (count))

/* The first row of a run equal to these `count` rows, which may be one that exists. 0 for none. */
#define plan_intern(p, table, rows, count)                                                         \
    (plan_reserve(p, table, (count)),                                                              \
     plan_intern_rows((p), offsetof(struct plan, table), (p)->table.row, &(p)->table.n,            \
                      sizeof *(p)->table.row, (rows), (count)))

/* Room for `count` more rows, zeroed. */
#define plan_reserve(p, table, count)                                                              \
    vec_need_many((p)->arena, (p)->table.row, (p)->table.n, (count), (p)->table.room)

/* An interned expression; its text and place are those of the first one. */
uint32_t plan_expr(struct plan *p, const struct plan_expr *x);
/* The first of `count` consecutive rows equal to the given rows, in their order. */
uint32_t plan_expr_run(struct plan *p, const uint32_t *rows, uint32_t count);
/* One copy of each text. */
const char *plan_text(struct plan *p, const char *text, size_t size);

/* How many turns a PS_FOR has, from lo to hi. */
int64_t plan_turns(const struct plan_site *loop, int64_t lo, int64_t hi);

/* The row of what is said of it, if that binds it to cells; else PLAN_NONE. */
uint32_t plan_bound_of(const struct plan *p, uint32_t df);

/* The argument of its call that a PS_LIST is. */
const struct expr *plan_list(const struct plan *p, const struct plan_site *list);

/* From now on what place found is as if the user had written it. */
void plan_use_placed(struct plan *p);

/* For people: L0 + 2*F1, an expression's C, x[L0 + 1]. */
void plan_print_expr(const struct plan *p, uint32_t expr, struct buf *out);
void plan_print_ref(const struct plan *p, uint32_t ref, struct buf *out);

/* What was kept under these bytes by plan_know(), or PLAN_NONE. `space` keeps users apart; those
 * below 4096 are plan.c's own. */
uint32_t plan_known(const struct plan *p, uint32_t space, const void *key, size_t size);
void     plan_know(struct plan *p, uint32_t space, const void *key, size_t size, uint32_t value);

uint32_t plan_intern_rows(struct plan *p, size_t table, void *to, uint32_t *n, size_t size,
                         const void *rows, uint32_t count);

#endif
