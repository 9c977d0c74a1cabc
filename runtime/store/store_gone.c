/* store_gone.c - leaving without a reader, and what is remembered of those that have left. That
 * words a report; whether somebody may ask or assign must not hang on it. */
#include "store_parts.h"

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
    entry_measure(s, e, -1);
    bucket_unlock(&h);
    part_note_gone(h.part, hash, key->df, GONE_KILLED);
    entry_drop(e);
    return k;
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
    return left & part_left_bit(df);
}

void
store_note_gone(struct store *s, const struct key *key, enum store_gone how)
{
    part_note_gone(part_of(s, key->id), key_hash(key), key->df, how);
}
