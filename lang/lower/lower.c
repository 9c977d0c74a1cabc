/* lower.c - subs, blocks and statements in the order of their rows.
 *
 * The statements of a block are consecutive rows, so a block takes
 * its rows first and fills them one by one; bodies come behind. A let
 * leaves no trace: its statements stand in the block around it. */
#include "lang/lower/lower.h"

#include "lang/lower/lower_parts.h"
#include "runtime/base/utf8.h"

#include <string.h>

void
lower_too_large(struct lower *l, struct span span, const char *what, unsigned most)
{
    diag(l->diag, SEV_ERROR, D_EXT17, span, "more than %u %s", most, what);
}

/* ---- places ---- */

static uint32_t
file_row(struct lower *l, const char *file)
{
    struct plan *p = l->p;
    if (l->file == file) return l->file_row;
    uint32_t i = 0;
    while (i < p->files.n && strcmp(p->files.row[i], file)) i++;
    if (i == p->files.n) plan_add(p, files, file);
    l->file = file;
    l->file_row = i;
    return i;
}

static uint16_t
narrow(uint32_t n)
{
    return n < UINT16_MAX ? (uint16_t)n : UINT16_MAX;
}

uint32_t
lower_place(struct lower *l, struct span span)
{
    struct plan_place row = {0};
    struct place at;
    if (source_place(l->source, span, 0, &at, NULL)) {
        row = (struct plan_place){file_row(l, at.file), at.line, narrow(at.col),
                                  narrow(at.end_col)};
        if (at.end_line != at.line) { /* to the end of its first line */
            row.end_col = row.col;
            for (size_t i = 0, col = 1; i < at.line_size; i++)
                if (utf8_begins(at.line_text[i]) && ++col > row.col)
                    row.end_col = narrow((uint32_t)col);
        }
    }
    return plan_intern(l->p, places, &row, 1);
}

/* ---- what is reached from main ---- */

static void
reach(struct sub *s, struct sub **list, int *n)
{
    if (!s || s->number != SUB_UNREACHED) return;
    s->number = SUB_REACHED;
    list[(*n)++] = s;
}

static void
reach_from(const struct code_block *b, struct sub **list, int *n)
{
    for (const struct stmt *s = b->stmts; s; s = s->next) {
        if (s->kind == S_CALL || s->kind == S_REDUCE) reach(s->sub, list, n);
        if (s->body) reach_from(s->body, list, n);
        if (s->other) reach_from(s->other, list, n);
    }
}

/* A library of subs may be included for one of them, and its functions be absent: what main does
 * not reach is not compiled. */
static void
mark_reached(struct lower *l)
{
    int count = 0, n = 0;
    for (struct sub *s = l->tree->subs; s; s = s->next, count++) s->number = SUB_UNREACHED;
    struct sub **list = arena_array(l->a, struct sub *, (size_t)count);
    reach(l->tree->main, list, &n);
    for (int i = 0; i < n; i++)
        if (list[i]->body) reach_from(list[i]->body, list, &n);
}

uint32_t
lower_function(struct lower *l, struct sub *s)
{
    if (s->number < 0) {
        struct plan_function row = {s, lower_place(l, s->name.span)};
        s->number = (int)plan_add(l->p, functions, row);
    }
    return (uint32_t)s->number;
}

/* ---- declarations ---- */

static uint32_t
decl_row(struct lower *l, const struct symbol *s)
{
    struct plan_decl row = {s->name.text, l->sub_row, lower_place(l, s->name.span), PLAN_NONE, s};
    return plan_add(l->p, dfs, row);
}

/* Names are seen from statements above them (labels by afterpush), so all are declared first. */
static void
declare_block(struct lower *l, const struct code_block *b)
{
    for (struct symbol *s = b->dfs; s; s = s->next) s->slot = (int)decl_row(l, s);
    for (struct symbol *s = b->labels; s; s = s->next) s->slot = (int)decl_row(l, s);
    lower_map_blocks(l, b);
    for (const struct stmt *s = b->stmts; s; s = s->next) {
        if (s->body) declare_block(l, s->body);
        if (s->other) declare_block(l, s->other);
    }
}

