/* beside.c - see beside.h.
 *
 * Each call that follows a cell says where the fragments that it names should be: its cell rule is
 * that of a fragment with known indices; these are the indices of the other one, or ints. If all
 * calls say the same, and nothing else names it, that is its rule. A rule changes no answer:
 * whoever asks for a fragment computes its home from its name alone. */
#include "lang/place/beside.h"

#include "lang/place/grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Else the row of the cell. APART: all calls follow cells, but not the same. */
enum { OPEN = PLAN_NONE, CLOSED = PLAN_NONE - 1, APART = PLAN_NONE - 2 };

struct beside {
    struct plan *p;
    struct wish { /* of a DF */
        uint32_t cell, nindices, place;
        bool written, spread; /* spread: by calls at more than one cell */
    } *wish;
};

/* ---- what a call says ---- */

static uint32_t
moved(struct plan *p, uint32_t row, int64_t by)
{
    struct plan_expr x = p->exprs.row[row];
    if (x.k + by != (int32_t)(x.k + by)) return PLAN_NONE;
    x.k = (int32_t)(x.k + by);
    return plan_expr(p, &x);
}

/* A counter in the indices of `r`, and k more. */
static uint32_t
counter_row(struct plan *p, unsigned word, const struct plan_ref *r, int64_t k)
{
    for (uint32_t j = 0; j < r->nindices; j++) {
        const struct plan_expr *its = &p->exprs.row[r->index + j];
        if (its->kind != PE_LOCAL || its->a != word) continue;
        struct plan_expr ix = {.kind = PE_IX, .a = (uint16_t)j};
        k -= its->k; /* rows may move */
        return moved(p, plan_expr(p, &ix), k);
    }
    return PLAN_NONE;
}

/* The index `row` of what the call follows, in those of `r`, and k more. */
static uint32_t
index_row(struct plan *p, uint32_t row, const struct plan_ref *r, int32_t k)
{
    const struct plan_expr *x = &p->exprs.row[row];
    if (x->kind == PE_INT) return moved(p, row, k);
    return x->kind == PE_LOCAL ? counter_row(p, x->a, r, (int64_t)k + x->k) : PLAN_NONE;
}

/* The same, divided: 2 * i + 1 and k more by 2. Below 0, where it is not so, there are no cells. */
static uint32_t
part_row(struct plan *p, uint32_t row, const struct plan_ref *r, int32_t k, int32_t by)
{
    const struct plan_expr *x = &p->exprs.row[row];
    const struct plan_term *term = x->kind == PE_AFFINE ? &p->terms.row[x->terms] : NULL;
    if (!term || x->a != 1 || term->in_frame || by < 1 || term->coefficient != by) return PLAN_NONE;
    int64_t sum = (int64_t)x->k + k, rest = (sum % by + by) % by;
    return counter_row(p, term->word, r, (sum - rest) / by);
}

/* An expression of the rule of `near`, in the indices of `r`. */
static uint32_t
rewritten(struct plan *p, uint32_t row, const struct plan_ref *near, const struct plan_ref *r)
{
    struct plan_expr x = p->exprs.row[row], of;
    switch (x.kind) {
    case PE_INT: return row;
    case PE_IX: return index_row(p, near->index + x.a, r, x.k);
    case PE_QUOTIENT:
        of = p->exprs.row[x.terms];
        row = of.kind == PE_IX ? part_row(p, near->index + of.a, r, of.k, x.k) : PLAN_NONE;
        if (row != PLAN_NONE) return row;
        /* fall through */
    case PE_MODULO:
        x.terms = rewritten(p, x.terms, near, r);
        x.text = NULL;
        return x.terms == PLAN_NONE ? PLAN_NONE : plan_expr(p, &x);
    default: return PLAN_NONE;
    }
}

/* Where the call runs, as far as it follows what surely has a cell. What has a shape may be beyond
 * the lattice, and the call not: of that nothing follows. */
