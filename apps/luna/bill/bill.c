/* bill.c - see bill.h: the visitor, which asks of each statement where it is and what it moves. */
#include "apps/luna/bill/bill_parts.h"

#include "runtime/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct inside { /* of a statement that makes others */
    int node;
    uint32_t step, first; /* what they wait for; the first step made since it began */
};

struct pair_slot {
    struct bill_pair pair;
    bool used;
    struct bill_count until, turn; /* until the last turn of a loop, and in it */
};

/* What a turn of a loop has added to a number. */
struct turn_number {
    double until, turn;
};

struct maker {
    struct bill *bill;
    const struct plan *plan;
    const struct layout *layout;
    int *owner;           /* by cell; NULL: there are none */
    struct distrib *map;  /* for distances */
    bool *located;        /* by block */
    struct inside *inside;
    size_t ninside, inside_room;
    struct chain chain;
    uint64_t *calls; /* by node */
    double *weight;
    struct pair_slot *pairs;
    size_t npairs, pairs_room;
    uint32_t *access_row; /* by site: of accesses[], its inputs, then one for its outputs */
    struct bill_access *accesses;
    size_t naccesses;
    struct turn_number *turn_calls, *turn_weight; /* by node, */
    struct turn_number *turn_made;                /* by declaration, */
    struct bill_count *turn_until, *turn_of;      /* by access */
    uint64_t *made; /* by declaration: fragments of turns that were left out; */
    struct measured { /* and of values that are sent, by their rules */
        double sum, n;
    } *measured;
    size_t *turn_steps;         /* how many there were when turns ended */
    size_t nturns, turns_room;
    struct chain_growth growth; /* of paths in the last turn; the same in so many: */
    int64_t nsteady;
    bool failed;
};

/* ---- where ---- */

static int
modulo(int32_t v, int nodes)
{
    int m = (int)(v % nodes);
    return m < 0 ? m + nodes : m;
}

/* The owner of the cell that a fragment is bound to; BILL_NONE: to none. */
static int
owner_of(const struct maker *m, const struct unroll_instance *x, const struct unroll_name *name,
         bool nearest)
{
    int32_t at[LATTICE_DIMS_MAX];
    if (!m->owner || !unroll_cell(x, name, at)) return BILL_NONE;
    if (m->plan->is_placed || nearest) lattice_clamp(&m->layout->cells, at);
    uint32_t cell = lattice_number(&m->layout->cells, at);
    if (cell == LATTICE_NONE && unroll_is_beyond(x, name)) {
        lattice_clamp(&m->layout->cells, at);
        cell = lattice_number(&m->layout->cells, at);
    }
    if (cell == LATTICE_NONE) {
        char text[200];
        unroll_fail(x, NULL, "the cell of '%s' is outside the lattice",
                    unroll_text(m->plan, name, text, sizeof text));
    }
    return m->owner[cell];
}

/* Copies are on nodes 0, k, 2k ..; 0: the fragment is in one place. */
static int
copies_of(const struct maker *m, const struct unroll_instance *x, uint32_t ref,
          const struct unroll_name *name)
{
    const struct plan_ref *r = &m->plan->refs.row[ref];
    if (r->home == PLAN_NONE) return 0;
    const struct plan_locator *l = &m->plan->locators.row[r->home];
    if (l->kind == PL_CYCLIC) return 0;
    if (l->kind == PL_REPLICATE_ALL) return 1;
    int32_t k = unroll_int(x, l->expr, name->index + (name->n - r->nindices));
    return k < 1 ? 1 : k;
}

/* Where `node` asks for it. */
static int
home_of(const struct maker *m, const struct unroll_instance *x, uint32_t ref,
        const struct unroll_name *name, int node)
{
    const struct plan_ref *r = &m->plan->refs.row[ref];
    int nodes = m->bill->nodes, k;
    if (nodes == 1) return 0;
    if (r->home == PLAN_NONE) {
        int owner = owner_of(m, x, name, false);
        return owner == BILL_NONE ? 0 : owner;
    }
    if ((k = copies_of(m, x, ref, name))) {
        int64_t near = ((int64_t)node + k / 2) / k * k;
        return (int)(near >= nodes ? near - k : near);
    }
    const struct plan_locator *l = &m->plan->locators.row[r->home];
    return modulo(unroll_int(x, l->expr, name->index + (name->n - r->nindices)), nodes);
}

