/* interpret.c - see interpret.h: fragments, statements, activations. */
#include "interpret_parts.h"

#include "runtime/base/map.h"
#include "runtime/base/vec.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

struct interpret_waiter {
    struct interpret_waiter *next;
    struct task *task;
    unsigned input;
};

void
interpret_over(struct run *r, enum interpret_end how, const char *why)
{
    r->result.end = how;
    r->result.why = why;
    longjmp(r->over, 1);
}

static struct seen
seen_by(struct run *r, const struct task *t)
{
    return (struct seen){r, t->frame, t->local, t->in, t->out};
}

/* ---- fragments ---- */

static struct interpret_fragment *
fragment_of(struct run *r, const struct full_name *n)
{
    size_t size = offsetof(struct full_name, ix) + n->n * sizeof *n->ix;
    struct interpret_fragment *f = map_get_bytes(r->fragments, n, size);
    if (f) return f;
    f = arena_new_of(r->arena, struct interpret_fragment);
    f->id = n->id;
    f->decl = n->decl;
    f->n = n->n;
    memcpy(f->ix, n->ix, n->n * sizeof *n->ix);
    map_put_bytes(r->fragments, n, size, f);
    *r->last = f;
    r->last = &f->next;
    return f;
}

static void
task_ready(struct run *r, struct task *t)
{
    vec_need(r->arena, r->queue, r->nqueue, r->room);
    r->queue[r->nqueue++] = t;
}

/* True: its value is here. */
static bool
fragment_ask(struct run *r, struct interpret_fragment *f, struct task *t, unsigned input)
{
    f->requests++;
    if (f->state == HERE) {
        t->in[input] = f->value;
        if (f->left > 0 && !--f->left) f->state = ABSENT;
        return true;
    }
    struct interpret_waiter *w = arena_new_of(r->arena, struct interpret_waiter);
    *w = (struct interpret_waiter){.task = t, .input = input};
    f->asked_late |= f->assigned || f->state == DOOMED;
    if (f->state == ABSENT) f->state = AWAITED;
    if (f->last) f->last->next = w;
    else f->first = w;
    f->last = w;
    return false;
}

static void
fragment_put(struct run *r, const struct full_name *n, struct interpret_value v, int32_t uses,
             bool proved)
{
    struct interpret_fragment *f = fragment_of(r, n);
    f->times++;
    if (r->setup->tolerant) uses = -1;
    if (f->assigned) {
        r->result.at = f;
        if (r->setup->tolerant) return;
        interpret_over(r, TWICE, NULL);
    }
    if (uses < -1) interpret_over(r, FAULT, "a number of readers below -1");
    f->assigned = true;
    f->value = v;
    f->uses = f->left = uses;
    f->proved = proved;
    if (f->state == DOOMED) {
        f->state = f->first ? DOOMED : ABSENT;
        return;
    }
    while (f->first && f->left) {
        struct interpret_waiter *w = f->first;
        f->first = w->next;
        if (!f->first) f->last = NULL;
        if (f->left > 0) f->left--;
        w->task->in[w->input] = v;
        if (!--w->task->left) task_ready(r, w->task);
    }
    f->state = f->first ? AWAITED : f->left ? HERE : ABSENT;
    f->asked_late |= f->first != NULL;
}

static void
fragment_kill(struct run *r, const struct full_name *n)
{
    struct interpret_fragment *f = fragment_of(r, n);
    if (r->setup->tolerant) return;
    switch (f->state) {
    case ABSENT: f->state = DOOMED; return;
    case DOOMED: interpret_over(r, FAULT, "deleted again");
    case AWAITED: interpret_over(r, FAULT, "deleted while statements wait for it");
    case HERE: break;
    }
    if (f->left > 0) interpret_over(r, FAULT, "deleted, and readers are promised");
    f->state = ABSENT;
}

/* ---- what is left behind ---- */

static int32_t
uses_of(const struct seen *e, uint32_t post, bool *proved)
{
    const struct plan_post *x = post == PLAN_NONE ? NULL : &e->run->plan->posts.row[post];
    *proved = x && x->kind == PP_PROVED && e->run->small;
    if (x && x->kind == PP_DROP) return 0;
    return *proved || (x && x->kind == PP_COUNT) ? interpret_int(e, x->count) : -1;
}

