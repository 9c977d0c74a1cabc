/* store.c - hash tables, one for the activations of each worker; a bucket's word is list head and
 * lock in one. */
#include "store.h"

#include "runtime/base/clock.h"
#include "runtime/base/mem.h"
#include "runtime/base/pool.h"
#include "runtime/base/spin.h"

#include <assert.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

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

enum { LOCKED = 1, MOVED = 2, BUCKETS_FIRST = 1 << 8, CHAIN_LONG = 4 };
enum { GONE_SLOTS = 1 << 14, GONE_BITS = 7 };
enum { MOVES_AHEAD = 16 }; /* buckets whose first entries are fetched while one is moved */

struct table {
    struct table *newer, *older;
    uint64_t mask;
    _Alignas(64) _Atomic(uintptr_t) bucket[];
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

static inline struct entry *
link_entry(entry_link link)
{
    return (struct entry *)(link & LINK_ADDRESS);
}

static inline entry_link
link_bit(uint64_t hash)
{
    return (entry_link)1 << (LINK_BITS_AT + (hash >> 60));
}

static inline entry_link
link_to(struct entry *e, uint64_t hash)
{
    assert(!((entry_link)e & ~LINK_ADDRESS));
    return (entry_link)e | link_bit(hash) | (e->next & ~LINK_ADDRESS);
}

/* More than CHAIN_LONG bits are set: so many entries there are, or have been. */
static inline bool
link_is_long(entry_link link)
{
    entry_link bits = link & ~LINK_ADDRESS;
    for (int n = 0; n < CHAIN_LONG; n++) bits &= bits - 1;
    return bits != 0;
}

struct held { /* a locked bucket */
    _Atomic(uintptr_t) *bucket;
    struct part *part;
    struct table *table;
    entry_link head;
};

static inline unsigned
ints_class(uint32_t n)
{
    return pool_class(offsetof(struct entry, ix) + n * sizeof(int32_t));
}

static inline unsigned
entry_class(const struct entry *e)
{
    return ints_class(e->n + e->bound);
}

static inline uint32_t
entry_bound(const struct entry *e)
{
    return e->bound ? (uint32_t)e->ix[e->n] : 0;
}

static size_t
table_bytes(uint64_t buckets)
{
    return sizeof(struct table) + buckets * sizeof(uintptr_t);
}

static struct table *
table_new(uint64_t buckets)
{
    size_t bytes = table_bytes(buckets);
    struct table *t = pool_take(bytes);
    if (!t) return NULL;
    memset(t, 0, bytes);
    t->mask = buckets - 1;
    return t;
}

static bool
part_init(struct part *part)
{
    struct table *t = table_new(BUCKETS_FIRST);
    part->gone = mem_zalloc(GONE_SLOTS, sizeof *part->gone);
    atomic_init(&part->table, t);
    return t && part->gone;
}

static size_t
store_bytes(uint64_t parts)
{
    return sizeof(struct store) + parts * sizeof(struct part);
}

enum err
store_new(struct store **out, unsigned workers)
{
    uint64_t parts = 1;
    while (parts < workers) parts *= 2;
    struct store *s = mem_aligned(64, store_bytes(parts));
    *out = NULL;
    if (!s) return E_NOMEM;
    memset(s, 0, store_bytes(parts));
    s->many = workers > 1;
    s->mask = parts - 1;
    bool ok = true;
    for (uint64_t i = 0; i < parts; i++) ok &= part_init(&s->part[i]);
    if (ok) *out = s;
    else store_free(s);
    return ok ? OK : E_NOMEM;
}

static inline struct part *
part_of(struct store *s, uint64_t id)
{
    return &s->part[id >> KEY_BLOCK_BITS & s->mask];
}

static void
entry_drop(struct entry *e)
{
    if (e->state == PRESENT) value_release(e->value);
    pool_put(entry_class(e), e);
}

static void
part_fini(struct part *part)
{
    struct table *t = atomic_load(&part->table);
    for (uint64_t k = 0; t && k <= t->mask; k++) {
        struct entry *e =
            link_entry(atomic_load_explicit(&t->bucket[k], memory_order_relaxed));
        for (struct entry *next; e; e = next) {
            next = link_entry(e->next);
            entry_drop(e);
        }
    }
    for (struct table *older; t; t = older) {
        older = t->older;
        pool_give(t, table_bytes(t->mask + 1));
    }
    mem_free(part->gone);
}

void
store_free(struct store *s)
{
    if (!s) return;
    for (uint64_t i = 0; i <= s->mask; i++) part_fini(&s->part[i]);
    mem_free(s);
}

static uint64_t
entry_hash(const struct entry *e)
{
    struct key k;
    k.id = e->id;
    k.df = e->df;
    k.n = e->n;
    memcpy(k.ix, e->ix, e->n * sizeof *e->ix);
    return key_hash(&k);
}

/* ---- what is always true of an entry (docs/protocols.md, section 2) ---- */

#ifndef NDEBUG
enum { ENTRY_LOOK = 8 }; /* at so many entries and waiters behind one */

static bool
waiters_are_valid(const struct waiter *first, const struct waiter *last)
{
    if (!first || !last) return !first && !last;
    const struct waiter *w = first;
    for (int n = 0; w != last && n < ENTRY_LOOK; n++)
        if (!(w = w->next)) return false;
    return !last->next;
}

static bool
entry_is_valid(const struct entry *e)
{
    if (e->n > KEY_INDICES_MAX) return false;
    switch ((enum entry_state)e->state) {
    case PRESENT: /* protocols 2.2: no waiters, the value lies where they would; protocols 2.3 */
        return e->value.type != LUNA_UNSET && !e->spent &&
               (e->uses > 0 || e->uses == STORE_USES_UNLIMITED);
    case AWAITED: /* somebody waits, or has waited in vain: protocols 2.4 */
        return !e->uses && waiters_are_valid(e->first, e->last) && (e->first || e->spent);
    case DOOMED: return !e->uses && waiters_are_valid(e->first, e->last);
    }
    return false;
}

/* protocols 2.5: w stands behind all who asked before. */
static bool
stands_last(const struct entry *e, const struct waiter *first, const struct waiter *last,
            const struct waiter *w)
{
    if (e->last != w || w->next) return false;
    return last ? e->first == first && last->next == w : e->first == w;
}

/* protocols 2.5: the n who have gone stood in front. */
static bool
stood_in_front(const struct waiter *list, int32_t n, const struct waiter *first)
{
    if (list != first) return false;
    while (list && --n > 0) list = list->next;
    return list && !list->next;
}

static bool
entries_are_alike(const struct entry *a, const struct entry *b)
{
    return a->id == b->id && a->df == b->df && a->n == b->n &&
           !memcmp(a->ix, b->ix, a->n * sizeof *a->ix);
}

/* The entries of a bucket that is let go; a new one is at its head. */
static bool
bucket_is_valid(entry_link head)
{
    const struct entry *first = link_entry(head), *e = first;
    for (int n = 0; e && n < ENTRY_LOOK; e = link_entry(e->next), n++) {
        entry_link bits = link_bit(entry_hash(e)) | (e->next & ~LINK_ADDRESS);
        if (!entry_is_valid(e)) return false;
        if (e != first && entries_are_alike(e, first)) return false; /* protocols 2.1 */
        if ((head & bits) != bits) return false;
    }
    return true;
}
#endif

/* ---- buckets ---- */

static inline uintptr_t
bucket_try(_Atomic(uintptr_t) *b)
{
    uintptr_t v = atomic_load_explicit(b, memory_order_relaxed);
    if (v & (LOCKED | MOVED)) return v;
    if (atomic_compare_exchange_weak_explicit(b, &v, v | LOCKED, memory_order_acquire,
                                              memory_order_relaxed))
        return v;
    return v | LOCKED; /* lost: whatever it was, look again */
}

static __attribute__((noinline)) struct held
bucket_lock_slow(struct part *part, struct table *t, uint64_t hash)
{
    for (unsigned n = 0;;) {
        _Atomic(uintptr_t) *b = &t->bucket[hash & t->mask];
        uintptr_t v = bucket_try(b);
        if (v == MOVED) {
            /* The mark was set after the new table was linked: acquire makes the link visible. */
            (void)atomic_load_explicit(b, memory_order_acquire);
            t = t->newer;
        } else if (!(v & LOCKED)) {
            return (struct held){b, part, t, v};
        } else if (++n > 1000) { /* its holder may have lost its core */
            sched_yield();
            n = 0;
        } else {
            spin_relax();
        }
    }
}

static inline _Atomic(uintptr_t) *
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
    _Atomic(uintptr_t) *b = &t->bucket[hash & t->mask];
    uintptr_t v = s->many ? bucket_try(b) : atomic_load_explicit(b, memory_order_relaxed);
    if (__builtin_expect(v & (LOCKED | MOVED), 0)) return bucket_lock_slow(part, t, hash);
    return (struct held){b, part, t, v};
}

