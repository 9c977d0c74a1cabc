/* amount.c - see amount.h. */
#include "amount.h"

#include <stdio.h>

struct amount_unit
amount_unit_of_bytes(double max)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double one = 1;
    int i = 0;
    for (; max >= 1024 * one && i < 4; i++) one *= 1024;
    return (struct amount_unit){names[i], one};
}

struct amount_unit
amount_unit_of_time(double max)
{
    if (max < 1e-3) return (struct amount_unit){"us", 1e-6};
    if (max < 1) return (struct amount_unit){"ms", 1e-3};
    return (struct amount_unit){"s", 1};
}

struct amount
amount_bytes(double bytes)
{
    struct amount_unit u = amount_unit_of_bytes(bytes);
    struct amount a;
    snprintf(a.text, sizeof a.text, "%.*f %s", u.one > 1 ? 2 : 0, bytes / u.one, u.name);
    return a;
}

struct amount
amount_time(double seconds)
{
    struct amount_unit u = amount_unit_of_time(seconds);
    struct amount a;
    snprintf(a.text, sizeof a.text, "%.*f %s", u.one < 1 ? 2 : 3, seconds / u.one, u.name);
    return a;
}
