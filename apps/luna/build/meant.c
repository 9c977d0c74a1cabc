/* meant.c - see meant.h. */
#include "apps/luna/build/meant.h"

#include "apps/luna/build/signature.h"
#include "runtime/base/near.h"

static const struct function *
nearest_function(const struct functions *f, const char *name)
{
    struct near near = {.word = name};
    for (int i = 0; i < f->n; i++)
        if (!f->at[i].hidden) near_try(&near, f->at[i].name);
    return near.best ? functions_find(f, near.best) : NULL;
}

/* What stands between the function and a call of it, and the line that is missing. */
static const char *
advice(struct arena *a, const struct function *f, bool exact)
{
    const char *list = f->params ? signature_import(a, f->params) : "...", *name = f->name;
    const char *params = f->params ? f->params : "...)";
    const char *change = f->hidden                  ? "it is static: take that away, and "
                         : f->mangled && !f->params ? "put bind(c) behind its parameters, and "
                         : f->mangled               ? "put extern \"C\" in front of it, and "
                                                    : "";
    const char *ask = exact ? "" : arena_printf(a, "did you mean '%s'? ", name);
    const char *has = arena_printf(a, "%s%s has a function %s(%s: ", ask, f->shown, name, params);
    if (!list) return arena_printf(a, "%sno call can pass what it takes", has);
    return arena_printf(a, "%s%simport %s(%s) as %s;", has, change, name, list, name);
}

static const char *
meant(void *who, struct arena *a, const char *sub, bool slips)
{
    const struct functions *all = units_functions(who);
    const struct function *f = slips ? nearest_function(all, sub) : functions_find(all, sub);
    return f ? advice(a, f, !slips) : NULL;
}

/* One that no file defines comes from a library: who knows? */
static bool
ends(void *who, const char *function)
{
    const struct functions *all = units_functions(who);
    return all->ends || !functions_find(all, function);
}

struct ast_outside
meant_outside(struct units *u)
{
    return (struct ast_outside){u, meant, ends};
}
