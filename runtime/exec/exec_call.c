/* exec_call.c - atomic functions: arguments in, outputs out. */
#include "exec_parts.h"

#include "runtime/base/ticks.h"
#include "runtime/data/warm.h"
#include "runtime/exec/gather.h"
#include "runtime/node/costs.h"
#include "runtime/node/trace.h"
#include "runtime/table/cells.h"
#include "runtime/ucode/crash.h"
#include "runtime/ucode/df.h"
#include "runtime/ucode/luna.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct guarded {
    const struct luna_function *fn;
    const luna_actual *actual;
};

static void
guarded_call(void *who)
{
    const struct guarded *g = who;
    g->fn->call(g->actual);
}

void
exec_guard_call(const struct luna_program *p, const struct luna_site *site, const struct task *t,
                void (*fn)(void *who), void *who)
{
    char text[512], cf[NAME_MAX_TEXT];
    if (!p->guard(fn, who, text, sizeof text)) return;
    name_cf(p, t, cf, sizeof cf);
    fault(F_RUN5, site->place, "an exception left '%s', called as %s: %s",
          p->functions[site->callee].name, cf, text);
}

static __attribute__((noinline)) void
function_call_guarded(const struct luna_program *p, const struct luna_site *site,
                      const struct luna_function *fn, const struct task *t, const luna_actual *a)
{
    struct guarded g = {fn, a};
    exec_guard_call(p, site, t, guarded_call, &g);
}

static inline void
function_call(const struct luna_program *p, const struct luna_site *site,
              const struct luna_function *fn, struct task *t, const luna_actual *a)
{
    running.function = fn->name;
    running.task = t;
    running.site = site;
    if (p->guard) function_call_guarded(p, site, fn, t, a);
    else fn->call(a);
    if (__builtin_expect(running_looks_after, 0)) running_look_after();
    running.site = NULL;
}

bool
exec_knows_short(struct worker *w, uint32_t site)
{
    const struct node *n = w->node;
    for (int i = 0; i < n->nworkers && !cost_ticks(&w->known, site); i++) {
        uint32_t ticks = cost_ticks(&n->workers[i].known, site);
        if (ticks) cost_set(&w->known, site, ticks);
    }
    return cost_is_short(&w->known, site);
}

/* A statement that was taken for one of short calls is not: whoever takes it for that learns it. */
static __attribute__((noinline)) void
all_learn_long(struct worker *w, uint32_t site)
{
    uint32_t ticks = cost_ticks(&w->known, site);
    for (int i = 0; i < w->node->nworkers; i++) {
        struct costs_known *known = &w->node->workers[i].known;
        if (cost_is_short(known, site)) cost_set(known, site, ticks);
    }
}

/* Before a call that may be long, what others could do is offered. Not before a short one that is
 * only measured: chains would lose a third of their speed. */
static __attribute__((noinline)) void
function_call_measured(struct worker *w, const struct luna_site *site,
                       const struct luna_function *fn, struct task *t, const luna_actual *a)
{
    bool is_short = exec_knows_short(w, t->site);
    if (!is_short && w->many) {
        worker_offers(w);
        warm_here(task_values(site, t), site->nin, (unsigned)w->number);
    }
    uint64_t begun = cpu_ticks();
    running.begun = begun;
    function_call(w->node->program, site, fn, t, a);
    running.begun = 0;
    cost_learn(&w->known, t->site, cpu_ticks() - begun);
    if (is_short && !cost_is_short(&w->known, t->site)) all_learn_long(w, t->site);
    w->sample = COST_SAMPLE - 1;
    w->timed = true;
}

static inline void
function_call_any(struct worker *w, const struct luna_site *site, const struct luna_function *fn,
                  struct task *t)
{
    if (!w->measures || (cost_is_short(&w->known, t->site) && w->sample--))
        function_call(w->node->program, site, fn, t, w->actual);
    else function_call_measured(w, site, fn, t, w->actual);
}

/* On a node that plays a slower one it takes longer. In the simulator time is counted elsewhere. */
static inline void
function_call_at_speed(struct worker *w, const struct luna_site *site,
                       const struct luna_function *fn, struct task *t)
{
    struct node *n = w->node;
    uint64_t begun = n->speeds ? n->net->ops->now_ns(n->net) : 0;
    uint64_t from = w->told ? cpu_ticks() : 0;
    function_call_any(w, site, fn, t);
    if (n->speeds && !n->weighs)
        speed_wait(node_speed(n), n->net->ops->now_ns(n->net) - begun);
    if (w->told) w->called += cpu_ticks() - from;
}

