/* omp_grids.c - tiles, wavefronts, conjugate gradients and graphs with OpenMP. Tiles and vectors
 * are updated in place. */
#include "peer.h"

static double
wavefront(char **args)
{
    int n = arg(args, 0), rounds = arg(args, 1), pitch = n + 1;
    int *x = room((size_t)pitch * (size_t)pitch, sizeof *x), last;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++) {
            int *above = &x[(i - 1) * pitch + j], *left = &x[i * pitch + j - 1];
            int *me = &x[i * pitch + j];
#pragma omp task depend(in : *above, *left) depend(out : *me) firstprivate(above, left, me)
            *me = work(*above > *left ? *above : *left, rounds);
        }
#pragma omp taskwait
    last = x[pitch * pitch - 1];
    free(x);
    return last;
}

/* ---- Cholesky ---- */

static double *
tile(double *a, int n, int tiles, int i, int j)
{
    return a + ((size_t)i * (size_t)tiles + (size_t)j) * (size_t)n * (size_t)n;
}

static void
make_tiles(double *a, int n, int tiles)
{
    for (int i = 0; i < tiles; i++)
        for (int j = 0; j <= i; j++) {
            double *t = tile(a, n, tiles, i, j);
#pragma omp task depend(out : *t) firstprivate(t, i, j)
            tile_make(t, n, i, j);
        }
}

static void
factor_column(double *a, int n, int tiles, int k)
{
    double *top = tile(a, n, tiles, k, k);
#pragma omp task depend(inout : *top) firstprivate(top)
    tile_factor(top, n);
    for (int i = k + 1; i < tiles; i++) {
        double *l = tile(a, n, tiles, i, k);
#pragma omp task depend(in : *top) depend(inout : *l) firstprivate(top, l)
        tile_solve(l, top, n);
    }
    for (int i = k + 1; i < tiles; i++)
        for (int j = k + 1; j <= i; j++) {
            double *c = tile(a, n, tiles, i, j), *l = tile(a, n, tiles, i, k);
            double *r = tile(a, n, tiles, j, k);
#pragma omp task depend(in : *l, *r) depend(inout : *c) firstprivate(c, l, r)
            tile_update(c, l, r, n);
        }
}

static double
cholesky(char **args)
{
    int n = arg(args, 0), tiles = arg(args, 1);
    double *a = room((size_t)tiles * (size_t)tiles * (size_t)n * (size_t)n, sizeof *a), worst = 0;
    double *wrong = room((size_t)tiles * (size_t)tiles, sizeof *wrong);
    make_tiles(a, n, tiles);
    for (int k = 0; k < tiles; k++) factor_column(a, n, tiles, k);
    for (int i = 0; i < tiles; i++)
        for (int j = 0; j <= i; j++) {
            double *t = tile(a, n, tiles, i, j), *w = &wrong[i * tiles + j];
#pragma omp task depend(in : *t) firstprivate(t, w, i, j)
            *w = tile_wrong(t, n, i == j);
        }
#pragma omp taskwait
    for (int k = 0; k < tiles * tiles; k++) worst = !(wrong[k] <= worst) ? wrong[k] : worst;
    free(a);
    free(wrong);
    return !(worst <= 1e-6);
}

/* ---- conjugate gradients: a task for each block and loop of a step ---- */

struct solver {
    int side, blocks, n;
    struct csr a;
    double *x, *r, *p, *q, *part;
};

static int
low_row(const struct solver *s, int b)
{
    return s->side * b / s->blocks * s->side * s->side;
}

static double
sum_parts(const struct solver *s)
{
    double sum = 0;
    for (int b = 0; b < s->blocks; b++) sum += s->part[b];
    return sum;
}

static void
multiply(struct solver *s)
{
    for (int b = 0; b < s->blocks; b++) {
        int low = low_row(s, b), high = low_row(s, b + 1);
#pragma omp task firstprivate(b, low, high)
        {
            struct csr rows = {high - low, s->a.from + low, s->a.column, s->a.value};
            csr_times(&rows, s->p, s->q + low, 0);
            s->part[b] = dot(s->p + low, s->q + low, high - low);
        }
    }
#pragma omp taskwait
}

static void
advance(struct solver *s, double alpha)
{
    for (int b = 0; b < s->blocks; b++) {
        int low = low_row(s, b), high = low_row(s, b + 1);
#pragma omp task firstprivate(b, low, high)
        {
            for (int k = low; k < high; k++) {
                s->x[k] += alpha * s->p[k];
                s->r[k] -= alpha * s->q[k];
            }
            s->part[b] = dot(s->r + low, s->r + low, high - low);
        }
    }
#pragma omp taskwait
}

