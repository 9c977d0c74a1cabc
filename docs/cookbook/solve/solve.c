/* solve.c - systems of equations by LAPACK. */
#include <luna.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dgesv_(const int *n, const int *columns, double *a, const int *lda, int *pivot, double *b,
            const int *ldb, int *info);

void
equations(int n, int seed, luna_df *matrix, luna_df *right)
{
    double *a = luna_create(matrix, sizeof *a * n * n), *b = luna_create(right, sizeof *b * n);
    for (int i = 0; i < n * n; i++) a[i] = i % (n + 1) ? 1.0 / (1 + (i * 7 + seed) % 13) : n;
    for (int i = 0; i < n; i++) b[i] = i % 10;
}

/* dgesv writes into what it gets, so it gets copies: inputs stay as they are. */
void
solve(int n, const luna_df *matrix, const luna_df *right, luna_df *x)
{
    int one = 1, info, *pivot = malloc(sizeof *pivot * n);
    double *lu = malloc(luna_size(matrix)), *result = luna_create(x, luna_size(right));
    memcpy(lu, luna_data(matrix), luna_size(matrix));
    memcpy(result, luna_data(right), luna_size(right));
    dgesv_(&n, &one, lu, &n, pivot, result, &n, &info);
    free(lu);
    free(pivot);
    if (info) luna_fail("dgesv gives %d: the matrix is singular", info);
}

void
residual(int n, const luna_df *matrix, const luna_df *right, const luna_df *x, luna_df *worst)
{
    const double *a = luna_data(matrix), *b = luna_data(right), *y = luna_data(x);
    double most = 0;
    for (int i = 0; i < n; i++) {
        double sum = -b[i];
        for (int k = 0; k < n; k++) sum += a[i + k * n] * y[k]; /* columns first, as in Fortran */
        most = fmax(most, fabs(sum));
    }
    luna_set_real(worst, most);
}

void
say(double worst)
{
    puts(worst < 1e-9 ? "solved" : "wrong");
}
