/* check_call.c - does a call fit what it calls? Numbers and kinds of arguments, outputs that are
 * no DFs, nfparams; the parameters of main; recursion that never ends; reductions.
 *
 * A call that has no meaning at all (SYN3, LUNA26) is an error wherever it stands: there is
 * nothing to run. The rest is an error where it surely runs. */
#include "lang/check/check_facts.h"

#include "lang/tree/rules.h"

#include <string.h>

/* "parameter 2 'k' of 'say'"; parameters of imports have no names. */
static const char *
param_text(const struct facts *f, const struct sub *s, const struct symbol *p)
{
    if (!p->name.text || !*p->name.text)
        return arena_printf(f->arena, "parameter %d of '%s'", p->number + 1, s->name.text);
    return arena_printf(f->arena, "parameter %d '%s' of '%s'", p->number + 1, p->name.text,
                        s->name.text);
}

static void
note_param(struct facts *f, const struct symbol *p)
{
    diag_note(f->diag, p->name.span, "the parameter");
}

static void
check_count(struct facts *f, const struct stmt *s)
{
    diag(f->diag, SEV_ERROR, D_SYN3, s->span, "'%s' takes %d argument%s, but %d %s given",
         s->callee.text, s->sub->nparams, s->sub->nparams == 1 ? "" : "s", s->nargs,
         s->nargs == 1 ? "is" : "are");
    diag_note(f->diag, s->sub->span, "'%s' is declared here", s->sub->name.text);
}

/* ---- outputs ---- */

static const char *
kind_text(const struct symbol *s)
{
    switch (s->kind) {
    case SYM_FOR:
    case SYM_WHILE: return "a counter";
    case SYM_LET:
        return ast_is_const(s) ? "a const" : "a let name that stands for no fragment";
    case SYM_NFPARAM: return "an nfparam";
    case SYM_PARAM: return s->type == T_VALUE ? "a value parameter, which can only be read"
                                              : "a parameter that holds a value";
    default: return "no fragment";
    }
}

static const char *
argument_text(const struct facts *f, const struct expr *e)
{
    switch (e->kind) {
    case E_INT:
    case E_REALNUM: return "this is a number";
    case E_STR: return "this is a string";
    case E_REF:
        return arena_printf(f->arena, "'%s' is %s", e->ref->name.text, kind_text(e->ref->sym));
    default: return "this is an expression";
    }
}

/* What cannot be told for certain passes: an undeclared name, or a parameter with indices that was
 * reported as SYN11. */
static void
check_output(struct facts *f, const struct stmt *s, const struct expr *arg,
             const struct symbol *p)
{
    struct target t;
    if (arg->kind == E_REF) {
        if (!arg->ref->sym) return; /* undeclared, which was reported */
        if (forms_target(f->forms, arg->ref, &t) && t.sym->type != T_VALUE) return;
        const struct symbol *base = ast_base(arg->ref);
        if (!base && arg->ref->sym->kind != SYM_LET) return;
        if (arg->ref->nindices && base && base->kind != SYM_DF && base->type != T_VALUE) return;
    }
    diag(f->diag, SEV_ERROR, D_LUNA26, arg->span, "%s must be given a fragment; %s",
         param_text(f, s->sub, p), argument_text(f, arg));
    note_param(f, p);
    diag_hint(f->diag, "it is assigned: pass a fragment of a df line, or a parameter of type name");
}

/* ---- inputs ---- */

static const char *
value_kind_text(enum value_kind h)
{
    switch (h) {
    case VALUE_INT: return "an int";
    case VALUE_REAL: return "a real";
    case VALUE_STRING: return "a string";
    default: return "bytes";
    }
}

/* What a DF is known to hold against what the parameter takes. */
/* Only if all its writers agree: `held` of a DF that may hold this or that is unknown. */
static void
check_held(struct facts *f, int site, const struct expr *arg, const struct symbol *p)
{
    struct target t;
    if (arg->kind != E_REF || !forms_target(f->forms, arg->ref, &t)) return;
    if (t.sym->kind != SYM_DF) return;
    const struct df_row *d = facts_df(f, t.sym);
    const struct stmt *s = f->sites[site].stmt;
    if (!d || d->held == VALUE_NOTHING || d->held == VALUE_UNKNOWN) return;
    bool number = p->type == T_INT || p->type == T_REAL;
    bool wrong = (number && d->held >= VALUE_STRING) ||
                 (p->type == T_STRING && d->held == VALUE_BYTES);
    bool cut = p->type == T_INT && d->held == VALUE_REAL;
    if (!wrong && !cut) return;
    diag(f->diag, wrong ? facts_severity(f, site) : SEV_WARNING, D_SEM1, arg->span,
         "'%s' holds %s, but %s is %s%s", ast_ref_text(f->arena, arg->ref),
         value_kind_text(d->held), param_text(f, s->sub, p), ast_type_text(p->type),
         cut ? ": it is cut to an int" : "");
    facts_note_writer(f, d);
    if (number && d->held == VALUE_BYTES)
        diag_hint(f->diag, "a number of an array in it is %s(%s, K)", ast_type_text(p->type),
                  t.sym->name.text);
}

