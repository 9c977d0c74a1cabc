/* lower_seat.c - the seat of an activation: the node where a locator of its call has placed it.
 *
 *     main      f(x) @ { locator_cyclic: 3; };     f gets a word more, in which 3 is passed
 *     f         g(x);                              so does g, and f's word is passed on
 *     g         step(x);                           runs on the node that its word says
 *
 * The word stands in the frame behind the nfparams, and is 0 where nobody passes one. To the run it
 * is a locator like any other; subs that are never placed have no such word. Only what says nothing
 * else sits there: a locator of its own comes first, and a cell of what it names. Fragments do not:
 * their homes must be the same for all who mention them, in whatever sub. */
#include "lang/lower/lower_parts.h"

/* ---- which subs have one ---- */

/* A locator tells the node of the call, its own or that of its label. */
static bool
is_placed(struct lower *l, const struct stmt *call)
{
    for (const struct rule *r = call->rules; r; r = r->next)
        if (rule_is(r, R_EXPR, "locator_cyclic") && r->exprs) return true;
    const struct rule *map = call->label ? lower_map_of(l, call, call->label->name.text) : NULL;
    return map && rule_is(map, R_MAP, "locator_cyclic");
}

static void
seat(struct lower *l, struct sub *s)
{
    if (!s || s->kind != SUB_STRUCT || s->seated) return;
    s->seated = true;
    vec_need(l->a, l->seated, l->nseated, l->seated_room);
    l->seated[l->nseated++] = s;
}

/* Calls that are placed, or all. */
static void
seat_called(struct lower *l, const struct code_block *b, bool all)
{
    for (const struct stmt *s = b->stmts; s; s = s->next) {
        if (s->kind == S_CALL && (all || is_placed(l, s))) seat(l, s->sub);
        if (s->body) seat_called(l, s->body, all);
        if (s->other) seat_called(l, s->other, all);
    }
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
        s->seated = false;
        if (s->body) map_blocks(l, s->body);
    }
    for (struct sub *s = subs; s; s = s->next)
        if (s->body && s->number == SUB_REACHED) seat_called(l, s->body, false);
    for (unsigned i = 0; i < l->nseated; i++) seat_called(l, l->seated[i]->body, true);
}

/* ---- words ---- */

static unsigned
seat_word(const struct sub *s)
{
    return (unsigned)(s->nparams + s->nnfparams);
}

uint32_t
lower_seat(struct lower *l)
{
    if (!l->sub->seated) return PLAN_NONE;
    struct plan_expr x = {.kind = PE_FRAME, .a = (uint16_t)seat_word(l->sub)};
    return lower_locator_of(l, NULL, plan_expr(l->p, &x));
}

bool
lower_seat_passed(struct lower *l, uint32_t locator, struct plan_nfarg *arg)
{
    const struct stmt *s = l->stmt;
    if (s->kind != S_CALL || s->sub->kind != SUB_STRUCT || !s->sub->seated) return false;
    if (locator == PLAN_NONE) return false; /* it is 0 */
    *arg = (struct plan_nfarg){seat_word(s->sub), l->p->locators.row[locator].expr};
    return true;
}
