/* check_facts.c - one walk over the tree: sites in textual
 * order, and under each the uses it makes. */
#include "lang/check/check_facts.h"

#include "lang/tree/rules.h"
#include "runtime/base/vec.h"

#include <assert.h>
#include <string.h>

/* ---- rows ---- */

/* A row for each DF and parameter that is mentioned at all;
 * the symbol remembers its number, plus one. */
static int
df_row(struct facts *f, struct symbol *s)
{
    if (s->fact) return s->fact - 1;
    vec_need(f->arena, f->dfs, f->ndfs, f->dfs_room);
    f->dfs[f->ndfs] = (struct df_row){.sym = s, .first = NONE, .last = NONE, .first_pass = NONE};
    s->fact = ++f->ndfs;
    return f->ndfs - 1;
}

struct df_row *
facts_df(const struct facts *f, const struct symbol *s)
{
    assert(s->fact >= 0 && s->fact <= f->ndfs);
    return s->fact ? &f->dfs[s->fact - 1] : NULL;
}

struct sub_row *
facts_sub(const struct facts *f, const struct sub *s)
{
    assert(s->fact > 0 && s->fact <= f->nsubs && "subs have their rows before the walk");
    return &f->subs[s->fact - 1];
}

static void
add_call(struct facts *f, struct sub *callee, int site)
{
    struct sub_row *s = facts_sub(f, callee);
    vec_need(f->arena, s->calls, s->ncalls, s->calls_room);
    s->calls[s->ncalls++] = site;
}

/* ---- uses ---- */

/* Lets made of lets made of lets ... are followed so far. */
#define LETS_DEEP 400

struct walk { /* where we are */
    struct facts *f;
    int site, sub;
    int lets; /* how deep */
    bool soft;
};

/* Uses of a DF are chained in textual order, which is the order of reports. The pointer is good
 * until the next use is added. */
static struct use *
add_use(struct walk *w, enum use_kind kind, const struct target *t, const struct ref *r)
{
    struct facts *f = w->f;
    vec_need(f->arena, f->uses, f->nuses, f->uses_room);
    int row = df_row(f, t->sym), number = f->nuses++;
    struct use *u = &f->uses[number];
    *u = (struct use){.kind = kind, .soft = w->soft, .site = w->site, .sub = w->sub, .df = row,
                      .pass = NONE, .ref = r, .target = *t, .span = r->span,
                      .held = VALUE_UNKNOWN, .next = NONE, .next_pass = NONE};
    struct df_row *d = &f->dfs[row];
    if (d->last == NONE) d->first = number;
    else f->uses[d->last].next = number;
    d->last = number;
    return u;
}

static void read_expr(struct walk *w, const struct expr *e);

/* What the indices of `r` await, and those of the lets it goes through. */
static void
read_indices(struct walk *w, const struct ref *r)
{
    for (const struct expr *e = r->indices; e; e = e->next) read_expr(w, e);
    if (!r->sym || r->sym->kind != SYM_LET || !r->sym->let_value) return;
    if (r->sym->let_value->kind == E_REF) read_indices(w, r->sym->let_value->ref);
}

/* A let that is no reference is read through, once a statement: `let b = a+a, c = b+b, ...` would
 * double at each level. `fact` of a let is the number of the statement that has last seen it. */
static void
read_ref(struct walk *w, const struct ref *r, enum use_kind kind)
{
    struct target t;
    if (forms_target(w->f->forms, r, &t)) {
        add_use(w, kind, &t, r);
    } else if (r->sym && r->sym->kind == SYM_LET && r->sym->let_value) {
        if (r->sym->fact == w->f->stamp) return; /* seen in this statement */
        r->sym->fact = w->f->stamp;
        if (++w->lets < LETS_DEEP) read_expr(w, r->sym->let_value);
        w->lets--;
    }
    read_indices(w, r);
}