static bool
is_too_large(const struct expr *e)
{
    struct known v;
    return e->type == T_REAL && form_fold(e, NULL, &v) && !forms_known_fits(v);
}

/* Of a real there is no remainder: EXT18. And 2.0 is an int that somebody wrote as a real. */
static bool
is_cut(const struct expr *e)
{
    struct known v;
    bool remainder = e->kind == E_BIN && e->op == OP_MOD;
    bool whole = form_fold(e, NULL, &v) && forms_known_whole(v);
    return e->type == T_REAL && !remainder && !whole;
}

static void
check_input(struct facts *f, int site, const struct expr *arg, const struct symbol *p)
{
    const struct stmt *s = f->sites[site].stmt;
    if (arg->type == T_STRING && (p->type == T_INT || p->type == T_REAL)) {
        diag(f->diag, facts_severity(f, site), D_SYN1, arg->span, "%s is %s, this is a string",
             param_text(f, s->sub, p), ast_type_text(p->type));
        note_param(f, p);
    } else if (arg->type == T_REAL && p->type == T_STRING) {
        diag(f->diag, SEV_WARNING, D_SYN1, arg->span,
             "%s is string, this is a real: it is turned into text", param_text(f, s->sub, p));
        note_param(f, p);
        diag_hint(f->diag, "string(%s) says that it is meant", ast_expr_text(f->arena, arg));
    } else if (p->type == T_INT && is_too_large(arg)) {
        diag(f->diag, facts_severity(f, site), D_SYN1, arg->span,
             "%s is int, and this does not fit an int", param_text(f, s->sub, p));
        note_param(f, p);
        diag_hint(f->diag, "a real parameter takes it");
    } else if (p->type == T_INT && is_cut(arg)) {
        diag(f->diag, SEV_WARNING, D_SYN1, arg->span, "%s is int, this is a real: it is cut",
             param_text(f, s->sub, p));
        note_param(f, p);
        diag_hint(f->diag, "int(%s) says that it is meant", ast_expr_text(f->arena, arg));
    } else {
        check_held(f, site, arg, p);
    }
}

/* ---- lists ---- */

static bool
stands_for_df(const struct ref *r)
{
    const struct symbol *s = r->sym;
    while (s && s->kind == SYM_LET) {
        const struct expr *e = s->let_value;
        if (e->kind != E_REF) return false;
        s = e->ref->sym;
    }
    return !s || s->kind == SYM_DF || (s->kind == SYM_PARAM && s->type == T_NAME);
}

static void
check_list(struct facts *f, const struct stmt *s, const struct expr *arg, const struct symbol *p)
{
    if (!p->list) {
        diag(f->diag, SEV_ERROR, D_EXT25, arg->span, "%s takes one %s, this is a list",
             param_text(f, s->sub, p), p->type == T_NAME ? "fragment" : "value");
        note_param(f, p);
        if (s->sub->kind != SUB_STRUCT && (p->type == T_VALUE || p->type == T_NAME))
            diag_hint(f->diag, "a parameter %s x[] takes any number of them",
                      ast_type_text(p->type));
    } else if (!stands_for_df(arg->ref)) {
        diag(f->diag, SEV_ERROR, D_EXT25, arg->span,
             "a list is one of fragments, '%s' is none", arg->ref->name.text);
    }
}

/* One that belongs into a list. */
static void
check_lone(struct facts *f, const struct stmt *s, const struct expr *arg, const struct symbol *p)
{
    diag(f->diag, SEV_ERROR, D_EXT25, arg->span, "%s takes a list, this is one %s",
         param_text(f, s->sub, p), p->type == T_NAME ? "fragment" : "value");
    note_param(f, p);
    diag_hint(f->diag, "the form of a list is: x[i] over i = FIRST .. LAST");
}

