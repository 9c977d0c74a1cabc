/* arena.c - chunks of growing size, the newest first; with the address sanitizer, of pieces. */
#include "arena.h"

#include "buf.h"
#include "mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_PIECES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_PIECES 1
#endif
#endif

#ifdef ARENA_PIECES
#include <sanitizer/asan_interface.h>

enum { CHUNK_PIECES = 64 };

struct chunk {
    struct chunk *next;
    size_t used;
    void *piece[CHUNK_PIECES];
};
#else
enum { CHUNK_BYTES_MIN = 16 << 10, CHUNK_BYTES_MAX = 1 << 20 };

struct chunk {
    struct chunk *next;
    size_t used, size;
    _Alignas(max_align_t) char bytes[];
};
#endif

struct arena {
    struct chunk *chunks;
    jmp_buf *on_fail;
};

struct arena *
arena_new(void)
{
    return mem_zalloc(1, sizeof(struct arena));
}

static void
chunk_free(struct chunk *c)
{
#ifdef ARENA_PIECES
    for (size_t i = 0; i < c->used; i++) free(c->piece[i]);
#endif
    mem_free(c);
}

void
arena_free(struct arena *a)
{
    if (!a) return;
    for (struct chunk *c = a->chunks, *next; c; c = next) {
        next = c->next;
        chunk_free(c);
    }
    mem_free(a);
}

void
arena_on_fail(struct arena *a, jmp_buf *where)
{
    a->on_fail = where;
}

void
arena_fails_like(struct arena *a, const struct arena *other)
{
    a->on_fail = other->on_fail;
}

void
arena_jump(struct arena *a, enum arena_jump why)
{
    if (a->on_fail) longjmp(*a->on_fail, why);
}

#ifdef ARENA_PIECES

/* Chunks alone come from mem.h, so that a test that lets each allocation fail is done in time. */
static void *
take(struct arena *a, size_t bytes)
{
    struct chunk *c = a->chunks;
    if (!c || c->used == CHUNK_PIECES) {
        if (!(c = mem_zalloc(1, sizeof *c))) return NULL;
        c->next = a->chunks;
        a->chunks = c;
    }
    void *p = bytes < SIZE_MAX / 2 ? calloc(1, bytes) : NULL;
    if (p) c->piece[c->used++] = p;
    return p;
}

static void
copied(void *old, size_t bytes)
{
    ASAN_POISON_MEMORY_REGION(old, bytes);
}

#else

static struct chunk *
chunk_for(struct arena *a, size_t bytes)
{
    size_t size = a->chunks ? a->chunks->size * 2 : CHUNK_BYTES_MIN;
    if (size > CHUNK_BYTES_MAX) size = CHUNK_BYTES_MAX;
    if (size < bytes) size = bytes;
    struct chunk *c = mem_alloc(sizeof *c + size);
    if (!c) return NULL;
    *c = (struct chunk){.next = a->chunks, .size = size};
    a->chunks = c;
    return c;
}

static void *
take(struct arena *a, size_t bytes)
{
    const size_t unit = _Alignof(max_align_t);
    struct chunk *c = a->chunks;
    if (bytes >= SIZE_MAX / 2) return NULL;
    bytes = (bytes + unit - 1) / unit * unit;
    if (!c || c->size - c->used < bytes) c = chunk_for(a, bytes);
    if (!c) return NULL;
    void *p = c->bytes + c->used;
    c->used += bytes;
    return memset(p, 0, bytes);
}

static void
copied(void *old, size_t bytes)
{
    (void)old, (void)bytes;
}

#endif

void *
arena_alloc(struct arena *a, size_t bytes)
{
    void *p = take(a, bytes);
    if (!p) arena_jump(a, ARENA_NO_MEMORY);
    return p;
}

void *
arena_grow(struct arena *a, void *old, size_t old_bytes, size_t bytes)
{
    void *p = arena_alloc(a, bytes);
    if (!p || !old_bytes) return p;
    memcpy(p, old, old_bytes);
    copied(old, old_bytes);
    return p;
}

char *
arena_strndup(struct arena *a, const char *s, size_t n)
{
    char *p = arena_alloc(a, n + 1);
    return p ? memcpy(p, s, n) : NULL;
}

char *
arena_strdup(struct arena *a, const char *s)
{
    return arena_strndup(a, s, strlen(s));
}

char *
arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *p = arena_alloc(a, (size_t)n + 1);
    if (p) vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    return p;
}

/* What is freed is freed whether the arena jumps or not. */
char *
arena_text(struct arena *a, struct buf *b)
{
    bool failed = b->failed;
    jmp_buf *where = a->on_fail;
    a->on_fail = NULL;
    char *text = failed ? NULL : arena_strndup(a, b->data ? b->data : "", b->size);
    a->on_fail = where;
    buf_fini(b);
    if (!failed && !text) arena_jump(a, ARENA_NO_MEMORY);
    return text;
}
