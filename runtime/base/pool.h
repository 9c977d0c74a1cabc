/* pool.h - memory for objects that are made by one thread and ended by another all the time.
 *
 * Each thread has a small cache per size class and exchanges whole batches with a shared list, so
 * that memory neither bounces nor piles up where objects end. Sizes are rounded up to a class:
 * steps of 16 bytes up to 512, then four classes per doubling.
 *
 *     thread cache: [.......] [spare batch]  <-- batches -->  shared list of the class <-- system
 *
 * Under address sanitizer every object is a malloc of its own, so that misuse is seen. */
#ifndef LUNA_BASE_POOL_H
#define LUNA_BASE_POOL_H

#include <stddef.h>
#include <stdint.h>

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

/* NULL: the system has no more, or the limit is reached. Objects are aligned to 16 bytes, those of
 * a class whose bytes are a multiple of 64 to 64. */
void *pool_get(unsigned class_);
void  pool_put(unsigned class_, void *object);

/* Larger things, each of its own: they go back to the system when given. NULL as above. */
void *pool_take(size_t bytes);
void  pool_give(void *p, size_t bytes);

/* Gives this thread's caches to the shared lists; each thread calls it before it ends. */
void pool_thread_flush(void);

/* Bytes taken from the system so far, and the limit on them (default: none). */
size_t pool_bytes(void);
void   pool_set_bytes_max(size_t bytes);

#endif