static const struct plan_rules *
rules_of(const struct maker *m, const struct plan_site *s)
{
    return s->rules == PLAN_NONE ? NULL : &m->plan->rules.row[s->rules];
}

/* With the first fragment that is bound; what is written with fewer indices is a part of a name.
 * BILL_NONE: none is. */
static int
node_near(const struct maker *m, const struct unroll_instance *x, const struct plan_rules *r)
{
    for (uint32_t i = 0; i < r->nnear; i++) {
        struct unroll_name name;
        uint32_t n, about = plan_bound_of(m->plan, unroll_decl_of(x, r->near + i, &n));
        if (about == PLAN_NONE || m->plan->abouts.row[about].nindices != n) continue;
        unroll_perhaps(x, true); /* where_near() of the run does the same */
        unroll_name_of(x, r->near + i, &name);
        int owner = owner_of(m, x, &name, true);
        unroll_perhaps(x, false);
        return owner;
    }
    return BILL_NONE;
}

/* A loop or condition whose statements have places, and which has none, stays where it was made. */
static int
node_of(const struct maker *m, const struct unroll_instance *x, int creator)
{
    const struct plan_site *s = x->site;
    const struct plan_rules *r = rules_of(m, s);
    if (m->bill->nodes == 1) return 0;
    int near = r && r->nnear && m->owner ? node_near(m, x, r) : BILL_NONE;
    if (near != BILL_NONE) return near;
    if (r && r->node != PLAN_NONE)
        return modulo(unroll_int(x, m->plan->locators.row[r->node].expr, NULL), m->bill->nodes);
    bool control = s->kind == PS_FOR || s->kind == PS_IF;
    bool located = control && (m->located[s->body] ||
                               (s->kind == PS_IF && s->b != PLAN_NONE && m->located[s->b]));
    return located ? creator : 0;
}

static bool
is_located(const struct plan *p, uint32_t block)
{
    const struct plan_block *b = &p->blocks.row[block];
    for (uint32_t i = 0; i < b->nsites; i++) {
        const struct plan_site *s = &p->sites.row[b->site + i];
        const struct plan_rules *r = s->rules == PLAN_NONE ? NULL : &p->rules.row[s->rules];
        if (r && (r->nnear || r->node != PLAN_NONE)) return true;
        if (s->kind != PS_FOR && s->kind != PS_IF) continue;
        if (is_located(p, s->body)) return true;
        if (s->kind == PS_IF && s->b != PLAN_NONE && is_located(p, s->b)) return true;
    }
    return false;
}

/* ---- messages ---- */

static void
pairs_grow(struct maker *m)
{
    size_t room = m->pairs_room ? 2 * m->pairs_room : 256;
    struct pair_slot *old = m->pairs, *all = mem_zalloc(room, sizeof *all);
    m->failed |= !all;
    if (!all) return;
    m->pairs = all;
    size_t before = m->pairs_room;
    m->pairs_room = room;
    for (size_t i = 0; i < before; i++) {
        if (!old[i].used) continue;
        const struct bill_pair *p = &old[i].pair;
        size_t at = ((size_t)p->decl * 31 + (size_t)p->from * 65599 + (size_t)p->to * 97) &
                    (room - 1);
        while (all[at].used) at = (at + 1) & (room - 1);
        all[at] = old[i];
    }
    mem_free(old);
}