static void
put_by(struct run *r, const struct seen *e, uint32_t ref, uint32_t post, struct interpret_value v)
{
    struct full_name name;
    bool proved;
    int32_t uses = uses_of(e, post, &proved);
    interpret_name(e, ref, &name);
    interpret_beyond(e, &name, NULL);
    fragment_put(r, &name, v, uses, proved);
}

/* What stands in rules, when all is through. */
static void
task_after(struct run *r, const struct task *t)
{
    struct seen e = seen_by(r, t);
    if (t->site->rules == PLAN_NONE) return;
    const struct plan_rules *x = &r->plan->rules.row[t->site->rules];
    for (uint32_t i = 0; i < x->nset; i++)
        put_by(r, &e, x->set + i, x->set_post == PLAN_NONE ? PLAN_NONE : x->set_post + i,
               (struct interpret_value){.i = 1});
    for (uint32_t i = 0; i < x->nkill; i++) {
        struct full_name name;
        interpret_name(&e, x->kill + i, &name);
        interpret_beyond(&e, &name, NULL);
        fragment_kill(r, &name);
    }
}

static void
frame_drop(struct run *r, struct frame *f)
{
    for (; f && !--f->alive; f = f->parent)
        if (f->done) {
            task_after(r, f->done);
            frame_drop(r, f->done->frame);
        }
}

/* ---- statements begin ---- */

static void task_run(struct run *r, struct task *t);

/* Asks for inputs, round by round, and runs when all are here. */
static void
task_go(struct run *r, struct task *t)
{
    const struct plan_site *s = t->site;
    const struct plan_in *in = &r->plan->ins.row[s->in];
    while (t->at < s->nin) {
        struct seen e = seen_by(r, t);
        t->end = t->at + 1;
        while (t->end < s->nin && in[t->end].round == in[t->at].round) t->end++;
        t->left = 1;
        unsigned from = t->at;
        t->at = t->end;
        for (unsigned i = from; i < t->end; i++) {
            struct full_name name;
            interpret_name(&e, in[i].ref, &name);
            if (interpret_beyond(&e, &name, &t->in[i])) continue;
            t->left += !fragment_ask(r, fragment_of(r, &name), t, i);
        }
        if (--t->left) return;
    }
    task_run(r, t);
}

static struct task *
task_new(struct run *r, uint32_t site, struct frame *f, const int64_t *local, unsigned nlocal)
{
    const struct plan_site *s = &r->plan->sites.row[site];
    size_t words = s->nlocal + 4u;
    struct task *t = arena_alloc(r->arena, sizeof *t + words * sizeof *t->local +
                                               s->nin * sizeof *t->in);
    t->site = s;
    t->frame = f;
    t->in = (struct interpret_value *)(void *)(t->local + words);
    if (nlocal) memcpy(t->local, local, (nlocal < words ? nlocal : words) * sizeof *local);
    f->alive++;
    if (++r->result.statements > r->setup->most) interpret_over(r, LONG, NULL);
    return t;
}

/* `fold`: of the reduction whose element it makes. */
static void
block_begin(struct run *r, uint32_t block, struct frame *f, const int64_t *local, unsigned nlocal,
            struct fold *fold)
{
    const struct plan_block *b = &r->plan->blocks.row[block];
    for (uint32_t i = 0; i < b->nsites; i++) {
        struct task *t = task_new(r, b->site + i, f, local, nlocal);
        t->fold = fold;
        if (fold && t->site->kind == PS_TERM) t->element = fold->n++;
        if (fold) task_go(r, t); /* in their order, which numbers them */
        else task_ready(r, t);
    }
}

/* The body for one value of the counter. */
static void
turn_begin(struct run *r, const struct task *t, unsigned word, int32_t i, bool fresh,
           uint32_t body, struct fold *fold)
{
    int64_t local[word + 2];
    memcpy(local, t->local, word * sizeof *local);
    local[word] = i;
    if (fresh) local[word + 1] = (int64_t)++r->ids;
    if (++r->result.statements > r->setup->most) interpret_over(r, LONG, NULL);
    block_begin(r, body, t->frame, local, word + 1 + fresh, fold);
}

