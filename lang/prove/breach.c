/* breach.c - see breach.h. A call with constants alone is check's business. */
#include "lang/prove/breach.h"

static const struct touched nothing;

/* The call where it is wrong, as something that touches no words. */
static struct access *
wrong_call(const struct walk *w, const struct breach *b)
{
    struct access *x = arena_new_of(w->forms.arena, struct access);
    struct nesting *step = arena_new_of(w->forms.arena, struct nesting);
    *step = (struct nesting){.up = b->at,
                             .kind = STEP_IF,
                             .site = b->site,
                             .env = b->inside->outer,
                             .loops = nesting_loops(b->at),
                             .sure = true,
                             .where = b->where};
    *x = (struct access){.at = step, .env = b->inside->outer, .site = b->site,
                         .span = b->site->stmt->span, .sure = true};
    return x;
}

void
breach_find(struct walk *w, struct sets *s, const struct breach *b, struct finding *best)
{
    struct question q;
    struct breach *all = w->breaches;
    if (b->inside->outer->outer || !b->site->stmt) return; /* that is told of the other sub */
    struct access *x = wrong_call(w, b);
    bool *used = arena_array(w->forms.arena, bool, (size_t)w->nfixed + 1);
    access_mark(w, x, 0, used);
    w->breaches = NULL; /* else values with which it is wrong would be left out */
    question_begin(&q, s, w, &nothing, used);
    struct rel *r = question_rel(&q, x);
    struct finding f = {.code = D_SEM14, .a = x, .breach = b};
    if (r && (q.symbols || nesting_loops(b->at)))
        judge_consider(&q, rel_range(s, r), f, best);
    /* That is what requirements are for: the run tells it before anything is done. */
    if (best->degree == DEGREE_LIKELY) best->degree = DEGREE_POSSIBLE;
    w->breaches = all;
}