static void
check_args(struct facts *f, int site)
{
    const struct stmt *s = f->sites[site].stmt;
    const struct symbol *p = s->sub->params;
    for (const struct expr *e = s->args; e && p; e = e->next, p = p->next) {
        if (e->over) check_list(f, s, e, p);
        else if (p->list) check_lone(f, s, e, p);
        else if (p->type == T_NAME) check_output(f, s, e, p);
        else check_input(f, site, e, p);
    }
}

/* ---- nfparams ---- */

static bool
is_passed(const struct stmt *s, const struct symbol *nfparam)
{
    for (const struct rule *r = s->rules; r; r = r->next) {
        if (rule_find(r->name.text) != RULE_NFPARAM || !r->refs || !r->exprs) continue;
        if (!strcmp(r->refs->name.text, nfparam->name.text)) return true;
    }
    return false;
}

static void
check_nfparams(struct facts *f, int site)
{
    const struct stmt *s = f->sites[site].stmt;
    for (const struct symbol *n = s->sub->nfparams; n; n = n->next) {
        if (is_passed(s, n)) continue;
        diag(f->diag, n->mentioned ? facts_severity(f, site) : SEV_WARNING, D_SEM10, s->span,
             "this call gives the nfparam '%s' of '%s' no value", n->name.text, s->sub->name.text);
        diag_note(f->diag, n->name.span, "declared here");
        diag_hint(f->diag, "add to the call: @ { nfparam %s => ...; }", n->name.text);
    }
}

/* ---- declarations ---- */

static void
check_main_params(struct facts *f, const struct sub *s)
{
    for (const struct symbol *p = s->params; p; p = p->next) {
        if (p->type != T_NAME && p->type != T_VALUE) continue;
        diag(f->diag, SEV_ERROR, D_EXT12, p->name.span,
             "the parameter '%s' of main is a %s, which the command line cannot give",
             p->name.text && *p->name.text ? p->name.text : "?", ast_type_text(p->type));
        diag_hint(f->diag, "main takes int, real and string");
    }
}

/* A list goes to a function. */
static void
check_list_params(struct facts *f, const struct sub *s)
{
    for (const struct symbol *p = s->params; p; p = p->next) {
        bool fragment = p->type == T_VALUE || p->type == T_NAME;
        if (!p->list || (fragment && s->kind != SUB_STRUCT && s != f->tree->main)) continue;
        if (fragment) {
            diag(f->diag, SEV_ERROR, D_EXT25, p->name.span,
                 "only a function can take a list, and '%s' is %s", s->name.text,
                 s == f->tree->main ? "what the run begins with" : "a structured sub");
            continue;
        }
        diag(f->diag, SEV_ERROR, D_EXT25, p->name.span, "there are no lists of type %s",
             ast_type_text(p->type));
        diag_hint(f->diag, "lists are of fragments: value x[], which are read, or name y[], which "
                           "are assigned");
    }
}

static void
check_value_params(struct facts *f, const struct sub *s)
{
    for (const struct symbol *p = s->params; p; p = p->next) {
        if (p->type != T_VALUE || p->list) continue;
        diag(f->diag, SEV_WARNING, D_EXT10, p->name.span,
             "the original LuNA has no value parameters of structured subs, as '%s' is one",
             p->name.text);
        diag_hint(f->diag, "a name parameter works there too: name %s", p->name.text);
    }
}

/* ---- recursion ---- */

/* A ucode that ends the run by itself makes an endless recursion or loop a way to work. */
bool
facts_may_exit(struct facts *f)
{
    for (int i = 0; i < f->nsubs; i++) {
        const struct sub_row *s = &f->subs[i];
        if (!s->reachable || s->sub->kind == SUB_STRUCT) continue;
        const struct ast_outside *o = f->tree->outside;
        bool imported = s->sub->kind != SUB_INLINE && o && o->ends;
        if (imported ? o->ends(o->who, s->sub->func.text) : facts_ucode_may_exit(s->sub))
            return true;
    }
    return false;
}

struct frame { /* a sub on the path of the search, and the next of its sites to look at */
    int sub, site;
};

