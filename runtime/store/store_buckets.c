/* store_buckets.c - hash tables whose buckets are locked one by one, and which grow while others
 * work. Knows where an entry hangs, not why: who asks and who assigns is the others' business. */
#include "store_parts.h"

#include "runtime/base/spin.h"

#include <sched.h>

enum { MOVES_AHEAD = 16 }; /* buckets whose first entries are fetched while one is moved */

static size_t
table_bytes(uint64_t buckets)
{
    return sizeof(struct table) + buckets * sizeof(uintptr_t);
}

struct table *
store_table_new(uint64_t buckets)
{
    size_t bytes = table_bytes(buckets);
    struct table *t = pool_take(bytes);
    if (!t) return NULL;
    memset(t, 0, bytes);
    t->mask = buckets - 1;
    return t;
}

void
store_table_free(struct table *t)
{
    pool_give(t, table_bytes(t->mask + 1));
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

static bool
entries_are_alike(const struct entry *a, const struct entry *b)
{
    return a->id == b->id && a->df == b->df && a->n == b->n &&
           !memcmp(a->ix, b->ix, a->n * sizeof *a->ix);
}

bool
store_bucket_is_valid(entry_link head)
{
    const struct entry *first = entry_at(head), *e = first;
    for (int n = 0; e && n < ENTRY_LOOK; e = entry_at(e->next), n++) {
        entry_link bits = entry_bit(entry_hash(e)) | (e->next & ~LINK_ADDRESS);
        if (!entry_is_valid(e)) return false;
        if (e != first && entries_are_alike(e, first)) return false; /* protocols 2.1 */
        if ((head & bits) != bits) return false;
    }
    return true;
}
#endif

/* ---- a bucket that is held ---- */

struct held
store_lock_slow(struct part *part, struct table *t, uint64_t hash)
{
    for (unsigned n = 0;;) {
        bucket_word *b = &t->bucket[hash & t->mask];
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

/* ---- growing ---- */

/* Its first entry; who holds its lock does not matter. */
static inline void
bucket_prefetch(bucket_word *b)
{
    __builtin_prefetch(entry_at(atomic_load_explicit(b, memory_order_relaxed)), 1);
}

static void
bucket_move(struct store *s, bucket_word *from, struct table *to)
{
    uintptr_t v = atomic_load_explicit(from, memory_order_relaxed);
    while (s->many && (v = bucket_try(from)) & LOCKED) spin_relax();
    struct entry *e = entry_at(v);
    for (struct entry *next; e; e = next) {
        next = entry_at(e->next);
        __builtin_prefetch(next, 1);
        uint64_t hash = entry_hash(e);
        bucket_word *b = &to->bucket[hash & to->mask];
        e->next = atomic_load_explicit(b, memory_order_relaxed);
        entry_link head = entry_link_to(e, hash);
        assert(store_bucket_is_valid(head));
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

void
store_grow(struct store *s, struct part *part, struct table *t)
{
    if (atomic_exchange(&part->growing, 1)) return;
    if (atomic_load(&part->table) == t && table_is_full(t)) {
        struct table *u = store_table_new(4 * (t->mask + 1));
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
