/* finding.c - findings in the user's words: 'x[6]', for i = 2, when n >= 0. */
#include "lang/prove/finding.h"

#include "lang/prove/relation.h"
#include "runtime/base/buf.h"

/* Of a text that is put together in the arena's own time. */
struct words {
    struct arena *arena;
    const char *text;
};

static void
add(struct words *w, const char *text)
{
    w->text = arena_printf(w->arena, "%s%s", w->text, text);
}

static void
add_number(struct words *w, const char *before, int64_t n)
{
    w->text = arena_printf(w->arena, "%s%s%lld", w->text, before, (long long)n);
}

/* ---- fragments ---- */

static const char *
fragment_text(const struct finding *f, const struct plan *p, const struct touched *t,
              const int64_t *lo, const int64_t *hi)
{
    struct words w = {f->walk->forms.arena, p->dfs.row[t->decl].name};
    for (int i = t->hidden; i < t->n; i++) {
        add_number(&w, "[", lo[i]);
        if (hi[i] != lo[i]) add_number(&w, "..", hi[i]);
        add(&w, "]");
    }
    return w.text;
}

static const char *
vector_text(const struct finding *f, const struct plan *p, const int64_t *lo, const int64_t *hi)
{
    return fragment_text(f, p, f->target, lo, hi);
}

/* ---- instances: for i = 2, j = 1 ---- */

/* The loops of a reduction or a list are its own steps, the outermost first. */
static const char *
counter_name(const struct plan *p, const struct nesting *s)
{
    const struct stmt *stmt = s->site->stmt;
    if (stmt->counter) return stmt->counter->name.text;
    const struct nesting *first = s;
    while (first->site->kind != PS_REDUCE && first->site->kind != PS_LIST) first = first->up;
    const struct reduce_range *r =
        first->site->kind == PS_REDUCE ? stmt->ranges : plan_list(p, first->site)->over;
    for (const struct nesting *t = s; t != first; t = t->up) r = r->next;
    return r->counter->name.text;
}

static void
add_counters(struct words *w, const struct plan *p, const struct nesting *s, const int64_t *at)
{
    if (!s) return;
    add_counters(w, p, s->up, at);
    if (s->kind != STEP_LOOP) return;
    add(w, s->loops == 1 ? " for " : ", ");
    add(w, counter_name(p, s));
    add_number(w, " = ", at[s->loops - 1]);
}

static const char *
instance_text(const struct finding *f, const struct access *a, const int64_t *at)
{
    struct words w = {f->walk->forms.arena, ""};
    add_counters(&w, f->walk->plan, a->at, at);
    return w.text;
}

/* ---- what decides: when n >= 0 ---- */

static const char *
fixed_text(const struct finding *f, const struct fixed *x)
{
    struct words w = {f->walk->forms.arena, x->name};
    for (int i = 0; x->kind == FIXED_VALUE && i < x->of.n; i++) {
        add_number(&w, "[", x->of.index[i]);
        add(&w, "]");
    }
    if (x->kind == FIXED_END) add(&w, " in the end");
    return w.text;
}

/* At the ends of the box it goes on. */
static const char *
range_text(const struct finding *f, const char *name, int64_t witness)
{
    struct arena *a = f->walk->forms.arena;
    long long from = f->from, to = f->to, say = witness, box = f->walk->o.box;
    if (from == to) return arena_printf(a, "when %s = %lld, ", name, from);
    if (to == box - 1) return arena_printf(a, "when %s >= %lld (say %lld), ", name, from, say);
    if (from == -box) return arena_printf(a, "when %s <= %lld (say %lld), ", name, to, say);
    return arena_printf(a, "when %s is %lld to %lld (say %lld), ", name, from, to, say);
}

/* What main is called with, as far as it matters. */
static void
add_args(struct words *w, const struct walk *walk)
{
    const struct symbol *p = walk->plan->subs.row[walk->plan->main].sub->params;
    if (!walk->o.args || walk->sub != walk->plan->main) return;
    for (int i = 0; i < walk->o.args->n && p; i++, p = p->next) {
        if (!walk->asked[i]) continue;
        add(w, *w->text ? ", " : "with ");
        add(w, p->name.text);
        add_number(w, " = ", walk->o.args->value[i]);
    }
}

