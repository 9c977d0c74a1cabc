/* lower_dump.c - the plan for people: sub by sub, what waits for what. */
#include "lang/lower/lower.h"

#include <inttypes.h>

struct dump {
    const struct plan *p;
    struct buf *o;
    int depth;
};

static void dump_block(struct dump *d, uint32_t block);

static void
new_line(struct dump *d)
{
    buf_char(d->o, '\n');
    for (int i = 0; i < d->depth; i++) buf_str(d->o, "    ");
}

static void
put_locator(struct dump *d, uint32_t locator)
{
    const struct plan_locator *r = &d->p->locators.row[locator];
    if (r->kind == PL_REPLICATE_ALL) {
        buf_str(d->o, "all nodes");
        return;
    }
    buf_str(d->o, r->kind == PL_REPLICATE_STEP ? "every node " : "node ");
    plan_print_expr(d->p, r->expr, d->o);
}

static void
put_ref(struct dump *d, uint32_t ref)
{
    plan_print_ref(d->p, ref, d->o);
    if (ref >= d->p->refs.n || d->p->refs.row[ref].home == PLAN_NONE) return;
    buf_str(d->o, " on ");
    put_locator(d, d->p->refs.row[ref].home);
}

static void
put_post(struct dump *d, uint32_t post)
{
    if (post == PLAN_NONE) return;
    const struct plan_post *r = &d->p->posts.row[post];
    if (r->kind == PP_DROP) buf_str(d->o, " dropped");
    if (r->kind != PP_COUNT && r->kind != PP_PROVED) return;
    buf_str(d->o, " for ");
    plan_print_expr(d->p, r->count, d->o);
    if (r->kind == PP_PROVED) buf_str(d->o, ", proved");
}

/* What of the fragment that is named next. */
static void
put_part(struct dump *d, uint32_t part)
{
    static const char *const kind[] = {"int", "real", "int64", "float", "bytes"};
    if (part == PLAN_NONE) return;
    const struct plan_part *r = &d->p->parts.row[part];
    buf_printf(d->o, "%s ", kind[r->kind]);
    plan_print_expr(d->p, r->from, d->o);
    if (r->kind == PQ_BYTES) {
        buf_str(d->o, " and on, ");
        plan_print_expr(d->p, r->count, d->o);
    }
    buf_str(d->o, " of ");
}

static void
dump_inputs(struct dump *d, const struct plan_site *s)
{
    static const char *const kind[] = {"node needs", "asks for", "waits for"};
    for (uint32_t i = 0; i < s->nin; i++) {
        const struct plan_in *r = &d->p->ins.row[s->in + i];
        new_line(d);
        buf_printf(d->o, "in %" PRIu32 ": round %u %s ", i, r->round, kind[r->kind]);
        put_part(d, r->part);
        put_ref(d, r->ref);
        if (!r->again) continue;
        buf_printf(d->o, ", again%s", r->again == PG_SPREAD ? " on all nodes" : "");
        if (r->turns == PLAN_NONE) continue;
        buf_str(d->o, " x ");
        plan_print_expr(d->p, r->turns, d->o);
    }
}

static void
dump_args(struct dump *d, const struct plan_site *s)
{
    static const char *const kind[] = {"int", "real", "string", "value", "name", "list"};
    for (uint32_t i = 0; i < s->nargs; i++) {
        const struct plan_arg *r = &d->p->args.row[s->arg + i];
        new_line(d);
        buf_printf(d->o, "%s ", s->kind == PS_TEST ? "out" : kind[r->kind]);
        if (r->kind == PA_NAME) put_ref(d, r->row);
        else if (r->kind == PA_LIST) buf_printf(d->o, "%" PRIu32, r->row);
        else plan_print_expr(d->p, r->row, d->o);
        put_post(d, r->post);
    }
}

static void
put_label(struct dump *d, uint32_t label)
{
    const struct plan_label *r = &d->p->labels.row[label];
    buf_str(d->o, d->p->dfs.row[r->name].name);
    for (uint32_t i = 0; i < r->nindices; i++) {
        buf_char(d->o, '[');
        plan_print_expr(d->p, r->index + i, d->o);
        buf_char(d->o, ']');
    }
    if (r->home == PLAN_NONE) return;
    buf_str(d->o, " on ");
    put_locator(d, r->home);
}

static void
dump_sets(struct dump *d, const struct plan_rules *r)
{
    for (uint32_t i = 0; i < r->nset; i++) {
        new_line(d);
        buf_str(d->o, ">> ");
        put_ref(d, r->set + i);
        if (r->set_post != PLAN_NONE) put_post(d, r->set_post + i);
    }
    for (uint32_t i = 0; i < r->nkill; i++) {
        new_line(d);
        buf_str(d->o, "--> ");
        put_ref(d, r->kill + i);
    }
}

