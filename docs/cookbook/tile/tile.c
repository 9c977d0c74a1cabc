/* tile.c - a product of tiles, compiled once for any size and once for the usual one. */
#include <luna.h>
#include <stdio.h>

void
fill(int side, luna_df *tile)
{
    double *x = luna_create(tile, sizeof *x * side * side);
    for (int i = 0; i < side * side; i++) x[i] = 1;
}

static inline void
product(int n, const double *restrict a, const double *restrict b, double *restrict c)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

/* c = a b + so_far */
void
multiply_add(int side, const luna_df *a, const luna_df *b, const luna_df *so_far, luna_df *c)
{
    double *sum = luna_take(c, so_far);
    if (side == 96)
        product(96, luna_data(a), luna_data(b), sum);
    else
        product(side, luna_data(a), luna_data(b), sum);
}

void
corner(const luna_df *tile)
{
    printf("%g\n", ((const double *)luna_data(tile))[0]);
}
