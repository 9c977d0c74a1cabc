/* over.c - one assertion for each thing that is true when a run is over. */
#include "over.h"

#ifdef NDEBUG

void
over_check(const struct nodes *all)
{
    (void)all;
}

#else

#include "runtime/node/scope.h"
#include "runtime/node/tally.h"
#include "runtime/store/copies.h"

#include <assert.h>
#include <stdlib.h>

/* Of all nodes together. */
struct sums {
    uint64_t sent, received, moving_sent, moving_heard, moves, made, run, reads, served;
    long lent, proxies;
    size_t waiters;
};

/* ---- stores ---- */

enum { AWAY_MOST = 16 }; /* of so many fragments that a node awaits is looked who was asked */

/* At one store. */
struct look {
    struct sums *sums;
    unsigned naway;
    struct key away[AWAY_MOST]; /* awaited from other nodes */
};

static void
check_entry(void *who, const struct store_entry *e)
{
    struct look *l = who;
    bool away = e->key->df & (KEY_AWAY | KEY_GONE);
    assert(!(away && (e->present || e->doomed)));      /* section 3: no copy is kept */
    assert(!(e->key->df & KEY_FOLLOWS && e->present)); /* protocols 3.5, 9.6: it has had its call */
    assert(!e->present || e->uses > 0 || e->uses == STORE_USES_UNLIMITED); /* protocols 2.3 */
    for (const struct waiter *w = e->waiters; w; w = w->next) {
        assert(w->kind < WAITER_KINDS && (w->kind != WAITER_FOLLOWER || away));
        l->sums->waiters++;
    }
    if (away && e->waiters && l->naway < AWAY_MOST) l->away[l->naway++] = *e->key;
}

/* Has a node asked for a fragment, and waits for the value? */
struct asked {
    struct key key;
    struct key_part part;
    int node;
    bool yes;
};

static void
look_who_asked(void *who, const struct store_entry *e)
{
    struct asked *a = who;
    const struct key *k = &a->key;
    if (!key_equal(e->key, k->id, k->df, k->n, k->ix)) return;
    for (const struct waiter *w = e->waiters; w && !a->yes; w = w->next)
        a->yes = w->kind == WAITER_AFAR && waiter_afar(w)->node == a->node &&
                 waiter_afar(w)->wants != WANTS_NOTHING &&
                 waiter_afar(w)->part.count == a->part.count &&
                 waiter_afar(w)->part.from == a->part.from;
}

static bool
somebody_was_asked(const struct nodes *all, const struct node *n, const struct key *k)
{
    struct asked a = {.key = *k, .node = n->number};
    a.key.df &= ~(KEY_AWAY | KEY_GONE);
    a.part = key_take_part(&a.key);
    for (int i = 0; i < all->n && !a.yes; i++)
        store_each(all->node[i]->store, look_who_asked, &a);
    return a.yes;
}

/* ---- nodes ---- */

static void
check_node(const struct nodes *all, struct node *n, struct sums *s)
{
    struct look l = {.sums = s};
    assert(node_is_at_rest(n, true)); /* sections 6 and 7 */
    assert(!n->parked);               /* section 9: a walk ends */
    store_each(n->store, check_entry, &l);
    /* protocols 3.2, 9.7: no answer is under way any more, so whoever was asked has no value yet,
     * and knows it. */
    for (unsigned i = 0; i < l.naway && all->n == n->nodes; i++)
        assert(somebody_was_asked(all, n, &l.away[i]));
    assert(!atomic_load(&n->tally->vain)); /* protocols 3.3 */
    struct copies_news news;
    assert(!n->copies || !copies_untold(n->copies, &news)); /* protocols 3.6 */
    s->sent += atomic_load(&n->sent);
    s->received += atomic_load(&n->received);
    s->moving_sent += n->moving_sent;
    s->moving_heard += n->moving_heard;
    s->moves += n->moves;
    s->lent += scope_count_lent(n->scopes);
    s->proxies += atomic_load(&n->tally->proxies);
    s->made += atomic_load(&n->tally->made);
    s->run += atomic_load(&n->tally->run);
    s->reads += atomic_load(&n->tally->reads);
    s->served += store_served(n->store) + atomic_load(&n->tally->found);
}

/* Nobody waits: the program has come to its end, and nothing of it is left. */
static void
check_done(const struct nodes *all, const struct sums *s)
{
    assert(!s->lent);          /* protocols 5.6 */
    assert(s->run == s->made); /* protocols 5.5 */
    /* protocols 3.1, 3.5, 9.6: each input was one request, counted once, where its value was. */
    assert(s->reads == s->served);
    for (int i = 0; i < all->n; i++) assert(!node_waiting(all->node[i]));
}

/* ---- calls ---- */

static int
compare_names(const void *pa, const void *pb)
{
    uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
    return (a > b) - (a < b);
}

static size_t
names_of(const struct node *n, uint64_t *name)
{
    unsigned made = atomic_load(&n->tally->ncalls);
    size_t known = made < TALLY_CALLS ? made : TALLY_CALLS;
    memcpy(name, n->tally->call, known * sizeof *name);
    return known;
}

/* Of loops that all nodes walk no two nodes have made the same call, nor one the same twice. */
static bool
calls_are_made_once(const struct nodes *all)
{
    uint64_t *name = malloc((size_t)all->n * TALLY_CALLS * sizeof *name);
    size_t n = 0;
    bool once = true;
    for (int i = 0; name && i < all->n; i++) n += names_of(all->node[i], name + n);
    if (n) qsort(name, n, sizeof *name, compare_names);
    for (size_t i = 1; i < n; i++) once &= name[i] != name[i - 1];
    free(name);
    return once;
}

/* protocols 9.1, 9.2, 9.3, 9.4, 9.5 */
static bool
maps_are_valid(const struct nodes *all)
{
    struct distrib *map[all->n];
    for (int i = 0; i < all->n; i++) map[i] = all->node[i]->map;
    return !distrib_flaw_among(map, all->n, true);
}

void
over_check(const struct nodes *all)
{
    const struct node *first = all->node[0];
    struct sums s = {0};
    for (int i = 0; i < all->n; i++) check_node(all, all->node[i], &s);
    if (all->n < first->nodes) return; /* ranks: the others are not here */
    assert(calls_are_made_once(all));  /* protocols 5.1 */
    /* A test that moves cells by itself does so even when all is over, and gives any to anybody. */
    if (!s.moves || first->balance) {
        assert(s.sent == s.received); /* section 6: nothing is on its way */
        assert(s.moving_sent == s.moving_heard);
        assert(s.lent == s.proxies); /* protocols 5.6: who has ended has sent ENDED */
        assert(!first->map || maps_are_valid(all));
    }
    if (!s.waiters) check_done(all, &s);
}

#endif