static void
dump_pushes(struct dump *d, const struct plan_rules *r)
{
    for (uint32_t i = 0; i < r->npush; i++) {
        const struct plan_push *push = &d->p->pushes.row[r->push + i];
        new_line(d);
        buf_str(d->o, "push ");
        put_ref(d, push->ref);
        buf_str(d->o, " => ");
        put_label(d, push->label);
    }
    for (uint32_t i = 0; i < r->nnfparam; i++) {
        const struct plan_nfarg *arg = &d->p->nfargs.row[r->nfparam + i];
        new_line(d);
        buf_printf(d->o, "its F%" PRIu32 " = ", arg->word);
        plan_print_expr(d->p, arg->expr, d->o);
    }
}

static void
dump_rules(struct dump *d, const struct plan_site *s)
{
    if (s->rules == PLAN_NONE) return;
    const struct plan_rules *r = &d->p->rules.row[s->rules];
    if (r->label != PLAN_NONE) {
        new_line(d);
        buf_str(d->o, "label ");
        put_label(d, r->label);
    }
    for (uint32_t i = 0; i < r->nnear; i++) {
        new_line(d);
        buf_str(d->o, i ? "else with " : "runs with ");
        put_ref(d, r->near + i);
    }
    if (r->node != PLAN_NONE) {
        new_line(d);
        buf_str(d->o, r->nnear ? "else on " : "runs on ");
        put_locator(d, r->node);
    }
    if (r->weight != PLAN_NONE) {
        new_line(d);
        buf_str(d->o, "weight ");
        plan_print_expr(d->p, r->weight, d->o);
    }
    if (r->priority != PLAN_NONE) {
        new_line(d);
        buf_str(d->o, "priority ");
        plan_print_expr(d->p, r->priority, d->o);
    }
    dump_sets(d, r);
    dump_pushes(d, r);
}

static void
put_what(struct dump *d, const struct plan_site *s)
{
    static const char *const operation[] = {"+", "*", "min", "max", "&&", "||", "by "};
    switch (s->kind) {
    case PS_CALL:
        buf_printf(d->o, "call %s", d->p->functions.row[s->callee].sub->name.text);
        break;
    case PS_EXPAND:
        buf_printf(d->o, "expand %s", d->p->subs.row[s->callee].sub->name.text);
        break;
    case PS_FOR:
        buf_printf(d->o, "for L%u = ", s->nlocal);
        plan_print_expr(d->p, s->a, d->o);
        buf_str(d->o, " .. ");
        plan_print_expr(d->p, s->b, d->o);
        if (s->step != 1) buf_printf(d->o, " by %" PRId32, s->step);
        break;
    case PS_WHILE:
        buf_printf(d->o, "while L%u = ", s->nlocal);
        plan_print_expr(d->p, s->a, d->o);
        buf_str(d->o, " ..");
        break;
    case PS_TEST:
    case PS_IF:
        buf_str(d->o, s->kind == PS_TEST ? "test " : "if ");
        plan_print_expr(d->p, s->a, d->o);
        break;
    case PS_REDUCE:
        buf_printf(d->o, "reduce %s", operation[s->a]);
        if (s->a == PR_SUB) buf_str(d->o, d->p->functions.row[s->callee].sub->name.text);
        buf_printf(d->o, " over %" PRIu32 " counter%s from L%u", s->b, s->b == 1 ? "" : "s",
                   s->nlocal + s->nargs - 1u);
        break;
    case PS_TERM:
        if (s->nargs) buf_str(d->o, "element");
        else buf_printf(d->o, "term IN%" PRIu32, s->a);
        break;
    case PS_LIST:
        buf_printf(d->o, "list over %" PRIu32 " counter%s from L%u, %s", s->b,
                   s->b == 1 ? "" : "s", s->nlocal + s->nargs - 1u, s->a ? "assigned" : "read");
        break;
    }
}

static void
dump_site(struct dump *d, const struct plan_site *s)
{
    new_line(d);
    buf_printf(d->o, "%" PRIu32 ": ", d->p->places.row[s->place].line);
    put_what(d, s);
    if (s->flags & PF_FRESH) buf_str(d->o, ", fresh names");
    if (s->flags & PF_CARRIED) buf_str(d->o, ", carried");
    if (s->flags & PF_STEALABLE) buf_str(d->o, ", stealable");
    if (s->flags & PF_OWN) buf_str(d->o, ", counts by what it sets");
    if (s->flags & (PF_INTS | PF_REALS))
        buf_str(d->o, s->flags & PF_INTS ? ", as ints" : ", as reals");
    if (s->flags & PF_COMPLEX)
        buf_printf(d->o, ", as %s", ast_items_text(s->stmt->elem_items));
    d->depth++;
    dump_inputs(d, s);
    dump_args(d, s);
    dump_rules(d, s);
    if (s->body != PLAN_NONE) dump_block(d, s->body);
    d->depth--;
    if (s->kind != PS_IF || s->b == PLAN_NONE) return;
    new_line(d);
    buf_str(d->o, "else");
    d->depth++;
    dump_block(d, s->b);
    d->depth--;
}

