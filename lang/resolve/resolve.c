/* resolve.c - three walks: subs get their names, labels and nfparams are gathered, then each sub is
 * walked with the scopes open. resolve_rule.c: the rules; resolve_ref.c: references and types. */
#include "lang/resolve/resolve.h"

#include "runtime/base/near.h"
#include "lang/resolve/resolve_parts.h"
#include "lang/tree/names.h"

#include <assert.h>
#include <string.h>

static const char *
kind_text(const struct symbol *s)
{
    switch (s->kind) {
    case SYM_DF: return "fragment";
    case SYM_PARAM: return "parameter";
    case SYM_FOR: case SYM_WHILE: return "counter";
    case SYM_LET: return ast_is_const(s) ? "const" : "let name";
    case SYM_NFPARAM: return "nfparam";
    case SYM_INDEX: return "index name";
    case SYM_LABEL: return "label";
    }
    return "name";
}

/* DFs may be called `all`: where a DF belongs, the name means them. Numbers are never seen. */
static void
all_check(struct resolve *r, const struct symbol *s)
{
    bool number = s->kind == SYM_LET ? s->let_value->kind != E_REF
                                     : s->type == T_INT || s->type == T_REAL;
    if (!number || r->sub->kind == SUB_IMPORT || strcmp(s->name.text, "all")) return;
    diag(r->diag, SEV_WARNING, D_EXT19, s->name.span,
         "'all' is -1 in every expression, not this %s", kind_text(s));
    diag_hint(r->diag, "give it another name");
}

void
resolve_declare(struct resolve *r, struct symbol *s)
{
    s->sub = r->sub;
    s->id = r->ids++;
    all_check(r, s);
}

/* ---- subs ---- */

/* Names of parameters are the caller's business; two imports are the same if types agree. */
static bool
params_same(const struct sub *a, const struct sub *b)
{
    const struct symbol *x = a->params, *y = b->params;
    while (x && y && x->type == y->type) x = x->next, y = y->next;
    return !x && !y;
}

/* Of two subs with one name the later counts, and the earlier is as if it were not there. */
static void
sub_again(struct resolve *r, const struct sub *old, const struct sub *now)
{
    const char *name = now->name.text;
    bool import = old->kind == SUB_IMPORT || now->kind == SUB_IMPORT;
    if (old->kind == SUB_IMPORT && now->kind == SUB_IMPORT &&
        !strcmp(old->func.text, now->func.text) && params_same(old, now))
        return;
    if (import)
        diag(r->diag, SEV_WARNING, D_SYN6_1, now->name.span, "the name '%s' is taken", name);
    else
        diag(r->diag, SEV_WARNING, D_SYN6_2, now->name.span, "sub '%s' is defined twice", name);
    diag_note(r->diag, old->name.span, "this definition has no effect, the last one counts");
}

static void
subs_enter(struct resolve *r, struct ast *t)
{
    for (struct sub *s = t->subs; s; s = s->next) {
        struct scope_word *w = scope_word(r->scope, s->name.text);
        if (w->sub) sub_again(r, w->sub, s);
        w->sub = s;
    }
    struct sub **end = &t->subs;
    for (struct sub *s = t->subs; s; s = s->next) {
        if (scope_word(r->scope, s->name.text)->sub != s) continue;
        *end = s;
        end = &s->next;
    }
    *end = NULL;
}

static void
main_find(struct resolve *r, struct ast *t)
{
    t->main = scope_word(r->scope, "main")->sub;
    if (t->main) return;
    struct near n = {.word = "main"};
    const struct sub *meant = NULL;
    for (const struct sub *s = t->subs; s; s = s->next) {
        near_try(&n, s->name.text);
        if (n.best == s->name.text) meant = s;
    }
    if (!meant) {
        struct place *file = arena_new_of(r->arena, struct place);
        source_origin_place(diag_source(r->diag), 0, 0, 0, 0, file, NULL);
        *file = (struct place){.file = file->file}; /* as a whole */
        diag_at(r->diag, SEV_ERROR, D_SYN7, file, "there is no sub 'main', where a program begins");
        return;
    }
    diag(r->diag, SEV_ERROR, D_SYN7, meant->name.span, "there is no sub 'main'");
    diag_hint(r->diag, "is '%s' meant to be 'main'?", meant->name.text);
}