static void
for_run(struct run *r, struct task *t)
{
    struct seen e = seen_by(r, t);
    const struct plan_site *s = t->site;
    int32_t lo = interpret_int(&e, s->a), hi = interpret_int(&e, s->b);
    task_after(r, t);
    for (int64_t i = lo; s->step > 0 ? i <= hi : i >= hi; i += s->step)
        turn_begin(r, t, s->nlocal, (int32_t)i, s->flags & PF_FRESH, s->body, t->fold);
}

/* Its counter is the last of its locals. */
static void
test_begin(struct run *r, const struct task *from, uint32_t site, unsigned word, int64_t i)
{
    int64_t local[word + 1];
    memcpy(local, from->local, word * sizeof *local);
    local[word] = i;
    task_ready(r, task_new(r, site, from->frame, local, word + 1));
}

static void
while_run(struct run *r, struct task *t)
{
    struct seen e = seen_by(r, t);
    test_begin(r, t, r->plan->blocks.row[t->site->body].site, t->site->nlocal,
               interpret_int(&e, t->site->a));
}

static void
test_run(struct run *r, struct task *t)
{
    struct seen e = seen_by(r, t);
    const struct plan_site *s = t->site;
    unsigned word = s->nlocal - 1u;
    int32_t i = (int32_t)t->local[word];
    if (!interpret_true(interpret_row(&e, s->a))) {
        const struct plan_arg *out = &r->plan->args.row[s->arg];
        put_by(r, &e, out->row, out->post, (struct interpret_value){.i = i});
        task_after(r, t);
        return;
    }
    if (i == INT32_MAX) interpret_over(r, FAULT, "the counter of a while is too large");
    turn_begin(r, t, word, i, s->flags & PF_FRESH, s->body, NULL);
    test_begin(r, t, (uint32_t)(s - r->plan->sites.row), word, i + 1);
}

static void
if_run(struct run *r, struct task *t)
{
    struct seen e = seen_by(r, t);
    const struct plan_site *s = t->site;
    uint32_t block = interpret_true(interpret_row(&e, s->a)) ? s->body : s->b;
    task_after(r, t);
    if (block != PLAN_NONE) block_begin(r, block, t->frame, t->local, s->nlocal, NULL);
}

/* ---- calls ---- */

static struct interpret_value
argument(const struct seen *e, const struct plan_arg *arg)
{
    struct interpret_value v = interpret_row(e, arg->row);
    if (arg->kind == PA_INT) return (struct interpret_value){.i = interpret_as_int(e, v)};
    if (arg->kind == PA_REAL && !v.real) return (struct interpret_value){.real = true, .d = v.i};
    return v;
}

static void lists_assign(struct run *r, struct task *t, const struct interpret_value *lists);

/* `lists`: by argument, those that are read, and room for those that are assigned; NULL: none. */
static void
call_end(struct run *r, struct task *t, const struct interpret_value *lists)
{
    struct seen e = seen_by(r, t);
    const struct plan_site *s = t->site;
    const struct plan_arg *args = &r->plan->args.row[s->arg];
    struct interpret_value in[INTERPRET_ARGS] = {{0}}, out[INTERPRET_ARGS] = {{0}};
    assert(s->nargs <= INTERPRET_ARGS);
    for (unsigned i = 0; i < s->nargs; i++)
        if (args[i].kind == PA_LIST) in[i] = lists[i];
        else if (args[i].kind != PA_NAME) in[i] = argument(&e, &args[i]);
    if (!r->setup->call(r->plan->functions.row[s->callee].sub->name.text, s->nargs, in, out))
        interpret_over(r, FAULT, "a function nobody knows");
    e.out = out;
    for (unsigned i = 0; i < s->nargs; i++)
        if (args[i].kind == PA_NAME) put_by(r, &e, args[i].row, args[i].post, out[i]);
    if (lists) lists_assign(r, t, lists);
    t->out = out;
    task_after(r, t);
    t->out = NULL;
}

