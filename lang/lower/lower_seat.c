/* lower_seat.c - what an activation gets from its call besides arguments: its seat, the node where
 * a locator has placed it; and its rank, a priority.
 *
 *     main      f(x) @ { locator_cyclic: 3; };     f gets a word more, in which 3 is passed
 *     f         g(x);                              so does g, and f's word is passed on
 *     g         step(x);                           runs on the node that its word says
 *
 * The word stands in the frame behind the nfparams, and is 0 where nobody passes one. To the run it
 * is a locator like any other; subs that are never placed have no such word. Only what says nothing
 * else sits there: a locator of its own comes first, and a cell of what it names. Fragments do not:
 * their homes must be the same for all who mention them, in whatever sub.
 *
 * So it is with a rank, which is a real behind the seat. Calls have it that say no priority. */
#include "lang/lower/lower_parts.h"

/* ---- which subs have them ---- */

/* Whether a call says it itself, and which subs have it so far. */
struct spread {
    bool (*says)(struct lower *l, const struct stmt *call);
    enum inherited what;
    struct sub **all;
    unsigned n, room;
};

/* A locator tells the node of the call, its own or that of its label. */
static bool
is_placed(struct lower *l, const struct stmt *call)
{
    for (const struct rule *r = call->rules; r; r = r->next)
        if (rule_is(r, R_EXPR, "locator_cyclic") && r->exprs) return true;
    const struct rule *map = call->label ? lower_map_of(l, call, call->label->name.text) : NULL;
    return map && rule_is(map, R_MAP, "locator_cyclic");
}

static bool
is_ranked(struct lower *l, const struct stmt *call)
{
    (void)l;
    for (const struct rule *r = call->rules; r; r = r->next)
        if (rule_is(r, R_EXPR, "priority") && r->exprs) return true;
    return false;
}

static void
mark(struct lower *l, struct spread *x, struct sub *s)
{
    if (!s || s->kind != SUB_STRUCT || s->inherits[x->what]) return;
    s->inherits[x->what] = true;
    vec_need(l->a, x->all, x->n, x->room);
    x->all[x->n++] = s;
}

/* Subs of calls that say it, or of all. */
static void
mark_called(struct lower *l, struct spread *x, const struct code_block *b, bool all)
{
    for (const struct stmt *s = b->stmts; s; s = s->next) {
        if (s->kind == S_CALL && (all || x->says(l, s))) mark(l, x, s->sub);
        if (s->body) mark_called(l, x, s->body, all);
        if (s->other) mark_called(l, x, s->other, all);
    }
}

static void
spread(struct lower *l, struct spread x, const struct sub *subs)
{
    for (const struct sub *s = subs; s; s = s->next)
        if (s->body && s->number == SUB_REACHED) mark_called(l, &x, s->body, false);
    for (unsigned i = 0; i < x.n; i++) mark_called(l, &x, x.all[i]->body, true);
}

static void
map_blocks(struct lower *l, const struct code_block *b)
{
    lower_map_blocks(l, b);
    for (const struct stmt *s = b->stmts; s; s = s->next) {
        if (s->body) map_blocks(l, s->body);
        if (s->other) map_blocks(l, s->other);
    }
}

void
lower_seats(struct lower *l, struct sub *subs)
{
    for (struct sub *s = subs; s; s = s->next) {
        for (int k = 0; k < INHERITED; k++) s->inherits[k] = false;
        if (s->body) map_blocks(l, s->body);
    }
    spread(l, (struct spread){.says = is_placed, .what = INHERITS_SEAT}, subs);
    spread(l, (struct spread){.says = is_ranked, .what = INHERITS_RANK}, subs);
}

/* ---- words ---- */

static unsigned
seat_word(const struct sub *s)
{
    return (unsigned)(s->nparams + s->nnfparams);
}

static unsigned
rank_word(const struct sub *s)
{
    return seat_word(s) + s->inherits[INHERITS_SEAT];
}

unsigned
lower_words(const struct sub *s)
{
    return rank_word(s) + s->inherits[INHERITS_RANK];
}

uint32_t
lower_seat(struct lower *l)
{
    if (!l->sub->inherits[INHERITS_SEAT]) return PLAN_NONE;
    struct plan_expr x = {.kind = PE_FRAME, .a = (uint16_t)seat_word(l->sub)};
    struct plan_locator row = {PL_CYCLIC, plan_expr(l->p, &x), PLAN_NONE};
    return plan_intern(l->p, locators, &row, 1);
}

bool
lower_seat_passed(struct lower *l, uint32_t locator, struct plan_nfarg *arg)
{
    const struct stmt *s = l->stmt;
    if (s->kind != S_CALL || s->sub->kind != SUB_STRUCT || !s->sub->inherits[INHERITS_SEAT])
        return false;
    if (locator == PLAN_NONE) return false; /* it is 0 */
    *arg = (struct plan_nfarg){seat_word(s->sub), l->p->locators.row[locator].expr, false};
    return true;
}

uint32_t
lower_rank(struct lower *l)
{
    if (!l->sub->inherits[INHERITS_RANK]) return PLAN_NONE;
    struct plan_expr x = {.kind = PE_FREAL, .a = (uint16_t)rank_word(l->sub)};
    return plan_expr(l->p, &x);
}

bool
lower_rank_passed(struct lower *l, uint32_t priority, struct plan_nfarg *arg)
{
    const struct stmt *s = l->stmt;
    if (s->kind != S_CALL || s->sub->kind != SUB_STRUCT || priority == PLAN_NONE) return false;
    *arg = (struct plan_nfarg){rank_word(s->sub), priority, true};
    return true;
}