static const struct plan_ref *
followed(const struct plan *p, const struct plan_site *call)
{
    const struct plan_rules *rules = call->rules == PLAN_NONE ? NULL : &p->rules.row[call->rules];
    if (!rules || rules->node != PLAN_NONE || !rules->nnear) return NULL;
    const struct plan_ref *near = &p->refs.row[rules->near];
    if (near->base == PB_PARAM) return NULL;
    uint32_t about = plan_bound_of(p, near->df);
    const struct plan_about *its = about == PLAN_NONE ? NULL : &p->abouts.row[about];
    return its && its->nindices == near->nindices && its->shape == PLAN_NONE ? near : NULL;
}

static uint32_t
cell_of(struct beside *b, const struct plan_site *call, uint32_t ref)
{
    struct plan *p = b->p;
    const struct plan_ref *near = followed(p, call);
    uint32_t rows[GRID_DIMS];
    if (!near) return CLOSED;
    struct plan_ref follows = *near, r = p->refs.row[ref]; /* rows may move */
    uint32_t cell = p->abouts.row[plan_bound_of(p, follows.df)].cell;
    for (uint32_t d = 0; d < p->nextents; d++) {
        rows[d] = rewritten(p, cell + d, &follows, &r);
        if (rows[d] == PLAN_NONE) return APART;
    }
    return plan_expr_run(p, rows, p->nextents);
}

/* The cell that a call says follows the counters around it. */
static bool
is_spread(const struct plan *p, uint32_t cell)
{
    if (cell >= APART) return cell == APART;
    for (uint32_t d = 0; d < p->nextents; d++)
        if (p->exprs.row[cell + d].kind != PE_INT) return true;
    return false;
}

/* ---- all statements ---- */

static void
close_ref(struct beside *b, uint32_t ref)
{
    const struct plan_ref *r = &b->p->refs.row[ref];
    if (r->base != PB_PARAM) b->wish[r->df].cell = CLOSED;
}

static void
hear(struct beside *b, const struct plan_site *call, uint32_t ref, bool write)
{
    struct plan_ref r = b->p->refs.row[ref];
    if (r.base == PB_PARAM || plan_bound_of(b->p, r.df) != PLAN_NONE) return;
    struct wish *w = &b->wish[r.df];
    if (w->cell == CLOSED) return;
    uint32_t cell = cell_of(b, call, ref);
    bool same = w->cell == OPEN || (w->cell == cell && w->nindices == r.nindices);
    w->cell = same || cell == CLOSED ? cell : APART;
    w->nindices = r.nindices;
    w->place = call->place;
    w->written |= write;
    w->spread |= write && is_spread(b->p, cell);
}

static void
look_at_rules(struct beside *b, const struct plan_rules *r)
{
    for (uint32_t i = 0; i < r->nset; i++) close_ref(b, r->set + i);
    for (uint32_t i = 0; i < r->nkill; i++) close_ref(b, r->kill + i);
    for (uint32_t i = 0; i < r->npush; i++) close_ref(b, b->p->pushes.row[r->push + i].ref);
}

static void
look_at(struct beside *b, const struct plan_site *s)
{
    const struct plan *p = b->p;
    bool call = s->kind == PS_CALL;
    for (uint32_t i = 0; i < s->nin; i++) {
        const struct plan_in *in = &p->ins.row[s->in + i];
        if (call && in->kind == PI_REQUEST && in->part == PLAN_NONE) hear(b, s, in->ref, false);
        else close_ref(b, in->ref);
    }
    for (uint32_t i = 0; i < s->nargs; i++) {
        const struct plan_arg *a = &p->args.row[s->arg + i];
        if (a->kind != PA_NAME) continue;
        if (call) hear(b, s, a->row, true);
        else close_ref(b, a->row);
    }
    if (s->rules != PLAN_NONE) look_at_rules(b, &p->rules.row[s->rules]);
}