static void
read_expr(struct walk *w, const struct expr *e)
{
    if (!e) return;
    if (e->kind == E_REF) {
        read_ref(w, e->ref, USE_READ);
        return;
    }
    read_expr(w, e->a);
    read_expr(w, e->b);
    read_expr(w, e->c);
}

static void
read_list(struct walk *w, const struct expr *e)
{
    for (; e; e = e->next) read_expr(w, e);
}

/* A use that is no reading; its indices are awaited all the same. */
static struct use *
use_ref(struct walk *w, enum use_kind kind, const struct ref *r)
{
    struct target t;
    read_indices(w, r);
    return forms_target(w->f->forms, r, &t) ? add_use(w, kind, &t, r) : NULL;
}

static void
use_exprs(struct walk *w, enum use_kind kind, const struct expr *e)
{
    for (; e; e = e->next) {
        struct use *u = e->kind == E_REF ? use_ref(w, kind, e->ref) : NULL;
        if (u && kind == USE_SET) u->held = VALUE_INT;
        if (e->kind != E_REF) read_expr(w, e);
    }
}

/* ---- calls ---- */

/* A rule of the statement names exactly this fragment. */
static bool
ruled(struct facts *f, const struct stmt *s, enum rule_id id, int key)
{
    for (const struct rule *r = rules_of(s); r; r = r->next) {
        if (rule_find(r->name.text) != id) continue;
        for (const struct ref *ref = r->refs; ref; ref = ref->next) {
            struct target t;
            if (forms_target(f->forms, ref, &t) && t.key == key) return true;
        }
    }
    return false;
}

/* The use hands the fragment to a sub: what the sub does to its parameter is done to it. */
static void
pass_to(struct facts *f, struct use *u, struct symbol *param)
{
    int number = (int)(u - f->uses), row = df_row(f, param); /* may move dfs, not uses */
    u->pass = row;
    u->next_pass = f->dfs[row].first_pass;
    f->dfs[row].first_pass = number;
}

static bool
has_elements(const struct reduce_range *r)
{
    for (; r; r = r->next) {
        struct known lo, hi;
        if (!form_fold(r->lo, NULL, &lo) || !form_fold(r->hi, NULL, &hi)) return false;
        if (forms_known_int(lo) > forms_known_int(hi)) return false;
    }
    return true;
}

/* What is passed for a `name` parameter. An atomic sub writes it, unless a rule drops the value;
 * what a structured one does is known when all subs have been walked. */
static void
walk_output(struct walk *w, const struct stmt *s, const struct expr *arg, struct symbol *param)
{
    if (arg->kind != E_REF) {
        read_expr(w, arg);
        return;
    }
    bool atomic = s->sub->kind != SUB_STRUCT;
    struct use *u = use_ref(w, atomic ? USE_WRITE : USE_PASS, arg->ref);
    if (!u) return;
    if (!atomic) {
        pass_to(w->f, u, param);
        return;
    }
    u->held = facts_ucode_output(s->sub, param);
    u->guarded = ruled(w->f, s, RULE_REQ_COUNT, u->target.key);
    if (ruled(w->f, s, RULE_DROP, u->target.key)) u->kind = USE_DROP;
}

/* The call makes no sense and was reported: what it names may be read and written, with more
 * indices as well. */
static void
walk_broken_call(struct walk *w, const struct stmt *s)
{
    w->soft = true;
    read_list(w, s->args);
    for (const struct expr *e = s->args; e; e = e->next) {
        struct use *u = e->kind == E_REF ? use_ref(w, USE_WRITE, e->ref) : NULL;
        if (u) u->broken = true;
    }
    w->soft = false;
}

static void
read_bounds(struct walk *w, const struct reduce_range *r)
{
    for (; r; r = r->next) {
        read_expr(w, r->lo);
        read_expr(w, r->hi);
    }
}

