/* writers.c - a name may go through parameters of many subs before a function gets it: each round
 * marks the parameters that calls of the round before can reach, until nothing is new. */
#include "writers.h"

#include "runtime/data/key.h"
#include "runtime/fault/fault.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    PARAMS_MAX = 64, /* parameters behind these are not followed */
    TOLD_MAX = 3
};

struct search {
    const struct luna_program *program;
    uint32_t df;
    uint64_t *reached; /* by sub: a bit for each of its parameters */
};

static bool
means(const struct search *s, uint32_t sub, uint32_t row)
{
    const struct luna_ref *r = &s->program->refs[row];
    if (r->base != LUNA_B_PARAM) return r->df == s->df;
    return r->word < PARAMS_MAX && s->reached[sub] >> r->word & 1;
}

static bool
arg_means(const struct search *s, const struct luna_site *site, unsigned i)
{
    const struct luna_arg *arg = &s->program->args[site->arg + i];
    return arg->kind == LUNA_A_NAME && means(s, site->sub, arg->row);
}

/* The parameters of its callee that this call passes the name to. */
static uint64_t
passes(const struct search *s, const struct luna_site *site)
{
    uint64_t bits = 0;
    if (site->kind != LUNA_S_EXPAND) return 0;
    for (unsigned i = 0; i < site->nargs && i < PARAMS_MAX; i++)
        bits |= (uint64_t)arg_means(s, site, i) << i;
    return bits;
}

static bool
reach_more(struct search *s)
{
    bool more = false;
    for (uint32_t i = 0; i < s->program->nsites; i++) {
        const struct luna_site *site = &s->program->sites[i];
        uint64_t bits = passes(s, site);
        if (!bits || !(bits & ~s->reached[site->callee])) continue;
        s->reached[site->callee] |= bits;
        more = true;
    }
    return more;
}

static bool
writes(const struct search *s, const struct luna_site *site)
{
    const struct luna_program *p = s->program;
    const struct luna_rules *r = site->rules == LUNA_NONE ? NULL : &p->rules[site->rules];
    for (unsigned i = 0; i < site->nargs && site->kind != LUNA_S_EXPAND; i++)
        if (arg_means(s, site, i)) return true;
    for (uint32_t i = 0; r && i < r->nset; i++)
        if (means(s, site->sub, r->set + i)) return true;
    return false;
}

static const char *
maker(const struct luna_program *p, const struct luna_site *site)
{
    switch (site->kind) {
    case LUNA_S_CALL: return p->functions[site->callee].name;
    case LUNA_S_TERM: return p->functions[p->sites[p->sites[site->callee].callee].callee].name;
    case LUNA_S_EXPAND: return p->subs[site->callee].name;
    case LUNA_S_REDUCE: return "reduce";
    case LUNA_S_TEST: return "while";
    default: return "this";
    }
}

static void
tell(const struct search *s)
{
    const struct luna_program *p = s->program;
    const struct luna_site *found[TOLD_MAX];
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->nsites; i++) {
        if (!writes(s, &p->sites[i])) continue;
        if (n < TOLD_MAX) found[n] = &p->sites[i];
        n++;
    }
    for (uint32_t i = 0; i < n && i < TOLD_MAX; i++)
        fault_note(found[i]->place, "'%s' %s assigned here, by %s", p->dfs[s->df].name,
                   n == 1 ? "is" : "may be", maker(p, found[i]));
    if (n > TOLD_MAX) fault_note(LUNA_NONE, "and by %u more statements", n - TOLD_MAX);
}

void
writers_note(const struct luna_program *p, uint32_t df)
{
    struct search s = {p, df & ~KEY_MARKS, calloc(p->nsubs + 1, sizeof *s.reached)};
    if (!s.reached || s.df >= p->ndfs) {
        free(s.reached);
        return;
    }
    while (reach_more(&s)) continue;
    tell(&s);
    free(s.reached);
}