const char *
finding_args(const struct walk *walk)
{
    struct words w = {walk->forms.arena, ""};
    add_args(&w, walk);
    if (*w.text) add(&w, ", ");
    return w.text;
}

/* The comparison that is the opposite of number i; -1: none matters. */
static int
opposite(const struct finding *f, int i)
{
    const struct walk *w = f->walk;
    for (int j = 0; j < w->nfixed; j++)
        if (f->used[j] && access_opposite(&w->fixed[i], &w->fixed[j])) return j;
    return -1;
}

/* By what was said of its opposite. */
static bool
is_said(const struct finding *f, int i)
{
    int other = opposite(f, i);
    return other >= 0 && other < i;
}

static bool
of_nan(const struct finding *f, int i)
{
    int other = opposite(f, i);
    return other >= 0 && !f->fixed[i] && !f->fixed[other];
}

/* Of what goes wrong in any case the values are an example. */
static const char *
when_text(const struct finding *f)
{
    const char *when = f->degree == DEGREE_CERTAIN ? "always, as when " : "when ";
    struct words w = {f->walk->forms.arena, ""};
    add_args(&w, f->walk);
    for (int i = 0; i < f->walk->nfixed; i++) {
        const struct fixed *x = &f->walk->fixed[i];
        if (!f->used[i] || is_said(f, i)) continue;
        if (f->alone && x->kind == FIXED_MAIN) return range_text(f, x->name, f->fixed[i]);
        add(&w, *w.text ? ", " : when);
        if (x->kind == FIXED_TRUTH) {
            const char *how = of_nan(f, i) ? "compares a NaN"
                              : f->fixed[i] ? "is true"
                                            : "is false";
            add(&w, arena_printf(w.arena, "'%s' %s", x->name, how));
            continue;
        }
        add(&w, fixed_text(f, x));
        add_number(&w, " = ", f->fixed[i]);
    }
    if (*w.text) add(&w, ", ");
    return w.text;
}

/* ---- reports ---- */

static void
note_calls(struct diag *d, const struct access *a)
{
    for (const struct env *e = a->env; e->outer; e = e->outer)
        diag_note(d, e->call->site->stmt->span, "in the call here");
}

static void
note_conditions(struct diag *d, const struct finding *f)
{
    for (int i = 0; i < f->walk->nfixed; i++) {
        const struct truth *t = f->used[i] && !is_said(f, i) ? f->walk->fixed[i].truth : NULL;
        if (t && t->span.hi > t->span.lo)
            diag_note(d, t->span, "'%s' is asked here", f->walk->fixed[i].name);
    }
}

static void
tell_twice(struct diag *d, enum severity sev, const struct plan *p, const struct finding *f)
{
    const char *name = vector_text(f, p, f->vector, f->vector);
    const char *here = instance_text(f, f->a, f->at), *there = instance_text(f, f->b, f->b_at);
    const char *when = when_text(f);
    if (f->a == f->b) {
        diag(d, sev, D_SEM2_2, f->a->span, "%s'%s' is assigned twice:%s and%s", when, name, here,
             there);
        note_calls(d, f->a);
    } else {
        diag(d, sev, D_SEM2_2, f->a->span, "%s'%s' is assigned twice%s%s", when, name,
             *here ? ": here" : "", here);
        note_calls(d, f->a);
        diag_note(d, f->b->span, "and here%s", there);
        note_calls(d, f->b);
    }
    diag_hint(d, "give the two values different indices");
}

static void
tell_beyond(struct diag *d, enum severity sev, const struct plan *p, const struct finding *f)
{
    bool read = false;
    for (const struct access *x = f->target->reads; x; x = x->next)
        read |= x->span.lo == f->a->span.lo && x->span.hi == f->a->span.hi;
    diag(d, sev, D_SEM3_3, f->a->span, "%s'%s' is %s%s, but it is outside its shape", when_text(f),
         vector_text(f, p, f->vector, f->vector), read ? "read" : "assigned",
         instance_text(f, f->a, f->at));
    note_calls(d, f->a);
    diag_note(d, p->dfs.row[f->target->decl].sym->name.span, "the shape");
}

