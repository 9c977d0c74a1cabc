/* lines.c - the functions of the program that gen_lines.sh makes. */
#include "luna.h"

void
set(int v, luna_df *x)
{
    luna_set_int(x, v);
}

void
add(const luna_df *a, const luna_df *b, luna_df *sum)
{
    luna_set_int(sum, luna_get_int(a) + luna_get_int(b));
}

void
expect(const luna_df *x, int part, int want)
{
    if (luna_get_int(x) != want) luna_fail("part %d gives %d, not %d", part, luna_get_int(x), want);
}