static void
send(struct maker *m, uint32_t decl, int from, int to, struct bill_count n, uint32_t access)
{
    if (2 * m->npairs >= m->pairs_room) pairs_grow(m);
    if (m->failed) return;
    size_t mask = m->pairs_room - 1;
    size_t at = ((size_t)decl * 31 + (size_t)from * 65599 + (size_t)to * 97) & mask;
    for (; m->pairs[at].used; at = (at + 1) & mask) {
        const struct bill_pair *p = &m->pairs[at].pair;
        if (p->decl == decl && p->from == from && p->to == to) break;
    }
    struct pair_slot *s = &m->pairs[at];
    if (!s->used) {
        *s = (struct pair_slot){.pair = {decl, from, to, {0, 0}}, .used = true};
        m->npairs++;
    }
    s->pair.n.least += n.least;
    s->pair.n.most += n.most;
    m->accesses[access].decl = decl;
    m->accesses[access].n.least += n.least;
    m->accesses[access].n.most += n.most;
}

static const struct bill_count one = {1, 1}, perhaps = {0, 1};

static void
note_size(struct maker *m, uint32_t decl, double bytes)
{
    m->measured[decl].sum += bytes;
    m->measured[decl].n++;
}

static void
send_fragment(struct maker *m, const struct unroll_instance *x, const struct unroll_name *name,
              int from, int to, struct bill_count n, uint32_t access)
{
    int32_t bytes;
    if (unroll_bytes(x, name, &bytes)) note_size(m, name->decl, bytes);
    send(m, name->decl, from, to, n, access);
}

/* The same of what is wanted of an input. */
static void
send_input(struct maker *m, const struct unroll_instance *x, const struct plan_in *in,
           const struct unroll_name *name, int from, int to, struct bill_count n, uint32_t access)
{
    double bytes;
    if (in->part == PLAN_NONE) {
        send_fragment(m, x, name, from, to, n, access);
        return;
    }
    const struct plan_part *part = &m->plan->parts.row[in->part];
    bool half = part->kind == PQ_INT || part->kind == PQ_INT64; /* they come as ints */
    if (part->kind != PQ_BYTES) note_size(m, name->decl, half ? 4 : 8);
    else if (unroll_real(x, part->count, &bytes)) note_size(m, name->decl, bytes);
    send(m, name->decl, from, to, n, access);
}

/* The first answer stays with the reader's node, as far as sizes are known. */
static bool
stays(const struct maker *m, const struct unroll_instance *x, const struct plan_in *in,
      const struct unroll_name *name)
{
    int32_t bytes;
    if (in->again == PG_NOT || in->part != PLAN_NONE || in->kind != PI_REQUEST) return false;
    if (!unroll_bytes(x, name, &bytes))
        bytes = m->bill->bytes ? (int32_t)m->bill->bytes[name->decl] : 0;
    return bytes >= LUNA_COPY_MIN;
}

/* What an instance is, for what it reads and writes. */
struct actor {
    const struct unroll_instance *x;
    int creator, node;
    uint32_t access, step;
};

static uint32_t
row_of(const struct maker *m, const struct plan_site *s)
{
    return m->access_row[s - m->plan->sites.row];
}

/* An element of a reduction is read where it lives, one of a list by its call. */
static bool
is_reduced(const struct maker *m, const struct plan_site *s)
{
    return s->kind == PS_TERM && m->plan->sites.row[s->callee].kind == PS_REDUCE;
}

/* An element of a reduction is combined where it lives. */
static void
read_input(struct maker *m, const struct actor *a, unsigned i)
{
    const struct plan_in *in = &m->plan->ins.row[a->x->site->in + i];
    struct unroll_name name;
    unroll_name_of(a->x, in->ref, &name);
    if (unroll_is_beyond(a->x, &name)) return;
    uint32_t f = chain_fragment_of(&m->chain, &name);
    chain_read_add(&m->chain, f);
    if (in->kind == PI_WAIT || is_reduced(m, a->x->site) || m->bill->nodes == 1) return;
    int reader = in->kind == PI_NODE ? a->creator : a->node;
    int home = home_of(m, a->x, in->ref, &name, reader);
    if (home != reader) {
        bool first = chain_reads_first(&m->chain, f, reader);
        m->bill->parts_again |= !first && in->part != PLAN_NONE;
        if (first || !stays(m, a->x, in, &name))
            send_input(m, a->x, in, &name, home, reader, first ? one : perhaps, a->access + i);
    }
    if (in->kind == PI_NODE && a->creator != a->node)
        send_input(m, a->x, in, &name, a->creator, a->node, one, a->access + i);
}

