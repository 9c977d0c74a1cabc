/* ast.c - the tree as text: pieces of it for messages, all of it for dumps. */
#include "lang/tree/ast.h"

#include "runtime/base/vec.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lets cannot be circular: each sees only those before it. */
struct symbol *
ast_base(const struct ref *r)
{
    struct symbol *s = r->sym;
    while (s && s->kind == SYM_LET)
        s = s->let_value && s->let_value->kind == E_REF ? s->let_value->ref->sym : NULL;
    return s;
}

bool
ast_is_const(const struct symbol *s)
{
    return s->kind == SYM_LET && !s->stmt;
}

bool
rule_is_locator(const struct rule *r)
{
    const char *name = r->name.text;
    return !strcmp(name, "locator_cyclic") || !strcmp(name, "locator_replicating") ||
           !strcmp(name, "cell");
}

const char *
ast_op_text(enum op op)
{
    static const char *const texts[] = {"||", "&&", "<", "<=", "==", "!=", ">",
                                        ">=", "+",  "-", "*",  "/",  "%"};
    assert((size_t)op < sizeof texts / sizeof *texts);
    return texts[op];
}

static const char *const items_text[ITEMS_KINDS] = {
    [ITEMS_NONE] = "",
    [ITEMS_INT64] = "int64",
    [ITEMS_FLOAT] = "float",
    [ITEMS_COMPLEX] = "complex"};

const char *
ast_items_text(enum items i)
{
    return items_text[i];
}

enum items
ast_items_of(const char *word)
{
    for (int i = ITEMS_NONE + 1; i < ITEMS_KINDS; i++)
        if (!strcmp(word, items_text[i])) return (enum items)i;
    return ITEMS_NONE;
}

const char *
ast_type_text(enum type t)
{
    static const char *const texts[] = {"none", "int", "real", "string", "name", "value"};
    assert((size_t)t < sizeof texts / sizeof *texts);
    return texts[t];
}

/* ---- where text goes: a buffer, or the arena for texts that outlive the call ---- */

struct sink {
    struct buf *buf;
    struct arena *arena;
    char *text;
    size_t size, room;
    bool dump;     /* operands in parentheses, spaces */
    bool resolved; /* ids and types */
};

/* In the arena room doubles, and the text always ends with a 0: it may be asked for at any time. */
static void
put_bytes(struct sink *k, const char *s, size_t n)
{
    if (k->buf) {
        buf_add(k->buf, s, n);
        return;
    }
    vec_need_many(k->arena, k->text, k->size, n + 1, k->room);
    memcpy(k->text + k->size, s, n);
    k->size += n;
    k->text[k->size] = 0;
}

static void
put(struct sink *k, const char *s)
{
    put_bytes(k, s, strlen(s));
}

static void
put_int(struct sink *k, int64_t n)
{
    char s[24];
    snprintf(s, sizeof s, "%" PRId64, n);
    put(k, s);
}

/* The shortest digits that read back as the same number. */
static void
put_real(struct sink *k, double r)
{
    char s[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(s, sizeof s, "%.*g", digits, r);
        if (strtod(s, NULL) == r) break;
    }
    put(k, s);
    if (!strpbrk(s, ".en")) put(k, ".0");
}

static void
put_string(struct sink *k, const char *s, size_t n)
{
    put(k, "\"");
    for (size_t i = 0; i < n; i++) {
        switch (s[i]) {
        case '\n': put(k, "\\n"); break;
        case '\t': put(k, "\\t"); break;
        case '\r': put(k, "\\r"); break;
        case '"': put(k, "\\\""); break;
        case '\\': put(k, "\\\\"); break;
        default: put_bytes(k, s + i, 1);
        }
    }
    put(k, "\"");
}

/* ---- names and expressions ---- */

static void
put_symbol(struct sink *k, const struct symbol *s)
{
    put(k, s->name.text);
    if (!k->resolved) return;
    put(k, "#");
    put_int(k, s->id);
}

