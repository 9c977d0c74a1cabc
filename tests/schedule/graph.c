/* graph.c - unrolling: statements wait in a list until the values they depend on are known. */
#include "graph.h"

#include "expr.h"
#include "placed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IX_MAX = 8, REFS_MAX = 16, HASH = 1 << 14 };

struct instance { /* of a `df`: one run of its block */
    const struct text_rule *cell;
    const struct bound *env;
    int number;
};

/* What names stand for, the innermost first. */
struct bound {
    const char *name;
    enum { AN_INT, A_DF, A_RULE } kind;
    int64_t value;
    struct instance *df;
    int ix[IX_MAX], nix;           /* of a parameter: what its caller has written */
    bool param;
    const struct text_rule *rule;
    const struct bound *next;
};

struct ref {
    struct instance *df;
    const char *name;
    int ix[IX_MAX], nix, written; /* the last `written` ones stand in the text */
    bool param;
};

struct label {
    char name[EXPR_NAME];
    int ix[IX_MAX], n;
};

struct entry { /* of a value */
    struct entry *next;
    struct ref ref;
    int number;        /* of graph.value; -1: not written yet */
    bool known;
    int64_t value;
};

struct todo {
    const struct text_stmt *s;
    const struct bound *env;
    int body, seat;
    bool looped;
    int64_t turn;      /* of a while; -1: not begun */
    struct todo *next;
};

struct unroll {
    struct graph *g;
    struct arena *a;
    const struct text_sub *subs;
    struct entry **hash;
    struct entry **of_value;   /* by number */
    struct todo *todo, **end;
    int things_room, values_room, ins_room, instances;
};

/* ---- names ---- */

struct look {
    struct unroll *u;
    const struct bound *env;
    struct ref ref[REFS_MAX];
    int nrefs;
    bool missing; /* some value is not known yet */
};

static struct entry *
entry_of(struct unroll *u, const struct ref *r)
{
    uint32_t h = (uint32_t)r->df->number;
    for (int i = 0; i < r->nix; i++) h = h * 1000003 + (uint32_t)r->ix[i];
    struct entry **at = &u->hash[(h ^ h >> 15) % HASH];
    for (; *at; at = &(*at)->next)
        if ((*at)->ref.df == r->df && (*at)->ref.nix == r->nix &&
            !memcmp((*at)->ref.ix, r->ix, (size_t)r->nix * sizeof *r->ix))
            return *at;
    *at = arena_new_of(u->a, struct entry);
    **at = (struct entry){.ref = *r, .number = -1};
    return *at;
}

/* Whether all inputs of the writer are known; if so, the value. */
static bool
entry_known(struct unroll *u, struct entry *e)
{
    if (e->known || e->number < 0) return e->known;
    const struct graph *g = u->g;
    int writer = g->value[e->number].writer;
    if (writer < 0 || g->thing[writer].kind == THING_BODY) return false;
    const struct thing *t = &g->thing[writer];
    int64_t most = 0;
    for (int i = 0; i < t->nin; i++) {
        struct entry *x = u->of_value[g->in[t->in + i]];
        if (!x || !entry_known(u, x)) return false;
        if (t->adds) most += x->value;
        else if (x->value > most) most = x->value;
    }
    e->value = most + (t->kind == THING_CALL);
    return e->known = true;
}

static int64_t
name_in_text(void *who, const char *name, char how, const int64_t *arg, int n)
{
    struct look *l = who;
    const struct bound *b = l->env;
    while (b && (b->kind == A_RULE || strcmp(b->name, name))) b = b->next;
    if (!b || how == '(' || (b->kind == AN_INT && n)) {
        fprintf(stderr, "what is %s?\n", name);
        abort();
    }
    if (b->kind == AN_INT) return b->value;
    struct ref r = {.df = b->df, .name = b->name, .nix = b->nix, .written = n,
                    .param = b->param};
    memcpy(r.ix, b->ix, sizeof r.ix);
    for (int i = 0; i < n; i++) r.ix[r.nix++] = (int)arg[i];
    if (l->nrefs < REFS_MAX) l->ref[l->nrefs++] = r;
    struct entry *e = entry_of(l->u, &r);
    if (!entry_known(l->u, e)) l->missing = true;
    return e->known ? e->value : 1;
}

