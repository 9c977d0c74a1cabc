/* pool.c - thread caches over shared lists of batches over malloc and chunks of large pages. When
 * much is idle, large objects of all classes become stretches, which serve before fresh memory. */
#include "pool.h"

#include "mem.h"
#include "stretch.h"

#include <sched.h>
#include <stdatomic.h>

static atomic_size_t bytes_taken;
static atomic_size_t bytes_max = SIZE_MAX;

unsigned
pool_class_large(size_t size)
{
    /* Four classes per doubling above 512: 640, 768, 896, 1024, 1280 ... */
    unsigned log = 63u - (unsigned)__builtin_clzll(size - 1);
    size_t step = (size_t)1 << (log - 2);
    unsigned quarter = (unsigned)((size - 1 - ((size_t)1 << log)) / step);
    unsigned class_ = POOL_SMALL_CLASSES + (log - 9) * 4 + quarter;
    return class_ < POOL_CLASSES ? class_ : POOL_CLASSES - 1;
}

size_t
pool_class_bytes(unsigned class_)
{
    if (class_ < POOL_SMALL_CLASSES) return (size_t)(class_ + 1) * POOL_STEP;
    unsigned k = class_ - POOL_SMALL_CLASSES;
    size_t base = (size_t)512 << (k / 4);
    return base + base / 4 * (k % 4 + 1);
}

size_t
pool_bytes(void)
{
    return atomic_load_explicit(&bytes_taken, memory_order_relaxed);
}

void
pool_set_bytes_max(size_t bytes)
{
    atomic_store(&bytes_max, bytes);
}

size_t
pool_bytes_max(void)
{
    return atomic_load(&bytes_max);
}

bool
pool_count(size_t bytes)
{
    size_t had = atomic_fetch_add_explicit(&bytes_taken, bytes, memory_order_relaxed);
    if (had + bytes <= atomic_load_explicit(&bytes_max, memory_order_relaxed)) return true;
    atomic_fetch_sub_explicit(&bytes_taken, bytes, memory_order_relaxed);
    return false;
}

void *
pool_take(size_t bytes)
{
    if (!pool_count(bytes)) return NULL;
    void *p = mem_aligned(64, bytes);
    if (!p) atomic_fetch_sub_explicit(&bytes_taken, bytes, memory_order_relaxed);
    else mem_on_large_pages(p, bytes);
    return p;
}

void
pool_give(void *p, size_t bytes)
{
    atomic_fetch_sub_explicit(&bytes_taken, bytes, memory_order_relaxed);
    mem_free(p);
}

#ifdef POOL_PLAIN

void *
pool_get_slow(unsigned class_)
{
    return pool_take(pool_class_bytes(class_));
}

void
pool_put_slow(unsigned class_, void *object)
{
    pool_give(object, pool_class_bytes(class_));
}

void
pool_thread_begin(void)
{
}

void
pool_thread_flush(void)
{
}

#else

/* What a thread that has ended has left of a slab; it lies there. */
struct slab_rest {
    struct slab_rest *next;
    char *end;
};

struct shared {
    _Alignas(64) atomic_int lock;
    _Atomic(struct pool_node *) batches;
    atomic_size_t objects; /* in these; under the lock, as */
    struct slab_rest *rests;
};

enum { BATCH_MAX = 64, BATCH_BYTES = 256 << 10, SLAB_BYTES = 64 << 10 };

/* Once a thread has taken CHUNK_AFTER bytes, it takes what is not too large from a chunk on large
 * pages: small programs stay small, and no other thread's memory lies on its pages. */
enum { CHUNK_AFTER = 2 << 20, CHUNK_BYTES = 64 << 20, CHUNK_TAKES_MAX = 16 << 20 };
struct chunk {
    char *at, *end, *large; /* so far large pages have been asked for */
    size_t taken;           /* by this thread, before its first chunk */
    char *used, *used_end;  /* a stretch that it takes from: counted when it was fresh */
    char *first, *first_end; /* for the first slabs of the thread */
};

/* The first slab of a class in a thread is small, and lies in FIRST_BYTES that the system has given
 * before the run begins: else its first calls wait for a page, or several, per class. What is left
 * of them when the thread ends, with the run, is used no more. */
enum { FIRST_BYTES = 32 << 10, FIRST_SLAB = 2 << 10, FIRST_OBJECTS = 4 };

/* Objects from LARGE_MIN on are taken one by one, so any number of them can become a stretch. They
 * do when IDLE_MIN bytes of them lie in the shared lists, and one IDLE_PART of all there is. A
 * program that goes to and fro between sizes is let have memory for each in the end: once
 * MOVED_MOST times all there is has become stretches, only if IDLE_TIMES what was ever in use lies
 * idle. Objects above CACHED_MAX are in no thread's cache: two of each class would be too much. */
