/* lower_ref.c - references: through lets, compared as written, made rows with their homes. */
#include "lang/lower/lower_parts.h"

#include <assert.h>
#include <string.h>

/* ---- let names ---- */

/* More than this is surely not what the user meant: let a = x+x, b = a+a, c = b+b ... doubles. */
enum { LET_NODES_MAX = 10000 };

static int let_nodes(struct lower *l, struct symbol *let);

static int
nodes_of_list(struct lower *l, const struct expr *e)
{
    int n = 0;
    for (; e && n <= LET_NODES_MAX; e = e->next) {
        n += 1 + nodes_of_list(l, e->a) + nodes_of_list(l, e->b) + nodes_of_list(l, e->c);
        if (e->kind != E_REF) continue;
        n += nodes_of_list(l, e->ref->indices);
        if (e->ref->sym && e->ref->sym->kind == SYM_LET) n += let_nodes(l, e->ref->sym);
    }
    return n > LET_NODES_MAX ? LET_NODES_MAX + 1 : n;
}

/* Nodes of the expression a let name stands for, all lets in it replaced; kept in its slot. */
static int
let_nodes(struct lower *l, struct symbol *let)
{
    if (let->slot) return let->slot;
    let->slot = nodes_of_list(l, let->let_value);
    if (let->slot > LET_NODES_MAX)
        diag(l->diag, SEV_ERROR, D_EXT17, let->name.span,
             "the expression behind '%s' has more than %d parts once the lets in it are replaced",
             let->name.text, LET_NODES_MAX);
    return let->slot;
}

static const struct expr nothing = {.kind = E_INT, .type = T_INT};

const struct expr *
lower_see(struct lower *l, const struct expr *e)
{
    while (e->kind == E_REF && e->ref->sym && e->ref->sym->kind == SYM_LET && !e->ref->nindices) {
        if (let_nodes(l, e->ref->sym) > LET_NODES_MAX) return &nothing;
        e = e->ref->sym->let_value;
    }
    return e;
}

/* ---- references ---- */

bool
lower_is_df(const struct symbol *sym)
{
    return sym && (sym->kind == SYM_DF || (sym->kind == SYM_PARAM && sym->type == T_NAME));
}

static int
ref_depth(struct lower *l, const struct ref *r)
{
    int n = r->nindices;
    while (r->sym && r->sym->kind == SYM_LET) {
        const struct expr *e = r->sym->let_value;
        if (let_nodes(l, r->sym) > LET_NODES_MAX || e->kind != E_REF) return -1;
        r = e->ref;
        n += r->nindices;
    }
    return lower_is_df(r->sym) ? n : -1;
}

bool
lower_flatten(struct lower *l, const struct ref *r, struct dfref *out)
{
    int at = ref_depth(l, r);
    if (at < 0) return false;
    *out = (struct dfref){.nindices = at, .span = r->span};
    if (at) out->index = arena_array(l->a, const struct expr *, (size_t)at);
    for (;; r = r->sym->let_value->ref) {
        at -= r->nindices;
        int i = at;
        for (const struct expr *e = r->indices; e; e = e->next) out->index[i++] = e;
        if (r->sym->kind != SYM_LET) break;
    }
    out->sym = r->sym;
    return true;
}

bool
lower_part(struct lower *l, const struct expr *e, struct dfref *out)
{
    if (e->a->kind != E_REF || !lower_flatten(l, e->a->ref, out)) return false;
    out->part = e;
    out->span = e->span;
    return true;
}

static uint32_t
mix(uint32_t h, uint64_t v)
{
    uint64_t x = (h ^ v) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(x >> 32) ^ (uint32_t)x;
}

static uint32_t expr_hash(struct lower *l, const struct expr *e);

uint32_t
lower_ref_hash(struct lower *l, const struct dfref *r)
{
    uint32_t h = mix((uint32_t)r->nindices, (uintptr_t)r->sym);
    for (int i = 0; i < r->nindices; i++) h = mix(h, expr_hash(l, r->index[i]));
    return r->part ? mix(h, 1 + r->part->cast + 8 * r->part->items) : h;
}

static uint32_t
expr_hash(struct lower *l, const struct expr *e)
{
    struct dfref r;
    e = lower_see(l, e);
    uint32_t h = mix(e->kind, (uint64_t)e->ival + e->op + e->cast + e->items);
    if (e->kind == E_REF)
        return lower_flatten(l, e->ref, &r) ? lower_ref_hash(l, &r)
                                            : mix(h, (uintptr_t)e->ref->sym);
    if (e->a) h = mix(h, expr_hash(l, e->a));
    if (e->b) h = mix(h, expr_hash(l, e->b));
    if (e->c) h = mix(h, expr_hash(l, e->c));
    return h;
}

static bool expr_same(struct lower *l, const struct expr *a, const struct expr *b);

/* The same of the same fragment? */
static bool
part_same(struct lower *l, const struct expr *a, const struct expr *b)
{
    if (!a || !b) return !a && !b;
    if (a->cast != b->cast || a->items != b->items || !expr_same(l, a->b, b->b)) return false;
    return !a->c || expr_same(l, a->c, b->c);
}

