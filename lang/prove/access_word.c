/* access_word.c - what words and references stand for where the walk is: sums of counters and of
 * ints that are fixed. Knows neither statements nor what is around them. */
#include "lang/prove/access_parts.h"

#include "runtime/base/vec.h"

#include <limits.h>
#include <string.h>

/* ---- ints that are fixed ---- */

int
access_new_fixed(struct walk *w, struct fixed x, struct interval r)
{
    struct arena *a = w->forms.arena;
    int ranges = w->nfixed;
    vec_need(a, w->fixed, w->nfixed, w->fixed_room);
    vec_need(a, w->ranges, ranges, w->ranges_room);
    w->fixed[w->nfixed] = x;
    w->ranges[w->nfixed] = r;
    w->forms.symbols = w->ranges;
    return w->nfixed++;
}

/* Ints that somebody tests, or, where `any`, nobody. */
static struct interval
whole_box(const struct walk *w, bool any)
{
    return any ? (struct interval){INT32_MIN, INT32_MAX}
               : (struct interval){-w->o.box, w->o.box - 1};
}

enum { WHILE_ROOM = 1 << 16 };

/* A while that begins with a small int is taken to end before it comes near the largest one, which
 * is minutes away: so its counter plus some is an int. */
struct interval
access_end_box(const struct walk *w, const struct sums *from)
{
    struct interval r = whole_box(w, w->o.wide);
    if (w->o.wide && from->hi < 1 << 24) r.hi -= WHILE_ROOM;
    if (from->lo > r.lo && from->lo <= r.hi) r.lo = from->lo;
    return r;
}

/* ---- words of the frame and locals ---- */

const char *
access_word_name(const struct sub *s, uint32_t word)
{
    const struct symbol *p = s->params;
    uint32_t n = (uint32_t)s->nparams;
    if (word >= n) p = s->nfparams;
    for (word = word >= n ? word - n : word; p && word; word--) p = p->next;
    return p ? p->name.text : "?";
}

const struct sums *
access_word(struct walk *w, uint32_t word)
{
    for (int i = 0; i < w->nfixed; i++)
        if (w->fixed[i].kind <= FIXED_PARAM && w->fixed[i].word == word)
            return form_of_column(&w->forms, SETS_SYMBOL, i);
    bool main = w->sub == w->plan->main && !w->o.main_called;
    if (main && w->o.args && w->o.args->known[word]) {
        w->asked[word] = true;
        return form_of_int(&w->forms, w->o.args->value[word]);
    }
    if (w->o.given && w->o.given[w->sub].known[word])
        return form_of_int(&w->forms, w->o.given[w->sub].value[word]);
    struct fixed x = {.kind = main ? FIXED_MAIN : FIXED_PARAM,
                      .word = word,
                      .name = access_word_name(w->plan->subs.row[w->sub].sub, word)};
    return form_of_column(&w->forms, SETS_SYMBOL, access_new_fixed(w, x, whole_box(w, false)));
}

const struct sums *
access_frame_word(void *who, unsigned word)
{
    struct walk *w = who;
    if (!w->env->outer) return access_word(w, word);
    if (!w->env->frame[word]) w->forms.lack = w->env->lack[word];
    return w->env->frame[word];
}

const struct sums *
access_local_word(void *who, unsigned word)
{
    const struct walk *w = who;
    return w->env->local[word];
}

uint32_t
access_param(const struct plan *p, uint32_t word)
{
    return p->dfs.n + word;
}

const char *
access_name(const struct walk *w, uint32_t decl)
{
    const struct plan *p = w->plan;
    return decl < p->dfs.n ? p->dfs.row[decl].name
                           : access_word_name(p->subs.row[w->sub].sub, decl - p->dfs.n);
}

/* ---- references ---- */

bool
access_resolve(struct walk *w, uint32_t ref, struct bound *out)
{
    const struct plan_ref *r = &w->plan->refs.row[ref];
    struct arena *a = w->forms.arena;
    unsigned words = r->base == PB_LOCAL_ID ? r->word : 0;
    const struct bound *name = NULL;
    bool known = true;
    *out = (struct bound){.decl = r->df};
    if (r->base == PB_PARAM) {
        name = &w->env->names[r->word];
        if (name->decl == PLAN_NONE) return false;
        out->decl = name->decl;
        words = (unsigned)name->n;
        out->hidden = name->hidden;
    } else if (w->env->outer) {
        return false;
    }
    out->index = arena_array(a, const struct sums *, words + r->nindices + 1);
    for (unsigned i = 0; i < words; i++) {
        const struct sums *v = name ? name->index[i] : w->env->local[i];
        if (v || name) out->index[out->n++] = v; /* NULL: a local that is no counter */
        known &= v || !name;
    }
    if (!name) out->hidden = out->n;
    else out->lack = name->lack;
    for (uint32_t i = 0; i < r->nindices; i++) {
        const struct sums *v = form_of_row(&w->forms, w->plan, r->index + i);
        if (known && !v) out->lack = w->forms.lack;
        known &= v != NULL;
        out->index[out->n++] = v;
    }
    return true;
}

bool
access_resolve_lone(struct walk *w, uint32_t ref, struct lone_fragment *out)
{
    const struct plan_ref *r = &w->plan->refs.row[ref];
    struct env *env = w->env;
    struct bound b;
    if (access_resolve(w, ref, &b)) {
        while (env->outer) env = (struct env *)env->outer;
    } else {
        if (r->base != PB_FRAME_ID || nesting_loops(env->call)) return false;
        b = (struct bound){.decl = r->df};
        b.index = arena_array(w->forms.arena, const struct sums *, r->nindices + 1);
        for (uint32_t i = 0; i < r->nindices; i++)
            b.index[b.n++] = form_of_row(&w->forms, w->plan, r->index + i);
    }
    int64_t *index = arena_array(w->forms.arena, int64_t, (size_t)b.n + 1);
    for (int i = 0; i < b.n; i++) {
        const struct sums *f = b.index[i];
        if (!f || f->n != 1 || f->pieces[0].sum.n || f->pieces[0].conds) return false;
        index[i] = f->pieces[0].sum.k;
    }
    *out = (struct lone_fragment){env, b.decl, b.n, index};
    return true;
}

bool
access_lone_same(const struct lone_fragment *a, const struct lone_fragment *b)
{
    return a->env == b->env && a->decl == b->decl && a->n == b->n &&
           !memcmp(a->index, b->index, sizeof *a->index * (size_t)a->n);
}

/* A fragment is assigned once, so what one with constant indices holds is one number. */
const struct sums *
access_input_word(void *who, unsigned number)
{
    struct walk *w = who;
    struct lone_fragment of;
    if (number >= w->site->nin) return NULL;
    const struct plan_in *in = &w->plan->ins.row[w->site->in + number];
    if (in->part != PLAN_NONE || !access_resolve_lone(w, in->ref, &of)) return NULL;
    for (int i = 0; i < w->nfixed; i++)
        if (w->fixed[i].kind >= FIXED_VALUE && access_lone_same(&w->fixed[i].of, &of))
            return form_of_column(&w->forms, SETS_SYMBOL, i);
    struct fixed x = {.kind = FIXED_VALUE, .of = of, .name = access_name(w, of.decl)};
    return form_of_column(&w->forms, SETS_SYMBOL, access_new_fixed(w, x, whole_box(w, w->o.wide)));
}
