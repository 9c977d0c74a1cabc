/* question.c - see question.h. */
#include "lang/prove/question.h"

static void
number_symbols(struct question *q)
{
    size_t n = (size_t)q->w->nfixed + 1;
    q->used = arena_array(q->arena, bool, n);
    q->number = arena_array(q->arena, int, n);
    q->old = arena_array(q->arena, int, n);
    for (const struct access *x = q->t->writes; x; x = x->next)
        access_mark(q->w, x, q->t->n, q->used);
    for (const struct access *x = q->t->reads; x; x = x->next)
        access_mark(q->w, x, q->t->n, q->used);
    for (int main = 1; main >= 0; main--)
        for (int i = 0; i < q->w->nfixed; i++) {
            if ((q->w->fixed[i].kind == FIXED_MAIN) != main) continue;
            q->number[i] = q->used[i] ? q->symbols : -1;
            if (!q->used[i]) continue;
            q->old[q->symbols++] = i;
            q->mains += main;
        }
}

void
question_begin(struct question *q, struct sets *s, struct walk *w, const struct touched *t)
{
    *q = (struct question){.arena = w->forms.arena, .sets = s, .w = w, .t = t};
    number_symbols(q);
    sets_begin(s, q->symbols);
    struct set *fixed = access_fixed(w, s, q->number);
    if (!fixed) fixed = rel_domain(s, rel_of(s, 0, 0, &(struct sets_piece){0}, 1));
    q->all = set_symbols(s, fixed);
}
