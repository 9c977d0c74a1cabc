/* pool.h - memory for objects that are made by one thread and ended by another all the time.
 *
 * Each thread has a small cache per size class and exchanges whole batches with a shared list, so
 * that memory neither bounces nor piles up where objects end. Sizes are rounded up to a class:
 * steps of 16 bytes up to 512, then four classes per doubling.
 *
 *     thread cache: [.......] [spare batch]  <-- batches -->  shared list of the class <-- system
 *
 * When much is idle, what is freed of objects above 8 KiB is joined where it lies side by side
 * (stretch.h), and serves all classes before the system is asked.
 *
 * Under address sanitizer every object is a malloc of its own, so that misuse is seen.
 *
 * It must not know what the objects are. Why our own: docs/decisions/0029. */
#ifndef LUNA_BASE_POOL_H
#define LUNA_BASE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__SANITIZE_ADDRESS__)
#define POOL_PLAIN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POOL_PLAIN 1
#endif
#endif

enum {
    POOL_STEP = 16,
    POOL_SMALL = 512,
    POOL_SMALL_CLASSES = POOL_SMALL / POOL_STEP,
    POOL_CLASSES = 160
};

/* The class of an object of `size` bytes, and the bytes an object of a class has. */
unsigned pool_class_large(size_t size);
size_t   pool_class_bytes(unsigned class_);

static inline unsigned
pool_class(size_t size)
{
    return size <= POOL_SMALL ? (unsigned)((size + POOL_STEP - 1) / POOL_STEP) - (size > 0)
                              : pool_class_large(size);
}

/* When the cache of a class is empty or full. */
void *pool_get_slow(unsigned class_);
void  pool_put_slow(unsigned class_, void *object);

#ifndef POOL_PLAIN
struct pool_node {
    struct pool_node *next;
    struct pool_node *next_batch; /* in the shared list, of the first of a batch */
};

struct pool_cache { /* of one class in one thread */
    struct pool_node *head, *spare;
    unsigned n, max;   /* objects behind head; max: a batch, 0 before the first is put */
    char *fresh, *end; /* the slab being carved */
};

/* The fast model of thread variables: all of the runtime is linked into the program itself. */
extern _Thread_local __attribute__((tls_model("initial-exec")))
struct pool_cache pool_caches[POOL_CLASSES];
#endif

/* NULL: the system has no more, or the limit is reached. Objects are aligned to 16 bytes, those of
 * a class whose bytes are a multiple of 64 to 64. */
static inline void *
pool_get(unsigned class_)
{
#ifndef POOL_PLAIN
    struct pool_cache *c = &pool_caches[class_];
    struct pool_node *n = c->head;
    if (__builtin_expect(n != NULL, 1)) {
        c->head = n->next;
        c->n--;
        return n;
    }
#endif
    return pool_get_slow(class_);
}

static inline void
pool_put(unsigned class_, void *object)
{
#ifndef POOL_PLAIN
    struct pool_cache *c = &pool_caches[class_];
    struct pool_node *n = object;
    if (__builtin_expect(c->n < c->max, 1)) {
        n->next = c->head;
        c->head = n;
        c->n++;
        return;
    }
#endif
    pool_put_slow(class_, object);
}

/* Larger things, each of its own: they go back to the system when given. NULL as above. */
void *pool_take(size_t bytes);
void  pool_give(void *p, size_t bytes);

/* A thread that will make objects gets memory for the first of them now. May be called again. */
void pool_thread_begin(void);
/* Gives this thread's caches to the shared lists; each thread calls it before it ends. */
void pool_thread_flush(void);

/* Counts memory that comes from elsewhere; false: the limit is reached. */
bool  pool_count(size_t bytes);

/* Bytes taken from the system so far, and the limit on them (default: none). */
size_t pool_bytes(void);
void   pool_set_bytes_max(size_t bytes);
size_t pool_bytes_max(void);

#endif
