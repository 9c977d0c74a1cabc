/* resolve_ref.c - references to symbols, and the types of expressions. */
#include "lang/resolve/resolve_parts.h"

#include <string.h>

/* ---- reports ---- */

static bool
is_among(const char *const *names, const char *name)
{
    for (; names && *names; names++)
        if (!strcmp(*names, name)) return true;
    return false;
}

static void
tell_undeclared(struct resolve *r, const struct ref *ref, struct scope_word *w, enum severity sev)
{
    if (r->silent || w->told_in == r->sub) return;
    w->told_in = r->sub;
    diag(r->diag, sev, D_SYN9, ref->name.span, "'%s' is not declared", w->text);
    const char *near = r->guesses-- > 0 ? scope_near_value(r->scope, w->text) : NULL;
    if (!strcmp(w->text, "nodes")) {
        diag_hint(r->diag, "only locators know how many nodes there are");
    } else if (w->nfparam && w->nfparam->sub == r->sub) {
        diag_note(r->diag, w->nfparam->name.span,
                  "an nfparam of this name is visible in locator rules only");
    } else if (w->gone && w->gone->sub == r->sub && w->gone->kind != SYM_INDEX) {
        diag_note(r->diag, w->gone->name.span, "the '%s' declared here is not visible there",
                  w->text);
    } else if (is_among(r->tree->macros, w->text)) {
        diag_hint(r->diag, "a macro is used as $%s", w->text);
    } else if (near) {
        diag_hint(r->diag, "did you mean '%s'?", near);
    } else if (is_among(r->tree->macro_params, w->text)) {
        diag_hint(r->diag, "in the text of a macro its parameter is written $%s", w->text);
    } else if (w->label) {
        diag_hint(r->diag, "a cf label has no value; a fragment can order calls: f() >> (done)");
    } else if (w->sub) {
        diag_hint(r->diag, "'%s' is a sub; its result must go through a fragment", w->text);
    }
}

/* ---- symbols ---- */

static bool
has_indices(const struct symbol *s)
{
    switch (s->kind) {
    case SYM_DF: return true;
    case SYM_PARAM: return s->type == T_NAME;
    case SYM_LET: return s->let_value->kind == E_REF;
    default: return false;
    }
}

/* What indices are put on in the end: `let y = x` where x is a counter has none either. */
static const struct symbol *
behind_lets(const struct symbol *s)
{
    while (s && s->kind == SYM_LET && has_indices(s)) s = s->let_value->ref->sym;
    return s;
}

static const char *
kind_text(const struct symbol *s)
{
    static const char *const kinds[] = {
        [SYM_DF] = "a fragment",
        [SYM_PARAM] = "a parameter with a single value",
        [SYM_FOR] = "a counter",
        [SYM_WHILE] = "a counter",
        [SYM_LET] = "an expression",
        [SYM_NFPARAM] = "an nfparam",
        [SYM_INDEX] = "an index",
    };
    return has_indices(s) ? kinds[SYM_DF] : kinds[s->kind];
}

static void
check_indices(struct resolve *r, const struct ref *ref)
{
    const struct symbol *s = behind_lets(ref->sym);
    if (!ref->nindices || !s || has_indices(s) || s->kind == SYM_LABEL || r->silent) return;
    diag(r->diag, SEV_ERROR, D_SYN11, ref->span, "'%s' is %s and has no indices", ref->name.text,
         kind_text(s));
    diag_note(r->diag, s->name.span, "declared here");
}

static void
mark(struct symbol *s, enum use use)
{
    while (s) {
        s->mentioned = true;
        s->read |= use == USE_READ || use == USE_NAME;
        s->written |= use == USE_SET || use == USE_NAME;
        s = s->kind == SYM_LET && has_indices(s) ? s->let_value->ref->sym : NULL;
    }
}

static struct symbol *
find(struct resolve *r, const struct scope_word *w)
{
    if (w->value || !r->locator) return w->value;
    return w->nfparam && w->nfparam->sub == r->sub ? w->nfparam : NULL;
}

/* Bounds are those of a box: nothing to find here, but an outer name must not take the place. */
static bool
is_own_counter(struct resolve *r, const struct ref *ref)
{
    for (const struct reduce_range *g = r->ranges; g; g = g->next) {
        if (g->counter->name.text != ref->name.text) continue;
        diag(r->diag, SEV_ERROR, D_SYN9, ref->name.span,
             "bounds see the counters before them, not '%s'", ref->name.text);
        return true;
    }
    return false;
}