static bool
declares_df(const struct code_block *b)
{
    if (b->dfs) return true;
    for (const struct stmt *s = b->stmts; s; s = s->next) {
        if ((s->kind == S_IF || s->kind == S_LET) && declares_df(s->body)) return true;
        if (s->other && declares_df(s->other)) return true;
    }
    return false;
}

/* ---- statements ---- */

static uint32_t lower_block(struct lower *l, const struct code_block *b, unsigned nlocal);

struct plan_site
lower_site(struct lower *l, const struct stmt *s, enum plan_site_kind kind, unsigned nlocal)
{
    l->stmt = s;
    l->rules = s->kind == S_CALL || !s->body ? s->rules : s->body->rules;
    l->block = s->in;
    l->nlocal = nlocal;
    l->reads_own = false;
    need_begin(l);
    struct plan_sub *sub = &l->p->subs.row[l->sub_row];
    if (nlocal > sub->nlocal_max) sub->nlocal_max = nlocal;
    if (nlocal > UINT16_MAX) lower_too_large(l, s->span, "loops around a statement", UINT16_MAX);
    return (struct plan_site){.kind = kind,
                              .nlocal = (uint16_t)nlocal,
                              .callee = PLAN_NONE,
                              .body = PLAN_NONE,
                              .a = PLAN_NONE,
                              .b = PLAN_NONE,
                              .rules = PLAN_NONE,
                              .place = lower_place(l, s->span),
                              .sub = l->sub_row,
                              .stmt = s};
}

void
lower_rules_first(struct lower *l)
{
    rules_need_node(l);
    need_next_phase(l);
    rules_need_explicit(l);
}

static bool
name_of_arg(struct lower *l, const struct expr *arg, struct dfref *r)
{
    const struct expr *e = lower_see(l, arg);
    return e->kind == E_REF && lower_flatten(l, e->ref, r);
}

/* Counts are taken when the values are there: those of the call, too. */
int
lower_own(struct lower *l, const struct dfref *r)
{
    const struct stmt *s = l->stmt;
    struct dfref out;
    if (s->kind != S_CALL || s->sub->kind == SUB_STRUCT) return -1;
    const struct symbol *param = s->sub->params;
    int n = 0;
    for (const struct expr *e = s->args; e && param; e = e->next, param = param->next, n++)
        if (param->type == T_NAME && !e->over && name_of_arg(l, e, &out) &&
            lower_ref_same(l, &out, r))
            return n;
    return -1;
}

static void
need_args(struct lower *l, const struct stmt *s)
{
    const struct symbol *param = s->sub->params;
    bool atomic = s->sub->kind != SUB_STRUCT;
    struct dfref r;
    for (const struct expr *e = s->args; e && param; e = e->next, param = param->next) {
        if (e->over) continue; /* lower_list.c */
        if (param->type != T_NAME) need_expr(l, e, PI_REQUEST);
        else if (name_of_arg(l, e, &r)) need_name(l, &r, atomic, PI_REQUEST);
    }
}

static struct plan_arg
arg_of(enum plan_arg_kind kind, uint32_t row)
{
    return (struct plan_arg){kind, row, PLAN_NONE, PLAN_NONE};
}

/* Faults of an argument point at it. Rows without a place are shared, so only those get one that
 * may fail. */
static bool
arg_may_fail(const struct lower *l, const struct plan_arg *a)
{
    if (a->kind == PA_NAME || a->kind == PA_LIST) return false;
    const struct plan_expr *row = &l->p->exprs.row[a->row];
    if (a->kind == PA_INT) return lower_int_may_fail(row);
    switch (row->kind) {
    case PE_IN: return a->kind != PA_VALUE;
    case PE_FVALUE: case PE_INT_FN: case PE_REAL_FN: case PE_VALUE_FN: return true;
    default: return false;
    }
}

