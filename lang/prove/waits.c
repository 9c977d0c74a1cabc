/* waits.c - see waits.h.
 *
 * A read surely waits for a write if it is of the same fragment and that write surely happens: of
 * one that only may, instances that never are would hold others back. Relations are made when they
 * are asked for. */
#include "lang/prove/waits.h"

#include "runtime/base/vec.h"

enum { STOPS_MAX = 24 }; /* near one DF */

struct wait {
    int to;                  /* a stop */
    const struct touched *t; /* NULL: it is created behind it */
    const struct access *read, *write;
    int loops; /* they have so many counters in common */
    struct wait *next;
};

struct stop {
    bool known;
    const struct nesting *at;
    int loops;
    struct wait *waits;
    bool reads;
};

struct waits {
    struct arena *arena;
    struct walk *w;
    struct stop *stop; /* by visit */
    int nstops;
    /* Of the last question: stops that are near, in any order. */
    struct question *q;
    int near[STOPS_MAX], nnear;
    int *place; /* by stop: in near[]; -1 */
    struct rel *step[STOPS_MAX][STOPS_MAX];
    bool made[STOPS_MAX][STOPS_MAX];
    struct rel *reach[STOPS_MAX][WAITS_FAR + 1][STOPS_MAX]; /* in just so many steps */
    int reached[STOPS_MAX];                                  /* so many of them are made */
};

/* ---- stops ---- */

/* The loop over the elements of a reduction or a list, if x stands in one. */
static const struct nesting *
reduction(const struct access *x)
{
    const struct nesting *found = NULL;
    for (const struct nesting *s = x->at; s; s = s->up)
        if (s->kind == STEP_LOOP && (s->site->kind == PS_REDUCE || s->site->kind == PS_LIST))
            found = s;
    return found;
}

int
waits_stop(const struct access *x)
{
    const struct nesting *r = reduction(x);
    return r ? r->visit : x->visit;
}

int
waits_loops(const struct access *x)
{
    const struct nesting *r = reduction(x);
    return nesting_loops(r ? r->up : x->at);
}

/* Of a `while` its start and its condition are one stop, with the counter. */
static void
know(struct waits *all, const struct access *x)
{
    struct stop *s = &all->stop[waits_stop(x)];
    const struct nesting *r = reduction(x), *at = r ? r->up : x->at;
    if (s->known && s->loops >= nesting_loops(at)) return;
    s->known = true;
    s->at = at;
    s->loops = nesting_loops(at);
}

/* A reduction must be known to have the element at all. */
static bool
is_exact(const struct access *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!x->index[i]) return false;
    return !x->through && (x->sure || !reduction(x));
}

static void
add_wait(struct waits *all, int from, struct wait w)
{
    struct wait *row = arena_new_of(all->arena, struct wait);
    *row = w;
    row->next = all->stop[from].waits;
    all->stop[from].waits = row;
}

static void
add_reads(struct waits *all, const struct touched *t)
{
    unsigned reasons = DECL_VAGUE | DECL_SENT | DECL_TOLD | DECL_PARAM;
    for (const struct access *r = t->reads; r; r = r->next) {
        know(all, r);
        all->stop[waits_stop(r)].reads = true;
    }
    for (const struct access *w = t->writes; w; w = w->next) know(all, w);
    if (all->w->flags[t->decl] & reasons || access_many(t)) return;
    for (const struct access *r = t->reads; r; r = r->next)
        for (const struct access *w = t->writes; w && is_exact(r, t->n); w = w->next)
            if (w->sure && is_exact(w, t->n) && !access_apart(r, w, t->n))
                add_wait(all, waits_stop(r),
                         (struct wait){.to = waits_stop(w), .t = t, .read = r, .write = w});
}

/* What stands around it must have got its own values. The condition of a while is asked in each
 * turn. */
static void
add_gates(struct waits *all, int number)
{
    for (const struct nesting *s = all->stop[number].at; s; s = s->up) {
        bool turn = s->kind == STEP_LOOP && s->site->kind == PS_WHILE;
        if (s->visit == number || !all->stop[s->visit].reads) continue;
        add_wait(all, number,
                 (struct wait){.to = s->visit, .loops = turn ? s->loops : nesting_loops(s->up)});
    }
}

