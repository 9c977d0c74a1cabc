/* build.h - nodes of the tree, as the actions of the grammar make them.
 *
 * All gives from the arena, so nothing fails here. What the grammar is too coarse to see (an empty
 * block, an expression in a list of DFs, a tree too deep) is reported here. */
#ifndef LUNA_LANG_PARSE_BUILD_H
#define LUNA_LANG_PARSE_BUILD_H

#include "lang/parse/parser.h"

/* Values of symbols: lists as first, last and number, so that appending is cheap. */
struct symbol_text {
    const char *s;
    size_t size;
};
struct expr_list {
    struct expr *first, *last;
    int n;
};
struct ref_list {
    struct ref *first, *last;
};
struct rule_list {
    struct rule *first, *last;
};
struct range_list {
    struct reduce_range *first, *last;
};
struct symbol_list {
    struct symbol *first, *last;
    int n;
};
struct lines { /* of a block */
    struct code_block *block;
    struct stmt *last;
    struct symbol *last_df;
    bool broken; /* a statement was left out */
};

/* Appends to a list that is linked by `next`. */
#define LIST_ADD(list, item)                                                                       \
    do {                                                                                           \
        if ((list).last) (list).last->next = (item);                                               \
        else (list).first = (item);                                                                \
        (list).last = (item);                                                                      \
    } while (0)

/* ---- expressions ---- */
struct expr *build_expr(struct parser *p, enum expr_kind kind, struct span span);
struct expr *build_bin(struct parser *p, enum op op, struct expr *a, struct span op_span,
                       struct expr *b);
struct expr *build_cond(struct parser *p, struct expr *a, struct expr *b, struct expr *c);
/* int(e), or int(x, k), value(x, from, count). */
struct expr *build_typed(struct parser *p, enum type type, struct expr_list of, struct span span);
/* int64(x, k), float(x, k) */
struct expr *build_item(struct parser *p, struct name word, struct expr_list of, struct span span);
/* E_NEG, E_NOT */
struct expr *build_unary(struct parser *p, enum expr_kind kind, struct expr *a, struct span span);
/* node(e1, e2) of locators */
struct expr *build_node(struct parser *p, struct expr_list at, struct span span);
struct expr *build_ref_expr(struct parser *p, struct ref *r);
struct ref  *build_ref(struct parser *p, struct name name);
struct ref  *build_index(struct parser *p, struct ref *r, struct expr *e, struct span span);

/* ---- names ---- */
struct name    build_name(struct parser *p, const char *text, struct span span);
struct name    build_reserved(struct parser *p, struct token word); /* reports it */
struct symbol *build_symbol(struct parser *p, enum symbol_kind kind, struct name name);
/* df[lo..hi], or, without lo, df[hi]: one index more. */
void build_shape(struct parser *p, struct symbol *df, struct expr *lo, struct expr *hi,
                 struct span span);

/* ---- rules, statements, blocks ---- */
struct rule   *build_rule(struct parser *p, enum rule_kind kind, struct name name,
                          struct span span);
/* NAME e, e ...;  NULL when nothing in it makes sense. */
struct rule   *build_rule_list(struct parser *p, struct name name, struct expr_list list,
                               struct span span);
struct rule   *build_rule_map(struct parser *p, struct name name, struct ref *ref,
                              struct expr_list list, struct span span);
struct stmt   *build_stmt(struct parser *p, enum stmt_kind kind, struct span span);
/* `other`: of an `else`, or NULL. */
struct stmt *build_if(struct parser *p, struct expr *cond, struct code_block *body,
                      struct code_block *other, struct span span);
struct stmt   *build_call(struct parser *p, struct name callee, struct expr_list args,
                          struct span span);
enum items     build_items(struct parser *p, struct name word); /* ITEMS_NONE: reported */
struct stmt   *build_reduce(struct parser *p, struct name op, struct ref *elem,
                            struct reduce_range *ranges, struct ref *out, struct span span);
struct pragma *build_pragma(struct parser *p, struct token word, struct expr_list args,
                            struct span span);
void           build_df(struct parser *p, struct lines *l, struct symbol_list dfs,
                        struct span span);
/* At the '}': a block has statements. */
struct code_block *build_block(struct parser *p, struct lines l, struct span span);

/* ---- items ---- */
struct sub *build_sub(struct parser *p, enum sub_kind kind, struct name name,
                      struct symbol_list params, struct span span);
void        build_add_sub(struct parser *p, struct sub *s);
void        build_add_const(struct parser *p, struct name name, struct expr *value);
void        build_add_head(struct parser *p, enum foreign_lang lang, const struct foreign *f,
                           struct span span);

#endif
