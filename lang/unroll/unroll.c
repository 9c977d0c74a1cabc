/* unroll.c - see unroll.h: the walk itself. */
#include "lang/unroll/unroll_parts.h"

#include "runtime/base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- activations ---- */

static struct unroll_frame *
frame_begin(struct unroll *u, uint32_t sub)
{
    const struct plan_sub *s = &u->plan->subs.row[sub];
    size_t values = (size_t)s->nwords + s->nlocal_max + 4;
    struct unroll_frame *f =
        mem_zalloc(1, sizeof *f + values * sizeof *f->word + (s->nwords + 1u) * sizeof *f->name);
    if (!f) arena_jump(u->arena, ARENA_NO_MEMORY);
    f->word = (struct unroll_value *)(void *)(f + 1);
    f->local = f->word + s->nwords;
    f->name = (struct unroll_name **)(void *)(f->word + values);
    for (uint32_t i = (uint32_t)s->sub->nparams; i < s->nwords; i++)
        f->word[i].kind = UNROLL_INT; /* 0, if nobody passes one */
    f->sub = sub;
    f->id = ++u->ids;
    f->outer = u->frame;
    u->frame = f;
    u->depth++;
    return f;
}

static void
frame_end(struct unroll *u)
{
    struct unroll_frame *f = u->frame;
    u->frame = f->outer;
    u->depth--;
    for (uint32_t i = 0; i < u->plan->subs.row[f->sub].nwords; i++) mem_free(f->name[i]);
    mem_free(f);
}

/* ---- statements ---- */

static void block_walk(struct unroll *u, uint32_t block, uint32_t around);

static uint32_t
enter(const struct unroll_instance *x, uint32_t around)
{
    struct unroll *u = x->u;
    if (u->setup->most && u->instances++ >= u->setup->most)
        unroll_fail(x, "ask for fewer: smaller arguments, fewer steps",
                    "these are more than %" PRIu64 " statements and fragments they name",
                    u->setup->most);
    return u->visitor->enter(u->visitor->who, x, around);
}

static int32_t
bound(const struct unroll_instance *x, uint32_t row, const char *what)
{
    x->u->site = NULL;
    x->u->param = NULL;
    x->u->by_zero = false;
    return unroll_known(x, unroll_eval(x, row, NULL), what);
}

static void
counter_set(struct unroll *u, unsigned word, int32_t i, bool fresh)
{
    struct unroll_value *local = u->frame->local + word;
    local[0] = (struct unroll_value){UNROLL_INT, {.i = i}};
    if (fresh) local[1] = (struct unroll_value){UNROLL_INT, {.i = (int64_t)++u->ids}};
}

static void
for_walk(const struct unroll_instance *x, uint32_t inside)
{
    const struct plan_site *s = x->site;
    struct unroll *u = x->u;
    int32_t lo = bound(x, s->a, "a bound"), hi = bound(x, s->b, "a bound");
    bool outermost = !u->loops;
    int64_t turns = plan_turns(s, lo, hi);
    unroll_repeat_begin(u, s, NULL, turns);
    u->loops++;
    for (int64_t turn = 0; turn < turns; turn++) {
        bool watched = outermost && u->repeat;
        if (watched) unroll_repeat_turn(u);
        counter_set(u, s->nlocal, (int32_t)(lo + turn * s->step), s->flags & PF_FRESH);
        block_walk(u, s->body, inside);
        if (watched) turn += unroll_repeat_ended(u, turns - 1 - turn);
    }
    u->loops--;
}

/* The counter for which the condition fails, if it is given. */
static bool
end_is_given(const struct unroll_instance *test, int32_t lo, int32_t *end)
{
    struct unroll_name out;
    if (!test->site->nargs) return false;
    unroll_name_of(test, test->u->plan->args.row[test->site->arg].row, &out);
    if (!unroll_let_of(test->u, &out, end)) return false;
    if (*end < lo)
        unroll_fail(test, NULL, "the loop begins with %" PRId32 ", it cannot end with %" PRId32,
                    lo, *end);
    return true;
}

static bool
goes_on(const struct unroll_instance *test, bool given, int32_t i, int32_t end)
{
    char hint[200] = "", text[120];
    struct unroll_name out;
    struct unroll_value v = unroll_eval(test, test->site->a, NULL);
    if (given && v.kind && unroll_true(v) != (i < end))
        unroll_fail(test, NULL, "this loop does not end with %" PRId32 ": for %" PRId32
                    " its condition is %s", end, i, unroll_true(v) ? "true" : "false");
    if (given) return i < end;
    if (v.kind) return unroll_true(v);
    if (test->site->nargs) {
        unroll_name_of(test, test->u->plan->args.row[test->site->arg].row, &out);
        snprintf(hint, sizeof hint, "say it: --let '%s=INT'",
                 unroll_text(test->u->plan, &out, text, sizeof text));
    }
    unroll_fail(test, hint, "when this loop ends follows from values, which a plan does not "
                "compute");
}

