/* circle.c - see circle.h.
 *
 * An edge goes from a call to one whose value it reads. Nearly all calls of a solver are in one
 * strongly connected part, and still nothing waits for ever: each turn waits for the one before. So
 * first such edges are taken out: if all edges within a part go back in one loop around it, or stay
 * in the turn, those that go back are in no circle. Only for what is left then relations are
 * composed, along each circle of up to CIRCLE_MAX calls. */
#include "lang/prove/circle.h"

#include "runtime/base/vec.h"

#include <stdlib.h>

enum { TRIED_MAX = 64 }; /* circles of one part */
enum { NONE = -1 };

struct edge {
    int from, to, order;
    const struct touched *t;
    const struct access *read, *write; /* of `from`, of `to` */
    bool out;                          /* in no circle */
};

struct call {
    const struct nesting *at;
    int edge, nedges; /* once they are sorted */
    int part;         /* strongly connected: the number of one of its calls */
};

struct circles {
    struct arena *arena;
    struct walk *w;
    struct call *call;
    struct edge *edge;
    int *number; /* of a visit: that of its call, from 1 */
    int ncalls, calls_room, nedges, edges_room;
};

/* ---- edges ---- */

static bool
counts(const struct access *x)
{
    return x->sure && !x->through && x->site->kind == PS_CALL;
}

static int
call_of(struct circles *c, const struct access *x)
{
    if (!c->number[x->visit]) {
        vec_need(c->arena, c->call, c->ncalls, c->calls_room);
        c->call[c->ncalls] = (struct call){.at = x->at};
        c->number[x->visit] = ++c->ncalls;
    }
    return c->number[x->visit] - 1;
}

static void
add_edges(struct circles *c, const struct touched *t)
{
    unsigned reasons = DECL_VAGUE | DECL_SENT | DECL_DROPPED | DECL_TOLD | DECL_PARAM;
    if (c->w->flags[t->decl] & reasons || access_many(t)) return;
    for (const struct access *r = t->reads; r; r = r->next)
        for (const struct access *w = t->writes; w && counts(r); w = w->next) {
            if (!counts(w) || w->out < 0 || access_apart(r, w, t->n)) continue;
            vec_need(c->arena, c->edge, c->nedges, c->edges_room);
            c->edge[c->nedges] = (struct edge){.from = call_of(c, r),
                                               .to = call_of(c, w),
                                               .order = c->nedges,
                                               .t = t,
                                               .read = r,
                                               .write = w};
            c->nedges++;
        }
}

