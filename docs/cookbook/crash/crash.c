/* crash.c - two mistakes of one: `fill` writes n + 1 values where there is room for n, and `last`
 * reads the one that is too many. */
#include <luna.h>
#include <stdio.h>

void
fill(int n, luna_df *out)
{
    double *a = luna_create(out, sizeof *a * n);
    for (int k = 0; k <= n; k++) a[k] = k;
}

void
last(int n, const luna_df *in)
{
    const double *a = luna_data(in);
    printf("%g\n", a[n]);
}
