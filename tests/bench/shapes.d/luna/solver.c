/* solver.c - sparse matrices by rows, for the conjugate gradients. */
#include "bodies.h"

struct stencil_to {
    int first, last, shift, *column;
    double *value;
    size_t n;
};

static void
add_entry(struct stencil_to *to, int column, double value)
{
    if (column < to->first || column >= to->last) return;
    if (to->value) {
        to->column[to->n] = column - to->shift;
        to->value[to->n] = value;
    }
    to->n++;
}

static void
add_row(struct stencil_to *to, int side, int x, int y, int z)
{
    int me = (z * side + y) * side + x;
    if (z > 0) add_entry(to, me - side * side, -1);
    if (y > 0) add_entry(to, me - side, -1);
    if (x > 0) add_entry(to, me - 1, -1);
    add_entry(to, me, 6);
    if (x < side - 1) add_entry(to, me + 1, -1);
    if (y < side - 1) add_entry(to, me + side, -1);
    if (z < side - 1) add_entry(to, me + side * side, -1);
}

size_t
csr_stencil(int side, int low, int high, int first, int last, int shift, int *from, int *column,
            double *value)
{
    struct stencil_to to = {first, last, shift, column, value, 0};
    for (int z = low; z < high; z++)
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++) {
                if (value) *from++ = (int)to.n;
                add_row(&to, side, x, y, z);
            }
    if (value) *from = (int)to.n;
    return to.n;
}

void
csr_times(const struct csr *a, const double *x, double *y, int is_sum)
{
    for (int r = 0; r < a->rows; r++) {
        double sum = is_sum ? y[r] : 0;
        for (int k = a->from[r]; k < a->from[r + 1]; k++) sum += a->value[k] * x[a->column[k]];
        y[r] = sum;
    }
}

double
dot(const double *x, const double *y, int n)
{
    double s[4] = {0};
    for (int k = 0; k < n; k++) s[k & 3] += x[k] * y[k];
    return s[0] + s[1] + (s[2] + s[3]);
}
