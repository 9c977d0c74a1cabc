/* lower_need.c - the inputs of a statement, in the order in which they arrive.
 *
 *     NODE      rounds 0..     what its node depends on
 *     request   one round or more for each `request` rule
 *     the rest  what its arguments, bounds, conditions, indices mention, unless it is there already
 *
 * Within each part a DF that stands in the index of another comes a round before it. Values sent by
 * afterpush (`wait`) are awaited with the first round behind NODE. One input per reference as it is
 * written: x[1] and x[0+1] are two, and the program counts two requests. */
#include "lang/lower/lower_parts.h"

#include <assert.h>
#include <stdlib.h>

void
need_begin(struct lower *l)
{
    l->nneeds = 0;
    l->round = 0;
}

static struct need *
need_find(struct lower *l, const struct dfref *r, uint32_t hash)
{
    for (unsigned i = 0; i < l->nneeds; i++)
        if (l->needs[i].hash == hash && lower_ref_same(l, &l->needs[i].ref, r)) return &l->needs[i];
    return NULL;
}

static unsigned expr_round(struct lower *l, const struct expr *e, enum plan_in_kind kind);

static unsigned
most(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

static unsigned
indices_round(struct lower *l, const struct dfref *r, enum plan_in_kind kind)
{
    unsigned round = l->round;
    for (int i = 0; i < r->nindices; i++) round = most(round, expr_round(l, r->index[i], kind));
    return round;
}

/* The round in which one can tell where the DF lives. */
static unsigned
home_round(struct lower *l, const struct dfref *r, enum plan_in_kind kind)
{
    const struct rule *map = lower_find_map(l, r->sym->name.text, r->nindices, r->span);
    if (!map || !lower_has_df(l, map->exprs)) return l->round;
    if (l->locator_depth == LOCATOR_DEPTH_MAX) {
        diag(l->diag, SEV_ERROR, D_SEM3_2, map->span,
             "the locator of '%s' depends on values whose locators depend on values, without end",
             r->sym->name.text);
        return l->round;
    }
    l->locator_depth++;
    unsigned round = expr_round(l, lower_bind(l, map->exprs, r->index), kind);
    l->locator_depth--;
    return round;
}

static struct need *
need_new(struct lower *l)
{
    vec_need(l->a, l->needs, l->nneeds, l->needs_room);
    return &l->needs[l->nneeds++];
}

/* The round behind the one in which the value comes. */
static unsigned
input_round(struct lower *l, const struct dfref *r, enum plan_in_kind kind)
{
    uint32_t hash = lower_ref_hash(l, r);
    struct need *n = need_find(l, r, hash);
    if (n) return n->round + 1u;
    enum plan_in_kind inner = kind == PI_NODE ? PI_NODE : PI_REQUEST;
    unsigned round = most(indices_round(l, r, inner), home_round(l, r, inner));
    if (r->part) round = most(round, expr_round(l, r->part->b, inner));
    if (r->part && r->part->c) round = most(round, expr_round(l, r->part->c, inner));
    n = need_new(l);
    *n = (struct need){*r, hash, (uint16_t)kind, (uint16_t)round, l->nneeds};
    return round + 1;
}

static unsigned
expr_round(struct lower *l, const struct expr *e, enum plan_in_kind kind)
{
    struct dfref r;
    e = lower_see(l, e);
    if (e->kind == E_REF && (!lower_flatten(l, e->ref, &r) || (l->counts && lower_own(l, &r) >= 0)))
        return l->round;
    if (e->kind == E_REF) return input_round(l, &r, kind);
    if (e->kind == E_PART && lower_part(l, e, &r)) return input_round(l, &r, kind);
    unsigned round = l->round;
    if (e->a) round = most(round, expr_round(l, e->a, kind));
    if (e->b) round = most(round, expr_round(l, e->b, kind));
    if (e->c) round = most(round, expr_round(l, e->c, kind));
    return round;
}

void
need_next_phase(struct lower *l)
{
    for (unsigned i = 0; i < l->nneeds; i++) l->round = most(l->round, l->needs[i].round + 1u);
}

void
need_input(struct lower *l, const struct dfref *r, enum plan_in_kind kind)
{
    input_round(l, r, kind);
}

void
need_expr(struct lower *l, const struct expr *e, enum plan_in_kind kind)
{
    expr_round(l, e, kind);
}

void
need_name(struct lower *l, const struct dfref *r, bool with_home, enum plan_in_kind kind)
{
    indices_round(l, r, kind);
    if (with_home) home_round(l, r, kind);
}

/* ---- positions ---- */

static int
need_compare(const void *pa, const void *pb)
{
    const struct need *a = pa, *b = pb;
    if (a->round != b->round) return a->round < b->round ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

unsigned
need_position(struct lower *l, const struct dfref *r)
{
    struct need *n = need_find(l, r, lower_ref_hash(l, r));
    assert(n || diag_errors(l->diag)); /* a locator without end was cut off */
    return n ? (unsigned)(n - l->needs) : 0;
}

static uint32_t
part_row(struct lower *l, const struct expr *e)
{
    enum plan_part_kind kind = e->items == ITEMS_INT64 ? PQ_INT64
                               : e->items             ? PQ_FLOAT
                               : e->cast == T_INT     ? PQ_INT
                               : e->cast == T_REAL    ? PQ_REAL
                                                      : PQ_BYTES;
    struct plan_part row = {kind, lower_int(l, e->b), e->c ? lower_int(l, e->c) : PLAN_NONE};
    return plan_intern(l->p, parts, &row, 1);
}

void
need_end(struct lower *l, struct plan_site *site)
{
    struct plan_in *rows = arena_array(l->a, struct plan_in, l->nneeds);
    struct span *spans = arena_array(l->a, struct span, l->nneeds);
    if (l->nneeds > UINT16_MAX) {
        lower_too_large(l, l->stmt->span, "inputs", UINT16_MAX);
        return;
    }
    if (l->nneeds) qsort(l->needs, l->nneeds, sizeof *l->needs, need_compare);
    for (unsigned i = 0; i < l->nneeds; i++) {
        const struct need *n = &l->needs[i];
        uint32_t part = n->ref.part ? part_row(l, n->ref.part) : PLAN_NONE;
        rows[i] = (struct plan_in){lower_ref(l, &n->ref, true), n->kind, n->round, part};
        spans[i] = n->ref.span;
        carry_mention(l, rows[i].ref, MENTION_READ);
    }
    site->nin = (uint16_t)l->nneeds;
    site->in = plan_intern(l->p, ins, rows, l->nneeds);
    site->spans = spans;
}
