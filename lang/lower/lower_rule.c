/* lower_rule.c - what stands in @{ ... } behind a statement, and its >> and -->. */
#include "lang/lower/lower_parts.h"

#include <string.h>

bool
rule_is(const struct rule *r, enum rule_kind kind, const char *name)
{
    return r->kind == kind && !strcmp(r->name.text, name);
}

bool
rules_stealable(const struct lower *l)
{
    for (const struct rule *r = l->rules; r; r = r->next) {
        if (r->kind != R_FLAGS) continue;
        if (!strcmp(r->name.text, "stealable")) return true;
        for (const struct ref *flag = r->refs; flag; flag = flag->next)
            if (!strcmp(flag->name.text, "stealable")) return true;
    }
    return false;
}

/* Rules about what a call produced, or about to whom it goes. */
static bool
is_output_rule(const struct rule *r)
{
    return rule_is(r, R_ASSIGN, "req_count") || rule_is(r, R_ENUM, "req_unlimited") ||
           rule_is(r, R_ENUM, "drop") || rule_is(r, R_ENUM, "delete") ||
           rule_is(r, R_MAP, "afterpush");
}

/* The target of an afterpush. */
static const struct ref *
push_label(const struct rule *r)
{
    const struct expr *e = r->exprs;
    return e && e->kind == E_REF && e->ref->sym && e->ref->sym->kind == SYM_LABEL ? e->ref : NULL;
}

/* `for i = ... { } @ { locator_cyclic: i; }`: the loop itself is one statement, on one node. */
static const struct rule *
own_locator(struct lower *l)
{
    const struct rule *r = l->rules;
    while (r && !(rule_is(r, R_EXPR, "locator_cyclic") && r->exprs)) r = r->next;
    if (!r || !lower_names_inside(l, r->exprs)) return r;
    diag(l->diag, SEV_WARNING, D_EXT15, r->span,
         "a name of the iterations says nothing about the node of the loop itself");
    diag_hint(l->diag, "give the locator to the calls inside");
    return NULL;
}

static const struct expr **
ref_indices(struct lower *l, const struct ref *r)
{
    const struct expr **index = arena_array(l->a, const struct expr *, (size_t)r->nindices);
    int n = 0;
    for (const struct expr *e = r->indices; e; e = e->next) index[n++] = e;
    return index;
}

static const struct ref *
own_label(const struct lower *l)
{
    const struct ref *label = l->stmt && l->stmt->kind == S_CALL ? l->stmt->label : NULL;
    return label && label->sym && label->sym->kind == SYM_LABEL ? label : NULL;
}

/* The map locator of a label as an expression of the mention; NULL: none. */
static const struct expr *
label_node(struct lower *l, const struct ref *label, const struct rule **map)
{
    *map = lower_find_map(l, label->name.text, label->nindices, label->span);
    if (!*map || !rule_is(*map, R_MAP, "locator_cyclic")) return NULL;
    return lower_bind(l, (*map)->exprs, ref_indices(l, label));
}

/* Whether it may follow a fragment to its cell. */
static bool
follows(const struct stmt *s)
{
    return s->kind == S_CALL || s->kind == S_REDUCE;
}

/* ---- inputs ---- */

static void
need_label(struct lower *l, const struct ref *label, enum plan_in_kind kind)
{
    const struct rule *map;
    for (const struct expr *e = label->indices; e; e = e->next) need_expr(l, e, kind);
    const struct expr *node = label_node(l, label, &map);
    if (node) need_expr(l, node, kind);
}

void
rules_need_node(struct lower *l)
{
    const struct rule *own = own_locator(l);
    if (own) need_expr(l, own->exprs, PI_NODE);
    if (own_label(l)) need_label(l, own_label(l), PI_NODE);
    const struct rule *map;
    bool located = own || (own_label(l) && label_node(l, own_label(l), &map));
    if (!located && follows(l->stmt)) lower_near_needs(l, l->stmt);
}