static struct plan_arg
lower_name_arg(struct lower *l, const struct stmt *s, const struct expr *e)
{
    struct dfref r;
    struct plan_arg row = arg_of(PA_NAME, PLAN_NONE);
    if (!name_of_arg(l, e, &r)) return row;
    bool atomic = s->sub->kind != SUB_STRUCT;
    row.row = lower_ref(l, &r, atomic);
    if (atomic) row.post = rules_post(l, row.row);
    carry_mention(l, row.row, atomic ? MENTION_WRITE : MENTION_WRITE | MENTION_READ | MENTION_PART);
    return row;
}

static struct plan_arg
lower_arg(struct lower *l, const struct stmt *s, enum type type, const struct expr *e)
{
    switch (type) {
    case T_REAL: return arg_of(PA_REAL, lower_real(l, e));
    case T_STRING: return arg_of(PA_STRING, lower_string(l, e));
    case T_VALUE: return arg_of(PA_VALUE, lower_value(l, e));
    case T_NAME: return lower_name_arg(l, s, e);
    default: return arg_of(PA_INT, lower_int(l, e));
    }
}

struct plan_arg
lower_int_arg(struct lower *l, const struct expr *e)
{
    struct plan_arg a = arg_of(PA_INT, lower_int(l, e));
    if (arg_may_fail(l, &a)) a.place = lower_place(l, e->span);
    return a;
}

static struct plan_site
lower_call(struct lower *l, const struct stmt *s, unsigned nlocal)
{
    bool atomic = s->sub->kind != SUB_STRUCT;
    struct plan_site site = lower_site(l, s, atomic ? PS_CALL : PS_EXPAND, nlocal);
    struct lists *lists = lists_begin(l, s, nlocal);
    lower_rules_first(l);
    need_args(l, s);
    lists_need(l, lists);
    rules_need(l);
    need_end(l, &site);
    struct plan_arg *args = arena_array(l->a, struct plan_arg, (size_t)s->nargs);
    const struct symbol *param = s->sub->params;
    int n = 0;
    uint32_t list = 0;
    for (const struct expr *e = s->args; e && param; e = e->next, param = param->next) {
        struct plan_arg *a = &args[n++];
        *a = e->over ? arg_of(PA_LIST, list++) : lower_arg(l, s, param->type, e);
        if (arg_may_fail(l, a)) a->place = lower_place(l, e->span);
    }
    if (n > UINT16_MAX) lower_too_large(l, s->span, "arguments", UINT16_MAX);
    site.nargs = (uint16_t)n;
    site.arg = plan_intern(l->p, args, args, (uint32_t)n);
    site.callee = atomic ? lower_function(l, s->sub) : (uint32_t)s->sub->number;
    site.rules = rules_lower(l, &site);
    if (l->reads_own) site.flags |= PF_OWN;
    lists_args(l, lists);
    site.body = lists_lower(l, lists, l->fill_at);
    return site;
}

static struct plan_site
lower_if(struct lower *l, const struct stmt *s, unsigned nlocal)
{
    struct plan_site site = lower_site(l, s, PS_IF, nlocal);
    lower_rules_first(l);
    need_expr(l, s->cond, PI_REQUEST);
    rules_need(l);
    need_end(l, &site);
    site.a = lower_true(l, s->cond);
    site.rules = rules_lower(l, &site);
    site.body = lower_block(l, s->body, nlocal);
    if (s->other) site.b = lower_block(l, s->other, nlocal);
    return site;
}

static struct plan_site
lower_for(struct lower *l, const struct stmt *s, unsigned nlocal)
{
    struct plan_site site = lower_site(l, s, PS_FOR, nlocal);
    bool fresh = declares_df(s->body);
    s->counter->slot = (int)nlocal;
    lower_rules_first(l);
    need_expr(l, s->lo, PI_REQUEST);
    need_expr(l, s->hi, PI_REQUEST);
    rules_need(l);
    need_end(l, &site);
    site.a = lower_int(l, s->lo);
    site.b = lower_int(l, s->hi);
    site.step = s->step;
    site.rules = rules_lower(l, &site);
    uint32_t mentions = l->nmentions;
    unsigned pushes = l->npushes;
    site.body = lower_block(l, s->body, nlocal + 1 + fresh);
    if (fresh) site.flags |= PF_FRESH;
    if (l->npushes > pushes || carry_between(l, mentions, nlocal)) site.flags |= PF_CARRIED;
    return site;
}

