/* transfer.c - one role at a time, who is promised what, and who waits. */
#include "transfer.h"

#include "runtime/base/buf.h"
#include "runtime/base/mem.h"

#include <assert.h>
#include <string.h>

enum {
    PLANS_MAX = 6,  /* neighbours */
    TRIES_MAX = 24  /* of one plan, before it is given up */
};

enum kind { ASK, HOLD, YES, FREE, YIELD, HEARD, ENDED, KINDS };

struct note {
    uint32_t kind, serial; /* of the transaction, at its giver */
    uint64_t priority;
    double load;
};

/* Somebody asks, has been promised something, or waits for it. */
struct claim {
    int giver;
    uint32_t kind, serial;
    uint64_t priority;
    bool told_to_yield; /* of a promise to take */
};

struct claims {
    struct claim *at;
    size_t n, room;
};

struct witness {
    int node;
    bool agreed;
};

enum role { NO_ROLE, ASKING, GIVING, TAKING };

struct transfers {
    struct transfer_setup s;
    struct rng rng;
    enum role role;
    uint32_t changes; /* of what we know of cells */
    /* our own */
    int plan[PLANS_MAX], nplans, tries;
    uint32_t serial;
    uint64_t priority;
    bool agreed;      /* by the taker */
    double taker_load;
    uint32_t chosen_at; /* `changes` then */
    uint32_t *cells, ncells;
    struct buf witnesses; /* array of struct witness */
    /* of others */
    struct claim taking;
    bool has_come; /* the cells we take */
    unsigned unheard;
    struct claims held, waiting;
    struct transfer_counts counts;
};

/* ---- claims ---- */

static void
claims_add(struct transfers *t, struct claims *c, struct claim x)
{
    if (c->n == c->room) {
        size_t room = c->room ? 2 * c->room : 8;
        struct claim *at = mem_realloc(c->at, room * sizeof *at);
        if (!at) t->s.nomem();
        c->at = at;
        c->room = room;
    }
    c->at[c->n++] = x;
}

static void
claims_drop(struct claims *c, int giver, uint32_t serial)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->n; i++)
        if (c->at[i].giver != giver || c->at[i].serial != serial) c->at[kept++] = c->at[i];
    c->n = kept;
}

/* Whether a comes before b: no two of the same giver are alive at a time. */
static bool
is_higher(uint64_t a, int giver_a, uint64_t b, int giver_b)
{
    return a != b ? a > b : giver_a > giver_b;
}

static bool
beats_us(const struct transfers *t, const struct claim *c)
{
    return is_higher(c->priority, c->giver, t->priority, t->s.node);
}

/* ---- notes ---- */

static void
tell(struct transfers *t, int to, enum kind kind, uint32_t serial)
{
    struct note n = {kind, serial, t->priority, 0};
    if (kind == YES) n.load = t->s.load(t->s.who);
    t->s.send(t->s.who, to, &n, sizeof n);
}

/* ---- our own ---- */

static struct witness *
witnesses(const struct transfers *t, size_t *n)
{
    *n = t->witnesses.size / sizeof(struct witness);
    return (struct witness *)(void *)t->witnesses.data;
}

static void
free_witnesses(struct transfers *t)
{
    size_t n;
    struct witness *w = witnesses(t, &n);
    for (size_t i = 0; i < n; i++) tell(t, w[i].node, FREE, t->serial);
    buf_clear(&t->witnesses);
}

static void
ask(struct transfers *t)
{
    t->role = ASKING;
    t->serial++;
    t->agreed = false;
    tell(t, t->plan[0], ASK, t->serial);
}

/* What we have asked for is taken back; the plan stays, with its priority. */
static void
take_back(struct transfers *t)
{
    assert(t->role == ASKING);
    tell(t, t->plan[0], FREE, t->serial);
    free_witnesses(t);
    t->role = NO_ROLE;
    t->counts.taken_back++;
    t->tries++;
}

static void
end_plan(struct transfers *t)
{
    t->nplans--;
    memmove(t->plan, t->plan + 1, (size_t)t->nplans * sizeof *t->plan);
    t->priority = rng_next(&t->rng);
    t->tries = 0;
}

static void serve(struct transfers *t);

/* Nothing goes after all. */
static void
give_up(struct transfers *t)
{
    tell(t, t->plan[0], FREE, t->serial);
    free_witnesses(t);
    t->role = NO_ROLE;
    end_plan(t);
    serve(t);
}

