/* clean.h - what comes from outside, as names of files, words of a command and texts of functions,
 * reaches the terminal without characters that could confuse it or hide what is written. */
#ifndef LUNA_BASE_CLEAN_H
#define LUNA_BASE_CLEAN_H

#include <stdarg.h>
#include <stddef.h>

/* In place: each unsafe character (utf8.h) becomes a '?', but those of `keep`. Gives the length.
 * Signal handlers may ask. */
size_t clean_text(char *text, const char *keep);
/* To stderr. A line end is one only as the last character, which also a text that is cut has. */
void clean_print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void clean_print_va(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

#endif
