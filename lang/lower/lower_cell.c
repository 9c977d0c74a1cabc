/* lower_cell.c - what blocks say of their DFs: the lattice of cells, where on it fragments are, how
 * large they are, which indices they have; and which calls follow them. */
#include "lang/lower/lower_parts.h"

enum { ABOUT_CAPTURES_MAX = 16 }; /* as in program.h */

/* ---- rules of blocks ---- */

struct captures {
    struct plan_capture *row;
    uint32_t n, room;
};

unsigned
lower_capture(struct lower *l, bool in_frame, unsigned word)
{
    uint8_t from = in_frame ? PF_FRAME : PF_LOCAL;
    struct captures *c = l->captures;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->row[i].word == word && c->row[i].from == from) return i;
    vec_need(l->a, c->row, c->n, c->room);
    c->row[c->n] = (struct plan_capture){(uint16_t)word, from, 0};
    return c->n++;
}

static uint32_t
exprs_run(struct lower *l, const struct expr *list, uint32_t *count)
{
    uint32_t rows[8], n = 0;
    for (const struct expr *e = list; e && n < 8; e = e->next) rows[n++] = lower_int(l, e);
    if (count) *count = n;
    return plan_expr_run(l->p, rows, n);
}

/* What is said of a DF is one row. */
static struct plan_about
about_begin(struct lower *l, const struct symbol *df, uint32_t nindices, struct captures *captures)
{
    const struct plan_decl *decl = &l->p->dfs.row[df->slot];
    struct plan_about row = PLAN_ABOUT_NONE;
    if (decl->about != PLAN_NONE) row = l->p->abouts.row[decl->about];
    else row.nindices = nindices;
    l->captures = captures;
    for (uint32_t i = 0; i < row.ncaptures; i++) {
        const struct plan_capture *c = &l->p->captures.row[row.capture + i];
        lower_capture(l, c->from == PF_FRAME, c->word);
    }
    return row;
}

static void
about_end(struct lower *l, const struct symbol *df, struct span span, struct plan_about *row)
{
    const struct captures *captures = l->captures;
    l->captures = NULL;
    if (captures->n > ABOUT_CAPTURES_MAX)
        lower_too_large(l, span, "words in what is said of a fragment", ABOUT_CAPTURES_MAX);
    row->ncaptures = captures->n;
    row->capture = plan_intern(l->p, captures, captures->row, captures->n);
    l->p->dfs.row[df->slot].about = plan_intern(l->p, abouts, row, 1);
}

static void
lower_about(struct lower *l, const struct rule *r)
{
    const struct symbol *df = r->refs->sym;
    struct captures captures = {0};
    if (!df || df->kind != SYM_DF) return; /* reported */
    struct plan_about row = about_begin(l, df, (uint32_t)r->refs->nindices, &captures);
    enum plan_about_part part = PLAN_ABOUT_OUTSIDE;
    if (rule_is(r, R_MAP, "cell")) {
        row.cell = exprs_run(l, r->exprs, NULL);
        part = PLAN_ABOUT_CELL;
    } else if (rule_is(r, R_MAP, "bytes")) {
        row.bytes = exprs_run(l, r->exprs, NULL);
        part = PLAN_ABOUT_BYTES;
    } else {
        row.outside = lower_value(l, r->exprs);
    }
    row.place[part] = lower_place(l, r->exprs->span);
    about_end(l, df, r->span, &row);
}

static void
lower_shape(struct lower *l, const struct symbol *df)
{
    struct captures captures = {0};
    uint32_t n = 0, *rows = arena_array(l->a, uint32_t, 2 * (size_t)df->nshape);
    struct plan_about row = about_begin(l, df, (uint32_t)df->nshape, &captures);
    for (const struct expr *e = df->shape; e; e = e->next) rows[n++] = lower_int(l, e);
    row.shape = plan_expr_run(l->p, rows, n);
    row.counted = df->counted;
    about_end(l, df, df->name.span, &row);
}

