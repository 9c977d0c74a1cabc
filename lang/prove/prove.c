/* prove.c - one sub after the other: what its DFs are found to be. */
#include "lang/prove/prove.h"

#include "lang/prove/beyond.h"
#include "lang/prove/breach.h"
#include "lang/prove/choice.h"
#include "lang/prove/circle.h"
#include "lang/prove/judge.h"
#include "lang/prove/memory.h"
#include "lang/prove/params.h"
#include "lang/prove/promise.h"
#include "lang/prove/uses.h"
#include "lang/report/source.h"
#include "runtime/base/vec.h"
#include "runtime/base/whole.h"

#include <setjmp.h>

enum { CALLS_MAX = 4000, PATIENCE = 20 };
#define BOX_SMALL (INT64_C(1) << 24) /* LUNA_SMALL of program.h */
#define BOX_ALL (INT64_C(1) << 31)

/* A DF whose readers are counted. */
struct looked_at {
    struct looked_at *next;
    struct views *views;
    const struct touched *target;
    struct proof proof;
};

struct prove {
    struct arena *arena;
    struct plan *plan;
    const struct ast *tree;
    struct uses *uses;
    struct walk_options walks;
    struct sets *sets;
    struct buf *dump;
    struct memory *memory; /* NULL: nobody asks how much is alive */
    struct diag *diag;
    struct proofs *proofs;
    struct looked_at *all, **last; /* as they come */
    int calls; /* left to follow */
    struct walk **callers; /* by sub, as they are asked for */
    struct finding **found;
    int nfound, found_room;
    int lost; /* findings that did not come true */
};

/* False, by sub and parameter. */
static bool **
by_param(struct prove *p)
{
    const struct plan *plan = p->plan;
    bool **all = arena_array(p->arena, bool *, (size_t)plan->subs.n + 1);
    for (uint32_t i = 0; i < plan->subs.n; i++)
        all[i] = arena_array(p->arena, bool, (size_t)plan->subs.row[i].nwords + 1);
    return all;
}

/* ---- SEM2.2 ---- */

static void
find_twice(struct question *q, struct finding *best)
{
    struct sets *s = q->sets;
    for (const struct access *a = q->t->writes; a; a = a->next) {
        struct rel *r = a->sure ? access_rel(q->w, s, a, q->t->n, q->number) : NULL;
        if (!r) continue;
        struct finding f = {.code = D_SEM2_2, .a = a};
        for (const struct access *b = q->t->writes; b != a; b = b->next) {
            if (best->degree == DEGREE_CERTAIN) return;
            if (!b->sure || access_apart(a, b, q->t->n)) continue;
            struct rel *other = access_rel(q->w, s, b, q->t->n, q->number);
            if (!other) continue;
            f.b = b;
            judge_consider(q, set_meet(s, rel_range(s, r), rel_range(s, other)), f, best);
        }
        f.b = a;
        if (access_loops(a)) judge_consider(q, rel_twice(s, r), f, best);
    }
}

/* ---- SEM3.3 ---- */

/* All that may be written near what `read` reads; NULL: not known. */
static struct set *
written_near(struct question *q, const struct access *read)
{
    struct sets *s = q->sets;
    struct set *all = NULL;
    for (const struct access *x = q->t->writes; x; x = x->next) {
        if (read && access_apart(read, x, q->t->n)) continue;
        struct rel *r = access_rel(q->w, s, x, q->t->n, q->number);
        if (!r) return NULL;
        struct set *range = rel_range(s, r);
        all = all ? set_either(s, all, range) : range;
    }
    if (all) return all;
    struct rel *none = rel_of(s, 0, q->t->n, NULL, 0);
    return rel_range(s, none);
}

static void
find_missing(struct question *q, struct finding *best)
{
    struct sets *s = q->sets;
    for (const struct access *x = q->t->reads; x; x = x->next) {
        if (best->degree == DEGREE_CERTAIN) return;
        struct rel *r = x->sure ? access_rel(q->w, s, x, q->t->n, q->number) : NULL;
        struct set *written = r ? written_near(q, x) : NULL;
        if (!written) continue;
        struct finding f = {.code = D_SEM3_3, .a = x};
        judge_consider(q, set_less(s, rel_range(s, r), written), f, best);
    }
}

