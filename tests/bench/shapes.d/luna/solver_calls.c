/* solver_calls.c - the functions of gradients.fa. The grid is cut into slabs of planes. */
#include "bodies.h"
#include "luna.h"

#include <string.h>

static int
plane_low(int side, int blocks, int b)
{
    return side * b / blocks;
}

static void
make_csr(luna_df *df, int side, const int z[2], int first, int last)
{
    int rows = (z[1] - z[0]) * side * side;
    size_t n = csr_stencil(side, z[0], z[1], first, last, first, NULL, NULL, NULL);
    size_t ints = ((size_t)rows + 1 + n + 1) / 2 * 2; /* the numbers behind are aligned */
    int *from = luna_create(df, sizeof(double) * (n + 1) + sizeof(int) * (ints + 2));
    double *value;
    from[0] = rows;
    from[1] = (int)n;
    value = (double *)(from + 2 + ints);
    csr_stencil(side, z[0], z[1], first, last, first, from + 2, from + 2 + rows + 1, value);
}

static struct csr
csr_in(const luna_df *df)
{
    const int *head = luna_data(df);
    size_t ints = ((size_t)head[0] + 1 + (size_t)head[1] + 1) / 2 * 2;
    return (struct csr){head[0], head + 2, head + 2 + head[0] + 1,
                        (const double *)(head + 2 + ints)};
}

/* The rows of a block: columns of its own, and those of the first and the last plane beyond. */
void
make_matrix(int side, int blocks, int b, luna_df *own, luna_df *below, luna_df *above)
{
    int plane = side * side, z[2] = {plane_low(side, blocks, b), plane_low(side, blocks, b + 1)};
    int bottom[2] = {z[0], z[0] + 1}, top[2] = {z[1] - 1, z[1]};
    make_csr(own, side, z, z[0] * plane, z[1] * plane);
    make_csr(below, side, bottom, (z[0] - 1) * plane, z[0] * plane);
    make_csr(above, side, top, z[1] * plane, (z[1] + 1) * plane);
}

static double *
vector(luna_df *df, size_t n)
{
    return luna_create(df, n * sizeof(double));
}

static void
set_faces(int side, const double *p, size_t n, luna_df *low, luna_df *high)
{
    size_t plane = (size_t)side * (size_t)side;
    memcpy(vector(low, plane), p, plane * sizeof *p);
    memcpy(vector(high, plane), p + n - plane, plane * sizeof *p);
}

/* x = 0, r = p = b, which is 1 everywhere. */
void
begin(int side, int blocks, int b, luna_df *x, luna_df *r, luna_df *p, luna_df *low, luna_df *high,
      luna_df *rr)
{
    size_t n = (size_t)(plane_low(side, blocks, b + 1) - plane_low(side, blocks, b));
    n *= (size_t)side * (size_t)side;
    memset(vector(x, n), 0, n * sizeof(double));
    double *ones = vector(r, n);
    for (size_t k = 0; k < n; k++) ones[k] = 1;
    memcpy(vector(p, n), ones, n * sizeof(double));
    set_faces(side, ones, n, low, high);
    luna_set_real(rr, (double)n);
}

/* q = A p, and p * q. Where there is no neighbour its part of the matrix is empty. */
void
multiply(const luna_df *own, const luna_df *below, const luna_df *above, const luna_df *p,
         const luna_df *p_below, const luna_df *p_above, luna_df *q, luna_df *pq)
{
    struct csr a = csr_in(own), low = csr_in(below), high = csr_in(above);
    double *y = vector(q, (size_t)a.rows);
    csr_times(&a, luna_data(p), y, 0);
    csr_times(&low, luna_data(p_below), y, 1);
    csr_times(&high, luna_data(p_above), y + a.rows - high.rows, 1);
    luna_set_real(pq, dot(luna_data(p), y, a.rows));
}

/* x + alpha p, r - alpha q, and r * r. */
void
advance(double alpha, const luna_df *x, const luna_df *r, const luna_df *p, const luna_df *q,
        luna_df *x_next, luna_df *r_next, luna_df *rr)
{
    size_t n = luna_size(x) / sizeof(double);
    const double *ps = luna_data(p), *qs = luna_data(q);
    double *xn = luna_take(x_next, x), *rn = luna_take(r_next, r);
    for (size_t k = 0; k < n; k++) {
        xn[k] += alpha * ps[k];
        rn[k] -= alpha * qs[k];
    }
    luna_set_real(rr, dot(rn, rn, (int)n));
}

/* The next direction: r + beta p. */
void
turn(int side, double beta, const luna_df *r, const luna_df *p, luna_df *next, luna_df *low,
     luna_df *high)
{
    size_t n = luna_size(r) / sizeof(double);
    const double *rs = luna_data(r);
    double *pn = luna_take(next, p);
    for (size_t k = 0; k < n; k++) pn[k] = rs[k] + beta * pn[k];
    set_faces(side, pn, n, low, high);
}