static void
need_listed(struct lower *l, const struct rule *r, enum plan_in_kind kind)
{
    struct dfref df;
    for (const struct ref *ref = r->refs; ref; ref = ref->next)
        if (lower_flatten(l, ref, &df)) need_input(l, &df, kind);
}

void
rules_need_explicit(struct lower *l)
{
    for (const struct rule *r = l->rules; r; r = r->next)
        if (rule_is(r, R_ENUM, "wait")) need_listed(l, r, PI_WAIT);
    for (const struct rule *r = l->rules; r; r = r->next) {
        if (!rule_is(r, R_ENUM, "request")) continue;
        need_listed(l, r, PI_REQUEST);
        need_next_phase(l);
    }
}

static void
need_names(struct lower *l, const struct expr *list)
{
    struct dfref df;
    for (const struct expr *e = list; e; e = e->next) {
        const struct expr *seen = lower_see(l, e);
        if (seen->kind == E_REF && lower_flatten(l, seen->ref, &df))
            need_name(l, &df, true, PI_REQUEST);
    }
}

void
rules_need(struct lower *l)
{
    struct dfref df;
    for (const struct rule *r = l->rules; r; r = r->next) {
        bool nfparam = rule_is(r, R_MAP, "nfparam") && l->stmt->kind == S_CALL;
        for (const struct ref *ref = is_output_rule(r) ? r->refs : NULL; ref; ref = ref->next)
            if (lower_flatten(l, ref, &df)) need_name(l, &df, true, PI_REQUEST);
        if (rule_is(r, R_MAP, "afterpush") && push_label(r))
            need_label(l, push_label(r), PI_REQUEST);
        if (!r->exprs) continue;
        l->counts = rule_is(r, R_ASSIGN, "req_count");
        if (nfparam || l->counts || rule_is(r, R_EXPR, "weight") ||
            rule_is(r, R_EXPR, "priority"))
            need_expr(l, r->exprs, PI_REQUEST);
        l->counts = false;
    }
    if (l->stmt->kind != S_CALL) return;
    need_names(l, l->stmt->sets);
    need_names(l, l->stmt->kills);
}

/* ---- rows ---- */

static uint32_t
lower_label(struct lower *l, const struct ref *label)
{
    struct plan_label row = {.name = (uint32_t)label->sym->slot, .home = PLAN_NONE};
    const struct rule *map;
    const struct expr *node = label_node(l, label, &map);
    row.nindices = (uint32_t)label->nindices;
    row.index = lower_ints(l, ref_indices(l, label), label->nindices);
    row.home = node ? lower_locator_of(l, NULL, node) : lower_seat(l);
    return plan_intern(l->p, labels, &row, 1);
}

static uint32_t
lower_node(struct lower *l)
{
    const struct rule *map, *own = own_locator(l);
    const struct expr *node = NULL;
    if (own) node = own->exprs;
    else if (own_label(l)) node = label_node(l, own_label(l), &map);
    return node ? lower_locator_of(l, NULL, node) : PLAN_NONE;
}

/* Whether one of the references of the rule is this row. */
static bool
rule_names(struct lower *l, const struct rule *r, uint32_t row)
{
    struct dfref df;
    for (const struct ref *ref = r->refs; ref; ref = ref->next)
        if (lower_flatten(l, ref, &df) && lower_ref(l, &df, true) == row) return true;
    return false;
}

static uint32_t
post_plain(struct lower *l, enum plan_post_kind kind)
{
    struct plan_post row = {kind, PLAN_NONE};
    return plan_intern(l->p, posts, &row, 1);
}

static uint32_t
post_count(struct lower *l, const struct expr *e)
{
    l->counts = true;
    struct plan_post row = {PP_COUNT, lower_int(l, e)};
    l->counts = false;
    const struct plan_expr *x = &l->p->exprs.row[row.count];
    if (x->kind == PE_INT && x->k == -1) return post_plain(l, PP_KEEP);
    return plan_intern(l->p, posts, &row, 1);
}

