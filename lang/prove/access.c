/* access.c - see access.h: the walk over the plan. Knows what sites do, not what follows. */
#include "lang/prove/access_parts.h"

#include "lang/prove/around.h"
#include "runtime/base/vec.h"

#include <limits.h>

/* ---- loops and branches ---- */

static int64_t
within_int(int64_t x)
{
    return x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x;
}

/* The counter in word `word` goes from lo to hi. */
static struct nesting *
loop_step(struct walk *w, const struct nesting *up, unsigned word, const struct sums *lo,
          const struct sums *hi)
{
    struct nesting *s = access_new_step(w, up, STEP_LOOP);
    struct interval r = {lo ? within_int(lo->lo) : INT32_MIN, hi ? within_int(hi->hi) : INT32_MAX};
    if (r.hi < r.lo) r.hi = r.lo;
    int column = s->loops++;
    vec_need(w->forms.arena, w->counters, column, w->counters_room);
    w->counters[column] = r;
    w->forms.counters = w->counters;
    s->lo = lo;
    s->hi = hi;
    s->word = word;
    s->sure &= lo && hi;
    w->env->local[word] = form_of_column(&w->forms, SETS_FROM, column);
    return s;
}

static void
walk_for(struct walk *w, const struct nesting *at)
{
    const struct plan_site *s = w->site;
    const struct sums *from = form_of_row(&w->forms, w->plan, s->a);
    enum lack lack = w->forms.lack;
    const struct sums *to = form_of_row(&w->forms, w->plan, s->b);
    struct nesting *step = s->step > 0 ? loop_step(w, at, s->nlocal, from, to)
                                       : loop_step(w, at, s->nlocal, to, from);
    step->lack = from ? w->forms.lack : lack;
    if (s->step != 1) {
        step->on = form_steps(&w->forms, from, s->step);
        step->sure &= step->on != NULL;
    }
    if (s->flags & PF_FRESH) w->env->local[s->nlocal + 1] = NULL;
    access_block(w, s->body, step);
}

static void
walk_branch(struct walk *w, const struct nesting *at, uint32_t block, bool other)
{
    struct nesting *step = access_new_step(w, at, STEP_IF);
    step->other = other;
    step->where = where_row(&w->forms, w->plan, w->site->a, !other);
    step->sure &= step->where->exact;
    access_block(w, block, step);
}

static void
add_choice(struct walk *w, const struct nesting *at)
{
    const struct plan_site *s = w->site;
    if (w->env->outer || !s->stmt || s->stmt->settled) return;
    struct choice *c = arena_new_of(w->forms.arena, struct choice);
    *c = (struct choice){.at = at,
                         .site = s,
                         .yes = where_row(&w->forms, w->plan, s->a, true),
                         .no = where_row(&w->forms, w->plan, s->a, false)};
    if (!c->yes->exact || !c->no->exact) return;
    *w->last_choice = c;
    w->last_choice = &c->next;
}

static void
walk_if(struct walk *w, const struct nesting *at)
{
    const struct plan_site *s = w->site;
    int visit = w->visit;
    add_choice(w, at);
    walk_branch(w, at, s->body, false);
    w->site = s;
    w->visit = visit;
    if (s->b != PLAN_NONE) walk_branch(w, at, s->b, true);
}

/* Its counter takes all values from the start to the one for which the condition fails. That one is
 * a number of the activation if no loop is around. */
static void
walk_while(struct walk *w, const struct nesting *at)
{
    const struct plan_site *s = w->site;
    const struct plan_site *test = &w->plan->sites.row[w->plan->blocks.row[s->body].site];
    const struct sums *from = form_of_row(&w->forms, w->plan, s->a), *end = NULL, *last = NULL;
    if (from && !nesting_loops(at)) {
        struct fixed x = {.kind = FIXED_END, .from = from, .name = s->stmt->counter->name.text};
        x.of.decl = PLAN_NONE;
        w->site = test;
        if (test->nargs) access_resolve_lone(w, w->plan->args.row[test->arg].row, &x.of);
        w->site = s;
        int number = access_new_fixed(w, x, access_end_box(w, from));
        end = form_of_column(&w->forms, SETS_SYMBOL, number);
        last = form_add(&w->forms, end, -1);
        w->site = test;
        w->env->local[s->nlocal] = last;
        const struct where *goes = where_row(&w->forms, w->plan, test->a, true);
        w->fixed[number].goes = goes;
        w->site = s;
    }
    struct nesting *step = loop_step(w, at, s->nlocal, end ? end : from, end);
    w->site = test;
    if (test->nargs) {
        const struct plan_arg *out = &w->plan->args.row[test->arg];
        access_add_write(w, step, out->row, out->post, test->stmt->out->span, 0);
    }
    w->site = s;
    step = loop_step(w, at, s->nlocal, from, end);
    w->site = test;
    access_add_rules(w, step);
    access_add_inputs(w, step);
    w->site = s;
    step = loop_step(w, at, s->nlocal, from, last);
    if (test->flags & PF_FRESH) w->env->local[s->nlocal + 1] = NULL;
    access_block(w, test->body, step);
}

/* ---- reductions, lists, calls of functions ---- */

/* Of a reduction or a list: behind its own words the elements see its ints, and behind them the
 * counters. The first counter's loop is the run-time's. */