static int64_t
value_of(struct unroll *u, const struct bound *env, const char *text)
{
    struct look l = {.u = u, .env = env};
    return expr_value(text, name_in_text, &l);
}

static struct ref
ref_of(struct unroll *u, const struct bound *env, const char *text)
{
    struct look l = {.u = u, .env = env};
    expr_value(text, name_in_text, &l);
    return l.ref[l.nrefs - 1];
}

static const struct bound *
bind(struct unroll *u, const struct bound *env, struct bound b)
{
    struct bound *to = arena_new_of(u->a, struct bound);
    *to = b;
    to->next = env;
    return to;
}

static const struct bound *
bind_int(struct unroll *u, const struct bound *env, const char *name, int64_t v)
{
    return bind(u, env, (struct bound){.name = name, .kind = AN_INT, .value = v});
}

/* ---- where ---- */

static const struct bound *
bind_indices(struct unroll *u, const struct bound *env, const struct text_rule *r, const int *ix)
{
    for (int i = 0; i < r->nix; i++) env = bind_int(u, env, r->ix[i], ix[i]);
    return env;
}

static const struct text_rule *
locator_of(const struct bound *env, const char *name, int n)
{
    for (; env; env = env->next)
        if (env->kind == A_RULE && !env->rule->cell && !strcmp(env->rule->name, name) &&
            env->rule->nix == n)
            return env->rule;
    return NULL;
}

static struct spot
on_node(int64_t k)
{
    return (struct spot){.at = {(int)k}};
}

static struct spot
by_locator(struct unroll *u, const struct bound *env, const struct text_rule *r, const int *ix)
{
    return on_node(value_of(u, bind_indices(u, env, r, ix), r->e[0]));
}

static bool
by_cell(struct unroll *u, const struct ref *r, struct spot *to)
{
    const struct text_rule *c = r->df->cell;
    if (!c || c->nix != r->nix) return false;
    const struct bound *env = bind_indices(u, r->df->env, c, r->ix);
    *to = (struct spot){.cell = true};
    for (int d = 0; d < c->dims; d++) to->at[d] = (int)value_of(u, env, c->e[d]);
    u->g->dims = c->dims;
    return true;
}

static struct spot
home_of(struct unroll *u, const struct bound *env, const struct ref *r)
{
    struct spot to = on_node(0);
    const struct text_rule *l = locator_of(env, r->name, r->written);
    if (l) return by_locator(u, env, l, r->ix + r->nix - r->written);
    by_cell(u, r, &to);
    return to;
}

/* Its own locator; that of its label; the first output, then the first input that has a cell; the
 * seat. */
static struct spot
spot_of(struct unroll *u, const struct todo *t, const struct label *label, const struct ref *outs,
        int nouts, const struct ref *ins, int nins)
{
    struct spot to = on_node(t->seat);
    if (t->s->node) return on_node(value_of(u, t->env, t->s->node));
    const struct text_rule *l = label ? locator_of(t->env, label->name, label->n) : NULL;
    if (l) return by_locator(u, t->env, l, label->ix);
    for (int i = 0; i < nouts; i++)
        if (by_cell(u, &outs[i], &to)) return to;
    for (int i = 0; i < nins; i++)
        if (by_cell(u, &ins[i], &to)) return to;
    return to;
}

/* Where a locator of the call says; else the seat of the sub in which it stands. */
static int
seat_for(struct unroll *u, const struct todo *t, const struct label *label)
{
    if (t->s->node) return (int)value_of(u, t->env, t->s->node);
    const struct text_rule *l = t->s->label ? locator_of(t->env, label->name, label->n) : NULL;
    return l ? by_locator(u, t->env, l, label->ix).at[0] : t->seat;
}

