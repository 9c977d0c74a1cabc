/* release.c - see release.h. */
#include "lang/prove/release.h"

#include <string.h>

/* ---- finding ---- */

/* The sum's only column; NULL: it has none, or others. */
static const struct sets_term *
only_term(const struct sums *f)
{
    bool plain = f && f->n == 1 && !f->pieces[0].conds && f->pieces[0].sum.n == 1;
    return plain && f->pieces[0].sum.terms->factor == 1 ? f->pieces[0].sum.terms : NULL;
}

/* The word that is the end of a `while`: which fixed int that is, or -1. All others are numbers. */
static int
end_in(const struct walk *w, const struct access *x, int n, int *word)
{
    int end = -1;
    for (int i = 0; i < n; i++) {
        const struct sets_term *t = only_term(x->index[i]);
        if (!t && (x->index[i]->n != 1 || x->index[i]->pieces[0].conds ||
                   x->index[i]->pieces[0].sum.n))
            return -1;
        if (!t) continue;
        if (t->space != SETS_SYMBOL || w->fixed[t->number].kind != FIXED_END || end >= 0) return -1;
        end = t->number;
        *word = i;
    }
    return end;
}

/* The loop of the body around an access, if it goes up to the turn before that end. */
static const struct nesting *
body_around(const struct access *x, int end)
{
    for (const struct nesting *s = x->at; s; s = s->up) {
        const struct sets_term *t = s->kind == STEP_LOOP ? only_term(s->hi) : NULL;
        if (t && t->space == SETS_SYMBOL && t->number == end && s->hi->pieces[0].sum.k == -1 &&
            s->site->kind == PS_WHILE && !s->env->outer)
            return s;
    }
    return NULL;
}

static const struct nesting *
body_of(const struct touched *t, int end)
{
    const struct nesting *body = NULL;
    for (int reads = 0; reads < 2; reads++)
        for (const struct access *x = reads ? t->reads : t->writes; x && !body; x = x->next)
            body = body_around(x, end);
    return body;
}

/* The same fragment with the counter in place of the end. */
static struct access *
read_in_body(const struct walk *w, const struct access *behind, int n, int word,
             const struct nesting *body)
{
    struct arena *a = w->forms.arena;
    struct access *x = arena_new_of(a, struct access);
    const struct sums **index = arena_array(a, const struct sums *, (size_t)n + 1);
    struct sums *counter = arena_alloc(a, sizeof *counter + sizeof *counter->pieces);
    struct sets_term *term = arena_new_of(a, struct sets_term);
    const struct sums *was = behind->index[word];
    *term = (struct sets_term){SETS_FROM, body->loops - 1, 1};
    *counter = (struct sums){.lo = was->lo, .hi = was->hi, .n = 1};
    counter->pieces[0].sum = (struct sum){was->pieces[0].sum.k, 1, term};
    memcpy(index, behind->index, sizeof *index * (size_t)n);
    index[word] = counter;
    *x = *behind;
    x->at = body;
    x->index = index;
    x->sure = body->sure;
    return x;
}

bool
release_of(const struct walk *w, const struct touched *t, struct release *out)
{
    for (const struct access *x = t->reads; x && !t->hidden; x = x->next) {
        int word = 0, end = x->sure && !x->at && !x->env->outer ? end_in(w, x, t->n, &word) : -1;
        const struct nesting *body = end < 0 ? NULL : body_of(t, end);
        if (!body) continue;
        struct access *made_up = read_in_body(w, x, t->n, word, body);
        made_up->next = t->reads;
        *out = (struct release){.with = *t, .behind = x, .loop = body->site->body};
        out->with.reads = made_up;
        return true;
    }
    return false;
}

/* ---- into the plan ---- */

static uint32_t
number_row(struct plan *p, int32_t k)
{
    struct plan_expr row = {.kind = PE_INT, .k = k};
    return plan_expr(p, &row);
}

/* Its indices, with the counter. */
static uint32_t
ref_in_body(struct plan *p, const struct release *r, unsigned counter)
{
    struct plan_ref ref = p->refs.row[r->behind->ref];
    uint32_t *rows = arena_array(p->arena, uint32_t, (size_t)ref.nindices + 1);
    for (uint32_t i = 0; i < ref.nindices; i++) {
        const struct sums *f = r->behind->index[i];
        struct plan_expr word = {.kind = PE_LOCAL, .a = (uint16_t)counter,
                                 .k = (int32_t)f->pieces[0].sum.k};
        rows[i] = only_term(f) ? plan_expr(p, &word) : number_row(p, word.k);
    }
    ref.index = plan_expr_run(p, rows, ref.nindices);
    return plan_intern(p, refs, &ref, 1);
}

/* An `if` of a body that sees `nlocal` words, without inputs. */
static struct plan_site
made_up_if(struct plan *p, const struct plan_site *test, int holds, uint32_t block)
{
    unsigned nlocal = test->nlocal + (test->flags & PF_FRESH ? 1u : 0u);
    return (struct plan_site){.kind = PS_IF,
                              .nlocal = (uint16_t)nlocal,
                              .callee = PLAN_NONE,
                              .body = block,
                              .a = number_row(p, holds),
                              .b = PLAN_NONE,
                              .rules = PLAN_NONE,
                              .place = test->place,
                              .sub = test->sub};
}

/* Statements are named by number, and those of a block stand side by side: the old ones stay where
 * they are, one level below. */
void
release_install(struct plan *p, const struct release *r)
{
    struct plan_site was = p->sites.row[p->blocks.row[r->loop].site];
    struct plan_block nothing = {0, 0};
    struct plan_in in = {ref_in_body(p, r, was.nlocal - 1u), PI_REQUEST, PG_NOT, 0,
                         PLAN_NONE, PLAN_NONE};
    struct plan_site all = made_up_if(p, &was, 1, was.body);
    struct plan_site reader = made_up_if(p, &was, 0, plan_add(p, blocks, nothing));
    reader.nin = 1;
    reader.in = plan_intern(p, ins, &in, 1);
    uint32_t to = plan_add_many(p, sites, 2);
    p->sites.row[to] = all;
    p->sites.row[to + 1] = reader;
    struct plan_block both = {to, 2};
    uint32_t body = plan_add(p, blocks, both);
    p->sites.row[p->blocks.row[r->loop].site].body = body;
}
