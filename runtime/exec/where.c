/* where.c - locators and cells. */
#include "runtime/exec/where.h"

#include "runtime/table/cells.h"
#include "runtime/exec/exec_parts.h"
#include "runtime/exec/home.h"
#include "runtime/node/send.h"
#include "runtime/exec/share.h"
#include "runtime/exec/spread.h"

#include <string.h>

/* The value of a locator's expression for indices ix. */
static inline int32_t
locator_value(const struct node *n, luna_env *e, const struct luna_locator *l, const int32_t *ix)
{
    const struct luna_program *p = n->program;
    e->ix = ix;
    if (l->place != LUNA_NONE) e->about = LUNA_ABOUT_LOCATOR((uint32_t)(l - p->locators));
    int32_t v = eval_int(p, e, l->expr);
    e->about = 0;
    if (e->temps) eval_drop_temps(e);
    return v;
}

/* Copies on nodes 0, k, 2k ...; a step below 1 is taken as 1. */
static int32_t
step_of(const struct node *n, luna_env *e, const struct luna_locator *l, const int32_t *ix)
{
    int32_t k = locator_value(n, e, l, ix);
    return k < 1 ? 1 : k;
}

/* The copy next to this node. */
static int
nearest_copy(const struct node *n, int32_t k)
{
    int64_t near = ((int64_t)n->number + k / 2) / k * k;
    return (int)(near >= n->nodes ? near - k : near);
}

static const int32_t *
written_indices(const struct luna_program *p, uint32_t ref, const struct key *k)
{
    return k->ix + (k->n - p->refs[ref].nindices);
}

struct dest
where_of_cell(const struct node *n, uint32_t cell)
{
    uint32_t at;
    int node = distrib_first(n->map, cell, &at);
    return dest_by_cell(node, cell, at);
}

/* Bound to a cell, or nothing is known. */
static __attribute__((noinline)) struct dest
home_by_cell(const struct node *n, const luna_env *e, uint32_t ref, struct key *k)
{
    assert(n->map || n->nodes == 1 || !cells_rule(n->program, k->df)); /* protocols 9.8 */
    uint32_t cell = n->map ? cells_of(n->program, n->cells, e, ref, k) : LATTICE_NONE;
    if (cell == LATTICE_NONE) return dest_node(0);
    k->bound = cell + 1;
    return where_of_cell(n, cell);
}

/* The nearest home of several. */
static __attribute__((noinline)) struct dest
home_replicated(const struct node *n, luna_env *e, const struct luna_locator *l, const int32_t *ix)
{
    if (l->kind == LUNA_L_REPLICATE_ALL) return dest_node(n->number);
    return dest_node(nearest_copy(n, step_of(n, e, l, ix)));
}

struct dest
where_home(const struct node *n, luna_env *e, uint32_t ref, struct key *k)
{
    const struct luna_program *p = n->program;
    uint32_t home = p->refs[ref].home;
    if (home == LUNA_NONE) return home_by_cell(n, e, ref, k);
    const struct luna_locator *l = &p->locators[home];
    const int32_t *ix = written_indices(p, ref, k);
    if (l->kind != LUNA_L_CYCLIC) return home_replicated(n, e, l, ix);
    return dest_node(where_modulo(locator_value(n, e, l, ix), n->nodes));
}

/* The first reference of the list that is bound to a cell decides. False: none is. */
static bool
where_near(const struct node *n, const struct luna_rules *r, luna_env *e, const struct frame *f,
           struct dest *to)
{
    const struct luna_program *p = n->program;
    struct key k;
    for (uint32_t i = 0; i < r->nnear; i++) {
        const struct luna_about *rule = cells_rule(p, mention_df(p, e, r->near + i));
        if (!rule) continue;
        if (mention_depth(p, e, r->near + i) != rule->nindices)
            continue; /* a part of a name, as subs are given */
        /* It may be none that is used, as the first of an empty list. Then any cell will do, if
         * all nodes take the same (share.c); else who uses it is told. */
        eval_try();
        mention_place(p, e, f, r->near + i, &k);
        *to = where_of_cell(n, cells_nearest(p, n->cells, e, r->near + i, &k));
        eval_tried();
        if (e->temps) eval_drop_temps(e);
        return true;
    }
    return false;
}

struct dest
where_of_site(const struct node *n, const struct luna_site *site, const struct task *t)
{
    const struct luna_program *p = n->program;
    if (site->rules == LUNA_NONE) return dest_node(0);
    const struct luna_rules *r = &p->rules[site->rules];
    luna_env e = {.frame = t->frame->word, .local = t->word,
                  .in = task_values(site, (struct task *)t), .site = site};
    struct dest to;
    if (r->nnear && n->map && where_near(n, r, &e, t->frame, &to)) return to;
    if (r->node == LUNA_NONE) return dest_node(0);
    return dest_node(where_modulo(locator_value(n, &e, &p->locators[r->node], NULL), n->nodes));
}

bool
where_is_home(const struct node *n, luna_env *e, uint32_t ref, struct key *k)
{
    uint32_t home = n->program->refs[ref].home;
    if (home != LUNA_NONE && n->program->locators[home].kind != LUNA_L_CYCLIC) return false;
    return where_home(n, e, ref, k).node == n->number;
}

/* What a statement that goes away would ask for next, and lives here: if it is there it goes along,
 * if it is small; if it is not yet there it is asked for now. For this node may be in a call when
 * it is asked. Behind t->at nothing is set. */
