/* rules.c - what is said of place, as if the user had written it. */
#include "lang/place/rules.h"

#include "lang/plan/node.h"

#include <string.h>

enum { CAPTURES_MAX = 16 }; /* as in program.h */

struct installer {
    struct plan *p;
    const struct place_graph *g;
    struct grid *grid;
    uint32_t sub; /* of the DF */
    struct plan_capture capture[CAPTURES_MAX];
    uint32_t ncaptures;
};

/* ---- expressions ---- */

static uint32_t
int_row(struct plan *p, enum plan_expr_kind kind, unsigned a, int64_t k)
{
    struct plan_expr x = {.kind = kind, .a = (uint16_t)a, .k = (int32_t)k};
    return plan_expr(p, &x);
}

static uint32_t
around(struct plan *p, enum plan_expr_kind kind, uint32_t of, unsigned a, int64_t k)
{
    struct plan_expr x = {.kind = kind, .terms = of, .a = (uint16_t)a, .k = (int32_t)k};
    return plan_expr(p, &x);
}

static int
captured(struct installer *n, enum plan_capture_from from, unsigned word, int index)
{
    struct plan_capture row = {(uint16_t)word, (uint8_t)from, (uint8_t)index};
    for (uint32_t i = 0; i < n->ncaptures; i++)
        if (!memcmp(&n->capture[i], &row, sizeof row)) return (int)i;
    if (n->ncaptures == CAPTURES_MAX) return -1;
    n->capture[n->ncaptures] = row;
    return (int)n->ncaptures++;
}

static int
captured_source(struct installer *n, const struct source *s)
{
    switch (s->kind) {
    case SOURCE_LOCAL: return captured(n, PF_LOCAL, s->word, 0);
    case SOURCE_INT: return captured(n, PF_FRAME, s->word, 0);
    case SOURCE_INDEX: return captured(n, PF_INDEX, s->word, s->index);
    case SOURCE_NOWHERE: break;
    }
    return -1;
}

/* Of words of the frame, or those that are captured of it. */
static bool
bound_row(struct plan *p, struct installer *captures, const struct end *b, uint32_t *out)
{
    struct plan_term terms[BOUND_TERMS] = {{0}};
    uint32_t n = 0;
    for (int i = 0; i < b->n; i++) {
        int word = (int)b->term[i].word;
        if (!b->term[i].factor) continue;
        if (captures) word = captured(captures, PF_FRAME, b->term[i].word, 0);
        if (word < 0 || b->term[i].factor != (int32_t)b->term[i].factor) return false;
        terms[n++] = (struct plan_term){(int32_t)b->term[i].factor, (uint16_t)word, 1};
    }
    if (b->k != (int32_t)b->k) return false;
    if (!n) {
        *out = int_row(p, PE_INT, 0, b->k);
    } else if (n == 1 && terms[0].coefficient == 1) {
        *out = int_row(p, PE_FRAME, terms[0].word, b->k);
    } else {
        uint32_t first = plan_intern(p, terms, terms, n);
        *out = around(p, PE_AFFINE, first, n, b->k);
    }
    if (b->by) *out = around(p, PE_QUOTIENT, *out, 0, b->by);
    return true;
}

/* ---- cells ---- */

static bool
scaled(struct installer *n, const struct side *s, uint32_t *row)
{
    struct end of;
    uint32_t size;
    if (!graph_words_in(n->g, n->sub, &s->of, &of)) return false;
    if (!bound_row(n->p, n, &of, &size)) return false;
    *row = around(n->p, PE_SCALED, *row, (unsigned)s->scaled_to, size);
    return true;
}

