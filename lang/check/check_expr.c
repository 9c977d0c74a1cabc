/* check_expr.c - faults inside expressions: strings where numbers are needed, division by zero,
 * comparisons taken for numbers, chains of ?: that group from the left.
 *
 * An operand of && || ?: and the value of a let may never
 * be computed; a fault there is a warning. */
#include "lang/check/check_facts.h"

#include "lang/tree/rules.h"

struct context { /* where an expression stands */
    struct facts *f;
    int site;
    bool lazy;  /* it may never be computed */
    bool constant; /* of a const: there is nothing to wait for */
    bool rule;  /* of a rule: there 3-(i==1) counts readers, as it should */
};

static enum severity
severity(const struct context *at)
{
    if (at->lazy) return SEV_WARNING;
    return at->constant ? SEV_ERROR : facts_severity(at->f, at->site);
}

static const char *
text(const struct context *at, const struct expr *e)
{
    return ast_expr_text(at->f->arena, e);
}

/* ---- strings, reals ---- */

static void
check_string(const struct context *at, const struct expr *e, const char *needs)
{
    if (e->type != T_STRING) return;
    diag(at->f->diag, severity(at), D_EXT16, e->span, "%s needs a number, this is a string", needs);
}

static bool
is_number(const struct expr *e)
{
    return e->type == T_INT || e->type == T_REAL;
}

static void
check_types(const struct context *at, const struct expr *e)
{
    const char *op = ast_op_text(e->op);
    const char *needs = arena_printf(at->f->arena, "'%s'", op);
    switch (e->op) {
    case OP_ADD: return; /* joins strings */
    case OP_EQ:
    case OP_NE:
        if (!(e->a->type == T_STRING && is_number(e->b)) &&
            !(e->b->type == T_STRING && is_number(e->a)))
            return;
        diag(at->f->diag, severity(at), D_EXT16, e->span,
             "'%s' compares a string with a number", op);
        return;
    case OP_MOD:
        if (e->a->type == T_REAL || e->b->type == T_REAL) {
            const struct expr *real = e->a->type == T_REAL ? e->a : e->b;
            diag(at->f->diag, severity(at), D_EXT18, real->span, "'%%' needs ints, this is a real");
            diag_hint(at->f->diag, "int(%s) cuts it", text(at, real));
        }
        break;
    default: break;
    }
    check_string(at, e->a, needs);
    check_string(at, e->b, needs);
}

static void
check_zero(const struct context *at, const struct expr *e)
{
    struct known v;
    if (e->op != OP_DIV && e->op != OP_MOD) return;
    if (!form_fold(e->b, NULL, &v) || v.real || v.i) return;
    if (e->a->type == T_REAL || e->a->type == T_STRING) return; /* infinite; said already */
    bool maybe_real = e->a->type != T_INT && e->op == OP_DIV;
    enum severity sev = maybe_real ? SEV_WARNING : severity(at);
    diag(at->f->diag, sev, D_EXT11, e->span, "division by zero");
}

/* ---- comparisons as numbers ---- */

static bool
is_truth(const struct expr *e)
{
    return e->kind == E_BIN && e->op <= OP_GE;
}

static bool
is_order(const struct expr *e)
{
    return e->kind == E_BIN &&
           (e->op == OP_LT || e->op == OP_LE || e->op == OP_GT || e->op == OP_GE);
}

static bool
is_not(const struct expr *e)
{
    return e->kind == E_NOT && !e->paren;
}

/* (a < b) == 0 is another "not", (a < b) == (c < d) is as it should be. */
static bool
is_fair(const struct expr *truth, const struct expr *other)
{
    struct known v;
    if (!truth->paren) return false;
    if (is_truth(other) || other->kind == E_NOT) return true;
    return form_fold(other, NULL, &v) && !v.real && (v.i == 0 || v.i == 1);
}

static void
report_truth(const struct context *at, const struct expr *truth, const char *where)
{
    diag(at->f->diag, SEV_WARNING, D_SEM7, truth->span,
         "the result of '%s', 0 or 1, is used as a number %s", ast_op_text(truth->op), where);
}

/* 0 < x < n */
static bool
is_chain(const struct expr *e)
{
    return is_order(e) && is_order(e->a) && !e->a->paren;
}

