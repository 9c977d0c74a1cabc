/* peer_omp.c - OpenMP tasks with `depend`. One thread creates all tasks and then helps to run them.
 *
 * Every value has an address of its own, as every fragment has a name of its own. libgomp keeps a
 * list a address: with few addresses that are used again (two rows in turn) one thread needs time
 * quadratic in the number of tasks. A ring of 256 rows (shape name with `ring` behind) suits two
 * threads better and one thread much worse; it is measured beside. */
#include "bench.h"

enum { RING = 256 };

static void
indep(const struct bench *b)
{
    for (int i = 0; i < b->n; i++) {
#pragma omp task firstprivate(i)
        nop(i);
    }
#pragma omp taskwait
}

static void
chain(const struct bench *b, int *x, int rows)
{
    for (int i = 0; i < b->n; i++) {
        int *in = &x[i % rows], *out = &x[(i + 1) % rows];
#pragma omp task depend(in : *in) depend(out : *out) firstprivate(in, out)
        *out = step(*in);
    }
#pragma omp taskwait
}

static void
stencil(const struct bench *b, int *x, int rows)
{
    int pitch = b->width + 2;
    for (int t = 0; t < b->n / b->width; t++) {
        int *a = x + pitch * (t % rows), *z = x + pitch * ((t + 1) % rows);
        for (int i = 1; i <= b->width; i++) {
#pragma omp task depend(in : a[i - 1], a[i], a[i + 1]) depend(out : z[i]) firstprivate(a, z, i)
            z[i] = sten(a[i - 1], a[i], a[i + 1]);
        }
    }
#pragma omp taskwait
}

static void
metg(const struct bench *b, double *x, int rows)
{
    int pitch = b->width + 2, iters = b->iters;
    for (int t = 0; t < b->n / b->width; t++) {
        double *a = x + pitch * (t % rows), *z = x + pitch * ((t + 1) % rows);
        for (int i = 1; i <= b->width; i++) {
#pragma omp task depend(in : a[i - 1], a[i], a[i + 1]) depend(out : z[i])                          \
    firstprivate(a, z, i, iters)
            z[i] = kernel(a[i - 1], a[i], a[i + 1], iters);
        }
    }
#pragma omp taskwait
}

static void
check(const struct bench *b, const int *x, const double *real, int rows)
{
    int chained = b->shape == 'c', pitch = chained ? 1 : b->width + 2;
    int last = (chained ? b->n : b->n / b->width) % rows * pitch;
    if (chained && x[last] != b->n) bench_wrong(b, 0, x[last], b->n);
    if (b->shape == 's') check_stencil(b, x + last);
    if (b->shape == 'm') check_metg(b, real + last);
    if (b->shape == 'i' && nop_last(b->n) == 0 && b->n >= 1024) bench_wrong(b, 0, 0, 1);
}

int
main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv);
    int chained = b.shape == 'c', own = (chained ? b.n : b.n / b.width) + 1;
    int rows = strstr(argv[1], "ring") ? RING : own, pitch = chained ? 1 : b.width + 2;
    size_t cells = (size_t)pitch * (size_t)rows;
    int *x = malloc(cells * sizeof *x);
    double *real = malloc(cells * sizeof *real), start = 0;
    for (size_t k = 0; k < cells; k++) real[k] = x[k] = 0; /* touched before the clock starts */
    for (int i = 1; i <= b.width && !chained; i++) real[i] = x[i] = i;
#pragma omp parallel num_threads(b.workers)
    {
#pragma omp barrier
#pragma omp master
        {
            start = now();
            if (b.shape == 'i') indep(&b);
            if (b.shape == 'c') chain(&b, x, rows);
            if (b.shape == 's') stencil(&b, x, rows);
            if (b.shape == 'm') metg(&b, real, rows);
            printf("%.9f\n", now() - start);
        }
    }
    check(&b, x, real, rows);
    return 0;
}
