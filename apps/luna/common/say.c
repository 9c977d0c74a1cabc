/* say.c - see say.h. */
#include "apps/luna/common/say.h"

#include <stdarg.h>
#include <stdio.h>

static const char *who = "luna";

void
say_name(const char *name)
{
    who = name;
}

/* Bytes of file names reach the terminal through here: control characters are not passed on. */
static void
print_clean(const char *fmt, va_list ap)
{
    char text[4096];
    vsnprintf(text, sizeof text, fmt, ap);
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 127) *p = '?';
    fputs(text, stderr);
    fputc('\n', stderr);
}

#define SAY(...)                                                                                   \
    do {                                                                                           \
        va_list ap;                                                                                \
        va_start(ap, fmt);                                                                         \
        fprintf(stderr, __VA_ARGS__);                                                              \
        print_clean(fmt, ap);                                                                      \
        va_end(ap);                                                                                \
    } while (0)

void
say_error(const char *fmt, ...)
{
    SAY("%s: error: ", who);
}

void
say_warning(const char *fmt, ...)
{
    SAY("%s: warning: ", who);
}

void
say_hint(const char *fmt, ...)
{
    SAY("hint: ");
}

void
say_note(const char *fmt, ...)
{
    SAY("%s: ", who);
}