/* `nfparam n;` behind the sub's brace, also as a list. */
static void
nfparams_enter(struct resolve *r, struct sub *s)
{
    struct symbol **end = &s->nfparams;
    for (struct rule *rule = s->body ? s->body->rules : NULL; rule; rule = rule->next) {
        if (rule->kind != R_ENUM || strcmp(rule->name.text, "nfparam")) continue;
        for (struct ref *ref = rule->refs; ref; ref = ref->next) {
            struct scope_word *w = scope_word(r->scope, ref->name.text);
            if (w->nfparam && w->nfparam->sub == s) {
                diag(r->diag, SEV_ERROR, D_SYN8_5, ref->span, "nfparam '%s' is repeated", w->text);
                ref->sym = w->nfparam;
                continue;
            }
            struct symbol *n = arena_new_of(r->arena, struct symbol);
            n->kind = SYM_NFPARAM;
            n->type = T_INT;
            n->name = ref->name;
            n->number = s->nnfparams++;
            resolve_declare(r, n);
            *end = w->nfparam = ref->sym = n;
            end = &n->next;
        }
    }
}

static void
hidden_const(struct resolve *r, const struct symbol *p, const struct symbol *old)
{
    diag(r->diag, SEV_WARNING, D_SYN8_6, p->name.span, "parameter '%s' hides a const",
         p->name.text);
    diag_note(r->diag, old->name.span, "const '%s' is here", old->name.text);
}

static void
params_enter(struct resolve *r, struct sub *s)
{
    for (struct symbol *p = s->params; p; p = p->next) {
        resolve_declare(r, p);
        if (!*p->name.text) continue; /* of an import: names say nothing there */
        const struct symbol *old = scope_word(r->scope, p->name.text)->value;
        if (!old || ast_is_const(old)) {
            scope_bind(r->scope, p);
            if (old && s->kind == SUB_STRUCT) hidden_const(r, p, old);
        } else if (s->kind != SUB_IMPORT) {
            diag(r->diag, SEV_ERROR, D_SYN8_5, p->name.span, "parameter '%s' is repeated",
                 p->name.text);
            diag_note(r->diag, old->name.span, "first here");
        }
    }
    /* nfparams are bound while rules are walked only: in the body their names mean nothing. */
    for (struct symbol *n = s->nfparams; n; n = n->next) {
        struct scope_word *w = scope_word(r->scope, n->name.text);
        const struct symbol *old = w->value;
        w->nfparam = n; /* another sub may have one of this name */
        if (!old) continue;
        diag(r->diag, SEV_ERROR, D_SYN8_5, n->name.span, "nfparam '%s' has the name of a %s",
             n->name.text, kind_text(old));
        diag_note(r->diag, old->name.span, "the %s", kind_text(old));
    }
}

/* ---- labels ---- */

/* Labels belong to the sub, wherever they stand in it, and so are kept with its outermost block. */
static struct symbol *
label_new(struct resolve *r, struct stmt *s)
{
    struct code_block *b = r->sub->body;
    struct symbol *l = arena_new_of(r->arena, struct symbol);
    l->kind = SYM_LABEL;
    l->name = s->label->name;
    l->block = b;
    l->stmt = s;
    resolve_declare(r, l);
    l->next = b->labels;
    b->labels = l;
    return l;
}

/* Gives each labelled call its label's symbol: one per name and sub, so that a value may be sent
 * from one loop to the calls of another. Also ties blocks and statements to what they stand in. */