/* An argument that must be evaluated; a fault in it points at it. */
static void
arg_fill_other(luna_actual *a, struct luna_df *df, const struct recipe_arg *arg, struct cook *c,
               unsigned number)
{
    c->e.arg = number;
    switch ((enum recipe_way)arg->way) {
    case WAY_INT: a->i = recipe_int(&arg->x, c); break;
    case WAY_REAL: a->d = recipe_real(arg, c); break;
    case WAY_STRING: a->s = value_block(eval_string(c->p, &c->e, arg->row))->data; break;
    case WAY_VALUE:
        df->value = eval_value(c->p, &c->e, arg->row);
        df->flags = DF_LENT;
        a->in = df;
        break;
    case WAY_IN:
    case WAY_OUT:
    case WAY_LIST: break;
    }
    c->e.arg = 0; /* counts and indices that come later are no argument */
}

/* What is at hand: an input, an output, a word. False: the argument must be evaluated. */
static inline bool
arg_fill(luna_actual *a, struct luna_df *df, const struct recipe_arg *arg, const struct cook *c)
{
    if (arg->way == WAY_IN) {
        df->value = c->e.in[arg->in];
        df->flags = DF_LENT + DF_TWICE * (unsigned)arg->twice;
        a->in = df;
    } else if (arg->way == WAY_OUT) {
        df->value = value_unset();
        df->flags = 0;
        a->out = df;
    } else if (arg->way == WAY_INT && arg->x.from < RECIPE_WORDS) {
        a->i = recipe_word(&arg->x, c);
    } else if (arg->way == WAY_REAL && arg->x.from == RECIPE_REAL) {
        a->d = recipe_real(arg, c);
    } else {
        return false;
    }
    return true;
}

static __attribute__((noinline)) void
args_fill_some(struct worker *w, const struct recipe *q, struct cook *c)
{
    for (unsigned i = 0; i < q->nargs; i++)
        if (!arg_fill(&w->actual[i], &w->df[i], &q->arg[i], c))
            arg_fill_other(&w->actual[i], &w->df[i], &q->arg[i], c, i + 1);
}

/* Fills the actuals. The worker's DFs are nameless between calls. A loop without calls in it needs
 * few registers. */
static inline void
args_fill(struct worker *w, const struct recipe *q, struct cook *c)
{
    if (__builtin_expect(!q->at_hand, 0)) {
        args_fill_some(w, q, c);
        return;
    }
    const struct recipe_arg *arg = q->arg, *end = arg + q->nargs;
    luna_actual *a = w->actual;
    struct luna_df *df = w->df;
    for (; arg < end; arg++, a++, df++) {
        bool filled = arg_fill(a, df, arg, c);
        assert(filled);
        (void)filled;
    }
}

static __attribute__((noinline)) void
lists_fill(struct worker *w, const struct recipe *q, struct gather *g)
{
    for (unsigned i = 0; i < q->nargs; i++)
        if (q->arg[i].way == WAY_LIST) w->actual[i].list = gather_list(w, g, q->arg[i].in);
}

/* Under -g a DF knows its reference text. */
static __attribute__((noinline)) void
args_name(struct worker *w, const struct recipe *q, const struct cook *c)
{
    for (unsigned i = 0; i < q->nargs; i++) {
        const struct recipe_arg *arg = &q->arg[i];
        if (arg->way != WAY_OUT && arg->way != WAY_IN) continue;
        struct key k;
        char text[NAME_MAX_TEXT];
        recipe_key(arg->way == WAY_OUT ? &arg->ref : &q->in[arg->in].ref, c, &k);
        name_df(c->p, &k, text, sizeof text);
        luna_set_name(&w->df[i], text);
    }
}

/* -g named them, or the ucode itself did. */
static __attribute__((noinline)) void
args_unname(struct worker *w, const struct recipe *q)
{
    for (unsigned i = 0; i < q->nargs; i++)
        if (w->df[i].flags & DF_OWNS_NAME) luna_set_name(&w->df[i], NULL);
    df_named = false;
}

