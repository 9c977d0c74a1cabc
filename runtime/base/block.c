/* block.c - a header of 64 bytes in front of the data, both from one pool object. */
#include "block.h"

#include "pool.h"

#include <assert.h>
#include <string.h>

enum { BLOCK_HEAD = 64, BLOCK_POOLED_MAX = 64 << 20 };
#define BLOCK_HUGE UINT32_MAX

static bool fill_fresh; /* -g: new memory holds a pattern, so that what was not written shows */

_Static_assert(sizeof(struct block) <= BLOCK_HEAD, "the header must fit in front of the data");

void
block_fill_fresh(bool on)
{
    fill_fresh = on;
}

struct block *
block_new(size_t size)
{
    if (size > SIZE_MAX / 2) return NULL;
    size_t total = size + BLOCK_HEAD;
    struct block *b;
    uint32_t class_ = BLOCK_HUGE;
    if (total <= BLOCK_POOLED_MAX) {
        class_ = pool_class((total + 63) & ~(size_t)63); /* such objects lie on 64 bytes */
        b = pool_get(class_);
    } else {
        b = pool_take(total);
    }
    if (!b) return NULL;
    atomic_init(&b->refs, 1);
    b->class_ = class_;
    b->size = size;
    b->data = (char *)b + BLOCK_HEAD;
    atomic_init(&b->live, NULL);
    if (fill_fresh) memset(b->data, 0xCB, size);
    return b;
}

static void
live_add(struct live *live, long bytes, long count)
{
    atomic_fetch_add_explicit(&live->bytes, bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&live->count, count, memory_order_relaxed);
}

void
block_measure(struct block *b, struct live *live)
{
    struct live *nowhere = NULL;
    if (atomic_compare_exchange_strong(&b->live, &nowhere, live)) live_add(live, (long)b->size, 1);
}

void
block_release(struct block *b)
{
    /* The last one needs no read-modify-write: nobody else can reach the block. */
    assert(atomic_load_explicit(&b->refs, memory_order_relaxed) > 0);
    if (atomic_load_explicit(&b->refs, memory_order_acquire) != 1 &&
        atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) != 1)
        return;
    struct live *live = atomic_load_explicit(&b->live, memory_order_relaxed);
    if (live) live_add(live, -(long)b->size, -1);
    if (b->class_ != BLOCK_HUGE) {
        pool_put(b->class_, b);
        return;
    }
    pool_give(b, b->size + BLOCK_HEAD);
}

size_t
block_bytes_live(void)
{
    return pool_bytes();
}