static bool
side_row(struct installer *n, uint32_t df, const struct side *s, uint32_t *row)
{
    const struct fragments *f = &n->g->dfs[df];
    *row = int_row(n->p, PE_INT, 0, 0);
    if (!s->any) return true;
    if (s->position < f->hidden) {
        int word = captured_source(n, &f->source[s->position]);
        if (word < 0) return false;
        *row = int_row(n->p, PE_FRAME, (unsigned)word, s->add + s->lift);
    } else {
        *row = int_row(n->p, PE_IX, (unsigned)(s->position - f->hidden), s->add + s->lift);
    }
    if (s->c > 1) *row = around(n->p, PE_QUOTIENT, *row, 0, s->c);
    if (s->folded > 1) *row = around(n->p, PE_MODULO, *row, 0, s->folded);
    return !s->scaled_to || scaled(n, s, row);
}

/* What is said of it, with a cell rule. */
static bool
about_row(struct installer *n, uint32_t df, uint32_t *out)
{
    const struct plan_decl *decl = &n->p->dfs.row[df];
    const struct fragments *f = &n->g->dfs[df];
    struct plan_about row = PLAN_ABOUT_NONE;
    row.nindices = (uint32_t)(f->n - f->hidden);
    uint32_t rows[GRID_DIMS];
    n->sub = decl->sub;
    n->ncaptures = 0;
    if (decl->about != PLAN_NONE) {
        row = n->p->abouts.row[decl->about];
        if (row.nindices != (uint32_t)(f->n - f->hidden)) return false;
        for (; n->ncaptures < row.ncaptures; n->ncaptures++)
            n->capture[n->ncaptures] = n->p->captures.row[row.capture + n->ncaptures];
    }
    for (int m = 0; m < n->grid->ndims; m++)
        if (!side_row(n, df, &n->grid->side[df][m], &rows[m])) return false;
    row.cell = plan_expr_run(n->p, rows, (uint32_t)n->grid->ndims);
    row.ncaptures = n->ncaptures;
    row.capture = plan_intern(n->p, captures, n->capture, n->ncaptures);
    *out = plan_intern(n->p, abouts, &row, 1);
    return true;
}

static void
install_cells(struct installer *n)
{
    for (uint32_t df = 0; df < n->p->dfs.n; df++) {
        uint32_t about = PLAN_NONE;
        if (!n->grid->ruled[df]) continue;
        n->grid->ruled[df] = about_row(n, df, &about);
        if (n->grid->ruled[df]) plan_add(n->p, placed_dfs, (struct plan_placed){df, about});
    }
}

static void
install_lattice(struct installer *n)
{
    uint32_t rows[GRID_DIMS];
    for (int m = 0; m < n->grid->ndims; m++) {
        uint32_t size;
        if (!bound_row(n->p, NULL, &n->grid->extent[m], &size))
            size = int_row(n->p, PE_INT, 0, n->grid->most);
        rows[m] = around(n->p, PE_SIDE, size, (unsigned)n->grid->most, 0);
    }
    n->p->placed_extent = plan_expr_run(n->p, rows, (uint32_t)n->grid->ndims);
    n->p->nplaced_extents = (uint32_t)n->grid->ndims;
    n->p->placed_wanders = n->grid->wanders;
}

/* ---- what calls follow ---- */

static bool
node_is_early(const struct expr_node *x)
{
    if (!x) return true;
    if (x->kind == N_IN) return false;
    return node_is_early(x->a) && node_is_early(x->b) && node_is_early(x->c);
}

bool
rules_are_early(const struct plan *p, uint32_t expr)
{
    const struct plan_expr *x = &p->exprs.row[expr];
    if (x->kind == PE_IN) return false;
    if (x->kind == PE_QUOTIENT) return rules_are_early(p, x->terms);
    if (x->kind == PE_INT_FN || x->kind == PE_REAL_FN || x->kind == PE_VALUE_FN)
        return x->node && node_is_early(x->node);
    return true;
}

struct near {
    struct plan_ref *row;
    uint32_t n;
    bool sure;
};