static __attribute__((noinline)) void
output_unset(struct worker *w, const struct luna_site *site, const struct task *t,
             const struct key *k)
{
    char df[NAME_MAX_TEXT], cf[NAME_MAX_TEXT];
    name_df(w->node->program, k, df, sizeof df);
    name_cf(w->node->program, t, cf, sizeof cf);
    fault_begin(F_RUN3, site->place, "%s returned without setting '%s'", cf, df);
    fault_hint("a function sets each of its name parameters before it returns");
    fault_end(3);
}

void
exec_measure(struct worker *w, const struct luna_site *site, luna_env *e, uint32_t ref,
             const struct key *k, luna_value v)
{
    const struct luna_program *p = w->node->program;
    int32_t said;
    size_t size;
    char df[NAME_MAX_TEXT];
    value_bytes(&v, &size);
    if (!cells_bytes(p, e, ref, k, &said) || size == (size_t)said) return;
    name_df(p, k, df, sizeof df);
    fault_warn(F_RUN18, site->place, "'%s' has %zu bytes, its bytes rule says %" PRId32, df,
               size, said);
}

/* An output of which more is to be known than its value and count. */
static __attribute__((noinline)) void
output_put_slow(struct worker *w, const struct recipe *q, const struct recipe_arg *arg,
                struct task *t, struct cook *c, struct key *k, luna_value v)
{
    const struct luna_site *site = c->e.site;
    if (v.type == LUNA_UNSET) output_unset(w, site, t, k);
    if (w->node->measures) exec_measure(w, site, &c->e, arg->row, k, v);
    if (q->pushes) exec_push(w, site, t, &c->e, k, v);
    if (arg->drops) exec_drop(w, k, v);
    else
        exec_put(w, site, t, &c->e, arg->row, k, v,
                 exec_uses_checked(&c->e, recipe_int(&arg->x, c)));
}

/* PLAIN: of a plain call, to be kept here; TRACED: and a trace wants to know of it. */
enum put_how { PUT_ANY, PUT_PLAIN, PUT_TRACED };

static inline void
output_put(struct worker *w, const struct recipe *q, const struct recipe_arg *arg, struct task *t,
           struct cook *c, struct key *k, uint64_t hash, luna_value v, enum put_how how)
{
    struct waiter *list;
    int32_t uses = recipe_int(&arg->x, c);
    bool slow = how == PUT_ANY && (!w->puts_here || q->pushes || arg->drops);
    if (__builtin_expect(slow || v.type == LUNA_UNSET || uses < STORE_USES_UNLIMITED, 0)) {
        output_put_slow(w, q, arg, t, c, k, v);
        return;
    }
    if (how != PUT_PLAIN) trace_made(w, k, v, uses != 0);
    enum err e = store_put_hashed(w->node->store, k, hash, v, uses, &list);
    if (__builtin_expect(e != OK || list != NULL, 0))
        exec_put_ended(w, t->site, t, k, v, e, list);
}

/* Into the frame. False: not this value. */
static inline bool
output_keep(struct worker *w, const struct recipe_arg *arg, struct task *t, struct cook *c,
            luna_value v)
{
    int32_t uses = recipe_int(&arg->x, c);
    return v.type != LUNA_UNSET && uses >= STORE_USES_UNLIMITED && !arg->drops &&
           exec_keep(w, arg, t, v, uses);
}

/* Counts that read outputs: those are set, and stay until all are taken. */
static __attribute__((noinline)) void
outputs_hold(struct worker *w, const struct recipe *q, struct task *t, struct cook *c)
{
    struct key k;
    for (unsigned i = q->out; i < q->nargs; i++) {
        if (q->arg[i].way != WAY_OUT) continue;
        recipe_key(&q->arg[i].ref, c, &k);
        if (w->df[i].value.type == LUNA_UNSET) output_unset(w, c->e.site, t, &k);
        value_retain(w->df[i].value);
    }
    c->e.out = w->df;
}

static __attribute__((noinline)) void
outputs_let_go(struct worker *w, const struct recipe *q)
{
    for (unsigned i = q->out; i < q->nargs; i++)
        if (q->arg[i].way == WAY_OUT) value_release(w->df[i].value);
}

/* The name and hash of the first output, if nothing has to be computed for it and it surely stays
 * here: its place in the store is fetched while the function runs. */