static void
write_ref(struct maker *m, const struct actor *a, uint32_t ref, bool dropped)
{
    struct unroll_name name;
    unroll_name_of(a->x, ref, &name);
    chain_write(&m->chain, chain_fragment_of(&m->chain, &name), a->step);
    if (dropped || m->bill->nodes == 1) return;
    uint32_t access = a->access + a->x->site->nin;
    int k = copies_of(m, a->x, ref, &name);
    int home = k ? a->node : home_of(m, a->x, ref, &name, a->node);
    if (home != a->node) send_fragment(m, a->x, &name, a->node, home, one, access);
    for (int64_t to = 0; k && to < m->bill->nodes; to += k)
        if (to != a->node) send_fragment(m, a->x, &name, a->node, (int)to, one, access);
}

static void
write_args(struct maker *m, const struct actor *a)
{
    for (unsigned i = 0; i < a->x->site->nargs; i++) {
        const struct plan_arg *arg = &m->plan->args.row[a->x->site->arg + i];
        if (arg->kind != PA_NAME) continue;
        const struct plan_post *post =
            arg->post == PLAN_NONE ? NULL : &m->plan->posts.row[arg->post];
        write_ref(m, a, arg->row, post && post->kind == PP_DROP);
    }
}

static void
write_set(struct maker *m, const struct actor *a)
{
    const struct plan_rules *r = rules_of(m, a->x->site);
    for (uint32_t i = 0; r && i < r->nset; i++) {
        const struct plan_post *post =
            r->set_post == PLAN_NONE ? NULL : &m->plan->posts.row[r->set_post + i];
        write_ref(m, a, r->set + i, post && post->kind == PP_DROP);
    }
}

/* afterpush: to the node of the label. */
static void
push(struct maker *m, const struct actor *a)
{
    const struct plan_rules *r = rules_of(m, a->x->site);
    for (uint32_t i = 0; r && i < r->npush; i++) {
        const struct plan_push *p = &m->plan->pushes.row[r->push + i];
        const struct plan_label *l = &m->plan->labels.row[p->label];
        struct unroll_name name;
        int32_t index[UNROLL_INDICES_MAX];
        if (m->bill->nodes == 1 || l->nindices > UNROLL_INDICES_MAX) continue;
        unroll_name_of(a->x, p->ref, &name);
        for (uint32_t k = 0; k < l->nindices; k++)
            index[k] = unroll_int(a->x, l->index + k, NULL);
        int to = l->home == PLAN_NONE
                     ? 0
                     : modulo(unroll_int(a->x, m->plan->locators.row[l->home].expr, index),
                              m->bill->nodes);
        if (to != a->node)
            send_fragment(m, a->x, &name, a->node, to, one, a->access + a->x->site->nin);
    }
}

/* ---- the visitor ---- */

static void
call(struct maker *m, const struct actor *a)
{
    const struct plan_rules *r = rules_of(m, a->x->site);
    struct chain_step *s = &m->chain.steps[a->step];
    s->call = true;
    double weight = 1;
    if (r && r->weight != PLAN_NONE) {
        bool known = unroll_real(a->x, r->weight, &weight);
        m->bill->weighed |= known;
        m->bill->vague |= !known;
    }
    s->weight = (float)(weight > 0 ? weight : 0);
    m->calls[a->node]++;
    m->weight[a->node] += (double)s->weight;
    write_args(m, a);
    write_set(m, a);
    push(m, a);
}

/* Elements of a reduction or a list, and loops over them, are where that is. */
static bool
is_of_elements(const struct plan_site *s)
{
    return s->kind == PS_TERM || (s->kind == PS_FOR && (!s->stmt || s->stmt->kind != S_FOR));
}

