/* choice.c - see choice.h. */
#include "lang/prove/choice.h"

#include "lang/prove/finding.h"
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
look_at(struct walk *w, struct sets *s, struct choice *c, struct diag *d)
{
    static const struct touched nothing;
    struct question q;
    bool *used = arena_array(w->forms.arena, bool, (size_t)w->nfixed + 1);
    access_mark_choice(w, c, used);
    if (is_vague(w, used)) return;
    question_begin(&q, s, w, &nothing, used);
    if (is_met(&q, c, NULL) != YES) return;
    bool never = is_met(&q, c, c->yes) == NO, always = !never && is_met(&q, c, c->no) == NO;
    c->told = never || always;
    if (c->told)
        diag(d, SEV_WARNING, D_SEM5, c->site->stmt->cond->span,
             "%sthis condition is always %s where it is met", finding_args(w),
             always ? "true" : "false");
}

void
choices_tell(struct walk *w, struct sets *s, struct diag *d)
{
    for (struct choice *c = w->choices; c; c = c->next) look_at(w, s, c, d);
}

/* ---- calls ---- */

/* The parameters that a condition depends on: words of the frame, */
struct asked {
    int n;
    uint32_t *word;
    const struct sums **index; /* and in the sub */
};
struct calls {
    struct walk *w; /* of the sub */
    struct walk *const *callers;
    int ncallers;
    struct sets *sets;
};

static bool
asked_of(struct walk *w, const struct choice *c, struct asked *out)
{
    struct arena *a = w->forms.arena;
    bool *used = arena_array(a, bool, (size_t)w->nfixed + 1);
    *out = (struct asked){0};
    out->word = arena_array(a, uint32_t, (size_t)w->nfixed + 1);
    out->index = arena_array(a, const struct sums *, (size_t)w->nfixed + 1);
    access_mark_choice(w, c, used);
    if (is_vague(w, used)) return false;
    for (int i = 0; i < w->nfixed; i++)
        if (used[i] && w->fixed[i].kind == FIXED_PARAM) {
            out->index[out->n] = form_of_column(&w->forms, SETS_SYMBOL, i);
            out->word[out->n++] = w->fixed[i].word;
        }
    return out->n > 0;
}

/* Of main, if it is one of the callers. */
static const char *
args_of_callers(const struct calls *k)
{
    const char *text = "";
    for (int i = 0; i < k->ncallers && !*text; i++) text = finding_args(k->callers[i]);
    return text;
}

/* What all calls hand over; NULL: not known. */
static struct set *
handed_over(const struct calls *k, const struct asked *q, int *ncalls, bool *many,
            struct span *first)
{
    struct set *all = NULL;
    for (int i = 0; i < k->ncallers; i++)
        for (const struct called *c = k->callers[i]->called; c; c = c->next) {
            if (c->step->inside->sub != k->w->sub) continue;
            if (c->step->site->stmt->settled) return NULL;
            const struct sums **index =
                arena_array(k->w->forms.arena, const struct sums *, (size_t)q->n);
            for (int p = 0; p < q->n; p++) index[p] = c->step->inside->frame[q->word[p]];
            struct rel *r = access_called(k->callers[i], k->sets, c, index, q->n);
            if (!r) return NULL;
            struct set *one = rel_range(k->sets, r);
            all = all ? set_either(k->sets, all, one) : one;
            if (*ncalls < 2) first[*ncalls] = c->step->site->stmt->span;
            ++*ncalls;
            *many |= nesting_loops(c->step->up) > 0;
        }
    return all;
}

static enum answer
is_met_by_calls(const struct calls *k, const struct choice *c, const struct where *where,
                const struct asked *q, struct set *handed)
{
    struct rel *r = access_choice_words(k->w, k->sets, c, where, q->index, q->n);
    if (!r) return UNKNOWN;
    enum answer none = set_empty(k->sets, set_meet(k->sets, rel_range(k->sets, r), handed));
    return none == YES ? NO : none == NO ? YES : UNKNOWN;
}

static void
look_at_calls(const struct calls *k, struct choice *c, struct diag *d)
{
    struct asked q;
    struct span first[2];
    int ncalls = 0;
    bool many = false;
    if (c->told || !asked_of(k->w, c, &q)) return;
    sets_begin(k->sets, 0);
    struct set *handed = handed_over(k, &q, &ncalls, &many, first);
    if (!handed || (ncalls < 2 && !many)) return;
    if (is_met_by_calls(k, c, NULL, &q, handed) != YES) return;
    bool never = is_met_by_calls(k, c, c->yes, &q, handed) == NO;
    bool always = !never && is_met_by_calls(k, c, c->no, &q, handed) == NO;
    if (!never && !always) return;
    diag(d, SEV_WARNING, D_SEM6, c->site->stmt->cond->span,
         "%sthis condition is %s for all calls of '%s'", args_of_callers(k),
         always ? "true" : "false", k->w->plan->subs.row[k->w->sub].sub->name.text);
    for (int i = 0; i < ncalls && i < 2; i++) diag_note(d, first[i], "called here");
}

void
choices_tell_calls(struct walk *w, struct walk *const *callers, int n, struct sets *s,
                   struct diag *d)
{
    struct calls k = {w, callers, n, s};
    for (struct choice *c = w->choices; c; c = c->next) look_at_calls(&k, c, d);
}
