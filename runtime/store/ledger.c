/* ledger.c - rows in one array, a map from (fragment, node) to them. */
#include "ledger.h"

#include "runtime/base/map.h"
#include "runtime/base/mem.h"

#include <pthread.h>
#include <stddef.h>

struct ledger_row {
    struct key key; /* its `bound` is the node, for the map */
    uint64_t paid, used;
    bool given, taken; /* taken: it is in use */
};

struct ledger {
    pthread_mutex_t lock;
    struct map *map;
    uint64_t now; /* counts what is asked */
    size_t n, next;
    struct ledger_row *row; /* LEDGER_ROWS */
};

static size_t
name_of(const struct key *k, int node, struct key *name)
{
    size_t size = offsetof(struct key, ix) + k->n * sizeof *k->ix;
    memcpy(name, k, size);
    name->bound = (uint32_t)node;
    return size;
}

enum err
ledger_new(struct ledger **out)
{
    struct ledger *l = mem_zalloc(1, sizeof *l);
    *out = NULL;
    if (!l) return E_NOMEM;
    pthread_mutex_init(&l->lock, NULL);
    *out = l;
    return OK;
}

void
ledger_free(struct ledger *l)
{
    if (!l) return;
    map_free(l->map);
    mem_free(l->row);
    pthread_mutex_destroy(&l->lock);
    mem_free(l);
}

/* Most runs never need it. */
static bool
open_it(struct ledger *l)
{
    if (!l->map) l->map = map_new();
    if (!l->row) l->row = mem_zalloc(LEDGER_ROWS, sizeof *l->row);
    return l->map && l->row;
}

static void
forget(struct ledger *l, struct ledger_row *r)
{
    map_remove_bytes(l->map, &r->key, offsetof(struct key, ix) + r->key.n * sizeof *r->key.ix);
    r->taken = false;
}

/* One that is free, else the one that was used longest ago. */
static struct ledger_row *
room_for_one(struct ledger *l)
{
    if (l->n < LEDGER_ROWS) return &l->row[l->n++];
    struct ledger_row *oldest = l->row;
    for (struct ledger_row *r = l->row; r < l->row + LEDGER_ROWS; r++) {
        if (!r->taken) return r;
        if (r->used < oldest->used) oldest = r;
    }
    forget(l, oldest);
    return oldest;
}

static struct ledger_row *
row_of(struct ledger *l, const struct key *k, int node)
{
    struct key name;
    size_t size = name_of(k, node, &name);
    struct ledger_row *r = map_get_bytes(l->map, &name, size);
    if (r) return r;
    r = room_for_one(l);
    if (!map_put_bytes(l->map, &name, size, r)) return NULL;
    *r = (struct ledger_row){.taken = true};
    memcpy(&r->key, &name, size);
    return r;
}

bool
ledger_gives(struct ledger *l, const struct key *k, int node, uint64_t price, uint64_t copy,
             bool again)
{
    bool gives = false;
    pthread_mutex_lock(&l->lock);
    struct ledger_row *r = open_it(l) ? row_of(l, k, node) : NULL;
    if (r) { /* without memory nothing is kept, and all is answered as it is asked */
        r->used = ++l->now;
        gives = !r->given && (again || r->paid >= copy);
        r->paid += price;
        r->given |= gives;
    }
    pthread_mutex_unlock(&l->lock);
    return gives;
}

bool
ledger_next_given(struct ledger *l, struct key *k, int *node)
{
    bool given = false;
    pthread_mutex_lock(&l->lock);
    if (l->n) {
        const struct ledger_row *r = &l->row[l->next++ % l->n];
        given = r->taken && r->given;
        if (given) {
            *node = (int)r->key.bound;
            memcpy(k, &r->key, offsetof(struct key, ix) + r->key.n * sizeof *r->key.ix);
            k->bound = 0;
        }
    }
    pthread_mutex_unlock(&l->lock);
    return given;
}

void
ledger_forget(struct ledger *l, const struct key *k, int node)
{
    struct key name;
    size_t size = name_of(k, node, &name);
    pthread_mutex_lock(&l->lock);
    struct ledger_row *r = l->map ? map_get_bytes(l->map, &name, size) : NULL;
    if (r) forget(l, r);
    pthread_mutex_unlock(&l->lock);
}