static uint32_t
enter(void *who, const struct unroll_instance *x, uint32_t around)
{
    struct maker *m = who;
    const struct plan_site *s = x->site;
    struct inside in = around ? m->inside[around - 1] : (struct inside){0, CHAIN_NONE, 0};
    struct actor a = {.x = x, .creator = in.node, .access = row_of(m, s), .step = in.step};
    uint32_t first = (uint32_t)m->chain.nsteps;
    m->bill->nwalked++;
    a.node = is_of_elements(s) ? in.node : node_of(m, x, a.creator);
    if (s->nin || s->kind == PS_CALL || (x->ends && s->nargs))
        a.step = chain_step_add(&m->chain, in.step);
    if (m->failed || m->chain.failed) unroll_no_memory(x);
    if (m->chain.missed) unroll_fail(x, NULL, "turns of a loop are not alike");
    for (unsigned i = 0; i < s->nin; i++) read_input(m, &a, i);
    bool lists = s->kind == PS_CALL && s->body != PLAN_NONE;
    if (s->kind == PS_CALL && !lists) call(m, &a);
    if (x->ends || s->kind == PS_TERM) write_args(m, &a);
    if ((s->kind == PS_CALL && !lists) || s->kind == PS_TERM) return 0;
    m->failed |= !vec_more(NULL, m->inside, m->ninside, m->inside_room);
    if (m->failed) unroll_no_memory(x);
    m->inside[m->ninside++] = (struct inside){a.node, a.step, first};
    return (uint32_t)m->ninside;
}

/* What a reduction or a call with lists gives, and what a call of a sub sets by >>, comes when all
 * inside has ended. */
static void
leave(void *who, const struct unroll_instance *x, uint32_t inside)
{
    struct maker *m = who;
    const struct plan_rules *r = rules_of(m, x->site);
    struct inside *in = &m->inside[inside - 1];
    struct actor a = {.x = x, .creator = in->node, .node = in->node, .access = row_of(m, x->site)};
    bool gives = x->site->kind == PS_REDUCE || x->site->kind == PS_CALL;
    if (!gives && (!r || !r->nset)) return;
    a.step = chain_step_add(&m->chain, in->step);
    if (m->chain.failed) unroll_no_memory(x);
    m->chain.steps[a.step].first = in->first;
    if (x->site->kind == PS_REDUCE) write_args(m, &a);
    else if (x->site->kind == PS_CALL) call(m, &a);
    else write_set(m, &a);
    in->step = a.step;
}

/* ---- turns of a loop ---- */

static bool
count_turn(struct bill_count *until, struct bill_count *turn, struct bill_count now)
{
    struct bill_count n = {now.least - until->least, now.most - until->most};
    bool same = n.least == turn->least && n.most == turn->most;
    *until = now;
    *turn = n;
    return same;
}

static void
count_skip(struct bill_count *now, const struct bill_count *turn, uint64_t n)
{
    now->least += n * turn->least;
    now->most += n * turn->most;
}

static bool
number_turn(struct turn_number *t, double now)
{
    double n = now - t->until;
    bool same = !(n < t->turn || n > t->turn);
    *t = (struct turn_number){now, n};
    return same;
}

/* What the turn that has ended has added: is it as much as in the turn before? */
static bool
count_turns(struct maker *m)
{
    bool same = true;
    uint64_t *made = mem_zalloc(m->plan->dfs.n + 1u, sizeof *made);
    m->failed |= !made;
    if (!made) return false;
    for (size_t i = 0; i < m->pairs_room; i++) {
        struct pair_slot *s = &m->pairs[i];
        if (s->used) same &= count_turn(&s->until, &s->turn, s->pair.n);
    }
    for (size_t i = 0; i < m->naccesses; i++)
        same &= count_turn(&m->turn_until[i], &m->turn_of[i], m->accesses[i].n);
    for (int i = 0; i < m->bill->nodes; i++) {
        same &= number_turn(&m->turn_calls[i], (double)m->calls[i]);
        same &= number_turn(&m->turn_weight[i], m->weight[i]);
    }
    for (size_t i = 0; i < m->chain.nfragments; i++) made[m->chain.fragments[i].decl]++;
    for (uint32_t i = 0; i < m->plan->dfs.n; i++)
        same &= number_turn(&m->turn_made[i], (double)made[i]);
    mem_free(made);
    return same;
}

