#include "luna.h"
#include <string.h>

void c_make(int n, luna_df *x)
{
    luna_set_int(x, n);
}

/* Ints, or arrays of ints, one behind the other. */
void c_glue(const luna_inputs *parts, luna_df *y)
{
    size_t size = 0;
    for (size_t i = 0; i < parts->n; i++) size += luna_size(parts->df[i]);
    char *to = luna_create(y, size);
    for (size_t i = 0; i < parts->n; i++) {
        int one;
        if (luna_type(parts->df[i]) == LUNA_DF_INT) {
            one = luna_get_int(parts->df[i]);
            memcpy(to, &one, sizeof one);
        } else {
            memcpy(to, luna_data(parts->df[i]), luna_size(parts->df[i]));
        }
        to += luna_size(parts->df[i]);
    }
}

void c_cut(const luna_df *x, const luna_outputs *pieces)
{
    size_t each = luna_size(x) / pieces->n;
    for (size_t i = 0; i < pieces->n; i++)
        memcpy(luna_create(pieces->df[i], each), (const char *)luna_data(x) + i * each, each);
}

void c_mix(const luna_inputs *x, int k, const luna_outputs *y, const luna_df *n, luna_df *last)
{
    for (size_t i = 0; i < y->n; i++)
        luna_set_int(y->df[i], luna_get_int(x->df[i]) * k + (int)i);
    luna_set_int(last, luna_get_int(n) + (int)(x->n * y->n));
}
