/* params.c - see params.h: what can be seen without sets. */
#include "lang/prove/params.h"

static void
unplain(const struct plan *p, struct param_facts **facts, uint32_t sub, uint32_t ref)
{
    const struct plan_ref *r = &p->refs.row[ref];
    if (r->base == PB_PARAM) facts[sub][r->word].plain = false;
}

static void
unread(const struct plan *p, struct param_facts **facts, uint32_t sub, uint32_t ref)
{
    const struct plan_ref *r = &p->refs.row[ref];
    if (r->base == PB_PARAM) facts[sub][r->word].read = false;
}

static void
look_at_input(const struct plan *p, struct param_facts **facts, const struct plan_site *s,
              const struct plan_in *in)
{
    unplain(p, facts, s->sub, in->ref);
    if (in->kind == PI_WAIT || p->refs.row[in->ref].nindices) unread(p, facts, s->sub, in->ref);
}

/* Who says how long a value lives, or makes copies, must be asked by name. */
static void
look_at_output(const struct plan *p, struct param_facts **facts, const struct plan_site *s,
               const struct plan_arg *arg)
{
    const struct plan_ref *r = &p->refs.row[arg->row];
    bool copied = r->home != PLAN_NONE && p->locators.row[r->home].kind != PL_CYCLIC;
    if (r->nindices || copied || s->kind == PS_TERM ||
        (s->kind != PS_EXPAND && arg->post != PLAN_NONE))
        unplain(p, facts, s->sub, arg->row);
    if (r->nindices || s->kind != PS_EXPAND) unread(p, facts, s->sub, arg->row);
}

static void
look_at_rule(const struct plan *p, struct param_facts **facts, const struct plan_site *s,
             uint32_t ref)
{
    unplain(p, facts, s->sub, ref);
    unread(p, facts, s->sub, ref);
}

static void
look_at_rules(const struct plan *p, struct param_facts **facts, const struct plan_site *s)
{
    if (s->rules == PLAN_NONE) return;
    const struct plan_rules *r = &p->rules.row[s->rules];
    for (uint32_t i = 0; i < r->nset; i++) look_at_rule(p, facts, s, r->set + i);
    for (uint32_t i = 0; i < r->nkill; i++) look_at_rule(p, facts, s, r->kill + i);
    for (uint32_t i = 0; i < r->npush; i++)
        look_at_rule(p, facts, s, p->pushes.row[r->push + i].ref);
}

static void
look_at_site(const struct plan *p, struct param_facts **facts, const struct plan_site *s)
{
    for (unsigned i = 0; i < s->nin; i++) look_at_input(p, facts, s, &p->ins.row[s->in + i]);
    for (unsigned i = 0; i < s->nargs; i++)
        if (p->args.row[s->arg + i].kind == PA_NAME)
            look_at_output(p, facts, s, &p->args.row[s->arg + i]);
    look_at_rules(p, facts, s);
}

/* Who hands it to a sub that is not plain is not, nor does he only read. True: there is news. */
static bool
hand_on(const struct plan *p, struct param_facts **facts, const struct plan_site *s)
{
    bool news = false;
    for (unsigned i = 0; i < s->nargs; i++) {
        const struct plan_arg *arg = &p->args.row[s->arg + i];
        const struct plan_ref *r = &p->refs.row[arg->row];
        if (arg->kind != PA_NAME || r->base != PB_PARAM) continue;
        struct param_facts *f = &facts[s->sub][r->word], *g = &facts[s->callee][i];
        news |= (f->plain && !g->plain) || (f->read && !g->read);
        f->plain &= g->plain;
        f->read &= g->read;
    }
    return news;
}

/* All that subs hand it on to ends. */
static bool
ends_below(const struct plan *p, struct param_facts **facts, uint32_t sub, uint32_t word)
{
    for (uint32_t i = 0; i < p->sites.n; i++) {
        const struct plan_site *s = &p->sites.row[i];
        for (unsigned k = 0; k < s->nargs && s->sub == sub && s->kind == PS_EXPAND; k++) {
            const struct plan_arg *arg = &p->args.row[s->arg + k];
            const struct plan_ref *r = &p->refs.row[arg->row];
            if (arg->kind == PA_NAME && r->base == PB_PARAM && r->word == word &&
                !facts[s->callee][k].ends)
                return false;
        }
    }
    return true;
}

static void
find_ends(const struct plan *p, struct param_facts **facts)
{
    for (bool news = true; news;) {
        news = false;
        for (uint32_t i = 0; i < p->subs.n; i++)
            for (uint32_t k = 0; k < p->subs.row[i].nwords; k++)
                if (!facts[i][k].ends && ends_below(p, facts, i, k))
                    news = facts[i][k].ends = true;
    }
}

struct param_facts **
params_new(struct arena *a, const struct plan *p)
{
    struct param_facts **facts = arena_array(a, struct param_facts *, (size_t)p->subs.n + 1);
    for (uint32_t i = 0; i < p->subs.n; i++) {
        facts[i] = arena_array(a, struct param_facts, (size_t)p->subs.row[i].nwords + 1);
        for (uint32_t k = 0; k < p->subs.row[i].nwords; k++)
            facts[i][k] = (struct param_facts){.plain = true, .read = true};
    }
    for (uint32_t i = 0; i < p->sites.n; i++) look_at_site(p, facts, &p->sites.row[i]);
    for (bool news = true; news;) {
        news = false;
        for (uint32_t i = 0; i < p->sites.n; i++)
            if (p->sites.row[i].kind == PS_EXPAND) news |= hand_on(p, facts, &p->sites.row[i]);
    }
    find_ends(p, facts);
    return facts;
}
