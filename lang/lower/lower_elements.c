/* lower_elements.c - what a reduction and a list share: elements in terms of counters of their own.
 *
 *     x[i][j] over i = a..b, j = c..d
 *
 *     the owner    REDUCE, or a LIST behind its call
 *                  something of its own, a, b, c, d, indices of x that need values but no counter
 *         FOR j = c .. d           for each counter but the first, whose range the runtime makes;
 *                                  bounds that follow counters are computed here
 *             TERM                 one element
 *
 * Behind the locals of the owner the body sees all its ints, and behind them the counters. */
#include "lang/lower/lower_parts.h"

/* The word of counter k in TERM. */
static unsigned
counter_word(const struct ranged *r, unsigned k)
{
    return r->outer + 2 * r->counters + r->hoisted + k;
}

unsigned
elements_words(const struct ranged *r)
{
    return counter_word(r, r->counters);
}

unsigned
elements_ints(const struct ranged *r)
{
    return 2 * r->counters + r->hoisted;
}

/* ---- indices that are the same for all elements ---- */

static bool
is_hoisted(struct lower *l, const struct expr *e)
{
    return lower_has_df(l, e) && !lower_names_inside(l, e);
}

/* An expression for local word `word`, where e is computed. */
static const struct expr *
word_expr(struct lower *l, const struct expr *e, unsigned word)
{
    struct symbol *sym = arena_new_of(l->a, struct symbol);
    struct ref *ref = arena_new_of(l->a, struct ref);
    struct expr *x = arena_new_of(l->a, struct expr);
    *sym = (struct symbol){.kind = SYM_FOR, .type = T_INT, .slot = (int)word};
    /* Messages show what the user has written. */
    const char *text = ast_expr_text(l->a, e);
    ref->name.text = e->kind == E_REF ? text : arena_printf(l->a, "(%s)", text);
    ref->span = e->span;
    ref->sym = sym;
    *x = (struct expr){.kind = E_REF, .type = T_INT, .span = e->span, .ref = ref};
    return x;
}

struct dfref
elements_inside(struct lower *l, const struct ranged *r)
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

/* ---- what the owner needs and has ---- */

/* Does a bound follow a counter? Then it is none of the owner's ints, and its loop computes it. */
static bool
follows(struct lower *l, const struct expr *e)
{
    return lower_names_inside(l, e);
}

/* How many elements there are is known before any is asked for. */
static void
check_bound(struct lower *l, const struct ranged *r, const struct expr *e)
{
    if (!follows(l, e) || !lower_has_df(l, e)) return;
    diag(l->diag, SEV_ERROR, r->stmt->kind == S_REDUCE ? D_EXT20 : D_EXT25, e->span,
         "a bound that follows a counter cannot depend on a fragment");
    diag_hint(l->diag, "ints and parameters may stand in it; a sub takes a fragment as an int");
}

void
elements_begin(struct lower *l, struct ranged *r)
{
    for (const struct reduce_range *g = r->ranges; g; g = g->next) r->counters++;
    /* Its own counters are beyond what it sees, wherever they will lie. */
    for (const struct reduce_range *g = r->ranges; g; g = g->next)
        g->counter->slot = (int)(r->outer + r->counters);
    for (const struct reduce_range *g = r->ranges; g; g = g->next) {
        check_bound(l, r, g->lo);
        check_bound(l, r, g->hi);
    }
    for (int i = 0; i < r->elem.nindices; i++) r->hoisted += is_hoisted(l, r->elem.index[i]);
    unsigned k = 0;
    for (const struct reduce_range *g = r->ranges; g; g = g->next)
        g->counter->slot = (int)counter_word(r, k++);
}

void
elements_need_bounds(struct lower *l, const struct ranged *r)
{
    for (const struct reduce_range *g = r->ranges; g; g = g->next) {
        if (!follows(l, g->lo)) need_expr(l, g->lo, PI_REQUEST);
        if (!follows(l, g->hi)) need_expr(l, g->hi, PI_REQUEST);
    }
}

void
elements_need_indices(struct lower *l, const struct ranged *r)
{
    for (int i = 0; i < r->elem.nindices; i++)
        if (is_hoisted(l, r->elem.index[i])) need_expr(l, r->elem.index[i], PI_REQUEST);
}

static struct plan_arg
bound_arg(struct lower *l, const struct expr *e)
{
    static const struct expr none = {.kind = E_INT, .type = T_INT};
    return lower_int_arg(l, follows(l, e) ? &none : e);
}

void
elements_args(struct lower *l, const struct ranged *r, struct plan_arg *args)
{
    unsigned n = 0;
    for (const struct reduce_range *g = r->ranges; g; g = g->next) {
        args[n++] = bound_arg(l, g->lo);
        args[n++] = bound_arg(l, g->hi);
    }
    for (int i = 0; i < r->elem.nindices; i++)
        if (is_hoisted(l, r->elem.index[i])) args[n++] = lower_int_arg(l, r->elem.index[i]);
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

/* An int of the owner, or what follows from the counters around it. */
static uint32_t
bound_row(struct lower *l, const struct ranged *r, const struct expr *e, unsigned k)
{
    unsigned nlocal = l->nlocal;
    l->nlocal = r->outer;
    bool own = follows(l, e);
    l->nlocal = nlocal;
    return own ? lower_int(l, e) : local_word(l, k);
}

uint32_t
elements_body(struct lower *l, const struct ranged *r, struct plan_site term)
{
    uint32_t block = block_of_one(l, term);
    for (unsigned k = r->counters; --k > 0;) {
        struct plan_site loop = lower_site(l, r->stmt, PS_FOR, counter_word(r, k));
        const struct reduce_range *g = r->ranges;
        for (unsigned i = 0; i < k; i++) g = g->next;
        loop.a = bound_row(l, r, g->lo, r->outer + 2 * k);
        loop.b = bound_row(l, r, g->hi, r->outer + 2 * k + 1);
        loop.step = 1;
        loop.body = block;
        block = block_of_one(l, loop);
    }
    return block;
}
