/* gemm.c - blocks of a matrix product by BLAS. */
#include <luna.h>
#include <stdio.h>

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
            const double *, const int *, const double *, const int *, const double *, double *,
            const int *);

void
fill(int n, double value, luna_df *block)
{
    double *a = luna_create(block, sizeof *a * n * n);
    for (int k = 0; k < n * n; k++) a[k] = value;
}

/* c = a b + so_far */
void
multiply_add(int n, const luna_df *a, const luna_df *b, const luna_df *so_far, luna_df *c)
{
    double one = 1, *sum = luna_create(c, luna_size(so_far));
    const double *old = luna_data(so_far);
    for (int k = 0; k < n * n; k++) sum[k] = old[k];
    dgemm_("N", "N", &n, &n, &n, &one, luna_data(a), &n, luna_data(b), &n, &one, sum, &n);
}

void
corner(const luna_df *block)
{
    printf("%g\n", ((const double *)luna_data(block))[0]);
}
