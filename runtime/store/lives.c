/* lives.c - a table from cells to counters, read without a lock: a slot is written once, counter
 * first. When it is half full a larger one takes its place; who still reads the old one misses at
 * most what is new, and looks again under the lock. */
#include "lives.h"

#include "runtime/base/mem.h"

#include <pthread.h>
#include <string.h>

enum { SLOTS_FIRST = 64 };

struct slot {
    atomic_uint_fast32_t bound; /* 0: free */
    struct live *live;
};

struct table {
    struct table *older;
    uint32_t mask;
    struct slot slot[];
};

struct lives {
    struct live whole;
    _Atomic(struct table *) table; /* NULL: only the whole is counted */
    uint32_t used;                 /* slots; under the lock */
    pthread_mutex_t lock;
    bool sums; /* cells up */
    uint32_t nkinds;
    _Atomic(struct life *) *kinds; /* NULL where there was none yet */
    struct lives *next;
};

static struct lives *all;

/* What a call makes is mostly of one cell, so the counter asked for last is at hand. `age`:
 * counters of an earlier one have been freed. */
static atomic_uint age;
static _Thread_local struct {
    const struct lives *of;
    struct live *live;
    uint32_t bound;
    unsigned age;
} last;

static struct table *
table_new(uint32_t slots, struct table *older)
{
    struct table *t = mem_zalloc(1, sizeof *t + slots * sizeof *t->slot);
    if (!t) return NULL;
    t->older = older;
    t->mask = slots - 1;
    return t;
}

enum err
lives_new(struct lives **out, bool by_cell)
{
    struct lives *l = mem_aligned(64, sizeof *l);
    struct table *t = by_cell ? table_new(SLOTS_FIRST, NULL) : NULL;
    if (!l || (by_cell && !t)) {
        mem_free(l);
        mem_free(t);
        return E_NOMEM;
    }
    memset(l, 0, sizeof *l);
    atomic_init(&l->table, t);
    pthread_mutex_init(&l->lock, NULL);
    l->next = all;
    all = l;
    *out = l;
    return OK;
}

static void
lives_free(struct lives *l)
{
    struct table *t = atomic_load(&l->table);
    for (uint32_t i = 0; t && i <= t->mask; i++) mem_free(t->slot[i].live);
    while (t) {
        struct table *older = t->older;
        mem_free(t);
        t = older;
    }
    for (uint32_t i = 0; i < l->nkinds; i++) mem_free(atomic_load(&l->kinds[i]));
    mem_free(l->kinds);
    pthread_mutex_destroy(&l->lock);
    mem_free(l);
}

void
lives_free_all(void)
{
    atomic_fetch_add(&age, 1);
    while (all) {
        struct lives *l = all;
        all = l->next;
        lives_free(l);
    }
}

void
lives_sum_up(struct lives *l)
{
    l->sums = true;
}

enum err
lives_by_kind(struct lives *l, uint32_t n)
{
    l->kinds = mem_zalloc((size_t)n + 1, sizeof *l->kinds);
    if (!l->kinds) return E_NOMEM;
    l->nkinds = n;
    return OK;
}

static struct life *
make_kind(struct lives *l, uint32_t kind)
{
    struct life *life = mem_aligned(64, sizeof *life), *none = NULL;
    if (!life) return NULL;
    memset(life, 0, sizeof *life);
    if (atomic_compare_exchange_strong(&l->kinds[kind], &none, life)) return life;
    mem_free(life); /* somebody was faster */
    return none;
}

struct life *
lives_kind(struct lives *l, uint32_t kind)
{
    if (kind >= l->nkinds) return NULL;
    struct life *life = atomic_load_explicit(&l->kinds[kind], memory_order_acquire);
    return life ? life : make_kind(l, kind);
}

const struct life *
lives_kind_found(const struct lives *l, uint32_t kind)
{
    return kind < l->nkinds ? atomic_load(&l->kinds[kind]) : NULL;
}

struct live *
lives_whole(struct lives *l)
{
    return &l->whole;
}

/* The one of `bound`, or the first free one. */
static struct slot *
slot_of(struct table *t, uint32_t bound)
{
    for (uint32_t at = bound * 2654435761u;; at++) {
        struct slot *s = &t->slot[at & t->mask];
        /* Acquire: its counter was written before. */
        uint_fast32_t has = atomic_load_explicit(&s->bound, memory_order_acquire);
        if (!has || has == bound) return s;
    }
}

/* Under the lock. False: no memory. */
static bool
make_room(struct lives *l)
{
    struct table *t = atomic_load(&l->table), *more;
    if (l->used < t->mask / 2) return true;
    more = table_new(2 * (t->mask + 1), t);
    if (!more) return false;
    for (uint32_t i = 0; i <= t->mask; i++) {
        uint32_t bound = (uint32_t)atomic_load(&t->slot[i].bound);
        if (!bound) continue;
        struct slot *s = slot_of(more, bound);
        s->live = t->slot[i].live;
        atomic_init(&s->bound, bound);
    }
    atomic_store_explicit(&l->table, more, memory_order_release);
    return true;
}

static struct live *
make_one(struct lives *l, uint32_t bound)
{
    struct live *live = NULL;
    pthread_mutex_lock(&l->lock);
    struct slot *s = make_room(l) ? slot_of(atomic_load(&l->table), bound) : NULL;
    if (s && atomic_load(&s->bound)) live = s->live; /* somebody was faster */
    else if (s && (live = mem_aligned(64, sizeof *live))) {
        memset(live, 0, sizeof *live);
        live->whole = l->sums ? &l->whole : NULL;
        s->live = live;
        atomic_store_explicit(&s->bound, bound, memory_order_release);
        l->used++;
    }
    pthread_mutex_unlock(&l->lock);
    return live ? live : &l->whole;
}

struct live *
lives_of(struct lives *l, uint32_t bound)
{
    struct table *t = atomic_load_explicit(&l->table, memory_order_acquire);
    if (!t || !bound) return &l->whole;
    unsigned now = atomic_load_explicit(&age, memory_order_relaxed);
    if (last.of == l && last.bound == bound && last.age == now) return last.live;
    struct slot *s = slot_of(t, bound);
    struct live *live = atomic_load_explicit(&s->bound, memory_order_acquire)
                            ? s->live
                            : make_one(l, bound);
    last.of = l;
    last.live = live;
    last.bound = bound;
    last.age = now;
    return live;
}

const struct live *
lives_find(const struct lives *l, uint32_t cell)
{
    struct table *t = atomic_load_explicit(&l->table, memory_order_acquire);
    if (!t) return NULL;
    struct slot *s = slot_of(t, cell + 1);
    return atomic_load_explicit(&s->bound, memory_order_acquire) ? s->live : NULL;
}
