/* check_rule.c - the rules of @{ ... }, the lists of >> and -->, pragmas: do they name what they
 * must, stand where they mean something, and fit each other? */
#include "lang/check/check_facts.h"
#include "lang/tree/rules.h"
#include "runtime/base/vec.h"

/* ---- is it known, does it mean anything here? ---- */

struct owner { /* of a list of rules */
    unsigned where;
    const char *text;
    int site; /* NONE: a sub's block */
};

static struct owner
owner_of(const struct stmt *s, int site)
{
    switch (s->kind) {
    case S_CALL: return (struct owner){ON_CALL, "a call", site};
    case S_LET: return (struct owner){ON_LET, "a let", site};
    case S_FOR: return (struct owner){ON_FOR, "a for", site};
    case S_WHILE: return (struct owner){ON_WHILE, "a while", site};
    case S_IF: return (struct owner){ON_IF, "an if", site};
    case S_REDUCE: break;
    }
    return (struct owner){ON_REDUCE, "a reduction", site};
}

static void
report_unknown(struct facts *f, struct name name)
{
    const char *near = rule_near(name.text);
    diag(f->diag, SEV_WARNING, D_EXT1, name.span, "there is no rule '%s': it has no effect",
         name.text);
    if (near) diag_hint(f->diag, "did you mean '%s'?", near);
}

/* Whether rule `name` of this form means something on `o`; else it was reported. */
static bool
check_known(struct facts *f, const struct owner *o, struct name name, enum rule_kind kind)
{
    const struct rule_row *row = rule_row(name.text, kind);
    if (!row) {
        report_unknown(f, name);
        return false;
    }
    if (row->kind != kind) {
        diag(f->diag, SEV_WARNING, D_EXT15, name.span, "'%s' has no effect in this form",
             name.text);
        diag_hint(f->diag, "it is written: %s", row->form);
        return false;
    }
    if (row->where & o->where) return true;
    diag(f->diag, SEV_WARNING, D_EXT15, name.span, "'%s' has no effect on %s", name.text, o->text);
    return false;
}

/* ---- references that must be DFs ---- */

static bool
names_df(struct facts *f, const struct ref *r)
{
    struct target t;
    if (!r->sym || forms_target(f->forms, r, &t)) return true; /* undeclared was reported */
    const struct symbol *base = ast_base(r);
    return base && r->nindices; /* indices of what has none were reported */
}

static void
report_no_df(struct facts *f, struct span span, const char *where, const char *text)
{
    diag(f->diag, SEV_ERROR, D_EXT4, span, "%s lists fragments, but '%s' is none", where, text);
}

static void
check_list(struct facts *f, const struct expr *e, const char *where)
{
    for (; e; e = e->next) {
        struct target t;
        bool df = e->kind == E_REF && names_df(f, e->ref);
        if (df && *where == '>' && forms_target(f->forms, e->ref, &t) && t.sym->type == T_VALUE)
            df = false; /* a value parameter can only be read */
        if (!df) report_no_df(f, e->span, where, ast_expr_text(f->arena, e));
    }
}

static void
check_rule_refs(struct facts *f, const struct rule *r)
{
    const struct rule_row *row = rule_row(r->name.text, r->kind);
    if (!row->names_dfs) return;
    const char *where = arena_printf(f->arena, "'%s'", r->name.text);
    if (!r->refs) {
        check_list(f, r->exprs, where);
        return;
    }
    for (const struct ref *ref = r->refs; ref; ref = ref->next) {
        if (!names_df(f, ref)) report_no_df(f, ref->span, where, ast_ref_text(f->arena, ref));
    }
}

/* ---- the list as a whole ---- */

static void
check_two_locators(struct facts *f, const struct owner *o, const struct rule *r)
{
    const struct rule *first = NULL;
    for (; r; r = r->next) {
        if (rule_find(r->name.text) != RULE_LOCATOR_CYCLIC || r->kind != R_EXPR) continue;
        if (!first) {
            first = r;
            continue;
        }
        diag(f->diag, facts_severity(f, o->site), D_EXT8, r->span,
             "a second locator_cyclic for one statement");
        diag_note(f->diag, first->span, "the first one");
    }
}

static void
check_list_of_rules(struct facts *f, const struct owner *o, const struct rule *rules)
{
    for (const struct rule *r = rules; r; r = r->next) {
        if (r->kind == R_FLAGS) {
            for (const struct ref *flag = r->refs; flag; flag = flag->next)
                check_known(f, o, flag->name, R_FLAGS);
        } else if (check_known(f, o, r->name, r->kind)) {
            check_rule_refs(f, r);
        }
    }
    if (o->where & ON_NODE) check_two_locators(f, o, rules);
}

