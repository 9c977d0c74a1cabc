/* check_cell.c - what blocks say of the DFs they declare: the lattice of cells, one, on main; which
 * DFs are bound to its cells; how many bytes values take. */
#include "lang/check/check_facts.h"
#include "lang/tree/rules.h"

#include <string.h>

enum { CELL_DIMS_MAX = 3 };

struct cells {
    struct facts *f;
    const struct rule *lattice; /* main's; NULL: none */
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

static void
check_lattice(struct cells *c, const struct rule *r, bool on_main)
{
    struct diag *d = c->f->diag;
    if (!on_main) {
        diag(d, SEV_ERROR, D_EXT21, r->span, "'cells' stands behind the block of main");
        return;
    }
    if (c->lattice) {
        diag(d, SEV_ERROR, D_EXT21, r->span, "a second lattice of cells");
        diag_note(d, c->lattice->span, "the first one");
        return;
    }
    c->lattice = r;
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
            const struct code_block *b)
{
    struct diag *d = c->f->diag;
    int n = length(r->exprs);
    if (!check_owner(c->f, rules, r, b, D_EXT21)) return;
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
check_node(struct cells *c, const struct expr *e)
{
    struct diag *d = c->f->diag;
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
check_nodes_in(struct cells *c, const struct expr *e)
{
    if (!e) return;
    if (e->kind == E_NODE) check_node(c, e);
    check_nodes_in(c, e->a);
    check_nodes_in(c, e->b);
    check_nodes_in(c, e->c);
    for (const struct expr *i = e->kind == E_REF ? e->ref->indices : NULL; i; i = i->next)
        check_nodes_in(c, i);
}

/* ---- the rules behind a statement or a block ---- */

static void
check_list(struct cells *c, const struct rule *rules, const struct code_block *b)
{
    for (const struct rule *r = rules; r; r = r->next) {
        if (check_is_about(r, RULE_CELL)) check_bound(c, rules, r, b);
        if (check_is_about(r, RULE_BYTES)) check_bytes(c, rules, r, b);
        for (const struct expr *e = r->exprs; e; e = e->next) check_nodes_in(c, e);
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
    const struct code_block *main = f->tree->main ? f->tree->main->body : NULL;
    for (int i = 0; i < f->nsubs; i++) {
        const struct code_block *b = f->subs[i].sub->body;
        for (const struct rule *r = b ? b->rules : NULL; r; r = r->next)
            if (r->kind == R_ENUM && rule_find(r->name.text) == RULE_CELLS)
                check_lattice(&c, r, b == main);
    }
    for (int i = 0; i < f->nsubs; i++) {
        const struct code_block *b = f->subs[i].sub->body;
        if (b) check_list(&c, b->rules, b);
    }
    for (int i = 0; i < f->nsites; i++) {
        const struct stmt *s = f->sites[i].stmt;
        check_list(&c, rules_of(s), s->other ? s->other : s->body);
    }
    for (int i = 0; c.lattice && i < f->nuses; i++)
        if (f->uses[i].site != NONE) check_mention(&c, &f->uses[i]);
}