static void
blocks_enter(struct resolve *r, struct code_block *b, struct code_block *outer, struct stmt *owner)
{
    b->outer = outer;
    b->owner = owner;
    b->sub = r->sub;
    for (struct stmt *s = b->stmts; s; s = s->next) {
        s->in = b;
        if (!s->label) continue;
        struct scope_word *w = scope_word(r->scope, s->label->name.text);
        if (!w->label) w->label = label_new(r, s);
        s->label->sym = w->label;
    }
    for (struct stmt *s = b->stmts; s; s = s->next) {
        if (s->body) blocks_enter(r, s->body, b, s);
        if (s->other) blocks_enter(r, s->other, b, s);
    }
}

/* ---- declarations of blocks ---- */

/* DF over DF is what blocks are for, and both can be used. Twice in one block, or over a parameter
 * in the sub's own block, leaves one of them without a use: an error. What hides a counter works
 * here, and not in the original. */
static void
df_check(struct resolve *r, const struct code_block *b, const struct symbol *df,
         const struct symbol *old)
{
    const char *name = df->name.text;
    if (old->kind == SYM_DF && old->block == b)
        diag(r->diag, SEV_ERROR, D_SYN8_1, df->name.span, "fragment '%s' is declared twice", name);
    else if (old->kind == SYM_PARAM && !b->outer)
        diag(r->diag, SEV_ERROR, D_SYN8_1, df->name.span,
             "fragment '%s' has the name of a parameter", name);
    else if (old->kind != SYM_DF)
        diag(r->diag, SEV_WARNING, D_SYN8_1, df->name.span, "fragment '%s' hides a %s", name,
             kind_text(old));
    else
        return;
    diag_note(r->diag, old->name.span, "%s '%s' is here", kind_text(old), name);
}

static void
dfs_enter(struct resolve *r, struct code_block *b)
{
    for (struct symbol *df = b->dfs; df; df = df->next) {
        const struct symbol *old = scope_word(r->scope, df->name.text)->value;
        resolve_declare(r, df);
        df->block = b;
        if (old) df_check(r, b, df, old);
        if (!old || old->block != b) scope_bind(r->scope, df);
    }
    if (b->df_span.hi && b->df_again.hi) {
        diag(r->diag, SEV_ERROR, D_SYN4, b->df_again, "a second df line in this block");
        diag_note(r->diag, b->df_span, "the first one");
        diag_hint(r->diag, "declare all fragments of the block in its first line: df a, b;");
    }
}

static void
counter_enter(struct resolve *r, struct symbol *c, struct stmt *s)
{
    c->type = T_INT;
    c->stmt = s;
    resolve_declare(r, c);
    scope_bind(r->scope, c);
}

static bool
is_df(const struct symbol *s)
{
    return s->kind == SYM_DF ||
           (s->kind == SYM_PARAM && (s->type == T_NAME || s->type == T_VALUE));
}

/* Told when the body is known: the original LuNA breaks down only if the counter is used. */
static void
counter_check(struct resolve *r, const struct symbol *c, const struct symbol *hidden)
{
    if (!hidden || hidden->kind == SYM_FOR || hidden->kind == SYM_WHILE) return;
    enum diag_code code = c->kind == SYM_FOR ? D_SYN8_2 : D_SYN8_3;
    enum severity sev = is_df(hidden) && c->mentioned ? SEV_ERROR : SEV_WARNING;
    if (hidden->kind == SYM_LET) code = D_SYN8_4;
    diag(r->diag, sev, code, c->name.span, "counter '%s' has the name of a visible %s",
         c->name.text, kind_text(hidden));
    diag_note(r->diag, hidden->name.span, "%s '%s' is here", kind_text(hidden), c->name.text);
    diag_hint(r->diag, "rename one of them; inside the loop the name means the counter");
}

/* Each value is resolved before its name is bound: `let a = a + 1` means the outer a, and later
 * definitions see earlier ones. */
