/* lower_list.c - a list among the arguments of a call is a row behind the call.
 *
 *     f(n, x[i] over i = a..b, y[j][n] over j = c..d)
 *
 *     CALL       inputs: n, those of the bounds, of indices without counters; argument 2 is list 0
 *         LIST   the number of the argument, and the ints of its elements (lower_elements.c); as
 *                its rule, the first element
 *             TERM     x[i] is an input
 *         LIST
 *             TERM     y[j][n] is an argument, which the call assigns
 *
 * A LIST is no statement of its own: the call, once it has its inputs and runs on its node, waits
 * for the elements of its lists there. */
#include "lang/lower/lower_parts.h"

struct list {
    struct ranged e;
    const struct expr *over; /* as written */
    unsigned argument;
    bool out;
    uint32_t arg, rules; /* its args[]; its rules[] */
};

struct lists {
    struct list *row;
    unsigned n;
};

/* ---- the first element ---- */

static const struct expr *
bound_of(const struct expr *over, const struct symbol *counter)
{
    const struct reduce_range *r = over->over;
    while (r && r->counter != counter) r = r->next;
    return r ? r->lo : NULL;
}

/* e with the counters of the list as they begin. */
static const struct expr *
at_first(struct lower *l, const struct expr *e, const struct expr *over)
{
    const struct expr *lo = e->kind == E_REF ? bound_of(over, e->ref->sym) : NULL;
    if (lo) return at_first(l, lower_see(l, lo), over); /* it may follow counters before */
    struct expr *copy = arena_new_of(l->a, struct expr);
    *copy = *e;
    copy->next = NULL;
    if (e->a) copy->a = (struct expr *)at_first(l, e->a, over);
    if (e->b) copy->b = (struct expr *)at_first(l, e->b, over);
    if (e->c) copy->c = (struct expr *)at_first(l, e->c, over);
    return copy;
}

bool
list_first(struct lower *l, const struct expr *over, struct dfref *out)
{
    if (!lower_flatten(l, over->ref, out)) return false;
    const struct expr **index = arena_array(l->a, const struct expr *, (size_t)out->nindices + 1);
    for (int i = 0; i < out->nindices; i++) {
        if (lower_has_df(l, out->index[i])) return false;
        index[i] = at_first(l, lower_see(l, out->index[i]), over);
        if (lower_has_df(l, index[i])) return false;
    }
    out->index = index;
    return true;
}

/* For place: the call may follow it. */
static uint32_t
first_rules(struct lower *l, const struct expr *over)
{
    struct plan_rules row = PLAN_RULES_NONE;
    struct dfref first;
    if (!list_first(l, over, &first)) return PLAN_NONE;
    row.near = lower_ref(l, &first, false);
    row.nnear = 1;
    return plan_intern(l->p, rules, &row, 1);
}

/* ---- rows ---- */

struct lists *
lists_begin(struct lower *l, const struct stmt *s, unsigned nlocal)
{
    struct lists *all = arena_new_of(l->a, struct lists);
    const struct symbol *param = s->sub->params;
    unsigned argument = 0;
    all->row = arena_array(l->a, struct list, (size_t)s->nargs);
    for (const struct expr *e = s->args; e && param; e = e->next, param = param->next, argument++) {
        if (!e->over) continue;
        struct list *x = &all->row[all->n++];
        *x = (struct list){.over = e, .argument = argument, .out = param->type == T_NAME};
        x->e = (struct ranged){.stmt = s, .ranges = e->over, .outer = nlocal};
        lower_flatten(l, e->ref, &x->e.elem); /* checked: it is one */
        elements_begin(l, &x->e);
    }
    return all;
}

void
lists_need(struct lower *l, const struct lists *all)
{
    for (unsigned i = 0; i < all->n; i++) {
        elements_need_bounds(l, &all->row[i].e);
        elements_need_indices(l, &all->row[i].e);
    }
}

void
lists_args(struct lower *l, struct lists *all)
{
    for (unsigned i = 0; i < all->n; i++) {
        struct list *x = &all->row[i];
        unsigned n = 1 + elements_ints(&x->e);
        struct plan_arg *args = arena_array(l->a, struct plan_arg, n);
        struct plan_expr number = {.kind = PE_INT, .k = (int32_t)x->argument};
        args[0] = (struct plan_arg){PA_INT, plan_expr(l->p, &number), PLAN_NONE, PLAN_NONE};
        elements_args(l, &x->e, args + 1);
        x->arg = plan_intern(l->p, args, args, n);
        x->rules = first_rules(l, x->over);
    }
}

static struct plan_site
lower_read(struct lower *l, const struct list *x)
{
    struct dfref elem = elements_inside(l, &x->e);
    struct plan_site site = lower_site(l, x->e.stmt, PS_TERM, elements_words(&x->e));
    need_input(l, &elem, PI_REQUEST);
    need_end(l, &site);
    site.a = need_position(l, &elem);
    return site;
}

static struct plan_site
lower_written(struct lower *l, const struct list *x)
{
    struct dfref elem = elements_inside(l, &x->e);
    struct plan_site site = lower_site(l, x->e.stmt, PS_TERM, elements_words(&x->e));
    need_name(l, &elem, true, PI_REQUEST);
    if (l->nneeds) {
        diag(l->diag, SEV_ERROR, D_EXT25, elem.span,
             "which fragments are assigned cannot depend on values that are not the same for all");
        diag_hint(l->diag, "assign them to names that follow from ints, as y[i]");
        return site;
    }
    struct plan_arg arg = {PA_NAME, lower_ref(l, &elem, true), PLAN_NONE, PLAN_NONE};
    carry_mention(l, arg.row, MENTION_WRITE);
    site.nargs = 1;
    site.arg = plan_intern(l->p, args, &arg, 1);
    return site;
}

uint32_t
lists_lower(struct lower *l, const struct lists *all, uint32_t call)
{
    if (!all->n) return PLAN_NONE;
    struct plan_block block = {plan_add_many(l->p, sites, all->n), all->n};
    for (unsigned i = 0; i < all->n; i++) {
        const struct list *x = &all->row[i];
        uint32_t row = block.site + i;
        struct plan_site term = x->out ? lower_written(l, x) : lower_read(l, x);
        term.callee = row;
        uint32_t body = elements_body(l, &x->e, term);
        struct plan_site site = lower_site(l, x->e.stmt, PS_LIST, x->e.outer);
        site.nargs = (uint16_t)(1 + elements_ints(&x->e));
        site.arg = x->arg;
        site.callee = call;
        site.place = lower_place(l, x->over->span);
        site.rules = x->rules;
        site.a = x->out;
        site.b = x->e.counters;
        site.body = body;
        l->p->sites.row[row] = site;
    }
    return plan_add(l->p, blocks, block);
}