uint32_t
rules_post(struct lower *l, uint32_t ref)
{
    bool drop = false;
    for (const struct rule *r = l->rules; r; r = r->next) {
        if (!is_output_rule(r) || rule_is(r, R_ENUM, "delete") || !rule_names(l, r, ref)) continue;
        if (r->kind == R_ASSIGN) return post_count(l, r->exprs);
        if (rule_is(r, R_ENUM, "req_unlimited")) return post_plain(l, PP_KEEP);
        drop = true;
    }
    return drop ? post_plain(l, PP_DROP) : PLAN_NONE;
}

/* Rows to be shared as one run. */
struct list {
    uint32_t *row;
    uint32_t n, room;
};

static void
list_add(struct lower *l, struct list *list, uint32_t row)
{
    vec_need(l->a, list->row, list->n, list->room);
    list->row[list->n++] = row;
}

/* Consecutive copies of these references, in their order. */
static uint32_t
refs_run(struct lower *l, const struct list *list)
{
    if (list->n < 2) return list->n ? list->row[0] : 0;
    struct plan_ref *rows = arena_array(l->a, struct plan_ref, list->n);
    for (uint32_t i = 0; i < list->n; i++) rows[i] = l->p->refs.row[list->row[i]];
    return plan_intern(l->p, refs, rows, list->n);
}

static void
add_names(struct lower *l, const struct expr *names, struct list *list)
{
    struct dfref df;
    for (const struct expr *e = names; e; e = e->next) {
        const struct expr *seen = lower_see(l, e);
        if (seen->kind == E_REF && lower_flatten(l, seen->ref, &df))
            list_add(l, list, lower_ref(l, &df, true));
    }
}

static void
lower_sets(struct lower *l, const struct expr *names, struct plan_rules *row)
{
    struct list list = {0};
    bool ruled = false;
    add_names(l, names, &list);
    struct plan_post *posts = arena_array(l->a, struct plan_post, list.n);
    for (uint32_t i = 0; i < list.n; i++) {
        uint32_t post = rules_post(l, list.row[i]);
        posts[i] =
            post == PLAN_NONE ? (struct plan_post){PP_UNSAID, PLAN_NONE} : l->p->posts.row[post];
        ruled |= post != PLAN_NONE;
        carry_mention(l, list.row[i], MENTION_WRITE);
    }
    row->nset = list.n;
    row->set = refs_run(l, &list);
    row->set_post = ruled ? plan_intern(l->p, posts, posts, list.n) : PLAN_NONE;
}

static void
lower_kills(struct lower *l, struct plan_rules *row)
{
    struct list list = {0};
    struct dfref df;
    for (const struct rule *r = l->rules; r; r = r->next) {
        if (!rule_is(r, R_ENUM, "delete")) continue;
        for (const struct ref *ref = r->refs; ref; ref = ref->next)
            if (lower_flatten(l, ref, &df)) list_add(l, &list, lower_ref(l, &df, true));
    }
    if (l->stmt->kind == S_CALL) add_names(l, l->stmt->kills, &list);
    row->nkill = list.n;
    row->kill = refs_run(l, &list);
}

static void
lower_pushes(struct lower *l, struct plan_rules *row)
{
    struct plan_push *pushes = NULL;
    uint32_t n = 0, room = 0;
    struct dfref df;
    for (const struct rule *r = l->rules; r; r = r->next) {
        if (!rule_is(r, R_MAP, "afterpush") || !push_label(r)) continue;
        for (const struct ref *ref = r->refs; ref; ref = ref->next) {
            if (!lower_flatten(l, ref, &df)) continue;
            vec_need(l->a, pushes, n, room);
            pushes[n++] =
                (struct plan_push){lower_ref(l, &df, true), lower_label(l, push_label(r))};
        }
    }
    l->npushes += n;
    row->npush = n;
    row->push = plan_intern(l->p, pushes, pushes, n);
}