static void
lets_enter(struct resolve *r, struct stmt *s)
{
    size_t first = 0;
    for (struct symbol *l = s->lets; l; l = l->next, first++) {
        const struct symbol *old = scope_word(r->scope, l->name.text)->value;
        resolve_let_value(r, l->let_value);
        l->stmt = s;
        resolve_declare(r, l);
        bool again = old && old->kind == SYM_LET && old->stmt == s;
        if (again)
            diag(r->diag, SEV_WARNING, D_SYN8_4, l->name.span,
                 "let name '%s' is repeated; the first counts", l->name.text);
        else if (old)
            diag(r->diag, SEV_WARNING, D_SYN8_4, l->name.span, "let name '%s' hides a %s",
                 l->name.text, kind_text(old));
        if (old)
            diag_note(r->diag, old->name.span, "%s '%s' is here", kind_text(old), l->name.text);
        if (!again) scope_bind(r->scope, l);
    }
}

/* ---- statements ---- */

static void resolve_block(struct resolve *r, struct code_block *b);

/* for and while. Bounds and start are outside of the counter's scope, the condition and the `out`
 * reference inside: they may be indexed by it. */
static void
resolve_for(struct resolve *r, struct stmt *s)
{
    const struct symbol *hidden = scope_word(r->scope, s->counter->name.text)->value;
    size_t mark = scope_mark(r->scope);
    resolve_expr(r, s->lo);
    if (s->hi) resolve_expr(r, s->hi);
    if (s->by) resolve_expr(r, s->by);
    counter_enter(r, s->counter, s);
    if (s->cond) resolve_expr(r, s->cond);
    if (s->out) resolve_ref(r, s->out, USE_SET);
    resolve_block(r, s->body);
    scope_leave(r->scope, mark);
    counter_check(r, s->counter, hidden);
}

static const char *const built_in_ops[] = {"+", "*", "&&", "||", "min", "max", NULL};

static bool
op_is_built_in(const char *op)
{
    for (const char *const *o = built_in_ops; *o; o++)
        if (!strcmp(op, *o)) return true;
    return false;
}

static const char *
near_sub(struct resolve *r, const char *text, bool op)
{
    struct near n = {.word = text};
    for (const char *const *o = built_in_ops; op && *o; o++) near_try(&n, *o);
    for (const struct sub *s = r->tree->subs; s; s = s->next) near_try(&n, s->name.text);
    return n.best;
}

static const char *
meant_outside(const struct resolve *r, const char *text, bool slips)
{
    const struct ast_outside *o = r->tree->outside;
    return o ? o->meant(o->who, r->arena, text, slips) : NULL;
}

/* By habit of other languages. */
static bool
means_to_print(const char *text)
{
    static const char *const words[] = {"print", "printf", "println", "puts",
                                        "echo",  "write",  NULL};
    for (const char *const *w = words; *w; w++)
        if (!strcmp(text, *w)) return true;
    return false;
}

/* A function of exactly this name is nearer than any sub. */
static void
hint_missing_sub(struct resolve *r, const struct name *name, bool op)
{
    const struct symbol *value = scope_word(r->scope, name->text)->value;
    bool guess = r->guesses-- > 0;
    const char *outside = guess ? meant_outside(r, name->text, false) : NULL;
    const char *near = guess && !outside ? near_sub(r, name->text, op) : NULL;
    if (guess && !outside && !near) outside = meant_outside(r, name->text, true);
    if (outside)
        diag_hint(r->diag, "%s", outside);
    else if (near)
        diag_hint(r->diag, "did you mean '%s'?", near);
    else if (value)
        diag_hint(r->diag, "'%s' is a %s; only subs can be called", name->text, kind_text(value));
    else if (op)
        diag_hint(r->diag, "there are + * min max && ||, and subs (value, value, name)");
    else if (means_to_print(name->text))
        diag_hint(r->diag, "a function in C prints: write one that calls printf, and import it");
}

/* What comes with luna, if its file is included. */
static bool
is_of_library(const char *name)
{
    static const char *const names[] = {"io_create", "io_write", "io_close", "io_open",
                                        "io_size",   "io_read",  "io_step"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i])) return true;
    return false;
}

