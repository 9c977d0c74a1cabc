/* fuzz_parse.c - any bytes as plain text through the lexer, the grammar and the names: no crash, no
 * endless run, and a tree in which what must always hold does. */
#include "lang/parse/parse.h"
#include "lang/resolve/resolve.h"
#include "tests/fuzz/must.h"

#include <string.h>

unsigned long fuzz_deep;
static size_t text_size;
static bool resolved;

static void
check_span(struct span s)
{
    MUST(s.lo <= s.hi && s.hi <= text_size);
}

static void check_expr(const struct expr *e);

static void
check_ref(const struct ref *r)
{
    int n = 0;
    MUST(r->name.text);
    check_span(r->span);
    check_span(r->name.span);
    for (const struct expr *i = r->indices; i; i = i->next, n++) check_expr(i);
    MUST(n == r->nindices);
}

static void
check_expr(const struct expr *e)
{
    check_span(e->span);
    MUST(e->depth >= 1 && e->depth <= AST_DEPTH_MAX);
    MUST((e->kind == E_REF) == (e->ref != NULL));
    MUST((e->kind == E_STR) == (e->str != NULL));
    const struct expr *of[] = {e->a, e->b, e->c};
    for (int i = 0; i < 3; i++) {
        if (!of[i]) continue;
        MUST(of[i]->depth < e->depth);
        check_expr(of[i]);
    }
    if (e->ref) check_ref(e->ref);
}

static void
check_exprs(const struct expr *e)
{
    for (; e; e = e->next) check_expr(e);
}

static void
check_rules(const struct rule *r)
{
    for (; r; r = r->next) {
        check_span(r->span);
        for (const struct ref *x = r->refs; x; x = x->next) check_ref(x);
        check_exprs(r->exprs);
        if (r->kind == R_MAP) MUST(r->refs && !r->refs->next && r->exprs);
        if (r->kind == R_ASSIGN) MUST(r->refs && !r->refs->next && r->exprs && !r->exprs->next);
        if (r->kind == R_EXPR) MUST(!r->refs && r->exprs && !r->exprs->next);
        if (r->kind == R_ENUM) MUST(!r->refs != !r->exprs);
        if (r->kind == R_FLAGS) MUST(r->refs && !r->exprs);
    }
}

static void check_block(const struct code_block *b, const struct stmt *owner);

static void
check_stmt(const struct stmt *s, const struct code_block *in)
{
    check_span(s->span);
    check_rules(s->rules);
    check_exprs(s->args);
    check_exprs(s->sets);
    check_exprs(s->kills);
    for (const struct reduce_range *r = s->ranges; r; r = r->next) {
        MUST(r->counter);
        check_expr(r->lo);
        check_expr(r->hi);
    }
    for (const struct symbol *l = s->lets; l; l = l->next) check_expr(l->let_value);
    if (s->lo) check_expr(s->lo);
    if (s->hi) check_expr(s->hi);
    if (s->by) check_expr(s->by);
    if (s->cond) check_expr(s->cond);
    if (s->out) check_ref(s->out);
    if (s->elem) check_ref(s->elem);
    MUST((s->kind == S_CALL || s->kind == S_REDUCE) == !s->body);
    MUST((s->kind == S_FOR || s->kind == S_WHILE) == (s->counter != NULL));
    MUST((s->kind == S_REDUCE) == (s->elem && s->ranges));
    if (resolved) MUST(s->in == in && (s->kind == S_CALL || s->kind == S_REDUCE || !s->sub));
    if (resolved && s->label) MUST(s->label->sym && s->label->sym->kind == SYM_LABEL);
    if (s->body) check_block(s->body, s);
}

static void
check_block(const struct code_block *b, const struct stmt *owner)
{
    check_span(b->span);
    check_rules(b->rules);
    if (resolved) MUST(b->owner == owner && b->sub);
    for (const struct stmt *s = b->stmts; s; s = s->next) check_stmt(s, b);
}

static void
check_tree(const struct ast *t)
{
    for (const struct sub *s = t->subs; s; s = s->next) {
        int n = 0;
        check_span(s->span);
        for (const struct symbol *p = s->params; p; p = p->next) MUST(p->number == n++);
        MUST(n == s->nparams && (s->kind == SUB_STRUCT) == (s->body != NULL));
        MUST((s->kind == SUB_INLINE) == (s->foreign != NULL));
        if (s->body) check_block(s->body, NULL);
    }
    struct buf dump = {0};
    ast_dump(t, resolved, &dump);
    MUST(!memchr(dump.data ? dump.data : "", 0, dump.size));
    buf_fini(&dump);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (memchr(data, 0, size)) return 0; /* prep leaves none */
    struct arena *a = arena_new();
    struct source *s = source_new(a);
    struct diag *d = diag_new(a, s);
    struct foreign blocks[] = {{"{}", 2, {0}}, {"{ one }", 7, {0}}};
    struct prep prep = {.blocks = blocks, .nblocks = 2};
    const char *text = (const char *)data;
    int file = source_add_file(s, "t.fa", text, size, false);
    int origin = source_add_origin(s, (struct origin){.file = file, .use = -1});
    source_add_text(s, origin, 0, 0, text, size);
    text_size = size;
    resolved = false;
    struct ast *t = parse_run(a, s, d, &prep);
    if (t->lost) MUST(diag_errors(d) > 0);
    check_tree(t);
    if (!t->lost) {
        resolve_run(a, t, d);
        resolved = true;
        check_tree(t);
        if (!diag_errors(d)) MUST(t->main);
        fuzz_deep++;
    }
    struct buf out = {0};
    diag_print_text(d, &out);
    buf_fini(&out);
    arena_free(a);
    return 0;
}