static int
by_caller(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

static void
sort_edges(struct circles *c)
{
    if (c->nedges) qsort(c->edge, (size_t)c->nedges, sizeof *c->edge, by_caller);
    for (int i = 0; i < c->ncalls; i++) c->call[i].nedges = 0;
    for (int i = c->nedges - 1; i >= 0; i--) {
        c->call[c->edge[i].from].edge = i;
        c->call[c->edge[i].from].nedges++;
    }
}

/* ---- strongly connected parts, by Tarjan ---- */

struct search {
    struct circles *c;
    int *index, *low, *next, *path, *stack; /* by call; path: whence we are; stack: not in a part */
    bool *waits;
    int n, depth, height;
};

static void
enter(struct search *s, int call)
{
    s->index[call] = s->low[call] = ++s->n;
    s->next[call] = 0;
    s->path[s->depth++] = call;
    s->stack[s->height++] = call;
    s->waits[call] = true;
}

static void
leave(struct search *s, int call)
{
    s->depth--;
    if (s->depth && s->low[call] < s->low[s->path[s->depth - 1]])
        s->low[s->path[s->depth - 1]] = s->low[call];
    if (s->low[call] != s->index[call]) return;
    int member;
    do {
        member = s->stack[--s->height];
        s->waits[member] = false;
        s->c->call[member].part = call;
    } while (member != call);
}

static void
search_from(struct search *s, int start)
{
    enter(s, start);
    while (s->depth) {
        int at = s->path[s->depth - 1];
        const struct call *call = &s->c->call[at];
        if (s->next[at] == call->nedges) {
            leave(s, at);
            continue;
        }
        const struct edge *e = &s->c->edge[call->edge + s->next[at]++];
        if (e->out) continue;
        if (!s->index[e->to]) enter(s, e->to);
        else if (s->waits[e->to] && s->index[e->to] < s->low[at]) s->low[at] = s->index[e->to];
    }
}

/* Edges between parts are out. */
static void
find_parts(struct circles *c)
{
    size_t n = (size_t)c->ncalls + 1;
    struct search s = {.c = c,
                       .index = arena_array(c->arena, int, n),
                       .low = arena_array(c->arena, int, n),
                       .next = arena_array(c->arena, int, n),
                       .path = arena_array(c->arena, int, n),
                       .stack = arena_array(c->arena, int, n),
                       .waits = arena_array(c->arena, bool, n)};
    for (int i = 0; i < c->ncalls; i++)
        if (!s.index[i]) search_from(&s, i);
    for (int i = 0; i < c->nedges; i++)
        c->edge[i].out |= c->call[c->edge[i].from].part != c->call[c->edge[i].to].part;
}

/* ---- loops that carry ---- */

static const struct nesting *
loop_at(const struct nesting *s, int level)
{
    while (s && (s->kind != STEP_LOOP || s->loops != level + 1)) s = s->up;
    return s;
}

/* Whether a word is the loop's counter plus *k. */
static bool
is_counter(const struct sums *f, int level, int64_t *k)
{
    if (!f || f->n != 1 || f->pieces[0].sum.n != 1) return false;
    const struct sets_term *t = f->pieces[0].sum.terms;
    *k = f->pieces[0].sum.k;
    return t->space == SETS_FROM && t->number == level && t->factor == 1;
}

/* How many turns of the loop what is read was written later. */
static bool
distance(const struct edge *e, int level, int64_t *turns)
{
    for (int i = 0; i < e->t->n; i++) {
        int64_t written, read;
        if (!is_counter(e->write->index[i], level, &written) ||
            !is_counter(e->read->index[i], level, &read))
            continue;
        *turns = read - written;
        return true;
    }
    return false;
}

/* If the loop at this level around all of the part carries it, edges between turns are out. */
static bool
carry(struct circles *c, int part, int level)
{
    const struct nesting *loop = loop_at(c->call[part].at, level);
    int64_t turns;
    bool back = true, forth = true, any = false;
    for (int i = 0; i < c->nedges && loop; i++) {
        const struct edge *e = &c->edge[i];
        if (e->out || c->call[e->from].part != part) continue;
        if (loop_at(c->call[e->from].at, level) != loop || loop_at(c->call[e->to].at, level) != loop
            || !distance(e, level, &turns))
            return false;
        back &= turns <= 0;
        forth &= turns >= 0;
        any |= turns != 0;
    }
    if (!loop || !any || (!back && !forth)) return false;
    for (int i = 0; i < c->nedges; i++) {
        struct edge *e = &c->edge[i];
        if (e->out || c->call[e->from].part != part) continue;
        e->out = distance(e, level, &turns) && turns;
    }
    return true;
}

/* False: nothing has changed. */
static bool
carry_any(struct circles *c)
{
    bool changed = false;
    for (int i = 0; i < c->nedges; i++) {
        int part = c->call[c->edge[i].from].part;
        for (int level = 0; !c->edge[i].out && loop_at(c->call[part].at, level); level++)
            changed |= carry(c, part, level);
    }
    return changed;
}

struct circles *
circles_new(struct walk *w)
{
    struct circles *c = arena_new_of(w->forms.arena, struct circles);
    *c = (struct circles){.arena = w->forms.arena, .w = w};
    c->number = arena_array(c->arena, int, (size_t)w->visits + 1);
    for (const struct touched *t = w->all; t; t = t->later) add_edges(c, t);
    sort_edges(c);
    do find_parts(c);
    while (carry_any(c));
    return c;
}

/* ---- circles ---- */

struct round {
    struct circles *c;
    struct sets *s;
    struct finding *best;
    const struct edge *path[CIRCLE_MAX];
    int n, tried;
};

/* Of all that is on the way. */
static const bool *
marks(const struct round *r)
{
    bool *used = arena_array(r->c->arena, bool, (size_t)r->c->w->nfixed + 1);
    for (int i = 0; i < r->n; i++) {
        access_mark(r->c->w, r->path[i]->read, r->path[i]->t->n, used);
        access_mark(r->c->w, r->path[i]->write, r->path[i]->t->n, used);
    }
    return used;
}

/* From the instances of the caller to those it waits for. */
static struct rel *
step(struct question *q, const struct edge *e)
{
    struct rel *read = access_rel(q->w, q->sets, e->read, e->t->n, q->number);
    struct rel *write = access_rel(q->w, q->sets, e->write, e->t->n, q->number);
    return read && write ? rel_meeting(q->sets, read, write) : NULL;
}

/* What the witness waits for, and so on. */
static void
follow(struct question *q, struct round *r, struct rel **steps, struct finding *f)
{
    struct sets *s = q->sets;
    int64_t *symbols = question_words(q, q->symbols);
    const int64_t *at = f->at;
    struct circle_step *all = arena_array(q->arena, struct circle_step, (size_t)r->n);
    for (int i = 0; i < q->symbols; i++) symbols[i] = f->fixed[q->old[i]];
    for (int i = 0; i < r->n; i++) {
        const struct edge *e = r->path[i];
        int64_t *next = question_words(q, access_loops(e->write));
        int64_t *vector = question_words(q, e->t->n);
        struct set *here = set_point(s, rel_domain(s, steps[i]), at);
        struct set *there = rel_range(s, rel_within(s, steps[i], here));
        struct rel *write = access_rel(q->w, s, e->write, e->t->n, q->number);
        if (!set_nearest(s, set_with(s, there, symbols, q->symbols), next)) return;
        there = rel_range(s, rel_within(s, write, set_point(s, rel_domain(s, write), next)));
        if (!set_nearest(s, set_with(s, there, symbols, q->symbols), vector)) return;
        all[i] = (struct circle_step){e->write, e->t, next, vector};
        at = next;
    }
    f->circle = all;
    f->ncircle = r->n;
}

static void
compose(struct round *r)
{
    const struct edge *last = r->path[r->n - 1];
    struct question q;
    question_begin(&q, r->s, r->c->w, last->t, marks(r));
    struct rel *steps[CIRCLE_MAX], *all = NULL;
    for (int i = 0; i < r->n; i++) {
        steps[i] = step(&q, r->path[i]);
        if (!steps[i]) return;
        all = all ? rel_then(r->s, all, steps[i]) : steps[i];
    }
    struct rel *write = access_rel(q.w, r->s, last->write, last->t->n, q.number);
    struct set *v = rel_range(r->s, rel_within(r->s, write, rel_same(r->s, all)));
    struct finding f = {.code = D_SEM3_2, .a = last->write};
    if (judge_consider(&q, v, f, r->best)) follow(&q, r, steps, r->best);
    if (r->best->code == D_SEM3_2 && r->best->degree && !r->best->circle)
        *r->best = (struct finding){0};
}

/* Calls on a circle come behind its first. */
static void
walk(struct round *r, int start, int at)
{
    const struct call *call = &r->c->call[at];
    for (int i = 0; i < call->nedges; i++) {
        const struct edge *e = &r->c->edge[call->edge + i];
        bool passed = false;
        for (int k = 0; k < r->n; k++) passed |= r->path[k]->to == e->to;
        if (e->out || e->to < start || passed || r->tried == TRIED_MAX ||
            r->best->degree == DEGREE_CERTAIN)
            continue;
        r->path[r->n++] = e;
        if (e->to == start) {
            r->tried++;
            compose(r);
        } else if (r->n < CIRCLE_MAX) walk(r, start, e->to);
        r->n--;
    }
}

void
circles_find(struct circles *c, struct sets *s, struct finding *best)
{
    int *tried = arena_array(c->arena, int, (size_t)c->ncalls + 1); /* by part */
    for (int i = 0; i < c->ncalls; i++) {
        struct round r = {.c = c, .s = s, .best = best, .tried = tried[c->call[i].part]};
        walk(&r, i, i);
        tried[c->call[i].part] = r.tried;
    }
}
