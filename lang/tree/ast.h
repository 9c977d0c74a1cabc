/* ast.h - the tree of a program, as written. parse.y builds
 * it, resolve.c ties names to declarations.
 *
 * Lists are linked by `next`, in textual order. Everything lives in the
 * compilation's arena. Spans are of the plain text. After an error the
 * parser leaves out what it could not read; the tree is always whole. */
#ifndef LUNA_LANG_TREE_AST_H
#define LUNA_LANG_TREE_AST_H

#include "lang/report/source.h"
#include "lang/tree/foreign.h"
#include "lang/tree/given.h"
#include "runtime/base/buf.h"

#include <stdbool.h>
#include <stdint.h>

/* A name as written. Names are interned: equal names are equal pointers. */
struct name {
    const char *text;
    struct span span;
};

enum type { T_NONE, T_INT, T_REAL, T_STRING, T_NAME, T_VALUE };

/* What arrays may hold besides what there are numbers of. Words of a reduction's element only. */
enum items { ITEMS_NONE, ITEMS_INT64, ITEMS_FLOAT, ITEMS_COMPLEX, ITEMS_KINDS };
const char *ast_items_text(enum items i);
/* ITEMS_NONE: it is no such word. */
enum items ast_items_of(const char *word);

/* ---- symbols: what a name stands for ---- */
enum symbol_kind {
    SYM_DF,      /* of a block's df line */
    SYM_PARAM,   /* of a sub; `type` tells which */
    SYM_FOR,     /* counter */
    SYM_WHILE,   /* counter */
    SYM_LET,     /* stands for `let_value`; without a statement: a const */
    SYM_NFPARAM, /* of a sub's rules, seen by locators only */
    SYM_INDEX,   /* bound by a locator rule: locator_cyclic x[i] => i; `number` = position */
    SYM_LABEL,   /* cf label */
};

struct symbol {
    struct symbol *next; /* in its owner's list */
    enum symbol_kind kind;
    enum type type; /* of a parameter */
    bool list;      /* of a parameter: any number of fragments, value x[] */
    struct name name;
    struct sub *sub;     /* in which it is declared */
    struct code_block *block; /* SYM_DF, SYM_LABEL: its block */
    struct stmt *stmt;   /* SYM_FOR, SYM_WHILE, SYM_LET, SYM_LABEL: its statement */
    int id;              /* by resolve: its number among all symbols, for dumps */
    struct expr *let_value;
    struct expr *shape; /* SYM_DF: the ends of each index, in turn; NULL: it may be any */
    int nshape;         /* how many indices it has then */
    uint32_t counted;   /* by bit: [k], whose second end is the first beyond */
    struct rule *outside; /* SYM_DF, by resolve: what a read beyond its shape is; NULL: a fault */
    int number;   /* parameters and nfparams: position */
    /* Set by resolve, read by check and lower. */
    bool mentioned, read, written;
    int slot;     /* free for lower: its word in the frame, or its declaration number */
    int fact;     /* free for check: its row among the facts, plus one */
    bool told;    /* by check: a slip in what writes or reads it was reported */
};

/* ---- expressions ---- */
enum { AST_DEPTH_MAX = 4000, AST_INDICES_MAX = 255, AST_SHAPE_MAX = 32 };
/* Passes walk the tree by recursion. */

/* NODES, NODE: `nodes` and `node(e1, e2)` of locators: how many nodes there are, who owned that
 * cell at the start. PART: `real(x, k)`, `value(x, from, count)`. */
enum expr_kind {
    E_INT, E_REALNUM, E_STR, E_REF, E_CAST, E_NEG, E_NOT, E_BIN, E_COND, E_NODES, E_NODE, E_PART
};
enum op {
    OP_OR, OP_AND,
    OP_LT, OP_LE, OP_EQ, OP_NE, OP_GT, OP_GE,
    OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD
};

struct ref {
    struct ref *next;     /* in lists of references */
    struct name name;
    struct span span;     /* name and indices */
    struct expr *indices; /* linked by expr.next */
    int nindices;
    struct symbol *sym;   /* by resolve; NULL: undeclared (reported), or `all`, which is -1 */
};

