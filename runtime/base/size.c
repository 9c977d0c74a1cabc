/* size.c - a whole number, its unit, and what must stand behind it. */
#include "runtime/base/size.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

long
size_bytes(const char *text, const char *tail)
{
    static const char *const unit[] = {"", "KiB", "MiB", "GiB"};
    char *end;
    errno = 0;
    long n = isdigit((unsigned char)*text) ? strtol(text, &end, 10) : -1;
    for (int i = 0; n >= 0 && !errno && i < 4; i++)
        if (!strncmp(end, unit[i], strlen(unit[i])) && !strcmp(end + strlen(unit[i]), tail))
            return n > LONG_MAX >> 10 * i ? -1 : n << 10 * i;
    return -1;
}
