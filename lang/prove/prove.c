/* prove.c - what is found: violations as sets, how certain they are, and their witnesses.
 *
 * V is the set of fragments that go wrong, with the symbols as parameters; P the values of symbols
 * for which there is one, U those there are at all.
 *
 *     U within P                                                     certain
 *     values of main's arguments for which, whatever the other       likely
 *       symbols are, there is one and no loop is empty
 *     else, if there is any                                          possible
 *
 * Symbols are first taken from a box in which little wraps around; what is certain there must be so
 * for all ints. */
#include "lang/prove/prove.h"

#include "lang/prove/finding.h"
#include "lang/prove/replay.h"
#include "runtime/base/vec.h"

#include <setjmp.h>

enum { CALLS_MAX = 4000 };
#define BOX_SMALL (INT64_C(1) << 20)
#define BOX_ALL (INT64_C(1) << 31)

struct prove {
    struct arena *arena;
    const struct plan *plan;
    const struct ast *tree;
    struct sets *sets;
    struct buf *dump;
    bool main_called;
    int calls; /* left to follow */
    struct finding **found;
    int nfound, found_room;
    int lost; /* findings that did not come true */
};

/* One target and its numbering of symbols: those of main first. */
struct question {
    struct prove *p;
    struct walk *w;
    const struct touched *t;
    bool *used;
    int *number;
    int *old; /* of a symbol, the fixed int */
    int symbols, mains;
    struct set *all; /* U, as vectors of symbols */
};

/* ---- symbols ---- */