/* What is written, for the witness's symbols: a box, or less. */
static void
describe_written(struct question *q, struct finding *f)
{
    struct sets *s = q->sets;
    int64_t *symbols = question_words(q, q->symbols), *lo = question_words(q, q->t->n),
            *hi = question_words(q, q->t->n);
    for (int i = 0; i < q->symbols; i++) symbols[i] = f->fixed[q->old[i]];
    struct set *all = written_near(q, NULL);
    if (!all) return;
    all = set_with(s, all, symbols, q->symbols);
    for (int i = 0; i < q->t->n; i++)
        if (!set_bound(s, all, i, false, &lo[i]) || !set_bound(s, all, i, true, &hi[i])) return;
    f->lo = lo;
    f->hi = hi;
    struct set *box = set_with(s, set_box(s, all, lo, hi), symbols, q->symbols);
    f->holes = set_within(s, box, all) != YES;
}

/* ---- all ---- */

static bool
is_looked_at(const struct walk *w, const struct touched *t)
{
    unsigned reasons = DECL_VAGUE | DECL_SENT | DECL_DROPPED | DECL_TOLD;
    return !(w->flags[t->decl] & reasons) && t->writes && !access_many(t);
}

static void
look(struct prove *p, struct walk *w, const struct touched *t, enum diag_code code,
     struct finding *best)
{
    struct question q;
    question_begin(&q, p->sets, w, t,
                   code == D_SEM3_5   ? promise_marks(w, t)
                   : code == D_SEM3_3 ? beyond_marks(w, t)
                                      : NULL);
    if (code == D_SEM2_2) find_twice(&q, best);
    if (code == D_SEM3_3) beyond_find(&q, best);
    if (code == D_SEM3_3) find_missing(&q, best);
    if (code == D_SEM3_5) promise_find(&q, best);
    if (best->degree && code == D_SEM3_3 && !best->beyond) describe_written(&q, best);
    p->lost += q.lost;
}

/* For all ints, or, COUNTED, for small ones of main and of subs, which are tested, and all that
 * fragments hold, which are not. Its own calls, and what is lost in them, are nobody else's. */
enum calls_are { FOLLOWED, SUMMARISED, CLOSED, COUNTED };

static void
walk_again(struct prove *p, struct walk *w, uint32_t sub, enum calls_are how)
{
    struct walk_options o = p->walks;
    int calls = CALLS_MAX;
    o.calls = &calls;
    o.box = how == COUNTED ? BOX_SMALL : BOX_ALL;
    o.wide = how == COUNTED;
    o.summarised = how == SUMMARISED || how == CLOSED;
    o.closed = how == CLOSED;
    o.lost = by_param(p);
    access_walk(w, p->arena, p->plan, sub, &o);
    w->o.calls = NULL;
}

/* Whether what is certain in the small box is so for all ints. */
static bool
holds_for_all(struct prove *p, const struct finding *f)
{
    struct walk *w = arena_new_of(p->arena, struct walk);
    struct finding again = {0};
    walk_again(p, w, f->walk->sub, FOLLOWED);
    if (f->code == D_SEM3_2) circles_find(circles_new(w), p->sets, &again);
    for (const struct breach *b = w->breaches; b && f->breach; b = b->next)
        if (b->site == f->breach->site && b->require == f->breach->require)
            breach_find(w, p->sets, b, &again);
    if (f->breach) return again.degree == DEGREE_CERTAIN;
    for (const struct touched *t = w->targets[f->target->decl]; t; t = t->next)
        if (t->n == f->target->n) look(p, w, t, f->code, &again);
    return again.degree == DEGREE_CERTAIN;
}

