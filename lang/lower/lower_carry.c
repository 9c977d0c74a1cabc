/* lower_carry.c - may one iteration of a for wait for what another one makes?
 *
 * The runtime gives thieves half of the range of a loop whose iterations are independent, and keeps
 * one that carries values together. So this may say yes too often, and a no must be sure: for every
 * DF from outside that the body both writes and reads, the two references either have an index that
 * tells the iteration (the same form of the counter and of what does not change in the loop), or an
 * index that always differs. */
#include "lang/lower/lower_parts.h"

#include <stdlib.h>

/* More references to one DF than this in one loop are not compared. */
enum { FORMS_MAX = 64 };

void
carry_mention(struct lower *l, uint32_t ref, unsigned how)
{
    vec_need(l->a, l->mentions, l->nmentions, l->mentions_room);
    l->mentions[l->nmentions++] = (struct mention){ref, how};
}

/* Which DF: a declaration, or a parameter of this sub. */
static uint64_t
df_of(const struct plan *p, const struct mention *m)
{
    const struct plan_ref *r = &p->refs.row[m->ref];
    return r->base == PB_PARAM ? (uint64_t)1 << 32 | r->word : r->df;
}

static int
mention_compare(const void *pa, const void *pb, void *plan)
{
    const struct mention *a = pa, *b = pb;
    uint64_t x = df_of(plan, a), y = df_of(plan, b);
    if (x != y) return x < y ? -1 : 1;
    if (a->ref != b->ref) return a->ref < b->ref ? -1 : 1;
    return 0;
}

/* Sorts those since `from` by DF and merges equal ones, which also serves the loops around. */
static void
mentions_merge(struct lower *l, uint32_t from)
{
    uint32_t kept = from;
    if (l->nmentions == from) return;
    qsort_r(l->mentions + from, l->nmentions - from, sizeof *l->mentions, mention_compare, l->p);
    for (uint32_t i = from + 1; i < l->nmentions; i++) {
        if (l->mentions[i].ref == l->mentions[kept].ref)
            l->mentions[kept].how |= l->mentions[i].how;
        else l->mentions[++kept] = l->mentions[i];
    }
    l->nmentions = kept + 1;
}

/* ---- indices ---- */

/* Known in the whole loop, or known but for the counter; everything else varies. */
enum varies { FIXED, BY_COUNTER, VARIES };

static enum varies
expr_varies(const struct plan *p, const struct plan_expr *x, unsigned counter)
{
    bool by_counter = false;
    if (x->kind == PE_INT || x->kind == PE_FRAME) return FIXED;
    if (x->kind == PE_LOCAL) return x->a < counter ? FIXED : x->a == counter ? BY_COUNTER : VARIES;
    if (x->kind != PE_AFFINE) return VARIES;
    for (uint32_t i = 0; i < x->a; i++) {
        const struct plan_term *t = &p->terms.row[x->terms + i];
        if (t->in_frame || t->word < counter) continue;
        if (t->word > counter) return VARIES;
        by_counter = true;
    }
    return by_counter ? BY_COUNTER : FIXED;
}

static bool
same_but_for_k(const struct plan_expr *a, const struct plan_expr *b)
{
    return a->kind == b->kind && a->a == b->a && a->terms == b->terms;
}

/* Whether this position of the two references rules out that iterations meet in one DF. */
static bool
index_separates(const struct plan *p, const struct plan_expr *a, const struct plan_expr *b,
                unsigned counter)
{
    enum varies va = expr_varies(p, a, counter), vb = expr_varies(p, b, counter);
    if (va == VARIES || vb == VARIES || !same_but_for_k(a, b)) return false;
    return va == FIXED ? a->k != b->k : a->k == b->k;
}

static bool
may_meet(const struct plan *p, const struct mention *a, const struct mention *b, unsigned counter)
{
    const struct plan_ref *x = &p->refs.row[a->ref], *y = &p->refs.row[b->ref];
    uint32_t n = x->nindices < y->nindices ? x->nindices : y->nindices;
    if (x->nindices < y->nindices && !(a->how & MENTION_PART)) return false;
    if (y->nindices < x->nindices && !(b->how & MENTION_PART)) return false;
    for (uint32_t i = 0; i < n; i++)
        if (index_separates(p, &p->exprs.row[x->index + i], &p->exprs.row[y->index + i], counter))
            return false;
    return true;
}

/* ---- the loop ---- */

/* The references of one DF: mentions[from .. to). */
static bool
df_is_carried(const struct lower *l, uint32_t from, uint32_t to, unsigned counter)
{
    const struct plan_ref *first = &l->p->refs.row[l->mentions[from].ref];
    unsigned how = 0;
    if (first->base == PB_LOCAL_ID && first->word > counter)
        return false; /* own in each iteration */
    for (uint32_t i = from; i < to; i++) how |= l->mentions[i].how;
    if (!(how & MENTION_WRITE) || !(how & MENTION_READ)) return false;
    if (to - from > FORMS_MAX) return true;
    for (uint32_t i = from; i < to; i++)
        for (uint32_t k = from; k < to; k++)
            if ((l->mentions[i].how & MENTION_WRITE) && (l->mentions[k].how & MENTION_READ) &&
                may_meet(l->p, &l->mentions[i], &l->mentions[k], counter))
                return true;
    return false;
}

bool
carry_between(struct lower *l, uint32_t from, unsigned counter)
{
    mentions_merge(l, from);
    for (uint32_t i = from, end; i < l->nmentions; i = end) {
        uint64_t df = df_of(l->p, &l->mentions[i]);
        for (end = i + 1; end < l->nmentions && df_of(l->p, &l->mentions[end]) == df;) end++;
        if (df_is_carried(l, i, end, counter)) return true;
    }
    return false;
}
