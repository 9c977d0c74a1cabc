/* fft.h - the arithmetic that both ways share: a transform of a row, a matrix to begin with, a sum. */
#ifndef BENCH_FFT_H
#define BENCH_FFT_H

#include <complex.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

typedef double complex number;

static inline double
micros(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return 1e6 * (double)at.tv_sec + 1e-3 * (double)at.tv_nsec;
}

/* The most memory that the process ever had, in KiB. */
static inline long
most_memory(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_maxrss;
}

/* roots[k] = exp(-2 pi i k / n), k < n / 2. */
static inline void
fill_roots(number *roots, int n)
{
    for (int k = 0; k < n / 2; k++) roots[k] = cexp(-2 * M_PI * I * k / n);
}

/* Of a power of two, in place, divided by the root of n: the sum of squares stays. */
static inline void
fft(number *x, int n, const number *roots)
{
    for (int i = 1, j = 0; i < n; i++) {
        int bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) {
            number t = x[i];
            x[i] = x[j];
            x[j] = t;
        }
    }
    for (int half = 1; half < n; half *= 2)
        for (int at = 0; at < n; at += 2 * half)
            for (int k = 0; k < half; k++) {
                double a = creal(x[at + half + k]), b = cimag(x[at + half + k]);
                double c = creal(roots[k * (n / (2 * half))]), s = cimag(roots[k * (n / (2 * half))]);
                number t = CMPLX(a * c - b * s, a * s + b * c), u = x[at + k];
                x[at + k] = u + t;
                x[at + half + k] = u - t;
            }
    double by = 1 / sqrt(n);
    for (int i = 0; i < n; i++) x[i] *= by;
}

static inline number
first_value(int row, int column)
{
    return CMPLX((row * 31 + column * 17) % 101 - 50, (row + column) % 13);
}

/* Rows `from` and on, so many, are cut into pieces of `side` columns, each turned round. */
static inline void
cut_piece(number *piece, const number *rows, int n, int height, int from, int side)
{
    for (int r = 0; r < height; r++)
        for (int c = 0; c < side; c++) piece[c * height + r] = rows[(size_t)r * (size_t)n + (size_t)(from + c)];
}

/* The sum of squares, weighted by where a value is. */
static inline double
weighted(const number *rows, int n, int height, int first)
{
    double sum = 0;
    for (int r = 0; r < height; r++)
        for (int c = 0; c < n; c++) {
            number x = rows[(size_t)r * (size_t)n + (size_t)c];
            double square = creal(x) * creal(x) + cimag(x) * cimag(x);
            sum += square * (1 + ((first + r) * 7 + c * 3) % 5);
        }
    return sum;
}

#endif
