/* check_unused.c - SYN5.2 - 5.9: names that nobody mentions, subs that nobody calls.
 *
 * Silent: names that begin with an underscore, and subs of included files, since a library is not
 * called in full. */
#include "lang/check/check_facts.h"

#include "runtime/base/vec.h"

static bool
wanted(const struct symbol *s)
{
    return s->mentioned || s->name.text[0] == '_';
}

static bool
is_included(const struct facts *f, struct span span)
{
    struct place p;
    const struct source *s = diag_source(f->diag);
    return source_place(s, span, 0, &p, NULL) && p.file != source_file_name(s, 0);
}

/* ---- DFs ---- */

/* DFs that nobody mentions because another name hides them, which was reported (SYN8). */
struct hidden {
    int *count; /* declarations by block and name; hiding counts as one */
    int n;
};

static int
df_key(struct facts *f, const struct code_block *b, const char *name)
{
    return forms_intern(f->forms, arena_printf(f->arena, "df%p %s", (const void *)b, name));
}

static void
count_df(struct facts *f, struct hidden *h, int key)
{
    vec_need_many(f->arena, h->count, 0, key + 1, h->n);
    h->count[key]++;
}

static void
count_dfs(struct facts *f, struct hidden *h, const struct code_block *b)
{
    for (const struct symbol *s = b ? b->dfs : NULL; s; s = s->next)
        count_df(f, h, df_key(f, b, s->name.text));
}

/* A counter or let of this name stands in `b`. */
static void
hide(struct facts *f, struct hidden *h, const struct code_block *b, const struct symbol *s)
{
    for (; s; s = s->next) {
        for (const struct code_block *o = b; o; o = o->outer) {
            if (o->dfs) count_df(f, h, df_key(f, o, s->name.text));
        }
    }
}

static bool
any_unwanted(const struct code_block *b)
{
    for (const struct symbol *s = b ? b->dfs : NULL; s; s = s->next) {
        if (!wanted(s)) return true;
    }
    return false;
}

static struct hidden
find_hidden(struct facts *f)
{
    struct hidden h = {0};
    bool any = false;
    for (int i = 0; i < f->nsubs && !any; i++) any = any_unwanted(f->subs[i].sub->body);
    for (int i = 0; i < f->nsites && !any; i++) {
        const struct stmt *s = f->sites[i].stmt;
        any = any_unwanted(s->body) || any_unwanted(s->other);
    }
    if (!any) return h;
    for (int i = 0; i < f->nsubs; i++) {
        const struct sub *s = f->subs[i].sub;
        count_dfs(f, &h, s->body);
        hide(f, &h, s->body, s->params);
    }
    for (int i = 0; i < f->nsites; i++) {
        const struct stmt *s = f->sites[i].stmt;
        count_dfs(f, &h, s->body);
        count_dfs(f, &h, s->other);
        hide(f, &h, s->in, s->counter);
        hide(f, &h, s->in, s->lets);
    }
    return h;
}

static void
check_dfs(struct facts *f, const struct hidden *h, const struct code_block *b)
{
    if (!b) return;
    for (const struct symbol *s = b->dfs; s; s = s->next) {
        if (wanted(s) || h->count[df_key(f, b, s->name.text)] > 1) continue;
        diag(f->diag, SEV_WARNING, D_SYN5_3, s->name.span, "'%s' is declared, but never mentioned",
             s->name.text);
    }
}

/* ---- counters, lets, parameters, subs ---- */

static void
check_counter(struct facts *f, const struct stmt *s)
{
    if (!s->counter || wanted(s->counter)) return;
    diag(f->diag, SEV_WARNING, s->kind == S_FOR ? D_SYN5_7 : D_SYN5_8, s->counter->name.span,
         "the counter '%s' of this %s is not used", s->counter->name.text,
         s->kind == S_FOR ? "for" : "while");
}

static void
check_lets(struct facts *f, const struct stmt *s)
{
    for (const struct symbol *l = s->lets; l; l = l->next) {
        if (wanted(l)) continue;
        diag(f->diag, SEV_WARNING, D_SYN5_2, l->name.span, "the let name '%s' is not used",
             l->name.text);
    }
}

enum { PARAMS_MANY = 200 }; /* nobody writes them by hand */

static bool
is_repeated(const struct sub *s, const struct symbol *p)
{
    if (s->nparams > PARAMS_MANY) return false;
    for (const struct symbol *o = s->params; o; o = o->next) {
        if (o != p && o->name.text == p->name.text) return true;
    }
    return false;
}

static void
check_params(struct facts *f, const struct sub *s)
{
    if (!s->body) return;
    for (const struct symbol *p = s->params; p; p = p->next) {
        if (wanted(p) || is_repeated(s, p)) continue;
        diag(f->diag, SEV_WARNING, D_SYN5_6, p->name.span, "the parameter '%s' of '%s' is not used",
             p->name.text, s->name.text);
    }
}

/* Somebody but the sub itself. */
static bool
is_called(const struct facts *f, const struct sub_row *s)
{
    for (int i = 0; i < s->ncalls; i++) {
        if (f->subs[f->sites[s->calls[i]].sub].sub != s->sub) return true;
    }
    return s->sub->called && !s->ncalls; /* in a reduction */
}

static void
check_called(struct facts *f, const struct sub_row *row)
{
    const struct sub *s = row->sub;
    if (s == f->tree->main || !f->tree->main || is_called(f, row)) return;
    if (s->name.text[0] == '_' || is_included(f, s->name.span)) return;
    if (s->kind == SUB_STRUCT) {
        diag(f->diag, SEV_WARNING, D_SYN5_5, s->name.span, "nobody calls the sub '%s'",
             s->name.text);
    } else {
        diag(f->diag, SEV_WARNING, D_SYN5_4, s->name.span, "nobody calls the atomic sub '%s'",
             s->name.text);
    }
}

static void
check_unused_consts(struct facts *f)
{
    for (const struct symbol *c = f->tree->consts; c; c = c->next) {
        if (wanted(c) || is_included(f, c->name.span)) continue;
        diag(f->diag, SEV_WARNING, D_SYN5_9, c->name.span, "the const '%s' is not used",
             c->name.text);
    }
}

void
check_unused(struct facts *f)
{
    check_unused_consts(f);
    struct hidden h = find_hidden(f);
    for (int i = 0; i < f->nsubs; i++) {
        check_called(f, &f->subs[i]);
        check_params(f, f->subs[i].sub);
        check_dfs(f, &h, f->subs[i].sub->body);
    }
    for (int i = 0; i < f->nsites; i++) {
        const struct stmt *s = f->sites[i].stmt;
        if (s->kind == S_FOR || s->kind == S_WHILE) check_counter(f, s);
        if (s->kind == S_LET) check_lets(f, s);
        check_dfs(f, &h, s->body);
        check_dfs(f, &h, s->other);
    }
}