static void put_expr(struct sink *k, const struct expr *e);

static void
put_ref(struct sink *k, const struct ref *r)
{
    put(k, r->name.text);
    if (k->resolved && r->sym) {
        put(k, "#");
        put_int(k, r->sym->id);
    } else if (k->resolved) {
        put(k, strcmp(r->name.text, "all") ? "?" : "=-1");
    }
    for (const struct expr *i = r->indices; i; i = i->next) {
        put(k, "[");
        put_expr(k, i);
        put(k, "]");
    }
}

static void
put_bin(struct sink *k, const struct expr *e)
{
    bool tight = !k->dump && e->op >= OP_ADD;
    put_expr(k, e->a);
    put(k, tight ? "" : " ");
    put(k, ast_op_text(e->op));
    put(k, tight ? "" : " ");
    put_expr(k, e->b);
}

static void
put_cond(struct sink *k, const struct expr *e)
{
    put_expr(k, e->a);
    put(k, " ? ");
    put_expr(k, e->b);
    put(k, " : ");
    put_expr(k, e->c);
}

static void
put_node(struct sink *k, const struct expr *e)
{
    const struct expr *at[] = {e->a, e->b, e->c};
    put(k, "node(");
    for (int i = 0; i < 3 && at[i]; i++) {
        if (i) put(k, ", ");
        put_expr(k, at[i]);
    }
    put(k, ")");
}

static void
put_part(struct sink *k, const struct expr *e)
{
    put(k, e->items ? ast_items_text(e->items) : ast_type_text(e->cast));
    put(k, "(");
    put_expr(k, e->a);
    put(k, ", ");
    put_expr(k, e->b);
    if (e->c) {
        put(k, ", ");
        put_expr(k, e->c);
    }
    put(k, ")");
}

static void put_range(struct sink *k, const struct symbol *counter, const struct expr *lo,
                      const struct expr *hi);

static void
put_over(struct sink *k, const struct reduce_range *ranges)
{
    put(k, " over ");
    for (const struct reduce_range *r = ranges; r; r = r->next) {
        if (r != ranges) put(k, ", ");
        put_range(k, r->counter, r->lo, r->hi);
    }
}

static void
put_expr(struct sink *k, const struct expr *e)
{
    bool compound = e->kind == E_BIN || e->kind == E_COND;
    bool unary = e->kind == E_NEG || e->kind == E_NOT;
    bool paren = k->dump ? compound || unary : e->paren;
    if (paren) put(k, "(");
    switch (e->kind) {
    case E_INT: put_int(k, e->ival); break;
    case E_REALNUM: put_real(k, e->rval); break;
    case E_STR: put_string(k, e->str, e->str_size); break;
    case E_REF:
        put_ref(k, e->ref);
        if (e->over) put_over(k, e->over);
        break;
    case E_CAST:
        put(k, ast_type_text(e->cast));
        put(k, "(");
        put_expr(k, e->a);
        put(k, ")");
        break;
    case E_NEG:
    case E_NOT:
        put(k, e->kind == E_NEG ? "-" : "!");
        put_expr(k, e->a);
        break;
    case E_BIN: put_bin(k, e); break;
    case E_COND: put_cond(k, e); break;
    case E_NODES: put(k, "nodes"); break;
    case E_NODE: put_node(k, e); break;
    case E_PART: put_part(k, e); break;
    }
    if (paren) put(k, ")");
}

const char *
ast_ref_text(struct arena *a, const struct ref *r)
{
    struct sink k = {.arena = a};
    put_ref(&k, r);
    return k.text;
}

const char *
ast_expr_text(struct arena *a, const struct expr *e)
{
    struct sink k = {.arena = a};
    put_expr(&k, e);
    return k.text;
}

/* ---- the dump ---- */

static void
put_top(struct sink *k, const struct expr *e)
{
    put_expr(k, e);
    if (!k->resolved) return;
    put(k, ":");
    put(k, ast_type_text(e->type));
}

