/* check_cell.c - what blocks say of the DFs they declare: the lattice of cells, one, on main or on
 * a sub that main calls; which DFs are bound to its cells; how many bytes values take. */
#include "lang/check/check_facts.h"
#include "lang/tree/rules.h"

#include <string.h>

enum { CELL_DIMS_MAX = 3 };

struct cells {
    struct facts *f;
    const struct rule *lattice; /* NULL: none */
    const struct sub *sub;      /* behind whose block it stands */
    bool *early; /* by sub: it may run when there is no lattice yet; NULL: that is there at once */
    int dims;
};

static int
length(const struct expr *e)
{
    int n = 0;
    for (; e; e = e->next) n++;
    return n;
}

/* ---- what cells may depend on ---- */

/* A word that has no value yet when the block runs, or none that is a number. */
static bool
is_unfit(void *who, const struct ref *r)
{
    (void)who;
    const struct symbol *s = r->sym;
    if (!s || s->kind == SYM_LET) return false; /* undeclared: reported; through lets we see */
    if (s->kind == SYM_PARAM) return s->type != T_INT && s->type != T_REAL;
    return s->kind == SYM_DF || s->kind == SYM_LABEL;
}

static bool
unfit_in(struct facts *f, const struct expr *e)
{
    if (!e) return false;
    if (e->kind == E_REF) return facts_any_ref_in(f, e->ref, is_unfit, NULL);
    return unfit_in(f, e->a) || unfit_in(f, e->b) || unfit_in(f, e->c);
}

static const struct expr *
text_in(const struct expr *e)
{
    if (!e) return NULL;
    if (e->type == T_STRING || e->kind == E_STR) return e;
    if (e->kind == E_REF) return NULL;
    const struct expr *text = text_in(e->a);
    if (!text) text = text_in(e->b);
    return text ? text : text_in(e->c);
}

void
check_fixed(struct facts *f, const struct expr *list, const char *what, enum diag_code code)
{
    for (const struct expr *e = list; e; e = e->next) {
        const struct expr *text = text_in(e);
        if (text)
            diag(f->diag, SEV_ERROR, code, text->span, "a number is needed here");
        else if (unfit_in(f, e))
            diag(f->diag, SEV_ERROR, code, e->span,
                 "%s is computed when the block begins: no fragment or text can be part of it",
                 what);
    }
}

static void
check_rule_fixed(struct cells *c, const struct rule *r, enum diag_code code)
{
    check_fixed(c->f, r->exprs, arena_printf(c->f->arena, "'%s'", r->name.text), code);
}

/* ---- cells e1, e2; ---- */

static bool
is_locator(const struct rule *r)
{
    return rule_find(r->name.text) == RULE_LOCATOR_CYCLIC;
}

static const struct rule *
locator_of_label(const struct rule *rules, const struct ref *label)
{
    for (const struct rule *r = rules; r; r = r->next)
        if (r->kind == R_MAP && is_locator(r) && r->refs && r->refs->name.text == label->name.text)
            return r;
    return NULL;
}

/* The locator that tells where this call runs; NULL: none does. */
static const struct rule *
locator_of(const struct facts *f, int site)
{
    const struct stmt *call = f->sites[site].stmt;
    const struct rule *found = NULL;
    for (const struct rule *r = call->rules; r; r = r->next)
        if (r->kind == R_EXPR && is_locator(r)) return r;
    if (!call->label) return NULL;
    for (int i = f->sites[site].outer; i != NONE && !found; i = f->sites[i].outer)
        found = locator_of_label(rules_of(f->sites[i].stmt), call->label);
    if (found) return found;
    return locator_of_label(f->subs[f->sites[site].sub].sub->body->rules, call->label);
}

/* The call of a sub that makes the lattice: by main, on node 0. */
static void
check_maker(struct cells *c, const struct rule *lattice, const struct sub *maker, int site)
{
    const struct facts *f = c->f;
    const struct rule *locator = locator_of(f, site);
    struct span span = f->sites[site].stmt->span;
    if (f->subs[f->sites[site].sub].sub != f->tree->main)
        diag(f->diag, SEV_ERROR, D_EXT21, span,
             "'%s' makes the lattice of cells: main alone calls it", maker->name.text);
    else if (locator)
        diag(f->diag, SEV_ERROR, D_EXT21, locator->span,
             "'%s' makes the lattice of cells: its call begins on node 0, and has no locator",
             maker->name.text);
    else return;
    diag_note(f->diag, lattice->span, "the lattice");
}

/* Subs that main calls, and those that they call, but for the one that makes the lattice. */
static void
find_early(struct cells *c)
{
    const struct facts *f = c->f;
    bool more = true;
    c->early = arena_array(f->arena, bool, (size_t)f->nsubs);
    for (int i = 0; i < f->nsubs; i++) c->early[i] = f->subs[i].sub == f->tree->main;
    while (more) {
        more = false;
        for (int i = 0; i < f->nsubs; i++) {
            const struct sub_row *s = &f->subs[i];
            bool early = false;
            for (int k = 0; k < s->ncalls; k++) early |= c->early[f->sites[s->calls[k]].sub];
            if (!early || c->early[i] || s->sub == c->sub) continue;
            more = c->early[i] = true;
        }
    }
}