static void
walk_call(struct walk *w, struct stmt *s)
{
    if (!s->sub || s->nargs != s->sub->nparams) {
        walk_broken_call(w, s);
    } else {
        struct symbol *p = s->sub->params;
        for (const struct expr *e = s->args; e && p; e = e->next, p = p->next) {
            if (e->over) read_bounds(w, e->over);
            w->soft = e->over && !has_elements(e->over);
            if (p->type == T_NAME) walk_output(w, s, e, p);
            else read_expr(w, e);
            w->soft = false;
        }
    }
    if (s->sub) add_call(w->f, s->sub, w->site);
    use_exprs(w, USE_SET, s->sets);
    use_exprs(w, USE_KILL, s->kills);
}

/* ---- rules ---- */

static void
use_refs(struct walk *w, enum use_kind kind, const struct ref *r)
{
    for (; r; r = r->next) use_ref(w, kind, r);
}

/* Rules await as well: `request` for certain, locators and counts if they are evaluated at all. */
static void
walk_rule(struct walk *w, const struct rule *r)
{
    switch (rule_find(r->name.text)) {
    case RULE_REQUEST:
        for (const struct ref *ref = r->refs; ref; ref = ref->next) read_ref(w, ref, USE_REQUEST);
        return;
    case RULE_WAIT:
        for (const struct ref *ref = r->refs; ref; ref = ref->next) read_ref(w, ref, USE_WAIT);
        return;
    case RULE_DELETE: use_refs(w, USE_KILL, r->refs); return;
    case RULE_AFTERPUSH: use_refs(w, USE_PUSH, r->refs); break;
    case RULE_DROP:
    case RULE_REQ_COUNT:
    case RULE_REQ_UNLIMITED: use_refs(w, USE_COUNT, r->refs); break;
    default: break;
    }
    bool soft = w->soft;
    w->soft = true; /* a locator may never be asked */
    read_list(w, r->exprs);
    w->soft = soft;
}

static void
walk_rules(struct walk *w, const struct rule *r)
{
    for (; r; r = r->next) walk_rule(w, r);
}

/* ---- how often a body runs ----
 *
 * `once`: at least once whatever the input; `twice`: at least twice. What stands in a body that may
 * not run is reported as a warning; what a loop does twice with equal indices is assigned twice. */

bool
facts_span(struct facts *f, const struct stmt *s, int64_t *span)
{
    struct known lo, hi;
    if (form_fold(s->lo, NULL, &lo) && form_fold(s->hi, NULL, &hi)) {
        *span = (int64_t)forms_known_int(hi) - forms_known_int(lo);
    } else {
        struct form d = forms_diff(f->forms, forms_of(f->forms, s->hi), forms_of(f->forms, s->lo));
        if (d.n) return false;
        *span = d.k; /* n .. n+3 */
    }
    if (s->step < 0) *span = -*span;
    return true;
}

/* How far the counter goes in a turn. */
static int32_t
step_of(const struct stmt *s)
{
    struct known k;
    if (!s->by) return 1;
    return form_fold(s->by, NULL, &k) && !k.real ? k.i : 0;
}

static void
count_for(struct facts *f, struct site *s)
{
    int64_t span, far = s->stmt->step < 0 ? -(int64_t)s->stmt->step : s->stmt->step;
    if (!facts_span(f, s->stmt, &span)) return;
    s->once = span >= 0;
    s->twice = far && span >= far;
}

static bool
holds(const struct stmt *s, struct known counter)
{
    struct binding b = {.sym = s->counter, .value = counter};
    struct known v;
    return form_fold(s->cond, &b, &v) && forms_known_true(v);
}

static void
count_while(struct site *s)
{
    struct known start;
    if (!form_fold(s->stmt->lo, NULL, &start)) return;
    start = (struct known){.i = forms_known_int(start)};
    s->once = holds(s->stmt, start);
    start.i++;
    s->twice = s->once && holds(s->stmt, start);
}

static void
count_runs(struct facts *f, struct site *s)
{
    struct known v;
    switch (s->stmt->kind) {
    case S_FOR:
        s->stmt->step = step_of(s->stmt);
        count_for(f, s);
        break;
    case S_WHILE: count_while(s); break;
    case S_IF:
        if (!form_fold(s->stmt->cond, NULL, &v)) break;
        s->once = forms_known_true(v);
        s->never = !s->once;
        break;
    case S_LET: s->once = true; break;
    default: break;
    }
}