/* The condition with its counter, which is the last word it sees. */
static struct plan_site
lower_test(struct lower *l, const struct stmt *s, unsigned nlocal)
{
    struct plan_site site = lower_site(l, s, PS_TEST, nlocal);
    bool fresh = declares_df(s->body);
    struct dfref out;
    bool has_out = lower_flatten(l, s->out, &out);
    lower_rules_first(l);
    need_expr(l, s->cond, PI_REQUEST);
    if (has_out) need_name(l, &out, true, PI_REQUEST);
    rules_need(l);
    need_end(l, &site);
    site.a = lower_true(l, s->cond);
    if (has_out) {
        struct plan_arg arg = arg_of(PA_NAME, lower_ref(l, &out, true));
        arg.post = rules_post(l, arg.row);
        carry_mention(l, arg.row, MENTION_WRITE);
        site.nargs = 1;
        site.arg = plan_intern(l->p, args, &arg, 1);
    }
    site.rules = rules_lower(l, &site);
    if (fresh) site.flags |= PF_FRESH;
    site.body = lower_block(l, s->body, nlocal + fresh);
    return site;
}

static struct plan_site
lower_while(struct lower *l, const struct stmt *s, unsigned nlocal)
{
    struct plan_site site = lower_site(l, s, PS_WHILE, nlocal);
    s->counter->slot = (int)nlocal;
    need_expr(l, s->lo, PI_REQUEST);
    need_end(l, &site);
    site.a = lower_int(l, s->lo);
    site.rules = rules_of_seat(l);
    struct plan_block block = {plan_add_many(l->p, sites, 1), 1};
    site.body = plan_add(l->p, blocks, block);
    struct plan_site test = lower_test(l, s, nlocal + 1);
    l->p->sites.row[block.site] = test;
    return site;
}

static struct plan_site
lower_stmt(struct lower *l, const struct stmt *s, unsigned nlocal)
{
    switch (s->kind) {
    case S_IF: return lower_if(l, s, nlocal);
    case S_FOR: return lower_for(l, s, nlocal);
    case S_WHILE: return lower_while(l, s, nlocal);
    case S_REDUCE: return lower_reduce(l, s, nlocal);
    default: return lower_call(l, s, nlocal);
    }
}

/* ---- blocks ---- */

static bool
has_site(const struct stmt *s)
{
    return s->kind != S_CALL || s->sub;
}

static uint32_t
count_sites(const struct code_block *b)
{
    uint32_t n = 0;
    for (const struct stmt *s = b->stmts; s; s = s->next)
        n += s->kind == S_LET ? count_sites(s->body) : has_site(s);
    return n;
}

/* Fills rows from `at` on; gives the row behind. */
static uint32_t
fill_sites(struct lower *l, const struct code_block *b, uint32_t at, unsigned nlocal)
{
    for (const struct stmt *s = b->stmts; s; s = s->next) {
        if (s->kind == S_LET) {
            lower_cells(l, s->body, nlocal);
            at = fill_sites(l, s->body, at, nlocal);
        } else if (has_site(s)) {
            l->fill_at = at;
            struct plan_site site = lower_stmt(l, s, nlocal); /* the table may move meanwhile */
            l->p->sites.row[at++] = site;
        }
    }
    return at;
}

static uint32_t
lower_block(struct lower *l, const struct code_block *b, unsigned nlocal)
{
    struct plan_block row = {0, count_sites(b)};
    row.site = plan_add_many(l->p, sites, row.nsites);
    uint32_t at = plan_add(l->p, blocks, row);
    lower_cells(l, b, nlocal);
    fill_sites(l, b, row.site, nlocal);
    return at;
}

/* ---- subs ---- */

static void
sub_row(struct lower *l, struct sub *s)
{
    struct plan_sub row = {.sub = s,
                           .nwords = lower_words(s),
                           .place = lower_place(l, s->name.span)};
    if (row.nwords > UINT16_MAX) lower_too_large(l, s->name.span, "parameters", UINT16_MAX);
    s->number = (int)plan_add(l->p, subs, row);
}

