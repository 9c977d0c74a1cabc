/* check_require.c - require: e; behind the block of a sub: is it a condition on parameters, and do
 * calls with known arguments fulfil it? */
#include "lang/check/check_facts.h"
#include "lang/tree/rules.h"

static bool
is_require(const struct rule *r)
{
    return r->kind == R_EXPR && rule_find(r->name.text) == RULE_REQUIRE;
}

/* ---- what may stand in it ---- */

/* A name whose value is not there when the sub is called. */
static bool
is_unfit(void *who, const struct ref *r)
{
    (void)who;
    const struct symbol *s = r->sym;
    if (!s || s->kind == SYM_LET) return false; /* undeclared: reported; through consts we see */
    return s->kind != SYM_PARAM || (s->type != T_INT && s->type != T_REAL);
}

static const struct expr *
find_unfit(struct facts *f, const struct expr *e)
{
    if (!e || e->kind == E_STR) return e;
    if (e->kind == E_REF) return facts_any_ref_in(f, e->ref, is_unfit, NULL) ? e : NULL;
    const struct expr *found = find_unfit(f, e->a);
    if (!found) found = find_unfit(f, e->b);
    return found ? found : find_unfit(f, e->c);
}

static bool
check_condition(struct facts *f, const struct expr *e)
{
    const struct expr *unfit = find_unfit(f, e);
    if (unfit) {
        diag(f->diag, SEV_ERROR, D_EXT22, unfit->span,
             "a requirement is a condition on int and real parameters; '%s' is none",
             ast_expr_text(f->arena, unfit));
    } else if (e->type == T_STRING) {
        diag(f->diag, SEV_ERROR, D_EXT22, e->span, "a requirement is a condition, not a string");
    }
    return !unfit && e->type != T_STRING;
}

/* ---- calls ---- */

static struct binding *
known_arguments(struct facts *f, const struct stmt *s)
{
    struct binding *env = NULL;
    struct known v;
    const struct symbol *p = s->sub->params;
    for (const struct expr *e = s->args; e && p; e = e->next, p = p->next) {
        if ((p->type != T_INT && p->type != T_REAL) || !form_fold(e, NULL, &v)) continue;
        if (p->type == T_INT) v = (struct known){.i = forms_known_int(v)};
        else if (!v.real) v = (struct known){.real = true, .d = v.i};
        struct binding *b = arena_new_of(f->arena, struct binding);
        *b = (struct binding){.next = env, .sym = p, .value = v};
        env = b;
    }
    return env;
}

static void
check_call(struct facts *f, int site, const struct rule *r)
{
    const struct stmt *s = f->sites[site].stmt;
    struct known v;
    if (s->nargs != s->sub->nparams) return;
    if (!form_fold(r->exprs, known_arguments(f, s), &v) || forms_known_true(v)) return;
    diag(f->diag, facts_severity(f, site), D_SEM14, s->span,
         "this call does not fulfil what '%s' requires: %s", s->sub->name.text,
         ast_expr_text(f->arena, r->exprs));
    diag_note(f->diag, r->span, "required here");
}

static void
check_sub(struct facts *f, const struct sub_row *row, const struct rule *r)
{
    struct known v;
    if (!check_condition(f, r->exprs)) return;
    if (form_fold(r->exprs, NULL, &v)) {
        if (forms_known_true(v)) return;
        diag(f->diag, row->sub == f->tree->main ? SEV_ERROR : SEV_WARNING, D_SEM14, r->span,
             "what '%s' requires is never true", row->sub->name.text);
        return;
    }
    for (int i = 0; i < row->ncalls; i++) check_call(f, row->calls[i], r);
}

void
check_requirements(struct facts *f)
{
    for (int i = 0; i < f->nsubs; i++) {
        const struct code_block *body = f->subs[i].sub->body;
        for (const struct rule *r = body ? body->rules : NULL; r; r = r->next)
            if (is_require(r)) check_sub(f, &f->subs[i], r);
    }
}