struct expr {
    struct expr *next; /* in lists of arguments and indices */
    enum expr_kind kind;
    struct span span;
    bool paren;        /* stands in parentheses of its own */
    int depth;         /* of this tree; the parser keeps it below AST_DEPTH_MAX */
    enum type type;    /* by resolve: T_INT, T_REAL, T_STRING; T_VALUE: only known at run time;
                        * T_NONE: makes no sense, which was reported */
    int64_t ival;      /* E_INT: wrapped to 32 bits; beyond them was reported as PAR3. E_NODE: how
                        * many expressions were written, of which three are kept */
    double rval;       /* E_REALNUM */
    const char *str;   /* E_STR: unescaped, 0-terminated */
    size_t str_size;
    struct ref *ref;   /* E_REF */
    struct reduce_range *over; /* E_REF as an argument: x[i] over i = a..b, a list; else NULL */
    enum type cast;    /* E_CAST; E_PART: T_INT, T_REAL, T_VALUE, or T_NONE and */
    enum items items;  /* E_PART: ITEMS_INT64, ITEMS_FLOAT */
    enum op op;        /* E_BIN */
    struct span op_span;
    struct expr *a, *b, *c; /* operands; of E_COND: condition, yes, no; of E_NODE: some or none; of
                             * E_PART: fragment, which, how many bytes */
};

/* ---- rules: the @{ ... } behind statements and blocks ---- */
enum rule_kind { R_ASSIGN, R_MAP, R_ENUM, R_EXPR, R_FLAGS };

struct rule {
    struct rule *next;
    enum rule_kind kind;
    struct name name; /* req_count, locator_cyclic ... ; of R_FLAGS: the first flag */
    struct span span;
    struct ref *refs; /* R_ASSIGN, R_MAP: one; R_ENUM: a list; R_FLAGS: all flags, as bare names */
    struct expr *exprs; /* R_ASSIGN, R_EXPR: one; R_MAP: one or several (cell x[i][j] => i, j);
                         * cells e1, e2; is an R_ENUM with expressions only: refs == NULL */
    /* R_MAP of a locator: its bound names, in order; each
     * index of `refs` is a bare name. By resolve. */
    struct symbol *bound;
    /* R_MAP of a locator, afterpush x => label: the cf label of that name. By resolve; NULL: none.
     * A locator's name may be that of a DF (refs->sym) and of a label at once. */
    struct symbol *label;
};

/* Whether the rule says where something lives: locator_cyclic, locator_replicating, cell. */
bool rule_is_locator(const struct rule *r);

/* ---- statements ---- */
enum stmt_kind { S_CALL, S_LET, S_FOR, S_WHILE, S_IF, S_REDUCE };

struct pragma { /* <<static, e, e>> */
    struct name word;
    struct span span;
    struct expr *args;
};

/* Of a reduction or a list: i = lo..hi. Bounds see the counters before. */
struct reduce_range {
    struct reduce_range *next;
    struct symbol *counter; /* a SYM_FOR */
    struct expr *lo, *hi;
};

struct stmt {
    struct stmt *next;
    enum stmt_kind kind;
    struct span span;
    struct code_block *in; /* the block it stands in; by resolve */
    struct rule *rules;  /* of a call; those behind a body's brace are in body->rules, and belong to
                          * this statement too */
    struct ref *label;   /* S_CALL: cf label, or NULL */
    struct name callee;  /* S_CALL; S_REDUCE: the operation's name, text of an operator else */
    struct sub *sub;     /* S_CALL: by resolve, NULL when absent (reported). S_REDUCE: the
                          * operation, NULL when it is built in (+ * && || min max) */
    struct expr *args;   /* S_CALL */
    int nargs;
    struct expr *outs;   /* S_CALL: references left of `=`; resolve puts them among `args` */
    struct expr *sets;   /* >> (...)  as written; resolve reports what is no reference */
    struct expr *kills;  /* --> (...) */
    struct pragma *pragma;
    struct symbol *lets; /* S_LET: its names in order */
    struct symbol *counter; /* S_FOR, S_WHILE */
    struct expr *lo, *hi;   /* S_FOR: bounds; S_WHILE: lo = start */
    struct expr *by;        /* S_FOR: what stands behind `by`, or NULL */
    int32_t step;           /* S_FOR: its value, by check; 0: it has none (reported); else 1 */
    struct expr *cond;      /* S_WHILE, S_IF */
    /* By check. S_IF: it was said that the condition is always true or false, or a macro decides,
     * and it is meant; S_FOR, S_WHILE: a macro says how far they go. */
    bool settled;
    struct ref *out;        /* S_WHILE; S_REDUCE: where the result goes */
    struct ref *elem;       /* S_REDUCE: the element, in terms of the counters */
    enum type elem_as;      /* S_REDUCE: T_INT, T_REAL as in int(x[i]); else 0 */
    enum items elem_items;  /* S_REDUCE: ITEMS_INT64 as in int64(x[i]) */
    struct reduce_range *ranges; /* S_REDUCE */
    struct code_block *body; /* S_LET, S_FOR, S_WHILE, S_IF */
    struct code_block *other; /* S_IF: what stands behind `else`, or NULL */
};

