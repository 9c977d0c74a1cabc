/* say.c - see say.h. */
#include "apps/luna/common/say.h"

#include "runtime/base/clean.h"
#include "runtime/base/colour.h"
#include "runtime/base/exit.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *who = "luna";

void
say_name(const char *name)
{
    who = name;
}

#define SAY(...)                                                                                   \
    do {                                                                                           \
        va_list ap;                                                                                \
        va_start(ap, fmt);                                                                         \
        fprintf(stderr, __VA_ARGS__);                                                              \
        clean_print_va(fmt, ap);                                                                   \
        fputc('\n', stderr);                                                                       \
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

int
say_unwritten(const char *path, int e)
{
    say_error("cannot write '%s': %s", path, strerror(e));
    if (e == ENOENT) say_hint("the folder it goes to must be there");
    if (e == ENOSPC || e == EDQUOT) say_hint("free some space, or write to another disk");
    return exit_unwritten(e);
}
