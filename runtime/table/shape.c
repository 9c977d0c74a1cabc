/* shape.c - see shape.h. */
#include "shape.h"

#include "runtime/base/exit.h"
#include "runtime/fault/fault.h"
#include "runtime/table/cells.h"
#include "runtime/table/eval.h"
#include "runtime/table/name.h"

#include <inttypes.h>
#include <stdio.h>

static const struct luna_about *
about(const struct luna_program *p, const struct key *k)
{
    const struct luna_about *c = cells_about(p, k->df);
    return c && c->shape != LUNA_NONE ? c : NULL;
}

/* The last index of the i-th; that of [k] is k - 1, which may be no int. */
static int64_t
last_of(const struct luna_program *p, const luna_env *inner, const struct luna_about *c, uint32_t i)
{
    return (int64_t)eval_int(p, inner, c->shape + 2 * i + 1) - (c->counted >> i & 1);
}

bool
shape_holds(const struct luna_program *p, const luna_env *e, uint32_t ref, const struct key *k)
{
    const struct luna_about *c = about(p, k);
    luna_word words[ABOUT_CAPTURES_MAX];
    if (!c) return true;
    if (k->n != c->nindices) return false;
    luna_env inner = cells_env(p, e, ref, c, k, LUNA_ABOUT_SHAPE, words);
    for (uint32_t i = 0; i < k->n; i++)
        if (k->ix[i] < eval_int(p, &inner, c->shape + 2 * i) || k->ix[i] > last_of(p, &inner, c, i))
            return false;
    return true;
}

bool
shape_is_open(const struct luna_program *p, const struct key *k)
{
    const struct luna_about *c = about(p, k);
    return c && c->outside != LUNA_NONE && c->nindices == k->n;
}

luna_value
shape_beyond(const struct luna_program *p, const luna_env *e, uint32_t ref, const struct key *k)
{
    const struct luna_about *c = about(p, k);
    luna_word words[ABOUT_CAPTURES_MAX];
    luna_env inner = cells_env(p, e, ref, c, k, LUNA_ABOUT_OUTSIDE, words);
    return eval_value(p, &inner, c->outside); /* a number: nobody counts it */
}

_Noreturn void
shape_broken(const struct luna_program *p, const luna_env *e, uint32_t ref, const struct key *k,
             bool read)
{
    const struct luna_about *c = about(p, k);
    const struct luna_decl *decl = &p->dfs[k->df & ~KEY_MARKS];
    luna_word words[ABOUT_CAPTURES_MAX];
    luna_env inner = cells_env(p, e, ref, c, k, LUNA_ABOUT_SHAPE, words);
    char df[NAME_MAX_TEXT], shape[NAME_MAX_TEXT] = "";
    size_t n = 0;
    name_df(p, k, df, sizeof df);
    if (k->n != c->nindices) {
        fault_begin(F_RUN17, e->site->place, "'%s' has %u %s, but %u in its shape", df, k->n,
                    k->n == 1 ? "index" : "indices", c->nindices);
        fault_note(decl->place, "the shape");
        fault_end(EXIT_RUN);
    }
    for (uint32_t i = 0; i < c->nindices && n < sizeof shape; i++)
        n += (size_t)snprintf(shape + n, sizeof shape - n, "[%" PRId32 "..%" PRId64 "]",
                              eval_int(p, &inner, c->shape + 2 * i), last_of(p, &inner, c, i));
    fault_begin(F_RUN17, e->site->place, "'%s' is outside its shape %s", df, shape);
    fault_note(decl->place, "the shape");
    if (read)
        fault_hint("let the shape go as far as the indices, or say what is read beyond it: "
                   "outside %s => 0;", decl->name);
    else if (c->outside != LUNA_NONE)
        fault_hint("what is outside may only be read: let the shape go as far as the indices");
    else fault_hint("let the shape go as far as the indices");
    fault_end(EXIT_RUN);
}
