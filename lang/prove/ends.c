/* ends.c - see ends.h. */
#include "lang/prove/ends.h"

#include "lang/prove/uses.h"

#include <string.h>

/* Nothing but writes that are followed, and one call that reads it. */
static const struct access *
only_call(const struct question *q)
{
    const struct touched *t = q->t;
    const struct access *x = t->reads;
    if (q->w->flags[t->decl] || !x || x->next || !x->through || x->env->outer) return NULL;
    for (int i = 0; i < t->n; i++)
        if (!x->index[i]) return NULL;
    for (const struct access *y = t->writes; y; y = y->next) {
        if (y->said || y->out < 0) return NULL;
        for (int i = 0; i < t->n; i++)
            if (!y->index[i]) return NULL;
    }
    return t->writes && !access_many(t) ? x : NULL;
}

const struct access *
ends_with(struct question *q)
{
    const struct access *x = only_call(q);
    struct rel *r = x ? question_rel(q, x) : NULL;
    if (!r || set_empty(q->sets, rel_twice(q->sets, r)) != YES || !uses_once(q)) return NULL;
    return x;
}

void
ends_install(struct plan *p, const struct access *x)
{
    uint32_t ref = p->args.row[x->site->arg + (unsigned)x->out].row;
    struct plan_site *site = NULL;
    for (uint32_t i = 0; i < p->sites.n && !site; i++)
        if (p->sites.row[i].stmt == x->site->stmt && p->sites.row[i].kind == PS_EXPAND)
            site = &p->sites.row[i];
    if (!site) return;
    struct plan_rules row = PLAN_RULES_NONE;
    if (site->rules != PLAN_NONE) row = p->rules.row[site->rules];
    struct plan_ref *refs = arena_array(p->arena, struct plan_ref, (size_t)row.nkill + 1);
    for (uint32_t i = 0; i < row.nkill; i++) refs[i] = p->refs.row[row.kill + i];
    refs[row.nkill++] = p->refs.row[ref];
    row.kill = plan_intern(p, refs, refs, row.nkill);
    site->rules = plan_intern(p, rules, &row, 1);
}