static void
ask_ahead(struct worker *w, struct dest to, const struct luna_site *site, struct task *t,
          uint8_t *asked)
{
    const struct recipe *q = &w->node->recipes[t->site];
    struct cook c;
    cook_begin(&c, w->node->program, t);
    cook_site(&c, site, t);
    for (unsigned i = t->at, end = q->in[i].end; i < end; i++) {
        struct key k;
        if (q->in[i].kind != LUNA_IN_REQUEST) continue;
        recipe_key(&q->in[i].ref, &c, &k);
        if (k.df & KEY_BEYOND) continue; /* found out there */
        if (!where_is_home(w->node, &c.e, q->in[i].ref.row, &k)) continue;
        struct key_part part = {0, PART_WHOLE};
        if (q->in[i].part) part = part_wanted(c.p, &c.e, q->in[i].part);
        enum store_want got =
            home_ask_for(w, to, &k, part, site->place, &task_values(site, t)[i]);
        asked[i] = got == WANT_FIRST || got == WANT_WAIT;
    }
    if (c.e.temps) eval_drop_temps(&c.e);
}

static void
send_away(struct worker *w, struct dest to, const struct luna_site *site, struct task *t,
          bool draft)
{
    uint8_t asked[site->nin + 1u];
    memset(asked, 0, site->nin + 1u);
    if (draft) task_unset(site, t, t->at);
    if (t->at < site->nin) ask_ahead(w, to, site, t, asked);
    send_call(w, to, site, t, asked);
    if (!draft) exec_task_left(w, site, t);
}

/* A loop or condition without a place of its own, whose statements have one, stays where it was
 * made, as do the turns of a while: there is no need to trouble node 0. */
static bool
stays_here(const struct node *n, const struct luna_site *site)
{
    const struct luna_rules *r = mention_rules(n->program, site);
    if (!share_has_body(site)) return false;
    if (r && (r->node != LUNA_NONE || r->nnear)) return false;
    uint32_t other = share_other(site);
    return n->shares[site->body].located || (other != LUNA_NONE && n->shares[other].located);
}

bool
where_task(struct worker *w, const struct luna_site *site, struct task *t, bool draft)
{
    assert(!(t->flags & TASK_HERE)); /* protocols 5.5: it is decided once */
    struct dest where = stays_here(w->node, site) ? dest_node(w->node->number)
                                                  : where_of_site(w->node, site, t);
    if (where.node != w->node->number) {
        send_away(w, where, site, t, draft);
        return false;
    }
    t->flags |= TASK_HERE;
    return true;
}

static void
put_at(struct worker *w, struct dest home, uint32_t site, const struct task *t, const struct key *k,
       luna_value v, int32_t uses)
{
    if (home.node == w->node->number) exec_put_here(w, site, t, k, v, uses);
    else send_put(w, home, site, k, v, uses);
}

void
where_put(struct worker *w, uint32_t site, const struct task *t, luna_env *e, uint32_t ref,
          struct key *k, luna_value v, int32_t uses)
{
    const struct node *n = w->node;
    const struct luna_program *p = n->program;
    uint32_t home = p->refs[ref].home;
    const struct luna_locator *l = home == LUNA_NONE ? NULL : &p->locators[home];
    if (!l || l->kind == LUNA_L_CYCLIC) {
        put_at(w, where_home(n, e, ref, k), site, t, k, v, uses);
        return;
    }
    int32_t step = l->kind == LUNA_L_REPLICATE_ALL
                       ? 1
                       : step_of(n, e, l, written_indices(p, ref, k));
    bool is_one = n->number % step == 0;
    if (spread_copies(w, site, k, v, uses, step)) {
        if (is_one) exec_put_here(w, site, t, k, v, uses);
        else value_release(v);
        return;
    }
    for (int64_t to = 0; to < n->nodes; to += step) {
        value_retain(v);
        put_at(w, dest_node((int)to), site, t, k, v, uses);
    }
    value_release(v);
}

static void
kill_at(struct worker *w, struct dest home, uint32_t site, const struct key *k)
{
    if (home.node == w->node->number) exec_kill_here(w, site, k);
    else send_kill(w, home, site, k);
}

void
where_kill(struct worker *w, uint32_t site, luna_env *e, uint32_t ref, struct key *k)
{
    const struct node *n = w->node;
    const struct luna_program *p = n->program;
    uint32_t home = p->refs[ref].home;
    const struct luna_locator *l = home == LUNA_NONE ? NULL : &p->locators[home];
    if (!l || l->kind == LUNA_L_CYCLIC) {
        kill_at(w, where_home(n, e, ref, k), site, k);
        return;
    }
    int32_t step = l->kind == LUNA_L_REPLICATE_ALL
                       ? 1
                       : step_of(n, e, l, written_indices(p, ref, k));
    for (int64_t to = 0; to < n->nodes; to += step) kill_at(w, dest_node((int)to), site, k);
}

void
where_push(struct worker *w, uint32_t site, const struct task *t, luna_env *e, uint32_t label,
           const struct key *k, luna_value v)
{
    const struct node *n = w->node;
    const struct luna_label *l = &n->program->labels[label];
    int to = 0;
    if (l->home != LUNA_NONE) {
        /* The label's own indices stand in the key behind the fragment's, before the label's
         * number. */
        const int32_t *ix = k->ix + k->n - 1 - l->nindices;
        to = where_modulo(locator_value(n, e, &n->program->locators[l->home], ix), n->nodes);
    }
    put_at(w, dest_node(to), site, t, k, v, 1);
}