static inline void
bucket_release(_Atomic(uintptr_t) *b, entry_link head)
{
    assert(bucket_is_valid(head));
    atomic_store_explicit(b, head, memory_order_release);
}

static inline void
bucket_unlock(struct held *h)
{
    bucket_release(h->bucket, h->head);
}

/* Its first entry; who holds its lock does not matter. */
static inline void
bucket_prefetch(_Atomic(uintptr_t) *b)
{
    __builtin_prefetch(link_entry(atomic_load_explicit(b, memory_order_relaxed)), 1);
}

static void
bucket_move(struct store *s, _Atomic(uintptr_t) *from, struct table *to)
{
    uintptr_t v = atomic_load_explicit(from, memory_order_relaxed);
    while (s->many && (v = bucket_try(from)) & LOCKED) spin_relax();
    struct entry *e = link_entry(v);
    for (struct entry *next; e; e = next) {
        next = link_entry(e->next);
        __builtin_prefetch(next, 1);
        uint64_t hash = entry_hash(e);
        _Atomic(uintptr_t) *b = &to->bucket[hash & to->mask];
        e->next = atomic_load_explicit(b, memory_order_relaxed);
        entry_link head = link_to(e, hash);
        assert(bucket_is_valid(head));
        atomic_store_explicit(b, head, memory_order_relaxed);
    }
    atomic_store_explicit(from, MOVED, memory_order_release);
}