/* What else is said of it stays. */
static bool
install(struct beside *b, uint32_t df)
{
    struct plan *p = b->p;
    const struct wish *w = &b->wish[df];
    struct plan_decl *decl = &p->dfs.row[df];
    struct plan_about row = PLAN_ABOUT_NONE;
    if (w->cell >= APART || !w->written) return false;
    if (decl->about != PLAN_NONE) row = p->abouts.row[decl->about];
    if (decl->about != PLAN_NONE && row.nindices != w->nindices) return false;
    row.nindices = w->nindices;
    row.cell = w->cell;
    row.place[PLAN_ABOUT_CELL] = w->place;
    decl->about = plan_intern(p, abouts, &row, 1);
    return true;
}

/* ---- for people ---- */

static char
letter(unsigned index)
{
    return (char)(index < 17 ? 'i' + index : '?');
}

static void
tell_row(const struct plan *p, uint32_t row, struct buf *told)
{
    const struct plan_expr *x = &p->exprs.row[row];
    bool inner = x->kind == PE_QUOTIENT || x->kind == PE_MODULO;
    bool sum = inner && p->exprs.row[x->terms].kind == PE_IX && p->exprs.row[x->terms].k;
    if (x->kind == PE_INT) buf_printf(told, "%d", x->k);
    if (x->kind == PE_IX) buf_char(told, letter(x->a));
    if (x->kind == PE_IX && x->k) buf_printf(told, " %c %d", x->k < 0 ? '-' : '+', abs(x->k));
    if (sum) buf_char(told, '(');
    if (inner) tell_row(p, x->terms, told);
    if (sum) buf_char(told, ')');
    if (inner) buf_printf(told, " %c %d", x->kind == PE_QUOTIENT ? '/' : '%', x->k);
}

static void
tell(const struct plan *p, uint32_t df, struct buf *told)
{
    const struct plan_about *about = &p->abouts.row[p->dfs.row[df].about];
    buf_printf(told, "    cell %s", p->dfs.row[df].name);
    for (uint32_t i = 0; i < about->nindices; i++) buf_printf(told, "[%c]", letter(i));
    for (uint32_t d = 0; d < p->nextents; d++) {
        buf_str(told, d ? ", " : " => ");
        tell_row(p, about->cell + d, told);
    }
    buf_str(told, ";\n");
}

/* It lives on node 0, and each call that names it is somewhere else. */
static void
warn(const struct plan *p, uint32_t df, const struct wish *w, struct diag *d)
{
    const struct symbol *sym = p->dfs.row[df].sym;
    char like[5 * 16] = "";
    for (uint32_t i = 0; i < w->nindices && i < 16; i++)
        snprintf(like + strlen(like), sizeof like - strlen(like), "[%c]", letter(i));
    diag(d, SEV_WARNING, D_EXT21, sym->name.span,
         "'%s' has no cell rule and lives on node 0, but all calls that name it run at cells",
         sym->name.text);
    diag_hint(d, "say where it is: cell %s%s => ...;", sym->name.text, like);
}

void
beside_run(struct arena *a, struct plan *p, struct diag *d, struct buf *told)
{
    struct beside b = {.p = p, .wish = arena_array(a, struct wish, p->dfs.n)};
    if (!p->nextents || p->locators.n || p->labels.n) return;
    for (uint32_t i = 0; i < p->dfs.n; i++) b.wish[i] = (struct wish){.cell = OPEN};
    for (uint32_t i = 0; i < p->sites.n; i++) {
        struct plan_site s = p->sites.row[i];
        look_at(&b, &s);
    }
    for (uint32_t i = 0; i < p->dfs.n; i++) {
        if (install(&b, i) && told) tell(p, i, told);
        if (b.wish[i].cell == APART && b.wish[i].spread) warn(p, i, &b.wish[i], d);
    }
}