struct code_block {
    struct span span;
    bool braced;
    struct symbol *dfs;    /* the df line */
    struct span df_span, df_again; /* df_again.hi != 0: a second df line (SYN4) */
    struct stmt *stmts;
    struct rule *rules;    /* behind its brace */
    bool lends;            /* of an `if`: they stand behind the other branch, which has them, too */
    struct code_block *outer; /* by resolve; NULL for a sub's body */
    struct stmt *owner;    /* by resolve: the statement whose body it is; NULL for a sub's body */
    struct sub *sub;       /* by resolve */
    struct symbol *labels; /* of a sub's body, by resolve: its cf labels, one of each name */
};

/* ---- items ---- */
enum sub_kind { SUB_STRUCT, SUB_IMPORT, SUB_INLINE };
/* Blocks are in the first two; files may be in any. */
enum foreign_lang { LANG_C, LANG_CPP, LANG_FORTRAN, LANGS };

/* What a call hands to a sub besides arguments: the node where it is placed, its priority. */
enum inherited { INHERITS_SEAT, INHERITS_RANK, INHERITED };

struct sub {
    struct sub *next; /* all subs, imports and inline subs of the program, textual order */
    enum sub_kind kind;
    struct name name;      /* in the program: the name behind `as` if there is one */
    struct span span;
    struct symbol *params;
    int nparams;
    struct code_block *body; /* SUB_STRUCT */
    struct name func;      /* SUB_IMPORT: the function's name */
    enum foreign_lang lang; /* SUB_INLINE */
    const struct foreign *foreign; /* SUB_INLINE: its block */
    bool cuda, nocpu;      /* accepted, no effect */
    struct pragma *pragma;
    struct symbol *nfparams; /* by resolve: of the rules on its body */
    int nnfparams;
    bool called;           /* by resolve: some statement calls it */
    int number;            /* free for lower */
    bool inherits[INHERITED]; /* by lower: what its frame says besides arguments */
    int fact;              /* free for check: its row among the facts, plus one */
    bool certain;          /* by check: it runs for any input */
};

struct foreign_head { /* C++ head ${{ ... $}} */
    struct foreign_head *next;
    enum foreign_lang lang;
    const struct foreign *foreign;
    struct span span;
};

/* Who knows functions that no import names: the command, which reads files in C. */
struct ast_outside {
    void *who;
    /* What may be meant by a call of `sub`, which is not there, as a hint; NULL: nothing. `slips`:
     * by a name that is nearly this one. */
    const char *(*meant)(void *who, struct arena *a, const char *sub, bool slips);
    /* Whether this function of a file may end the process as if all were well, for all that can be
     * known. NULL: it may. */
    bool (*ends)(void *who, const char *function);
};

struct ast {
    struct symbol *consts; /* const N = 8; in order */
    struct sub *subs;
    struct foreign_head *heads;
    struct sub *main; /* by resolve; NULL is reported as SYN7 */
    const char *const *macros, *const *macro_params; /* of struct prep; lent */
    const struct given *given;                       /* the same: of -D */
    int ngiven;
    const struct ast_outside *outside; /* lent; NULL: nobody */
    bool lost;        /* the parser had to skip declarations: names may only seem undeclared */
    bool may_exit;    /* by check: some function could end the run by itself */
    bool tells_wraps; /* -g: the run shall tell of ints that wrap around */
};

/* What a name stands for behind any let names: the symbol of the DF, parameter or counter. NULL:
 * the let value is no reference, or the name is undeclared. */
struct symbol *ast_base(const struct ref *r);
/* Of the program, not of a `let`; by resolve. */
bool ast_is_const(const struct symbol *s);

/* The text of a reference or an expression for messages, normalised: x[i+1]. */
const char *ast_ref_text(struct arena *a, const struct ref *r);
const char *ast_expr_text(struct arena *a, const struct expr *e);
const char *ast_op_text(enum op op);
const char *ast_type_text(enum type t);
/* The tree as an indented text, for luna dump --pass=parse. Operands stand in parentheses. Once
 * resolved, names carry the id of their symbol, and outermost expressions their type. */
void ast_dump(const struct ast *t, bool resolved, struct buf *out);

#endif