/* Conditions on the frame, looked at before the body begins. */
static void
lower_requirements(struct lower *l, const struct code_block *b)
{
    struct plan_sub *sub = &l->p->subs.row[l->sub_row];
    l->nlocal = 0;
    l->rules = NULL;
    l->block = b;
    sub->require = l->p->requires.n;
    for (const struct rule *r = b->rules; r; r = r->next) {
        if (!rule_is(r, R_EXPR, "require")) continue;
        struct plan_require row = {.place = lower_place(l, r->span),
                                   .text = ast_expr_text(l->a, r->exprs)};
        row.expr = lower_true(l, r->exprs);
        plan_add(l->p, requires, row);
        sub->nrequire++;
    }
}

static void
lower_sub(struct lower *l, struct sub *s)
{
    l->sub = s;
    l->sub_row = (uint32_t)s->number;
    l->nmentions = 0;
    declare_block(l, s->body);
    lower_requirements(l, s->body);
    uint32_t body = lower_block(l, s->body, 0);
    l->p->subs.row[l->sub_row].body = body;
}

/* An atomic main: a structured one around it that passes its parameters on. */
static void
lower_atomic_main(struct lower *l, struct sub *s)
{
    static const struct { enum plan_arg_kind arg; enum plan_expr_kind expr; } by_type[] = {
        [T_INT] = {PA_INT, PE_FRAME},
        [T_REAL] = {PA_REAL, PE_FREAL},
        [T_STRING] = {PA_STRING, PE_FVALUE},
        [T_VALUE] = {PA_VALUE, PE_FVALUE},
    };
    struct plan *p = l->p;
    struct plan_sub sub = {.sub = s,
                           .nwords = (uint32_t)s->nparams,
                           .place = lower_place(l, s->name.span)};
    struct plan_site site = {.kind = PS_CALL, .body = PLAN_NONE, .a = PLAN_NONE, .b = PLAN_NONE,
                             .rules = PLAN_NONE, .place = sub.place,
                             .nargs = (uint16_t)s->nparams};
    struct plan_arg *args = arena_array(l->a, struct plan_arg, (size_t)s->nparams);
    for (const struct symbol *param = s->params; param; param = param->next) {
        struct plan_expr x = {.kind = by_type[param->type].expr, .a = (uint16_t)param->number};
        args[param->number] = arg_of(by_type[param->type].arg, plan_expr(p, &x));
    }
    site.arg = plan_intern(p, args, args, (uint32_t)s->nparams);
    site.callee = lower_function(l, s);
    site.sub = p->main = plan_add(p, subs, sub);
    struct plan_block block = {plan_add(p, sites, site), 1};
    p->subs.row[p->main].body = plan_add(p, blocks, block);
}

struct plan *
lower_run(struct arena *a, const struct source *s, const struct ast *t, struct diag *d)
{
    struct lower *l = arena_new_of(a, struct lower);
    *l = (struct lower){
        .a = a, .source = s, .tree = t, .diag = d, .p = plan_empty(a), .text.arena = a};
    l->p->name = source_file_count(s) ? source_file_name(s, 0) : "";
    if (!t->main) return l->p;
    mark_reached(l);
    lower_seats(l, t->subs);
    for (const struct sub *sub = t->subs; sub; sub = sub->next)
        for (const struct rule *r = sub->body ? sub->body->rules : NULL; r; r = r->next)
            l->has_cells |= rule_is(r, R_ENUM, "cells");
    for (struct sub *sub = t->subs; sub; sub = sub->next)
        if (sub->kind == SUB_STRUCT && sub->number == SUB_REACHED) sub_row(l, sub);
    for (struct sub *sub = t->subs; sub; sub = sub->next)
        if (sub->kind == SUB_STRUCT && sub->number >= 0) lower_sub(l, sub);
    if (t->main->kind == SUB_STRUCT) l->p->main = (uint32_t)t->main->number;
    else lower_atomic_main(l, t->main);
    return l->p;
}
