/* graph_touch.c - from accesses to touches.
 *
 * What a list names is touched by its call: by each element, if these are few and it is known where
 * the first one is, else by the first one, which the call may follow, and by the others as a
 * counter of the list. */
#include "lang/place/graph_parts.h"

#include "runtime/base/vec.h"

#include <stdlib.h>

enum { TURNS_FEW = 32, ELEMENTS_FEW = 128 }; /* of a counter; of all of them */

/* ---- indices ---- */

/* How far it is from 0 if it wraps around behind n. */
static int64_t
nearest(int64_t k, int64_t n)
{
    int64_t rest = (k % n + n) % n;
    return rest > n / 2 ? rest - n : rest;
}

/* A multiple of one counter, and a number. False: it is none. */
static bool
step_of(const struct sum *sum, const struct index_step *seen, struct index_step *step,
        bool *is_remainder)
{
    int64_t wraps = 0; /* behind so many: i % n is i - n * q, for some q */
    *step = (struct index_step){-1, 0, sum->k, false};
    for (int i = 0; i < sum->n; i++) {
        const struct sets_term *t = &sum->terms[i];
        if (t->space == SETS_SYMBOL && sum->n == 1) continue; /* a border that main says */
        if (t->space == SETS_SOME && !wraps) {
            wraps = llabs(t->factor);
            continue;
        }
        if (t->space != SETS_FROM) return false;
        const struct index_step *by = &seen[t->number];
        if (by->counter >= 0 && step->counter >= 0) return false;
        step->k += t->factor * by->k;
        step->sometimes |= by->sometimes;
        if (by->counter < 0) continue;
        step->counter = by->counter;
        step->c = t->factor * by->c;
    }
    if (wraps) step->k = nearest(step->k, wraps);
    *is_remainder = wraps;
    return !wraps || (wraps > 1 && step->counter >= 0);
}

/* Where an index wraps around it comes out in several ways: that in front is the one that most
 * turns take, which is the nearest. */
static void
put_nearest_first(struct index_step *step, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++) {
        bool counts = step[i].counter >= 0 && step[i].counter == step[best].counter;
        if (counts && llabs(step[i].k) < llabs(step[best].k)) best = i;
    }
    struct index_step first = step[0];
    step[0] = step[best];
    step[best] = first;
}

/* By what the counters of the loops around it are seen as. Of several ways those are left out that
 * wrap around at an end which main says. */
static struct index
index_of(struct place_graph *g, const struct sums *s, const struct index_step *seen)
{
    struct index all = {.lo = INT32_MIN, .hi = INT32_MAX};
    if (!s) return all;
    all.lo = s->lo;
    all.hi = s->hi;
    struct index_step *steps = arena_array(g->arena, struct index_step, (size_t)s->n);
    for (int i = 0; i < s->n; i++) {
        const struct piece *piece = &s->pieces[i];
        bool wraps = false;
        if (!step_of(&piece->sum, seen, &steps[all.n], &wraps)) continue;
        steps[all.n++].sometimes |= wraps || (s->n > 1 && piece->conds);
    }
    put_nearest_first(steps, all.n);
    all.step = steps;
    return all;
}

/* Each has steps of its own, since they are changed later. `seen`: in the sub. */
static const struct index *
indices_of(struct place_graph *g, const struct activations *outer, const struct access *x, int n,
           const struct index_step *seen)
{
    struct index *index = arena_array(g->arena, struct index, (size_t)outer->n + (size_t)n + 1);
    for (int i = 0; i < outer->n; i++) {
        struct index_step *step = arena_new_of(g->arena, struct index_step);
        *step = *outer->index[i].step;
        index[i] = outer->index[i];
        index[i].step = step;
    }
    for (int i = 0; i < n; i++)
        index[outer->n + i] = index_of(g, x->index ? x->index[i] : NULL, seen);
    return index;
}

/* ---- how a statement takes a fragment ---- */

static bool
is_value_of(const struct plan *p, uint32_t expr, unsigned input)
{
    return p->exprs.row[expr].kind == PE_IN && p->exprs.row[expr].a == input;
}

static bool
is_whole(const struct plan_in *in, uint32_t ref)
{
    return in->ref == ref && in->part == PLAN_NONE;
}

