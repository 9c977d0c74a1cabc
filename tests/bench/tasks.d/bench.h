/* bench.h - what the peers of the task benchmark share: the bodies, the clock, the checks.
 *
 * A peer is one program: PEER SHAPE WORKERS N [WIDTH ITERS]. It runs the shape once, checks the
 * values that came out, and prints the seconds from the first creation to the end of the last
 * task. Threads exist before the clock starts. All bodies are in files of their own, so that no
 * compiler sees both a call and its body; the .fa programs in luna/ call the same object code.
 *
 *     indep    nop(i)                                            N tasks without any dependence
 *     chain    x[i+1] = step(x[i])                               N tasks, each needs the one before
 *     stencil  x[t+1][i] = sten(x[t][i-1], x[t][i], x[t][i+1])   N tasks in rows of WIDTH, ints
 *     metg     the same with doubles and a body of ITERS rounds of arithmetic
 */
#ifndef LUNA_BENCH_H
#define LUNA_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct bench {
    char shape; /* the first letter of its name */
    int workers, n, width, iters;
};

/* bodies.c */
int step(int v);
int sten(int left, int self, int right);
/* luna/nop.c */
void   nop(int i);
void   nop_reset(void);
double nop_last(int n);
/* luna/kernel.c */
double kernel(double left, double self, double right, int iters);

static inline double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline struct bench
bench_args(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: %s indep|chain|stencil|metg WORKERS N [WIDTH ITERS]\n", argv[0]);
        exit(2);
    }
    return (struct bench){argv[1][0], atoi(argv[2]), atoi(argv[3]), argc > 4 ? atoi(argv[4]) : 32,
                          argc > 5 ? atoi(argv[5]) : 0};
}

static inline void
bench_wrong(const struct bench *b, int i, double have, double want)
{
    fprintf(stderr, "shape %c, %d workers: value %d is %.17g, not %.17g\n", b->shape, b->workers, i,
            have, want);
    exit(1);
}

/* The last row of a stencil, 1..width, computed again by a plain loop. */
static inline void
check_stencil(const struct bench *b, const int *last)
{
    int w = b->width, *a = calloc((size_t)w + 2, sizeof *a), *z = calloc((size_t)w + 2, sizeof *z);
    for (int i = 1; i <= w; i++) a[i] = i;
    for (int t = 0; t < b->n / w; t++) {
        for (int i = 1; i <= w; i++) z[i] = sten(a[i - 1], a[i], a[i + 1]);
        memcpy(a, z, ((size_t)w + 2) * sizeof *a);
    }
    for (int i = 1; i <= w; i++)
        if (a[i] != last[i]) bench_wrong(b, i, last[i], a[i]);
    free(a);
    free(z);
}

static inline void
check_metg(const struct bench *b, const double *last)
{
    int w = b->width;
    double *a = calloc((size_t)w + 2, sizeof *a), *z = calloc((size_t)w + 2, sizeof *z);
    for (int i = 1; i <= w; i++) a[i] = i;
    for (int t = 0; t < b->n / w; t++) {
        for (int i = 1; i <= w; i++) z[i] = kernel(a[i - 1], a[i], a[i + 1], b->iters);
        memcpy(a, z, ((size_t)w + 2) * sizeof *a);
    }
    for (int i = 1; i <= w; i++)
        if (a[i] != last[i]) bench_wrong(b, i, last[i], a[i]);
    free(a);
    free(z);
}

#endif