static void
check_truth(const struct context *at, const struct expr *e)
{
    const struct expr *sides[] = {e->a, e->b};
    if (at->rule || e->op == OP_OR || e->op == OP_AND) return;
    for (int i = 0; i < 2; i++) {
        const struct expr *s = sides[i];
        if (!is_truth(s)) continue;
        if ((e->op == OP_EQ || e->op == OP_NE) && is_fair(s, sides[1 - i])) continue;
        report_truth(at, s, arena_printf(at->f->arena, "in '%s'", ast_op_text(e->op)));
        if (!i && is_chain(e)) {
            diag_hint(at->f->diag, "did you mean '%s && %s %s %s'?", text(at, s), text(at, s->b),
                      ast_op_text(e->op), text(at, e->b));
        }
        return;
    }
}

/* !x == y is (!x) == y. */
static void
check_not(const struct context *at, const struct expr *e)
{
    if (e->op < OP_LT || e->op > OP_GE || !is_not(e->a) || is_truth(e->b) || e->b->kind == E_NOT)
        return;
    diag(at->f->diag, SEV_WARNING, D_SEM7, e->a->span,
         "the result of '!', 0 or 1, is used as a number in '%s'", ast_op_text(e->op));
    diag_hint(at->f->diag, "did you mean '!(%s %s %s)'?", text(at, e->a->a), ast_op_text(e->op),
              text(at, e->b));
}

/* ---- a ? b : c ? d : e ---- */

static bool
is_bare_cond(const struct expr *e)
{
    return e->kind == E_COND && !e->paren;
}

static void
check_chain(const struct context *at, const struct expr *e)
{
    if (!is_bare_cond(e->a)) return;
    diag(at->f->diag, SEV_WARNING, D_EXT13, e->span,
         "'?:' groups from the left: (%s ? %s : %s) is the condition of the last one",
         text(at, e->a->a), text(at, e->a->b), text(at, e->a->c));
    diag_hint(at->f->diag, "write %s ? %s : (%s ? %s : %s), or the parentheses that are meant",
              text(at, e->a->a), text(at, e->a->b), text(at, e->a->c), text(at, e->b),
              text(at, e->c));
}

/* ---- the walk ---- */

static void visit(const struct context *at, const struct expr *e);

static void
visit_lazy(const struct context *at, const struct expr *e)
{
    struct context inner = *at;
    inner.lazy = true;
    visit(&inner, e);
}

static void
visit_index(const struct context *at, const struct ref *r)
{
    for (const struct expr *e = r->indices; e; e = e->next) {
        visit(at, e);
        check_string(at, e, "an index");
        if (is_truth(e) && !at->rule) report_truth(at, e, "in an index");
    }
}

static void
visit_bin(const struct context *at, const struct expr *e)
{
    visit(at, e->a);
    if (e->op == OP_AND || e->op == OP_OR) visit_lazy(at, e->b);
    else visit(at, e->b);
    check_types(at, e);
    check_zero(at, e);
    check_truth(at, e);
    check_not(at, e);
}

static void
visit_cond(const struct context *at, const struct expr *e, bool chained)
{
    if (is_bare_cond(e->a)) visit_cond(at, e->a, true);
    else visit(at, e->a);
    visit_lazy(at, e->b);
    visit_lazy(at, e->c);
    check_string(at, e->a, "the condition of '?:'");
    if (!chained) check_chain(at, e);
}

static void
visit_node(const struct context *at, const struct expr *e)
{
    const struct expr *of[] = {e->a, e->b, e->c};
    for (int i = 0; i < 3 && of[i]; i++) {
        visit(at, of[i]);
        check_string(at, of[i], "node()");
    }
}

static void
visit_part(const struct context *at, const struct expr *e)
{
    const char *name = e->items ? ast_items_text(e->items) : ast_type_text(e->cast);
    const struct expr *of[] = {e->b, e->c};
    visit(at, e->a);
    for (int i = 0; i < 2 && of[i]; i++) {
        visit(at, of[i]);
        check_string(at, of[i], arena_printf(at->f->arena, "%s()", name));
    }
}

static void
visit(const struct context *at, const struct expr *e)
{
    switch (e->kind) {
    case E_INT:
    case E_REALNUM:
    case E_STR: break;
    case E_REF: visit_index(at, e->ref); break;
    case E_CAST:
        visit(at, e->a);
        if (e->cast != T_STRING)
            check_string(at, e->a, arena_printf(at->f->arena, "%s()", ast_type_text(e->cast)));
        break;
    case E_NEG:
        visit(at, e->a);
        check_string(at, e->a, "'-'");
        if (is_truth(e->a) && !at->rule) report_truth(at, e->a, "in '-'");
        break;
    case E_NOT:
        visit(at, e->a);
        check_string(at, e->a, "'!'");
        break;
    case E_BIN: visit_bin(at, e); break;
    case E_COND: visit_cond(at, e, false); break;
    case E_NODES: break;
    case E_NODE: visit_node(at, e); break;
    case E_PART: visit_part(at, e); break;
    }
}