static void
report_recursion(struct facts *f, const struct frame *path, int n, int site)
{
    const struct stmt *s = f->sites[site].stmt;
    enum severity sev = facts_may_exit(f) ? SEV_WARNING : facts_severity(f, site);
    if (path[n - 1].sub == s->sub->fact - 1) {
        diag(f->diag, sev, D_SEM8, s->span, "'%s' always calls itself: this never ends",
             s->callee.text);
        diag_hint(f->diag, "put the call under an if");
        return;
    }
    diag(f->diag, sev, D_SEM8, s->span, "'%s' is always called again from here: this never ends",
         s->callee.text);
    for (int i = n - 2; i >= 0 && path[i + 1].sub != s->sub->fact - 1; i--) {
        diag_note(f->diag, f->sites[path[i].site - 1].stmt->span, "'%s' is called here",
                  f->subs[path[i + 1].sub].sub->name.text);
    }
}

/* Looks for a way back to a sub on the path along calls that always happen. */
/* Depth first with a path of its own: a program may have
 * more subs than the stack of C has frames. */
static void
search(struct facts *f, int start, char *state, struct frame *path)
{
    enum { NEW, ON_PATH, DONE };
    int n = 0;
    path[n++] = (struct frame){start, f->subs[start].first_site};
    state[start] = ON_PATH;
    while (n) {
        struct frame *top = &path[n - 1];
        if (top->site == f->subs[top->sub].last_site) {
            state[top->sub] = DONE;
            n--;
            continue;
        }
        const struct site *s = &f->sites[top->site++];
        if (!s->certain || s->stmt->kind != S_CALL || !s->stmt->sub) continue;
        int callee = s->stmt->sub->fact - 1;
        if (state[callee] == ON_PATH) {
            report_recursion(f, path, n, top->site - 1);
            top->site = f->subs[top->sub].last_site; /* one way back is enough */
        } else if (state[callee] == NEW) {
            state[callee] = ON_PATH;
            path[n++] = (struct frame){callee, f->subs[callee].first_site};
        }
    }
}

static void
check_recursion(struct facts *f)
{
    char *state = arena_array(f->arena, char, (size_t)f->nsubs + 1);
    struct frame *path = arena_array(f->arena, struct frame, (size_t)f->nsubs + 1);
    if (f->tree->main) search(f, f->tree->main->fact - 1, state, path);
    for (int i = 0; i < f->nsubs; i++) {
        if (!state[i]) search(f, i, state, path);
    }
}

/* ---- reductions ---- */

static bool
combines(const struct sub *s)
{
    const struct symbol *p = s->params;
    return s->kind != SUB_STRUCT && s->nparams == 3 && p->type == T_VALUE && !p->list &&
           p->next->type == T_VALUE && !p->next->list && p->next->next->type == T_NAME &&
           !p->next->next->list;
}

static void
check_reduction(struct facts *f, const struct stmt *s)
{
    if (s->sub && !combines(s->sub)) {
        diag(f->diag, SEV_ERROR, D_EXT20, s->callee.span, "'%s' cannot combine two elements",
             s->callee.text);
        diag_note(f->diag, s->sub->span, "'%s' is declared here", s->sub->name.text);
        diag_hint(f->diag, "an operation is an atomic sub (value, value, name)");
    }
    if (!s->sub && s->elem_items == ITEMS_COMPLEX && !strchr("+*", s->callee.text[0])) {
        diag(f->diag, SEV_ERROR, D_EXT20, s->callee.span, "complex numbers have no '%s'",
             s->callee.text);
        diag_hint(f->diag, "they can be added and multiplied");
    }
    if (!stands_for_df(s->elem))
        diag(f->diag, SEV_ERROR, D_EXT20, s->elem->span,
             "an element must be a fragment, '%s' is none", s->elem->name.text);
    if (!stands_for_df(s->out))
        diag(f->diag, SEV_ERROR, D_EXT20, s->out->span,
             "the result must be a fragment, '%s' is none", s->out->name.text);
}

void
check_calls(struct facts *f)
{
    for (int i = 0; i < f->nsites; i++) {
        const struct stmt *s = f->sites[i].stmt;
        if (s->kind == S_REDUCE) check_reduction(f, s);
        if (s->kind != S_CALL || !s->sub) continue;
        if (s->nargs != s->sub->nparams) check_count(f, s);
        else check_args(f, i);
        check_nfparams(f, i);
    }
    for (int i = 0; i < f->nsubs; i++) {
        const struct sub *s = f->subs[i].sub;
        check_list_params(f, s);
        if (s == f->tree->main) check_main_params(f, s);
        else if (s->kind == SUB_STRUCT) check_value_params(f, s);
    }
    check_recursion(f);
}
