/* plain.c - a ucode in C, under the strictest standard there is for it. */
#include "luna.h"

void add(const luna_df *a, const luna_df *b, luna_df *sum);
void block(int n, luna_df *out);

void
add(const luna_df *a, const luna_df *b, luna_df *sum)
{
    if (luna_type(a) == LUNA_DF_INT && luna_type(b) == LUNA_DF_INT)
        luna_set_int(sum, luna_get_int(a) + luna_get_int(b));
    else
        luna_set_real(sum, luna_cast_real(a) + luna_cast_real(b));
}

void
block(int n, luna_df *out)
{
    if (n < 0) luna_fail("block: %d items", n);
    double *data = luna_create(out, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) data[i] = i;
}
