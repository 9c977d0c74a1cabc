/* indexed.c - see indexed.h. No stdio: there are millions of them in a trace. */
#include "indexed.h"

#include <string.h>

/* What fits of it. */
static char *
add(char *at, const char *end, const char *s, size_t n)
{
    size_t room = (size_t)(end - at);
    if (n > room) n = room;
    memcpy(at, s, n);
    return at + n;
}

size_t
indexed_print(char *text, size_t room, const char *base, const int32_t *ix, size_t n)
{
    char *end = text + room, *at = add(text, end, base, strlen(base));
    for (size_t i = 0; i < n; i++) {
        char index[16], *digit = index + sizeof index;
        uint32_t rest = ix[i] < 0 ? -(uint32_t)ix[i] : (uint32_t)ix[i];
        *--digit = ']';
        do *--digit = (char)('0' + rest % 10);
        while (rest /= 10);
        if (ix[i] < 0) *--digit = '-';
        *--digit = '[';
        at = add(at, end, digit, (size_t)(index + sizeof index - digit));
    }
    if (at < end) return (size_t)(at - text);
    memcpy(end - 4, "...", 3);
    return room - 1;
}