/* A call takes it as it is. */
static bool
takes_whole(const struct plan *p, const struct plan_site *s, uint32_t ref)
{
    unsigned input = 0;
    if (s->kind != PS_CALL) return false;
    while (input < s->nin && !is_whole(&p->ins.row[s->in + input], ref)) input++;
    for (unsigned i = 0; i < s->nargs; i++) {
        const struct plan_arg *a = &p->args.row[s->arg + i];
        if (a->kind == PA_VALUE && is_value_of(p, a->row, input)) return true;
    }
    return false;
}

static bool
is_output(const struct plan *p, const struct plan_site *s, unsigned arg)
{
    const struct plan_arg *a = &p->args.row[s->arg + arg];
    if (a->kind != PA_LIST) return a->kind == PA_NAME;
    return p->sites.row[p->blocks.row[s->body].site + a->row].a != 0;
}

static bool
is_first_output(const struct plan *p, const struct plan_site *s, int out)
{
    for (int i = 0; i < out; i++)
        if (is_output(p, s, (unsigned)i)) return false;
    return out >= 0;
}

/* As the rules of language.md 9.1 look for a cell: names as they are written, then inputs. */
static int
order_of(const struct plan *p, const struct access *x, bool write)
{
    unsigned input = 0;
    if (write) return x->out;
    while (input < x->site->nin && p->ins.row[x->site->in + input].ref != x->ref) input++;
    return x->site->nargs + (int)input;
}

/* ---- touches ---- */

static void
add_touch(struct place_graph *g, const struct touch *t)
{
    struct stop *s = &g->stops[t->stop];
    vec_need(g->arena, g->touches, g->ntouches, g->touches_room);
    g->touches[g->ntouches] = *t;
    vec_need(g->arena, s->touch, s->ntouches, s->room);
    s->touch[s->ntouches++] = g->ntouches++;
}

/* Counters as they are. */
static struct index_step *
as_they_are(struct place_graph *g, const int *counter, int n)
{
    struct index_step *seen = arena_array(g->arena, struct index_step, (size_t)n + 1);
    for (int i = 0; i < n; i++) seen[i] = (struct index_step){counter[i], 1, 0, false};
    return seen;
}

static void
touch_itself(struct builder *b, const struct walk *w, const struct access *x, struct touch t, int n)
{
    struct place_graph *g = b->g;
    const struct activations *outer = &g->activations[w->sub];
    int around;
    const int *counter = graph_counters(b, w, x->at, &around);
    t.stop = graph_stop(b, x->site, counter, around, !x->env->outer);
    t.order = order_of(g->plan, x, t.write);
    t.first = t.write && is_first_output(g->plan, x->site, x->out);
    t.number = !t.write && !takes_whole(g->plan, x->site, x->ref);
    t.index = indices_of(g, outer, x, n, as_they_are(g, counter + outer->n, around - outer->n));
    add_touch(g, &t);
}

/* ---- elements of lists ---- */

/* The outermost of the loops of the list that it is an element of. NULL: of none. */
static const struct nesting *
list_of(const struct access *x)
{
    const struct nesting *at = x->site->kind == PS_TERM ? x->at : NULL;
    while (at && !(at->kind == STEP_LOOP && at->site->kind == PS_LIST)) at = at->up;
    return at;
}

struct elements {
    struct place_graph *g;
    const struct access *x;
    const struct activations *outer;
    struct touch touch;
    int n;                   /* words of its vector, as the walk sees it */
    struct index_step *seen; /* by loop of the sub: of those of the list what is looked at */
    int first, loops;        /* those from `first` on are the list's */
    bool many;               /* each of them is taken for long */
};

/* The one way in which it goes along with a counter, or it is a number. */
static bool
only_step(const struct index *x, struct index_step *out)
{
    int n = 0;
    for (int i = 0; i < x->n; i++)
        if (x->step[i].counter >= 0 || x->n == 1) *out = x->step[i], n++;
    return n == 1;
}

static bool
has_symbol(const struct sums *s)
{
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < s->pieces[i].sum.n; k++)
            if (s->pieces[i].sum.terms[k].space == SETS_SYMBOL) return true;
    return false;
}