static void
note_witness(void *who, int node)
{
    struct transfers *t = who;
    size_t n;
    struct witness *w = witnesses(t, &n), new = {node, false};
    for (size_t i = 0; i < n; i++)
        if (w[i].node == node) return;
    buf_add(&t->witnesses, &new, sizeof new);
    if (t->witnesses.failed) t->s.nomem();
    tell(t, node, HOLD, t->serial);
}

/* Chooses, by what is known now, and asks those to hold still who have not been asked before.
 * False: nothing fits. */
static bool
choose(struct transfers *t)
{
    const struct distrib *map = t->s.map;
    int to = t->plan[0];
    double want = t->s.want(t->s.who, to, t->taker_load);
    t->chosen_at = t->changes;
    t->ncells = 0;
    mem_free(t->cells);
    t->cells = mem_alloc(((size_t)distrib_count(map) + 1) * sizeof *t->cells);
    if (!t->cells) t->s.nomem();
    if (want <= 0) return false;
    if (distrib_choose(map, to, want, t->s.cell_load, t->s.who, t->cells, &t->ncells) != OK)
        t->s.nomem();
    if (!t->ncells) return false;
    if (distrib_witnesses(map, to, t->cells, t->ncells, note_witness, t) != OK) t->s.nomem();
    return true;
}

static bool
all_agree(const struct transfers *t)
{
    size_t n;
    struct witness *w = witnesses(t, &n);
    for (size_t i = 0; i < n; i++)
        if (!w[i].agreed) return false;
    return t->agreed;
}

static void
give(struct transfers *t)
{
    t->role = GIVING;
    t->counts.begun++;
    t->changes++;
    t->s.give(t->s.who, t->plan[0], t->cells, t->ncells);
    assert(distrib_count(t->s.map)); /* protocols 9.2 */
}

/* Somebody has agreed. */
static void
go_on(struct transfers *t)
{
    if (!all_agree(t)) return;
    if (t->chosen_at != t->changes && !choose(t)) give_up(t);
    else if (all_agree(t)) give(t);
}

static void
on_yes(struct transfers *t, int from, const struct note *note)
{
    size_t n;
    struct witness *w = witnesses(t, &n);
    if (t->role != ASKING || note->serial != t->serial) return; /* taken back meanwhile */
    for (size_t i = 0; i < n; i++)
        if (w[i].node == from) w[i].agreed = true;
    if (from == t->plan[0] && !t->agreed) {
        t->agreed = true;
        t->taker_load = note->load;
        if (!choose(t)) {
            give_up(t);
            return;
        }
    }
    go_on(t);
}

/* ---- those of others ---- */

/* Whether a request can be granted; ours may have to be taken back for it. */
static bool
may_grant(struct transfers *t, const struct claim *c)
{
    if (t->role == GIVING || (t->role == ASKING && !beats_us(t, c))) return false;
    if (c->kind == ASK && t->role == TAKING) {
        struct claim *now = &t->taking;
        if (t->has_come || now->told_to_yield ||
            !is_higher(c->priority, c->giver, now->priority, now->giver))
            return false;
        now->told_to_yield = true;
        tell(t, now->giver, YIELD, now->serial);
        return false;
    }
    if (t->role == ASKING) take_back(t);
    return true;
}

static void
grant(struct transfers *t, const struct claim *c)
{
    if (c->kind == ASK) {
        t->role = TAKING;
        t->taking = *c;
        t->has_come = false;
    } else {
        claims_add(t, &t->held, *c);
    }
    tell(t, c->giver, YES, c->serial);
}

/* The highest that waits and comes after `last`; NULL: none. */
static struct claim *
next_waiting(struct transfers *t, const struct claim *last)
{
    struct claim *best = NULL;
    for (size_t i = 0; i < t->waiting.n; i++) {
        struct claim *c = &t->waiting.at[i];
        if (last && !is_higher(last->priority, last->giver, c->priority, c->giver)) continue;
        if (!best || is_higher(c->priority, c->giver, best->priority, best->giver)) best = c;
    }
    return best;
}

static void
serve_waiting(struct transfers *t)
{
    struct claim last, *c = NULL;
    while ((c = next_waiting(t, c ? &last : NULL))) {
        last = *c;
        if (!may_grant(t, c)) continue;
        claims_drop(&t->waiting, last.giver, last.serial);
        grant(t, &last);
    }
}

/* Grants what can be granted, and then goes on with our own. */
static void
serve(struct transfers *t)
{
    serve_waiting(t);
    if (t->role != NO_ROLE || t->held.n || !t->nplans) return;
    if (t->tries > TRIES_MAX) end_plan(t);
    if (t->nplans) ask(t);
}