static void
keep(struct prove *p, const struct finding *f)
{
    if (!f->degree) return;
    struct finding *kept = arena_new_of(p->arena, struct finding);
    *kept = *f;
    if (f->degree == DEGREE_CERTAIN && f->walk->nfixed && !holds_for_all(p, f))
        kept->degree = DEGREE_LIKELY;
    vec_need(p->arena, p->found, p->nfound, p->found_room);
    p->found[p->nfound++] = kept;
}

static void
look_for(struct prove *p, struct walk *w, const struct touched *t, enum diag_code code)
{
    struct finding best = {0};
    look(p, w, t, code, &best);
    keep(p, &best);
}

static void
look_for_circles(struct prove *p, struct walk *w)
{
    struct finding best = {0};
    circles_find(circles_new(w), p->sets, &best);
    keep(p, &best);
}

/* Between nodes: does the whole stay where it is read, or do parts travel; and why. */
static void
dump_copies(struct prove *p, const struct access *reads)
{
    bool again = false;
    for (const struct access *x = reads; x; x = x->next)
        for (unsigned i = 0; i < x->site->nin; i++) {
            const struct plan_in *in = &p->plan->ins.row[x->site->in + i];
            if (in->ref != x->ref) continue;
            if (in->part == PLAN_NONE) {
                again |= in->again != PG_NOT;
                continue;
            }
            buf_str(p->dump, ", a part");
            if (in->turns == PLAN_NONE) continue;
            buf_str(p->dump, " x ");
            plan_print_expr(p->plan, in->turns, p->dump);
            if (in->again == PG_SPREAD) buf_str(p->dump, " by all nodes");
        }
    if (again) buf_str(p->dump, ", again in a loop: it stays");
}

static void
dump_target(struct prove *p, const struct walk *w, const struct touched *t)
{
    int n[2] = {0}, sure[2] = {0};
    for (int reads = 0; reads < 2; reads++)
        for (const struct access *x = reads ? t->reads : t->writes; x; x = x->next) {
            n[reads]++;
            sure[reads] += x->sure;
        }
    buf_printf(p->dump, "%s.%s", p->plan->subs.row[w->sub].sub->name.text,
               access_name(w, t->decl));
    for (int i = t->hidden; i < t->n; i++) buf_str(p->dump, "[]");
    buf_printf(p->dump, ": written at %d (%d exact), read at %d (%d exact)%s%s%s%s%s", n[0],
               sure[0], n[1], sure[1], w->flags[t->decl] & DECL_VAGUE ? ", vague" : "",
               w->flags[t->decl] & DECL_SENT ? ", sent" : "",
               w->flags[t->decl] & DECL_DROPPED ? ", dropped" : "",
               w->flags[t->decl] & DECL_KILLED ? ", deleted" : "",
               w->flags[t->decl] & DECL_TOLD ? ", told" : "");
    dump_copies(p, t->reads);
    buf_str(p->dump, "\n");
}

/* ---- readers ---- */

/* The ways to look at a sub, as they are asked for. */
struct views {
    struct walk *near, *whole, *summary, *closed, *counted;
    struct views *plain; /* as a run sees it, that does not know main's arguments, */
    struct uses *uses;   /* and its counts: they are not installed */
    struct waits *given; /* with what it is called with, as far as that is known */
};

static struct walk *
view(struct prove *p, struct walk **w, uint32_t sub, enum calls_are how)
{
    if (*w) return *w;
    *w = arena_new_of(p->arena, struct walk);
    walk_again(p, *w, sub, how);
    return *w;
}

static const struct touched *
target_in(const struct walk *w, const struct touched *like)
{
    const struct touched *t = w->targets[like->decl];
    while (t && t->n != like->n) t = t->next;
    return t;
}

static bool
count_in(struct prove *p, struct walk *w, const struct touched *like, bool guarded, bool last,
         struct proof *f)
{
    struct question q;
    const struct touched *t = target_in(w, like);
    if (!t) return false;
    struct release *r = arena_new_of(p->arena, struct release);
    if (release_of(w, t, r)) {
        question_begin(&q, p->sets, w, &r->with, NULL);
        if (uses_count_with(p->uses, &q, guarded, r, f)) return true;
    }
    question_begin(&q, p->sets, w, t, NULL);
    return uses_count(p->uses, &q, guarded, last, f);
}