void
resolve_indices(struct resolve *r, struct ref *ref)
{
    for (struct expr *e = ref->indices; e; e = e->next) resolve_expr(r, e);
}

void
resolve_ref(struct resolve *r, struct ref *ref, enum use use)
{
    struct scope_word *w = scope_word(r->scope, ref->name.text);
    resolve_indices(r, ref);
    if (is_own_counter(r, ref)) return;
    ref->sym = find(r, w);
    if (!ref->sym) {
        tell_undeclared(r, ref, w, SEV_ERROR);
        return;
    }
    mark(ref->sym, use);
    check_indices(r, ref);
}

/* ---- types ---- */

static enum type
symbol_type(const struct symbol *s, int nindices)
{
    const struct symbol *behind = behind_lets(s);
    if (!behind || (nindices && !has_indices(behind))) return T_NONE;
    switch (s->kind) {
    case SYM_DF: return T_VALUE;
    case SYM_PARAM: return s->type == T_NAME ? T_VALUE : s->type;
    case SYM_LET: return nindices ? T_VALUE : s->let_value->type;
    case SYM_LABEL: return T_NONE;
    default: return T_INT;
    }
}

static enum type
sum_type(enum op op, enum type a, enum type b)
{
    if (a == T_NONE || b == T_NONE) return T_NONE;
    if (op <= OP_GE) return T_INT;
    if (a == T_STRING || b == T_STRING) return op == OP_ADD ? T_STRING : T_NONE;
    if (a == T_VALUE || b == T_VALUE) return T_VALUE;
    return a == T_REAL || b == T_REAL ? T_REAL : T_INT;
}

/* Of ?: whose branches may differ. */
static enum type
either_type(enum type a, enum type b)
{
    if (a == T_NONE || b == T_NONE) return T_NONE;
    return a == b ? a : T_VALUE;
}

static bool
is_all(const struct expr *e)
{
    return e->kind == E_REF && !e->ref->nindices && !strcmp(e->ref->name.text, "all");
}

/* It is -1, whatever is called so; a number of this name was told of where it is declared. */
static void
warn_all(struct resolve *r, const struct expr *e)
{
    const struct symbol *s = scope_word(r->scope, "all")->value;
    if (!s || (s->kind != SYM_DF && s->type != T_NAME)) return;
    diag(r->diag, SEV_WARNING, D_EXT19, e->ref->name.span,
         "'all' is -1 here, not the fragment of this name");
    diag_note(r->diag, s->name.span, "it is declared here");
    diag_hint(r->diag, "give it another name");
}

/* ---- what locators know of the nodes ---- */

static bool
is_nodes(struct resolve *r, const struct expr *e)
{
    if (!r->nodes || e->ref->nindices || strcmp(e->ref->name.text, "nodes")) return false;
    return !find(r, scope_word(r->scope, "nodes"));
}

static void
resolve_node(struct resolve *r, struct expr *e)
{
    struct expr *const at[] = {e->a, e->b, e->c};
    const struct symbol *own = find(r, scope_word(r->scope, "node"));
    e->type = T_INT;
    for (int i = 0; i < 3 && at[i]; i++) resolve_expr(r, at[i]);
    if (r->silent) return;
    if (own) {
        diag(r->diag, SEV_ERROR, D_SYN11, e->span,
             "'node' is %s here, and does not tell who owns a cell", kind_text(own));
        diag_note(r->diag, own->name.span, "declared here");
    } else if (!r->nodes) {
        diag(r->diag, SEV_ERROR, D_SYN9, e->span, "only locators know the nodes");
    }
}

