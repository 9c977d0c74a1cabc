/* question.c - see question.h. */
#include "lang/prove/question.h"

static void
number_symbols(struct question *q, const bool *also)
{
    size_t n = (size_t)q->w->nfixed + 1;
    q->used = arena_array(q->arena, bool, n);
    q->number = arena_array(q->arena, int, n);
    q->old = arena_array(q->arena, int, n);
    for (const struct access *x = q->t->writes; x; x = x->next)
        access_mark(q->w, x, q->t->n, q->used);
    for (int i = 0; i < q->w->nfixed && also; i++) q->used[i] |= also[i];
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
question_begin(struct question *q, struct sets *s, struct walk *w, const struct touched *t,
               const bool *also)
{
    *q = (struct question){.arena = w->forms.arena, .sets = s, .w = w, .t = t};
    number_symbols(q, also);
    sets_begin(s, q->symbols);
    struct set *fixed = access_fixed(w, s, q->number);
    if (!fixed) fixed = rel_domain(s, rel_of(s, 0, 0, &(struct sets_piece){0}, 1));
    q->all = set_symbols(s, fixed);
}

int64_t *
question_words(struct question *q, int n)
{
    return arena_array(q->arena, int64_t, (size_t)n + 1);
}

struct rel *
question_rel(struct question *q, const struct access *x)
{
    struct rel *r = access_rel(q->w, q->sets, x, q->t->n, q->number);
    return r ? rel_given(q->sets, r, q->all) : NULL;
}

struct count *
question_readers(struct question *q, const struct access *x, struct rel *write,
                 const struct access **lost)
{
    struct count *sum = NULL;
    for (const struct access *read = q->t->reads; read; read = read->next) {
        struct rel *r = question_rel(q, read);
        struct count *n = r ? count_of(q->sets, rel_meeting(q->sets, write, r)) : NULL;
        if (!n || !count_is_known(n)) {
            if (lost) *lost = read;
            return NULL;
        }
        sum = sum ? count_add(q->sets, sum, n) : n;
    }
    if (sum) return sum;
    return count_of(q->sets, rel_of(q->sets, access_loops(x), 0, NULL, 0));
}