static inline bool
output_awaited(struct worker *w, const struct recipe *q, const struct cook *c, struct key *k,
               uint64_t *hash)
{
    const struct recipe_ref *ref = &q->arg[q->out].ref;
    if (!q->nout || !w->puts_here || q->arg[q->out].slot) return false;
    if (!ref->quick && !ref->param) return false;
    recipe_key(ref, c, k);
    *hash = key_hash(k);
    store_prefetch(w->node->store, k, *hash);
    return true;
}

/* Its relative cost; 1 without a rule. */
static double
weight_of(const struct luna_program *p, luna_env *e, const struct luna_site *site)
{
    const struct luna_rules *r = mention_rules(p, site);
    if (!r || r->weight == LUNA_NONE) return 1;
    double weight = eval_real(p, e, r->weight);
    return weight > 0 ? weight : 0;
}

enum { ASKED_LOOK = 8 }; /* who waits for an output: of these is looked */

/* Another node, or what decides of more statements: a condition, a loop, an activation. */
static bool
is_urgent(void *who, struct waiter *first)
{
    const struct node *n = who;
    for (int i = 0; first && i < ASKED_LOOK; first = first->next, i++) {
        if (first->kind == WAITER_AFAR) return true;
        const struct task *t = waiter_call(first);
        if (t && exec_decides(&n->program->sites[t->site])) return true;
    }
    return false;
}

bool
exec_is_asked(const struct worker *w, struct task *t)
{
    const struct node *n = w->node;
    const struct recipe *q = &n->recipes[t->site];
    struct cook c;
    bool asked = false;
    cook_begin(&c, n->program, t);
    cook_site(&c, &n->program->sites[t->site], t);
    for (unsigned i = q->out; i < q->nargs && q->nout && !asked; i++) {
        struct key k;
        if (q->arg[i].way != WAY_OUT || q->arg[i].drops) continue;
        recipe_key(&q->arg[i].ref, &c, &k);
        asked = where_home(n, &c.e, q->arg[i].row, &k).node != n->number ||
                store_awaits(n->store, &k, is_urgent, w->node);
    }
    if (c.e.temps) eval_drop_temps(&c.e);
    return asked;
}

double
exec_weight(const struct luna_program *p, const struct luna_site *site, const struct task *t)
{
    if (site->rules == LUNA_NONE) return 1;
    luna_env e = mention_env(site, (struct task *)t);
    double weight = weight_of(p, &e, site);
    if (e.temps) eval_drop_temps(&e);
    return weight;
}

double
exec_priority(const struct luna_program *p, const struct luna_site *site, const struct task *t)
{
    if (site->rules == LUNA_NONE || p->rules[site->rules].priority == LUNA_NONE) return 0;
    luna_env e = mention_env(site, (struct task *)t);
    double priority = eval_real(p, &e, p->rules[site->rules].priority);
    if (e.temps) eval_drop_temps(&e);
    return exec_number(priority);
}

/* While the function runs, cells may move. Gives its ns, if they are asked for, without those that
 * pass until moving is over. */
static double
function_call_outside(struct worker *w, const struct luna_site *site,
                      const struct luna_function *fn, struct task *t)
{
    struct transport *net = w->node->net;
    const bool asked = w->costs; /* which may come meanwhile */
    worker_leave(w);
    uint64_t begun = asked ? net->ops->now_ns(net) : 0;
    function_call_at_speed(w, site, fn, t);
    uint64_t ended = asked ? net->ops->now_ns(net) : 0;
    worker_enter(w);
    return (double)(ended - begun);
}

/* For the balance of cells. */
static void
cost_note(struct worker *w, const struct luna_site *site, const struct task *t, double cost)
{
    uint32_t cell = dest_cell(where_of_site(w->node, site, t));
    if (cell != LATTICE_NONE && costs_note(w->costs, cell, cost) != OK) fault_nomem();
}

/* For whoever reads the trace. */
static uint32_t
cell_traced(const struct worker *w, const struct luna_site *site, const struct task *t)
{
    bool told = TRACED(w) && w->node->map;
    return told ? dest_cell(where_of_site(w->node, site, t)) : LATTICE_NONE;
}

/* Are all values that the call reads in the file that a run is compared with? */
static __attribute__((noinline)) bool
inputs_known(const struct recipe *q, const struct cook *c)
{
    bool known = true;
    for (unsigned i = 0; i < c->e.site->nin && known; i++) {
        struct key k;
        recipe_key(&q->in[i].ref, c, &k);
        known = k.df & KEY_BEYOND || values_known(&k, &c->e.in[i]);
    }
    return known;
}

