/* utf8.h - characters of text that comes from outside: where they begin, how wide they are.
 *
 * Columns are counted by what begins a character, so that they need no decoding; cells are columns
 * of a terminal. Bytes that are not UTF-8 are characters of their own, number 0xfffd. */
#ifndef LUNA_BASE_UTF8_H
#define LUNA_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UTF8_INVALID = 0xfffd, UTF8_MAX = 4 }; /* the bytes of a character, at most */

/* Whether a character begins with this byte. */
static inline bool
utf8_begins(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

/* The largest length up to n at which `text` may be cut: there a character begins. */
size_t utf8_cut(const char *text, size_t n);
/* Takes one character of the n > 0 bytes: gives its bytes and its number. If a 0 ends the text, n
 * may be UTF8_MAX: nothing behind the 0 is read. */
size_t utf8_take(const char *text, size_t n, uint32_t *c);
/* Could confuse a terminal or hide what is written (control characters, turns of direction). */
bool utf8_unsafe(uint32_t c);
/* Cells a terminal needs for it, 0 to 2. Unsafe ones count as the '?' that is printed instead. */
unsigned utf8_cells(uint32_t c);

#endif