static void
turn(struct solver *s, double beta)
{
    for (int b = 0; b < s->blocks; b++) {
        int low = low_row(s, b), high = low_row(s, b + 1);
#pragma omp task firstprivate(low, high)
        for (int k = low; k < high; k++) s->p[k] = s->r[k] + beta * s->p[k];
    }
#pragma omp taskwait
}

static void
solver_init(struct solver *s, int side, int blocks)
{
    int rows = side * side * side, *from = room((size_t)rows + 1, sizeof *from), *column;
    size_t entries = csr_stencil(side, 0, side, 0, rows, 0, NULL, NULL, NULL);
    double *value = room(entries, sizeof *value);
    *s = (struct solver){.side = side, .blocks = blocks, .n = rows};
    column = room(entries, sizeof *column);
    csr_stencil(side, 0, side, 0, rows, 0, from, column, value);
    s->a = (struct csr){rows, from, column, value};
    s->x = room((size_t)rows, sizeof(double));
    s->r = room((size_t)rows, sizeof(double));
    s->p = room((size_t)rows, sizeof(double));
    s->q = room((size_t)rows, sizeof(double));
    s->part = room((size_t)blocks, sizeof(double));
    for (int k = 0; k < rows; k++) s->p[k] = s->r[k] = 1;
}

/* The clock starts when the matrix is there, so this tells its own time. */
static double
gradients(char **args)
{
    struct solver s;
    int most = arg(args, 2);
    double sum, next;
    solver_init(&s, arg(args, 0), arg(args, 1));
    double start = now_s();
    sum = s.n;
    for (int t = 0; t < most && sum > 1e-10; t++, sum = next) {
        multiply(&s);
        advance(&s, sum / sum_parts(&s));
        next = sum_parts(&s);
        turn(&s, next / sum);
    }
    printf("%.9f %.12g\n", now_s() - start, sum);
    exit(0);
}

/* ---- Task Bench ---- */

static void
graph_row(const char *pattern, int w, int t, int rounds, int *before, int *row)
{
    for (int i = 0; i < w; i++) {
        int p[GRAPH_INPUTS_MAX] = {i, i, i, i, i}, n = graph_inputs(pattern, w, t, i, p);
        int *a = before + p[0], *b = before + p[1], *c = before + p[2], *d = before + p[3];
        int *e = before + p[4], *out = row + i;
#define BODY(...) *out = graph_task(t, i, (int[]){__VA_ARGS__}, n, rounds)
        if (n == 0) {
#pragma omp task firstprivate(t, i, out, n)
            *out = graph_task(t, i, NULL, 0, rounds);
        } else if (n == 1) {
#pragma omp task firstprivate(t, i, out, a, n) depend(in : *a) depend(out : *out)
            BODY(*a);
        } else if (n == 3) {
#pragma omp task firstprivate(t, i, out, a, b, c, n) depend(in : *a, *b, *c) depend(out : *out)
            BODY(*a, *b, *c);
        } else {
#pragma omp task firstprivate(t, i, out, a, b, c, d, e, n) depend(in                    \
                                                                  : *a, *b, *c, *d, *e) \
    depend(out                                                                          \
           : *out)
            BODY(*a, *b, *c, *d, *e);
        }
    }
}

static double
taskbench(char **args)
{
    int w = arg(args, 1), steps = arg(args, 2), rounds = arg(args, 3);
    int *x = room((size_t)w * ((size_t)steps + 1), sizeof *x);
    unsigned sum = 0;
    for (int i = 0; i < w; i++) x[i] = i;
    for (int t = 1; t <= steps; t++)
        graph_row(args[0], w, t, rounds, x + (size_t)w * ((size_t)t - 1),
                  x + (size_t)w * (size_t)t);
#pragma omp taskwait
    for (int t = strcmp(args[0], "trivial") ? steps : 1; t <= steps; t++)
        for (int i = 0; i < w; i++) sum += (unsigned)x[(size_t)w * (size_t)t + (size_t)i];
    free(x);
    return (int)sum;
}

const struct peer_case peer_grids[] = {{"wavefront", 2, wavefront},
                                       {"cholesky", 2, cholesky},
                                       {"gradients", 3, gradients},
                                       {"taskbench", 4, taskbench},
                                       {0}};