static bool
ends_in(struct prove *p, struct walk *w, const struct touched *like, struct proof *f)
{
    struct question q;
    const struct touched *t = target_in(w, like);
    if (!t) return false;
    question_begin(&q, p->sets, w, t, NULL);
    return uses_end_with_call(p->uses, &q, f);
}

static bool
has_fixed(const struct walk *w, enum fixed_kind kind)
{
    for (int i = 0; i < w->nfixed; i++)
        if (w->fixed[i].kind == kind) return true;
    return false;
}

/* Where what fragments hold decides, the near view knows of small ones only. */
static struct walk *
view_counted(struct prove *p, struct views *v)
{
    bool values = has_fixed(v->near, FIXED_VALUE) || has_fixed(v->near, FIXED_END);
    return values ? view(p, &v->counted, v->near->sub, COUNTED) : v->near;
}

/* For all ints if that will do; for small ones, with a test where that has to be; then by what is
 * known of the subs that are called. */
static struct proof
count_readers(struct prove *p, struct views *v, const struct touched *t)
{
    struct proof f = {0}, last;
    uint32_t sub = v->near->sub;
    if (has_fixed(v->near, FIXED_PARAM) &&
        count_in(p, view(p, &v->whole, sub, FOLLOWED), t, false, false, &f))
        return f;
    if (count_in(p, view_counted(p, v), t, true, false, &f)) return f;
    if (count_in(p, view(p, &v->summary, sub, SUMMARISED), t, false, false, &last)) return last;
    if (ends_in(p, view(p, &v->closed, sub, CLOSED), t, &last)) return last;
    count_in(p, view_counted(p, v), t, true, true, &f);
    return f;
}

static bool
is_shaped(const struct touched *t)
{
    return (t->writes && t->writes->beyond) || (t->reads && t->reads->beyond);
}

/* Names that need not be looked at when the program runs, for all ints, or for small ones of main,
 * which are tested. */
static void
mark_within(struct prove *p, struct views *v, const struct touched *like)
{
    uint32_t sub = v->near->sub;
    bool main = sub == p->plan->main;
    unsigned reasons = DECL_VAGUE | DECL_SENT;
    if (p->walks.args || !is_shaped(like) || v->near->flags[like->decl] & reasons ||
        access_many(like))
        return;
    for (int small = 0; small <= main; small++) {
        struct question q;
        struct walk *w = small ? view_counted(p, v)
                         : v->near->nfixed ? view(p, &v->whole, sub, FOLLOWED) : v->near;
        const struct touched *t = target_in(w, like);
        if (!t) continue;
        question_begin(&q, p->sets, w, t, beyond_marks(w, t));
        beyond_mark(&q, p->plan, small ? PN_SMALL : PN_ALWAYS);
    }
}

/* Which values stay behind their last reader (proof.h); NULL: nobody knows. Programs are compiled
 * without the arguments of main. */
static const bool *
stay_last(struct prove *p, struct views *v, const struct touched *t, const struct proof *f)
{
    const struct main_args *args = p->walks.args;
    if (f->lost && (f->lost->n || f->lost->most)) return NULL;
    if (!args || v->near->sub != p->plan->main) return f->why ? NULL : f->last;
    struct uses *uses = p->uses;
    p->walks.args = NULL;
    if (!v->plain) {
        struct walk_options o = p->walks;
        int calls = CALLS_MAX;
        v->plain = arena_new_of(p->arena, struct views);
        v->plain->near = arena_new_of(p->arena, struct walk);
        o.box = BOX_SMALL;
        o.calls = &calls;
        o.lost = by_param(p);
        access_walk(v->plain->near, p->arena, p->plan, v->near->sub, &o);
        v->plain->near->o.calls = NULL;
        v->plain->uses = uses_new(p->arena, p->plan, true);
    }
    p->uses = v->plain->uses;
    const struct touched *same = target_in(v->plain->near, t);
    struct proof plain = {0};
    if (same) plain = count_readers(p, v->plain, same);
    p->walks.args = args;
    p->uses = uses;
    return plain.why ? NULL : plain.last;
}