static void
put_exprs(struct sink *k, const struct expr *e)
{
    for (const char *comma = ""; e; e = e->next, comma = ", ") {
        put(k, comma);
        put_top(k, e);
    }
}

static void
put_refs(struct sink *k, const struct ref *r)
{
    for (const char *comma = ""; r; r = r->next, comma = ", ") {
        put(k, comma);
        put_ref(k, r);
    }
}

static void
put_shape(struct sink *k, const struct symbol *s)
{
    uint32_t bit = 1;
    for (const struct expr *e = s->shape; e; e = e->next->next, bit <<= 1) {
        put(k, "[");
        if (!(s->counted & bit)) {
            put_top(k, e);
            put(k, "..");
        }
        put_top(k, e->next);
        put(k, "]");
    }
}

static void
put_symbols(struct sink *k, const struct symbol *s)
{
    for (const char *comma = ""; s; s = s->next, comma = ", ") {
        put(k, comma);
        if (s->type) put(k, ast_type_text(s->type));
        if (s->type && *s->name.text) put(k, " ");
        if (*s->name.text) put_symbol(k, s);
        if (s->list) put(k, "[]");
        put_shape(k, s);
    }
}

static void
line(struct sink *k, int depth)
{
    put(k, "\n");
    while (depth--) put(k, "  ");
}

static void
put_rule(struct sink *k, const struct rule *r, int depth)
{
    line(k, depth);
    put(k, "@ ");
    if (r->kind != R_FLAGS) put(k, r->name.text);
    if (r->kind == R_EXPR) put(k, ":");
    if (r->kind != R_FLAGS) put(k, " ");
    bool plain = k->resolved && r->kind == R_FLAGS;
    if (plain) k->resolved = false; /* flags are no names */
    put_refs(k, r->refs);
    if (plain) k->resolved = true;
    if (r->kind == R_ASSIGN) put(k, " = ");
    if (r->kind == R_MAP) put(k, " => ");
    put_exprs(k, r->exprs);
    if (k->resolved && r->label) {
        put(k, " label ");
        put_symbol(k, r->label);
    }
}

static void
put_rules(struct sink *k, const struct rule *r, int depth)
{
    for (; r; r = r->next) put_rule(k, r, depth);
}

static void put_block(struct sink *k, const struct code_block *b, int depth);

static void
put_pragma(struct sink *k, const struct pragma *g)
{
    if (!g) return;
    put(k, "<<");
    put(k, g->word.text);
    if (g->args) put(k, ", ");
    put_exprs(k, g->args);
    put(k, ">> ");
}

static void
put_call(struct sink *k, const struct stmt *s, int depth)
{
    if (s->label) {
        put(k, "cf ");
        put_ref(k, s->label);
        put(k, ": ");
    }
    put_exprs(k, s->outs);
    if (s->outs) put(k, " = ");
    put(k, s->callee.text);
    if (k->resolved && !s->sub) put(k, "?");
    put(k, "(");
    put_exprs(k, s->args);
    put(k, ")");
    if (s->sets) {
        put(k, " >> (");
        put_exprs(k, s->sets);
        put(k, ")");
    }
    if (s->kills) {
        put(k, " --> (");
        put_exprs(k, s->kills);
        put(k, ")");
    }
    put_rules(k, s->rules, depth + 1);
}

static void
put_range(struct sink *k, const struct symbol *counter, const struct expr *lo,
          const struct expr *hi)
{
    put_symbol(k, counter);
    put(k, " = ");
    put_top(k, lo);
    put(k, " .. ");
    if (hi) put_top(k, hi);
}

static void
put_reduce(struct sink *k, const struct stmt *s, int depth)
{
    put(k, "reduce ");
    put(k, s->callee.text);
    if (k->resolved) put(k, s->sub ? " sub " : " built-in ");
    else put(k, " ");
    const char *as = s->elem_as ? ast_type_text(s->elem_as) : ast_items_text(s->elem_items);
    put(k, as);
    if (*as) put(k, "(");
    put_ref(k, s->elem);
    if (*as) put(k, ")");
    put_over(k, s->ranges);
    put(k, " => ");
    put_ref(k, s->out);
    put_rules(k, s->rules, depth + 1);
}

