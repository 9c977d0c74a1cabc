/* random_functions.c - the functions of random programs, as emitted C calls them. */
#include "runtime/ucode/luna.h"

#pragma GCC visibility push(default)
void luna_inline_put(luna_df *x, int32_t k);
void luna_inline_get(const luna_df *x);
void luna_inline_copy(const luna_df *a, luna_df *x);
void luna_inline_inc(int32_t a, luna_df *x);
void luna_inline_add(const luna_df *a, const luna_df *b, luna_df *x);
void luna_inline_three(const luna_df *a, const luna_df *b, const luna_df *c, luna_df *x);
void luna_inline_both(luna_df *x, luna_df *y);
void luna_inline_sum(const luna_inputs *x, luna_df *s);
void luna_inline_fan(int32_t k, const luna_outputs *y);
void luna_inline_mend(const luna_inputs *x, int32_t k, const luna_outputs *y);

void
luna_inline_put(luna_df *x, int32_t k)
{
    luna_set_int(x, k);
}

void
luna_inline_get(const luna_df *x)
{
    (void)x;
}

void
luna_inline_copy(const luna_df *a, luna_df *x)
{
    luna_set_int(x, luna_get_int(a));
}

void
luna_inline_inc(int32_t a, luna_df *x)
{
    luna_set_int(x, (int32_t)((uint32_t)a + 1));
}

void
luna_inline_add(const luna_df *a, const luna_df *b, luna_df *x)
{
    luna_set_int(x, (int32_t)((uint32_t)luna_get_int(a) + (uint32_t)luna_get_int(b)));
}

void
luna_inline_three(const luna_df *a, const luna_df *b, const luna_df *c, luna_df *x)
{
    luna_set_int(x, luna_get_int(a) ^ luna_get_int(b) ^ luna_get_int(c));
}

void
luna_inline_both(luna_df *x, luna_df *y)
{
    luna_set_int(x, 1);
    luna_set_int(y, 2);
}

void
luna_inline_sum(const luna_inputs *x, luna_df *s)
{
    int32_t k = 0;
    for (size_t i = 0; i < x->n; i++) k ^= luna_get_int(x->df[i]);
    luna_set_int(s, k);
}

void
luna_inline_fan(int32_t k, const luna_outputs *y)
{
    for (size_t i = 0; i < y->n; i++) luna_set_int(y->df[i], k + (int32_t)i);
}

void
luna_inline_mend(const luna_inputs *x, int32_t k, const luna_outputs *y)
{
    for (size_t i = 0; i < y->n; i++)
        luna_set_int(y->df[i], x->n ? luna_get_int(x->df[i % x->n]) : k);
}
#pragma GCC visibility pop
