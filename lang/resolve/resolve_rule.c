/* resolve_rule.c - the rules of @{ ... }: which of their names are DFs, labels, nfparams, or bound
 * by the rule itself. A rule that means nothing is resolved silently: its names count as used. */
#include "lang/resolve/resolve_parts.h"

#include <string.h>

static bool
is(const struct rule *rule, enum rule_kind kind, const char *name)
{
    return rule->kind == kind && !strcmp(rule->name.text, name);
}

static void
resolve_refs(struct resolve *r, struct rule *rule, enum use use)
{
    for (struct ref *ref = rule->refs; ref; ref = ref->next) resolve_ref(r, ref, use);
}

static void
resolve_exprs(struct resolve *r, struct rule *rule)
{
    for (struct expr *e = rule->exprs; e; e = e->next) resolve_expr(r, e);
}

/* ---- locators ---- */

/* Of a cell, of bytes and of `outside` nothing may depend on the nodes. */
static bool
is_locator(const struct rule *rule)
{
    return is(rule, rule->kind, "locator_cyclic") || is(rule, rule->kind, "locator_replicating");
}

static void
resolve_placed(struct resolve *r, struct rule *rule, bool nodes)
{
    r->locator = true;
    r->nodes = nodes;
    resolve_exprs(r, rule);
    r->locator = r->nodes = false;
}

/* x[i][j]: i and j are declared here. */
static void
bind_indices(struct resolve *r, struct rule *rule)
{
    struct symbol **end = &rule->bound;
    int number = 0;
    for (struct expr *e = rule->refs->indices; e; e = e->next, number++) {
        if (e->kind != E_REF || e->ref->nindices) {
            diag(r->diag, SEV_ERROR, D_PAR1, e->span, "the indices of '%s' are names here",
                 rule->name.text);
            diag_hint(r->diag, "for example: %s %s[i] => i;", rule->name.text,
                      rule->refs->name.text);
            continue;
        }
        struct symbol *s = arena_new_of(r->arena, struct symbol);
        s->kind = SYM_INDEX;
        s->type = e->type = T_INT;
        s->name = e->ref->name;
        s->number = number;
        resolve_declare(r, s);
        for (const struct symbol *o = rule->bound; o; o = o->next)
            if (o->name.text == s->name.text)
                diag(r->diag, SEV_ERROR, D_SYN8_5, s->name.span, "index '%s' is repeated",
                     s->name.text);
        scope_bind(r->scope, s);
        *end = e->ref->sym = s;
        end = &s->next;
    }
}

/* A locator is for its name in all blocks inside, as of both branches of an `if`. */
static bool
is_inner_name(const struct resolve *r, const struct rule *rule, const struct symbol *gone)
{
    const struct code_block *b = r->behind;
    if (!b || !is_locator(rule) || !gone || gone->kind != SYM_DF) return false;
    for (const struct code_block *in = gone->block; in; in = in->outer)
        if (in == b || (b->owner && in->owner == b->owner)) return true;
    return false;
}

/* The name is that of a DF, of a label somewhere in the sub, or of both. */
static void
resolve_located(struct resolve *r, struct rule *rule)
{
    struct ref *ref = rule->refs;
    struct scope_word *w = scope_word(r->scope, ref->name.text);
    rule->label = w->label;
    ref->sym = w->value ? w->value : rule->label;
    if (w->value) w->value->mentioned = true;
    if (rule->label) rule->label->mentioned = true;
    if (ref->sym || w->told_in == r->sub || is_inner_name(r, rule, w->gone)) return;
    w->told_in = r->sub;
    diag(r->diag, SEV_WARNING, D_SYN9, ref->name.span,
         "'%s' is neither a fragment nor a cf label; the rule has no effect", w->text);
    const char *near = r->guesses-- > 0 ? scope_near_value(r->scope, w->text) : NULL;
    if (near) diag_hint(r->diag, "did you mean '%s'?", near);
}

static void
resolve_locator(struct resolve *r, struct rule *rule)
{
    size_t mark = scope_mark(r->scope);
    if (rule->kind == R_MAP) {
        resolve_located(r, rule);
        bind_indices(r, rule);
    }
    resolve_placed(r, rule, is_locator(rule));
    scope_leave(r->scope, mark);
}

/* ---- nfparams ---- */

/* nfparam n => e; on a call: n belongs to the callee. */
static void
resolve_nfparam(struct resolve *r, struct rule *rule, const struct stmt *s)
{
    const struct sub *to = s && s->kind == S_CALL ? s->sub : NULL;
    for (struct symbol *n = to ? to->nfparams : NULL; n; n = n->next)
        if (n->name.text == rule->refs->name.text) rule->refs->sym = n;
    if (rule->refs->sym) rule->refs->sym->mentioned = true;
    resolve_placed(r, rule, true);
}

/* ---- all ---- */

static void
resolve_unknown(struct resolve *r, struct rule *rule)
{
    r->silent = true;
    if (rule->kind != R_FLAGS) resolve_refs(r, rule, USE_MENTION);
    resolve_exprs(r, rule);
    r->silent = false;
}

static void
resolve_rule(struct resolve *r, struct rule *rule, const struct stmt *s)
{
    bool map = rule->kind == R_MAP, enumeration = rule->kind == R_ENUM;
    bool outside = is(rule, R_MAP, "outside");
    if ((rule_is_locator(rule) && (map || rule->kind == R_EXPR)) || is(rule, R_MAP, "bytes") ||
        outside) {
        resolve_locator(r, rule);
        struct symbol *df = outside ? rule->refs->sym : NULL;
        if (df && df->kind == SYM_DF && !df->outside) df->outside = rule;
    } else if (is(rule, R_ENUM, "request") || is(rule, R_ENUM, "wait")) {
        resolve_refs(r, rule, USE_READ);
    } else if (enumeration && (is(rule, R_ENUM, "delete") || is(rule, R_ENUM, "drop") ||
                               is(rule, R_ENUM, "req_unlimited"))) {
        resolve_refs(r, rule, USE_MENTION);
    } else if (is(rule, R_ASSIGN, "req_count")) {
        resolve_refs(r, rule, USE_MENTION);
        resolve_exprs(r, rule);
    } else if (is(rule, R_MAP, "afterpush")) {
        resolve_refs(r, rule, USE_MENTION);
        resolve_label(r, rule->exprs);
        rule->label = rule->exprs->kind == E_REF ? rule->exprs->ref->sym : NULL;
    } else if (is(rule, R_MAP, "nfparam")) {
        resolve_nfparam(r, rule, s);
    } else if (is(rule, R_ENUM, "cells") || is(rule, R_EXPR, "weight") ||
               is(rule, R_EXPR, "priority") || is(rule, R_EXPR, "require")) {
        resolve_exprs(r, rule);
    } else if (!is(rule, R_ENUM, "nfparam")) {
        resolve_unknown(r, rule);
    }
}

void
resolve_shapes(struct resolve *r, struct symbol *dfs)
{
    r->locator = true;
    for (struct symbol *df = dfs; df; df = df->next)
        for (struct expr *e = df->shape; e; e = e->next) resolve_expr(r, e);
    r->locator = false;
}

void
resolve_rules(struct resolve *r, struct rule *rules, const struct stmt *s,
              const struct code_block *b)
{
    r->behind = b;
    for (struct rule *rule = rules; rule; rule = rule->next) resolve_rule(r, rule, s);
}