static const struct nesting *
loop_at(const struct access *x, int loop)
{
    const struct nesting *at = x->at;
    while (at->kind != STEP_LOOP || at->loops != loop + 1) at = at->up;
    return at;
}

/* Where the loop begins, and how many turns it has; 0: not known, or many. False: not even the
 * former. */
static bool
range_of(const struct elements *e, int loop, struct index_step *lo, int64_t *turns)
{
    const struct nesting *at = loop_at(e->x, loop);
    struct index least = index_of(e->g, at->lo, e->seen), most = index_of(e->g, at->hi, e->seen);
    struct index_step hi;
    *turns = 0;
    if (!only_step(&least, lo)) return false;
    if (e->many || !only_step(&most, &hi)) return true;
    if (hi.counter != lo->counter || hi.c != lo->c) return true;
    if (hi.counter < 0 && (has_symbol(at->lo) || has_symbol(at->hi))) return true;
    if (hi.k >= lo->k && hi.k - lo->k < TURNS_FEW) *turns = hi.k - lo->k + 1;
    return true;
}

/* From this loop of the list inwards. `first`: of each loop that is long but the first turn. */
static void
touch_elements(struct elements *e, int loop, bool first)
{
    if (loop == e->loops) {
        e->touch.index = indices_of(e->g, e->outer, e->x, e->n, e->seen);
        add_touch(e->g, &e->touch);
        return;
    }
    struct index_step own = e->seen[loop], lo;
    int64_t turns;
    if (range_of(e, loop, &lo, &turns) && (turns || first)) {
        for (int64_t i = 0; i < turns || !i; i++) {
            e->seen[loop] = lo;
            e->seen[loop].k += i;
            touch_elements(e, loop + 1, first);
        }
        e->seen[loop] = own;
    } else if (!first) {
        touch_elements(e, loop + 1, first);
    }
}

/* How many touches there would be, or some number above ELEMENTS_FEW: a loop may have another
 * number of turns in each turn of the one around it. `every`: each loop is short. */
static int
count_elements(struct elements *e, int loop, bool *every)
{
    if (loop == e->loops) return 1;
    struct index_step own = e->seen[loop], lo;
    int64_t turns;
    int sum = 0;
    if (!range_of(e, loop, &lo, &turns) || !turns) {
        *every = false;
        return count_elements(e, loop + 1, every);
    }
    for (int64_t i = 0; i < turns && sum <= ELEMENTS_FEW; i++) {
        e->seen[loop] = lo;
        e->seen[loop].k += i;
        sum += count_elements(e, loop + 1, every);
    }
    e->seen[loop] = own;
    return sum;
}

static void
touch_list(struct builder *b, const struct walk *w, const struct access *x,
           const struct nesting *list, struct touch t, int n)
{
    struct place_graph *g = b->g;
    const struct plan *p = g->plan;
    const struct plan_site *call = &p->sites.row[list->site->callee];
    int around, argument = p->exprs.row[p->args.row[list->site->arg].row].k;
    const int *counter = graph_counters(b, w, x->at, &around);
    struct elements e = {.g = g, .x = x, .n = n};
    e.outer = &g->activations[w->sub];
    e.first = list->loops - 1;
    e.loops = around - e.outer->n;
    e.seen = as_they_are(g, counter + e.outer->n, e.loops);
    e.touch = t;
    e.touch.stop = graph_stop(b, call, counter, e.outer->n + e.first, !x->env->outer);
    e.touch.order = t.write ? argument : call->nargs + call->nin + argument;
    e.touch.first = t.write && is_first_output(p, call, argument);
    bool every = true;
    e.many = count_elements(&e, e.first, &every) > ELEMENTS_FEW;
    if (e.many || !every) touch_elements(&e, e.first, true);
    touch_elements(&e, e.first, false);
}

void
graph_add_touches(struct builder *b, const struct walk *w, const struct access *x, uint32_t df,
                  int n, bool write)
{
    enum plan_site_kind kind = x->site->kind;
    const struct nesting *list = list_of(x);
    struct touch t = {.df = df, .write = write};
    if (kind != PS_CALL && kind != PS_REDUCE && kind != PS_TERM) return;
    if (kind == PS_REDUCE && !write) return; /* its bounds */
    if (list) touch_list(b, w, x, list, t, n);
    else touch_itself(b, w, x, t, n);
}