/* ---- things ---- */

#define ROOM(u, list, n, room)                                                                     \
    do {                                                                                           \
        if ((n) < (room)) break;                                                                   \
        int more_ = (room) ? 2 * (room) : 256;                                                     \
        (list) = arena_grow((u)->a, (list), (size_t)(n) * sizeof *(list),                          \
                            (size_t)more_ * sizeof *(list));                                       \
        (room) = more_;                                                                            \
    } while (0)

static int
add_value(struct unroll *u, struct entry *e)
{
    struct graph *g = u->g;
    int room = u->values_room;
    ROOM(u, g->value, g->values, u->values_room);
    ROOM(u, u->of_value, g->values, room);
    g->value[g->values] = (struct value){.writer = -1};
    u->of_value[g->values] = e;
    return e->number = g->values++;
}

static int
add_thing(struct unroll *u, struct thing t)
{
    struct graph *g = u->g;
    ROOM(u, g->thing, g->things, u->things_room);
    t.in = g->ins;
    g->thing[g->things] = t;
    g->calls += t.kind == THING_CALL;
    return g->things++;
}

/* The values of the thing that was added last; each once. */
static void
add_inputs(struct unroll *u, const struct bound *env, const struct ref *r, int n)
{
    struct graph *g = u->g;
    struct thing *t = &g->thing[g->things - 1];
    for (int i = 0; i < n; i++) {
        struct entry *e = entry_of(u, &r[i]);
        int k = e->number >= 0 ? e->number : add_value(u, e), seen = 0;
        g->value[k].home = home_of(u, env, &r[i]);
        for (int j = t->in; j < g->ins; j++) seen |= g->in[j] == k;
        if (seen) continue;
        ROOM(u, g->in, g->ins, u->ins_room);
        g->in[g->ins++] = k;
        t->nin++;
    }
}

static void
writes(struct unroll *u, const struct bound *env, int writer, const struct ref *r)
{
    struct entry *e = entry_of(u, r);
    int k = e->number >= 0 ? e->number : add_value(u, e);
    if (u->g->value[k].writer >= 0) {
        fprintf(stderr, "%s is written twice\n", r->name);
        abort();
    }
    u->g->value[k] = (struct value){writer, home_of(u, env, r)};
}

static void
later(struct unroll *u, struct todo t)
{
    struct todo *to = arena_new_of(u->a, struct todo);
    *to = t;
    to->next = NULL;
    *u->end = to;
    u->end = &to->next;
}

static void
block(struct unroll *u, const struct text_body *b, const struct bound *env, int body, int seat,
      bool looped)
{
    struct instance *df[TEXT_DFS];
    for (const struct text_rule *r = b->rules; r; r = r->next)
        env = bind(u, env, (struct bound){.name = r->name, .kind = A_RULE, .rule = r});
    for (int i = 0; i < b->ndfs; i++) {
        df[i] = arena_new_of(u->a, struct instance);
        df[i]->number = u->instances++;
        for (const struct text_rule *r = b->rules; r; r = r->next)
            if (r->cell && !strcmp(r->name, b->df[i])) df[i]->cell = r;
        env = bind(u, env, (struct bound){.name = b->df[i], .kind = A_DF, .df = df[i]});
    }
    for (int i = 0; i < b->ndfs; i++) df[i]->env = env;
    for (const struct text_stmt *s = b->first; s; s = s->next)
        later(u, (struct todo){s, env, body, seat, looped, -1, NULL});
}

/* ---- statements: true when they are unrolled ---- */

/* The indices are expressions of the program, the name is none: it may be called as a DF is. */
static struct label
label_of(struct unroll *u, const struct bound *env, const char *text)
{
    struct label l = {.n = 0};
    snprintf(l.name, sizeof l.name, "%.*s", (int)strcspn(text, "[ "), text);
    struct instance none = {.number = -1};
    struct bound b = {.name = l.name, .kind = A_DF, .df = &none, .next = env};
    struct ref r = ref_of(u, &b, text);
    memcpy(l.ix, r.ix, sizeof l.ix);
    l.n = r.nix;
    return l;
}

