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

static bool
follows_counter(struct lower *l, const struct expr *e, const struct symbol *counter)
{
    e = lower_see(l, e);
    if (e->kind == E_REF) return e->ref->sym == counter;
    return (e->a && follows_counter(l, e->a, counter)) ||
           (e->b && follows_counter(l, e->b, counter)) ||
           (e->c && follows_counter(l, e->c, counter));
}

static bool
name_follows(struct lower *l, const struct dfref *r, const struct symbol *counter)
{
    for (int i = 0; i < r->nindices; i++)
        if (follows_counter(l, r->index[i], counter)) return true;
    return false;
}

/* Where the statement runs may differ from turn to turn: its locator follows the counter, or the
 * first fragment it assigns, whose cell it runs on. */
static bool
node_follows(struct lower *l, const struct symbol *counter)
{
    const struct stmt *s = l->stmt;
    for (const struct rule *r = l->rules; r; r = r->next)
        if (rule_is(r, R_EXPR, "locator_cyclic")) return follows_counter(l, r->exprs, counter);
    if (s->label)
        for (const struct expr *e = s->label->indices; e; e = e->next)
            if (follows_counter(l, e, counter)) return true;
    const struct symbol *param = s->kind == S_CALL && s->sub ? s->sub->params : NULL;
    for (const struct expr *e = s->args; e && param; e = e->next, param = param->next) {
        struct dfref r;
        const struct expr *seen = lower_see(l, e);
        if (e->over) continue;
        if (param->type == T_NAME && seen->kind == E_REF && lower_flatten(l, seen->ref, &r))
            return name_follows(l, &r, counter);
    }
    return false;
}

static const struct expr *
int_expr(struct lower *l, enum op op, const struct expr *a, const struct expr *b)
{
    struct expr *e = arena_new_of(l->a, struct expr);
    *e = (struct expr){.kind = E_BIN, .type = T_INT, .op = op, .span = a->span, .op_span = a->span};
    e->a = (struct expr *)a;
    e->b = (struct expr *)b;
    return e;
}

/* first, or first * ((hi - lo) / step + 1); NULL: who knows. */
static const struct expr *
times_turns(struct lower *l, const struct expr *first, const struct stmt *loop)
{
    static const struct expr one = {.kind = E_INT, .type = T_INT, .ival = 1};
    if (loop->kind != S_FOR || lower_has_df(l, loop->lo) || lower_has_df(l, loop->hi)) return NULL;
    const struct expr *n = int_expr(l, OP_SUB, loop->hi, loop->lo);
    if (loop->step != 1) {
        struct expr *step = arena_new_of(l->a, struct expr);
        *step = one;
        step->ival = loop->step;
        n = int_expr(l, OP_DIV, n, step);
    }
    n = int_expr(l, OP_ADD, n, &one);
    return first ? int_expr(l, OP_MUL, first, n) : n;
}

struct again {
    enum plan_again how;
    const struct expr *turns; /* NULL: who knows */
};

/* Loops around the statement, and inside of where the fragment is declared, that leave its name as
 * it is: in each turn the same is read. */
static struct again
again_of(struct lower *l, const struct dfref *r)
{
    struct again again = {PG_NOT, NULL};
    bool known = true;
    for (int i = 0; i < r->nindices; i++)
        if (lower_has_df(l, r->index[i])) return again;
    const struct code_block *until = r->sym->kind == SYM_DF ? r->sym->block : NULL;
    for (const struct code_block *b = l->block; b && b != until; b = b->outer) {
        const struct stmt *loop = b->owner;
        bool loops = loop && (loop->kind == S_FOR || loop->kind == S_WHILE);
        if (!loops || name_follows(l, r, loop->counter)) continue;
        if (again.how != PG_SPREAD)
            again.how = node_follows(l, loop->counter) ? PG_SPREAD : PG_HERE;
        const struct expr *more = known ? times_turns(l, again.turns, loop) : NULL;
        known = more != NULL;
        again.turns = more;
    }
    return again;
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
        struct again again = again_of(l, &n->ref);
        bool counts = n->ref.part && again.turns; /* who wants all is satisfied with one answer */
        uint32_t turns = counts ? lower_int(l, again.turns) : PLAN_NONE;
        rows[i] = (struct plan_in){lower_ref(l, &n->ref, true), (uint8_t)n->kind, again.how,
                                   n->round, part, turns};
        spans[i] = n->ref.span;
        carry_mention(l, rows[i].ref, MENTION_READ);
    }
    site->nin = (uint16_t)l->nneeds;
    site->in = plan_intern(l->p, ins, rows, l->nneeds);
    site->spans = spans;
}
