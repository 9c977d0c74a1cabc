/* buf.c - growable bytes. */
#include "buf.h"

#include "mem.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

void
buf_fini(struct buf *b)
{
    mem_free(b->data);
    *b = (struct buf){0};
}

void
buf_clear(struct buf *b)
{
    b->size = 0;
    b->failed = false;
    if (b->data) b->data[0] = 0;
}

static bool
buf_reserve(struct buf *b, size_t more)
{
    if (b->failed) return false;
    if (b->room - b->size > more) return true;
    size_t room = b->room ? b->room * 2 : 256;
    bool fits = more < SIZE_MAX / 4 - b->size;
    while (fits && room - b->size <= more) room *= 2;
    char *data = fits ? mem_realloc(b->data, room) : NULL;
    if (!data) return !(b->failed = true);
    b->data = data;
    b->room = room;
    return true;
}

void
buf_add(struct buf *b, const void *bytes, size_t n)
{
    if (!buf_reserve(b, n)) return;
    if (n) memcpy(b->data + b->size, bytes, n);
    b->size += n;
    b->data[b->size] = 0;
}

void
buf_str(struct buf *b, const char *s)
{
    buf_add(b, s, strlen(s));
}

void
buf_char(struct buf *b, char c)
{
    buf_add(b, &c, 1);
}

void
buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    if (buf_reserve(b, n < 0 ? SIZE_MAX : (size_t)n)) {
        vsnprintf(b->data + b->size, (size_t)n + 1, fmt, again);
        b->size += (size_t)n;
    }
    va_end(again);
}

void
buf_printf(struct buf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(b, fmt, ap);
    va_end(ap);
}
