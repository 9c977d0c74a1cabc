/* say.c - see say.h. */
#include "apps/luna/common/say.h"

#include "runtime/base/colour.h"

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
    SAY("%s: %serror:%s ", who, colour(COLOUR_ERROR), colour(COLOUR_END));
}

void
say_warning(const char *fmt, ...)
{
    SAY("%s: %swarning:%s ", who, colour(COLOUR_WARNING), colour(COLOUR_END));
}

void
say_hint(const char *fmt, ...)
{
    SAY("%shint:%s ", colour(COLOUR_NOTE), colour(COLOUR_END));
}

void
say_note(const char *fmt, ...)
{
    SAY("%s: ", who);
}
