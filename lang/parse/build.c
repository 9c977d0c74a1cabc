/* build.c - see build.h.
 *
 * Nodes come out of the arena zeroed, so only what is not 0 is set. Nothing here fails: what is too
 * deep or too long is reported once, and what the grammar gets instead is a part of it, so that it
 * can go on to the end of the file without looking at results. */
#include "lang/parse/build.h"

#include "lang/tree/rules.h"

#include <assert.h>
#include <string.h>

#define SAY(at, ...) diag(p->diag, SEV_ERROR, D_PAR1, at, __VA_ARGS__)

/* ---- expressions ---- */

static int
deeper(int a, int b)
{
    return a > b ? a : b;
}

struct expr *
build_expr(struct parser *p, enum expr_kind kind, struct span span)
{
    struct expr *e = arena_new_of(p->arena, struct expr);
    e->kind = kind;
    e->span = span;
    e->depth = 1;
    return e;
}

/* Whether a tree on top of one so deep is too much for passes that recurse; told once. */
static bool
too_deep(struct parser *p, int depth, struct span span)
{
    if (depth < AST_DEPTH_MAX) return false;
    if (!p->dead)
        diag(p->diag, SEV_ERROR, D_PAR4, (struct span){span.hi - 1, span.hi},
             "expression with more than %d operations in a row", AST_DEPTH_MAX);
    p->dead = p->tree->lost = true;
    return true;
}

/* Operations in a row are a tree as deep as they are many: a + b + c + ... of a generated program.
 * Beyond the limit the right operand stands for the whole. */
struct expr *
build_bin(struct parser *p, enum op op, struct expr *a, struct span op_span, struct expr *b)
{
    struct span span = {a->span.lo, b->span.hi};
    int depth = deeper(a->depth, b->depth);
    if (too_deep(p, depth, span)) return b;
    struct expr *e = build_expr(p, E_BIN, span);
    e->depth = depth + 1;
    e->op = op;
    e->op_span = op_span;
    e->a = a;
    e->b = b;
    return e;
}

struct expr *
build_cond(struct parser *p, struct expr *a, struct expr *b, struct expr *c)
{
    struct span span = {a->span.lo, c->span.hi};
    int depth = deeper(a->depth, deeper(b->depth, c->depth));
    if (too_deep(p, depth, span)) return c;
    struct expr *e = build_expr(p, E_COND, span);
    e->depth = depth + 1;
    e->a = a;
    e->b = b;
    e->c = c;
    return e;
}

static struct expr *
build_part(struct parser *p, enum type type, struct expr_list of, struct span span)
{
    struct expr *e = build_expr(p, E_PART, span);
    e->cast = type;
    e->a = of.first;
    e->b = e->a->next;
    e->c = e->b->next;
    e->a->next = e->b->next = NULL;
    int depth = deeper(e->a->depth, deeper(e->b->depth, e->c ? e->c->depth : 0));
    if (too_deep(p, depth, span)) return e->a;
    e->depth = depth + 1;
    return e;
}

static struct expr *
build_cast(struct parser *p, enum type type, struct expr *a, struct span span)
{
    if (too_deep(p, a->depth, span)) return a;
    struct expr *e = build_expr(p, E_CAST, span);
    e->depth = a->depth + 1;
    e->cast = type;
    e->a = a;
    return e;
}

struct expr *
build_typed(struct parser *p, enum type type, struct expr_list of, struct span span)
{
    const char *name = ast_type_text(type);
    if (type == T_VALUE && of.n == 3) return build_part(p, type, of, span);
    if (type != T_VALUE && of.n == 1) return build_cast(p, type, of.first, span);
    if ((type == T_INT || type == T_REAL) && of.n == 2) return build_part(p, type, of, span);
    SAY(span, "'%s(...)' has %d operand%s here", name, of.n, of.n == 1 ? "" : "s");
    if (type == T_VALUE) diag_hint(p->diag, "value(x, from, count): so many bytes, from there on");
    else if (type == T_STRING) diag_hint(p->diag, "string(e): the text of one value");
    else diag_hint(p->diag, "%s(e) converts a value; %s(x, k) is the k-th number in the bytes of x",
                   name, name);
    return build_expr(p, E_INT, span);
}

struct expr *
build_item(struct parser *p, struct name word, struct expr_list of, struct span span)
{
    if (of.n == 2) {
        struct expr *e = build_part(p, T_NONE, of, span);
        if (e->kind == E_PART) e->items = ast_items_of(word.text);
        return e;
    }
    SAY(span, "'%s(...)' has %d operand%s here", word.text, of.n, of.n == 1 ? "" : "s");
    diag_hint(p->diag, "%s(x, k) is the k-th number in the bytes of x", word.text);
    return build_expr(p, E_INT, span);
}

struct expr *
build_unary(struct parser *p, enum expr_kind kind, struct expr *a, struct span span)
{
    if (too_deep(p, a->depth, span)) return a;
    struct expr *e = build_expr(p, kind, span);
    e->depth = a->depth + 1;
    e->a = a;
    return e;
}