/* A long chain alone is no reason (keys may cluster): look at a sample of the buckets first. */
static bool
table_is_full(struct table *t)
{
    int used = 0;
    for (uint64_t k = 0; k < 256; k++)
        used +=
            atomic_load_explicit(&t->bucket[k * 2654435761u & t->mask], memory_order_relaxed) != 0;
    return used > 150;
}

static __attribute__((noinline)) void
store_grow(struct store *s, struct part *part, struct table *t)
{
    if (atomic_exchange(&part->growing, 1)) return;
    if (atomic_load(&part->table) == t && table_is_full(t)) {
        struct table *u = table_new(4 * (t->mask + 1));
        if (u) { /* else: longer chains */
            u->older = t; /* stays until the end: late readers of its buckets still see MOVED */
            t->newer = u;
            for (uint64_t k = 0; k <= t->mask; k++) {
                bucket_prefetch(&t->bucket[(k + MOVES_AHEAD) & t->mask]);
                bucket_move(s, &t->bucket[k], u);
            }
            atomic_store_explicit(&part->table, u, memory_order_release);
        }
    }
    atomic_store(&part->growing, 0);
}

/* ---- entries, under the lock ---- */

/* Of two names with equally many indices, two at most: are they the same? */
static inline bool
two_indices(const struct entry *e, const struct key *k)
{
    return k->n == 2 ? e->ix[0] == k->ix[0] && e->ix[1] == k->ix[1] : !k->n || e->ix[0] == k->ix[0];
}

static inline bool
entry_is(const struct entry *e, const struct key *k)
{
    if (e->id != k->id || e->df != k->df || e->n != k->n) return false;
    return k->n <= 2 ? two_indices(e, k) : !memcmp(k->ix, e->ix, k->n * sizeof *k->ix);
}

struct found {
    entry_link *link; /* leads to the entry, if there is one */
    struct entry *entry;
};

