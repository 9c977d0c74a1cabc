/* store_parts.h - what the files of the store share: entries, and the buckets they hang in.
 *
 *     store.c          the store as a whole: made, freed, looked through
 *     store_buckets.c  tables of buckets: new ones, a bucket that another holds, growing
 *     store_want.c     asking: who takes a value along, and who waits for it
 *     store_put.c      assigning: which of them it sets free, and whether it stays
 *     store_gone.c     leaving without a reader, and what is remembered of those that have left
 *
 * One hash table for the activations of each worker; a bucket's word is list head and lock in one.
 * Whoever asks or assigns locks a bucket, finds the entry, and lets the bucket go:
 *
 *     struct held h = bucket_lock(s, key, hash);
 *     struct found f = entry_find(&h, key, hash);
 *     ...                                            no pointer to the entry leaves this
 *     bucket_unlock(&h);
 *
 * As a rule that calls nothing, so all of it is inline here. */
#ifndef LUNA_RUNTIME_STORE_PARTS_H
#define LUNA_RUNTIME_STORE_PARTS_H

#include "runtime/base/pool.h"
#include "runtime/store/store.h"

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

enum entry_state { AWAITED, PRESENT, DOOMED };

/* What leads to an entry: its address and, in the 16 bits above, one for each entry from there on,
 * which one by its hash. A name whose bit is not there is not there; so a new name is put in front
 * of others that nobody looks at: they would have to come from memory. Where an entry goes, bits
 * before it stay. 0: none. */
typedef uintptr_t entry_link;
enum { LINK_BITS_AT = 48 };
#define LINK_ADDRESS (((entry_link)1 << LINK_BITS_AT) - 1)
static_assert(sizeof(entry_link) == 8, "addresses of 48 bits in words of 64");

struct entry {
    entry_link next;
    uint64_t id;
    union {
        struct {
            uint32_t df;
            uint16_t n;
            uint8_t state;
            uint8_t spent : 1; /* its value came; AWAITED: it served all it was promised to;
                                * DOOMED: dropped */
            uint8_t bound : 1; /* behind the indices stands its cell */
        };
        uint64_t what; /* all five, compared at once */
    };
    union {
        luna_value value;                        /* PRESENT */
        struct { struct waiter *first, *last; }; /* AWAITED, DOOMED */
    };
    int32_t uses;
    int32_t ix[];
};

typedef _Atomic(uintptr_t) bucket_word; /* an entry_link with, in its lowest bits, */
enum { LOCKED = 1, MOVED = 2 };
enum { CHAIN_LONG = 4 };
enum { GONE_SLOTS = 1 << 12, GONE_BITS = 7 };

struct table {
    struct table *newer, *older;
    uint64_t mask;
    _Alignas(64) bucket_word bucket[];
};

/* What activations declare that one worker has made: it uses most of it, while its lines of memory
 * are near. */
struct part {
    _Alignas(64) _Atomic(struct table *) table;
    /* Of what was freed lately, each at its own place: the hash, with enum store_gone in its
     * lowest bits. And of which declarations anything was: a bit each, some share one. They only
     * word a report. */
    _Atomic(uint64_t) *gone, left;
    _Alignas(64) atomic_int growing;
#ifndef NDEBUG
    _Atomic(uint64_t) served; /* see store_served */
#endif
};

struct store {
    bool many;
    struct lives *lives; /* NULL: not measured */
    uint64_t mask;       /* of the number of parts */
    struct part part[];
};

struct held { /* a locked bucket */
    bucket_word *bucket;
    struct part *part;
    struct table *table;
    entry_link head;
};

/* ---- store.c ---- */
/* What entry_measure does for who counts: most do not, and are quicker without it. */
void store_measure_entry(struct store *s, const struct entry *e, int sign);

/* ---- store_buckets.c ---- */
struct table *store_table_new(uint64_t buckets); /* NULL: out of memory */
void          store_table_free(struct table *t);
/* Waits for a bucket that somebody holds; or it has moved to a newer table. */
struct held store_lock_slow(struct part *part, struct table *t, uint64_t hash);
/* Does nothing if t is not full, or grows already. */
void store_grow(struct store *s, struct part *part, struct table *t);
#ifndef NDEBUG
/* The entries of a bucket that is let go; a new one is at its head. */
bool store_bucket_is_valid(entry_link head);
#endif

/* ---- links ---- */

static inline struct entry *
entry_at(entry_link link)
{
    return (struct entry *)(link & LINK_ADDRESS);
}

static inline entry_link
entry_bit(uint64_t hash)
{
    return (entry_link)1 << (LINK_BITS_AT + (hash >> 60));
}

static inline entry_link
entry_link_to(struct entry *e, uint64_t hash)
{
    assert(!((entry_link)e & ~LINK_ADDRESS));
    return (entry_link)e | entry_bit(hash) | (e->next & ~LINK_ADDRESS);
}

/* More than CHAIN_LONG bits are set: so many entries there are, or have been. */
static inline bool
entry_link_is_long(entry_link link)
{
    entry_link bits = link & ~LINK_ADDRESS;
    for (int n = 0; n < CHAIN_LONG; n++) bits &= bits - 1;
    return bits != 0;
}

/* ---- buckets ---- */

static inline struct part *
part_of(struct store *s, uint64_t id)
{
    return &s->part[id >> KEY_BLOCK_BITS & s->mask];
}

static inline uintptr_t
bucket_try(bucket_word *b)
{
    uintptr_t v = atomic_load_explicit(b, memory_order_relaxed);
    if (v & (LOCKED | MOVED)) return v;
    if (atomic_compare_exchange_weak_explicit(b, &v, v | LOCKED, memory_order_acquire,
                                              memory_order_relaxed))
        return v;
    return v | LOCKED; /* lost: whatever it was, look again */
}