/* Of a fragment: what else has bytes is not asked for, and is looked into by functions. */
static void
resolve_part(struct resolve *r, struct expr *e)
{
    const char *what = NULL;
    resolve_expr(r, e->a);
    resolve_expr(r, e->b);
    if (e->c) resolve_expr(r, e->c);
    e->type = e->items == ITEMS_INT64 ? T_INT : e->items ? T_REAL : e->cast;
    if (e->a->kind != E_REF) {
        what = "an expression";
    } else if (e->a->ref->sym) {
        const struct symbol *s = ast_base(e->a->ref);
        if (!s || !(s->kind == SYM_DF || (s->kind == SYM_PARAM && s->type == T_NAME)))
            what = s ? kind_text(s) : "no fragment";
    }
    if (!what || r->silent) return;
    diag(r->diag, SEV_ERROR, D_EXT24, e->a->span, "only fragments have parts; this is %s", what);
    if (e->a->type == T_VALUE)
        diag_hint(r->diag, "let the parameter be a name, or a function look into the value");
    else
        diag_hint(r->diag, "%s(x, ...) takes its part of the bytes of a fragment x",
                  e->items ? ast_items_text(e->items) : ast_type_text(e->cast));
}

void
resolve_expr(struct resolve *r, struct expr *e)
{
    switch (e->kind) {
    case E_INT: e->type = T_INT; break;
    case E_REALNUM: e->type = T_REAL; break;
    case E_STR: e->type = T_STRING; break;
    case E_REF:
        e->type = T_INT;
        if (is_all(e)) {
            warn_all(r, e);
            break;
        }
        if (is_nodes(r, e)) {
            e->kind = E_NODES;
            break;
        }
        resolve_ref(r, e->ref, USE_READ);
        e->type = symbol_type(e->ref->sym, e->ref->nindices);
        break;
    case E_CAST:
        resolve_expr(r, e->a);
        e->type = e->cast;
        break;
    case E_NEG:
        resolve_expr(r, e->a);
        e->type = e->a->type == T_STRING ? T_NONE : e->a->type;
        break;
    case E_NOT:
        resolve_expr(r, e->a);
        e->type = e->a->type == T_STRING || e->a->type == T_NONE ? T_NONE : T_INT;
        break;
    case E_BIN:
        resolve_expr(r, e->a);
        resolve_expr(r, e->b);
        e->type = sum_type(e->op, e->a->type, e->b->type);
        break;
    case E_COND:
        resolve_expr(r, e->a);
        resolve_expr(r, e->b);
        resolve_expr(r, e->c);
        e->type = either_type(e->b->type, e->c->type);
        break;
    case E_NODES: e->type = T_INT; break;
    case E_NODE: resolve_node(r, e); break;
    case E_PART: resolve_part(r, e); break;
    }
}

void
resolve_named(struct resolve *r, struct expr *e, enum use use)
{
    if (e->kind != E_REF || (is_all(e) && !scope_word(r->scope, "all")->value)) {
        resolve_expr(r, e);
        return;
    }
    resolve_ref(r, e->ref, use);
    e->type = symbol_type(e->ref->sym, e->ref->nindices);
}

/* A name that stands for a reference is read or written where the let name is. */
void
resolve_let_value(struct resolve *r, struct expr *e)
{
    if (e->kind == E_REF && !is_all(e))
        resolve_named(r, e, USE_MENTION);
    else
        resolve_expr(r, e);
}

void
resolve_arg(struct resolve *r, struct expr *e, const struct sub *to, const struct symbol *p)
{
    if (!p || p->type == T_INT)
        resolve_expr(r, e);
    else if (p->type == T_NAME)
        resolve_named(r, e, to->kind == SUB_STRUCT ? USE_NAME : USE_SET);
    else
        resolve_named(r, e, USE_READ);
}

/* ---- labels ---- */

void
resolve_label(struct resolve *r, struct expr *e)
{
    if (e->kind != E_REF) {
        diag(r->diag, SEV_ERROR, D_EXT4, e->span, "a cf label belongs here");
        resolve_expr(r, e);
        return;
    }
    struct scope_word *w = scope_word(r->scope, e->ref->name.text);
    struct symbol *l = w->label;
    resolve_indices(r, e->ref);
    e->ref->sym = l;
    if (l) {
        l->mentioned = true;
        return;
    }
    diag(r->diag, SEV_ERROR, D_SYN9, e->ref->name.span, "no call here has the label '%s'", w->text);
    const char *near = r->guesses-- > 0 ? scope_near_label(r->scope, w->text) : NULL;
    if (near) diag_hint(r->diag, "did you mean '%s'?", near);
    else diag_hint(r->diag, "a label stands before the call: cf %s: f(...)", w->text);
}