/* What a call reads, and what it has set. */
static void
chain_begins(struct worker *w, const struct recipe *q, struct task *t)
{
    uint32_t chain = task_chain(&w->node->program->sites[t->site], t);
    if (q->lists) chain = chain_longer(chain, gather_chain(gather_of(t)));
    trace_reads(w, chain);
}

static void
chain_ends(struct worker *w, const struct recipe *q, struct task *t)
{
    uint32_t chain = trace_chain(w);
    for (unsigned i = q->out; i < q->nargs; i++)
        if (q->arg[i].way == WAY_OUT) w->df[i].value.chain = chain;
    if (q->lists) gather_set_chain(gather_of(t), chain);
}

/* The call of a run that somebody watches: by -g, --stats, a trace, the simulator. */
static __attribute__((noinline)) void
call_watched(struct worker *w, const struct recipe *q, struct task *t, struct cook *c)
{
    const struct luna_site *site = c->e.site;
    if (w->node->debug) {
        args_name(w, q, c);
        exec_guard_inputs(w, q);
        if (q->lists) gather_guard_inputs(gather_of(t));
    }
    if (w->node->compares) w->judged = !q->lists && inputs_known(q, c);
    node_before_work(w->node);
    if (TRACED(w)) chain_begins(w, q, t);
    uint64_t began = trace_begin(w);
    double ns = function_call_outside(w, site, q->function, t);
    if (w->node->debug) exec_guard_look(w, q, c, t);
    if (w->node->debug && q->lists) gather_guard_look(w, gather_of(t));
    double weight = w->node->weighs || w->costs ? weight_of(c->p, &c->e, site) : 0;
    if (w->node->weighs) ns = worker_spends(w, weight);
    trace_exec(w, site, t, began, cell_traced(w, site, t));
    if (TRACED(w)) chain_ends(w, q, t);
    if (w->costs) cost_note(w, site, t, w->by_weight ? weight : ns);
}

static inline void
call_ends(struct worker *w, const struct recipe *q, struct cook *c)
{
    if (__builtin_expect(df_named, 0)) args_unname(w, q);
    if (c->e.temps) eval_drop_temps(&c->e);
    mention_release(c->e.site, &c->e);
}

static inline luna_value
function_call_plain(struct worker *w, const struct recipe *q, struct task *t, struct cook *c)
{
    args_fill(w, q, c);
    w->calls++;
    function_call_any(w, c->e.site, q->function, t);
    return w->df[q->out].value;
}

/* Of a plain call whose output is kept here: in a slot, */
static __attribute__((noinline)) void
call_kept(struct worker *w, const struct recipe *q, struct task *t, struct cook *c)
{
    const struct recipe_arg *out = &q->arg[q->out];
    luna_value v = function_call_plain(w, q, t, c);
    if (!output_keep(w, out, t, c, v)) {
        struct key k;
        recipe_key(&out->ref, c, &k);
        output_put(w, q, out, t, c, &k, key_hash(&k), v, PUT_PLAIN);
    }
    call_ends(w, q, c);
}

/* or in the store: its place there is fetched while the function runs. */
static __attribute__((noinline)) void
call_stored(struct worker *w, const struct recipe *q, struct task *t, struct cook *c)
{
    const struct recipe_arg *out = &q->arg[q->out];
    struct key k;
    recipe_key(&out->ref, c, &k);
    uint64_t hash = key_hash(&k);
    store_prefetch(w->node->store, &k, hash);
    luna_value v = function_call_plain(w, q, t, c);
    output_put(w, q, out, t, c, &k, hash, v, PUT_PLAIN);
    call_ends(w, q, c);
}