/* How much of it is alive. */
static void
measure(struct prove *p, struct views *v, const struct touched *t, struct proof *f)
{
    if (!v->given) {
        struct walk_options o = p->walks;
        struct walk *w = arena_new_of(p->arena, struct walk);
        int calls = CALLS_MAX;
        o.box = BOX_SMALL;
        o.wide = true;
        o.calls = &calls;
        o.lost = by_param(p);
        o.given = memory_given(p->memory);
        access_walk(w, p->arena, p->plan, v->near->sub, &o);
        w->o.calls = NULL;
        v->given = waits_new(w);
    }
    struct walk *w = waits_walk(v->given);
    const struct touched *same = target_in(w, t);
    if (!same) return;
    sets_take_time(p->sets, PATIENCE);
    f->alive = alive_of(p->sets, v->given, same, stay_last(p, v, t, f));
    sets_take_time(p->sets, 1);
    memory_add(p->memory, w, same, &f->alive, proofs_name(p->proofs, w, same));
}

/* Its own calls, not what these do. */
static struct walk *
caller(struct prove *p, uint32_t sub)
{
    struct walk_options o = p->walks;
    int calls = 0;
    if (p->callers[sub]) return p->callers[sub];
    p->callers[sub] = arena_new_of(p->arena, struct walk);
    o.calls = &calls;
    o.box = BOX_ALL;
    o.lost = by_param(p);
    access_walk(p->callers[sub], p->arena, p->plan, sub, &o);
    p->callers[sub]->o.calls = NULL;
    return p->callers[sub];
}

static void
look_at_choices(struct prove *p, struct walk *w)
{
    const struct plan *plan = p->plan;
    struct walk **callers = arena_array(p->arena, struct walk *, (size_t)plan->subs.n + 1);
    bool *calls = arena_array(p->arena, bool, plan->subs.n);
    int n = 0;
    choices_tell(w, p->sets, p->diag);
    if (w->sub == plan->main) return; /* the user calls it, too */
    for (uint32_t i = 0; i < plan->sites.n; i++)
        if (plan->sites.row[i].kind == PS_EXPAND && plan->sites.row[i].callee == w->sub)
            calls[plan->sites.row[i].sub] = true;
    for (uint32_t i = 0; i < plan->subs.n; i++)
        if (calls[i]) callers[n++] = caller(p, i);
    choices_tell_calls(w, callers, n, p->sets, p->diag);
}

static void
prove_sub(struct prove *p, uint32_t sub)
{
    struct walk_options o = p->walks;
    struct views *v = arena_new_of(p->arena, struct views);
    *v = (struct views){.near = arena_new_of(p->arena, struct walk)};
    o.box = BOX_SMALL;
    access_walk(v->near, p->arena, p->plan, sub, &o);
    for (const struct touched *t = v->near->all; t; t = t->later) {
        if (v->near->flags[t->decl] & DECL_PARAM) continue;
        if (is_looked_at(v->near, t)) {
            look_for(p, v->near, t, D_SEM2_2);
            look_for(p, v->near, t, D_SEM3_3);
            if (promise_any(t)) look_for(p, v->near, t, D_SEM3_5);
        }
        struct looked_at *x = arena_new_of(p->arena, struct looked_at);
        *x = (struct looked_at){NULL, v, t, count_readers(p, v, t)};
        *p->last = x;
        p->last = &x->next;
        mark_within(p, v, t);
        if (p->dump) dump_target(p, v->near, t);
    }
    look_for_circles(p, v->near);
    for (const struct breach *b = v->near->breaches; b; b = b->next) {
        struct finding best = {0};
        breach_find(v->near, p->sets, b, &best);
        keep(p, &best);
    }
    if (v->near->choices) look_at_choices(p, view(p, &v->whole, sub, FOLLOWED));
}

