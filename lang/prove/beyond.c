/* beyond.c - see beyond.h. */
#include "lang/prove/beyond.h"

static struct access *
beyond_of(const struct walk *w, const struct access *x)
{
    struct access *out = arena_new_of(w->forms.arena, struct access);
    struct nesting *step = arena_new_of(w->forms.arena, struct nesting);
    const struct nesting *up = x->open ? x->at->up : x->at;
    *step = (struct nesting){.up = up,
                             .kind = STEP_WITHIN,
                             .site = x->site,
                             .env = x->env,
                             .visit = x->visit,
                             .loops = nesting_loops(up),
                             .sure = x->sure,
                             .where = x->beyond};
    *out = *x;
    out->at = step;
    return out;
}

static bool
is_looked_at(const struct access *x)
{
    return x->sure && !x->open && x->beyond && x->beyond->exact && x->beyond->n;
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
            if (x->beyond) access_mark(w, beyond_of(w, x), t->n, used);
    return used;
}

/* ---- what is surely within ---- */

static bool
is_within(struct question *q, const struct access *x)
{
    if (!x->beyond->n) return true;
    struct rel *r = access_rel(q->w, q->sets, beyond_of(q->w, x), q->t->n, q->number);
    return r && set_empty(q->sets, rel_range(q->sets, r)) == YES;
}

/* All mentions by this row of refs[], of which there may be several. */
static bool
are_within(struct question *q, uint32_t ref)
{
    const struct access *const lists[] = {q->t->writes, q->t->reads};
    for (int i = 0; i < 2; i++)
        for (const struct access *x = lists[i]; x; x = x->next)
            if (x->ref == ref && !is_within(q, x)) return false;
    return true;
}

void
beyond_mark(struct question *q, struct plan *p, enum plan_inside how)
{
    const struct access *const lists[] = {q->t->writes, q->t->reads};
    for (int i = 0; i < 2; i++)
        for (const struct access *x = lists[i]; x; x = x->next) {
            struct plan_ref *r = &p->refs.row[x->ref];
            if (x->env->outer || !x->beyond || r->inside) continue;
            if (are_within(q, x->ref)) r->inside = (uint8_t)how;
        }
}
