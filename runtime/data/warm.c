/* warm.c - see warm.h; docs/decisions/0045. */
#include "warm.h"

static inline struct block *
far_block(luna_value v)
{
    struct block *b = value_is_block(v) ? value_block(v) : NULL;
    return b && b->size >= BLOCK_FAR ? b : NULL;
}

static inline bool
is_of(const struct block *b, unsigned worker)
{
    return atomic_load_explicit(&b->user, memory_order_relaxed) == (uint8_t)worker;
}

static inline bool
is_later(const struct block *b, const struct block *than)
{
    unsigned used = atomic_load_explicit(&b->used, memory_order_relaxed);
    return (int16_t)(used - atomic_load_explicit(&than->used, memory_order_relaxed)) > 0;
}

/* More than two thirds of the bytes; or more than one, and what was used last. With half of them
 * here and half there neither worker would be the right one, and the calls of a block would stay
 * torn between both: what was used last draws the rest after it. */
bool
warm_elsewhere(const luna_value *v, unsigned n, unsigned worker)
{
    const struct block *last = NULL;
    size_t all = 0, here = 0;
    for (unsigned i = 0; i < n; i++) {
        const struct block *b = far_block(v[i]);
        if (!b) continue;
        all += b->size;
        if (is_of(b, worker)) here += b->size;
        if (!last || is_later(b, last)) last = b;
    }
    if (3 * here < all || 3 * here >= 2 * all) return 3 * here < all;
    return !is_of(last, worker);
}

void
warm_note(const luna_value *v, unsigned n, unsigned worker)
{
    uint16_t now = block_moment();
    for (unsigned i = 0; i < n; i++) {
        struct block *b = far_block(v[i]);
        if (!b) continue;
        if (!is_of(b, worker))
            atomic_store_explicit(&b->user, (uint8_t)worker, memory_order_relaxed);
        atomic_store_explicit(&b->used, now, memory_order_relaxed);
    }
}
