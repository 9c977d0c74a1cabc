/* ledger.c - rows in sets: a name may stand in one set only, where the row that was used longest
 * ago makes room. So coming and going costs no memory, and a look at few rows. */
#include "ledger.h"

#include "runtime/base/mem.h"

#include <pthread.h>
#include <stddef.h>

enum { WAYS = 4, SETS = LEDGER_ROWS / WAYS };

struct ledger_row {
    struct key key;
    int node;
    uint64_t hash, paid, used; /* used: 0, it is free */
    uint32_t given;            /* its place among those that are, plus one; 0: it is not */
};

struct ledger {
    atomic_uint ngiven; /* comes first; written under the lock */
    pthread_mutex_t lock;
    uint64_t now; /* counts what is asked */
    struct ledger_row *row; /* LEDGER_ROWS; NULL: none was needed yet */
    struct ledger_row *given[LEDGER_ROWS];
    uint32_t next;
};

enum err
ledger_new(struct ledger **out)
{
    struct ledger *l = mem_zalloc(1, sizeof *l);
    *out = l;
    if (!l) return E_NOMEM;
    pthread_mutex_init(&l->lock, NULL);
    return OK;
}

void
ledger_free(struct ledger *l)
{
    if (!l) return;
    mem_free(l->row);
    pthread_mutex_destroy(&l->lock);
    mem_free(l);
}

static void
key_copy(struct key *to, const struct key *k)
{
    memcpy(to, k, offsetof(struct key, ix) + k->n * sizeof *k->ix);
    to->bound = 0;
}

static bool
is_of(const struct ledger_row *r, const struct key *k, int node, uint64_t hash)
{
    return r->used && r->hash == hash && r->node == node &&
           key_equal(&r->key, k->id, k->df, k->n, k->ix);
}

/* The row of this name, or the one in which it may stand: then it is of another. */
static struct ledger_row *
find(const struct ledger *l, const struct key *k, int node, uint64_t hash)
{
    struct ledger_row *set = l->row + hash % SETS * WAYS, *oldest = set;
    for (struct ledger_row *r = set; r < set + WAYS; r++) {
        if (is_of(r, k, node, hash)) return r;
        if (r->used < oldest->used) oldest = r;
    }
    return oldest;
}

static uint64_t
hash_of(const struct key *k, int node)
{
    return key_mix(key_hash(k), (uint64_t)node ^ 0x9E3779B97F4A7C15ull);
}

static void
give(struct ledger *l, struct ledger_row *r)
{
    uint32_t n = atomic_fetch_add_explicit(&l->ngiven, 1, memory_order_relaxed);
    l->given[n] = r;
    r->given = n + 1;
}

/* The last one takes its place. */
static void
take_back(struct ledger *l, struct ledger_row *r)
{
    if (!r->given) return;
    uint32_t n = atomic_fetch_sub_explicit(&l->ngiven, 1, memory_order_relaxed);
    struct ledger_row *last = l->given[n - 1];
    l->given[r->given - 1] = last;
    last->given = r->given;
    r->given = 0;
}

static bool
pays(struct ledger *l, const struct key *k, int node, uint64_t price, uint64_t copy, bool again)
{
    uint64_t hash = hash_of(k, node);
    struct ledger_row *r = find(l, k, node, hash);
    if (!is_of(r, k, node, hash)) {
        r->node = node;
        r->hash = hash;
        r->paid = 0;
        take_back(l, r);
        key_copy(&r->key, k);
    }
    bool gives = !r->given && (again || r->paid >= copy);
    r->used = ++l->now;
    r->paid += price;
    if (gives) give(l, r);
    return gives;
}

bool
ledger_gives(struct ledger *l, const struct key *k, int node, uint64_t price, uint64_t copy,
             bool again)
{
    pthread_mutex_lock(&l->lock);
    if (!l->row) l->row = mem_zalloc(LEDGER_ROWS, sizeof *l->row);
    bool gives = l->row && pays(l, k, node, price, copy, again);
    pthread_mutex_unlock(&l->lock);
    return gives; /* without memory all is answered as it is asked */
}

bool
ledger_next_given(struct ledger *l, struct key *k, int *node)
{
    pthread_mutex_lock(&l->lock);
    uint32_t n = atomic_load_explicit(&l->ngiven, memory_order_relaxed);
    const struct ledger_row *r = n ? l->given[l->next++ % n] : NULL;
    if (r) {
        *node = r->node;
        key_copy(k, &r->key);
    }
    pthread_mutex_unlock(&l->lock);
    return r != NULL;
}

void
ledger_forget(struct ledger *l, const struct key *k, int node)
{
    uint64_t hash = hash_of(k, node);
    pthread_mutex_lock(&l->lock);
    struct ledger_row *r = l->row ? find(l, k, node, hash) : NULL;
    if (r && is_of(r, k, node, hash)) {
        take_back(l, r);
        r->used = 0;
    }
    pthread_mutex_unlock(&l->lock);
}