static void
visit_list(const struct context *at, const struct expr *e)
{
    for (; e; e = e->next) visit(at, e);
}

/* What cells, shapes, sizes and requirements are computed from is looked at with them. */
static void
check_rule_value(const struct context *at, const struct rule *r)
{
    static const enum rule_id numbers[] = {RULE_LOCATOR_CYCLIC, RULE_LOCATOR_REPLICATING,
                                           RULE_REQ_COUNT,      RULE_NFPARAM,
                                           RULE_PRIORITY,       RULE_WEIGHT};
    enum rule_id id = rule_find(r->name.text);
    if (r->kind == R_ENUM || !r->exprs) return;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (id == numbers[i])
            check_string(at, r->exprs, arena_printf(at->f->arena, "'%s'", r->name.text));
}

static void
visit_rules(const struct context *at, const struct rule *r)
{
    struct context inner = *at;
    inner.rule = true;
    for (; r; r = r->next) {
        /* These are not looked at in every run. */
        inner.lazy = at->lazy || rule_is_locator(r) ||
                     rule_find(r->name.text) == RULE_WEIGHT;
        visit_list(&inner, r->exprs);
        check_rule_value(&inner, r);
        for (const struct ref *ref = r->refs; ref; ref = ref->next) visit_index(&inner, ref);
    }
}

static void
visit_condition(const struct context *at, const struct expr *e)
{
    visit(at, e);
    check_string(at, e, "a condition");
}

static void
visit_bounds(const struct context *at, const struct reduce_range *r)
{
    for (; r; r = r->next) {
        visit(at, r->lo);
        visit(at, r->hi);
    }
}

static void
visit_reduce(const struct context *at, const struct stmt *s)
{
    visit_bounds(at, s->ranges);
    visit_index(at, s->elem);
    visit_index(at, s->out);
}

static void
visit_stmt(const struct context *at, const struct stmt *s)
{
    struct context lazy = *at;
    lazy.lazy = true;
    switch (s->kind) {
    case S_CALL:
        for (const struct expr *e = s->args; e; e = e->next) visit_bounds(at, e->over);
        visit_list(at, s->args);
        visit_list(at, s->sets);
        visit_list(at, s->kills);
        if (s->label) visit_index(&lazy, s->label);
        break;
    case S_LET:
        for (const struct symbol *l = s->lets; l; l = l->next) {
            if (l->let_value) visit(&lazy, l->let_value);
        }
        break;
    case S_FOR:
        visit(at, s->lo);
        visit(at, s->hi);
        if (s->by) visit(at, s->by);
        break;
    case S_WHILE:
        visit(at, s->lo);
        visit_condition(at, s->cond);
        visit_index(at, s->out);
        break;
    case S_IF: visit_condition(at, s->cond); break;
    case S_REDUCE: visit_reduce(at, s); break;
    }
}

/* From here on a number is one operand also where + joins texts: "n = " + N. */
static void
fold_const(struct expr *e)
{
    struct known v;
    if ((e->type != T_INT && e->type != T_REAL) || !form_fold(e, NULL, &v)) return;
    e->kind = v.real ? E_REALNUM : E_INT;
    e->ival = v.i;
    e->rval = v.d;
    e->a = e->b = e->c = NULL;
    e->ref = NULL;
}

void
check_consts(struct facts *f)
{
    struct context at = {.f = f, .site = NONE, .constant = true};
    for (const struct symbol *c = f->tree->consts; c; c = c->next) {
        visit(&at, c->let_value);
        fold_const(c->let_value);
    }
}

void
check_exprs(struct facts *f)
{
    for (int i = 0; i < f->nsites; i++) {
        struct context at = {.f = f, .site = i};
        visit_stmt(&at, f->sites[i].stmt);
        visit_rules(&at, rules_of(f->sites[i].stmt));
    }
    for (int i = 0; i < f->nsubs; i++) {
        struct context at = {.f = f, .site = NONE, .lazy = true};
        if (f->subs[i].sub->body) visit_rules(&at, f->subs[i].sub->body->rules);
    }
}
