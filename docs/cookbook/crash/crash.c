/* crash.c - `last` reads behind the end of its input: n, not n - 1. */
#include <luna.h>
#include <stdio.h>

void
fill(int n, luna_df *out)
{
    double *a = luna_create(out, sizeof *a * n);
    for (int k = 0; k < n; k++) a[k] = k;
}

void
last(int n, const luna_df *in)
{
    const double *a = luna_data(in);
    printf("%g\n", a[100000000L * n]);
}
