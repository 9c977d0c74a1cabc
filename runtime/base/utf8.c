/* utf8.c - UTF-8 as the standard has it: shortest forms only, no surrogates. */
#include "utf8.h"

size_t
utf8_cut(const char *text, size_t n)
{
    while (n && !utf8_begins(text[n])) n--;
    return n;
}

size_t
utf8_take(const char *text, size_t n, uint32_t *c)
{
    const unsigned char *p = (const unsigned char *)text;
    *c = p[0];
    if (p[0] < 0x80) return 1;
    size_t len = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    static const uint32_t min[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t v = p[0] & (0x7f >> len);
    *c = UTF8_INVALID;
    if (p[0] < 0xc2 || p[0] > 0xf4 || len > n) return 1;
    for (size_t i = 1; i < len; i++) {
        if (utf8_begins(text[i])) return 1;
        v = v << 6 | (p[i] & 0x3f);
    }
    if (v < min[len] || v > 0x10ffff || (v >= 0xd800 && v < 0xe000)) return 1;
    *c = v;
    return len;
}

struct stretch { /* of numbers of characters, ends included */
    uint32_t lo, hi;
};

static bool
in_stretches(uint32_t c, const struct stretch *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (c >= r[i].lo && c <= r[i].hi) return true;
    return false;
}

bool
utf8_unsafe(uint32_t c)
{
    static const struct stretch unsafe[] = {
        {0, 0x1f},        {0x7f, 0x9f},     {0x200e, 0x200f},
        {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfffd, 0xffff},
    };
    return in_stretches(c, unsafe, sizeof unsafe / sizeof *unsafe);
}

unsigned
utf8_cells(uint32_t c)
{
    static const struct stretch none[] = {{0x300, 0x36f}, {0x200b, 0x200d}, {0xfe00, 0xfe0f}};
    static const struct stretch two[] = {
        {0x1100, 0x115f},   {0x2e80, 0xa4cf},   {0xac00, 0xd7a3}, {0xf900, 0xfaff},
        {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6}, {0x1f300, 0x1f64f},
        {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
    };
    if (c < 0x300 || utf8_unsafe(c)) return 1;
    if (in_stretches(c, none, sizeof none / sizeof *none)) return 0;
    return in_stretches(c, two, sizeof two / sizeof *two) ? 2 : 1;
}
