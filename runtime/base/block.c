/* block.c - a header of 64 bytes in front of the data, both from one object. */
#include "block.h"

#include "commons.h"
#include "pool.h"
#include "sanitizer.h"

#include <assert.h>
#include <string.h>

enum {
    BLOCK_HEAD = 64,
    BLOCK_POOLED_MAX = 64 << 20,
    COMMON_MIN = 1 << 10, /* smaller ones travel inside of messages, */
    COMMON_MAX = 512 << 10 /* and larger ones seldom travel: they lie better on large pages */
};
enum block_mark { /* instead of a class */
    BLOCK_PART = UINT8_MAX - 3,
    BLOCK_BORROWED,
    BLOCK_COMMON,
    BLOCK_HUGE
};

enum {
    FRESH = 0xCB,       /* -g: in new memory, so that what was not written shows; */
    GUARD = 0xA5,       /* between header and data, and in so many bytes behind these */
    GUARD_BEHIND = 256
};

static size_t behind; /* GUARD_BEHIND with -g, else 0 */

_Static_assert(sizeof(struct block) < BLOCK_HEAD, "the header must fit in front of the data");
_Static_assert((int)POOL_CLASSES <= (int)BLOCK_PART, "marks are no classes");

_Thread_local uint8_t block_user;

void
block_guard(bool on)
{
    behind = on ? GUARD_BEHIND : 0;
}

/* Of a block with so many bytes of data. */
static size_t
total_of(size_t size)
{
    return size + BLOCK_HEAD + behind;
}

static struct block *
block_init(struct block *b, uint8_t class_, size_t size)
{
    if (!b) return NULL;
    atomic_init(&b->refs, 1);
    b->class_ = class_;
    atomic_init(&b->user, block_user);
    atomic_init(&b->used, size < BLOCK_FAR ? 0 : block_moment());
    b->size = size;
    b->data = (char *)b + BLOCK_HEAD;
    atomic_init(&b->live, NULL);
    atomic_init(&b->life, NULL);
    atomic_init(&b->origin, NULL);
    return b;
}

static struct block *
common_new(size_t size)
{
    block_tidy();
    return block_init(commons_take(total_of(size)), BLOCK_COMMON, size);
}

static struct block *
private_new(size_t size)
{
    size_t total = total_of(size);
    if (total > BLOCK_POOLED_MAX) return block_init(pool_take(total), BLOCK_HUGE, size);
    uint8_t class_ = (uint8_t)pool_class((total + 63) & ~(size_t)63); /* they lie on 64 bytes */
    return block_init(pool_get(class_), class_, size);
}

/* The bytes between header and data. */
static unsigned char *
front_of(const struct block *b)
{
    return (unsigned char *)(void *)b + sizeof *b;
}

static __attribute__((noinline)) void
block_paint(struct block *b)
{
    memset(front_of(b), GUARD, BLOCK_HEAD - sizeof *b);
    memset(b->data, FRESH, b->size);
    memset(b->data + b->size, GUARD, behind);
    sanitizer_forbid(front_of(b), BLOCK_HEAD - sizeof *b);
    sanitizer_forbid(b->data + b->size, behind);
}

/* What comes here next, and luna's own copying into it, know nothing of guards. */
static void
block_ends(struct block *b)
{
    sanitizer_allow(front_of(b), total_of(b->size) - sizeof *b);
}

static bool
is_painted(const unsigned char *p, size_t n)
{
    while (n && *p == GUARD) p++, n--;
    return !n;
}

/* A header over the bytes of another block. */
static bool
is_view(const struct block *b)
{
    return b->class_ == BLOCK_BORROWED || b->class_ == BLOCK_PART;
}

enum block_harm
block_harm(const struct block *b)
{
    if (!behind || is_view(b)) return BLOCK_WHOLE; /* whoever has the bytes looks at them */
    if (!is_painted((unsigned char *)b->data + b->size, behind)) return BLOCK_HARMED_BEHIND;
    return is_painted(front_of(b), BLOCK_HEAD - sizeof *b) ? BLOCK_WHOLE : BLOCK_HARMED_BEFORE;
}

struct block *
block_new(size_t size)
{
    if (size > SIZE_MAX / 2) return NULL;
    struct block *b = NULL;
    if (commons_on() && size >= COMMON_MIN && size <= COMMON_MAX) b = common_new(size);
    if (!b) b = private_new(size);
    if (b && behind) block_paint(b);
    return b;
}

void
live_add(struct live *live, long bytes, long count)
{
    for (; live; live = live->whole) {
        atomic_fetch_add_explicit(&live->bytes, bytes, memory_order_relaxed);
        atomic_fetch_add_explicit(&live->count, count, memory_order_relaxed);
    }
}

static uint64_t (*clock_now)(void);

void
block_clock(uint64_t (*now)(void))
{
    clock_now = now;
}

static void
raise_to(atomic_uint_fast64_t *most, uint64_t x)
{
    uint_fast64_t was = atomic_load_explicit(most, memory_order_relaxed);
    while (was < x && !atomic_compare_exchange_weak(most, &was, x)) {}
}

static void
life_add(atomic_uint_fast64_t *sum, uint64_t x)
{
    atomic_fetch_add_explicit(sum, x, memory_order_relaxed);
}

static void
life_ends(struct block *b)
{
    struct life *life = atomic_load_explicit(&b->life, memory_order_relaxed);
    if (!life || !clock_now || !(life = atomic_exchange(&b->life, NULL))) return;
    uint64_t born = b->born, now = clock_now(), ns = now > born ? now - born : 0;
    life_add(&life->ns, ns);
    raise_to(&life->longest, ns);
    life_add(&life->here, (uint64_t)-1);
    life_add(&life->born, -born);
    life_add(&life->alive, -b->size);
}