void
lower_cells(struct lower *l, const struct code_block *b, unsigned nlocal)
{
    l->nlocal = nlocal;
    l->rules = NULL;
    l->block = b;
    for (const struct symbol *df = b->dfs; df; df = df->next)
        if (df->shape) lower_shape(l, df);
    for (const struct rule *r = b->lends ? NULL : b->rules; r; r = r->next) {
        if (rule_is(r, R_MAP, "cell") || rule_is(r, R_MAP, "bytes") ||
            rule_is(r, R_MAP, "outside"))
            lower_about(l, r);
        if (!rule_is(r, R_ENUM, "cells")) continue;
        l->p->extent = exprs_run(l, r->exprs, &l->p->nextents);
        l->p->lattice_sub = l->sub_row;
    }
}

/* ---- where a call runs ----
 *
 * With the first of these that is bound to a cell: its name arguments, then
 * its inputs, both in the order in which they are written; a reduction with
 * its result. Of a name that came as a parameter only the run knows whether
 * it is; behind a reference that surely is there is nothing to look for. */

struct near {
    struct dfref *row;
    uint32_t n, room;
    bool sure;
};

static void
near_add(struct lower *l, struct near *near, const struct dfref *r)
{
    uint32_t about = PLAN_NONE;
    if (near->sure) return;
    if (r->sym->kind == SYM_DF) {
        about = l->p->dfs.row[r->sym->slot].about;
        if (about == PLAN_NONE || l->p->abouts.row[about].cell == PLAN_NONE ||
            l->p->abouts.row[about].nindices != (uint32_t)r->nindices)
            return;
        near->sure = true;
    }
    vec_need(l->a, near->row, near->n, near->room);
    near->row[near->n++] = *r;
}

static void
near_inputs(struct lower *l, struct near *near, const struct expr *e)
{
    struct dfref r;
    e = lower_see(l, e);
    if (e->kind == E_REF) {
        if (lower_flatten(l, e->ref, &r)) near_add(l, near, &r);
        return;
    }
    if (e->a) near_inputs(l, near, e->a);
    if (e->b) near_inputs(l, near, e->b);
    if (e->c) near_inputs(l, near, e->c);
}

/* What is sent to a label by afterpush goes where the label's locator says, so the call stays. */
static bool
waits(const struct lower *l)
{
    const struct rule *r = l->rules;
    while (r && !rule_is(r, R_ENUM, "wait")) r = r->next;
    return r != NULL;
}

static struct near
near_of(struct lower *l, const struct stmt *call)
{
    struct near near = {0};
    struct dfref r;
    if (!l->has_cells || waits(l)) return near;
    if (call->kind == S_REDUCE) {
        if (lower_flatten(l, call->out, &r)) near_add(l, &near, &r);
        return near;
    }
    const struct symbol *param = call->sub->params;
    for (const struct expr *e = call->args; e && param; e = e->next, param = param->next) {
        const struct expr *seen = lower_see(l, e);
        if (param->type != T_NAME || seen->kind != E_REF) continue;
        if (e->over ? list_first(l, e, &r) : lower_flatten(l, seen->ref, &r))
            near_add(l, &near, &r);
    }
    param = call->sub->params;
    for (const struct expr *e = call->args; e && param; e = e->next, param = param->next) {
        if (param->type == T_NAME) continue;
        if (!e->over) near_inputs(l, &near, e);
        else if (list_first(l, e, &r)) near_add(l, &near, &r);
    }
    return near;
}

void
lower_near_needs(struct lower *l, const struct stmt *call)
{
    struct near near = near_of(l, call);
    for (uint32_t i = 0; i < near.n; i++) need_name(l, &near.row[i], false, PI_NODE);
}

uint32_t
lower_near(struct lower *l, const struct stmt *call, uint32_t *count)
{
    struct near near = near_of(l, call);
    struct plan_ref *rows = arena_array(l->a, struct plan_ref, near.n);
    for (uint32_t i = 0; i < near.n; i++) {
        uint32_t at = lower_ref(l, &near.row[i], false); /* which may move the rows */
        rows[i] = l->p->refs.row[at];
    }
    *count = near.n;
    return plan_intern(l->p, refs, rows, near.n);
}
