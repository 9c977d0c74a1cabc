/* beyond.c - see beyond.h. */
#include "lang/prove/beyond.h"

static struct access *
beyond_of(const struct walk *w, const struct access *x)
{
    struct access *out = arena_new_of(w->forms.arena, struct access);
    struct nesting *step = arena_new_of(w->forms.arena, struct nesting);
    *step = (struct nesting){.up = x->at,
                             .kind = STEP_WITHIN,
                             .site = x->site,
                             .env = x->env,
                             .visit = x->visit,
                             .loops = nesting_loops(x->at),
                             .sure = x->sure,
                             .where = x->beyond};
    *out = *x;
    out->at = step;
    return out;
}

static bool
is_looked_at(const struct access *x)
{
    return x->sure && x->beyond && x->beyond->exact && x->beyond->n;
}

static void
find_among(struct question *q, const struct access *x, struct finding *best)
{
    for (; x && best->degree != DEGREE_CERTAIN; x = x->next) {
        if (!is_looked_at(x)) continue;
        struct finding f = {.code = D_SEM3_3, .a = beyond_of(q->w, x), .beyond = true};
        struct rel *r = access_rel(q->w, q->sets, f.a, q->t->n, q->number);
        if (r) judge_consider(q, rel_range(q->sets, r), f, best);
    }
}

void
beyond_find(struct question *q, struct finding *best)
{
    find_among(q, q->t->writes, best);
    find_among(q, q->t->reads, best);
}

const bool *
beyond_marks(const struct walk *w, const struct touched *t)
{
    bool *used = arena_array(w->forms.arena, bool, (size_t)w->nfixed + 1);
    const struct access *const lists[] = {t->writes, t->reads};
    for (int i = 0; i < 2; i++)
        for (const struct access *x = lists[i]; x; x = x->next)
            if (is_looked_at(x)) access_mark(w, beyond_of(w, x), t->n, used);
    return used;
}