static inline bucket_word *
bucket_of(struct part *part, uint64_t hash)
{
    struct table *t = atomic_load_explicit(&part->table, memory_order_acquire);
    return &t->bucket[hash & t->mask];
}

static inline struct held
bucket_lock(struct store *s, const struct key *key, uint64_t hash)
{
    struct part *part = part_of(s, key->id);
    struct table *t = atomic_load_explicit(&part->table, memory_order_acquire);
    bucket_word *b = &t->bucket[hash & t->mask];
    uintptr_t v = s->many ? bucket_try(b) : atomic_load_explicit(b, memory_order_relaxed);
    if (__builtin_expect(v & (LOCKED | MOVED), 0)) return store_lock_slow(part, t, hash);
    return (struct held){b, part, t, v};
}

static inline void
bucket_release(bucket_word *b, entry_link head)
{
    assert(store_bucket_is_valid(head));
    atomic_store_explicit(b, head, memory_order_release);
}

static inline void
bucket_unlock(struct held *h)
{
    bucket_release(h->bucket, h->head);
}

/* ---- entries, under the lock ---- */

static inline unsigned
entry_class_of(uint32_t n)
{
    return pool_class(offsetof(struct entry, ix) + n * sizeof(int32_t));
}

static inline unsigned
entry_class(const struct entry *e)
{
    return entry_class_of(e->n + e->bound);
}

static inline uint32_t
entry_bound(const struct entry *e)
{
    return e->bound ? (uint32_t)e->ix[e->n] : 0;
}

/* Of two names with equally many indices, two at most: are they the same? */
static inline bool
entry_has_indices(const struct entry *e, const struct key *k)
{
    return k->n == 2 ? e->ix[0] == k->ix[0] && e->ix[1] == k->ix[1] : !k->n || e->ix[0] == k->ix[0];
}

static inline bool
entry_is(const struct entry *e, const struct key *k)
{
    if (e->id != k->id || e->df != k->df || e->n != k->n) return false;
    return k->n <= 2 ? entry_has_indices(e, k) : !memcmp(k->ix, e->ix, k->n * sizeof *k->ix);
}

struct found {
    entry_link *link; /* leads to the entry, if there is one */
    struct entry *entry;
};

static inline struct found
entry_find(struct held *h, const struct key *key, uint64_t hash)
{
    struct found f = {&h->head, NULL};
    for (; *f.link & entry_bit(hash); f.link = &f.entry->next) {
        f.entry = entry_at(*f.link);
        if (entry_is(f.entry, key)) return f;
    }
    f.entry = NULL;
    return f;
}

/* It leaves its chain. */
static inline void
found_leaves(const struct found *f)
{
    *f->link = f->entry->next;
}

/* Its name without the indices; neither spent nor bound. */
static inline void
entry_init(struct entry *e, const struct key *key, enum entry_state state, entry_link next)
{
    e->next = next;
    e->id = key->id;
    e->what = key->df | (uint64_t)key->n << 32 | (uint64_t)state << 48;
}

/* In front of `next`. */
static inline struct entry *
entry_new(const struct key *key, enum entry_state state, entry_link next)
{
    bool bound = key->bound != 0;
    struct entry *e = pool_get(entry_class_of(key->n + bound));
    if (!e) return NULL;
    entry_init(e, key, state, next);
    e->uses = 0;
    for (uint32_t i = 0; i < key->n; i++) e->ix[i] = key->ix[i];
    if (bound) e->ix[key->n] = (int32_t)key->bound;
    e->bound = bound;
    return e;
}

/* Nobody waits for it yet. */
static inline struct entry *
entry_add(struct held *h, const struct key *key, uint64_t hash, enum entry_state state)
{
    struct entry *e = entry_new(key, state, h->head);
    if (!e) return NULL;
    e->first = e->last = NULL;
    h->head = entry_link_to(e, hash);
    return e;
}

static inline void
entry_drop(struct entry *e)
{
    if (e->state == PRESENT) value_release(e->value);
    pool_put(entry_class(e), e);
}

/* A value has come into the store, or (sign -1) left it. */
static inline void
entry_measure(struct store *s, const struct entry *e, int sign)
{
    if (__builtin_expect(!s->lives, 1) || value_is_block(e->value)) return;
    store_measure_entry(s, e, sign);
}

/* n readers get its value. A name under which a value follows a call is none that a program reads
 * (store_pair). */
static inline void
entry_count_served(struct store *s, const struct entry *e, int32_t n)
{
#ifdef NDEBUG
    (void)s, (void)e, (void)n;
#else
    if (!(e->df & KEY_FOLLOWS))
        atomic_fetch_add_explicit(&part_of(s, e->id)->served, (uint64_t)n, memory_order_relaxed);
#endif
}

/* ---- what is gone ---- */

static inline uint64_t
part_left_bit(uint32_t df)
{
    return (uint64_t)1 << df % 64;
}

static inline void
part_note_gone(struct part *part, uint64_t hash, uint32_t df, enum store_gone how)
{
    atomic_store_explicit(&part->gone[hash % GONE_SLOTS], (hash & ~(uint64_t)GONE_BITS) | how,
                          memory_order_relaxed);
    if (!(atomic_load_explicit(&part->left, memory_order_relaxed) & part_left_bit(df)))
        atomic_fetch_or_explicit(&part->left, part_left_bit(df), memory_order_relaxed);
}

#endif