/* `op`: of a reduction, which has operations of its own. */
static struct sub *
sub_find(struct resolve *r, const struct name *name, bool op)
{
    struct scope_word *w = scope_word(r->scope, name->text);
    if (w->sub) {
        w->sub->called = true;
        return w->sub;
    }
    if (w->told_sub) return NULL;
    w->told_sub = true;
    diag(r->diag, SEV_ERROR, D_SYN2, name->span, "there is no sub '%s'", name->text);
    if (is_of_library(name->text)) diag_hint(r->diag, "it comes with: #include <luna/io.fa>");
    else hint_missing_sub(r, name, op);
    return NULL;
}

/* The counters of a reduction, or of a list among the arguments of s. */
static void
ranges_enter(struct resolve *r, struct reduce_range *ranges, struct stmt *s)
{
    for (struct reduce_range *g = ranges; g; g = g->next) {
        r->ranges = g; /* bounds see the counters before them */
        resolve_expr(r, g->lo);
        resolve_expr(r, g->hi);
        r->ranges = NULL;
        const struct symbol *old = scope_word(r->scope, g->counter->name.text)->value;
        if (old && old->kind == SYM_FOR && old->stmt == s) {
            diag(r->diag, SEV_ERROR, D_SYN8_2, g->counter->name.span, "counter '%s' is repeated",
                 g->counter->name.text);
            old = NULL;
        }
        counter_enter(r, g->counter, s);
        if (old) counter_check(r, g->counter, old);
    }
}

static void
resolve_reduce(struct resolve *r, struct stmt *s)
{
    size_t mark = scope_mark(r->scope);
    if (scope_word(r->scope, s->callee.text)->sub || !op_is_built_in(s->callee.text))
        s->sub = sub_find(r, &s->callee, true);
    resolve_ref(r, s->out, USE_SET);
    ranges_enter(r, s->ranges, s);
    resolve_ref(r, s->elem, USE_READ);
    scope_leave(r->scope, mark);
    resolve_rules(r, s->rules, s, NULL);
}

/* x, y = f(a): the references take the `name` parameters in order, the arguments all others. */
static bool
outs_fit(struct resolve *r, const struct stmt *s)
{
    int nouts = 0, nnames = 0;
    for (const struct expr *e = s->outs; e; e = e->next) nouts++;
    for (const struct symbol *p = s->sub->params; p; p = p->next) nnames += p->type == T_NAME;
    int nothers = s->sub->nparams - nnames;
    if (nouts == nnames && s->nargs == nothers) return true;
    const char *name = s->callee.text;
    if (!nnames)
        diag(r->diag, SEV_ERROR, D_SYN3, s->span, "'%s' assigns nothing: it has no name parameter",
             name);
    else if (nouts != nnames)
        diag(r->diag, SEV_ERROR, D_SYN3, s->span,
             "'%s' assigns %d fragment%s, but %d %s left of '='", name, nnames,
             nnames == 1 ? "" : "s", nouts, nouts == 1 ? "stands" : "stand");
    else
        diag(r->diag, SEV_ERROR, D_SYN3, s->span,
             "'%s' takes %d argument%s right of '=', but %d %s given", name, nothers,
             nothers == 1 ? "" : "s", s->nargs, s->nargs == 1 ? "is" : "are");
    diag_note(r->diag, s->sub->span, "'%s' is declared here", s->sub->name.text);
    if (s->nargs == s->sub->nparams && nouts == nnames)
        diag_hint(r->diag, "what stands left of '=' is no argument");
    return false;
}

/* From here on it is a call as any other. One that does not fit calls nothing. */
static void
outs_enter(struct resolve *r, struct stmt *s)
{
    struct expr *out = s->outs, *arg = s->args, **end = &s->args;
    if (s->sub && !outs_fit(r, s)) s->sub = NULL;
    const struct symbol *p = s->sub ? s->sub->params : NULL;
    while (out || arg) {
        bool takes_out = p ? p->type == T_NAME : out != NULL;
        struct expr **from = takes_out ? &out : &arg;
        s->nargs += takes_out;
        *end = *from;
        end = &(*end)->next;
        *from = *end;
        if (p) p = p->next;
    }
    *end = NULL;
    s->outs = NULL;
}