static const char *
label_text(struct unroll *u, const struct label *l)
{
    char *text = arena_strdup(u->a, l->name);
    for (int i = 0; i < l->n; i++) text = arena_printf(u->a, "%s[%d]", text, l->ix[i]);
    return text;
}

/* Fragments that stand in indices of what it reads: these must be there before that is asked for,
 * where the call runs; or where it is made, if what it reads may tell its cell: what it writes is a
 * parameter then, or has none. */
static int
indices_first(struct unroll *u, const struct todo *t, struct spot at, const struct look *in,
              const struct look *ix, const struct ref *out)
{
    if (!ix->nrefs) return t->body;
    bool follows = !t->s->node && (out->param || !out->df->cell), any = false;
    for (int i = 0; i < in->nrefs; i++) any |= in->ref[i].df->cell != NULL;
    struct spot here = follows && any ? u->g->thing[t->body].at : at;
    int k = add_thing(u, (struct thing){.kind = THING_BODY, .body = t->body, .at = here,
                                        .looped = t->looped, .name = "indices"});
    add_inputs(u, t->env, ix->ref, ix->nrefs);
    return k;
}

/* What one argument reads: at most one value, and what stands in its indices. */
static int64_t
argument(struct unroll *u, const struct bound *env, const char *text, struct look *in,
         struct look *ix)
{
    struct look l = {.u = u, .env = env};
    int64_t v = expr_value(text, name_in_text, &l);
    in->missing |= l.missing;
    bool inside = strchr(text, '[') && l.nrefs > 1 && text[strlen(text) - 1] == ']';
    for (int i = 0; i < l.nrefs; i++) {
        bool is_index = inside && i < l.nrefs - 1;
        struct look *to = is_index ? ix : in;
        if (is_index) ix->missing |= !entry_known(u, entry_of(u, &l.ref[i]));
        if (to->nrefs < REFS_MAX) to->ref[to->nrefs++] = l.ref[i];
    }
    return v;
}

static bool
unroll_call(struct unroll *u, const struct todo *t)
{
    const struct text_stmt *s = t->s;
    const struct text_sub *sub = placed_sub(u->subs, s->callee);
    struct look in = {.u = u, .env = t->env}, ix = {.u = u};
    struct ref out[TEXT_ARGS];
    int64_t value[TEXT_ARGS] = {0};
    int nouts = 0;
    bool shows = !strcmp(s->callee, "show");
    struct label l = {.n = 0};
    if (s->label) l = label_of(u, t->env, s->label);
    for (int i = 0; i < s->nargs; i++) {
        bool name = sub ? sub->is_name[i] : i == s->nargs - 1 && !shows;
        if (name) out[nouts++] = ref_of(u, t->env, s->arg[i]);
        else value[i] = argument(u, t->env, s->arg[i], &in, &ix);
    }
    if ((sub && in.missing) || ix.missing) return false;
    struct spot at = spot_of(u, t, s->label ? &l : NULL, out, nouts, in.ref, in.nrefs);
    int body = indices_first(u, t, at, &in, &ix, out);
    struct thing x = {.kind = sub ? THING_BODY : THING_CALL, .body = body, .at = at,
                      .looped = t->looped, .weight = 1, .name = s->callee, .shows = shows};
    if (s->weight) x.weight = (double)value_of(u, t->env, s->weight);
    if (s->label) x.name = label_text(u, &l);
    int k = add_thing(u, x);
    add_inputs(u, t->env, in.ref, in.nrefs);
    if (!sub) {
        if (nouts) writes(u, t->env, k, &out[0]);
        return true;
    }
    const struct bound *env = NULL;
    for (int i = 0, o = 0; i < sub->nparams; i++) {
        struct bound b = {.name = sub->param[i], .kind = AN_INT, .value = value[i]};
        if (sub->is_name[i]) {
            b.kind = A_DF, b.df = out[o].df, b.nix = out[o].nix, b.param = true;
            memcpy(b.ix, out[o++].ix, sizeof b.ix);
        }
        env = bind(u, env, b);
    }
    block(u, sub->body, env, k, seat_for(u, t, &l), false);
    return true;
}