static void
put_let(struct sink *k, const struct stmt *s)
{
    put(k, "let ");
    for (const struct symbol *l = s->lets; l; l = l->next) {
        if (l != s->lets) put(k, ", ");
        put_symbol(k, l);
        put(k, " = ");
        put_top(k, l->let_value);
    }
}

static void
put_stmt(struct sink *k, const struct stmt *s, int depth)
{
    line(k, depth);
    switch (s->kind) {
    case S_CALL: put_call(k, s, depth); return;
    case S_REDUCE: put_reduce(k, s, depth); return;
    case S_LET: put_let(k, s); break;
    case S_FOR:
        put(k, "for ");
        put_pragma(k, s->pragma);
        put_range(k, s->counter, s->lo, s->hi);
        if (s->by) {
            put(k, " by ");
            put_top(k, s->by);
        }
        break;
    case S_WHILE:
        put(k, "while ");
        put_pragma(k, s->pragma);
        put_top(k, s->cond);
        put(k, ", ");
        put_range(k, s->counter, s->lo, NULL);
        put(k, "out ");
        put_ref(k, s->out);
        break;
    case S_IF:
        put(k, "if ");
        put_top(k, s->cond);
        break;
    }
    put_block(k, s->body, depth);
    if (!s->other) return;
    line(k, depth);
    put(k, "else");
    put_block(k, s->other, depth);
}

/* `{` ends the line of a body that has braces. */
static void
put_block(struct sink *k, const struct code_block *b, int depth)
{
    if (b->braced) put(k, " {");
    if (b->dfs) {
        line(k, depth + 1);
        put(k, "df ");
        put_symbols(k, b->dfs);
    }
    for (const struct stmt *s = b->stmts; s; s = s->next) put_stmt(k, s, depth + 1);
    if (!b->lends) put_rules(k, b->rules, depth + 1);
}

static void
put_import(struct sink *k, const struct sub *s)
{
    put(k, "import ");
    put(k, s->func.text);
    put(k, "(");
    put_symbols(k, s->params);
    put(k, ") as ");
    put(k, s->name.text);
    if (s->cuda) put(k, " : CUDA");
    if (s->nocpu) put(k, ", NOCPU");
}

static void
put_sub(struct sink *k, const struct sub *s)
{
    if (s->kind == SUB_IMPORT) {
        put_import(k, s);
    } else {
        if (s->kind == SUB_INLINE) put(k, s->lang == LANG_C ? "C " : "C++ ");
        put(k, "sub ");
        put_pragma(k, s->pragma);
        put(k, s->name.text);
        put(k, "(");
        put_symbols(k, s->params);
        put(k, ")");
    }
    if (k->resolved && s->called) put(k, " called");
    if (s->nfparams && k->resolved) {
        put(k, " nfparam ");
        put_symbols(k, s->nfparams);
    }
    if (s->foreign) {
        put(k, " ");
        put_string(k, s->foreign->text, s->foreign->size);
    }
    if (s->body) put_block(k, s->body, 0);
    put(k, "\n");
}

void
ast_dump(const struct ast *t, bool resolved, struct buf *out)
{
    struct sink k = {.buf = out, .dump = true, .resolved = resolved};
    for (const struct foreign_head *h = t->heads; h; h = h->next) {
        put(&k, h->lang == LANG_C ? "C head " : "C++ head ");
        put_string(&k, h->foreign->text, h->foreign->size);
        put(&k, "\n");
    }
    for (const struct symbol *c = t->consts; c; c = c->next) {
        put(&k, "const ");
        put_symbol(&k, c);
        put(&k, " = ");
        put_top(&k, c->let_value);
        put(&k, "\n");
    }
    for (const struct sub *s = t->subs; s; s = s->next) put_sub(&k, s);
}