static void
add_near(const struct installer *n, struct near *near, uint32_t row)
{
    const struct plan_ref *r = &n->p->refs.row[row];
    if (near->sure) return;
    for (uint32_t i = 0; i < r->nindices; i++)
        if (!rules_are_early(n->p, r->index + i)) return;
    if (r->base != PB_PARAM) {
        const struct fragments *f = &n->g->dfs[r->df];
        if (!n->grid->ruled[r->df] || r->nindices != (uint32_t)(f->n - f->hidden)) return;
        near->sure = true;
    }
    near->row[near->n++] = *r;
}

static const struct plan_site *
list_of(const struct plan *p, const struct plan_site *call, const struct plan_arg *a)
{
    return a->kind == PA_LIST ? &p->sites.row[p->blocks.row[call->body].site + a->row] : NULL;
}

/* The first element of a list stands for all. */
static void
add_first(const struct installer *n, struct near *near, const struct plan_site *list)
{
    if (list->rules != PLAN_NONE) add_near(n, near, n->p->rules.row[list->rules].near);
}

static void
near_inputs(const struct installer *n, const struct plan_site *s, struct near *near)
{
    for (uint32_t i = 0; i < s->nin; i++) add_near(n, near, n->p->ins.row[s->in + i].ref);
}

static void
near_of_call(const struct installer *n, const struct plan_site *s, struct near *near)
{
    bool writes = false;
    for (uint32_t i = 0; i < s->nin; i++)
        if (n->p->ins.row[s->in + i].kind == PI_WAIT) return;
    for (uint32_t i = 0; i < s->nargs; i++) {
        const struct plan_arg *a = &n->p->args.row[s->arg + i];
        const struct plan_site *list = list_of(n->p, s, a);
        if (a->kind != PA_NAME && !(list && list->a)) continue;
        writes = true;
        if (!list) add_near(n, near, a->row);
        else add_first(n, near, list);
    }
    if (writes) near_inputs(n, s, near);
    for (uint32_t i = 0; i < s->nargs && writes; i++) {
        const struct plan_site *list = list_of(n->p, s, &n->p->args.row[s->arg + i]);
        if (list && !list->a) add_first(n, near, list);
    }
}

static void
install_near(const struct installer *n, uint32_t site)
{
    const struct plan_site *s = &n->p->sites.row[site], *test;
    struct near near = {.row = arena_array(n->p->arena, struct plan_ref, s->nargs + s->nin + 1u)};
    struct plan_rules row = PLAN_RULES_NONE;
    if (s->rules != PLAN_NONE) row = n->p->rules.row[s->rules];
    if (row.node != PLAN_NONE) return;
    switch (s->kind) {
    case PS_CALL:
    case PS_EXPAND:
        near_of_call(n, s, &near);
        break;
    case PS_REDUCE:
        add_near(n, &near, n->p->args.row[s->arg].row);
        break;
    case PS_IF:
        if (!s->spans) near_inputs(n, s, &near); /* made up: release.h */
        break;
    case PS_WHILE: /* goes to its result: its counter is not known yet */
        test = &n->p->sites.row[n->p->blocks.row[s->body].site];
        if (test->nargs) add_near(n, &near, n->p->args.row[test->arg].row);
        break;
    case PS_FOR:
    case PS_TEST:
        near_inputs(n, s, &near);
        break;
    case PS_TERM:
        if (n->p->sites.row[s->callee].kind == PS_REDUCE)
            add_near(n, &near, n->p->ins.row[s->in + s->a].ref);
        break;
    default:
        break;
    }
    if (!near.n) return;
    row.near = plan_intern(n->p, refs, near.row, near.n);
    row.nnear = near.n;
    uint32_t rules = plan_intern(n->p, rules, &row, 1);
    plan_add(n->p, placed_sites, (struct plan_placed){site, rules});
}

void
rules_install(struct plan *p, const struct place_graph *g, struct grid *grid)
{
    struct installer n = {.p = p, .g = g, .grid = grid};
    install_cells(&n);
    install_lattice(&n);
    for (uint32_t i = 0; i < p->sites.n; i++) install_near(&n, i);
}