/* The body in which what is in a loop or condition is made: this one, if it is walked where this
 * one is, and needs no value. */
static int
body_for(struct unroll *u, const struct todo *t, const struct bound *env, const struct look *in,
         const char *name)
{
    const struct spot *here = &u->g->thing[t->body].at;
    bool waits = in->nrefs || t->s->kind == TEXT_WHILE;
    struct spot at = t->s->stays ? *here : on_node(t->s->kind == TEXT_WHILE ? t->seat : 0);
    if (!waits && (t->s->stays || (!here->cell && !here->at[0]))) return t->body;
    int k = add_thing(u, (struct thing){.kind = THING_BODY, .body = t->body, .at = at,
                                        .looped = t->looped, .name = name});
    add_inputs(u, env, in->ref, in->nrefs);
    return k;
}

static bool
unroll_for(struct unroll *u, const struct todo *t)
{
    const struct text_stmt *s = t->s;
    struct look in = {.u = u, .env = t->env};
    int64_t lo = expr_value(s->lo[0], name_in_text, &in);
    int64_t hi = expr_value(s->hi[0], name_in_text, &in);
    if (in.missing) return false;
    int body = body_for(u, t, t->env, &in, "for");
    for (int64_t i = lo; i <= hi; i++)
        block(u, s->body, bind_int(u, t->env, s->counter[0], i), body, t->seat, !s->body->ndfs);
    return true;
}

static bool
unroll_if(struct unroll *u, const struct todo *t)
{
    struct look in = {.u = u, .env = t->env};
    int64_t c = expr_value(t->s->hi[0], name_in_text, &in);
    if (in.missing) return false;
    int body = body_for(u, t, t->env, &in, "if");
    const struct text_body *b = c ? t->s->body : t->s->other;
    if (b) block(u, b, t->env, body, t->seat, t->looped && !in.nrefs);
    return true;
}

/* One turn, and the next one waits. */
static bool
unroll_while(struct unroll *u, struct todo *t)
{
    const struct text_stmt *s = t->s;
    if (t->turn < 0) t->turn = value_of(u, t->env, s->lo[0]);
    const struct bound *env = bind_int(u, t->env, s->counter[0], t->turn);
    struct look in = {.u = u, .env = env};
    int64_t c = expr_value(s->hi[0], name_in_text, &in);
    if (in.missing) return false;
    int k = body_for(u, t, env, &in, "while");
    if (c) {
        block(u, s->body, env, k, t->seat, false);
        later(u, (struct todo){s, t->env, k, t->seat, false, t->turn + 1, NULL});
        return true;
    }
    struct ref out = ref_of(u, env, s->out);
    writes(u, env, k, &out);
    struct entry *e = entry_of(u, &out);
    e->value = t->turn;
    return e->known = true;
}

static void
over(struct unroll *u, const struct todo *t, const struct bound *env, int k)
{
    const struct text_stmt *s = t->s;
    if (k >= s->ncounters || k >= TEXT_OVERS) {
        struct ref r = ref_of(u, env, s->element);
        add_inputs(u, env, &r, 1);
        return;
    }
    int64_t lo = value_of(u, t->env, s->lo[k]), hi = value_of(u, t->env, s->hi[k]);
    for (int64_t i = lo; i <= hi; i++) over(u, t, bind_int(u, env, s->counter[k], i), k + 1);
}

static bool
unroll_reduce(struct unroll *u, const struct todo *t)
{
    struct ref out = ref_of(u, t->env, t->s->out);
    struct spot at = spot_of(u, t, NULL, &out, 1, NULL, 0);
    int k = add_thing(u, (struct thing){.kind = THING_SUM, .body = t->body, .at = at,
                                        .looped = t->looped, .name = "reduce",
                                        .adds = *t->s->callee == '+'});
    over(u, t, t->env, 0);
    writes(u, t->env, k, &out);
    return true;
}