bool
lower_ref_same(struct lower *l, const struct dfref *a, const struct dfref *b)
{
    if (a->sym != b->sym || a->nindices != b->nindices) return false;
    for (int i = 0; i < a->nindices; i++)
        if (!expr_same(l, a->index[i], b->index[i])) return false;
    return part_same(l, a->part, b->part);
}

static bool
ref_expr_same(struct lower *l, const struct ref *a, const struct ref *b)
{
    struct dfref x, y;
    bool df = lower_flatten(l, a, &x);
    if (df != lower_flatten(l, b, &y)) return false;
    return df ? lower_ref_same(l, &x, &y) : a->sym == b->sym;
}

/* Of node(), which may have fewer of them. */
static bool
operand_same(struct lower *l, const struct expr *a, const struct expr *b)
{
    return a && b ? expr_same(l, a, b) : !a && !b;
}

/* Spelled alike once lets are replaced; parentheses do not count. */
static bool
expr_same(struct lower *l, const struct expr *a, const struct expr *b)
{
    a = lower_see(l, a);
    b = lower_see(l, b);
    if (a == b) return true;
    if (a->kind != b->kind) return false;
    switch (a->kind) {
    case E_INT: return a->ival == b->ival;
    case E_REALNUM: return !memcmp(&a->rval, &b->rval, sizeof a->rval);
    case E_STR: return a->str_size == b->str_size && !memcmp(a->str, b->str, a->str_size);
    case E_REF: return ref_expr_same(l, a->ref, b->ref);
    case E_CAST: return a->cast == b->cast && expr_same(l, a->a, b->a);
    case E_NEG:
    case E_NOT: return expr_same(l, a->a, b->a);
    case E_BIN: return a->op == b->op && expr_same(l, a->a, b->a) && expr_same(l, a->b, b->b);
    case E_NODES: return true;
    case E_NODE:
        return operand_same(l, a->a, b->a) && operand_same(l, a->b, b->b) &&
               operand_same(l, a->c, b->c);
    case E_PART: return part_same(l, a, b) && expr_same(l, a->a, b->a);
    case E_COND:
        return expr_same(l, a->a, b->a) && expr_same(l, a->b, b->b) && expr_same(l, a->c, b->c);
    }
    return false;
}

bool
lower_has_df(struct lower *l, const struct expr *e)
{
    struct dfref r;
    e = lower_see(l, e);
    if (e->kind == E_REF) return lower_flatten(l, e->ref, &r);
    return (e->a && lower_has_df(l, e->a)) || (e->b && lower_has_df(l, e->b)) ||
           (e->c && lower_has_df(l, e->c));
}

/* The loop whose iterations have DFs of this block, if any. */
static const struct stmt *
loop_of(const struct code_block *b)
{
    while (b->owner && b->owner->kind != S_FOR && b->owner->kind != S_WHILE) b = b->outer;
    return b->owner;
}

static bool
is_inside(const struct lower *l, const struct symbol *sym)
{
    const struct stmt *loop = NULL;
    if (sym->kind == SYM_FOR || sym->kind == SYM_WHILE) return (unsigned)sym->slot >= l->nlocal;
    if (sym->kind == SYM_DF) loop = loop_of(sym->block);
    return loop && (unsigned)loop->counter->slot + 1 >= l->nlocal;
}

static bool
any_names_inside(struct lower *l, const struct expr *list)
{
    for (const struct expr *e = list; e; e = e->next)
        if (lower_names_inside(l, e)) return true;
    return false;
}

bool
lower_names_inside(struct lower *l, const struct expr *e)
{
    if (!e) return false;
    e = lower_see(l, e);
    if (e->kind == E_REF && e->ref->sym && is_inside(l, e->ref->sym)) return true;
    if (e->kind == E_REF) return any_names_inside(l, e->ref->indices);
    return lower_names_inside(l, e->a) || lower_names_inside(l, e->b) ||
           lower_names_inside(l, e->c);
}

struct expr *
lower_bind(struct lower *l, const struct expr *e, const struct expr *const *index)
{
    struct expr *copy = arena_new_of(l->a, struct expr);
    *copy = *e;
    copy->next = NULL;
    if (e->a) copy->a = lower_bind(l, e->a, index);
    if (e->b) copy->b = lower_bind(l, e->b, index);
    if (e->c) copy->c = lower_bind(l, e->c, index);
    if (e->kind != E_REF) return copy;
    if (e->ref->sym && e->ref->sym->kind == SYM_INDEX) {
        *copy = *index[e->ref->sym->number];
        copy->next = NULL;
        return copy;
    }
    struct ref *ref = arena_new_of(l->a, struct ref);
    *ref = *e->ref;
    struct expr **tail = &ref->indices;
    for (const struct expr *i = e->ref->indices; i; i = i->next, tail = &(*tail)->next)
        *tail = lower_bind(l, i, index);
    copy->ref = ref;
    return copy;
}