static void
skip_turns(struct maker *m, uint64_t n)
{
    for (size_t i = 0; i < m->pairs_room; i++)
        if (m->pairs[i].used) count_skip(&m->pairs[i].pair.n, &m->pairs[i].turn, n);
    for (size_t i = 0; i < m->naccesses; i++) count_skip(&m->accesses[i].n, &m->turn_of[i], n);
    for (int i = 0; i < m->bill->nodes; i++) {
        m->calls[i] += n * (uint64_t)m->turn_calls[i].turn;
        m->weight[i] += (double)n * m->turn_weight[i].turn;
    }
    for (uint32_t i = 0; i < m->plan->dfs.n; i++)
        m->made[i] += n * (uint64_t)m->turn_made[i].turn;
}

/* What a turn adds, and how far its paths reach, follows from what it names of the last `lag`
 * turns, and of what was before the loop and is the same for all turns. So if that many turns have
 * added the same, and made all paths longer by the same, all later ones will. */
static bool
turn(void *who, const struct unroll_turns *t)
{
    struct maker *m = who;
    struct chain_growth g;
    m->failed |= !vec_more(NULL, m->turn_steps, m->nturns, m->turns_room);
    if (m->failed) return false;
    m->turn_steps[m->nturns++] = m->chain.nsteps;
    const size_t *end = m->turn_steps + m->nturns;
    bool same = count_turns(m) && t->n && !chain_has_shift(&m->chain, t) && m->nturns > 2 &&
                chain_is_steady(&m->chain, end[-3], end[-2], &g);
    bool on = same && m->nsteady && g.path == m->growth.path && !(g.heavy < m->growth.heavy) &&
              !(g.heavy > m->growth.heavy);
    m->nsteady = on ? m->nsteady + 1 : same;
    if (same) m->growth = g;
    if (!same || m->nsteady < t->lag || (int64_t)m->nturns < t->lag + 2) return false;
    size_t from = m->turn_steps[m->nturns - 2 - (size_t)t->lag];
    if (!chain_is_closed(&m->chain, end[-2], from, t)) return false;
    skip_turns(m, t->n);
    chain_skip(&m->chain, from, &g, t);
    return true;
}

/* ---- owners ---- */

struct owning {
    int *owner, node;
};

static void
note_owner(void *who, uint32_t cell)
{
    const struct owning *o = who;
    o->owner[cell] = o->node;
}

static bool
find_owners(struct maker *m, struct unroll_fault *fault)
{
    struct distrib_setup setup = m->layout->setup;
    if (!m->layout->has_cells || m->bill->nodes == 1) return true;
    m->owner = mem_zalloc(lattice_size(&setup.cells), sizeof *m->owner);
    if (!m->owner) return false;
    struct owning o = {m->owner, 0};
    for (; o.node < m->bill->nodes; o.node++) {
        struct distrib *d;
        const char *why = NULL;
        setup.node = o.node;
        enum err e = distrib_new(&d, &setup, &why);
        if (e == E_USER)
            snprintf(fault->text, sizeof fault->text, "--distrib=%s: %s",
                     distrib_kind_name(setup.kind), why);
        if (e != OK) return false;
        distrib_each(d, note_owner, &o);
        if (o.node) distrib_free(d);
        else m->map = d;
    }
    return true;
}

static int
owner_at(void *who, const int32_t *at)
{
    const struct maker *m = who;
    uint32_t cell = lattice_number(&m->layout->cells, at);
    if (cell == LATTICE_NONE) return -1;
    return m->owner ? m->owner[cell] : 0;
}

