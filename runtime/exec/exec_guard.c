/* exec_guard.c - -g: what a function must not have done: written into an input, or around a block
 * that it has created. Both are told when it returns, with its call and the name of the fragment;
 * without -g, other calls would fail later, or be wrong in silence.
 *
 * It must not know how guards look (block.h). What a function does to a block that it throws away
 * itself is not seen. */
#include "exec_parts.h"

#include "runtime/base/exit.h"
#include "runtime/ucode/df.h"

static bool
is_input(const struct recipe_arg *arg)
{
    return arg->way == WAY_IN || arg->way == WAY_VALUE;
}

void
exec_guard_inputs(struct worker *w, const struct recipe *q)
{
    for (unsigned i = 0; i < q->nargs; i++)
        if (is_input(&q->arg[i])) w->seen[i] = digest_of_value(&w->df[i].value);
}

/* The fragment that argument i is, or its number. */
static void
name_argument(const struct recipe *q, const struct cook *c, unsigned i, char *text, size_t size)
{
    const struct recipe_arg *arg = &q->arg[i];
    struct key k;
    if (arg->way == WAY_VALUE) {
        snprintf(text, size, "argument %u", i + 1);
        return;
    }
    recipe_key(arg->way == WAY_OUT ? &arg->ref : &q->in[arg->in].ref, c, &k);
    text[0] = '\'';
    name_df(c->p, &k, text + 1, size - 2);
    strcat(text, "'");
}

/* Calls that read the same value at the same time cannot be told apart. */
static _Noreturn void
input_written(struct worker *w, const char *df, const struct task *t)
{
    const struct luna_program *p = w->node->program;
    const struct luna_site *site = &p->sites[t->site];
    char cf[NAME_MAX_TEXT];
    name_cf(p, t, cf, sizeof cf);
    fault_begin(F_RUN6, site->place, "'%s' wrote to its input %s, called as %s",
                p->functions[site->callee].name, df, cf);
    if (w->node->nworkers > 1 || w->node->nodes > 1)
        fault_hint("if it did not, another call did that read the same value at the same time; "
                   "-n 1 -t 1 tells which");
    else fault_hint("an input is const: others read the same bytes; luna_copy and luna_create make "
                    "values of one's own");
    fault_end(EXIT_RUN);
}

static _Noreturn void
block_harmed(enum block_harm harm, const struct block *b, const char *df, const char *function,
             const struct luna_site *site, const char *cf)
{
    fault_begin(F_RUN6, site->place, "'%s' wrote %s of %s (%zu bytes), called as %s", function,
                harm == BLOCK_HARMED_BEHIND ? "behind the end" : "before the beginning", df,
                b->size, cf);
    fault_hint("luna_create takes a number of bytes; --sanitize shows the line that writes");
    fault_end(EXIT_RUN);
}

static enum block_harm
harm_of(luna_value v)
{
    return value_is_block(v) ? block_harm(value_block(v)) : BLOCK_WHOLE;
}

void
exec_guard_look(struct worker *w, const struct recipe *q, const struct cook *c,
                const struct task *t)
{
    char df[NAME_MAX_TEXT + 2], cf[NAME_MAX_TEXT];
    for (unsigned i = 0; i < q->nargs; i++) {
        luna_value v = w->df[i].value;
        bool taken = w->df[i].flags & DF_TAKEN;
        if (is_input(&q->arg[i]) && !taken && digest_of_value(&v) != w->seen[i]) {
            name_argument(q, c, i, df, sizeof df);
            input_written(w, df, t);
        }
        enum block_harm harm = q->arg[i].way == WAY_OUT ? harm_of(v) : BLOCK_WHOLE;
        if (harm == BLOCK_WHOLE) continue;
        name_argument(q, c, i, df, sizeof df);
        name_cf(c->p, t, cf, sizeof cf);
        block_harmed(harm, value_block(v), df, c->p->functions[c->e.site->callee].name, c->e.site,
                     cf);
    }
}

void
exec_guard_wrote(struct worker *w, const struct task *call, const char *df)
{
    char text[NAME_MAX_TEXT + 2];
    snprintf(text, sizeof text, "'%s'", df);
    input_written(w, text, call);
}

bool
exec_guard_harms(luna_value v)
{
    return harm_of(v) != BLOCK_WHOLE;
}

void
exec_guard_harmed(struct worker *w, const struct task *call, const char *df, luna_value v)
{
    const struct luna_program *p = w->node->program;
    const struct luna_site *site = &p->sites[call->site];
    char text[NAME_MAX_TEXT + 2], cf[NAME_MAX_TEXT];
    snprintf(text, sizeof text, "'%s'", df);
    name_cf(p, call, cf, sizeof cf);
    block_harmed(harm_of(v), value_block(v), text, p->functions[site->callee].name, site, cf);
}

void
exec_guard_result(struct worker *w, const struct luna_site *site, const struct task *t,
                  luna_value v)
{
    const struct luna_program *p = w->node->program;
    char cf[NAME_MAX_TEXT];
    if (harm_of(v) == BLOCK_WHOLE) return;
    name_cf(p, t, cf, sizeof cf);
    block_harmed(harm_of(v), value_block(v), "its result", p->functions[site->callee].name, site,
                 cf);
}
