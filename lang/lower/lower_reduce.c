/* lower_reduce.c - a reduction is a statement with a loop over its elements behind it.
 *
 *     reduce + x[i][j] over i = a..b, j = c..d => s
 *
 *     REDUCE     inputs: of the bounds, of the rules, of the indices of s
 *                s, a, b, c, d, indices of x that need values but no counter
 *         FOR j = c .. d           for each counter but the first, whose range the runtime makes
 *             TERM                 the element is an input; it runs where the element lives
 *
 * Behind the locals of REDUCE the body sees all its ints, and behind them the counters. */
#include "lang/lower/lower_parts.h"

#include <string.h>

struct reduction {
    const struct stmt *stmt;
    struct dfref elem;
    uint32_t row;        /* of sites[] */
    unsigned outer;      /* words REDUCE sees */
    unsigned counters, hoisted;
};

static struct plan_arg *
arg_list(struct lower *l, const struct reduction *r)
{
    return arena_array(l->a, struct plan_arg, 1 + 2 * (size_t)r->counters + r->hoisted);
}

/* The word of counter k in TERM. */
static unsigned
counter_word(const struct reduction *r, unsigned k)
{
    return r->outer + 2 * r->counters + r->hoisted + k;
}

/* ---- indices that are the same for all elements ---- */

static bool
is_hoisted(struct lower *l, const struct expr *e)
{
    return lower_has_df(l, e) && !lower_names_inside(l, e);
}

/* An expression for local word `word`. */
static const struct expr *
word_expr(struct lower *l, const struct expr *e, unsigned word)
{
    struct symbol *sym = arena_new_of(l->a, struct symbol);
    struct ref *ref = arena_new_of(l->a, struct ref);
    struct expr *x = arena_new_of(l->a, struct expr);
    *sym = (struct symbol){.kind = SYM_FOR, .type = T_INT, .slot = (int)word};
    *ref = (struct ref){.span = e->span, .sym = sym};
    *x = (struct expr){.kind = E_REF, .type = T_INT, .span = e->span, .ref = ref};
    return x;
}

/* The element as TERM sees it: each such index is a word that REDUCE has computed. */
static struct dfref
elem_inside(struct lower *l, const struct reduction *r)
{
    struct dfref inside = r->elem;
    unsigned word = r->outer + 2 * r->counters;
    inside.index = arena_array(l->a, const struct expr *, (size_t)inside.nindices);
    for (int i = 0; i < inside.nindices; i++)
        inside.index[i] = is_hoisted(l, r->elem.index[i])
                              ? word_expr(l, r->elem.index[i], word++)
                              : r->elem.index[i];
    return inside;
}

/* ---- the element ---- */

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
        if (!lower_has_df(l, node)) row.node = lower_locator_of(l, NULL, lower_int(l, node));
    }
    if (row.node == PLAN_NONE && !row.nnear) return PLAN_NONE;
    return plan_intern(l->p, rules, &row, 1);
}

static struct plan_site
lower_term(struct lower *l, const struct reduction *r, const struct dfref *elem)
{
    struct plan_site site = lower_site(l, r->stmt, PS_TERM, counter_word(r, r->counters));
    need_input(l, elem, PI_REQUEST);
    need_end(l, &site);
    site.callee = r->row;
    site.a = need_position(l, elem);
    site.rules = term_rules(l, elem);
    return site;
}

/* ---- the loops ---- */

static uint32_t
block_of_one(struct lower *l, struct plan_site site)
{
    struct plan_block block = {plan_add(l->p, sites, site), 1};
    return plan_add(l->p, blocks, block);
}

static uint32_t
local_word(struct lower *l, unsigned word)
{
    struct plan_expr x = {.kind = PE_LOCAL, .a = (uint16_t)word};
    return plan_expr(l->p, &x);
}

static uint32_t
lower_terms(struct lower *l, const struct reduction *r)
{
    struct dfref elem = elem_inside(l, r);
    uint32_t block = block_of_one(l, lower_term(l, r, &elem));
    for (unsigned k = r->counters; --k > 0;) {
        struct plan_site loop = lower_site(l, r->stmt, PS_FOR, counter_word(r, k));
        loop.a = local_word(l, r->outer + 2 * k);
        loop.b = local_word(l, r->outer + 2 * k + 1);
        loop.body = block;
        block = block_of_one(l, loop);
    }
    return block;
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
need_all(struct lower *l, const struct reduction *r, const struct dfref *out)
{
    lower_rules_first(l);
    for (const struct reduce_range *g = r->stmt->ranges; g; g = g->next) {
        need_expr(l, g->lo, PI_REQUEST);
        need_expr(l, g->hi, PI_REQUEST);
    }
    need_name(l, out, true, PI_REQUEST);
    for (int i = 0; i < r->elem.nindices; i++)
        if (is_hoisted(l, r->elem.index[i])) need_expr(l, r->elem.index[i], PI_REQUEST);
    rules_need(l);
}

static void
lower_args(struct lower *l, const struct reduction *r, const struct dfref *out,
           struct plan_site *site)
{
    struct plan_arg *args = arg_list(l, r);
    unsigned n = 0;
    args[n] = (struct plan_arg){PA_NAME, lower_ref(l, out, true), PLAN_NONE, PLAN_NONE};
    args[n].post = rules_post(l, args[n].row);
    carry_mention(l, args[n++].row, MENTION_WRITE);
    for (const struct reduce_range *g = r->stmt->ranges; g; g = g->next) {
        args[n++] = lower_int_arg(l, g->lo);
        args[n++] = lower_int_arg(l, g->hi);
    }
    for (int i = 0; i < r->elem.nindices; i++)
        if (is_hoisted(l, r->elem.index[i])) args[n++] = lower_int_arg(l, r->elem.index[i]);
    site->nargs = (uint16_t)n;
    site->arg = plan_intern(l->p, args, args, n);
}

static void
count_words(struct lower *l, struct reduction *r)
{
    for (const struct reduce_range *g = r->stmt->ranges; g; g = g->next) r->counters++;
    /* Its own counters are beyond what it sees, wherever they will lie. */
    for (const struct reduce_range *g = r->stmt->ranges; g; g = g->next)
        g->counter->slot = (int)(r->outer + r->counters);
    for (int i = 0; i < r->elem.nindices; i++) r->hoisted += is_hoisted(l, r->elem.index[i]);
    unsigned k = 0;
    for (const struct reduce_range *g = r->stmt->ranges; g; g = g->next)
        g->counter->slot = (int)counter_word(r, k++);
}

struct plan_site
lower_reduce(struct lower *l, const struct stmt *s, unsigned nlocal)
{
    struct plan_site site = lower_site(l, s, PS_REDUCE, nlocal);
    struct reduction r = {.stmt = s, .outer = nlocal};
    struct dfref out;
    /* A plan is only made of what has passed all checks: both are DFs. */
    if (!lower_flatten(l, s->elem, &r.elem) || !lower_flatten(l, s->out, &out)) return site;
    count_words(l, &r);
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
    r.row = l->fill_at;
    site.body = lower_terms(l, &r);
    return site;
}