static void
resolve_call(struct resolve *r, struct stmt *s)
{
    s->sub = sub_find(r, &s->callee, false);
    if (s->outs) outs_enter(r, s);
    if (s->label) resolve_indices(r, s->label);
    const struct symbol *p = s->sub ? s->sub->params : NULL;
    for (struct expr *e = s->args; e; e = e->next) {
        size_t mark = scope_mark(r->scope);
        if (e->over) ranges_enter(r, e->over, s);
        resolve_arg(r, e, s->sub, p);
        scope_leave(r->scope, mark);
        if (p) p = p->next;
    }
    for (struct expr *e = s->sets; e; e = e->next) resolve_named(r, e, USE_SET);
    for (struct expr *e = s->kills; e; e = e->next) resolve_named(r, e, USE_MENTION);
    resolve_rules(r, s->rules, s, NULL);
}

static void
resolve_stmt(struct resolve *r, struct stmt *s)
{
    for (struct expr *e = s->pragma ? s->pragma->args : NULL; e; e = e->next) resolve_expr(r, e);
    size_t mark = scope_mark(r->scope);
    switch (s->kind) {
    case S_CALL: resolve_call(r, s); break;
    case S_REDUCE: resolve_reduce(r, s); break;
    case S_FOR: case S_WHILE: resolve_for(r, s); break;
    case S_LET:
        lets_enter(r, s);
        resolve_block(r, s->body);
        scope_leave(r->scope, mark);
        break;
    case S_IF:
        resolve_expr(r, s->cond);
        resolve_block(r, s->body);
        if (s->other) resolve_block(r, s->other);
        break;
    }
}

/* Rules stand behind the brace and see what is declared inside it. */
static void
resolve_block(struct resolve *r, struct code_block *b)
{
    size_t mark = scope_mark(r->scope);
    dfs_enter(r, b);
    for (struct symbol *l = b->labels; l; l = l->next) scope_bind_label(r->scope, l);
    for (struct stmt *s = b->stmts; s; s = s->next) resolve_stmt(r, s);
    resolve_shapes(r, b->dfs);
    if (!b->lends) resolve_rules(r, b->rules, b->owner, b);
    scope_leave(r->scope, mark);
}

static void
resolve_sub(struct resolve *r, struct sub *s)
{
    size_t mark = scope_mark(r->scope);
    r->sub = s;
    params_enter(r, s);
    for (struct expr *e = s->pragma ? s->pragma->args : NULL; e; e = e->next) resolve_expr(r, e);
    if (s->body) {
        blocks_enter(r, s->body, NULL, NULL);
        for (struct symbol *l = s->body->labels; l; l = l->next)
            scope_word(r->scope, l->name.text)->label = NULL; /* resolve_block binds them */
        resolve_block(r, s->body);
    }
    scope_leave(r->scope, mark);
}

enum { GUESSES_MAX = 100 }; /* each looks at every name; more reports are not read anyway */

void
resolve_run(struct arena *a, struct ast *t, struct diag *d)
{
    struct resolve r = {.arena = a, .diag = d, .tree = t, .scope = scope_new(a),
                        .guesses = GUESSES_MAX};
    subs_enter(&r, t);
    main_find(&r, t);
    resolve_consts(&r);
    for (struct sub *s = t->subs; s; s = s->next) {
        r.sub = s;
        nfparams_enter(&r, s);
    }
    for (struct sub *s = t->subs; s; s = s->next) {
        size_t mark = scope_mark(r.scope);
        resolve_sub(&r, s);
        assert(scope_mark(r.scope) == mark && "nothing of a sub is visible in the next one");
        (void)mark;
    }
}

void
resolve_dump(const struct ast *t, struct buf *out)
{
    ast_dump(t, true, out);
}
