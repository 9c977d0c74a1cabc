/* duration.c - a whole number, and its unit right behind it. */
#include "runtime/base/duration.h"

#include <stdlib.h>
#include <string.h>

uint64_t
duration_ns(const char *text)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    size_t digits = strspn(text, "0123456789");
    if (!digits || digits > 7) return 0;
    for (int i = 0; i < 3; i++)
        if (!strcmp(text + digits, units[i].name)) return strtoull(text, NULL, 10) * units[i].ns;
    return 0;
}