static struct frame *
frame_new(struct run *r, uint32_t sub)
{
    const struct plan_sub *s = &r->plan->subs.row[sub];
    struct frame *f = arena_alloc(r->arena, sizeof *f + s->nwords * sizeof *f->word);
    f->id = ++r->ids;
    f->alive = 1;
    return f;
}

static void
frame_check(struct run *r, const struct frame *f, uint32_t sub)
{
    const struct plan_sub *s = &r->plan->subs.row[sub];
    struct seen e = {.run = r, .frame = f};
    for (uint32_t i = 0; i < s->nrequire; i++)
        if (!interpret_true(interpret_row(&e, r->plan->requires.row[s->require + i].expr)))
            interpret_over(r, FAULT, "a requirement");
}

static void
expand_run(struct run *r, struct task *t)
{
    struct seen e = seen_by(r, t);
    const struct plan_site *s = t->site;
    struct frame *f = frame_new(r, s->callee);
    for (unsigned i = 0; i < s->nargs; i++) {
        const struct plan_arg *arg = &r->plan->args.row[s->arg + i];
        if (arg->kind != PA_NAME) {
            f->word[i].v = argument(&e, arg);
            continue;
        }
        struct full_name *name = arena_new_of(r->arena, struct full_name);
        interpret_name(&e, arg->row, name);
        f->word[i].name = name;
    }
    frame_check(r, f, s->callee);
    f->parent = t->frame;
    t->frame->alive++;
    if (s->rules != PLAN_NONE) {
        f->done = t;
        t->frame->alive++;
    }
    block_begin(r, r->plan->subs.row[s->callee].body, f, NULL, 0, NULL);
    frame_drop(r, f);
}

/* ---- reductions ---- */

static struct interpret_value
fold_two(enum plan_operation op, struct interpret_value a, struct interpret_value b)
{
    int64_t x = a.i, y = b.i, v = 0;
    switch (op) {
    case PR_ADD: v = x + y; break;
    case PR_MUL: v = x * y; break;
    case PR_MIN: v = x < y ? x : y; break;
    case PR_MAX: v = x > y ? x : y; break;
    case PR_AND: v = x && y; break;
    case PR_OR: v = x || y; break;
    case PR_SUB: break;
    }
    return (struct interpret_value){.i = (int32_t)(uint32_t)(uint64_t)v};
}

/* Of ints these are the same in any order. */
static void
fold_end(struct run *r, struct fold *f)
{
    struct seen e = seen_by(r, f->task);
    const struct plan_site *s = f->task->site;
    enum plan_operation op = (enum plan_operation)s->a;
    struct interpret_value v = {.i = op == PR_MUL || op == PR_AND};
    if (op == PR_SUB || (!f->n && op != PR_ADD && op != PR_MUL))
        interpret_over(r, FAULT, "a reduction of nothing");
    if (f->n) v = f->element[0];
    if (f->n == 1 && (op == PR_AND || op == PR_OR)) v.i = v.i != 0;
    for (uint32_t i = 1; i < f->n; i++) v = fold_two(op, v, f->element[i]);
    put_by(r, &e, r->plan->args.row[s->arg].row, r->plan->args.row[s->arg].post, v);
    task_after(r, f->task);
    frame_drop(r, f->task->frame);
}

/* What the elements of a reduction or a list see. */
static struct task *
elements_see(struct run *r, const struct task *t, const struct plan_site *owner)
{
    struct seen e = seen_by(r, t);
    const struct plan_arg *args = &r->plan->args.row[owner->arg];
    size_t words = owner->nlocal + owner->nargs + owner->b + 4u;
    struct task *inside = arena_alloc(r->arena, sizeof *inside + words * sizeof *inside->local);
    *inside = *t;
    memcpy(inside->local, t->local, owner->nlocal * sizeof *t->local);
    for (unsigned i = 1; i < owner->nargs; i++)
        inside->local[owner->nlocal + i - 1] = interpret_int(&e, args[i].row);
    return inside;
}