static void
number_symbols(struct question *q)
{
    struct arena *a = q->p->arena;
    size_t n = (size_t)q->w->nfixed + 1;
    q->used = arena_array(a, bool, n);
    q->number = arena_array(a, int, n);
    q->old = arena_array(a, int, n);
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

/* ---- how certain ---- */

/* The symbols for which all accesses happen at least once. */
static struct set *
all_happen(struct question *q)
{
    struct set *all = q->all;
    for (int reads = 0; reads < 2; reads++)
        for (const struct access *x = reads ? q->t->reads : q->t->writes; x; x = x->next) {
            struct rel *r = access_rel(q->w, q->p->sets, x, q->t->n, q->number);
            if (!r) continue;
            struct set *some = set_symbols(q->p->sets, rel_domain(q->p->sets, r));
            all = set_meet(q->p->sets, all, some);
        }
    return all;
}

/* The values of main's arguments in `all`, without those for which some value of the other symbols
 * is not in `good`. */
static struct set *
decided(struct question *q, struct set *good)
{
    struct sets *s = q->p->sets;
    struct set *bad = set_less(s, q->all, good);
    return set_less(s, set_cut(s, q->all, q->mains), set_cut(s, bad, q->mains));
}

/* Narrows `values` to where a witness should be looked for. */
static enum degree
judge(struct question *q, struct set *v, struct set **values, struct set **mains)
{
    struct sets *s = q->p->sets;
    if (set_empty(s, v) != NO) return DEGREE_NONE;
    *values = set_symbols(s, v);
    *mains = NULL;
    if (!q->symbols) return DEGREE_CERTAIN;
    struct set *some = set_meet(s, *values, q->all);
    if (set_empty(s, some) != NO) return DEGREE_NONE;
    struct set *busy = set_meet(s, some, all_happen(q));
    bool certain = set_within(s, q->all, *values) == YES;
    *values = set_empty(s, busy) == NO ? busy : some;
    if (certain) return DEGREE_CERTAIN;
    if (!q->mains) return DEGREE_POSSIBLE;
    *mains = decided(q, busy);
    return set_empty(s, *mains) == NO ? DEGREE_LIKELY : DEGREE_POSSIBLE;
}

/* ---- witnesses ---- */

/* Whether one argument decides, and which of its values. */
static void
describe_main(struct question *q, struct set *mains, struct finding *f)
{
    struct sets *s = q->p->sets;
    int64_t from, to;
    if (q->mains != 1 || !set_bound(s, mains, 0, false, &from) ||
        !set_bound(s, mains, 0, true, &to))
        return;
    struct sets_term x = {SETS_TO, 0, 1}, minus = {SETS_TO, 0, -1};
    struct sets_row rows[] = {{false, -from, 1, &x}, {false, to, 1, &minus}};
    struct sets_piece piece = {0, 2, rows};
    int symbols = q->symbols;
    sets_narrow(s, 0); /* vectors of symbols have none themselves */
    struct set *between = rel_range(s, rel_of(s, 0, 1, &piece, 1));
    f->alone = set_within(s, between, mains) == YES;
    sets_narrow(s, symbols);
    f->from = from;
    f->to = to;
}

/* Values for the symbols, main's first. */
static bool
choose_symbols(struct question *q, struct set *values, struct set *mains, int64_t *symbols)
{
    struct sets *s = q->p->sets;
    if (mains && !set_nearest(s, mains, symbols)) return false;
    if (mains) values = set_begins(s, values, symbols, q->mains);
    return set_nearest(s, values, symbols);
}

static int64_t *
words_of(struct question *q, int n)
{
    return arena_array(q->p->arena, int64_t, (size_t)n + 1);
}

static int
loops(const struct access *x)
{
    return x->at ? x->at->loops : 0;
}

/* The least instance that touches the vector, or the next one behind `not`. */
static const int64_t *
choose_instance(struct question *q, const struct access *x, struct set *point,
                const int64_t *symbols, const int64_t * not )
{
    struct sets *s = q->p->sets;
    struct rel *r = access_rel(q->w, s, x, q->t->n, q->number);
    int64_t *at = words_of(q, loops(x));
    if (!r) return NULL;
    struct set *from = set_with(s, rel_back(s, r, point), symbols, q->symbols);
    if (not ) from = set_less(s, from, set_point(s, from, not ));
    return set_nearest(s, from, at) ? at : NULL;
}

static bool
find_witness(struct question *q, struct set *v, struct set *values, struct set *mains,
             struct finding *f)
{
    struct sets *s = q->p->sets;
    int64_t *symbols = words_of(q, q->symbols), *vector = words_of(q, q->t->n);
    int64_t *fixed = words_of(q, q->w->nfixed);
    if (q->symbols && !choose_symbols(q, values, mains, symbols)) return false;
    v = set_with(s, v, symbols, q->symbols);
    if (!set_nearest(s, v, vector)) return false;
    struct set *point = set_point(s, v, vector);
    f->at = choose_instance(q, f->a, point, symbols, NULL);
    if (f->b) f->b_at = choose_instance(q, f->b, point, symbols, f->a == f->b ? f->at : NULL);
    for (int i = 0; i < q->symbols; i++) fixed[q->old[i]] = symbols[i];
    f->fixed = fixed;
    f->vector = vector;
    f->used = q->used;
    return f->at && (!f->b || f->b_at);
}

static bool
comes_true(struct question *q, const struct finding *f)
{
    return replay_access(q->w, f->a, f->fixed, f->at, f->vector, q->t->n) &&
           (!f->b || replay_access(q->w, f->b, f->fixed, f->b_at, f->vector, q->t->n));
}

/* Keeps in `best` the louder of two. */
static void
consider(struct question *q, struct set *v, struct finding f, struct finding *best)
{
    struct set *values, *mains;
    f.degree = judge(q, v, &values, &mains);
    if (f.degree <= best->degree) return;
    f.walk = q->w;
    f.target = q->t;
    if (mains && f.degree == DEGREE_LIKELY) describe_main(q, mains, &f);
    if (f.degree == DEGREE_POSSIBLE || f.degree == DEGREE_CERTAIN) mains = NULL;
    if (!find_witness(q, v, values, mains, &f)) return;
    if (comes_true(q, &f))
        *best = f;
    else
        q->p->lost++;
}

/* ---- SEM2.2 ---- */

/* No vector of one can be one of the other. */
static bool
are_apart(const struct access *a, const struct access *b, int n)
{
    for (int i = 0; i < n; i++) {
        const struct sums *x = a->index[i], *y = b->index[i];
        if (x && y && (x->hi < y->lo || y->hi < x->lo)) return true;
    }
    return false;
}

static void
find_twice(struct question *q, struct finding *best)
{
    struct sets *s = q->p->sets;
    for (const struct access *a = q->t->writes; a; a = a->next) {
        struct rel *r = a->sure ? access_rel(q->w, s, a, q->t->n, q->number) : NULL;
        if (!r) continue;
        struct finding f = {.code = D_SEM2_2, .a = a};
        for (const struct access *b = q->t->writes; b != a; b = b->next) {
            if (best->degree == DEGREE_CERTAIN) return;
            if (!b->sure || are_apart(a, b, q->t->n)) continue;
            struct rel *other = access_rel(q->w, s, b, q->t->n, q->number);
            if (!other) continue;
            f.b = b;
            consider(q, set_meet(s, rel_range(s, r), rel_range(s, other)), f, best);
        }
        f.b = a;
        if (loops(a)) consider(q, rel_twice(s, r), f, best);
    }
}

/* ---- SEM3.3 ---- */

/* All that may be written near what `read` reads; NULL: not known. */
static struct set *
written_near(struct question *q, const struct access *read)
{
    struct sets *s = q->p->sets;
    struct set *all = NULL;
    for (const struct access *x = q->t->writes; x; x = x->next) {
        if (read && are_apart(read, x, q->t->n)) continue;
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
    struct sets *s = q->p->sets;
    for (const struct access *x = q->t->reads; x; x = x->next) {
        if (best->degree == DEGREE_CERTAIN) return;
        struct rel *r = x->sure ? access_rel(q->w, s, x, q->t->n, q->number) : NULL;
        struct set *written = r ? written_near(q, x) : NULL;
        if (!written) continue;
        struct finding f = {.code = D_SEM3_3, .a = x};
        consider(q, set_less(s, rel_range(s, r), written), f, best);
    }
}

/* What is written, for the witness's symbols: a box, or less. */
static void
describe_written(struct question *q, struct finding *f)
{
    struct sets *s = q->p->sets;
    int64_t *symbols = words_of(q, q->symbols), *lo = words_of(q, q->t->n),
            *hi = words_of(q, q->t->n);
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

/* Pairs of accesses are compared: of more than so many nothing is said. */
enum { ACCESSES_MAX = 200 };

static int
count_accesses(const struct touched *t)
{
    int n = 0;
    for (const struct access *x = t->writes; x && n <= ACCESSES_MAX; x = x->next) n++;
    for (const struct access *x = t->reads; x && n <= ACCESSES_MAX; x = x->next) n++;
    return n;
}

static bool
is_looked_at(const struct walk *w, const struct touched *t)
{
    unsigned reasons = DECL_VAGUE | DECL_SENT | DECL_DROPPED | DECL_TOLD;
    return !(w->flags[t->decl] & reasons) && t->writes && count_accesses(t) <= ACCESSES_MAX;
}

static void
begin(struct prove *p, struct question *q, struct walk *w, const struct touched *t)
{
    *q = (struct question){.p = p, .w = w, .t = t};
    number_symbols(q);
    sets_begin(p->sets, q->symbols);
    struct set *fixed = access_fixed(w, p->sets, q->number);
    if (!fixed) fixed = rel_domain(p->sets, rel_of(p->sets, 0, 0, &(struct sets_piece){0}, 1));
    q->all = set_symbols(p->sets, fixed);
}

static void
look(struct prove *p, struct walk *w, const struct touched *t, enum diag_code code,
     struct finding *best)
{
    struct question q;
    begin(p, &q, w, t);
    if (code == D_SEM2_2)
        find_twice(&q, best);
    else
        find_missing(&q, best);
    if (best->degree && code == D_SEM3_3) describe_written(&q, best);
}

/* Whether what is certain in the small box is so for all ints. */
static bool
holds_for_all(struct prove *p, const struct finding *f)
{
    struct walk *w = arena_new_of(p->arena, struct walk);
    struct finding again = {0};
    int calls = CALLS_MAX;
    access_walk(w, p->arena, p->plan, f->walk->sub, BOX_ALL, p->main_called, &calls);
    for (const struct touched *t = w->targets[f->target->decl]; t; t = t->next)
        if (t->n == f->target->n) look(p, w, t, f->code, &again);
    return again.degree == DEGREE_CERTAIN;
}

static void
look_for(struct prove *p, struct walk *w, const struct touched *t, enum diag_code code)
{
    struct finding best = {0};
    look(p, w, t, code, &best);
    if (!best.degree) return;
    if (best.degree == DEGREE_CERTAIN && w->nfixed && !holds_for_all(p, &best))
        best.degree = DEGREE_LIKELY;
    struct finding *kept = arena_new_of(p->arena, struct finding);
    *kept = best;
    vec_need(p->arena, p->found, p->nfound, p->found_room);
    p->found[p->nfound++] = kept;
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
               p->plan->dfs.row[t->decl].name);
    for (int i = t->hidden; i < t->n; i++) buf_str(p->dump, "[]");
    buf_printf(p->dump, ": written at %d (%d exact), read at %d (%d exact)%s%s%s%s%s\n", n[0],
               sure[0], n[1], sure[1], w->flags[t->decl] & DECL_VAGUE ? ", vague" : "",
               w->flags[t->decl] & DECL_SENT ? ", sent" : "",
               w->flags[t->decl] & DECL_DROPPED ? ", dropped" : "",
               w->flags[t->decl] & DECL_KILLED ? ", deleted" : "",
               w->flags[t->decl] & DECL_TOLD ? ", told" : "");
}

static void
prove_sub(struct prove *p, uint32_t sub)
{
    struct walk *w = arena_new_of(p->arena, struct walk);
    access_walk(w, p->arena, p->plan, sub, BOX_SMALL, p->main_called, &p->calls);
    for (const struct touched *t = w->all; t; t = t->later) {
        if (p->dump) dump_target(p, w, t);
        if (!is_looked_at(w, t)) continue;
        look_for(p, w, t, D_SEM2_2);
        look_for(p, w, t, D_SEM3_3);
    }
}

static void
prove_all(struct prove *p)
{
    const struct plan *plan = p->plan;
    bool *declares = arena_array(p->arena, bool, plan->subs.n);
    for (uint32_t i = 0; i < plan->dfs.n; i++)
        if (plan->dfs.row[i].sym->kind == SYM_DF) declares[plan->dfs.row[i].sub] = true;
    for (uint32_t i = 0; i < plan->sites.n; i++)
        p->main_called |=
            plan->sites.row[i].kind == PS_EXPAND && plan->sites.row[i].callee == plan->main;
    for (uint32_t i = 0; i < plan->subs.n; i++)
        if (declares[i]) prove_sub(p, i);
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

void
prove_run(struct arena *a, const struct plan *p, const struct ast *t, struct diag *d,
          const struct prove_options *o)
{
    struct prove *prove = arena_new_of(a, struct prove);
    *prove = (struct prove){.arena = a, .plan = p, .tree = t, .dump = o->dump, .calls = CALLS_MAX};
    prove_guarded(prove);
    for (int i = 0; i < prove->nfound; i++)
        if (prove->found[i]->degree > DEGREE_POSSIBLE || o->possible)
            finding_tell(d, t, p, prove->found[i]);
    if (o->dump && prove->lost) buf_printf(o->dump, "%d findings did not come true\n", prove->lost);
}
