/* prototypes.c - see prototypes.h. */
#include "apps/luna/build/prototypes.h"

#include "apps/luna/build/gfortran.h"
#include "apps/luna/build/signature.h"

#include <ctype.h>
#include <string.h>

static bool
defines(const struct unit *x, const struct sub *s)
{
    return s->kind == SUB_IMPORT && symbols_find(&x->symbols, s->func.text);
}

static bool
is_asked(const struct units *u, const struct unit *x)
{
    if (x->lang != LANG_FORTRAN || x->cached || x->failed) return false;
    for (const struct sub *s = u->lang->tree->subs; s; s = s->next)
        if (defines(x, s)) return true;
    return false;
}

/* A compiler that cannot tell (gfortran 12 fails for a parameter that is a procedure) has not
 * printed the function: then nothing is compared. */
int
prototypes_ask(struct units *u)
{
    struct job *jobs = arena_array(u->arena, struct job, (size_t)u->n + 1);
    struct unit **of = arena_array(u->arena, struct unit *, (size_t)u->n + 1);
    int n = 0;
    for (int i = 0; i < u->n; i++) {
        struct unit *x = &u->at[i];
        if (!is_asked(u, x)) continue;
        jobs[n] = (struct job){.argv = cc_prototypes(u->tools, x->path), .dir = u->work->dir};
        jobs[n].out = work_file(u->work, "prototypes%d.h", i);
        jobs[n].log = work_file(u->work, "prototypes%d.log", i);
        of[n++] = x;
    }
    if (!jobs_run(jobs, n, u->work->dir)) return 128 + jobs_signal();
    for (int i = 0; i < n; i++) of[i]->prototypes = file_text(u->arena, jobs[i].out);
    return 0;
}

/* ---- comparing ---- */

static const struct function *
function_in(struct units *u, const struct unit *x, const char *name)
{
    const struct functions *all = units_functions(u);
    for (int i = 0; i < all->n; i++)
        if (!strcmp(all->at[i].path, x->path) && !strcmp(all->at[i].name, name)) return &all->at[i];
    return NULL;
}

/* The name of the parameter that begins at *params, which goes on to the next. */
static const char *
take_name(struct arena *a, const char **params)
{
    size_t n = strcspn(*params, ",)");
    const char *end = *params + n, *start = end;
    while (start > *params && (isalnum((unsigned char)start[-1]) || start[-1] == '_')) start--;
    *params = *end ? end + 1 : end;
    return arena_strndup(a, start, (size_t)(end - start));
}

/* A string that is declared as Fortran's own comes with its length, which no call passes. */
static bool
report_described(struct units *u, const struct unit *x, const struct sub *s, const char *params,
                 const struct place *where)
{
    struct diag *d = u->lang->diag;
    const char *text = file_text(u->arena, x->path);
    bool fixed = fortran_is_fixed(x->path);
    for (const struct symbol *p = s->params; p && *params; p = p->next) {
        const char *name = take_name(u->arena, &params);
        if (p->type != T_STRING || !fortran_is_described(u->arena, text, fixed, s->func.text, name))
            continue;
        diag(d, signature_severity(u->lang->plan, s), D_SYN12, s->func.span,
             "parameter '%s' of '%s' is imported as a string, but the function takes a length with "
             "it",
             name, s->func.text);
        diag_hint(
            d,
            "character(kind=c_char), intent(in) :: %s(*) is a string, and luna_string(%s) its "
            "text",
            name, name);
        diag_note_at(d, where, "the function is here");
        return true;
    }
    return false;
}

void
prototypes_compare(struct units *u, const struct unit *x)
{
    struct diag *d = u->lang->diag;
    for (const struct sub *s = u->lang->tree->subs; s; s = s->next) {
        const struct function *f = defines(x, s) ? function_in(u, x, s->func.text) : NULL;
        const char *params = f ? gfortran_params(u->arena, x->prototypes, s->func.text) : NULL;
        if (!params) continue;
        struct place *where = arena_new_of(u->arena, struct place);
        *where = function_place(u->arena, f);
        enum severity sev = signature_severity(u->lang->plan, s);
        if (!signature_compare(d, u->arena, s, sev, params, where, LANG_FORTRAN))
            report_described(u, x, s, params, where);
    }
}