static void
elements_begin(struct run *r, const struct task *inside, const struct plan_site *owner,
               struct fold *f)
{
    int64_t lo = inside->local[owner->nlocal], hi = inside->local[owner->nlocal + 1];
    for (int64_t i = lo; i <= hi; i++)
        turn_begin(r, inside, owner->nlocal + owner->nargs - 1u, (int32_t)i, false, owner->body, f);
}

/* ---- lists ---- */

static const struct plan_site *
list_site(const struct run *r, const struct task *t, unsigned argument)
{
    const struct plan_site *s = t->site;
    const struct plan_arg *arg = &r->plan->args.row[s->arg + argument];
    return &r->plan->sites.row[r->plan->blocks.row[s->body].site + arg->row];
}

/* Below the counters that are there. */
static double
list_rest(struct run *r, struct task *inside, uint32_t block, unsigned word)
{
    const struct plan_site *loop = &r->plan->sites.row[r->plan->blocks.row[block].site];
    if (loop->kind != PS_FOR) return 1;
    struct seen e = seen_by(r, inside);
    int32_t lo = interpret_int(&e, loop->a), hi = interpret_int(&e, loop->b);
    double n = 0;
    for (int64_t i = lo; i <= hi && n <= (double)r->setup->most; i++) {
        inside->local[word] = i;
        n += list_rest(r, inside, loop->body, word + 1);
    }
    return n;
}

static uint32_t
list_size(struct run *r, struct task *inside, const struct plan_site *list)
{
    const int64_t *bound = &inside->local[list->nlocal];
    unsigned word = list->nlocal + list->nargs - 1u;
    double n = 0;
    for (int64_t i = bound[0]; i <= bound[1] && n <= (double)r->setup->most; i++) {
        inside->local[word] = i;
        n += list_rest(r, inside, list->body, word + 1);
        if (i - bound[0] > r->setup->most) break;
    }
    if (n > (double)r->setup->most) interpret_over(r, LONG, NULL);
    return (uint32_t)n;
}

static void
gather_came(struct run *r, struct gather *g)
{
    if (--g->left) return;
    call_end(r, g->task, g->list);
    frame_drop(r, g->task->frame);
}

static void
lists_assign(struct run *r, struct task *t, const struct interpret_value *lists)
{
    for (unsigned i = 0; i < t->site->nargs; i++) {
        if (r->plan->args.row[t->site->arg + i].kind != PA_LIST) continue;
        const struct plan_site *list = list_site(r, t, i);
        struct fold *f = arena_new_of(r->arena, struct fold);
        f->element = lists[i].list;
        if (list->a) elements_begin(r, elements_see(r, t, list), list, f);
    }
}

static void
call_run(struct run *r, struct task *t)
{
    const struct plan_site *s = t->site;
    if (s->body == PLAN_NONE) {
        call_end(r, t, NULL);
        return;
    }
    struct gather *g = arena_new_of(r->arena, struct gather);
    *g = (struct gather){.task = t, .left = 1};
    g->list = arena_array(r->arena, struct interpret_value, s->nargs);
    t->frame->alive++;
    for (unsigned i = 0; i < s->nargs; i++) {
        if (r->plan->args.row[s->arg + i].kind != PA_LIST) continue;
        const struct plan_site *list = list_site(r, t, i);
        struct task *inside = elements_see(r, t, list);
        g->list[i].n = list_size(r, inside, list);
        g->list[i].list = arena_array(r->arena, struct interpret_value, g->list[i].n + 1u);
        if (list->a) continue;
        struct fold *f = arena_new_of(r->arena, struct fold);
        *f = (struct fold){.task = t, .gather = g, .argument = i, .element = g->list[i].list,
                           .room = g->list[i].n};
        g->left++;
        elements_begin(r, inside, list, f);
        f->begun = true;
        if (f->come == f->n) gather_came(r, g);
    }
    gather_came(r, g);
}

/* ---- elements ---- */