static __attribute__((noinline)) void
call_any(struct worker *w, const struct recipe *q, struct task *t, struct cook *c)
{
    const struct luna_site *site = c->e.site;
    struct key k;
    uint64_t hash = 0;
    if (__builtin_expect(q->lists, 0) && !(t->flags & TASK_GATHERED)) {
        gather_begin(w, t);
        return;
    }
    bool known = output_awaited(w, q, c, &k, &hash);
    args_fill(w, q, c);
    if (__builtin_expect(q->lists, 0)) lists_fill(w, q, gather_of(t));
    w->calls++;
    if (__builtin_expect(w->watched, 0)) {
        call_watched(w, q, t, c);
    } else {
        node_before_work(w->node);
        function_call_any(w, site, q->function, t);
    }
    bool own = __builtin_expect(site->flags & LUNA_F_OWN, 0);
    if (own) outputs_hold(w, q, t, c);
    for (unsigned i = q->out, n = q->nout; n; i++) {
        if (q->arg[i].way != WAY_OUT) continue;
        n--;
        if (q->arg[i].slot && output_keep(w, &q->arg[i], t, c, w->df[i].value)) continue;
        if (!known) {
            recipe_key(&q->arg[i].ref, c, &k);
            if (w->puts_here) hash = key_hash(&k);
        }
        output_put(w, q, &q->arg[i], t, c, &k, hash, w->df[i].value, PUT_ANY);
        known = false;
    }
    if (__builtin_expect(q->lists, 0)) gather_put(w, gather_of(t));
    if (__builtin_expect(w->watched, 0)) w->judged = false;
    if (site->rules != LUNA_NONE) exec_after(w, site, t, &c->e);
    if (own) outputs_let_go(w, q);
    call_ends(w, q, c);
}

/* A call of one output that is kept here, of a run that nothing but a trace watches. Such a run has
 * no slots. */
static __attribute__((noinline)) void
call_traced(struct worker *w, const struct recipe *q, struct task *t, struct cook *c)
{
    const struct recipe_arg *out = &q->arg[q->out];
    struct key k;
    assert(!out->slot);
    recipe_key(&out->ref, c, &k);
    uint64_t hash = key_hash(&k);
    store_prefetch(w->node->store, &k, hash);
    args_fill(w, q, c);
    w->calls++;
    uint64_t began = trace_call_begins(w, task_chain(c->e.site, t));
    function_call_any(w, c->e.site, q->function, t);
    luna_value v = w->df[q->out].value;
    v.chain = trace_exec_line(w, c->e.site, t, began, cell_traced(w, c->e.site, t));
    output_put(w, q, out, t, c, &k, hash, v, PUT_TRACED);
    call_ends(w, q, c);
}

/* Most calls have one output that is kept here, and nothing to do afterwards. */
void
exec_call(struct worker *w, const struct recipe *q, struct task *t, struct cook *c)
{
    if (__builtin_expect(!q->plain || !w->puts_here || w->watched, 0)) {
        bool plain = q->plain && w->puts_here && w->only_traced;
        (plain ? call_traced : call_any)(w, q, t, c);
    } else if (q->arg[q->out].slot) {
        call_kept(w, q, t, c);
    } else {
        call_stored(w, q, t, c);
    }
}

/* ---- operations of reductions ---- */

static void
operate(struct worker *w, const struct luna_site *site, struct task *t, const luna_actual *a)
{
    const struct luna_program *p = w->node->program;
    node_before_work(w->node);
    w->timed = true;
    uint64_t began = trace_begin(w), from = w->told ? cpu_ticks() : 0;
    function_call(p, site, &p->functions[site->callee], t, a);
    if (w->told) w->called += cpu_ticks() - from;
    if (w->node->weighs) worker_spends(w, 1);
    trace_exec(w, site, t, began, LATTICE_NONE);
}

luna_value
exec_operate(struct worker *w, const struct luna_site *site, struct task *t, luna_value a,
             luna_value b)
{
    struct luna_df df[3] = {{.value = a, .flags = DF_LENT},
                            {.value = b, .flags = DF_LENT},
                            {.value = value_unset()}};
    luna_actual actual[3] = {{.in = &df[0]}, {.in = &df[1]}, {.out = &df[2]}};
    w->calls++;
    trace_reads(w, chain_longer(a.chain, b.chain));
    operate(w, site, t, actual);
    df[2].value.chain = trace_chain(w);
    if (df[2].value.type == LUNA_UNSET) {
        fault_begin(F_RUN3, site->place, "'%s' returned without setting its result",
                    w->node->program->functions[site->callee].name);
        fault_hint("a function sets each of its name parameters before it returns");
        fault_end(3);
    }
    if (w->node->debug) exec_guard_result(w, site, t, df[2].value);
    for (unsigned i = 0; i < 3 && __builtin_expect(df_named, 0); i++)
        if (df[i].flags & DF_OWNS_NAME) luna_set_name(&df[i], NULL);
    df_named = false;
    value_release(a);
    value_release(b);
    return df[2].value;
}