struct expr *
build_node(struct parser *p, struct expr_list at, struct span span)
{
    struct expr *e = build_expr(p, E_NODE, span), **operand[] = {&e->a, &e->b, &e->c};
    e->ival = at.n;
    for (int i = 0; i < 3 && at.first; i++) {
        *operand[i] = at.first;
        e->depth = deeper(e->depth, at.first->depth + 1);
        at.first = at.first->next;
        (*operand[i])->next = NULL;
    }
    if (too_deep(p, e->depth - 1, span)) e->a = e->b = e->c = NULL;
    return e;
}

/* Indices count for the depth of a reference: x[x[x[...]]] recurses like an operation. */
struct expr *
build_ref_expr(struct parser *p, struct ref *r)
{
    struct expr *e = build_expr(p, E_REF, r->span);
    int depth = 0;
    for (const struct expr *i = r->indices; i; i = i->next) depth = deeper(depth, i->depth);
    if (too_deep(p, depth, r->span)) {
        r->indices = NULL;
        r->nindices = depth = 0;
    }
    e->depth = depth + 1;
    e->ref = r;
    return e;
}

struct ref *
build_ref(struct parser *p, struct name name)
{
    struct ref *r = arena_new_of(p->arena, struct ref);
    r->name = name;
    r->span = name.span;
    return r;
}

/* A walk to the end for each index: references are short, and lists without ends are smaller. */
struct ref *
build_index(struct parser *p, struct ref *r, struct expr *e, struct span span)
{
    assert(!e->next && "an expression stands in one list");
    struct expr **end = &r->indices;
    while (*end) end = &(*end)->next;
    if (r->nindices == AST_INDICES_MAX) {
        if (!p->dead)
            diag(p->diag, SEV_ERROR, D_PAR4, e->span, "more than %d indices", AST_INDICES_MAX);
        p->dead = p->tree->lost = true;
        return r;
    }
    *end = e;
    r->nindices++;
    r->span = span;
    return r;
}

/* ---- names ---- */

struct name
build_name(struct parser *p, const char *text, struct span span)
{
    return (struct name){names_intern(p->names, text, strlen(text)), span};
}

/* A reserved word where a name stands: told once per word, then taken as the name it was meant to
 * be, so that its uses are not reported as undeclared on top. */
struct name
build_reserved(struct parser *p, struct token word)
{
    struct span at = word.span;
    expect_reserved(p, word);
    return (struct name){names_intern(p->names, p->text + at.lo, at.hi - at.lo), at};
}

struct symbol *
build_symbol(struct parser *p, enum symbol_kind kind, struct name name)
{
    struct symbol *s = arena_new_of(p->arena, struct symbol);
    s->kind = kind;
    s->name = name;
    return s;
}

void
build_shape(struct parser *p, struct symbol *df, struct expr *lo, struct expr *hi, struct span span)
{
    struct expr **end = &df->shape;
    if (df->nshape == AST_SHAPE_MAX) {
        diag(p->diag, SEV_ERROR, D_PAR4, span, "more than %d indices in a shape", AST_SHAPE_MAX);
        return;
    }
    while (*end) end = &(*end)->next;
    if (!lo) { /* [k] */
        lo = build_expr(p, E_INT, hi->span);
        df->counted |= UINT32_C(1) << df->nshape;
    }
    df->nshape++;
    *end = lo;
    lo->next = hi;
}

/* ---- rules, statements, items ---- */

struct rule *
build_rule(struct parser *p, enum rule_kind kind, struct name name, struct span span)
{
    struct rule *r = arena_new_of(p->arena, struct rule);
    r->kind = kind;
    r->name = name;
    r->span = span;
    return r;
}

/* `delete x == y;`, `request x + 1;`: parsed as expressions since `cells` has them. */
static void
rule_list_fault(struct parser *p, struct name name, const struct expr *e)
{
    const char *form = rule_form(name.text, R_ENUM);
    bool value = e->kind == E_BIN && e->op == OP_EQ; /* req_count x == 3 */
    if (form && !strchr(form, ',') && !value) {      /* not a list */
        SAY(e->span, "rule '%s' is written otherwise", name.text);
        diag_hint(p->diag, "the form is: %s", form);
        return;
    }
    SAY(e->span, "rule '%s' lists fragments; this is an expression", name.text);
    if (value) diag_hint(p->diag, "write '=' to give a value");
}

/* NAME e, e ...; are references, but for `cells`. */
struct rule *
build_rule_list(struct parser *p, struct name name, struct expr_list list, struct span span)
{
    struct rule *r = build_rule(p, R_ENUM, name, span);
    if (!strcmp(name.text, "cells")) {
        r->exprs = list.first;
        return r;
    }
    struct ref_list refs = {0};
    for (struct expr *e = list.first; e; e = e->next) {
        if (e->kind == E_REF && !e->paren)
            LIST_ADD(refs, e->ref);
        else
            rule_list_fault(p, name, e);
    }
    r->refs = refs.first;
    return refs.first ? r : NULL;
}

/* Only `cell` has several expressions behind =>. A list for others is cut, not thrown away: the
 * first is what was meant, most likely. */
