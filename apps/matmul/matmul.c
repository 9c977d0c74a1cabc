/* matmul.c - blocks of a[i][k] = i - k and b[k][j] = k + j, and of their product.
 *
 * All values are small whole numbers, so every sum is exact and so must the product be. */
#include <luna.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Rows (and columns) of a block. */
static size_t
side_of(int size, int parts)
{
    if (parts < 1 || size < 1 || size % parts)
        luna_fail("ROWS = %d cannot be cut into PARTS = %d equal parts", size, parts);
    return (size_t)(size / parts);
}

void
make_a(int size, int parts, int i, int k, luna_df *block)
{
    size_t n = side_of(size, parts);
    double *a = luna_create(block, n * n * sizeof *a);
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < n; c++)
            a[r * n + c] = ((double)i * n + r) - ((double)k * n + c);
}

void
make_b(int size, int parts, int k, int j, luna_df *block)
{
    size_t n = side_of(size, parts);
    double *b = luna_create(block, n * n * sizeof *b);
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < n; c++)
            b[r * n + c] = ((double)k * n + r) + ((double)j * n + c);
}

void
zero(int size, int parts, luna_df *block)
{
    size_t n = side_of(size, parts);
    memset(luna_create(block, n * n * sizeof(double)), 0, n * n * sizeof(double));
}

/* sum = c + a * b; a row of the sum stays in the cache while rows of b pass by. */
void
multiply_add(int size, int parts, const luna_df *a_block, const luna_df *b_block,
             const luna_df *c_block, luna_df *sum)
{
    size_t n = side_of(size, parts);
    const double *a = luna_data(a_block), *b = luna_data(b_block), *c = luna_data(c_block);
    double *out = luna_create(sum, n * n * sizeof *out);
    for (size_t r = 0; r < n; r++) {
        double *restrict row = out + r * n;
        memcpy(row, c + r * n, n * sizeof *row);
        for (size_t k = 0; k < n; k++) {
            const double factor = a[r * n + k], *restrict of = b + k * n;
            for (size_t j = 0; j < n; j++) row[j] += factor * of[j];
        }
    }
}

/* The sum over k = 0 .. size-1 of (i - k) * (k + j), in closed form. */
static double
product_at(double size, double i, double j)
{
    double k1 = size * (size - 1) / 2, k2 = (size - 1) * size * (2 * size - 1) / 6;
    return size * i * j + (i - j) * k1 - k2;
}

void
deviation(int size, int parts, int i, int j, const luna_df *c_block, const luna_df *so_far,
          luna_df *most)
{
    size_t n = side_of(size, parts);
    const double *c = luna_data(c_block);
    double d = luna_get_real(so_far);
    for (size_t r = 0; r < n; r++)
        for (size_t k = 0; k < n; k++)
            d = fmax(d, fabs(c[r * n + k] -
                             product_at(size, (double)i * n + r, (double)j * n + k)));
    luna_set_real(most, d);
}

void
start(luna_df *deviation)
{
    luna_set_real(deviation, 0);
}

void
report(int size, int parts, double deviation)
{
    printf("%d x %d in %d x %d blocks: largest deviation %g\n", size, size, parts, parts,
           deviation);
}
