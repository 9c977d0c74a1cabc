/* check_shape.c - shapes: which indices the fragments of a DF have, and what a read beyond them
 * is. */
#include "lang/check/check_facts.h"
#include "lang/tree/rules.h"

#include <inttypes.h>

static const char *
counted(struct facts *f, int n)
{
    return arena_printf(f->arena, "%d %s", n, n == 1 ? "index" : "indices");
}

static void
check_number(struct facts *f, const struct symbol *s, int n, struct span at)
{
    if (n == s->nshape) return;
    diag(f->diag, SEV_ERROR, D_EXT26, at, "'%s' has %s here, but %d in its shape", s->name.text,
         counted(f, n), s->nshape);
    diag_note(f->diag, s->name.span, "the shape");
}

/* ---- df x[n][a..b]; ---- */

/* A text or a fragment is no bound. */
static void
check_bounds(struct facts *f, const struct symbol *s)
{
    struct known lo, hi;
    uint32_t bit = 1;
    for (const struct expr *e = s->shape; e; e = e->next->next, bit <<= 1) {
        bool known = form_fold(e, NULL, &lo) && form_fold(e->next, NULL, &hi);
        if (!known || lo.real || hi.real) continue;
        int64_t last = (int64_t)hi.i - ((s->counted & bit) != 0);
        if (lo.i > last)
            diag(f->diag, SEV_WARNING, D_EXT26, e->next->span,
                 "'%s' has no fragments: %d..%" PRId64 " is empty", s->name.text, lo.i, last);
    }
    check_fixed(f, s->shape, arena_printf(f->arena, "the shape of '%s'", s->name.text), D_EXT26);
}

/* ---- outside x => e; ---- */

static void
check_outside(struct facts *f, const struct rule *rules, const struct rule *r,
              const struct code_block *b)
{
    const struct symbol *s = r->refs->sym;
    if (!check_owner(f, rules, r, b, D_EXT26)) return;
    if (!s->shape) {
        diag(f->diag, SEV_ERROR, D_EXT26, r->span, "'%s' has no shape: nothing is outside",
             s->name.text);
        diag_hint(f->diag, "say which indices it has where it is declared: df %s[0..n-1];",
                  s->name.text);
    } else if (r->refs->nindices) {
        check_number(f, s, r->refs->nindices, r->refs->span);
    }
    check_fixed(f, r->exprs, "'outside'", D_EXT26);
}

static void
check_block(struct facts *f, const struct code_block *b)
{
    for (const struct symbol *s = b->dfs; s; s = s->next)
        if (s->shape) check_bounds(f, s);
}

static void
check_list(struct facts *f, const struct rule *rules, const struct code_block *b)
{
    for (const struct rule *r = rules; r; r = r->next) {
        if (check_is_about(r, RULE_OUTSIDE)) check_outside(f, rules, r, b);
        bool other = check_is_about(r, RULE_CELL) || check_is_about(r, RULE_BYTES);
        const struct symbol *s = other ? r->refs->sym : NULL;
        if (s && s->kind == SYM_DF && s->shape)
            check_number(f, s, r->refs->nindices, r->refs->span);
    }
}

static void
check_mention(struct facts *f, const struct use *u)
{
    const struct symbol *s = u->kind == USE_PASS ? NULL : u->target.sym;
    if (s && s->kind == SYM_DF && s->shape) check_number(f, s, u->target.depth, u->span);
}

void
check_shapes(struct facts *f)
{
    for (int i = 0; i < f->nsubs; i++) {
        const struct code_block *b = f->subs[i].sub->body;
        if (!b) continue;
        check_block(f, b);
        check_list(f, b->rules, b);
    }
    for (int i = 0; i < f->nsites; i++) {
        const struct stmt *s = f->sites[i].stmt;
        if (s->body) check_block(f, s->body);
        if (s->other) check_block(f, s->other);
        check_list(f, rules_of(s), s->other ? s->other : s->body);
    }
    for (int i = 0; i < f->nuses; i++)
        if (f->uses[i].site != NONE) check_mention(f, &f->uses[i]);
}
