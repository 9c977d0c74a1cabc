/* access_call.c - calls of structured subs: followed as far as what is looked at is handed on, or
 * taken by what is known of their parameters. Knows no statement but the call. */
#include "lang/prove/access_parts.h"

static const struct symbol *
param_at(const struct sub *s, unsigned n)
{
    const struct symbol *p = s->params;
    while (p && n--) p = p->next;
    return p;
}

/* What the parameters stand for. False: nothing of the sub that is looked at is handed on. */
static bool
bind(struct walk *w, struct env *inside, const struct sub *callee)
{
    const struct plan_site *s = w->site;
    bool any = false;
    for (unsigned i = 0; i < s->nargs; i++) {
        const struct plan_arg *arg = &w->plan->args.row[s->arg + i];
        inside->names[i].decl = PLAN_NONE;
        if (arg->kind == PA_INT) {
            inside->frame[i] = form_of_row(&w->forms, w->plan, arg->row);
            inside->lack[i] = w->forms.lack;
        }
        if (arg->kind != PA_NAME) continue;
        if (!access_resolve(w, arg->row, &inside->names[i])) {
            inside->names[i].decl = PLAN_NONE;
            continue;
        }
        any = true;
        if (param_at(callee, i)->told) w->flags[inside->names[i].decl] |= DECL_TOLD;
    }
    return any;
}

/* The call is not followed for argument `i`: it assigns what it was handed, or reads it, or nobody
 * knows. */
static void
summarise(struct walk *w, const struct env *inside, const struct nesting *at, unsigned i)
{
    const struct param_facts *f = &w->o.params[w->site->callee][i];
    const struct expr *e = w->site->stmt->args;
    for (unsigned k = i; k && e; k--) e = e->next;
    if (inside->names[i].decl == PLAN_NONE) return;
    if ((f->plain && f->once) || f->read) {
        struct access *x = access_add(w, at, w->plan->args.row[w->site->arg + i].row,
                                      e ? e->span : w->site->stmt->span, !f->read);
        x->sure = false;
        x->through = true;
        x->out = (int)i;
        return;
    }
    w->flags[inside->names[i].decl] |= DECL_VAGUE;
    w->o.lost[w->site->callee][i] = true;
}

static void
summarise_all(struct walk *w, const struct env *inside, const struct nesting *at)
{
    for (unsigned i = 0; i < w->site->nargs; i++) summarise(w, inside, at, i);
}

/* Whether all that it does to what it was handed is known without a look. */
static bool
is_plain_call(const struct walk *w, const struct env *inside)
{
    for (unsigned i = 0; i < w->site->nargs; i++) {
        const struct param_facts *f = &w->o.params[w->site->callee][i];
        bool known = (f->plain && f->once) || (f->read && w->o.closed);
        if (inside->names[i].decl != PLAN_NONE && !known) return false;
    }
    return true;
}

/* A call of a sub that is being followed goes round for ever only with names that come back to it:
 * without them it can be followed. False: there are no others. */
static bool
leave_out_round(struct walk *w, struct env *inside, const struct nesting *at)
{
    bool any = false;
    for (unsigned i = 0; i < w->site->nargs; i++) {
        if (!w->o.params[w->site->callee][i].ends) {
            summarise(w, inside, at, i);
            inside->names[i].decl = PLAN_NONE;
        }
        any |= inside->names[i].decl != PLAN_NONE;
    }
    return any;
}

const struct where *
access_required(struct walk *w, const struct plan_sub *sub, uint32_t i, bool yes)
{
    return where_row(&w->forms, w->plan, w->plan->requires.row[sub->require + i].expr, yes);
}

static void
add_breaches(struct walk *w, struct env *inside, const struct nesting *at)
{
    const struct plan_sub *callee = &w->plan->subs.row[inside->sub];
    struct env *outer = w->env;
    if (at && !at->sure) return;
    w->env = inside;
    for (uint32_t i = 0; i < callee->nrequire; i++) {
        const struct where *where = access_required(w, callee, i, false);
        if (!where->exact) continue;
        struct breach *b = arena_new_of(w->forms.arena, struct breach);
        *b = (struct breach){w->breaches, at, where, w->site, inside, callee->require + i};
        w->breaches = b;
    }
    w->env = outer;
}

static void
add_called(struct walk *w, const struct nesting *step)
{
    if (w->env->outer) return;
    struct called *c = arena_new_of(w->forms.arena, struct called);
    c->step = step;
    *w->last_called = c;
    w->last_called = &c->next;
}

void
access_expand(struct walk *w, const struct nesting *at)
{
    const struct plan_site *s = w->site;
    const struct plan_sub *callee = &w->plan->subs.row[s->callee];
    struct arena *a = w->forms.arena;
    struct env *outer = w->env, *inside = arena_new_of(a, struct env);
    *inside = (struct env){.outer = outer, .sub = s->callee};
    inside->frame = arena_array(a, const struct sums *, callee->nwords + 1);
    inside->lack = arena_array(a, enum lack, callee->nwords + 1);
    inside->names = arena_array(a, struct bound, callee->nwords + 1);
    bool follow = bind(w, inside, callee->sub);
    struct nesting *step = access_new_step(w, at, STEP_CALL);
    step->inside = inside;
    inside->call = step;
    add_called(w, step);
    add_breaches(w, inside, at);
    if (!follow) return;
    if (!*w->o.calls || (w->o.summarised && is_plain_call(w, inside))) {
        summarise_all(w, inside, at);
        return;
    }
    bool active = w->active[s->callee];
    if (active && !leave_out_round(w, inside, at)) return;
    --*w->o.calls;
    inside->local = arena_array(a, const struct sums *, callee->nlocal_max + 2);
    w->active[s->callee] = true;
    w->env = inside;
    access_block(w, callee->body, step);
    w->env = outer;
    w->active[s->callee] = active;
}