static bool
unroll_one(struct unroll *u, struct todo *t)
{
    switch (t->s->kind) {
    case TEXT_CALL: return unroll_call(u, t);
    case TEXT_FOR: return unroll_for(u, t);
    case TEXT_WHILE: return unroll_while(u, t);
    case TEXT_IF: return unroll_if(u, t);
    case TEXT_REDUCE: return unroll_reduce(u, t);
    }
    return true;
}

/* As long as something can be unrolled; what cannot yet goes to the end. */
static void
unroll_all(struct unroll *u)
{
    for (int idle = 0, waiting = 0; u->todo;) {
        struct todo *t = u->todo;
        u->todo = t->next;
        if (!u->todo) u->end = &u->todo;
        if (unroll_one(u, t)) {
            idle = 0;
            continue;
        }
        later(u, *t);
        waiting = 0;
        for (struct todo *x = u->todo; x; x = x->next) waiting++;
        if (++idle <= waiting) continue;
        fprintf(stderr, "%d statements wait for what never comes\n", waiting);
        abort();
    }
}

/* A thing's level is above those of its body and of the writers of what it reads. */
static int
level_of(struct graph *g, int k)
{
    struct thing *t = &g->thing[k];
    if (t->level) return t->level;
    int most = t->body >= 0 ? level_of(g, t->body) : 0;
    for (int i = 0; i < t->nin; i++) {
        int l = level_of(g, g->value[g->in[t->in + i]].writer);
        if (l > most) most = l;
    }
    return t->level = most + 1;
}

static void
check_writers(const struct graph *g, const struct unroll *u)
{
    for (int i = 0; i < g->values; i++)
        if (g->value[i].writer < 0) {
            fprintf(stderr, "nobody writes %s\n", u->of_value[i]->ref.name);
            abort();
        }
}

static void
find_answer(struct unroll *u)
{
    struct graph *g = u->g;
    for (int i = 0; i < g->things; i++) {
        const struct thing *t = &g->thing[i];
        if (t->kind != THING_CALL || !t->shows) continue;
        struct entry *e = u->of_value[g->in[t->in]];
        if (entry_known(u, e)) g->answer = e->value;
    }
}

struct graph *
graph_of(const char *text)
{
    struct arena *a = arena_new();
    struct graph *g = arena_new_of(a, struct graph);
    struct text_sub *subs = text_read(a, text);
    struct unroll u = {.g = g, .a = a, .subs = subs};
    g->arena = a;
    u.hash = arena_array(a, struct entry *, HASH);
    u.end = &u.todo;
    placed_find(subs);
    const struct text_sub *main = placed_sub(u.subs, "main");
    int k = add_thing(&u, (struct thing){.kind = THING_BODY, .body = -1, .name = "main"});
    block(&u, main->body, NULL, k, 0, false);
    unroll_all(&u);
    check_writers(g, &u);
    find_answer(&u);
    for (int i = 0; i < g->things; i++) {
        int l = level_of(g, i);
        if (l > g->levels) g->levels = l;
    }
    return g;
}

void
graph_free(struct graph *g)
{
    if (g) arena_free(g->arena);
}

static void
place(struct spot *s, int nodes, const int *owner, int side)
{
    int k = s->at[0] % nodes;
    s->node = s->cell ? owner[s->at[0] * side + s->at[1]] : k < 0 ? k + nodes : k;
}

void
graph_place(struct graph *g, int nodes, const int *owner)
{
    int side = g->dims == 2 ? GRAPH_SIDE : 1;
    for (int i = 0; i < g->things; i++) place(&g->thing[i].at, nodes, owner, side);
    for (int i = 0; i < g->values; i++) place(&g->value[i].home, nodes, owner, side);
}
