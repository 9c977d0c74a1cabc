/* promise.c - see promise.h. What is promised too little lets a reader wait for ever; too much, and
 * the value stays. At borders and in the last turn the latter is how people count: it is told only
 * where it is so for each value the statement writes. */
#include "lang/prove/promise.h"

bool
promise_any(const struct touched *t)
{
    for (const struct access *x = t->writes; x; x = x->next)
        if (x->promise) return true;
    return false;
}

const bool *
promise_marks(const struct walk *w, const struct touched *t)
{
    bool *used = arena_array(w->forms.arena, bool, (size_t)w->nfixed + 1);
    for (const struct access *x = t->writes; x; x = x->next) access_mark_promise(w, x, used);
    return used;
}

/* The readers are known one by one, and so is the only assignment. */
static bool
is_countable(const struct question *q)
{
    unsigned reasons = DECL_SENT | DECL_DROPPED | DECL_KILLED | DECL_COPIED;
    if (q->w->flags[q->t->decl] & reasons) return false;
    for (const struct access *x = q->t->reads; x; x = x->next)
        if (!x->sure || x->through) return false;
    return true;
}

/* One write of which something is promised. */
struct promise {
    struct question *q;
    const struct access *x;
    struct rel *write, *said;
    struct count *readers, *promised;
};

static void
count_witness(struct promise *p, struct finding *best)
{
    struct question *q = p->q;
    int64_t *symbols = question_words(q, q->symbols);
    for (int i = 0; i < q->symbols; i++) symbols[i] = best->fixed[q->old[i]];
    if (!count_at(q->sets, p->readers, symbols, best->at, &best->readers) ||
        !count_at(q->sets, p->promised, symbols, best->at, &best->promised))
        *best = (struct finding){0};
}

/* In these instances of the statement it is wrong. */
static void
consider(struct promise *p, struct set *where, enum degree most, struct finding *best)
{
    struct sets *s = p->q->sets;
    struct finding f = {.code = D_SEM3_5, .a = p->x, .degree = most};
    struct set *v = rel_range(s, rel_within(s, p->write, where));
    if (judge_consider(p->q, v, f, best)) count_witness(p, best);
}

static void
look_at(struct promise *p, struct finding *best)
{
    struct sets *s = p->q->sets;
    struct set *said = rel_domain(s, p->said);
    consider(p, set_meet(s, said, count_more(s, p->readers, p->promised)), DEGREE_NONE, best);
    struct set *more = set_meet(s, said, count_more(s, p->promised, p->readers));
    bool always = set_within(s, rel_domain(s, p->write), more) == YES;
    consider(p, more, always ? DEGREE_NONE : DEGREE_POSSIBLE, best);
}

void
promise_find(struct question *q, struct finding *best)
{
    if (!is_countable(q)) return;
    for (const struct access *x = q->t->writes; x; x = x->next) {
        struct promise p = {.q = q, .x = x};
        if (!x->promise || !x->sure) continue;
        if (best->degree == DEGREE_CERTAIN) return;
        p.write = question_rel(q, x);
        p.said = access_promise(q->w, q->sets, x, q->number);
        p.readers = p.write ? question_readers(q, x, p.write, NULL) : NULL;
        if (!p.said || !p.readers) continue;
        p.said = rel_given(q->sets, p.said, q->all);
        p.promised = count_from(q->sets, p.said);
        look_at(&p, best);
    }
}