static void
term_run(struct run *r, struct task *t)
{
    struct fold *f = t->fold;
    uint32_t had = f->room;
    if (t->site->nargs) { /* of a list that is assigned */
        struct seen e = seen_by(r, t);
        const struct plan_arg *arg = &r->plan->args.row[t->site->arg];
        put_by(r, &e, arg->row, arg->post, f->element[t->element]);
        return;
    }
    while (f->room <= t->element) f->room = f->room ? 2 * f->room : 8;
    if (f->room != had)
        f->element = arena_grow(r->arena, f->element, had * sizeof *f->element,
                                f->room * sizeof *f->element);
    f->element[t->element] = t->in[t->site->a];
    if (t->in[t->site->a].real && !f->gather) interpret_over(r, FAULT, "a reduction of reals");
    if (++f->come < f->n || !f->begun) return;
    if (f->gather) gather_came(r, f->gather);
    else fold_end(r, f);
}

static void
reduce_run(struct run *r, struct task *t)
{
    struct fold *f = arena_new_of(r->arena, struct fold);
    f->task = t;
    t->frame->alive++;
    elements_begin(r, elements_see(r, t, t->site), t->site, f);
    f->begun = true;
    if (f->come == f->n) fold_end(r, f);
}

static void
task_run(struct run *r, struct task *t)
{
    switch (t->site->kind) {
    case PS_CALL: call_run(r, t); break;
    case PS_EXPAND: expand_run(r, t); break;
    case PS_FOR: for_run(r, t); break;
    case PS_WHILE: while_run(r, t); break;
    case PS_TEST: test_run(r, t); break;
    case PS_IF: if_run(r, t); break;
    case PS_REDUCE: reduce_run(r, t); break;
    case PS_TERM: term_run(r, t); break;
    case PS_LIST: break; /* no statement */
    }
    frame_drop(r, t->frame);
}

/* ---- the run ---- */

static struct task *
task_next(struct run *r)
{
    size_t at = r->first;
    if (r->first == r->nqueue) return NULL;
    if (r->setup->seed) {
        r->state = r->state * 6364136223846793005u + 1442695040888963407u;
        at += (size_t)(r->state >> 33) % (r->nqueue - r->first);
    }
    struct task *t = r->queue[at];
    r->queue[at] = r->queue[r->first++];
    return t;
}

static struct frame *
main_frame(struct run *r, const int32_t *args)
{
    struct frame *f = frame_new(r, r->plan->main);
    const struct symbol *p = r->plan->subs.row[r->plan->main].sub->params;
    r->small = true;
    for (unsigned i = 0; p; p = p->next, i++) {
        f->word[i].v.i = args[i];
        r->small &= args[i] >= -(1 << 24) && args[i] < 1 << 24;
    }
    return f;
}

static void
all_run(struct run *r)
{
    struct frame *main = main_frame(r, r->setup->args);
    frame_check(r, main, r->plan->main);
    block_begin(r, r->plan->subs.row[r->plan->main].body, main, NULL, 0, NULL);
    frame_drop(r, main);
    for (struct task *t; (t = task_next(r));) task_go(r, t);
    for (const struct interpret_fragment *f = r->result.all; f; f = f->next)
        if (f->first) {
            r->result.end = STUCK;
            r->result.at = f;
            return;
        }
}

static struct run
run_of(struct arena *a, const struct plan *p, const struct interpret_setup *s)
{
    return (struct run){.plan = p, .arena = a, .setup = s, .state = s ? s->seed : 0};
}

struct interpreted
interpret(struct arena *a, const struct plan *p, const struct interpret_setup *s)
{
    struct run *r = arena_new_of(a, struct run);
    *r = run_of(a, p, s);
    r->fragments = map_new_in(a);
    r->last = (struct interpret_fragment **)&r->result.all;
    if (!setjmp(r->over)) all_run(r);
    return r->result;
}

int32_t
interpret_int_of_main(struct arena *a, const struct plan *p, const int32_t *args, uint32_t row)
{
    struct run *r = arena_new_of(a, struct run);
    *r = run_of(a, p, NULL);
    struct seen e = {.run = r, .frame = main_frame(r, args)};
    return setjmp(r->over) ? 0 : interpret_int(&e, row);
}

const char *
interpret_text(const struct plan *p, const struct interpret_fragment *f, char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "%s", p->dfs.row[f->decl].name);
    for (uint32_t i = 0; i < f->n && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "[%d]", f->ix[i]);
    return text;
}
