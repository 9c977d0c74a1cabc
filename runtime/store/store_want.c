/* store_want.c - asking: who takes a value along, and who waits for it. Knows nothing of those who
 * wait but their order, and not what happens when the value comes: that is store_put.c's. */
#include "store_parts.h"

/* ---- taking ---- */

/* The last promised reader takes the value along. */
static inline void
present_end(struct store *s, struct part *part, struct entry *e, uint64_t hash, unsigned class_)
{
    if (__builtin_expect(s->lives != NULL, 0)) entry_measure(s, e, -1);
    part_note_gone(part, hash, e->df, GONE_USED_UP);
    pool_put(class_, e);
}

/* Unlocks the bucket. */
static luna_value
present_take(struct store *s, struct held *h, const struct found *f, uint64_t hash)
{
    struct entry *e = f->entry;
    luna_value v = e->value;
    bool last = e->uses == 1;
    entry_count_served(s, e, 1);
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

/* A present value of a name with at most two indices, found without a call; else the long way. A
 * bucket whose bits say that it is not there is not locked. `many` is a constant where it is
 * called: so this is compiled twice, for one worker without any locks. */
static inline bool
take_quick(struct store *s, const struct key *key, luna_value *v, uint64_t hash, bool many)
{
    struct part *part = many ? part_of(s, key->id) : s->part;
    bucket_word *b = bucket_of(part, hash);
    uintptr_t word = atomic_load_explicit(b, memory_order_relaxed), bit = entry_bit(hash);
    if (!(word & (bit | LOCKED | MOVED))) return false;
    if (many) word = bucket_try(b);
    if (many && word & (LOCKED | MOVED)) return take_slow(s, key, v, hash);
    uint64_t what = key->df | (uint64_t)key->n << 32 | (uint64_t)PRESENT << 48;
    entry_link head = word, *link = &head;
    struct entry *e = NULL;
    for (; *link & bit; link = &e->next) {
        e = entry_at(*link);
        if (e->what == what && e->id == key->id && entry_has_indices(e, key)) break;
    }
    if (!(*link & bit)) {
        if (many) bucket_release(b, head);
        return false;
    }
    *v = e->value;
    int32_t uses = e->uses;
    entry_count_served(s, e, 1);
    if (__builtin_expect(uses == 1, 1)) {
        *link = e->next;
    } else {
        e->uses = uses - (uses > 0);
        value_retain(*v);
    }
    if (many || uses == 1) bucket_release(b, head);
    if (uses == 1)
        present_end(s, part, e, hash, key->n == 2 ? entry_class_of(2) : entry_class_of(1));
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

/* ---- borrowing ---- */

enum store_took
store_borrow(struct store *s, const struct key *key, int32_t many, luna_value *v)
{
    uint64_t hash = key_hash(key);
    struct held h = bucket_lock(s, key, hash);
    struct found f = entry_find(&h, key, hash);
    struct entry *e = f.entry;
    if (!e || e->state != PRESENT) {
        bucket_unlock(&h);
        return TOOK_NOTHING;
    }
    if (value_is_block(e->value) || (e->uses >= 0 && e->uses < many)) {
        *v = present_take(s, &h, &f, hash);
        return TOOK;
    }
    *v = e->value;
    bucket_unlock(&h);
    return TOOK_LOAN;
}

void
store_pay(struct store *s, const struct key *key, int32_t uses)
{
    uint64_t hash = key_hash(key);
    struct held h = bucket_lock(s, key, hash);
    struct found f = entry_find(&h, key, hash);
    struct entry *e = f.entry;
    assert(e && e->state == PRESENT && (e->uses < 0 || e->uses >= uses));
    if (!e || e->state != PRESENT) {
        bucket_unlock(&h);
        return;
    }
    entry_count_served(s, e, uses);
    bool last = e->uses >= 0 && e->uses <= uses;
    if (last) found_leaves(&f);
    else if (e->uses > 0) e->uses -= uses;
    bucket_unlock(&h);
    if (last) present_end(s, h.part, e, hash, entry_class(e));
}

/* ---- waiting ---- */

#ifndef NDEBUG
/* protocols 2.5: w stands behind all who asked before. */
static bool
stands_last(const struct entry *e, const struct waiter *first, const struct waiter *last,
            const struct waiter *w)
{
    if (e->last != w || w->next) return false;
    return last ? e->first == first && last->next == w : e->first == w;
}
#endif

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
    if (entry_link_is_long(h->head)) store_grow(s, h->part, h->table);
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

/* ---- for others, and for many ---- */

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
