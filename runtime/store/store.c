/* store.c - the store as a whole: made, freed, looked through. Knows where entries hang and what
 * they hold, not how they come and go: it changes one only while all others rest. */
#include "store_parts.h"

#include "runtime/base/clock.h"
#include "runtime/base/mem.h"

#include <sched.h>

enum { BUCKETS_FIRST = 1 << 8 };

static bool
part_init(struct part *part)
{
    struct table *t = store_table_new(BUCKETS_FIRST);
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

static void
part_fini(struct part *part)
{
    struct table *t = atomic_load(&part->table);
    for (uint64_t k = 0; t && k <= t->mask; k++) {
        struct entry *e = entry_at(atomic_load_explicit(&t->bucket[k], memory_order_relaxed));
        for (struct entry *next; e; e = next) {
            next = entry_at(e->next);
            entry_drop(e);
        }
    }
    for (struct table *older; t; t = older) {
        older = t->older;
        store_table_free(t);
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

void
store_measure(struct store *s, struct lives *lives)
{
    s->lives = lives;
}

void
store_measure_entry(struct store *s, const struct entry *e, int sign)
{
    size_t bytes;
    value_bytes(&e->value, &bytes);
    uint32_t bound = e->df & KEY_MARKS ? 0 : entry_bound(e);
    live_add(lives_of(s->lives, bound), sign * (long)bytes, sign);
}

void
store_measure_moved(struct store *s, luna_value v, uint32_t df, uint32_t bound)
{
    if (s->lives && value_is_block(v))
        block_measure_anew(value_block(v), lives_of(s->lives, bound),
                           lives_kind(s->lives, df & ~KEY_MARKS));
}

/* ---- looking around ---- */

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
    for (const struct entry *e = entry_at(v); e; e = entry_at(e->next)) entry_show(e, fn, who);
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
    if (goes && present) entry_measure(s, e, -1);
    if (goes || present) return goes;
    e->first = view.waiters;
    for (struct waiter *w = e->last = e->first; w; w = w->next) e->last = w;
    return e->state == AWAITED && !e->first && !e->spent;
}

static void
bucket_sweep(struct store *s, bucket_word *bucket, store_sweep_fn *fn, void *who)
{
    entry_link head = atomic_load(bucket), *link = &head;
    assert(!(head & (LOCKED | MOVED)));
    for (struct entry *e; (e = entry_at(*link));) {
        if (!entry_sweep(s, e, fn, who)) {
            link = &e->next;
            continue;
        }
        *link = e->next;
        pool_put(entry_class(e), e);
    }
    assert(store_bucket_is_valid(head));
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
bucket_is_empty(bucket_word *b)
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
