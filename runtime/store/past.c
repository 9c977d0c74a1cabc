/* past.c - hash sets of names, each with a lock of its own. */
#include "past.h"

#include "runtime/base/mem.h"
#include "runtime/base/pool.h"

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { SHARD_BITS = 5, SHARDS = 1 << SHARD_BITS, SLOTS_FIRST = 64 };

struct mark {
    uint64_t hash, id;
    uint32_t df;
    uint16_t n;
    uint16_t events; /* enum past_event */
    int32_t ix[];
};

struct shard {
    _Alignas(64) pthread_mutex_t lock;
    struct mark **slot; /* open addressing, at most half full */
    size_t slots, count;
};

struct past {
    struct shard shard[SHARDS];
};

static unsigned
mark_class(uint32_t n)
{
    return pool_class(offsetof(struct mark, ix) + n * sizeof(int32_t));
}

static void
shard_fini(struct shard *s)
{
    for (size_t i = 0; s->slot && i < s->slots; i++)
        if (s->slot[i]) pool_put(mark_class(s->slot[i]->n), s->slot[i]);
    mem_free(s->slot);
    pthread_mutex_destroy(&s->lock);
}

enum err
past_new(struct past **out)
{
    struct past *p = mem_aligned(64, sizeof *p);
    if (!p) return E_NOMEM;
    memset(p, 0, sizeof *p);
    bool full = false;
    for (int i = 0; i < SHARDS; i++) {
        struct shard *s = &p->shard[i];
        pthread_mutex_init(&s->lock, NULL);
        s->slot = mem_zalloc(SLOTS_FIRST, sizeof *s->slot);
        s->slots = SLOTS_FIRST;
        full |= !s->slot;
    }
    if (full) {
        past_free(p);
        return E_NOMEM;
    }
    *out = p;
    return OK;
}

void
past_free(struct past *p)
{
    if (!p) return;
    for (int i = 0; i < SHARDS; i++) shard_fini(&p->shard[i]);
    mem_free(p);
}

/* The mark of `key`, or the empty slot where it belongs. */
/* Linear probing: neighbours in a loop have neighbouring hashes, and so lie in a few cache
 * lines. */
static struct mark **
find(const struct shard *s, const struct key *key, uint64_t hash)
{
    for (size_t i = hash;; i++) {
        struct mark **slot = &s->slot[i & (s->slots - 1)], *m = *slot;
        if (!m || (m->hash == hash && key_equal(key, m->id, m->df, m->n, m->ix))) return slot;
    }
}

/* By doubling; the hash is kept in the mark, so no key is looked at. */
static bool
grow(struct shard *s)
{
    struct mark **old = s->slot, **new = mem_zalloc(s->slots * 2, sizeof *new);
    if (!new) return false;
    size_t mask = s->slots * 2 - 1;
    for (size_t k = 0; k < s->slots; k++) {
        size_t i = old[k] ? old[k]->hash : 0;
        if (!old[k]) continue;
        while (new[i & mask]) i++;
        new[i & mask] = old[k];
    }
    s->slot = new;
    s->slots = mask + 1;
    mem_free(old);
    return true;
}

static struct mark *
mark_new(const struct key *key, uint64_t hash)
{
    struct mark *m = pool_get(mark_class(key->n));
    if (!m) return NULL;
    *m = (struct mark){.hash = hash, .id = key->id, .df = key->df, .n = (uint16_t)key->n};
    memcpy(m->ix, key->ix, key->n * sizeof *m->ix);
    return m;
}

static enum err
note(struct shard *s, const struct key *key, uint64_t hash, enum past_event what)
{
    if (s->count >= s->slots / 2 && !grow(s)) return E_NOMEM;
    struct mark **slot = find(s, key, hash);
    if (!*slot) {
        if (!(*slot = mark_new(key, hash))) return E_NOMEM;
        s->count++;
    }
    if ((*slot)->events & what) return E_TWICE;
    (*slot)->events |= (uint16_t)what;
    return OK;
}

enum err
past_note(struct past *p, const struct key *key, enum past_event what)
{
    assert(key->n <= KEY_INDICES_MAX);
    /* The low bits choose the slot; neighbours differ in the lowest three alone. */
    uint64_t hash = key_hash(key);
    struct shard *s = &p->shard[hash >> (64 - SHARD_BITS)];
    pthread_mutex_lock(&s->lock);
    enum err e = note(s, key, hash, what);
    pthread_mutex_unlock(&s->lock);
    return e;
}