/* When it is known what the calls that were not followed have lost. */
static void
tell_all(struct prove *p)
{
    for (struct looked_at *x = p->all; x; x = x->next) {
        if (p->memory) measure(p, x->views, x->target, &x->proof);
        proofs_add(p->proofs, x->views->near, x->target, &x->proof);
    }
}

/* ---- parameters ---- */

static bool
is_assigned_once(struct prove *p, struct walk *w, const struct touched *t)
{
    struct question q;
    if (w->flags[t->decl] & DECL_VAGUE || t->n || t->next || access_many(t)) return false;
    question_begin(&q, p->sets, w, t, NULL);
    return uses_once(&q);
}

/* Supposed that calls inside assign once what they are supposed to, this sub does. */
static bool
are_params_assigned_once(struct prove *p, uint32_t sub)
{
    struct param_facts *facts = p->walks.params[sub];
    struct walk *w = NULL;
    bool good = true;
    for (uint32_t i = 0; i < p->plan->subs.row[sub].nwords; i++) {
        uint32_t decl = access_param(p->plan, i);
        if (!facts[i].once) continue;
        const struct touched *t = view(p, &w, sub, FOLLOWED)->targets[decl];
        if (!t && !(w->flags[decl] & DECL_VAGUE)) continue;
        facts[i].once = t && is_assigned_once(p, w, t);
        good &= facts[i].once;
    }
    return good;
}

static bool
is_name(const struct plan_sub *s, uint32_t word)
{
    const struct symbol *p = s->sub->params;
    while (p && word--) p = p->next;
    return p && p->type == T_NAME;
}

/* All are supposed to, until one does not. */
static void
prove_params(struct prove *p)
{
    bool all = false;
    for (uint32_t i = 0; i < p->plan->subs.n; i++)
        for (uint32_t k = 0; k < p->plan->subs.row[i].nwords; k++)
            p->walks.params[i][k].once =
                p->walks.params[i][k].plain && is_name(&p->plan->subs.row[i], k);
    while (!all) {
        all = true;
        for (uint32_t i = 0; i < p->plan->subs.n; i++) all &= are_params_assigned_once(p, i);
    }
}

static void
prove_all(struct prove *p)
{
    const struct plan *plan = p->plan;
    bool *asks = arena_array(p->arena, bool, plan->subs.n);
    for (uint32_t i = 0; i < plan->dfs.n; i++)
        if (plan->dfs.row[i].sym->kind == SYM_DF) asks[plan->dfs.row[i].sub] = true;
    for (uint32_t i = 0; i < plan->sites.n; i++)
        if (plan->sites.row[i].kind == PS_IF ||
            (plan->sites.row[i].kind == PS_EXPAND &&
             plan->subs.row[plan->sites.row[i].callee].nrequire))
            asks[plan->sites.row[i].sub] = true;
    for (uint32_t i = 0; i < plan->sites.n; i++)
        p->walks.main_called |=
            plan->sites.row[i].kind == PS_EXPAND && plan->sites.row[i].callee == plan->main;
    if (p->walks.main_called) p->walks.args = NULL; /* it is called with others, too */
    p->uses = uses_new(p->arena, plan, p->memory != NULL);
    p->proofs = proofs_new(p->arena, plan);
    p->callers = arena_array(p->arena, struct walk *, (size_t)plan->subs.n + 1);
    p->walks.calls = &p->calls;
    p->walks.lost = by_param(p);
    p->walks.params = params_new(p->arena, plan);
    prove_params(p);
    for (uint32_t i = 0; i < plan->subs.n; i++)
        if (asks[i]) prove_sub(p, i);
    uses_end(p->uses, p->walks.lost);
    tell_all(p);
}

