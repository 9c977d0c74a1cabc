/* lower_elements.c - what a reduction and a list share: elements in terms of counters of their own.
 *
 *     x[i][j] over i = a..b, j = c..d
 *
 *     the owner    REDUCE, or a LIST behind its call
 *                  something of its own, a, b, c, d, indices of x that need values but no counter
 *         FOR j = c .. d           for each counter but the first, whose range the runtime makes
 *             TERM                 one element
 *
 * Behind the locals of the owner the body sees all its ints, and behind them the counters. */
#include "lang/lower/lower_parts.h"

/* The word of counter k in TERM. */
static unsigned
counter_word(const struct elements *r, unsigned k)
{
    return r->outer + 2 * r->counters + r->hoisted + k;
}

unsigned
elements_words(const struct elements *r)
{
    return counter_word(r, r->counters);
}

unsigned
elements_ints(const struct elements *r)
{
    return 2 * r->counters + r->hoisted;
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

struct dfref
elements_inside(struct lower *l, const struct elements *r)
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

void
elements_begin(struct lower *l, struct elements *r)
{
    for (const struct reduce_range *g = r->ranges; g; g = g->next) r->counters++;
    /* Its own counters are beyond what it sees, wherever they will lie. */
    for (const struct reduce_range *g = r->ranges; g; g = g->next)
        g->counter->slot = (int)(r->outer + r->counters);
    for (int i = 0; i < r->elem.nindices; i++) r->hoisted += is_hoisted(l, r->elem.index[i]);
    unsigned k = 0;
    for (const struct reduce_range *g = r->ranges; g; g = g->next)
        g->counter->slot = (int)counter_word(r, k++);
}

void
elements_need_bounds(struct lower *l, const struct elements *r)
{
    for (const struct reduce_range *g = r->ranges; g; g = g->next) {
        need_expr(l, g->lo, PI_REQUEST);
        need_expr(l, g->hi, PI_REQUEST);
    }
}

void
elements_need_indices(struct lower *l, const struct elements *r)
{
    for (int i = 0; i < r->elem.nindices; i++)
        if (is_hoisted(l, r->elem.index[i])) need_expr(l, r->elem.index[i], PI_REQUEST);
}

void
elements_args(struct lower *l, const struct elements *r, struct plan_arg *args)
{
    unsigned n = 0;
    for (const struct reduce_range *g = r->ranges; g; g = g->next) {
        args[n++] = lower_int_arg(l, g->lo);
        args[n++] = lower_int_arg(l, g->hi);
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

uint32_t
elements_body(struct lower *l, const struct elements *r, struct plan_site term)
{
    uint32_t block = block_of_one(l, term);
    for (unsigned k = r->counters; --k > 0;) {
        struct plan_site loop = lower_site(l, r->stmt, PS_FOR, counter_word(r, k));
        loop.a = local_word(l, r->outer + 2 * k);
        loop.b = local_word(l, r->outer + 2 * k + 1);
        loop.body = block;
        block = block_of_one(l, loop);
    }
    return block;
}