static void
walk_elements(struct walk *w, const struct nesting *at)
{
    const struct plan_site *s = w->site;
    const struct plan_arg *args = &w->plan->args.row[s->arg];
    const struct sums **words = arena_array(w->forms.arena, const struct sums *, s->nargs);
    for (unsigned i = 1; i < s->nargs; i++) words[i] = form_of_row(&w->forms, w->plan, args[i].row);
    for (unsigned i = 1; i < s->nargs; i++) w->env->local[s->nlocal + i - 1] = words[i];
    unsigned counter = s->nlocal + s->nargs - 1u;
    access_block(w, s->body, loop_step(w, at, counter, words[1], words[2]));
}

static void
walk_reduce(struct walk *w, const struct nesting *at)
{
    const struct plan_site *s = w->site;
    const struct plan_arg *out = &w->plan->args.row[s->arg];
    access_add_write(w, at, out->row, out->post, s->stmt->out->span, 0);
    walk_elements(w, at);
}

/* One element of a list that is assigned. */
static void
walk_term(struct walk *w, const struct nesting *at)
{
    const struct plan_site *s = w->site;
    if (!s->nargs) return;
    const struct plan_arg *arg = &w->plan->args.row[s->arg];
    const struct expr *list = plan_list(w->plan, &w->plan->sites.row[s->callee]);
    access_add_write(w, at, arg->row, arg->post, list->span, 0);
}

/* Its loops are seen as those of the call: that waits for all elements, and assigns them. */
static void
walk_lists(struct walk *w, const struct nesting *at)
{
    const struct plan_block *b = &w->plan->blocks.row[w->site->body];
    int visit = w->visit;
    for (uint32_t i = 0; i < b->nsites; i++) {
        w->site = &w->plan->sites.row[b->site + i];
        w->visit = visit;
        walk_elements(w, at);
    }
}

static void
walk_call(struct walk *w, const struct nesting *at)
{
    const struct plan_site *s = w->site;
    const struct expr *e = s->stmt->args;
    for (unsigned i = 0; i < s->nargs; i++, e = e->next) {
        const struct plan_arg *arg = &w->plan->args.row[s->arg + i];
        if (arg->kind == PA_NAME) access_add_write(w, at, arg->row, arg->post, e->span, (int)i);
    }
    if (s->body != PLAN_NONE) walk_lists(w, at);
}

/* ---- all of a sub ---- */

static void
walk_site(struct walk *w, const struct plan_site *s, const struct nesting *at)
{
    if (s->nin && !s->spans) return; /* made up: release.h */
    w->site = s;
    w->visit = ++w->visits;
    access_add_inputs(w, at);
    if (s->kind == PS_WHILE) {
        walk_while(w, at);
        return;
    }
    access_add_rules(w, at);
    switch (s->kind) {
    case PS_CALL:
        walk_call(w, at);
        break;
    case PS_EXPAND:
        access_expand(w, at);
        break;
    case PS_FOR:
        walk_for(w, at);
        break;
    case PS_IF:
        walk_if(w, at);
        break;
    case PS_REDUCE:
        walk_reduce(w, at);
        break;
    case PS_TERM:
        walk_term(w, at);
        break;
    default:
        break;
    }
}

void
access_block(struct walk *w, uint32_t block, const struct nesting *at)
{
    const struct plan_block *b = &w->plan->blocks.row[block];
    const struct nesting *was = w->at;
    w->at = at;
    for (uint32_t i = 0; i < b->nsites; i++) walk_site(w, &w->plan->sites.row[b->site + i], at);
    w->at = was;
}

static bool
holds_here(void *who, const struct sum *sum)
{
    return around_holds(who, sum);
}

void
access_walk(struct walk *w, struct arena *a, const struct plan *p, uint32_t sub,
            const struct walk_options *o)
{
    const struct plan_sub *row = &p->subs.row[sub];
    struct env *env = arena_new_of(a, struct env);
    *w = (struct walk){.plan = p, .sub = sub, .o = *o};
    w->forms = (struct former){.arena = a,
                               .local = access_local_word,
                               .frame = access_frame_word,
                               .input = access_input_word,
                               .truth = access_truth_word,
                               .holds = holds_here,
                               .who = w};
    w->targets = arena_array(a, struct touched *, (size_t)p->dfs.n + row->nwords + 1);
    w->flags = arena_array(a, uint8_t, (size_t)p->dfs.n + row->nwords + 1);
    w->active = arena_array(a, bool, p->subs.n);
    w->asked = arena_array(a, bool, row->nwords + 1);
    w->last = &w->all;
    w->last_choice = &w->choices;
    w->last_called = &w->called;
    *env = (struct env){.sub = sub};
    env->names = arena_array(a, struct bound, row->nwords + 1);
    for (uint32_t i = 0; i < row->nwords; i++) {
        env->names[i].decl = access_param(p, i);
        w->flags[access_param(p, i)] = DECL_PARAM;
    }
    env->local = arena_array(a, const struct sums *, row->nlocal_max + 2);
    w->env = env;
    w->required = arena_array(a, const struct where *, row->nrequire + 1);
    for (; w->nrequired < row->nrequire; w->nrequired++)
        w->required[w->nrequired] = access_required(w, row, w->nrequired, true);
    w->active[sub] = true;
    for (uint32_t i = 0; i < p->dfs.n; i++)
        if (p->dfs.row[i].sub == sub && p->dfs.row[i].sym->told) w->flags[i] |= DECL_TOLD;
    access_block(w, row->body, NULL);
}