static const struct symbol *
nfparam_of(const struct sub *callee, const char *name)
{
    const struct symbol *s = callee ? callee->nfparams : NULL;
    while (s && s->name.text != name) s = s->next;
    return s;
}

static void
lower_nfparams(struct lower *l, struct plan_rules *row)
{
    struct plan_nfarg *args = NULL;
    uint32_t n = 0, room = 0;
    const struct sub *callee = l->stmt->kind == S_CALL ? l->stmt->sub : NULL;
    for (const struct rule *r = l->rules; r; r = r->next) {
        if (!rule_is(r, R_MAP, "nfparam") || !r->refs || !r->exprs) continue;
        const struct symbol *s = nfparam_of(callee, r->refs->name.text);
        if (!s) continue; /* one the callee does not have: ignored, as the original does */
        vec_need(l->a, args, n, room);
        args[n++] = (struct plan_nfarg){(uint32_t)(callee->nparams + s->number),
                                        lower_int(l, r->exprs), false};
    }
    struct plan_nfarg passed[2];
    uint32_t npassed = lower_seat_passed(l, row->node, &passed[0]);
    npassed += lower_rank_passed(l, row->priority, &passed[npassed]);
    for (uint32_t i = 0; i < npassed; i++) {
        vec_need(l->a, args, n, room);
        args[n++] = passed[i];
    }
    row->nnfparam = n;
    row->nfparam = plan_intern(l->p, nfargs, args, n);
}

static bool
rules_are_empty(const struct plan_rules *r)
{
    return r->label == PLAN_NONE && r->node == PLAN_NONE && !r->nnear && r->weight == PLAN_NONE &&
           r->priority == PLAN_NONE && !r->nset && !r->nkill && !r->npush && !r->nnfparam;
}

/* A loop or condition stays where it was made if what is in it has a place; of a while, this is
 * the test. */
static bool
sits(const struct stmt *s)
{
    return s->kind != S_FOR && s->kind != S_IF;
}

static const struct plan_rules no_rules = PLAN_RULES_NONE;

uint32_t
rules_of_seat(struct lower *l)
{
    struct plan_rules row = no_rules;
    row.node = lower_seat(l);
    return row.node == PLAN_NONE ? PLAN_NONE : plan_intern(l->p, rules, &row, 1);
}

uint32_t
rules_lower(struct lower *l, struct plan_site *site)
{
    const struct ref *label = own_label(l);
    struct plan_rules row = no_rules;
    if (l->rules && rules_stealable(l)) site->flags |= PF_STEALABLE;
    if (label) row.label = lower_label(l, label);
    row.node = lower_node(l);
    if (row.node == PLAN_NONE && follows(l->stmt))
        row.near = lower_near(l, l->stmt, &row.nnear);
    if (row.node == PLAN_NONE && sits(l->stmt)) row.node = lower_seat(l);
    if (l->stmt->kind == S_CALL) lower_sets(l, l->stmt->sets, &row);
    for (const struct rule *r = l->rules; r; r = r->next)
        if (rule_is(r, R_EXPR, "weight") && r->exprs)
            row.weight = lower_value(l, r->exprs);
        else if (rule_is(r, R_EXPR, "priority") && r->exprs)
            row.priority = lower_value(l, r->exprs);
    if (l->stmt->kind == S_CALL && row.priority == PLAN_NONE) row.priority = lower_rank(l);
    lower_kills(l, &row);
    lower_pushes(l, &row);
    lower_nfparams(l, &row);
    if (l->stmt->kind == S_CALL && l->stmt->sub->kind == SUB_STRUCT) row.priority = PLAN_NONE;
    return rules_are_empty(&row) ? PLAN_NONE : plan_intern(l->p, rules, &row, 1);
}