static void
tell_missing(struct diag *d, enum severity sev, const struct plan *p, const struct finding *f)
{
    diag(d, sev, D_SEM3_3, f->a->span, "%s'%s' is read%s, but nothing writes it", when_text(f),
         vector_text(f, p, f->vector, f->vector), instance_text(f, f->a, f->at));
    note_calls(d, f->a);
    if (!f->lo) {
        diag_note(d, f->target->writes->span, "the DF is written here");
        return;
    }
    diag_note(d, f->target->writes->span, "written %s %s", f->holes ? "are some of" : "is",
              vector_text(f, p, f->lo, f->hi));
}

static void
tell_promise(struct diag *d, enum severity sev, const struct plan *p, const struct finding *f)
{
    const char *name = vector_text(f, p, f->vector, f->vector), *when = when_text(f);
    const char *s = f->readers == 1 ? "" : "s", *here = instance_text(f, f->a, f->at);
    long long readers = (long long)f->readers, promised = (long long)f->promised;
    if (f->readers > f->promised)
        diag(d, sev, D_SEM3_5, f->a->span,
             "%s'%s' has %lld reader%s, but its req_count%s is %lld: the program cannot end", when,
             name, readers, s, here, promised);
    else
        diag(d, SEV_WARNING, D_SEM3_5, f->a->span,
             "%s'%s' has %lld reader%s, but its req_count%s is %lld: the value will stay", when,
             name, readers, s, here, promised);
    note_calls(d, f->a);
    if (f->target->reads) diag_note(d, f->target->reads->span, "the DF is read here");
    diag_hint(d, "leave the rule out, luna counts readers itself");
}

static void
tell_circle(struct diag *d, enum severity sev, const struct plan *p, const struct finding *f)
{
    const struct circle_step *last = &f->circle[f->ncircle - 1];
    struct words w = {f->walk->forms.arena, ""};
    for (int i = 0; i < f->ncircle; i++) {
        const struct circle_step *from = i ? &f->circle[i - 1] : last, *to = &f->circle[i];
        add(&w, i ? ", '" : "'");
        add(&w, fragment_text(f, p, from->target, from->vector, from->vector));
        add(&w, "' needs '");
        add(&w, fragment_text(f, p, to->target, to->vector, to->vector));
        add(&w, "'");
    }
    diag(d, sev, D_SEM3_2, f->a->span, "%scyclic dependence: %s", when_text(f), w.text);
    note_calls(d, f->a);
    for (int i = f->ncircle - 1, n = 0; n < f->ncircle; i = i ? i - 1 : f->ncircle - 1, n++)
        diag_note(d, f->circle[i].write->span, "'%s' is written here%s",
                  fragment_text(f, p, f->circle[i].target, f->circle[i].vector,
                                f->circle[i].vector),
                  instance_text(f, f->circle[i].write, f->circle[i].at));
}

static void
tell_breach(struct diag *d, enum severity sev, const struct plan *p, const struct finding *f)
{
    const struct breach *b = f->breach;
    diag(d, sev, D_SEM14, f->a->span, "%sthis call%s does not fulfil what '%s' requires: %s",
         when_text(f), instance_text(f, f->a, f->at),
         p->subs.row[b->site->callee].sub->name.text, p->requires.row[b->require].text);
}

/* The first value may be gone when the second comes: then nobody notices. */
static bool
may_be_gone(const struct finding *f)
{
    return f->code == D_SEM2_2 &&
           (f->a->ruled || f->b->ruled || f->walk->flags[f->target->decl] & DECL_KILLED);
}

bool
finding_is_error(const struct ast *t, const struct plan *p, const struct finding *f)
{
    bool stays = f->code == D_SEM3_5 && f->readers < f->promised;
    return !t->may_exit && !may_be_gone(f) && !stays && p->subs.row[f->walk->sub].sub->certain;
}

void
finding_tell(struct diag *d, const struct ast *t, const struct plan *p, const struct finding *f)
{
    bool sure = f->degree == DEGREE_CERTAIN && finding_is_error(t, p, f);
    enum severity sev = sure ? SEV_ERROR : SEV_WARNING;
    if (f->code == D_SEM2_2) tell_twice(d, sev, p, f);
    if (f->code == D_SEM3_3) (f->beyond ? tell_beyond : tell_missing)(d, sev, p, f);
    if (f->code == D_SEM14) tell_breach(d, sev, p, f);
    if (f->code == D_SEM3_2) tell_circle(d, sev, p, f);
    if (f->code == D_SEM3_5) tell_promise(d, sev, p, f);
    note_conditions(d, f);
}
