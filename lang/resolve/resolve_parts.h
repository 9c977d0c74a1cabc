/* resolve_parts.h - what the files of resolve share. */
#ifndef LUNA_LANG_RESOLVE_RESOLVE_PARTS_H
#define LUNA_LANG_RESOLVE_RESOLVE_PARTS_H

#include "lang/report/diag.h"
#include "lang/resolve/scope.h"
#include "lang/tree/ast.h"

struct resolve {
    struct arena *arena;
    struct diag *diag;
    struct ast *tree;
    struct scope *scope;
    struct sub *sub;               /* being walked */
    int ids;                       /* symbols so far */
    int guesses;                   /* "did you mean" still to be looked for */
    bool locator;                  /* nfparams are visible */
    bool nodes;                    /* so are `nodes` and node() */
    const struct code_block *behind; /* rules are resolved that stand there; NULL: behind a call */
    bool silent;                   /* in a rule that means nothing: report nothing */
    const struct reduce_range *ranges; /* bounds are resolved: counters from here on are not seen */
};

/* What a mention does with the value. */
enum use {
    USE_MENTION,
    USE_READ,
    USE_SET,
    USE_NAME, /* passed to a `name` parameter of a sub that may do either */
};

/* ---- resolve.c ---- */
void resolve_declare(struct resolve *r, struct symbol *s);

/* ---- resolve_const.c ---- */
/* All consts of the program, which stay visible. */
void resolve_consts(struct resolve *r);

/* ---- resolve_ref.c ---- */
void resolve_ref(struct resolve *r, struct ref *ref, enum use use);
void resolve_indices(struct resolve *r, struct ref *ref);
/* An operand; `all` is -1. Sets the type. */
void resolve_expr(struct resolve *r, struct expr *e);
/* Where a DF belongs: a bare reference is not read, `all` is a name. Other expressions are read. */
void resolve_named(struct resolve *r, struct expr *e, enum use use);
void resolve_let_value(struct resolve *r, struct expr *e);
/* An argument for parameter p (NULL: unknown) of sub `to`. */
void resolve_arg(struct resolve *r, struct expr *e, const struct sub *to, const struct symbol *p);
/* The target of afterpush: a reference to a label. */
void resolve_label(struct resolve *r, struct expr *e);

/* ---- resolve_rule.c ---- */
/* The rules of statement s (NULL: of the sub), in the scope at hand. They stand behind block b, or
 * behind a call (NULL). */
void resolve_rules(struct resolve *r, struct rule *rules, const struct stmt *s,
                   const struct code_block *b);
/* Which indices the DFs of a block have. */
void resolve_shapes(struct resolve *r, struct symbol *dfs);

#endif