/* Two fragments that share it may move at the same time: the later one has it. */
static void
life_begins(struct block *b, struct life *life)
{
    life_ends(b);
    if (!life) return;
    b->born = clock_now ? clock_now() : 0;
    life_add(&life->blocks, 1);
    life_add(&life->here, 1);
    life_add(&life->born, b->born);
    raise_to(&life->peak, atomic_fetch_add(&life->alive, b->size) + b->size);
    b->life = life;
}

void
block_measure(struct block *b, struct live *live, struct life *life)
{
    struct live *was = NULL;
    if (atomic_load_explicit(&b->refs, memory_order_acquire) == 1) { /* nobody else can see it */
        was = atomic_load_explicit(&b->live, memory_order_relaxed);
        if (!was) atomic_store_explicit(&b->live, live, memory_order_relaxed);
    } else {
        atomic_compare_exchange_strong(&b->live, &was, live);
    }
    if (was) return;
    life_begins(b, life);
    live_add(live, (long)b->size, 1);
}

/* Whether this was the last count; that needs no read-modify-write: nobody else can reach it. */
static bool
drop(struct block *b)
{
    assert(atomic_load_explicit(&b->refs, memory_order_relaxed) > 0);
    return atomic_load_explicit(&b->refs, memory_order_acquire) == 1 ||
           atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) == 1;
}

static void
uncount(struct block *b)
{
    struct live *live = atomic_load_explicit(&b->live, memory_order_relaxed);
    if (!live) return;
    life_ends(b);
    live_add(live, -(long)b->size, -1);
}

/* A block of the commons has lost its last count. Only its owner knows where it was counted. */
static void
common_end(struct block *b)
{
    if (behind) block_ends(b);
    if (commons_owns(b)) uncount(b);
    commons_give(b);
}

void
block_measure_anew(struct block *b, struct live *live, struct life *life)
{
    struct live *old = atomic_exchange(&b->live, live);
    if (old) live_add(old, -(long)b->size, -1);
    life_begins(b, life);
    live_add(live, (long)b->size, 1);
}

void
block_measure_no_more(struct block *b)
{
    if (b->class_ == BLOCK_COMMON && !commons_owns(b)) return;
    uncount(b);
    atomic_store_explicit(&b->live, NULL, memory_order_relaxed);
}

void
block_release(struct block *b)
{
    if (!drop(b)) return;
    if (b->class_ == BLOCK_COMMON) {
        common_end(b);
        return;
    }
    struct block *origin = atomic_load_explicit(&b->origin, memory_order_relaxed);
    uncount(b);
    if (b->class_ == BLOCK_PART) block_release(origin); /* which is no part */
    else if (origin && drop(origin)) common_end(origin);
    if (behind && !is_view(b)) block_ends(b);
    if (b->class_ == BLOCK_HUGE) pool_give(b, total_of(b->size));
    else pool_put(is_view(b) ? pool_class(sizeof *b) : b->class_, b);
}

bool
block_is_alone(const struct block *b)
{
    return atomic_load_explicit(&b->refs, memory_order_acquire) == 1 && !atomic_load(&b->origin);
}

/* ---- parts ---- */

enum { PART_VIEWED = 1 << 10, PART_ALIGN = 8 }; /* smaller ones, and at odd places, are copied */

struct block *
block_part(struct block *b, size_t from, size_t size)
{
    assert(from <= b->size && size <= b->size - from);
    if (b->class_ == BLOCK_PART) {
        from += (size_t)(b->data - atomic_load(&b->origin)->data);
        b = atomic_load(&b->origin);
    }
    if (size < PART_VIEWED || from % PART_ALIGN) {
        struct block *copy = block_new(size);
        if (copy) memcpy(copy->data, b->data + from, size);
        return copy;
    }
    struct block *part = block_init(pool_get(pool_class(sizeof *part)), BLOCK_PART, size);
    if (!part) return NULL;
    block_retain(b);
    part->data = b->data + from;
    atomic_init(&part->origin, b);
    atomic_init(&part->user, atomic_load_explicit(&b->user, memory_order_relaxed));
    atomic_init(&part->used, atomic_load_explicit(&b->used, memory_order_relaxed));
    return part;
}

/* ---- lending ---- */

/* The block's copy in the commons, made at the first call. NULL: no room. */
static struct block *
twin_of(struct block *b)
{
    struct block *twin = atomic_load(&b->origin), *none = NULL;
    if (twin) return twin;
    twin = common_new(b->size);
    if (!twin) return NULL;
    memcpy(twin->data, b->data, b->size);
    if (atomic_compare_exchange_strong(&b->origin, &none, twin)) return twin;
    block_release(twin); /* another thread was first */
    return none;
}

struct block *
block_lend(struct block *b)
{
    if (!commons_on() || b->class_ == BLOCK_PART) return NULL;
    struct block *lent = b->class_ == BLOCK_COMMON ? b : twin_of(b);
    if (lent) block_retain(lent);
    return lent;
}

struct block *
block_borrow(struct block *lent)
{
    if (!commons_has(lent)) return NULL;
    struct block *b = pool_get(pool_class(sizeof *b));
    if (!block_init(b, BLOCK_BORROWED, lent->size)) return NULL;
    b->data = lent->data;
    atomic_init(&b->origin, lent);
    return b;
}

void
block_tidy(void)
{
    struct returned {
        struct returned *next;
    } *r = commons_returned();
    for (struct returned *next; r; r = next) {
        next = r->next;
        common_end((struct block *)(void *)r);
    }
}

size_t
block_bytes_live(void)
{
    return pool_bytes();
}