static void
on_request(struct transfers *t, int from, const struct note *n)
{
    claims_add(t, &t->waiting,
               (struct claim){
                   .giver = from, .kind = n->kind, .serial = n->serial, .priority = n->priority});
    serve(t);
}

static void
on_free(struct transfers *t, int from, uint32_t serial)
{
    claims_drop(&t->waiting, from, serial);
    claims_drop(&t->held, from, serial);
    if (t->role == TAKING && t->taking.giver == from && t->taking.serial == serial &&
        !t->has_come)
        t->role = NO_ROLE;
    serve(t);
}

static void
on_ended(struct transfers *t)
{
    assert(!distrib_flaw(t->s.map, true)); /* protocols 9.2, 9.3, 9.4, 9.5 at the giver */
    free_witnesses(t);
    t->role = NO_ROLE;
    end_plan(t);
    serve(t);
}

static void
end_taking(struct transfers *t)
{
    if (t->unheard) return;
    assert(!distrib_flaw(t->s.map, true)); /* protocols 9.2, 9.3, 9.4, 9.5 at the taker */
    t->role = NO_ROLE;
    tell(t, t->taking.giver, ENDED, t->taking.serial);
    serve(t);
}

void
transfer_taken(struct transfers *t, int from, unsigned told)
{
    assert(t->role == TAKING && t->taking.giver == from);
    (void)from;
    t->changes++;
    t->has_come = true;
    t->unheard = told;
    end_taking(t);
    assert(transfer_is_valid(t));
}

void
transfer_heard(struct transfers *t, int from)
{
    t->changes++;
    tell(t, from, HEARD, 0);
    assert(transfer_is_valid(t));
}

static bool
hear(struct transfers *t, int from, const void *bytes, size_t size)
{
    struct note n;
    if (size != sizeof n) return false;
    memcpy(&n, bytes, sizeof n);
    switch ((enum kind)n.kind) {
    case ASK:
    case HOLD: on_request(t, from, &n); return true;
    case YES: on_yes(t, from, &n); return true;
    case FREE: on_free(t, from, n.serial); return true;
    case YIELD:
        if (t->role != ASKING || n.serial != t->serial) return true; /* too late: it has begun */
        take_back(t);
        serve(t);
        return true;
    case HEARD:
        if (t->role != TAKING || !t->unheard) return false;
        t->unheard--;
        end_taking(t);
        return true;
    case ENDED:
        if (t->role != GIVING || n.serial != t->serial) return false;
        on_ended(t);
        return true;
    case KINDS: break;
    }
    return false;
}

bool
transfer_hear(struct transfers *t, int from, const void *bytes, size_t size)
{
    bool ok = hear(t, from, bytes, size);
    assert(transfer_is_valid(t));
    return ok;
}

/* ---- from outside ---- */

enum err
transfer_new(struct transfers **out, const struct transfer_setup *s)
{
    struct transfers *t = mem_zalloc(1, sizeof *t);
    if (!t) return E_NOMEM;
    t->s = *s;
    t->rng = rng_of(s->seed);
    t->priority = rng_next(&t->rng);
    *out = t;
    return OK;
}

void
transfer_free(struct transfers *t)
{
    if (!t) return;
    buf_fini(&t->witnesses);
    mem_free(t->held.at);
    mem_free(t->waiting.at);
    mem_free(t->cells);
    mem_free(t);
}

void
transfer_want(struct transfers *t, int to)
{
    assert(t->nplans < PLANS_MAX);
    t->plan[t->nplans++] = to;
    if (t->nplans == 1) serve(t);
    assert(transfer_is_valid(t));
}

/* Section 10 of docs/protocols-balancing.md: a node asks only when it holds still for nobody, and
 * has witnesses only while it asks or gives; news is awaited of what has come; what goes was agreed
 * to by all. */
bool
transfer_is_valid(const struct transfers *t)
{
    bool own = t->role == ASKING || t->role == GIVING;
    if (own && (t->held.n || !t->nplans)) return false;
    if (t->witnesses.size && !own) return false;
    if (t->unheard && (t->role != TAKING || !t->has_come)) return false;
    return t->role != GIVING || all_agree(t);
}

bool
transfer_idle(const struct transfers *t)
{
    return !t->nplans;
}

struct transfer_counts
transfer_counts(const struct transfers *t)
{
    return t->counts;
}