/* ---- statements ---- */

static void walk_block(struct walk *w, const struct code_block *b, int outer, bool other);

static void
walk_reduce(struct walk *w, const struct stmt *s)
{
    read_bounds(w, s->ranges);
    w->soft = !has_elements(s->ranges);
    if (s->elem) read_ref(w, s->elem, USE_READ);
    w->soft = false;
    struct use *u = s->out ? use_ref(w, USE_OUT, s->out) : NULL;
    if (u && ruled(w->f, s, RULE_DROP, u->target.key)) u->kind = USE_DROP;
}

static void
walk_own(struct walk *w, struct stmt *s)
{
    struct use *u;
    switch (s->kind) {
    case S_CALL: walk_call(w, s); break;
    case S_LET: /* in order, so that a long chain of lets is not followed to its end at once */
        for (struct symbol *l = s->lets; l; l = l->next) {
            if (l->let_value) forms_of(w->f->forms, l->let_value);
        }
        break;
    case S_FOR:
        read_expr(w, s->lo);
        read_expr(w, s->hi);
        break;
    case S_WHILE:
        read_expr(w, s->lo);
        read_expr(w, s->cond);
        if (s->out && (u = use_ref(w, USE_OUT, s->out))) u->held = VALUE_INT;
        break;
    case S_IF: read_expr(w, s->cond); break;
    case S_REDUCE: walk_reduce(w, s); break;
    }
    w->soft = true;
    if (s->label) read_indices(w, s->label);
    w->soft = false;
    walk_rules(w, rules_of(s));
}

static void
walk_stmt(struct walk *w, struct stmt *s, int outer, bool other)
{
    struct facts *f = w->f;
    vec_need(f->arena, f->sites, f->nsites, f->sites_room);
    int site = f->nsites++;
    f->sites[site] = (struct site){
        .stmt = s, .outer = outer, .other = other, .sub = w->sub, .first_use = f->nuses};
    f->sites[site].certain = outer == NONE || (f->sites[outer].certain && facts_always(f, site));
    count_runs(f, &f->sites[site]);
    w->site = site;
    f->stamp++;
    walk_own(w, s);
    f->sites[site].last_use = f->nuses;
    if (s->body) walk_block(w, s->body, site, false);
    if (s->other) walk_block(w, s->other, site, true);
}

static void
walk_block(struct walk *w, const struct code_block *b, int outer, bool other)
{
    for (struct stmt *s = b->stmts; s; s = s->next) walk_stmt(w, s, outer, other);
}

static void
walk_sub(struct facts *f, struct sub_row *s)
{
    s->first_site = f->nsites;
    if (s->sub->body) {
        struct walk w = {.f = f, .site = NONE, .sub = (int)(s - f->subs), .soft = true};
        f->stamp++;
        walk_rules(&w, s->sub->body->rules);
        w.soft = false;
        walk_block(&w, s->sub->body, NONE, false);
    }
    s->last_site = f->nsites;
}

struct facts *
facts_new(struct arena *a, struct ast *t, struct diag *d)
{
    struct facts *f = arena_new_of(a, struct facts);
    *f = (struct facts){.arena = a, .tree = t, .diag = d, .forms = forms_new(a)};
    for (struct sub *s = t->subs; s; s = s->next) s->fact = ++f->nsubs;
    f->subs = arena_array(a, struct sub_row, (size_t)f->nsubs + 1);
    for (struct sub *s = t->subs; s; s = s->next) facts_sub(f, s)->sub = s;
    for (int i = 0; i < f->nsubs; i++) walk_sub(f, &f->subs[i]);
    facts_effects(f);
    return f;
}

/* ---- questions ---- */

bool
facts_certain(const struct facts *f, int site)
{
    return site != NONE && f->sites[site].certain && f->subs[f->sites[site].sub].reached;
}