enum {
    LARGE_MIN = SLAB_BYTES / 8 + 1,
    CACHED_MAX = 512 << 10,
    IDLE_MIN = 1 << 20,
    IDLE_PART = 8,
    IDLE_TIMES = 2,
    MOVED_MOST = 16
};

struct large_node { /* above CACHED_MAX: a batch of one object */
    struct pool_node node;
    const struct pool_cache *giver; /* that of the thread */
};
enum { OWN_LOOKS = 8 };

static struct shared shared[POOL_CLASSES];
static struct {
    atomic_size_t moved; /* that have become stretches, in all */
    atomic_size_t used;  /* the most that was neither idle nor in stretches */
} idle;
static struct {
    atomic_int lock;
    atomic_size_t bytes;
} stretches;
static _Thread_local struct chunk chunk;
_Thread_local __attribute__((tls_model("initial-exec")))
struct pool_cache pool_caches[POOL_CLASSES];

static void
lock(atomic_int *l)
{
    while (atomic_exchange_explicit(l, 1, memory_order_acquire))
        for (int n = 0; atomic_load_explicit(l, memory_order_relaxed); n++)
            if (n > 1000) sched_yield(); /* its holder may have lost its core */
}

static void
unlock(atomic_int *l)
{
    atomic_store_explicit(l, 0, memory_order_release);
}

static unsigned
batch_of(unsigned class_)
{
    size_t n = BATCH_BYTES / pool_class_bytes(class_);
    return n > BATCH_MAX ? BATCH_MAX : n < 1 ? 1 : (unsigned)n;
}

static struct pool_node *
marked(struct pool_node *first, uintptr_t mark)
{
    return (struct pool_node *)(((uintptr_t)first & ~(uintptr_t)1) | mark);
}

/* The first object of a batch, marked or not. */
static inline struct pool_node *
unmarked(struct pool_node *first)
{
    return marked(first, 0);
}

/* How many objects follow the first. A whole batch is not walked: its objects may have left the
 * cache long ago. */
static unsigned
batch_rest(const struct pool_cache *c, unsigned class_, const struct pool_node *first)
{
    unsigned k = 0;
    if (!((uintptr_t)first & 1)) return (c->max ? c->max : batch_of(class_)) - 1;
    for (const struct pool_node *n = unmarked((struct pool_node *)first)->next; n; n = n->next) k++;
    return k;
}

/* Under the lock. */
static void
count_objects(struct shared *s, size_t more)
{
    size_t n = atomic_load_explicit(&s->objects, memory_order_relaxed);
    atomic_store_explicit(&s->objects, n + more, memory_order_relaxed);
}

/* A whole batch, or (what a thread leaves when it ends) less: that is marked in bit 0. */
static void
give_batch(unsigned class_, struct pool_node *first)
{
    struct shared *s = &shared[class_];
    size_t n = 1 + batch_rest(&pool_caches[class_], class_, first);
    if (pool_class_bytes(class_) > CACHED_MAX) ((struct large_node *)first)->giver = pool_caches;
    lock(&s->lock);
    count_objects(s, n);
    unmarked(first)->next_batch = atomic_load_explicit(&s->batches, memory_order_relaxed);
    atomic_store_explicit(&s->batches, first, memory_order_relaxed);
    unlock(&s->lock);
}

/* Of the first few large objects one that this thread has given: what other cores have in their
 * caches is written to more slowly. Comes first then. Under the lock. */
static struct pool_node *
own_first(struct pool_node *first)
{
    struct large_node *before = (struct large_node *)first, *n = before;
    for (int k = 0; n && k < OWN_LOOKS && n->giver != pool_caches; k++) {
        before = n;
        n = (struct large_node *)n->node.next_batch;
    }
    if (!n || n == before || n->giver != pool_caches) return first;
    before->node.next_batch = n->node.next_batch;
    n->node.next_batch = first;
    return &n->node;
}

static struct pool_node *
take_batch(unsigned class_)
{
    struct shared *s = &shared[class_];
    if (!atomic_load_explicit(&s->batches, memory_order_relaxed)) return NULL;
    lock(&s->lock);
    struct pool_node *first = atomic_load_explicit(&s->batches, memory_order_relaxed);
    if (first && pool_class_bytes(class_) > CACHED_MAX) first = own_first(first);
    if (first) {
        atomic_store_explicit(&s->batches, unmarked(first)->next_batch, memory_order_relaxed);
        count_objects(s, -(size_t)1 - batch_rest(&pool_caches[class_], class_, first));
    }
    unlock(&s->lock);
    return first;
}

