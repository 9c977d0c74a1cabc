/* check_unused.c - SYN5.2 - 5.8: names that nobody mentions, subs that nobody calls.
 *
 * Silent: names that begin with an underscore, and subs of included files, since a library is not
 * called in full. */
#include "lang/check_facts.h"

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

static void
check_dfs(struct facts *f, const struct block *b)
{
    if (!b) return;
    for (const struct symbol *s = b->dfs; s; s = s->next) {
        if (wanted(s)) continue;
        diag(f->diag, SEV_WARNING, D_SYN5_3, s->name.span, "'%s' is declared, but never mentioned",
             s->name.text);
    }
}

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

static void
check_params(struct facts *f, const struct sub *s)
{
    if (!s->body) return;
    for (const struct symbol *p = s->params; p; p = p->next) {
        if (wanted(p)) continue;
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

void
check_unused(struct facts *f)
{
    for (int i = 0; i < f->nsubs; i++) {
        check_called(f, &f->subs[i]);
        check_params(f, f->subs[i].sub);
        check_dfs(f, f->subs[i].sub->body);
    }
    for (int i = 0; i < f->nsites; i++) {
        const struct stmt *s = f->sites[i].stmt;
        if (s->kind == S_FOR || s->kind == S_WHILE) check_counter(f, s);
        if (s->kind == S_LET) check_lets(f, s);
        check_dfs(f, s->body);
    }
}