/* What is said of cells in this sub. False: it may be asked when there are none yet. */
static bool
check_in_time(struct cells *c, struct span span, int sub)
{
    if (!c->early || !c->early[sub]) return true;
    struct diag *d = c->f->diag;
    diag(d, SEV_ERROR, D_EXT21, span,
         "there may be no cells yet: the lattice is made when main calls '%s'", c->sub->name.text);
    diag_note(d, c->lattice->span, "the lattice");
    diag_hint(d, "cells are used in that sub, and in subs that are called from there alone");
    return false;
}

static void
check_lattice(struct cells *c, const struct rule *r, const struct sub_row *s)
{
    struct diag *d = c->f->diag;
    const bool on_main = s->sub == c->f->tree->main;
    if (c->lattice) {
        diag(d, SEV_ERROR, D_EXT21, r->span, "a second lattice of cells");
        diag_note(d, c->lattice->span, "the first one");
        return;
    }
    if (!on_main && !s->ncalls)
        diag(d, SEV_ERROR, D_EXT21, r->span,
             "'cells' stands behind the block of main, or of a sub that main calls");
    c->lattice = r;
    c->sub = s->sub;
    for (int i = 0; !on_main && i < s->ncalls; i++) check_maker(c, r, s->sub, s->calls[i]);
    if (!on_main) find_early(c);
    c->dims = length(r->exprs);
    if (c->dims > CELL_DIMS_MAX)
        diag(d, SEV_ERROR, D_EXT21, r->span, "a lattice has at most %d dimensions, this one has %d",
             CELL_DIMS_MAX, c->dims);
    check_rule_fixed(c, r, D_EXT21);
    for (const struct expr *e = r->exprs; e; e = e->next)
        if (e->kind == E_INT && e->ival < 1)
            diag(d, SEV_ERROR, D_EXT21, e->span, "a side of the lattice is at least 1");
}

/* ---- cell x[i] => e1, e2; bytes x[i] => e; ---- */

bool
check_is_about(const struct rule *r, enum rule_id id)
{
    return r->kind == R_MAP && rule_find(r->name.text) == id && r->refs;
}

const struct rule *
check_rule_for(const struct rule *from, const struct rule *end, enum rule_id id, const char *name)
{
    for (; from != end; from = from->next)
        if (check_is_about(from, id) && from->refs->name.text == name) return from;
    return NULL;
}

bool
check_owner(struct facts *f, const struct rule *rules, const struct rule *r,
            const struct code_block *b, enum diag_code code)
{
    struct diag *d = f->diag;
    const struct symbol *s = r->refs->sym;
    const char *name = r->refs->name.text, *rule = r->name.text;
    const struct rule *first = check_rule_for(rules, r, rule_find(rule), name);
    const char *article = strchr("aeiou", *rule) ? "an" : "a";
    if (!s) return false; /* undeclared: reported */
    if (s->kind != SYM_DF || s->block != b) {
        diag(d, SEV_ERROR, code, r->refs->name.span, "'%s' is not declared in this block", name);
        if (s->kind == SYM_DF)
            diag_note(d, s->name.span,
                      "it is declared here: its %s rule belongs behind this block", rule);
        else
            diag_hint(d, "%s %s rule belongs behind the block whose df line declares the name",
                      article, rule);
        return false;
    }
    if (!first) return true;
    diag(d, SEV_ERROR, code, r->span, "a second %s rule for '%s'", rule, name);
    diag_note(d, first->span, "the first one");
    return false;
}

static void
check_bound(struct cells *c, const struct rule *rules, const struct rule *r,
            const struct code_block *b, int sub)
{
    struct diag *d = c->f->diag;
    int n = length(r->exprs);
    if (!check_owner(c->f, rules, r, b, D_EXT21) || !check_in_time(c, r->span, sub)) return;
    if (!c->lattice) {
        diag(d, SEV_ERROR, D_EXT21, r->span, "the program has no lattice of cells");
        diag_hint(d, "say behind main's block how large it is: @ { cells %s; }",
                  n == 1 ? "8" : n == 2 ? "8, 8" : "8, 8, 8");
    } else if (n != c->dims) {
        diag(d, SEV_ERROR, D_EXT21, r->span, "'%s' is bound by %d %s, but the lattice has %d",
             r->refs->name.text, n, n == 1 ? "expression" : "expressions", c->dims);
        diag_note(d, c->lattice->span, "the lattice");
    }
    check_rule_fixed(c, r, D_EXT21);
}