/* ---- outputs and their rules ---- */

/* Does the site write what its rule counts? */
static void
check_counted(struct facts *f, const struct use *u)
{
    bool handed = false, same_name = false;
    const struct site *s = &f->sites[u->site];
    if (!(owner_of(s->stmt, u->site).where & ON_OUTPUT)) return; /* "no effect on a for" */
    for (int i = s->first_use; i < s->last_use; i++) {
        const struct use *w = &f->uses[i];
        bool writes = w->kind == USE_WRITE || w->kind == USE_DROP || w->kind == USE_SET ||
                      w->kind == USE_OUT;
        if (w->df != u->df || (!writes && w->kind != USE_PASS)) continue;
        if (w->target.key == u->target.key && writes) return;
        handed |= w->kind == USE_PASS;
        same_name |= writes;
    }
    const char *text = u->target.sym->name.text;
    if (handed) {
        diag(f->diag, SEV_WARNING, D_EXT5, u->span,
             "'%s' is written inside '%s', not by this call: the rule belongs there", text,
             s->stmt->callee.text);
    } else {
        diag(f->diag, same_name ? SEV_WARNING : facts_severity(f, u->site), D_EXT5, u->span,
             same_name ? "this statement writes '%s' with other indices"
                       : "this statement does not write '%s'", text);
    }
}

/* ---- wait and afterpush ---- */

static bool
waits(const struct stmt *s)
{
    for (const struct rule *r = rules_of(s); r; r = r->next) {
        if (rule_find(r->name.text) == RULE_WAIT) return true;
    }
    return false;
}

/* Label symbols remember in `fact` that a call with this label waits. */
static void
mark_waiting_labels(struct facts *f)
{
    for (int i = 0; i < f->nsites; i++) {
        const struct stmt *s = f->sites[i].stmt;
        if (s->kind == S_CALL && s->label && s->label->sym && waits(s)) s->label->sym->fact = 1;
    }
}

/* Values are sent to labels, and only calls have one. */
static void
check_unlabelled(struct facts *f, int site)
{
    const struct stmt *s = f->sites[site].stmt;
    if (s->label || !waits(s)) return;
    enum severity sev = facts_severity(f, site);
    if (s->kind == S_CALL) {
        diag(f->diag, sev, D_EXT7, s->span,
             "this call waits, but has no label that afterpush could send to");
        diag_hint(f->diag, "write cf NAME: before the call, and afterpush ... => NAME");
        return;
    }
    const struct rule *r = rules_of(s);
    while (rule_find(r->name.text) != RULE_WAIT) r = r->next;
    diag(f->diag, sev, D_EXT7, r->span,
         "%s cannot wait for what is sent by afterpush: only a call has a label",
         owner_of(s, site).text);
    diag_hint(f->diag, "put the rule behind the call that needs it, or write request");
}

static void
check_pushes(struct facts *f, int site)
{
    for (const struct rule *r = rules_of(f->sites[site].stmt); r; r = r->next) {
        if (rule_find(r->name.text) != RULE_AFTERPUSH || r->kind != R_MAP || !r->refs) continue;
        const struct symbol *label = r->label;
        if (!label || label->kind != SYM_LABEL || label->fact) continue;
        diag(f->diag, SEV_WARNING, D_EXT7, r->span,
             "'%s' is sent to '%s', but no call with this label waits for it",
             r->refs->name.text, label->name.text);
        diag_hint(f->diag, "add to that call: @ { wait %s; }", r->refs->name.text);
    }
}

/* The first use that waits for the DF, at a call here or inside a sub; one that surely runs if
 * there is. NULL: only statements wait that are reported for having no label. */
static const struct use *
find_wait(const struct facts *f, const struct df_row *d)
{
    const struct use *found = NULL;
    for (int i = d->first; i != NONE; i = f->uses[i].next) {
        const struct use *u = &f->uses[i];
        bool inside = u->kind == USE_PASS && f->dfs[u->pass].waits;
        if (u->kind != USE_WAIT && !inside) continue;
        if (f->sites[u->site].stmt->kind != S_CALL) continue;
        if (u->kind == USE_WAIT && facts_certain(f, u->site)) return u;
        if (!found) found = u;
    }
    return found;
}

static void
check_waits(struct facts *f, const struct df_row *d)
{
    if (d->sym->kind != SYM_DF || !d->waits || d->pushes) return;
    const struct use *u = find_wait(f, d);
    if (!u) return;
    enum severity sev = u->kind == USE_WAIT ? facts_severity(f, u->site) : SEV_WARNING;
    diag(f->diag, sev, D_EXT7, u->span, "'%s' is waited for, but nobody sends it by afterpush",
         d->sym->name.text);
    diag_hint(f->diag, "without the wait rule it is requested from where it lives");
}