struct rule *
build_rule_map(struct parser *p, struct name name, struct ref *ref, struct expr_list list,
               struct span span)
{
    struct rule *r = build_rule(p, R_MAP, name, span);
    r->refs = ref;
    r->exprs = list.first;
    if (list.n > 1 && strcmp(name.text, "cell")) {
        SAY(list.first->next->span, "rule '%s' takes one expression", name.text);
        list.first->next = NULL;
    }
    return r;
}

struct stmt *
build_stmt(struct parser *p, enum stmt_kind kind, struct span span)
{
    struct stmt *s = arena_new_of(p->arena, struct stmt);
    s->kind = kind;
    s->span = span;
    s->step = 1;
    return s;
}

/* The rules of an `if` stand behind its last branch, and are for the names in both. */
struct stmt *
build_if(struct parser *p, struct expr *cond, struct code_block *body, struct code_block *other,
         struct span span)
{
    struct stmt *s = build_stmt(p, S_IF, span);
    s->cond = cond;
    s->body = body;
    s->other = other;
    if (!other) return s;
    if (body->rules) {
        SAY(body->rules->span, "the rules of an 'if' stand behind its last branch");
        if (other->braced) diag_hint(p->diag, "move them behind the block of 'else'");
        else diag_hint(p->diag, "put the branch of 'else' in braces, and them behind it");
    }
    body->rules = other->rules;
    body->lends = other->rules != NULL;
    return s;
}

struct stmt *
build_call(struct parser *p, struct name callee, struct expr_list args, struct span span)
{
    struct stmt *s = build_stmt(p, S_CALL, span);
    s->callee = callee;
    s->args = args.first;
    s->nargs = args.n;
    return s;
}

struct stmt *
build_reduce(struct parser *p, struct name op, struct ref *elem, struct reduce_range *ranges,
             struct ref *out, struct span span)
{
    struct stmt *s = build_stmt(p, S_REDUCE, span);
    s->callee = op;
    s->elem = elem;
    s->ranges = ranges;
    s->out = out;
    return s;
}

enum items
build_items(struct parser *p, struct name word)
{
    enum items items = ast_items_of(word.text);
    if (items) return items;
    SAY(word.span, "'%s' is no type of an element", word.text);
    diag_hint(p->diag, "an element is x[i], or int(x[i]), real, int64, float or complex, which "
                       "tell what an array holds");
    return items;
}

struct pragma *
build_pragma(struct parser *p, struct token word, struct expr_list args, struct span span)
{
    struct pragma *g = arena_new_of(p->arena, struct pragma);
    struct span at = word.span;
    g->word = (struct name){names_intern(p->names, p->text + at.lo, at.hi - at.lo), at};
    g->span = span;
    g->args = args.first;
    if (args.n > 2) SAY(args.first->next->next->span, "a pragma has at most two numbers");
    return g;
}

/* A second df line is noted in df_again and reported by resolve as SYN4, with the names of both
 * known, so that nothing that uses them is reported as undeclared. */
void
build_df(struct parser *p, struct lines *l, struct symbol_list dfs, struct span span)
{
    struct code_block *b = l->block;
    if (b->df_span.hi) {
        if (!b->df_again.hi) b->df_again = span;
    } else if (b->stmts) {
        SAY(span, "the df line must be the first in its block");
    }
    if (!b->df_span.hi) b->df_span = span;
    if (!dfs.first) return;
    if (l->last_df) l->last_df->next = dfs.first;
    else b->dfs = dfs.first;
    l->last_df = dfs.last;
}

/* An empty block is no error if its statements were lost to errors that are told already. */
struct code_block *
build_block(struct parser *p, struct lines l, struct span span)
{
    struct code_block *b = l.block;
    b->span = span;
    if (b->stmts || l.broken || parser_muted(p)) return b;
    if (b->df_span.hi) SAY(b->df_span, "a block needs a statement besides its df line");
    else SAY(span, "a block cannot be empty");
    return b;
}

struct sub *
build_sub(struct parser *p, enum sub_kind kind, struct name name, struct symbol_list params,
        struct span span)
{
    struct sub *s = arena_new_of(p->arena, struct sub);
    s->kind = kind;
    s->name = name;
    s->span = span;
    s->params = params.first;
    s->nparams = params.n;
    return s;
}

/* In the order of the text: reports follow it, and of two subs with one name the last counts. */
void
build_add_sub(struct parser *p, struct sub *s)
{
    assert(!s->next);
    *p->subs_end = s;
    p->subs_end = &s->next;
}

void
build_add_const(struct parser *p, struct name name, struct expr *value)
{
    struct symbol *c = build_symbol(p, SYM_LET, name);
    c->let_value = value;
    *p->consts_end = c;
    p->consts_end = &c->next;
}

void
build_add_head(struct parser *p, enum foreign_lang lang, const struct foreign *f, struct span span)
{
    struct foreign_head *h = arena_new_of(p->arena, struct foreign_head);
    h->lang = lang;
    h->foreign = f;
    h->span = span;
    *p->heads_end = h;
    p->heads_end = &h->next;
}