struct waits *
waits_new(struct walk *w)
{
    struct waits *all = arena_new_of(w->forms.arena, struct waits);
    *all = (struct waits){.arena = w->forms.arena, .w = w, .nstops = w->visits + 1};
    all->stop = arena_array(all->arena, struct stop, (size_t)all->nstops);
    all->place = arena_array(all->arena, int, (size_t)all->nstops);
    for (const struct touched *t = w->all; t; t = t->later) add_reads(all, t);
    for (int i = 0; i < all->nstops; i++) add_gates(all, i);
    return all;
}

struct walk *
waits_walk(const struct waits *all)
{
    return all->w;
}

/* ---- one question ---- */

static bool
add_near(struct waits *all, int stop)
{
    if (all->place[stop] >= 0) return true;
    if (all->nnear == STOPS_MAX) return false;
    all->place[stop] = all->nnear;
    all->near[all->nnear++] = stop;
    return true;
}

bool
waits_mark(struct waits *all, const struct touched *t, bool *used)
{
    all->nnear = 0;
    for (int i = 0; i < all->nstops; i++) all->place[i] = -1;
    for (const struct access *x = t->writes; x; x = x->next)
        if (!add_near(all, waits_stop(x))) return false;
    for (int far = 0, from = 0; far < WAITS_FAR; far++) {
        int until = all->nnear;
        for (; from < until; from++)
            for (const struct wait *w = all->stop[all->near[from]].waits; w; w = w->next) {
                if (!add_near(all, w->to)) return false;
                if (w->t) access_mark(all->w, w->read, w->t->n, used);
                if (w->t) access_mark(all->w, w->write, w->t->n, used);
            }
    }
    return true;
}

void
waits_begin(struct waits *all, struct question *q)
{
    all->q = q;
    for (int i = 0; i < all->nnear; i++) {
        all->reached[i] = 0;
        for (int k = 0; k < all->nnear; k++) all->made[i][k] = false;
    }
}

static struct rel *
either(struct waits *all, struct rel *a, struct rel *b)
{
    return !a ? b : !b ? a : rel_either(all->q->sets, a, b);
}

/* The first counters are the same. */
static struct rel *
gate_rel(struct waits *all, const struct stop *from, const struct wait *w)
{
    const struct sums **index =
        arena_array(all->arena, const struct sums *, (size_t)all->stop[w->to].loops + 1);
    struct access x = {.at = from->at, .index = index};
    for (int i = 0; i < w->loops && i < all->stop[w->to].loops; i++)
        index[i] = form_of_column(&all->w->forms, SETS_FROM, i);
    return access_rel(all->w, all->q->sets, &x, all->stop[w->to].loops, all->q->number);
}

static struct rel *
wait_rel(struct waits *all, const struct stop *from, const struct wait *w)
{
    struct question *q = all->q;
    int loops = all->stop[w->to].loops;
    if (!w->t) return w->loops == loops ? gate_rel(all, from, w) : NULL;
    if (waits_loops(w->write) != loops) return NULL;
    struct rel *read = access_rel_from(q->w, q->sets, w->read, w->t->n, from->loops, q->number);
    struct rel *write = access_rel(q->w, q->sets, w->write, w->t->n, q->number);
    return read && write ? rel_meeting(q->sets, read, write) : NULL;
}

static struct rel *
step_rel(struct waits *all, int from, int to)
{
    if (all->made[from][to]) return all->step[from][to];
    const struct stop *s = &all->stop[all->near[from]];
    struct rel *sum = NULL;
    for (const struct wait *w = s->waits; w; w = w->next)
        if (w->to == all->near[to]) sum = either(all, sum, wait_rel(all, s, w));
    all->made[from][to] = true;
    return all->step[from][to] = sum;
}

static void
reach_on(struct waits *all, int from, int far)
{
    for (int to = 0; to < all->nnear; to++) {
        struct rel *sum = NULL;
        for (int by = 0; by < all->nnear; by++) {
            struct rel *first = far == 1 ? NULL : all->reach[from][far - 1][by];
            if (far == 1 ? by != from : !first) continue;
            struct rel *step = step_rel(all, by, to);
            if (!step) continue;
            sum = either(all, sum, first ? rel_then(all->q->sets, first, step) : step);
        }
        all->reach[from][far][to] = sum;
    }
}

struct rel *
waits_within(struct waits *all, int from, int to, int far)
{
    int a = all->place[from], b = all->place[to];
    struct rel *sum = NULL;
    if (a < 0 || b < 0) return NULL;
    while (all->reached[a] < far) reach_on(all, a, ++all->reached[a]);
    for (int i = 1; i <= far; i++) sum = either(all, sum, all->reach[a][i][b]);
    return sum;
}
