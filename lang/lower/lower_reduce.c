/* lower_reduce.c - a reduction is a statement with a loop over its elements behind it.
 *
 *     reduce + x[i][j] over i = a..b, j = c..d => s
 *
 *     REDUCE     inputs: of the bounds, of the rules, of the indices of s
 *                s, and the ints of its elements (lower_elements.c)
 *         ... TERM      the element is an input; it runs where the element lives */
#include "lang/lower/lower_parts.h"

#include <string.h>

static bool
is_known(struct lower *l, const struct dfref *elem)
{
    for (int i = 0; i < elem->nindices; i++)
        if (lower_has_df(l, elem->index[i])) return false;
    return true;
}

/* Where its locator says, if that is one node and needs no value; else with the element itself. */
static uint32_t
term_rules(struct lower *l, const struct dfref *elem)
{
    struct plan_rules row = PLAN_RULES_NONE;
    const struct rule *map =
        lower_find_map(l, elem->sym->name.text, elem->nindices, elem->span);
    if (!map) {
        row.near = lower_ref(l, elem, false);
        row.nnear = l->has_cells && is_known(l, elem);
    } else if (rule_is(map, R_MAP, "locator_cyclic")) {
        const struct expr *node = lower_bind(l, map->exprs, elem->index);
        if (!lower_has_df(l, node)) row.node = lower_locator_of(l, NULL, node);
    }
    if (row.node == PLAN_NONE && !row.nnear) return PLAN_NONE;
    return plan_intern(l->p, rules, &row, 1);
}

static struct plan_site
lower_term(struct lower *l, const struct ranged *r, uint32_t row)
{
    struct dfref elem = elements_inside(l, r);
    struct plan_site site = lower_site(l, r->stmt, PS_TERM, elements_words(r));
    need_input(l, &elem, PI_REQUEST);
    need_end(l, &site);
    site.callee = row;
    site.a = need_position(l, &elem);
    site.rules = term_rules(l, &elem);
    return site;
}

/* ---- the statement ---- */

static enum plan_operation
operation_of(const struct stmt *s)
{
    static const char *const built_in[] = {"+", "*", "min", "max", "&&", "||"};
    unsigned op = PR_ADD;
    if (s->sub) return PR_SUB;
    while (op < PR_SUB && strcmp(s->callee.text, built_in[op])) op++;
    return op;
}

static void
need_all(struct lower *l, const struct ranged *r, const struct dfref *out)
{
    lower_rules_first(l);
    elements_need_bounds(l, r);
    need_name(l, out, true, PI_REQUEST);
    elements_need_indices(l, r);
    rules_need(l);
}

static void
lower_args(struct lower *l, const struct ranged *r, const struct dfref *out,
           struct plan_site *site)
{
    unsigned n = 1 + elements_ints(r);
    struct plan_arg *args = arena_array(l->a, struct plan_arg, n);
    args[0] = (struct plan_arg){PA_NAME, lower_ref(l, out, true), PLAN_NONE, PLAN_NONE};
    args[0].post = rules_post(l, args[0].row);
    carry_mention(l, args[0].row, MENTION_WRITE);
    elements_args(l, r, args + 1);
    site->nargs = (uint16_t)n;
    site->arg = plan_intern(l->p, args, args, n);
}

struct plan_site
lower_reduce(struct lower *l, const struct stmt *s, unsigned nlocal)
{
    struct plan_site site = lower_site(l, s, PS_REDUCE, nlocal);
    struct ranged r = {.stmt = s, .ranges = s->ranges, .outer = nlocal};
    struct dfref out;
    /* A plan is only made of what has passed all checks: both are DFs. */
    if (!lower_flatten(l, s->elem, &r.elem) || !lower_flatten(l, s->out, &out)) return site;
    elements_begin(l, &r);
    need_all(l, &r, &out);
    need_end(l, &site);
    lower_args(l, &r, &out, &site);
    site.rules = rules_lower(l, &site);
    site.a = operation_of(s);
    site.b = r.counters;
    if (s->elem_as) site.flags |= s->elem_as == T_INT ? PF_INTS : PF_REALS;
    static const uint8_t items[ITEMS_KINDS] = {
        [ITEMS_INT64] = PF_INT64, [ITEMS_FLOAT] = PF_FLOAT, [ITEMS_COMPLEX] = PF_COMPLEX};
    site.flags |= items[s->elem_items];
    if (s->sub) site.callee = lower_function(l, s->sub);
    uint32_t row = l->fill_at;
    site.body = elements_body(l, &r, lower_term(l, &r, row));
    return site;
}