/* ---- locators and the number of indices ---- */

struct maps { /* map locators by block and name */
    const struct rule **rules; /* by interned text */
    int n;
};

static int
map_key(struct facts *f, const struct code_block *b, const char *name)
{
    return forms_intern(f->forms, arena_printf(f->arena, "map%p %s", (const void *)b, name));
}

static bool
is_map(const struct rule *r)
{
    enum rule_id id = rule_find(r->name.text);
    return r->kind == R_MAP && (id == RULE_LOCATOR_CYCLIC || id == RULE_LOCATOR_REPLICATING);
}

static void
add_maps(struct facts *f, struct maps *m, const struct code_block *b)
{
    for (const struct rule *r = b ? b->rules : NULL; r; r = r->next) {
        if (!is_map(r) || !r->refs) continue;
        int key = map_key(f, b, r->refs->name.text);
        vec_need_many(f->arena, m->rules, 0, key + 1, m->n);
        if (!m->rules[key]) m->rules[key] = r; /* the first one counts */
    }
}

static const struct rule *
find_map(struct facts *f, const struct maps *m, const struct stmt *s, const char *name)
{
    for (const struct rule *r = rules_of(s); r; r = r->next) {
        if (is_map(r) && r->refs && r->refs->name.text == name) return r;
    }
    for (const struct code_block *b = s->in; b; b = b->outer) {
        if (!b->rules) continue;
        int key = map_key(f, b, name);
        if (key < m->n && m->rules[key]) return m->rules[key];
    }
    return NULL;
}

static void
check_depth(struct facts *f, const struct rule *map, const char *name, int n, struct span span)
{
    if (!map || map->refs->nindices == n) return;
    diag(f->diag, SEV_ERROR, D_EXT6, span, "'%s' has %d %s here, but %d in its locator", name, n,
         n == 1 ? "index" : "indices", map->refs->nindices);
    diag_note(f->diag, map->span, "the locator");
}

static void
check_homes(struct facts *f)
{
    struct maps m = {0};
    bool any = false;
    for (int i = 0; i < f->nsubs; i++) add_maps(f, &m, f->subs[i].sub->body);
    for (int i = 0; i < f->nsites; i++) {
        const struct stmt *s = f->sites[i].stmt;
        add_maps(f, &m, s->body);
        add_maps(f, &m, s->other);
        any |= !s->body && s->rules;
    }
    if (!m.n && !any) return;
    for (int i = 0; i < f->nuses; i++) {
        const struct use *u = &f->uses[i];
        if (u->site == NONE || u->kind == USE_PASS || u->kind == USE_COUNT) continue;
        const char *name = u->target.sym->name.text; /* a let may be in between */
        const struct rule *map = find_map(f, &m, f->sites[u->site].stmt, name);
        check_depth(f, map, name, u->target.depth, u->span);
    }
    for (int i = 0; i < f->nsites; i++) {
        const struct stmt *s = f->sites[i].stmt;
        if (s->kind != S_CALL || !s->label) continue;
        const struct rule *map = find_map(f, &m, s, s->label->name.text);
        check_depth(f, map, s->label->name.text, s->label->nindices, s->label->span);
    }
}

/* ---- pragmas ---- */

static void
check_pragma(struct facts *f, const struct pragma *p)
{
    if (!p) return;
    diag(f->diag, SEV_WARNING, D_EXT14, p->span, "the pragma '%s' has no effect", p->word.text);
}

void
check_rules(struct facts *f)
{
    for (int i = 0; i < f->nsubs; i++) {
        const struct sub *s = f->subs[i].sub;
        struct owner o = {ON_SUB, "a sub", NONE};
        if (s->body) check_list_of_rules(f, &o, s->body->rules);
        check_pragma(f, s->pragma);
    }
    mark_waiting_labels(f);
    for (int i = 0; i < f->nsites; i++) {
        const struct stmt *s = f->sites[i].stmt;
        struct owner o = owner_of(s, i);
        check_list_of_rules(f, &o, rules_of(s));
        check_list(f, s->sets, ">>");
        check_list(f, s->kills, "-->");
        check_pushes(f, i);
        check_unlabelled(f, i);
        check_pragma(f, s->pragma);
    }
    for (int i = 0; i < f->nuses; i++) {
        if (f->uses[i].kind == USE_COUNT && f->uses[i].site != NONE) check_counted(f, &f->uses[i]);
    }
    for (int i = 0; i < f->ndfs; i++) check_waits(f, &f->dfs[i]);
    check_homes(f);
}
