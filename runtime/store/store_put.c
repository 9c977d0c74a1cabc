/* store_put.c - assigning: which of those who wait a value sets free, and whether it stays for
 * others. Does not know how they came to wait, and calls none of them: the caller gets a list. */
#include "store_parts.h"

#ifndef NDEBUG
/* protocols 2.5: the n who have gone stood in front. */
static bool
stood_in_front(const struct waiter *list, int32_t n, const struct waiter *first)
{
    if (list != first) return false;
    while (list && --n > 0) list = list->next;
    return list && !list->next;
}
#endif

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
    entry_count_served(s, e, served);
    bool stays = (uses < 0 || served < uses) && !e->first;
    value_retain_times(v, stays ? served : served - 1);
    if (stays) {
        e->value = v;
        e->uses = uses < 0 ? uses : uses - served;
        e->state = PRESENT;
        entry_measure(s, e, 1);
        bucket_unlock(h);
        return;
    }
    if (e->first) { /* promised to fewer than asked: they wait on, and a report will say why */
        e->spent = 1;
        bucket_unlock(h);
    } else {
        found_leaves(f);
        bucket_unlock(h);
        part_note_gone(h->part, hash, e->df, GONE_USED_UP);
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
    part_note_gone(h->part, hash, e->df, GONE_KILLED);
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
        part_note_gone(h.part, hash, key->df, GONE_USED_UP);
        value_release(v);
        return OK;
    }
    struct entry *e = entry_new(key, PRESENT, h.head);
    if (e) {
        e->value = v;
        e->uses = uses;
        entry_measure(s, e, 1);
        h.head = entry_link_to(e, hash);
    }
    bucket_unlock(&h);
    if (entry_link_is_long(h.head)) store_grow(s, h.part, h.table);
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
    bucket_word *b = bucket_of(part_of(s, key->id), hash);
    uintptr_t word = atomic_load_explicit(b, memory_order_relaxed);
    if (word & (LOCKED | MOVED | entry_bit(hash)) || uses == 0 || !key_is_small(key) || s->lives)
        return put_slow(s, key, hash, v, uses, waiters);
    struct entry *e = pool_get(key->n == 2 ? entry_class_of(2) : entry_class_of(1));
    if (__builtin_expect(!e, 0)) return put_slow(s, key, hash, v, uses, waiters);
    entry_init(e, key, PRESENT, word);
    if (key->n) e->ix[0] = key->ix[0];
    if (key->n == 2) e->ix[1] = key->ix[1];
    e->value = v;
    e->uses = uses;
    entry_link head = entry_link_to(e, hash);
    assert(s->many || store_bucket_is_valid(head));
    if (!s->many)
        atomic_store_explicit(b, head, memory_order_release);
    else if (!atomic_compare_exchange_strong_explicit(b, &word, head, memory_order_release,
                                                      memory_order_relaxed))
        return put_overtaken(s, key, hash, v, uses, waiters, e);
    return __builtin_expect(entry_link_is_long(head), 0) ? put_at_length(s, key) : OK;
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
        entry_measure(s, e, 1);
        v = value_unset();
    }
    bucket_unlock(&h);
    if (empty) pool_put(entry_class(empty), empty);
    if (!*waiter) value_release(v);
    return e ? OK : E_NOMEM;
}
