/* gone.c - see gone.h: the giver, then the home. */
#include "gone.h"

#include "runtime/base/pool.h"
#include "runtime/exec/exec_parts.h"
#include "runtime/exec/where.h"
#include "runtime/fault/fault.h"
#include "runtime/node/send.h"

/* ---- the home ---- */

/* Who asked before it had taken something out so often. */
struct turn {
    int node;
    uint32_t cell, sweeps;
    struct key_part part;
};

static bool
is_meant(const struct turn *t, const struct asker_afar *a)
{
    return a->node == t->node && (a->wants == WANTS_VALUE || a->wants == WANTS_COPY) &&
           a->part.from == t->part.from && a->part.count == t->part.count &&
           (int32_t)(a->sweeps - t->sweeps) <= 0;
}

static bool
turn_asker(void *who, struct waiter *first)
{
    const struct turn *t = who;
    for (struct waiter *x = first; x; x = x->next) {
        if (x->kind != WAITER_AFAR || !is_meant(t, waiter_afar(x))) continue;
        waiter_afar(x)->wants = WANTS_FOLLOWS;
        waiter_afar(x)->cell = t->cell;
        return true;
    }
    return false;
}

bool
gone_turn(struct store *s, const struct key *k, int node, uint32_t sweeps, uint32_t cell)
{
    struct key whole = *k;
    struct turn t = {node, cell, sweeps, key_take_part(&whole)};
    return store_awaits(s, &whole, turn_asker, &t);
}

/* ---- the giver ---- */

struct waiter *
gone_follower(uint32_t cell)
{
    struct follower *f = pool_get(pool_class(sizeof *f));
    if (!f) fault_nomem();
    *f = (struct follower){.kind = WAITER_FOLLOWER, .cell = cell};
    return &f->link;
}

static struct waiter *
follower_of(void *who)
{
    return gone_follower(*(uint32_t *)who);
}

static void
keep_follower(struct worker *w, struct key k, uint32_t mark, uint32_t cell)
{
    luna_value none;
    k.df |= mark;
    enum store_want got = store_want(w->node->store, &k, &none, follower_of, &cell);
    assert(got == WANT_FIRST || got == WANT_NOMEM);
    if (got == WANT_NOMEM) fault_nomem();
}

static bool
anybody(void *who, struct waiter *first)
{
    (void)who;
    return first != NULL;
}

/* Whom a call has asked for its input, and what for. */
static struct dest
home_of(struct worker *w, struct task *call, unsigned at, struct key *k)
{
    const struct luna_program *p = w->node->program;
    const struct luna_site *site = &p->sites[call->site];
    luna_env e = mention_env(site, call);
    mention_input(p, call, at, k);
    struct dest home = where_home(w->node, &e, p->ins[site->in + at].ref, k);
    if (e.temps) eval_drop_temps(&e);
    uint32_t bound = k->bound;
    mention_wanted(p, call, at, k);
    k->bound = bound;
    return home;
}

void
gone_tell(struct worker *w, struct task *call, unsigned at, uint32_t cell)
{
    struct node *n = w->node;
    struct key k;
    struct dest home = home_of(w, call, at, &k);
    struct key other = k;
    other.df |= KEY_GONE;
    bool here = home.node == n->number;
    if (here && gone_turn(n->store, &k, n->number, n->sweeps, cell)) return;
    if (here || store_awaits(n->store, &other, anybody, NULL)) {
        keep_follower(w, k, KEY_AWAY, cell);
        return;
    }
    keep_follower(w, k, KEY_GONE, cell);
    send_left(w, home, &k, cell);
}

struct waiter *
gone_take(struct worker *w, const struct key *k)
{
    struct key other = *k;
    other.df |= KEY_GONE;
    return store_take_waiters(w->node->store, &other);
}

/* ---- messages ---- */

static bool
drop_follower(struct worker *w, const struct key *k)
{
    struct waiter *x = gone_take(w, k);
    if (!x || x->next) return false;
    pool_put(pool_class(sizeof(struct follower)), waiter_follower(x));
    return true;
}

bool
on_left(struct worker *w, struct reader *r)
{
    const struct node *n = w->node;
    struct key k;
    int from = r->packet->from;
    read_key(r, &k);
    uint32_t cell = read_u32(r), sweeps = read_u32(r);
    if (!reader_done(r) || !n->map || cell >= lattice_size(n->cells)) return false;
    if (!gone_turn(n->store, &k, from, sweeps, cell)) return true;
    if (from == n->number) return drop_follower(w, &k);
    send_turned(w, from, &k);
    return true;
}

bool
on_turned(struct worker *w, struct reader *r)
{
    struct key k;
    read_key(r, &k);
    return reader_done(r) && drop_follower(w, &k);
}