enum severity
facts_severity(const struct facts *f, int site)
{
    return facts_certain(f, site) ? SEV_ERROR : SEV_WARNING;
}

bool
facts_always(const struct facts *f, int site)
{
    const struct site *outer = &f->sites[f->sites[site].outer];
    return f->sites[site].other ? outer->never : outer->once;
}

bool
facts_surely_within(const struct facts *f, int site, int outer)
{
    for (; f->sites[site].outer != outer; site = f->sites[site].outer) {
        if (f->sites[site].outer == NONE || !facts_always(f, site)) return false;
    }
    return true;
}

int
facts_common(const struct facts *f, int a, int b)
{
    while (a != b) { /* a body's sites have larger numbers than the site they belong to */
        if (a > b) a = f->sites[a].outer;
        else b = f->sites[b].outer;
    }
    return a;
}

bool
facts_declared_in(const struct facts *f, const struct symbol *s, int site)
{
    const struct stmt *loop = f->sites[site].stmt;
    if (s->kind == SYM_FOR || s->kind == SYM_WHILE || s->kind == SYM_LET) {
        if (s->stmt == loop) return true;
        if (!s->stmt) return false;
    } else if (s->kind != SYM_DF) {
        return false;
    }
    for (const struct code_block *b = s->kind == SYM_DF ? s->block : s->stmt->in; b; b = b->outer) {
        if (b->owner == loop) return true;
    }
    return false;
}

static bool
from_macro(struct facts *f, const struct expr *e)
{
    struct place p;
    const char *why = "";
    if (!e) return false;
    if (e->a) return from_macro(f, e->a) || from_macro(f, e->b) || from_macro(f, e->c);
    bool used = source_place(diag_source(f->diag), e->span, 1, &p, &why);
    if (used && !strncmp(why, "in macro", 8)) return true;
    struct symbol *s = e->kind == E_REF ? e->ref->sym : NULL;
    if (!s || s->kind != SYM_LET || s->fact == f->stamp || f->lets >= LETS_DEEP) return false;
    if (ast_is_const(s)) return true; /* -D may give it another value */
    s->fact = f->stamp;
    f->lets++;
    bool found = from_macro(f, s->let_value);
    f->lets--;
    return found;
}

bool
facts_from_macro(struct facts *f, const struct expr *e)
{
    f->stamp++;
    return from_macro(f, e);
}

static bool any_ref(struct facts *f, const struct expr *e, facts_test_fn *test, void *who);

static bool
any_ref_in(struct facts *f, const struct ref *r, facts_test_fn *test, void *who)
{
    if (test(who, r)) return true;
    for (const struct expr *e = r->indices; e; e = e->next) {
        if (any_ref(f, e, test, who)) return true;
    }
    struct symbol *s = r->sym;
    if (!s || s->kind != SYM_LET || !s->let_value || s->fact == f->stamp) return false;
    s->fact = f->stamp;
    if (f->lets >= LETS_DEEP) return false;
    f->lets++;
    bool found = any_ref(f, s->let_value, test, who);
    f->lets--;
    return found;
}

static bool
any_ref(struct facts *f, const struct expr *e, facts_test_fn *test, void *who)
{
    if (!e) return false;
    if (e->kind == E_REF) return any_ref_in(f, e->ref, test, who);
    return any_ref(f, e->a, test, who) || any_ref(f, e->b, test, who) ||
           any_ref(f, e->c, test, who);
}

bool
facts_any_ref_in(struct facts *f, const struct ref *r, facts_test_fn *test, void *who)
{
    f->stamp++;
    return any_ref_in(f, r, test, who);
}

void
facts_note_writer(struct facts *f, const struct df_row *d)
{
    for (int u = d->first; u != NONE; u = f->uses[u].next) {
        enum use_kind k = f->uses[u].kind;
        if (k != USE_WRITE && k != USE_SET && k != USE_OUT && k != USE_PASS) continue;
        diag_note(f->diag, f->uses[u].span, "it is written here");
        return;
    }
}