static inline struct found
entry_find(struct held *h, const struct key *key, uint64_t hash)
{
    struct found f = {&h->head, NULL};
    for (; *f.link & link_bit(hash); f.link = &f.entry->next) {
        f.entry = link_entry(*f.link);
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
static struct entry *
entry_new(const struct key *key, enum entry_state state, entry_link next)
{
    bool bound = key->bound != 0;
    struct entry *e = pool_get(ints_class(key->n + bound));
    if (!e) return NULL;
    entry_init(e, key, state, next);
    e->uses = 0;
    for (uint32_t i = 0; i < key->n; i++) e->ix[i] = key->ix[i];
    if (bound) e->ix[key->n] = (int32_t)key->bound;
    e->bound = bound;
    return e;
}

/* Nobody waits for it yet. */
static struct entry *
entry_add(struct held *h, const struct key *key, uint64_t hash, enum entry_state state)
{
    struct entry *e = entry_new(key, state, h->head);
    if (!e) return NULL;
    e->first = e->last = NULL;
    h->head = link_to(e, hash);
    return e;
}

static inline uint64_t
left_bit(uint32_t df)
{
    return (uint64_t)1 << df % 64;
}

static void
note_gone(struct part *part, uint64_t hash, uint32_t df, enum store_gone how)
{
    atomic_store_explicit(&part->gone[hash % GONE_SLOTS], (hash & ~(uint64_t)GONE_BITS) | how,
                          memory_order_relaxed);
    if (!(atomic_load_explicit(&part->left, memory_order_relaxed) & left_bit(df)))
        atomic_fetch_or_explicit(&part->left, left_bit(df), memory_order_relaxed);
}

/* A value has come into the store, or (sign -1) left it. */
static inline void
measure(struct store *s, const struct entry *e, int sign)
{
    if (__builtin_expect(!s->lives, 1) || value_is_block(e->value)) return;
    size_t bytes;
    value_bytes(&e->value, &bytes);
    uint32_t bound = e->df & KEY_MARKS ? 0 : entry_bound(e);
    live_add(lives_of(s->lives, bound), sign * (long)bytes, sign);
}

/* n readers get its value. A name under which a value follows a call is none that a program reads
 * (store_pair). */
static inline void
count_served(struct store *s, const struct entry *e, int32_t n)
{
#ifdef NDEBUG
    (void)s, (void)e, (void)n;
#else
    if (!(e->df & KEY_FOLLOWS))
        atomic_fetch_add_explicit(&part_of(s, e->id)->served, (uint64_t)n, memory_order_relaxed);
#endif
}

/* The last promised reader takes the value along. */
static inline void
present_end(struct store *s, struct part *part, struct entry *e, uint64_t hash, unsigned class_)
{
    if (__builtin_expect(s->lives != NULL, 0)) measure(s, e, -1);
    note_gone(part, hash, e->df, GONE_USED_UP);
    pool_put(class_, e);
}

/* Unlocks the bucket. */
static luna_value
present_take(struct store *s, struct held *h, const struct found *f, uint64_t hash)
{
    struct entry *e = f->entry;
    luna_value v = e->value;
    bool last = e->uses == 1;
    count_served(s, e, 1);
    if (last) found_leaves(f);
    else if (e->uses > 0) e->uses--;
    if (!last) value_retain(v);
    bucket_unlock(h);
    if (last) present_end(s, h->part, e, hash, entry_class(e));
    return v;
}

static __attribute__((noinline)) bool
take_slow(struct store *s, const struct key *key, luna_value *v, uint64_t hash)
{
    struct held h = bucket_lock(s, key, hash);
    struct found f = entry_find(&h, key, hash);
    bool here = f.entry && f.entry->state == PRESENT;
    if (here) *v = present_take(s, &h, &f, hash);
    else bucket_unlock(&h);
    return here;
}

/* A present value of a name with at most two indices, found without a call; else the long way.
 * `many` is a constant where it is called: so this is compiled twice, for one worker without any
 * locks. */
static inline bool
take_quick(struct store *s, const struct key *key, luna_value *v, uint64_t hash, bool many)
{
    struct part *part = many ? part_of(s, key->id) : s->part;
    _Atomic(uintptr_t) *b = bucket_of(part, hash);
    uintptr_t word = many ? bucket_try(b) : atomic_load_explicit(b, memory_order_relaxed);
    if (many && word & (LOCKED | MOVED)) return take_slow(s, key, v, hash);
    uint64_t what = key->df | (uint64_t)key->n << 32 | (uint64_t)PRESENT << 48;
    entry_link head = word, *link = &head, bit = link_bit(hash);
    struct entry *e = NULL;
    for (; *link & bit; link = &e->next) {
        e = link_entry(*link);
        if (e->what == what && e->id == key->id && two_indices(e, key)) break;
    }
    if (!(*link & bit)) {
        if (many) bucket_release(b, head);
        return false;
    }
    *v = e->value;
    int32_t uses = e->uses;
    count_served(s, e, 1);
    if (__builtin_expect(uses == 1, 1)) {
        *link = e->next;
    } else {
        e->uses = uses - (uses > 0);
        value_retain(*v);
    }
    if (many || uses == 1) bucket_release(b, head);
    if (uses == 1) present_end(s, part, e, hash, key->n == 2 ? ints_class(2) : ints_class(1));
    return true;
}

static __attribute__((noinline)) bool
take_many(struct store *s, const struct key *key, luna_value *v, uint64_t hash)
{
    return take_quick(s, key, v, hash, true);
}

bool
store_take(struct store *s, const struct key *key, luna_value *v)
{
    uint64_t hash = key_hash(key);
    if (__builtin_expect(key->n > 2, 0)) return take_slow(s, key, v, hash);
    return s->many ? take_many(s, key, v, hash) : take_quick(s, key, v, hash, false);
}

/* Links a waiter to e, which may be NULL, and lets the bucket go. */
static enum store_want
want_later(struct store *s, struct held *h, struct entry *e, const struct key *key, uint64_t hash,
           store_waiter_fn *waiter_of, void *who)
{
    assert(!e || !e->first || entry_bound(e) == key->bound); /* COUNTS find their way by it */
    if (!e) e = entry_add(h, key, hash, AWAITED);
    struct waiter *w = e ? waiter_of(who) : NULL;
    bool first = e && !e->last, empty = first && !w && !e->spent && e->state == AWAITED;
    if (w) {
        struct waiter *front = e->first, *behind = e->last;
        w->next = NULL;
        if (behind) behind->next = w; else e->first = w;
        e->last = w;
        assert(stands_last(e, front, behind, w));
        (void)front;
    } else if (empty) {
        h->head = e->next; /* it was made just now */
    }
    bucket_unlock(h);
    if (empty) pool_put(entry_class(e), e);
    if (link_is_long(h->head)) store_grow(s, h->part, h->table);
    return !w ? WANT_NOMEM : first ? WANT_FIRST : WANT_WAIT;
}

void
store_prefetch(struct store *s, const struct key *key, uint64_t hash)
{
    __builtin_prefetch(bucket_of(part_of(s, key->id), hash), 1);
}

enum store_want
store_want(struct store *s, const struct key *key, luna_value *v, store_waiter_fn *waiter_of,
           void *who)
{
    uint64_t hash = key_hash(key);
    struct held h = bucket_lock(s, key, hash);
    struct found f = entry_find(&h, key, hash);
    if (f.entry && f.entry->state == PRESENT) {
        *v = present_take(s, &h, &f, hash);
        return WANT_HERE;
    }
    return want_later(s, &h, f.entry, key, hash, waiter_of, who);
}

static bool
is_small(luna_value v, size_t most)
{
    return !value_is_block(v) || value_block(v)->size <= most;
}

bool
store_awaits(struct store *s, const struct key *key, store_is_fn *is, void *who)
{
    uint64_t hash = key_hash(key);
    struct held h = bucket_lock(s, key, hash);
    const struct entry *e = entry_find(&h, key, hash).entry;
    bool yes = e && e->state == AWAITED && is(who, e->first);
    bucket_unlock(&h);
    return yes;
}

bool
store_copy(struct store *s, const struct key *key, size_t most, luna_value *v)
{
    uint64_t hash = key_hash(key);
    struct held h = bucket_lock(s, key, hash);
    const struct entry *e = entry_find(&h, key, hash).entry;
    bool good = e && e->state == PRESENT && e->uses == STORE_USES_UNLIMITED &&
                is_small(e->value, most);
    if (good) {
        *v = e->value;
        value_retain(*v);
    }
    bucket_unlock(&h);
    return good;
}

enum store_want
store_want_for(struct store *s, const struct key *key, size_t most, luna_value *v,
               store_may_fn *may, store_waiter_fn *waiter_of, void *who)
{
    uint64_t hash = key_hash(key);
    struct held h = bucket_lock(s, key, hash);
    struct found f = entry_find(&h, key, hash);
    struct entry *e = f.entry;
    bool present = e && e->state == PRESENT;
    if (present ? !is_small(e->value, most) : !may(who, e ? e->first : NULL)) {
        bucket_unlock(&h);
        return WANT_NOT;
    }
    if (present) {
        *v = present_take(s, &h, &f, hash);
        return WANT_HERE;
    }
    return want_later(s, &h, e, key, hash, waiter_of, who);
}

struct waiter *
store_take_waiters(struct store *s, struct key *key)
{
    uint64_t hash = key_hash(key);
    struct held h = bucket_lock(s, key, hash);
    struct found f = entry_find(&h, key, hash);
    struct entry *e = f.entry;
    struct waiter *list = NULL;
    bool taken = e && e->state == AWAITED;
    if (taken) {
        list = e->first;
        key->bound = entry_bound(e);
        found_leaves(&f);
    }
    bucket_unlock(&h);
    if (taken) pool_put(entry_class(e), e);
    return list;
}

enum err
store_pair(struct store *s, const struct key *key, luna_value v, struct waiter **waiter)
{
    uint64_t hash = key_hash(key);
    struct held h = bucket_lock(s, key, hash);
    struct found f = entry_find(&h, key, hash);
    struct entry *e = f.entry, *empty = NULL;
    *waiter = NULL;
    if (e && e->state == AWAITED) {
        *waiter = e->first;
        e->first = e->first->next;
        if (!e->first) {
            found_leaves(&f);
            empty = e;
        }
    } else if (e) {
        assert(e->state == PRESENT && e->uses > 0); /* protocols 2.3 */
        e->uses++;
    } else if ((e = entry_add(&h, key, hash, PRESENT))) {
        e->value = v;
        e->uses = 1;
        measure(s, e, 1);
        v = value_unset();
    }
    bucket_unlock(&h);
    if (empty) pool_put(entry_class(empty), empty);
    if (!*waiter) value_release(v);
    return e ? OK : E_NOMEM;
}

/* Takes up to `uses` waiters off the entry (all when unlimited); gives how many. */
static int32_t
entry_serve(struct entry *e, int32_t uses, struct waiter **list)
{
    int32_t n = 0;
    struct waiter *const first = e->first, *last = NULL;
    *list = first;
    for (struct waiter *w = e->first; w && (uses < 0 || n < uses); w = w->next, n++) last = w;
    if (!n) {
        *list = NULL;
        return 0;
    }
    e->first = last->next;
    if (!e->first) e->last = NULL;
    last->next = NULL;
    assert(stood_in_front(*list, n, first));
    (void)first;
    return n;
}

static void
value_retain_times(luna_value v, int32_t n)
{
    if (value_is_block(v) && n > 0)
        atomic_fetch_add_explicit(&value_block(v)->refs, (uint32_t)n, memory_order_relaxed);
}

/* The entry of a value that has waiters. Counts v once per waiter; keeps one more if it stays. */
static void
put_awaited(struct store *s, struct held *h, const struct found *f, uint64_t hash, luna_value v,
            int32_t uses, struct waiter **waiters)
{
    struct entry *e = f->entry;
    assert(e->state == AWAITED && !e->spent); /* protocols 2.4 */
    int32_t served = entry_serve(e, uses, waiters);
    count_served(s, e, served);
    bool stays = (uses < 0 || served < uses) && !e->first;
    value_retain_times(v, stays ? served : served - 1);
    if (stays) {
        e->value = v;
        e->uses = uses < 0 ? uses : uses - served;
        e->state = PRESENT;
        measure(s, e, 1);
        bucket_unlock(h);
        return;
    }
    if (e->first) { /* promised to fewer than asked: they wait on, and a report will say why */
        e->spent = 1;
        bucket_unlock(h);
    } else {
        found_leaves(f);
        bucket_unlock(h);
        note_gone(h->part, hash, e->df, GONE_USED_UP);
        pool_put(entry_class(e), e);
    }
    if (!served) value_release(v);
}

/* A value for which there is an entry: awaited, doomed, or a value already. Unlocks. */
static __attribute__((noinline)) enum err
put_known(struct store *s, struct held *h, const struct found *f, uint64_t hash, luna_value v,
          int32_t uses, struct waiter **waiters)
{
    struct entry *e = f->entry;
    if (e->state == PRESENT || e->spent) {
        bucket_unlock(h);
        return E_TWICE;
    }
    if (e->state == AWAITED) {
        put_awaited(s, h, f, hash, v, uses, waiters);
        return OK;
    }
    assert(e->state == DOOMED); /* protocols 2.4 */
    note_gone(h->part, hash, e->df, GONE_KILLED);
    if (e->first) { /* asked for after it was deleted: they wait on, and a report will say why */
        e->spent = 1;
        bucket_unlock(h);
    } else {
        found_leaves(f);
        bucket_unlock(h);
        pool_put(entry_class(e), e);
    }
    value_release(v);
    return OK;
}

static __attribute__((noinline)) enum err
put_slow(struct store *s, const struct key *key, uint64_t hash, luna_value v, int32_t uses,
         struct waiter **waiters)
{
    if (s->lives && value_is_block(v))
        block_measure(value_block(v), lives_of(s->lives, key->df & KEY_MARKS ? 0 : key->bound),
                      lives_kind(s->lives, key->df & ~KEY_MARKS));
    struct held h = bucket_lock(s, key, hash);
    struct found f = entry_find(&h, key, hash);
    if (f.entry) return put_known(s, &h, &f, hash, v, uses, waiters);
    if (uses == 0) {
        bucket_unlock(&h);
        note_gone(h.part, hash, key->df, GONE_USED_UP);
        value_release(v);
        return OK;
    }
    struct entry *e = entry_new(key, PRESENT, h.head);
    if (e) {
        e->value = v;
        e->uses = uses;
        measure(s, e, 1);
        h.head = link_to(e, hash);
    }
    bucket_unlock(&h);
    if (link_is_long(h.head)) store_grow(s, h.part, h.table);
    return e ? OK : E_NOMEM;
}

/* Another worker was quicker: the entry that was to be put is not. */
static __attribute__((noinline)) enum err
put_overtaken(struct store *s, const struct key *key, uint64_t hash, luna_value v, int32_t uses,
              struct waiter **waiters, struct entry *e)
{
    pool_put(entry_class(e), e);
    return put_slow(s, key, hash, v, uses, waiters);
}

/* It was put in front of many: is the table too small? */
static __attribute__((noinline)) enum err
put_at_length(struct store *s, const struct key *key)
{
    struct part *part = part_of(s, key->id);
    store_grow(s, part, atomic_load_explicit(&part->table, memory_order_acquire));
    return OK;
}

/* It has two indices at most, and no cell. */
static inline bool
key_is_small(const struct key *key)
{
    return ((uint64_t)key->bound << 32 | key->n) <= 2;
}

/* Most often nobody has mentioned it, and all that is needed is at hand: then nothing is called. */
enum err
store_put_hashed(struct store *s, const struct key *key, uint64_t hash, luna_value v, int32_t uses,
                 struct waiter **waiters)
{
    *waiters = NULL;
    _Atomic(uintptr_t) *b = bucket_of(part_of(s, key->id), hash);
    uintptr_t word = atomic_load_explicit(b, memory_order_relaxed);
    if (word & (LOCKED | MOVED | link_bit(hash)) || uses == 0 || !key_is_small(key) || s->lives)
        return put_slow(s, key, hash, v, uses, waiters);
    struct entry *e = pool_get_quick(key->n == 2 ? ints_class(2) : ints_class(1));
    if (__builtin_expect(!e, 0)) return put_slow(s, key, hash, v, uses, waiters);
    entry_init(e, key, PRESENT, word);
    if (key->n) e->ix[0] = key->ix[0];
    if (key->n == 2) e->ix[1] = key->ix[1];
    e->value = v;
    e->uses = uses;
    entry_link head = link_to(e, hash);
    assert(s->many || bucket_is_valid(head));
    if (!s->many)
        atomic_store_explicit(b, head, memory_order_release);
    else if (!atomic_compare_exchange_strong_explicit(b, &word, head, memory_order_release,
                                                      memory_order_relaxed))
        return put_overtaken(s, key, hash, v, uses, waiters, e);
    return __builtin_expect(link_is_long(head), 0) ? put_at_length(s, key) : OK;
}

enum store_kill
store_kill(struct store *s, const struct key *key)
{
    uint64_t hash = key_hash(key);
    struct held h = bucket_lock(s, key, hash);
    struct found f = entry_find(&h, key, hash);
    struct entry *e = f.entry;
    if (!e) {
        e = entry_add(&h, key, hash, DOOMED);
        bucket_unlock(&h);
        return e ? KILL_LATER : KILL_NOMEM;
    }
    enum store_kill k = e->state == DOOMED     ? KILL_AGAIN
                        : e->state == AWAITED  ? KILL_REQUESTED
                        : e->uses > 0          ? KILL_COUNTED
                                               : KILL_DONE;
    if (k != KILL_DONE) {
        bucket_unlock(&h);
        return k;
    }
    found_leaves(&f);
    measure(s, e, -1);
    bucket_unlock(&h);
    note_gone(h.part, hash, key->df, GONE_KILLED);
    entry_drop(e);
    return k;
}

/* ---- looking around ---- */

void
store_measure(struct store *s, struct lives *lives)
{
    s->lives = lives;
}

void
store_measure_moved(struct store *s, luna_value v, uint32_t df, uint32_t bound)
{
    if (s->lives && value_is_block(v))
        block_measure_anew(value_block(v), lives_of(s->lives, bound),
                           lives_kind(s->lives, df & ~KEY_MARKS));
}

static struct key
entry_key(const struct entry *e)
{
    struct key k = {.id = e->id, .df = e->df, .n = e->n};
    memcpy(k.ix, e->ix, e->n * sizeof *e->ix);
    k.bound = entry_bound(e);
    return k;
}

static void
entry_show(const struct entry *e, void (*fn)(void *who, const struct store_entry *e), void *who)
{
    struct key key = entry_key(e);
    struct store_entry out = {.key = &key, .present = e->state == PRESENT,
                              .doomed = e->state == DOOMED, .spent = e->spent, .uses = e->uses};
    if (e->state == PRESENT) out.value = e->value;
    else out.waiters = e->first;
    fn(who, &out);
}

/* Out of memory is told while others work: so under the lock, but not for ever: its holder may be
 * the one who met the fault, or the signal that ends the run. */
enum { HOLDER_NS = 50000000 };
static void
bucket_show(struct table *t, uint64_t k, void (*fn)(void *who, const struct store_entry *e),
            void *who)
{
    uintptr_t v;
    for (uint64_t until = 0; (v = bucket_try(&t->bucket[k])) & LOCKED; sched_yield()) {
        if (!until) until = clock_ns() + HOLDER_NS;
        if (clock_ns() > until) return;
    }
    if (v == MOVED) {
        (void)atomic_load_explicit(&t->bucket[k], memory_order_acquire);
        for (uint64_t i = k; i <= t->newer->mask; i += t->mask + 1)
            bucket_show(t->newer, i, fn, who);
        return;
    }
    for (const struct entry *e = link_entry(v); e; e = link_entry(e->next)) entry_show(e, fn, who);
    atomic_store_explicit(&t->bucket[k], v, memory_order_release);
}

/* One entry of a sweep: true, it goes. */
static bool
entry_sweep(struct store *s, struct entry *e, store_sweep_fn *fn, void *who)
{
    struct key k = entry_key(e);
    bool present = e->state == PRESENT;
    struct store_entry view = {.key = &k, .present = present, .doomed = e->state == DOOMED,
                               .spent = e->spent, .uses = e->uses,
                               .value = present ? e->value : value_unset(),
                               .waiters = present ? NULL : e->first};
    bool goes = fn(who, &view);
    if (goes && present) measure(s, e, -1);
    if (goes || present) return goes;
    e->first = view.waiters;
    for (struct waiter *w = e->last = e->first; w; w = w->next) e->last = w;
    return e->state == AWAITED && !e->first && !e->spent;
}

static void
bucket_sweep(struct store *s, _Atomic(uintptr_t) *bucket, store_sweep_fn *fn, void *who)
{
    entry_link head = atomic_load(bucket), *link = &head;
    assert(!(head & (LOCKED | MOVED)));
    for (struct entry *e; (e = link_entry(*link));) {
        if (!entry_sweep(s, e, fn, who)) {
            link = &e->next;
            continue;
        }
        *link = e->next;
        pool_put(entry_class(e), e);
    }
    assert(bucket_is_valid(head));
    atomic_store(bucket, head);
}

void
store_sweep(struct store *s, store_sweep_fn *fn, void *who)
{
    for (uint64_t i = 0; i <= s->mask; i++) {
        struct table *t = atomic_load(&s->part[i].table);
        for (uint64_t k = 0; k <= t->mask; k++) bucket_sweep(s, &t->bucket[k], fn, who);
    }
}

/* Most buckets of a large table are: they are not locked to see that. */
static inline bool
bucket_is_empty(_Atomic(uintptr_t) *b)
{
    return !(atomic_load_explicit(b, memory_order_relaxed) & LINK_ADDRESS);
}

void
store_each(const struct store *s, void (*fn)(void *who, const struct store_entry *e), void *who)
{
    for (uint64_t i = 0; i <= s->mask; i++) {
        struct table *t = atomic_load(&s->part[i].table);
        for (uint64_t k = 0; k <= t->mask; k++)
            if (!bucket_is_empty(&t->bucket[k])) bucket_show(t, k, fn, who);
    }
}

#ifndef NDEBUG
uint64_t
store_served(const struct store *s)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i <= s->mask; i++) n += atomic_load(&s->part[i].served);
    return n;
}
#endif

