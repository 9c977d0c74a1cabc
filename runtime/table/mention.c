/* mention.c - names of fragments, for messages, reports and traces. */
#include "mention.h"

#include "runtime/table/part.h"

bool task_all_age, task_all_caused;

static bool
inputs_known(const struct luna_site *site, const struct task *t)
{
    for (unsigned i = 0; i < site->nin; i++)
        if (task_values(site, t)[i].type == LUNA_UNSET) return false;
    return true;
}

static bool
ref_is_known(const struct luna_program *p, const struct luna_ref *r, const struct task *t)
{
    const struct luna_site *site = &p->sites[t->site];
    for (uint32_t i = 0; i < r->nindices; i++) {
        const struct luna_expr *x = &p->exprs[r->index + i];
        if (x->kind == LUNA_E_IN && task_values(site, t)[x->a].type == LUNA_UNSET) return false;
        if (x->kind >= LUNA_E_INT_FN && !x->blind && !inputs_known(site, t)) return false;
    }
    return true;
}

bool
mention_task_key(const struct luna_program *p, const struct task *t, uint32_t ref, struct key *k)
{
    const struct luna_site *site = &p->sites[t->site];
    if (!ref_is_known(p, &p->refs[ref], t)) return false;
    luna_env e = mention_env(site, (struct task *)t);
    eval_try();
    mention_name(p, &e, t->frame, ref, k);
    bool known = eval_tried();
    eval_drop_temps(&e);
    return known;
}

static void
input_key(const struct luna_program *p, const struct luna_site *site, luna_env *e,
          const struct frame *f, unsigned at, struct key *k)
{
    const struct luna_in *in = &p->ins[site->in + at];
    mention_read(p, e, f, in->ref, k);
    if (in->kind == LUNA_IN_WAIT) {
        const struct luna_rules *r = mention_rules(p, site);
        mention_push_to(p, e, r ? r->label : LUNA_NONE, k);
    }
}

void
mention_input(const struct luna_program *p, const struct task *t, unsigned at, struct key *k)
{
    const struct luna_site *site = &p->sites[t->site];
    luna_env e = mention_env(site, (struct task *)t);
    input_key(p, site, &e, t->frame, at, k);
    eval_drop_temps(&e);
}

void
mention_wanted(const struct luna_program *p, const struct task *t, unsigned at, struct key *k)
{
    const struct luna_site *site = &p->sites[t->site];
    uint32_t part = p->ins[site->in + at].part;
    mention_input(p, t, at, k);
    if (!part) return;
    luna_env e = mention_env(site, (struct task *)t);
    key_add_part(k, part_wanted(p, &e, part));
    eval_drop_temps(&e);
}

/* The reference that a call assigns as its at-th. LUNA_NONE: there is none. */
static uint32_t
output_ref(const struct luna_program *p, const struct luna_site *site, unsigned at)
{
    const struct luna_rules *r = mention_rules(p, site);
    for (unsigned i = 0; i < site->nargs; i++)
        if (p->args[site->arg + i].kind == LUNA_A_NAME && !at--) return p->args[site->arg + i].row;
    return r && at < r->nset ? r->set + at : LUNA_NONE;
}

bool
mention_output(const struct luna_program *p, const struct task *t, unsigned at, struct key *k)
{
    const struct luna_site *site = &p->sites[t->site];
    uint32_t ref = output_ref(p, site, at);
    if (ref == LUNA_NONE) return false;
    luna_env e = mention_env(site, (struct task *)t);
    mention_key(p, &e, t->frame, ref, k);
    eval_drop_temps(&e);
    return true;
}