static void
dump_block(struct dump *d, uint32_t block)
{
    const struct plan_block *b = &d->p->blocks.row[block];
    for (uint32_t i = 0; i < b->nsites; i++) dump_site(d, &d->p->sites.row[b->site + i]);
}

/* cell of x with 2 indices: IX0, F0; captured F0 = L1. `open`: every second one is the first beyond
 * where its bit is set. */
static void
dump_about(struct dump *d, const char *what, const struct plan_decl *decl, uint32_t expr,
           uint32_t n, uint32_t open)
{
    const struct plan_about *c = &d->p->abouts.row[decl->about];
    new_line(d);
    buf_printf(d->o, "%s of %s with %" PRIu32 " %s:", what, decl->name, c->nindices,
               c->nindices == 1 ? "index" : "indices");
    for (uint32_t i = 0; i < n; i++) {
        buf_str(d->o, i ? ", " : " ");
        if (i % 2 && open >> i / 2 & 1) buf_str(d->o, "below ");
        plan_print_expr(d->p, expr + i, d->o);
    }
    for (uint32_t i = 0; i < c->ncaptures; i++) {
        const struct plan_capture *word = &d->p->captures.row[c->capture + i];
        buf_printf(d->o, "%s F%" PRIu32 " = %c%u", i ? "," : "; captured", i,
                   word->from == PF_FRAME ? 'F' : 'L', word->word);
    }
}

static void
dump_said(struct dump *d, const struct plan_decl *decl)
{
    const struct plan_about *c = &d->p->abouts.row[decl->about];
    if (c->cell != PLAN_NONE) dump_about(d, "cell", decl, c->cell, d->p->nextents, 0);
    if (c->bytes != PLAN_NONE) dump_about(d, "bytes", decl, c->bytes, 1, 0);
    if (c->shape != PLAN_NONE) dump_about(d, "shape", decl, c->shape, 2 * c->nindices, c->counted);
    if (c->outside != PLAN_NONE) dump_about(d, "outside", decl, c->outside, 1, 0);
}

static void
dump_cells(struct dump *d, uint32_t sub)
{
    for (uint32_t i = 0; i < d->p->dfs.n; i++) {
        const struct plan_decl *decl = &d->p->dfs.row[i];
        if (decl->sub == sub && decl->about != PLAN_NONE) dump_said(d, decl);
    }
    if (sub != d->p->lattice_sub || !d->p->nextents) return;
    new_line(d);
    for (uint32_t i = 0; i < d->p->nextents; i++) {
        buf_str(d->o, i ? " x " : "lattice of cells: ");
        plan_print_expr(d->p, d->p->extent + i, d->o);
    }
}

static void
dump_sub(struct dump *d, uint32_t i)
{
    static const char *const type[] = {"", "int", "real", "string", "name", "value"};
    const struct plan_sub *s = &d->p->subs.row[i];
    buf_printf(d->o, "sub %s", s->sub->name.text);
    for (const struct symbol *p = s->sub->params; p; p = p->next)
        buf_printf(d->o, "%s F%d = %s %s", p == s->sub->params ? ":" : ",", p->number,
                   type[p->type], p->name.text);
    for (const struct symbol *p = s->sub->nfparams; p; p = p->next)
        buf_printf(d->o, ", F%d = nfparam %s", s->sub->nparams + p->number, p->name.text);
    const bool *inherits = s->sub->inherits;
    uint32_t word = s->nwords - inherits[INHERITS_SEAT] - inherits[INHERITS_RANK];
    if (inherits[INHERITS_SEAT]) buf_printf(d->o, ", F%" PRIu32 " = its node", word++);
    if (inherits[INHERITS_RANK]) buf_printf(d->o, ", F%" PRIu32 " = its priority", word);
    d->depth = 1;
    for (uint32_t k = 0; k < s->nrequire; k++) {
        new_line(d);
        buf_str(d->o, "require ");
        plan_print_expr(d->p, d->p->requires.row[s->require + k].expr, d->o);
    }
    dump_cells(d, i);
    dump_block(d, s->body);
    buf_char(d->o, '\n');
}

void
lower_dump(const struct plan *p, struct buf *out)
{
    struct dump d = {p, out, 0};
    for (uint32_t i = 0; i < p->subs.n; i++) dump_sub(&d, i);
}