/* ---- map locators ---- */

enum { SPACE_MAPS = 5000 };

struct map_key {
    const void *block;
    const char *name;
};

static bool
is_map_locator(const struct rule *r)
{
    return rule_is(r, R_MAP, "locator_cyclic") || rule_is(r, R_MAP, "locator_replicating");
}

/* Rules are looked for at each mention of a name: keep those of each block under their names. */
void
lower_map_blocks(struct lower *l, const struct code_block *b)
{
    uint32_t number = 0;
    for (const struct rule *r = b->rules; r; r = r->next, number++) {
        if (!is_map_locator(r) || !r->refs) continue;
        struct map_key key = {b, r->refs->name.text};
        if (plan_known(l->p, SPACE_MAPS, &key, sizeof key) == PLAN_NONE)
            plan_know(l->p, SPACE_MAPS, &key, sizeof key, number);
    }
}

static const struct rule *
map_in_list(const struct rule *r, const char *name)
{
    while (r && !(is_map_locator(r) && r->refs && r->refs->name.text == name)) r = r->next;
    return r;
}

static const struct rule *
map_in_blocks(struct lower *l, const struct code_block *b, const char *name)
{
    for (; b; b = b->outer) {
        if (!b->rules) continue;
        struct map_key key = {b, name};
        uint32_t number = plan_known(l->p, SPACE_MAPS, &key, sizeof key);
        if (number == PLAN_NONE) continue;
        const struct rule *r = b->rules;
        while (number--) r = r->next;
        return r;
    }
    return NULL;
}

const struct rule *
lower_map_of(struct lower *l, const struct stmt *s, const char *name)
{
    const struct rule *r = map_in_list(s->rules, name);
    return r ? r : map_in_blocks(l, s->in, name);
}

const struct rule *
lower_find_map(struct lower *l, const char *name, int nindices, struct span use)
{
    const struct rule *r = map_in_list(l->rules, name);
    /* x[j] => i behind a for over i is for the mentions inside, not for those in its bounds. */
    if (r && r->exprs && l->stmt->body && lower_names_inside(l, r->exprs)) r = NULL;
    if (!r) r = map_in_blocks(l, l->block, name);
    if (!r || !r->exprs || r->refs->nindices == nindices) return r && r->exprs ? r : NULL;
    diag(l->diag, SEV_ERROR, D_EXT6, use, "'%s' has %d %s here, but %d in its locator", name,
         nindices, nindices == 1 ? "index" : "indices", r->refs->nindices);
    diag_note(l->diag, r->span, "the locator");
    return NULL;
}

uint32_t
lower_locator_of(struct lower *l, const struct rule *map, const struct expr *e)
{
    struct plan_locator row = {PL_CYCLIC, lower_int(l, e), PLAN_NONE};
    const struct plan_expr *x = &l->p->exprs.row[row.expr];
    if (lower_int_may_fail(x)) row.place = lower_place(l, e->span);
    if (map && rule_is(map, R_MAP, "locator_replicating")) {
        bool all = x->kind == PE_INT && x->k == -1;
        row.kind = all ? PL_REPLICATE_ALL : PL_REPLICATE_STEP;
        if (all) row.expr = PLAN_NONE;
    }
    return plan_intern(l->p, locators, &row, 1);
}

static uint32_t
ref_home(struct lower *l, const struct dfref *r)
{
    const struct rule *map = lower_find_map(l, r->sym->name.text, r->nindices, r->span);
    if (!map) return PLAN_NONE;
    const struct expr *e = map->exprs;
    /* With a value in it the locator is one of this mention; without, all mentions share it. */
    if (lower_has_df(l, e)) e = lower_bind(l, e, r->index);
    return lower_locator_of(l, map, e);
}

/* ---- rows ---- */

static void
ref_base(struct lower *l, const struct dfref *r, struct plan_ref *row)
{
    const struct stmt *loop;
    if (r->sym->kind == SYM_PARAM) {
        row->base = PB_PARAM;
        row->word = (uint16_t)r->sym->number;
        row->df = PLAN_NONE;
        return;
    }
    row->df = (uint32_t)r->sym->slot;
    loop = loop_of(r->sym->block);
    if (!loop) return;
    row->base = PB_LOCAL_ID;
    row->word = (uint16_t)(loop->counter->slot + 1);
    if (is_inside(l, r->sym))
        diag(l->diag, SEV_ERROR, D_SYN9, r->span,
             "'%s' belongs to an iteration of this loop and is not known outside",
             r->sym->name.text);
}

uint32_t
lower_ref(struct lower *l, const struct dfref *r, bool with_home)
{
    struct plan_ref row = {.nindices = (uint32_t)r->nindices, .home = PLAN_NONE};
    if (r->nindices > UINT8_MAX) lower_too_large(l, r->span, "indices", UINT8_MAX);
    ref_base(l, r, &row);
    row.index = lower_ints(l, r->index, r->nindices);
    if (with_home) row.home = ref_home(l, r);
    return plan_intern(l->p, refs, &row, 1);
}