/* What is asked of sets is freed whatever happens: the arena may jump. */
static void
prove_guarded(struct prove *p)
{
    struct arena *a = p->arena, *handler = arena_new();
    jmp_buf no_memory;
    if (!handler) {
        arena_jump(a, ARENA_NO_MEMORY);
        return;
    }
    arena_fails_like(handler, a);
    if (!setjmp(no_memory)) {
        arena_on_fail(a, &no_memory);
        p->sets = sets_new(a);
        if (p->sets) prove_all(p);
        sets_free(p->sets);
        arena_fails_like(a, handler);
        arena_free(handler);
        return;
    }
    sets_free(p->sets);
    arena_fails_like(a, handler);
    arena_free(handler);
    arena_jump(a, ARENA_NO_MEMORY);
}

/* The ints among main's arguments. */
static const struct main_args *
read_args(struct arena *a, const struct plan *p, const struct prove_options *o)
{
    const struct symbol *param = p->subs.row[p->main].sub->params;
    if (!o->args) return NULL;
    struct main_args *args = arena_new_of(a, struct main_args);
    bool *known = arena_array(a, bool, p->subs.row[p->main].nwords + 1);
    int64_t *value = arena_array(a, int64_t, p->subs.row[p->main].nwords + 1);
    for (; param && args->n < o->nargs; param = param->next, args->n++)
        known[args->n] =
            param->type == T_INT && whole_int(o->args[args->n], &value[args->n]);
    args->known = known;
    args->value = value;
    return args;
}

enum { REFUSALS_MAX = 8 };

/* With arguments for which it is certain the program is not started. */
static void
refuse(struct prove *p, const struct ast *t, const struct source *s, const struct finding *f)
{
    struct place place;
    if (!f->refuse || f->breach || p->plan->refusals.n == REFUSALS_MAX ||
        !finding_is_error(t, p->plan, f) || !source_place(s, f->a->span, 0, &place, NULL))
        return;
    struct plan_expr code = {.kind = PE_INT_FN, .text = "no run can end well"};
    code.code = plan_text(p->plan, f->refuse, strlen(f->refuse));
    const char *text = arena_printf(
        p->arena, "%s:%u:%u: error[%s]: with these arguments of main %s", place.file,
        (unsigned)place.line, (unsigned)place.col, diag_code_text(f->code),
        arena_printf(p->arena,
                     f->code == D_SEM2_2   ? "a fragment of '%s' is assigned twice"
                     : f->beyond           ? "a fragment of '%s' is outside its shape"
                     : f->code == D_SEM3_3 ? "a fragment of '%s' is read that nothing writes"
                                           : "a fragment of '%s' has more readers than its "
                                             "req_count",
                     access_name(f->walk, f->target->decl)));
    struct plan_refusal row;
    memset(&row, 0, sizeof row); /* rows are compared as bytes, and this one has a gap */
    row.expr = plan_expr(p->plan, &code);
    row.text = text;
    plan_intern(p->plan, refusals, &row, 1);
}

void
prove_run(struct arena *a, struct plan *p, const struct ast *t, const struct source *s,
          struct diag *d, const struct prove_options *o)
{
    struct prove *prove = arena_new_of(a, struct prove);
    *prove = (struct prove){.arena = a, .plan = p, .tree = t, .dump = o->dump, .diag = d,
                            .calls = CALLS_MAX};
    prove->last = &prove->all;
    prove->walks.args = read_args(a, p, o);
    if (o->told || o->memory)
        prove->memory = memory_new(a, p, prove->walks.args, o->size_of, o->size_who);
    prove_guarded(prove);
    if (prove->proofs && o->told) proofs_print(prove->proofs, s, o->told);
    if (prove->proofs && o->dump) proofs_print(prove->proofs, s, o->dump);
    if (o->memory) memory_tell(prove->memory, o->limit, d, o->memory);
    for (int i = 0; i < prove->nfound; i++)
        if (prove->found[i]->degree > DEGREE_POSSIBLE || o->possible)
            finding_tell(d, t, p, prove->found[i]);
    for (int i = 0; i < prove->nfound; i++) refuse(prove, t, s, prove->found[i]);
    /* At last: what was found points to sites of the plan, which get more and may move. */
    if (prove->uses) uses_install(prove->uses, p);
    if (o->dump && prove->lost) buf_printf(o->dump, "%d findings did not come true\n", prove->lost);
}