bool
store_has(struct store *s, const struct key *key)
{
    uint64_t hash = key_hash(key);
    struct held h = bucket_lock(s, key, hash);
    const struct entry *e = entry_find(&h, key, hash).entry;
    bool has = e && e->state == PRESENT;
    /* As it was: a report joins lists of waiters, and then asks for more. */
    atomic_store_explicit(h.bucket, h.head, memory_order_release);
    return has;
}

enum store_gone
store_gone(const struct store *s, const struct key *key)
{
    const struct part *part = &s->part[key->id >> KEY_BLOCK_BITS & s->mask];
    uint64_t hash = key_hash(key);
    uint64_t g = atomic_load_explicit(&part->gone[hash % GONE_SLOTS], memory_order_relaxed);
    if (g && !((g ^ hash) & ~(uint64_t)GONE_BITS)) return (enum store_gone)(g & GONE_BITS);
    return g && store_let_go(s, key->df) ? GONE_PERHAPS : GONE_NOT;
}

bool
store_let_go(const struct store *s, uint32_t df)
{
    uint64_t left = 0;
    for (uint64_t i = 0; i <= s->mask; i++)
        left |= atomic_load_explicit(&s->part[i].left, memory_order_relaxed);
    return left & left_bit(df);
}

void
store_note_gone(struct store *s, const struct key *key, enum store_gone how)
{
    note_gone(part_of(s, key->id), key_hash(key), key->df, how);
}
