/* shape.c - see shape.h. */
#include "lang/prove/shape.h"

struct shape {
    struct walk *w;
    const struct plan_about *about;
};

/* Of loops around the declaration only those are known that are around the access, too. */
static const struct sums *
captured(void *who, unsigned word)
{
    const struct shape *s = who;
    if (word >= s->about->ncaptures) return NULL;
    const struct plan_capture *c = &s->w->plan->captures.row[s->about->capture + word];
    if (c->from == PF_FRAME) return access_word(s->w, c->word);
    return s->w->env->outer ? NULL : s->w->env->local[c->word];
}

static const struct sums *
bound_of(struct walk *w, const struct plan_about *about, uint32_t row)
{
    struct shape s = {w, about};
    struct former was = w->forms;
    form_know_nothing(&w->forms);
    w->forms.frame = captured;
    w->forms.who = &s;
    const struct sums *f = form_of_row(&w->forms, w->plan, row);
    was.symbols = w->forms.symbols; /* of which there may be more now */
    was.some = w->forms.some;
    was.nsome = w->forms.nsome;
    was.some_room = w->forms.some_room;
    w->forms = was;
    return f;
}

bool
shape_look(struct walk *w, const struct bound *declared, struct within *out)
{
    const struct plan *p = w->plan;
    uint32_t row = declared->decl < p->dfs.n ? p->dfs.row[declared->decl].about : PLAN_NONE;
    const struct plan_about *about = row == PLAN_NONE ? NULL : &p->abouts.row[row];
    if (!about || about->shape == PLAN_NONE) return false;
    if (about->nindices != (uint32_t)(declared->n - declared->hidden)) return false;
    *out = (struct within){.open = about->outside != PLAN_NONE};
    for (uint32_t i = 0; i < about->nindices; i++) {
        const struct sums *x = declared->index[(uint32_t)declared->hidden + i];
        const struct sums *lo = bound_of(w, about, about->shape + 2 * i);
        const struct sums *hi = bound_of(w, about, about->shape + 2 * i + 1);
        bool closed = !(about->counted >> i & 1);
        const struct where *in = where_between(&w->forms, lo, x, hi, closed, true);
        const struct where *not_in = where_between(&w->forms, lo, x, hi, closed, false);
        out->inside = i ? where_joined(&w->forms, out->inside, in, true) : in;
        out->beyond = i ? where_joined(&w->forms, out->beyond, not_in, false) : not_in;
    }
    return true;
}
