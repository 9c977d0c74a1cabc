/* duration.c - a whole number, and its unit right behind it. */
#include "runtime/base/duration.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    uint64_t ns;
} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
enum { UNITS = sizeof units / sizeof *units };

uint64_t
duration_ns(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    if (!digits || digits > 7) return 0;
    for (int i = 0; i < UNITS; i++)
        if (!strcmp(text + digits, units[i].name)) return strtoull(text, NULL, 10) * units[i].ns;
    return 0;
}

char *
duration_text(uint64_t ns, char text[DURATION_TEXT])
{
    int i = UNITS - 1;
    while (ns % units[i].ns) i--;
    snprintf(text, DURATION_TEXT, "%" PRIu64 "%s", ns / units[i].ns, units[i].name);
    return text;
}
