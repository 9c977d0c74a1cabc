/* tiles.c - a Cholesky factorisation on tiles. */
#include "bodies.h"

#include <math.h>

void
tile_make(double *a, int n, int i, int j)
{
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) {
            int row = i * n + r, column = j * n + c;
            a[r * n + c] = (row < column ? row : column) + 1;
        }
}

double
tile_wrong(const double *l, int n, int is_diagonal)
{
    double worst = 0;
    for (int r = 0; r < n; r++)
        for (int c = 0; c < (is_diagonal ? r + 1 : n); c++) {
            double d = fabs(l[r * n + c] - 1);
            if (!(d <= worst)) worst = d;
        }
    return worst;
}

#ifdef SHAPES_BLAS

#include <cblas.h>
#include <stdlib.h>

/* In LAPACK's eyes a matrix row by row is its transpose: so `U`. */
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);

void
tile_factor(double *a, int n)
{
    int info;
    dpotrf_("U", &n, a, &n, &info);
    if (info) abort();
}

void
tile_solve(double *a, const double *l, int n)
{
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n, n, 1, l, n, a,
                n);
}

void
tile_update(double *c, const double *a, const double *b, int n)
{
    if (a == b)
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, n, n, -1, a, n, 1, c, n);
    else
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, -1, a, n, b, n, 1, c, n);
}

#else

void
tile_factor(double *a, int n)
{
    for (int k = 0; k < n; k++) {
        double d = a[k * n + k] = sqrt(a[k * n + k]);
        for (int r = k + 1; r < n; r++) a[r * n + k] /= d;
        for (int r = k + 1; r < n; r++)
            for (int c = k + 1; c <= r; c++) a[r * n + c] -= a[r * n + k] * a[c * n + k];
    }
}

void
tile_solve(double *a, const double *l, int n)
{
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) {
            double v = a[r * n + c];
            for (int k = 0; k < c; k++) v -= a[r * n + k] * l[c * n + k];
            a[r * n + c] = v / l[c * n + c];
        }
}

/* Four columns at once: four sums that do not wait for each other. */
void
tile_update(double *c, const double *a, const double *b, int n)
{
    for (int r = 0; r < n; r++)
        for (int j = 0; j < n; j += 4) {
            int left = n - j < 4 ? n - j : 4;
            double s[4] = {0};
            for (int k = 0; k < n; k++)
                for (int q = 0; q < left; q++) s[q] += a[r * n + k] * b[(j + q) * n + k];
            for (int q = 0; q < left; q++) c[r * n + j + q] -= s[q];
        }
}

#endif