/* What this thread has of a class, but for its slab. */
static void
give_cache(unsigned class_)
{
    struct pool_cache *c = &pool_caches[class_];
    if (c->head) give_batch(class_, marked(c->head, c->n < batch_of(class_)));
    if (c->spare) give_batch(class_, c->spare);
    c->head = c->spare = NULL;
    c->n = 0;
}

/* ---- fresh memory ---- */

static bool
chunk_begins(void)
{
    char *p = mem_pages(CHUNK_BYTES + MEM_LARGE_PAGE);
    if (!p) return false;
    p += -(uintptr_t)p % MEM_LARGE_PAGE;
    mem_on_large_pages(p, MEM_LARGE_PAGE);
    chunk.at = p + STRETCH_HEAD;
    chunk.end = p + CHUNK_BYTES;
    chunk.large = p + MEM_LARGE_PAGE;
    lock(&stretches.lock);
    stretch_zone(p, CHUNK_BYTES);
    unlock(&stretches.lock);
    return true;
}

static void *
chunk_take(size_t bytes)
{
    char *p = chunk.at;
    chunk.at += bytes;
    for (; chunk.large < chunk.at; chunk.large += MEM_LARGE_PAGE)
        mem_on_large_pages(chunk.large, MEM_LARGE_PAGE);
    return p;
}

static void *
take_fresh(size_t bytes)
{
    bool small = chunk.taken < CHUNK_AFTER;
    if (small) chunk.taken += bytes;
    if (small || bytes > CHUNK_TAKES_MAX) return pool_take(bytes);
    if ((size_t)(chunk.end - chunk.at) < bytes && !chunk_begins()) return pool_take(bytes);
    return pool_count(bytes) ? chunk_take(bytes) : NULL;
}

/* ---- memory that was used ---- */

static void
keep_used(void)
{
    size_t bytes = (size_t)(chunk.used_end - chunk.used);
    if (bytes) stretch_keep(chunk.used, bytes);
    atomic_fetch_add_explicit(&stretches.bytes, bytes, memory_order_relaxed);
    chunk.used = chunk.used_end = NULL;
}

/* Under the lock. False: none is large enough. */
static bool
used_begins(size_t bytes)
{
    struct stretch *s = stretch_take(bytes);
    if (!s) return false;
    keep_used();
    chunk.used = (char *)s;
    chunk.used_end = chunk.used + s->bytes;
    atomic_fetch_sub_explicit(&stretches.bytes, s->bytes, memory_order_relaxed);
    return true;
}

static void *
take_used(size_t bytes)
{
    if ((size_t)(chunk.used_end - chunk.used) < bytes) {
        if (atomic_load_explicit(&stretches.bytes, memory_order_relaxed) < bytes) return NULL;
        lock(&stretches.lock);
        bool begins = used_begins(bytes);
        unlock(&stretches.lock);
        if (!begins) return NULL;
    }
    char *p = chunk.used;
    chunk.used += bytes;
    return p;
}

/* All objects of the class that lie in its shared list, before `list`; their bytes are added. */
static struct stretch *
with_idle(unsigned class_, struct stretch *list, size_t *bytes)
{
    size_t size = pool_class_bytes(class_);
    for (struct pool_node *n, *next; (n = take_batch(class_));)
        for (n = unmarked(n); n; n = next) {
            struct stretch *s = (struct stretch *)(void *)n;
            next = n->next;
            *bytes += s->bytes = size;
            s->next = list;
            list = s;
        }
    return list;
}

/* What lies in no chunk goes back to the system. */
static void
gather_idle(void)
{
    struct stretch *list = NULL, *next;
    size_t bytes = 0;
    lock(&stretches.lock);
    for (unsigned k = pool_class(LARGE_MIN); k < POOL_CLASSES; k++) {
        give_cache(k);
        list = with_idle(k, list, &bytes);
    }
    list = stretch_give(list);
    atomic_fetch_add_explicit(&stretches.bytes, bytes, memory_order_relaxed);
    unlock(&stretches.lock);
    atomic_fetch_add_explicit(&idle.moved, bytes, memory_order_relaxed);
    for (; list; list = next) {
        next = list->next;
        atomic_fetch_sub_explicit(&stretches.bytes, list->bytes, memory_order_relaxed);
        pool_give(list, list->bytes);
    }
}

static size_t
idle_bytes(void)
{
    size_t bytes = 0;
    for (unsigned k = pool_class(LARGE_MIN); k < POOL_CLASSES; k++)
        bytes += atomic_load_explicit(&shared[k].objects, memory_order_relaxed) *
                 pool_class_bytes(k);
    return bytes;
}

