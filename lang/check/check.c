/* check.c - the checks, one after the other over the same facts. */
#include "lang/check/check.h"

#include "lang/check/check_facts.h"

void
check_run(struct arena *a, struct ast *t, struct diag *d)
{
    struct facts *f = facts_new(a, t, d);
    check_consts(f);
    check_unused(f);
    check_calls(f);
    check_exprs(f);
    check_conditions(f);
    check_rules(f);
    check_cells(f);
    check_shapes(f);
    check_requirements(f);
    check_flow(f);
    check_cycles(f);
    t->may_exit = facts_may_exit(f);
    for (int i = 0; i < f->nsubs; i++) f->subs[i].sub->certain = f->subs[i].reached;
}
