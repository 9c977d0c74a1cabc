/* exec_call.c - atomic functions: arguments in, outputs out. */
#include "exec_parts.h"

#include "runtime/trace.h"
#include "runtime/ucode/df.h"

#include <alloca.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

static __attribute__((noinline)) void
function_call_guarded(const struct luna_program *p, const struct luna_site *site,
                      const struct luna_function *fn, const struct task *t, const luna_actual *a)
{
    char text[512], cf[NAME_MAX_TEXT];
    struct guarded g = {fn, a};
    if (!p->guard(guarded_call, &g, text, sizeof text)) return;
    name_cf(p, t, cf, sizeof cf);
    fault(F_RUN5, site->place, "an exception left '%s', called as %s: %s", fn->name, cf, text);
}

static inline void
function_call(const struct luna_program *p, const struct luna_site *site, struct task *t,
              const luna_actual *a)
{
    const struct luna_function *fn = &p->functions[site->callee];
    running.function = fn->name;
    running.task = t;
    running.site = site;
    if (p->guard) function_call_guarded(p, site, fn, t, a);
    else fn->call(a);
    running.site = NULL;
}

#if defined(__x86_64__)
#define cpu_ticks() __builtin_ia32_rdtsc()
#else
#define cpu_ticks() clock_ticks()
static uint64_t
clock_ticks(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
#endif

enum { SAMPLE_CALLS = 13 }; /* odd, so that statements that take turns are all met */

static void
function_call_measured(struct worker *w, const struct luna_site *site, struct task *t,
                       const luna_actual *a)
{
    uint64_t begun = cpu_ticks();
    function_call(w->node->program, site, t, a);
    w->call_ticks = (3 * w->call_ticks + (cpu_ticks() - begun)) / 4;
    w->sample = SAMPLE_CALLS - 1;
}

/* Fills one actual; true: it is an output. */
static inline bool
arg_in(const struct luna_program *p, const luna_env *e, const struct luna_arg *arg,
       luna_actual *a, struct luna_df *df)
{
    switch ((enum luna_arg_kind)arg->kind) {
    case LUNA_A_INT: a->i = eval_int(p, e, arg->row); return false;
    case LUNA_A_REAL: a->d = eval_real(p, e, arg->row); return false;
    case LUNA_A_STRING: a->s = value_block(eval_string(p, e, arg->row))->data; return false;
    case LUNA_A_VALUE: {
        const struct luna_expr *x = &p->exprs[arg->row];
        luna_value v = x->kind == LUNA_E_IN ? e->in[x->a] : eval_value(p, e, arg->row);
        *df = (struct luna_df){.value = v};
        a->in = df;
        return false;
    }
    case LUNA_A_NAME:
        *df = (struct luna_df){.value = value_unset()};
        a->out = df;
        return true;
    }
    return false;
}

/* Under -g a DF knows its reference text. */
static void
args_name(struct worker *w, const struct luna_site *site, const struct task *t, luna_env *e,
          struct luna_df *df)
{
    const struct luna_program *p = w->node->program;
    for (unsigned i = 0; i < site->nargs; i++) {
        const struct luna_arg *arg = &p->args[site->arg + i];
        uint32_t ref = LUNA_NONE;
        if (arg->kind == LUNA_A_NAME) ref = arg->row;
        if (arg->kind == LUNA_A_VALUE && p->exprs[arg->row].kind == LUNA_E_IN)
            ref = p->ins[site->in + p->exprs[arg->row].a].ref;
        if (ref == LUNA_NONE) continue;
        struct key k;
        char text[NAME_MAX_TEXT];
        key_of(p, e, t->frame, ref, &k);
        name_df(p, &k, text, sizeof text);
        df[i].name = strdup(text);
        df[i].flags |= DF_OWNS_NAME;
    }
}

static void
output_unset(struct worker *w, const struct luna_site *site, const struct task *t,
             const struct key *k)
{
    char df[NAME_MAX_TEXT], cf[NAME_MAX_TEXT];
    name_df(w->node->program, k, df, sizeof df);
    name_cf(w->node->program, t, cf, sizeof cf);
    fault_begin(F_RUN3, site->place, "%s returned without setting '%s'", cf, df);
    fault_hint("a ucode sets each of its name parameters before it returns");
    fault_end(3);
}

static void
outputs_put(struct worker *w, const struct luna_site *site, struct task *t, luna_env *e,
            struct luna_df *df)
{
    const struct luna_program *p = w->node->program;
    const struct luna_arg *arg = &p->args[site->arg];
    bool pushes = site->rules != LUNA_NONE && p->rules[site->rules].npush;
    struct key k;
    for (unsigned i = 0; i < site->nargs; i++) {
        if (arg[i].kind != LUNA_A_NAME) continue;
        key_of(p, e, t->frame, arg[i].row, &k);
        if (df[i].value.type == LUNA_UNSET) output_unset(w, site, t, &k);
        if (pushes) exec_push(w, site, t, e, &k, df[i].value);
        if (arg[i].post != LUNA_NONE && p->posts[arg[i].post].kind == LUNA_P_DROP)
            value_release(df[i].value);
        else
            exec_put(w, site, t, e, arg[i].row, &k, df[i].value, exec_uses(p, e, arg[i].post));
    }
}

/* Its relative cost; 1 without a rule. */
static double
weight_of(const struct luna_program *p, luna_env *e, const struct luna_site *site)
{
    const struct luna_rules *r = rules_of(p, site);
    if (!r || r->weight == LUNA_NONE) return 1;
    double weight = eval_real(p, e, r->weight);
    return weight > 0 ? weight : 0;
}

void
exec_call(struct worker *w, const struct luna_site *site, struct task *t)
{
    const struct luna_program *p = w->node->program;
    unsigned n = site->nargs;
    luna_actual *a = alloca(n * sizeof *a + sizeof *a);
    struct luna_df *df = alloca(n * sizeof *df + sizeof *df);
    luna_env e = env_of(site, t);
    bool outputs = false;
    for (unsigned i = 0; i < n; i++)
        outputs |= arg_in(p, &e, &p->args[site->arg + i], &a[i], &df[i]);
    if (w->node->debug) args_name(w, site, t, &e, df);
    node_before_call(w->node);
    uint64_t began = trace_begin(w);
    if (w->many && !w->sample--) function_call_measured(w, site, t, a);
    else function_call(p, site, t, a);
    w->calls++;
    if (w->node->weighs) w->weight += weight_of(p, &e, site);
    trace_exec(w, site, t, began);
    if (outputs) outputs_put(w, site, t, &e, df);
    if (site->rules != LUNA_NONE) exec_after(w, site, t, &e);
    for (unsigned i = 0; i < n; i++) /* -g named them, or the ucode itself did */
        if (p->args[site->arg + i].kind >= LUNA_A_VALUE && df[i].flags & DF_OWNS_NAME)
            free(df[i].name);
    if (e.temps) eval_drop_temps(&e);
    values_release(site, &e);
}