static void
check_bytes(struct cells *c, const struct rule *rules, const struct rule *r,
            const struct code_block *b)
{
    struct diag *d = c->f->diag;
    if (!check_owner(c->f, rules, r, b, D_EXT23)) return;
    const struct rule *cell = check_rule_for(rules, NULL, RULE_CELL, r->refs->name.text);
    if (cell && cell->refs->nindices != r->refs->nindices) {
        diag(d, SEV_ERROR, D_EXT23, r->span, "'%s' has %d %s here, but %d in its cell rule",
             r->refs->name.text, r->refs->nindices,
             r->refs->nindices == 1 ? "index" : "indices", cell->refs->nindices);
        diag_note(d, cell->span, "the cell rule");
    }
    check_rule_fixed(c, r, D_EXT23);
    struct known v;
    if (form_fold(r->exprs, NULL, &v) && !v.real && v.i < 0)
        diag(d, SEV_ERROR, D_EXT23, r->exprs->span, "a value has at least 0 bytes");
}

/* ---- node(e1, e2) ---- */

static const char *
counted(struct cells *c, long n, const char *one, const char *many)
{
    return arena_printf(c->f->arena, "%ld %s", n, n == 1 ? one : many);
}

static void
check_node(struct cells *c, const struct expr *e, int sub)
{
    struct diag *d = c->f->diag;
    if (!check_in_time(c, e->span, sub)) return;
    if (!c->lattice) {
        diag(d, SEV_ERROR, D_EXT21, e->span,
             "node() is the owner of a cell, but the program has no lattice of cells");
        diag_hint(d, "say behind main's block how large it is: @ { cells %s; }",
                  e->ival < 2 ? "8" : e->ival == 2 ? "8, 8" : "8, 8, 8");
    } else if (e->ival != c->dims) {
        diag(d, SEV_ERROR, D_EXT21, e->span, "node() has %s, but the lattice has %s",
             counted(c, (long)e->ival, "expression", "expressions"),
             counted(c, c->dims, "dimension", "dimensions"));
        diag_note(d, c->lattice->span, "the lattice");
    }
}

static void
check_nodes_in(struct cells *c, const struct expr *e, int sub)
{
    if (!e) return;
    if (e->kind == E_NODE) check_node(c, e, sub);
    check_nodes_in(c, e->a, sub);
    check_nodes_in(c, e->b, sub);
    check_nodes_in(c, e->c, sub);
    for (const struct expr *i = e->kind == E_REF ? e->ref->indices : NULL; i; i = i->next)
        check_nodes_in(c, i, sub);
}

/* ---- the rules behind a statement or a block ---- */

static void
check_list(struct cells *c, const struct rule *rules, const struct code_block *b, int sub)
{
    for (const struct rule *r = rules; r; r = r->next) {
        if (check_is_about(r, RULE_CELL)) check_bound(c, rules, r, b, sub);
        if (check_is_about(r, RULE_BYTES)) check_bytes(c, rules, r, b);
        for (const struct expr *e = r->exprs; e; e = e->next) check_nodes_in(c, e, sub);
    }
}

/* ---- mentions ---- */

static const struct rule *
rule_of(const struct symbol *s)
{
    const struct rule *r = s->kind == SYM_DF && s->block ? s->block->rules : NULL;
    return check_rule_for(r, NULL, RULE_CELL, s->name.text);
}

static void
check_mention(struct cells *c, const struct use *u)
{
    const struct rule *r = u->kind == USE_PASS ? NULL : rule_of(u->target.sym);
    if (!r || r->refs->nindices == u->target.depth) return;
    diag(c->f->diag, SEV_ERROR, D_EXT21, u->span, "'%s' has %d %s here, but %d in its cell rule",
         u->target.sym->name.text, u->target.depth, u->target.depth == 1 ? "index" : "indices",
         r->refs->nindices);
    diag_note(c->f->diag, r->span, "the rule");
}

void
check_cells(struct facts *f)
{
    struct cells c = {.f = f};
    for (int i = 0; i < 2 * f->nsubs; i++) { /* main comes first */
        const struct sub_row *s = &f->subs[i % f->nsubs];
        const struct code_block *b = s->sub->body;
        if ((s->sub == f->tree->main) != (i < f->nsubs)) continue;
        for (const struct rule *r = b ? b->rules : NULL; r; r = r->next)
            if (r->kind == R_ENUM && rule_find(r->name.text) == RULE_CELLS)
                check_lattice(&c, r, s);
    }
    for (int i = 0; i < f->nsubs; i++) {
        const struct code_block *b = f->subs[i].sub->body;
        if (b) check_list(&c, b->rules, b, i);
    }
    for (int i = 0; i < f->nsites; i++) {
        const struct stmt *s = f->sites[i].stmt;
        check_list(&c, rules_of(s), s->other ? s->other : s->body, f->sites[i].sub);
    }
    for (int i = 0; c.lattice && i < f->nuses; i++)
        if (f->uses[i].site != NONE) check_mention(&c, &f->uses[i]);
}
