/* buf.h - bytes that grow at the end: texts being printed, messages being packed.
 *
 * A failed allocation is remembered (`failed`) and later calls do nothing, so that a long sequence
 * of prints is checked once, at its end. */
#ifndef LUNA_BASE_BUF_H
#define LUNA_BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct buf {
    char  *data;   /* always followed by a 0 byte once something was added */
    size_t size, room;
    bool   failed;
};

void buf_fini(struct buf *b); /* frees and zeroes; a zeroed struct is an empty buffer */
void buf_clear(struct buf *b);
void buf_add(struct buf *b, const void *bytes, size_t n);
void buf_str(struct buf *b, const char *s);
void buf_char(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *b, const char *fmt, va_list ap);

#endif
