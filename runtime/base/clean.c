/* clean.c - see clean.h. */
#include "clean.h"

#include "runtime/base/utf8.h"

#include <stdio.h>
#include <string.h>

size_t
clean_text(char *text, const char *keep)
{
    char *to = text;
    for (const char *at = text; *at;) {
        uint32_t c;
        size_t n = utf8_take(at, UTF8_MAX, &c);
        if (utf8_unsafe(c) && !strchr(keep, *at)) {
            *to++ = '?';
        } else {
            memmove(to, at, n);
            to += n;
        }
        at += n;
    }
    *to = 0;
    return (size_t)(to - text);
}

void
clean_print_va(const char *fmt, va_list ap)
{
    char text[4096];
    size_t n = strlen(fmt);
    const char *end = n && fmt[n - 1] == '\n' ? "\n" : "";
    vsnprintf(text, sizeof text, fmt, ap);
    n = strlen(text);
    if (*end && n && text[n - 1] == '\n') text[n - 1] = 0;
    clean_text(text, "");
    fprintf(stderr, "%s%s", text, end);
}

void
clean_print(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    clean_print_va(fmt, ap);
    va_end(ap);
}
