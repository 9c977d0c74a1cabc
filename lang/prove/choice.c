/* choice.c - see choice.h. */
#include "lang/prove/choice.h"

#include "lang/prove/question.h"

/* Of a comparison nothing is known but that it is the same each time: with a NaN it is false, and
 * so is its opposite. */
static bool
is_vague(const struct walk *w, const bool *used)
{
    for (int i = 0; i < w->nfixed; i++)
        if (used[i] && w->fixed[i].kind == FIXED_TRUTH) return true;
    return false;
}

static enum answer
is_met(struct question *q, const struct choice *c, const struct where *where)
{
    struct rel *r = access_choice(q->w, q->sets, c, where, q->number);
    if (!r) return UNKNOWN;
    switch (set_empty(q->sets, rel_domain(q->sets, rel_given(q->sets, r, q->all)))) {
    case NO:
        return YES;
    case YES:
        return NO;
    default:
        return UNKNOWN;
    }
}

static void
look_at(struct walk *w, struct sets *s, const struct choice *c, struct diag *d)
{
    static const struct touched nothing;
    struct question q;
    bool *used = arena_array(w->forms.arena, bool, (size_t)w->nfixed + 1);
    access_mark_choice(w, c, used);
    if (is_vague(w, used)) return;
    question_begin(&q, s, w, &nothing, used);
    if (is_met(&q, c, NULL) != YES) return;
    bool never = is_met(&q, c, c->yes) == NO, always = !never && is_met(&q, c, c->no) == NO;
    if (never || always)
        diag(d, SEV_WARNING, D_SEM5, c->site->stmt->cond->span,
             "this condition is always %s where it is met", always ? "true" : "false");
}

void
choices_tell(struct walk *w, struct sets *s, struct diag *d)
{
    for (const struct choice *c = w->choices; c; c = c->next) look_at(w, s, c, d);
}