/* Turns that are not walked, as far as the condition tells. */
static void
look_at_turns(const struct unroll_instance *test, unsigned word, int64_t from, int64_t n,
              int32_t end)
{
    for (int64_t i = from; i < from + n; i++) {
        counter_set(test->u, word, (int32_t)i, false);
        goes_on(test, true, (int32_t)i, end);
    }
}

static void
while_walk(const struct unroll_instance *x, uint32_t inside)
{
    struct unroll *u = x->u;
    const struct plan_site *test = &u->plan->sites.row[u->plan->blocks.row[x->site->body].site];
    struct unroll_instance t = {u, test, u->frame, u->frame->local, false};
    int32_t lo = bound(x, x->site->a, "the start of a loop"), end = 0;
    counter_set(u, x->site->nlocal, lo, false);
    bool given = end_is_given(&t, lo, &end), outermost = !u->loops;
    uint32_t around = inside;
    if (given) unroll_repeat_begin(u, x->site, test, (int64_t)end - lo);
    u->loops++;
    for (int64_t i = lo;; i++) {
        bool watched = outermost && u->repeat;
        if (i > INT32_MAX) unroll_fail(&t, NULL, "this loop does not end");
        if (watched) unroll_repeat_turn(u);
        counter_set(u, x->site->nlocal, (int32_t)i, test->flags & PF_FRESH);
        t.ends = !goes_on(&t, given, (int32_t)i, end);
        around = enter(&t, around);
        if (t.ends) break;
        block_walk(u, test->body, around);
        if (!watched) continue;
        int64_t left_out = unroll_repeat_ended(u, end - 1 - i);
        look_at_turns(&t, x->site->nlocal, i + 1, left_out, end);
        i += left_out;
    }
    u->loops--;
}

static void
if_walk(const struct unroll_instance *x, uint32_t inside)
{
    const struct plan_site *s = x->site;
    struct unroll_value v = unroll_eval(x, s->a, NULL);
    bool yes = v.kind ? unroll_true(v) : bound(x, s->a, "what is done here") != 0;
    if (yes) block_walk(x->u, s->body, inside);
    else if (s->b != PLAN_NONE) block_walk(x->u, s->b, inside);
}

/* Behind its own words the elements see its ints, and behind them the counters. */
static void
elements_walk(const struct unroll_instance *x, uint32_t inside)
{
    struct unroll *u = x->u;
    const struct plan_site *s = x->site;
    const struct plan_arg *args = &u->plan->args.row[s->arg];
    struct unroll_value *words = u->frame->local + s->nlocal;
    struct unroll_value word[s->nargs];
    for (unsigned i = 1; i < s->nargs; i++) word[i] = unroll_eval(x, args[i].row, NULL);
    memcpy(words, word + 1, (s->nargs - 1u) * sizeof *words);
    int32_t lo = bound(x, args[1].row, "a bound"), hi = bound(x, args[2].row, "a bound");
    u->loops++;
    for (int64_t i = lo; i <= hi; i++) {
        counter_set(u, s->nlocal + s->nargs - 1u, (int32_t)i, false);
        block_walk(u, s->body, inside);
    }
    u->loops--;
}

static void
reduce_walk(const struct unroll_instance *x, uint32_t inside)
{
    elements_walk(x, inside);
    if (x->u->visitor->leave) x->u->visitor->leave(x->u->visitor->who, x, inside);
}

static void
lists_walk(const struct unroll_instance *x, uint32_t inside, bool assigned)
{
    struct unroll *u = x->u;
    const struct plan_block *b = &u->plan->blocks.row[x->site->body];
    for (uint32_t i = 0; i < b->nsites; i++) {
        struct unroll_instance list = *x;
        list.site = &u->plan->sites.row[b->site + i];
        if (list.site->a == assigned) elements_walk(&list, inside);
    }
}

/* Lists are no statements: only their elements are entered. */
static void
call_walk(const struct unroll_instance *x, uint32_t inside)
{
    if (x->site->body == PLAN_NONE) return;
    lists_walk(x, inside, false);
    if (x->u->visitor->leave) x->u->visitor->leave(x->u->visitor->who, x, inside);
    lists_walk(x, inside, true);
}

/* The lattice comes with this call. */
static _Noreturn void
sides_look(const struct unroll_instance *x, const struct unroll_frame *f)
{
    struct unroll *u = x->u;
    const struct plan *p = u->plan;
    struct unroll_instance inner = {u, x->site, f, f->local, false};
    u->found = true;
    for (uint32_t i = 0; i < p->nextents; i++) {
        struct unroll_value v = unroll_eval(&inner, p->extent + i, NULL);
        u->found &= v.kind == UNROLL_INT;
        u->sides[i] = (int32_t)v.u.i;
    }
    for (unsigned i = 0; !u->found && i < x->site->nargs; i++) {
        const struct plan_arg *a = &p->args.row[x->site->arg + i];
        if (a->kind == PA_INT && !f->word[i].kind) bound(x, a->row, "a side of the lattice");
    }
    longjmp(u->failed, 1);
}