static int
distance(const struct maker *m, int a, int b)
{
    return m->map ? distrib_distance(m->map, a, b) : abs(a - b);
}

/* ---- the end ---- */

static int
by_names(const void *a, const void *b)
{
    const struct bill_pair *x = a, *y = b;
    if (x->decl != y->decl) return x->decl < y->decl ? -1 : 1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* The mean distance of a node's sends; the mean of these over the nodes that send. */
static double
average_far(const struct maker *m, bool most)
{
    const struct bill *b = m->bill;
    double *sends = mem_zalloc((size_t)b->nodes, sizeof *sends), sum = 0;
    double *hops = mem_zalloc((size_t)b->nodes, sizeof *hops);
    int senders = 0;
    for (size_t i = 0; sends && hops && i < b->npairs; i++) {
        const struct bill_pair *p = &b->pairs[i];
        double n = (double)(most ? p->n.most : p->n.least);
        sends[p->from] += n;
        hops[p->from] += n * distance(m, p->from, p->to);
    }
    for (int i = 0; sends && hops && i < b->nodes; i++) {
        if (sends[i] <= 0) continue;
        senders++;
        sum += hops[i] / sends[i];
    }
    mem_free(sends);
    mem_free(hops);
    return senders ? sum / senders : 0;
}

static void
add_up(struct maker *m)
{
    struct bill *b = m->bill;
    b->pairs = arena_array(b->arena, struct bill_pair, m->npairs + 1);
    for (size_t i = 0; i < m->pairs_room; i++) {
        if (!m->pairs[i].used) continue;
        b->pairs[b->npairs++] = m->pairs[i].pair;
        b->messages.least += m->pairs[i].pair.n.least;
        b->messages.most += m->pairs[i].pair.n.most;
    }
    qsort(b->pairs, b->npairs, sizeof *b->pairs, by_names);
    b->accesses = arena_array(b->arena, struct bill_access, m->naccesses + 1);
    for (size_t i = 0; i < m->naccesses; i++)
        if (m->accesses[i].n.most) b->accesses[b->naccesses++] = m->accesses[i];
    for (int i = 0; i < b->nodes; i++) {
        b->calls += m->calls[i];
        b->weight += m->weight[i];
        if (m->calls[i] > b->calls_most) b->calls_most = m->calls[i];
        if (m->weight[i] > b->weight_most) b->weight_most = m->weight[i];
    }
    b->far_least = average_far(m, false);
    b->far_most = average_far(m, true);
    chain_measure(&m->chain);
    b->path = m->chain.path;
    b->path_weight = m->chain.heavy;
    b->circle = m->chain.circle;
}

static void
add_alive(struct maker *m)
{
    struct bill *b = m->bill;
    size_t n = m->plan->dfs.n;
    struct bill_alive *all = arena_array(b->arena, struct bill_alive, n + 1);
    m->failed |= !chain_alive(&m->chain, all, n);
    b->alive = arena_array(b->arena, struct bill_alive, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        all[i].decl = i;
        all[i].made += m->made[i];
        if (all[i].made) b->alive[b->nalive++] = all[i];
    }
}

/* The mean of what rules say; a trace, which has seen values, is believed first. */
static void
add_sizes(struct maker *m)
{
    struct bill *b = m->bill;
    double *bytes = arena_array(b->arena, double, m->plan->dfs.n + 1u);
    for (uint32_t i = 0; i < m->plan->dfs.n; i++) {
        bytes[i] = b->bytes ? b->bytes[i] : -1;
        if (bytes[i] < 0 && m->measured[i].n > 0) bytes[i] = m->measured[i].sum / m->measured[i].n;
    }
    b->bytes = bytes;
}

static void
rows_begin(struct maker *m)
{
    const struct plan *p = m->plan;
    struct arena *a = m->bill->arena;
    m->access_row = arena_array(a, uint32_t, p->sites.n + 1u);
    for (uint32_t i = 0; i < p->sites.n; i++) {
        m->access_row[i] = (uint32_t)m->naccesses;
        m->naccesses += p->sites.row[i].nin + 1u;
    }
    m->accesses = arena_array(a, struct bill_access, m->naccesses + 1);
    for (uint32_t i = 0; i < p->sites.n; i++)
        for (unsigned k = 0; k <= p->sites.row[i].nin; k++)
            m->accesses[m->access_row[i] + k] = (struct bill_access){
                .site = &p->sites.row[i],
                .input = k < p->sites.row[i].nin ? (int)k : BILL_NONE};
    m->located = arena_array(a, bool, p->blocks.n + 1u);
    for (uint32_t i = 0; i < p->blocks.n; i++) m->located[i] = is_located(p, i);
    m->calls = arena_array(a, uint64_t, (size_t)m->bill->nodes);
    m->weight = arena_array(a, double, (size_t)m->bill->nodes);
    m->turn_calls = arena_array(a, struct turn_number, (size_t)m->bill->nodes);
    m->turn_weight = arena_array(a, struct turn_number, (size_t)m->bill->nodes);
    m->turn_made = arena_array(a, struct turn_number, p->dfs.n + 1u);
    m->turn_until = arena_array(a, struct bill_count, m->naccesses + 1);
    m->turn_of = arena_array(a, struct bill_count, m->naccesses + 1);
    m->made = arena_array(a, uint64_t, p->dfs.n + 1u);
    m->measured = arena_array(a, struct measured, p->dfs.n + 1u);
}

/* *missed: the loop of which it has left out turns that were asked for later; or NULL. */
static bool
make(struct bill *b, struct arena *a, const struct plan *p, const struct layout *layout, int nodes,
     const struct unroll_setup *s, const double *bytes, struct unroll_fault *fault,
     const struct plan_site **missed)
{
    struct maker m = {.bill = b, .plan = p, .layout = layout};
    struct unroll_visitor v = {enter, leave, turn, &m};
    struct unroll_setup asked = *s;
    asked.nodes = nodes;
    asked.owner = owner_at;
    asked.who = &m;
    *b = (struct bill){.arena = a, .nodes = nodes, .bytes = bytes};
    *fault = (struct unroll_fault){{0}, {0}};
    rows_begin(&m);
    bool ok = find_owners(&m, fault) && unroll_run(a, p, &asked, &v, fault);
    if (ok) add_up(&m);
    if (ok) add_sizes(&m);
    if (ok) add_alive(&m);
    ok &= !m.failed && !m.chain.failed;
    *missed = m.chain.missed;
    chain_free(&m.chain);
    distrib_free(m.map);
    mem_free(m.owner);
    mem_free(m.inside);
    mem_free(m.pairs);
    mem_free(m.turn_steps);
    return ok;
}

bool
bill_make(struct bill *b, struct arena *a, const struct plan *p, const struct layout *layout,
          int nodes, const struct unroll_setup *s, const double *bytes,
          struct unroll_fault *fault)
{
    const struct plan_site *missed;
    struct unroll_setup again = *s;
    bool *whole = arena_array(a, bool, p->sites.n + 1u);
    bool ok = make(b, a, p, layout, nodes, s, bytes, fault, &missed);
    again.whole = whole;
    while (missed) {
        whole[missed - p->sites.row] = true;
        ok = make(b, a, p, layout, nodes, &again, bytes, fault, &missed);
    }
    return ok;
}

bool
bill_bytes(const struct bill *b, struct bill_count *bytes, uint32_t *decl)
{
    double least = 0, most = 0;
    for (size_t i = 0; i < b->npairs; i++) {
        double one_of = b->bytes ? b->bytes[b->pairs[i].decl] : -1;
        if (one_of < 0 && decl) *decl = b->pairs[i].decl;
        if (one_of < 0) return false;
        least += one_of * (double)b->pairs[i].n.least;
        most += one_of * (double)b->pairs[i].n.most;
    }
    *bytes = (struct bill_count){(uint64_t)(least + 0.5), (uint64_t)(most + 0.5)};
    return true;
}