static bool
is_much_idle(void)
{
    size_t all = pool_bytes(), bytes = idle_bytes();
    size_t free_ = bytes + atomic_load_explicit(&stretches.bytes, memory_order_relaxed);
    size_t used = atomic_load_explicit(&idle.used, memory_order_relaxed);
    if (all > free_ && all - free_ > used)
        atomic_store_explicit(&idle.used, used = all - free_, memory_order_relaxed);
    if (bytes < IDLE_MIN) return false;
    bool often = atomic_load_explicit(&idle.moved, memory_order_relaxed) / MOVED_MOST > all;
    return often ? bytes / IDLE_TIMES >= used : bytes >= all / IDLE_PART;
}

/* Memory that stays with the pool. */
static void *
take(size_t bytes)
{
    bytes = (bytes + 63) & ~(size_t)63;
    bool much = is_much_idle();
    void *p = take_used(bytes);
    if (!p && much) {
        gather_idle();
        p = take_used(bytes);
    }
    if (p || (p = take_fresh(bytes))) return p;
    gather_idle(); /* the system, or the limit, gives no more */
    p = take_used(bytes);
    return p ? p : take_fresh(bytes);
}

/* ---- slabs ---- */

/* Not as objects: nobody has touched it, and perhaps nobody ever will. */
static void
give_rest(unsigned class_, const struct pool_cache *c)
{
    if (c->fresh == c->end) return;
    struct slab_rest *rest = (struct slab_rest *)(void *)c->fresh;
    rest->end = c->end;
    lock(&shared[class_].lock);
    rest->next = shared[class_].rests;
    shared[class_].rests = rest;
    unlock(&shared[class_].lock);
}

static bool
take_rest(unsigned class_, struct pool_cache *c)
{
    lock(&shared[class_].lock);
    struct slab_rest *rest = shared[class_].rests;
    if (rest) shared[class_].rests = rest->next;
    unlock(&shared[class_].lock);
    if (!rest) return false;
    c->fresh = (char *)rest;
    c->end = rest->end;
    return true;
}

void
pool_thread_begin(void)
{
    if (chunk.first) return;
    chunk.first = mem_pages(FIRST_BYTES);
    if (!chunk.first) return;
    chunk.first_end = chunk.first + FIRST_BYTES;
    mem_touch(chunk.first, FIRST_BYTES);
}

/* NULL: there is no room, or the limit is reached. */
static char *
first_slab(size_t bytes)
{
    size_t room = (bytes + 63) & ~(size_t)63;
    if ((size_t)(chunk.first_end - chunk.first) < room || !pool_count(room)) return NULL;
    char *p = chunk.first;
    chunk.first += room;
    return p;
}

/* For a cache that has none left. False: no memory. */
static bool
slab_begins(struct pool_cache *c, size_t size)
{
    size_t few = size < FIRST_SLAB / FIRST_OBJECTS ? FIRST_SLAB / size : FIRST_OBJECTS;
    size_t slab = few * size;
    char *p = c->end ? NULL : first_slab(slab);
    if (!p) {
        slab = SLAB_BYTES / size * size;
        p = take(slab);
    }
    c->fresh = p;
    c->end = p ? p + slab : NULL;
    return p;
}

void *
pool_get_slow(unsigned class_)
{
    struct pool_cache *c = &pool_caches[class_];
    struct pool_node *first = c->spare;
    c->spare = NULL;
    if (!first) first = take_batch(class_);
    if (first) {
        c->n = batch_rest(c, class_, first);
        first = unmarked(first);
        c->head = first->next;
        return first;
    }
    size_t size = pool_class_bytes(class_);
    if (size > SLAB_BYTES / 8) return take(size);
    if (c->fresh == c->end && !take_rest(class_, c) && !slab_begins(c, size)) return NULL;
    void *p = c->fresh;
    c->fresh += size;
    return p;
}

void
pool_put_slow(unsigned class_, void *object)
{
    struct pool_cache *c = &pool_caches[class_];
    struct pool_node *n = object;
    if (pool_class_bytes(class_) > CACHED_MAX) {
        n->next = NULL;
        give_batch(class_, n);
        return;
    }
    if (!c->max) c->max = batch_of(class_);
    if (c->n >= c->max) {
        if (c->spare) give_batch(class_, c->spare);
        c->spare = c->head;
        c->head = NULL;
        c->n = 0;
    }
    n->next = c->head;
    c->head = n;
    c->n++;
}

void
pool_thread_flush(void)
{
    for (unsigned k = 0; k < POOL_CLASSES; k++) {
        struct pool_cache *c = &pool_caches[k];
        give_cache(k);
        give_rest(k, c);
        *c = (struct pool_cache){0};
    }
    lock(&stretches.lock);
    keep_used();
    unlock(&stretches.lock);
}

#endif