static void
expand_walk(const struct unroll_instance *x, uint32_t inside)
{
    struct unroll *u = x->u;
    const struct plan *p = u->plan;
    const struct plan_site *s = x->site;
    const struct plan_rules *r = s->rules == PLAN_NONE ? NULL : &p->rules.row[s->rules];
    if (u->depth == UNROLL_DEPTH_MAX)
        unroll_fail(x, NULL, "more than %d calls of subs inside each other", UNROLL_DEPTH_MAX);
    struct unroll_frame *f = frame_begin(u, s->callee);
    for (unsigned i = 0; i < s->nargs; i++) {
        const struct plan_arg *a = &p->args.row[s->arg + i];
        if (a->kind != PA_NAME) {
            struct unroll_value v = unroll_eval(x, a->row, NULL);
            if (a->kind == PA_INT && v.kind)
                v = (struct unroll_value){UNROLL_INT, {.i = unroll_known(x, v, "an argument")}};
            if (a->kind == PA_REAL && v.kind == UNROLL_INT)
                v = (struct unroll_value){UNROLL_REAL, {.d = (double)v.u.i}};
            f->word[i] = v;
            continue;
        }
        f->name[i] = mem_alloc(sizeof *f->name[i]);
        if (!f->name[i]) arena_jump(u->arena, ARENA_NO_MEMORY);
        unroll_name_of(x, a->row, f->name[i]);
    }
    for (uint32_t i = 0; r && i < r->nnfparam; i++) {
        const struct plan_nfarg *nf = &p->nfargs.row[r->nfparam + i];
        f->word[nf->word] = unroll_eval(x, nf->expr, NULL);
    }
    if (u->sides && s->callee == p->lattice_sub) sides_look(x, f);
    block_walk(u, p->subs.row[s->callee].body, inside);
    frame_end(u);
    if (u->visitor->leave) u->visitor->leave(u->visitor->who, x, inside);
}

static void
site_walk(struct unroll *u, const struct plan_site *s, uint32_t around)
{
    struct unroll_instance x = {u, s, u->frame, u->frame->local, false};
    uint32_t inside = enter(&x, around);
    switch (s->kind) {
    case PS_EXPAND: expand_walk(&x, inside); break;
    case PS_FOR: for_walk(&x, inside); break;
    case PS_WHILE: while_walk(&x, inside); break;
    case PS_IF: if_walk(&x, inside); break;
    case PS_REDUCE: reduce_walk(&x, inside); break;
    case PS_CALL: call_walk(&x, inside); break;
    case PS_TEST:
    case PS_TERM:
    case PS_LIST: break;
    }
}

static void
block_walk(struct unroll *u, uint32_t block, uint32_t around)
{
    const struct plan_block *b = &u->plan->blocks.row[block];
    for (uint32_t i = 0; i < b->nsites; i++)
        site_walk(u, &u->plan->sites.row[b->site + i], around);
}

static void
main_args(struct unroll *u, const struct unroll_value *args)
{
    const struct symbol *p = u->plan->subs.row[u->plan->main].sub->params;
    for (uint32_t i = 0; p && i < u->plan->subs.row[u->plan->main].nwords; p = p->next, i++)
        u->frame->word[i] = args[i];
}

bool
unroll_run(struct arena *a, const struct plan *p, const struct unroll_setup *s,
           const struct unroll_visitor *v, struct unroll_fault *fault)
{
    struct unroll *u = arena_new_of(a, struct unroll);
    *fault = (struct unroll_fault){{0}, {0}};
    *u = (struct unroll){.plan = p, .arena = a, .setup = s, .visitor = v, .fault = fault};
    if (!setjmp(u->failed)) {
        frame_begin(u, p->main);
        main_args(u, s->args);
        block_walk(u, p->subs.row[p->main].body, 0);
        frame_end(u);
    }
    unroll_repeat_end(u);
    while (u->frame) frame_end(u);
    return !*fault->text && !u->no_memory;
}

static uint32_t
enter_none(void *who, const struct unroll_instance *x, uint32_t around)
{
    (void)who;
    (void)x;
    return around;
}

bool
unroll_extent(struct arena *a, const struct plan *p, const struct unroll_setup *s, int32_t *side,
              struct unroll_fault *fault)
{
    static const struct unroll_visitor nobody = {.enter = enter_none};
    struct unroll *u = arena_new_of(a, struct unroll);
    *fault = (struct unroll_fault){{0}, {0}};
    *u = (struct unroll){
        .plan = p, .arena = a, .setup = s, .visitor = &nobody, .fault = fault, .sides = side};
    if (!setjmp(u->failed)) {
        frame_begin(u, p->main);
        main_args(u, s->args);
        struct unroll_instance x = {u, NULL, u->frame, u->frame->local, false};
        for (uint32_t i = 0; i < p->nextents && p->lattice_sub == p->main; i++) {
            struct unroll_value v = unroll_eval(&x, p->extent + i, NULL);
            u->found = v.kind == UNROLL_INT && (u->found || !i);
            side[i] = (int32_t)v.u.i;
        }
        if (p->lattice_sub != p->main) block_walk(u, p->subs.row[p->main].body, 0);
    }
    unroll_repeat_end(u);
    while (u->frame) frame_end(u);
    return u->found && !*fault->text;
}
