/* fft.c - the functions of fft.fa. */
#include "luna.h"

#include "fft.h"

#include <stdio.h>
#include <stdlib.h>

void
f_begin(int strip, int n, const luna_outputs *p)
{
    int height = n / (int)p->n;
    for (size_t j = 0; j < p->n; j++) {
        number *piece = luna_create(p->df[j], (size_t)height * (size_t)height * sizeof *piece);
        for (int c = 0; c < height; c++)
            for (int r = 0; r < height; r++)
                piece[c * height + r] = first_value(strip * height + r, (int)j * height + c);
    }
}

/* The strip that pieces make: each holds some columns of it. */
static number *
join(const luna_inputs *p, int n)
{
    int height = n / (int)p->n;
    number *rows = malloc((size_t)n * (size_t)height * sizeof *rows);
    if (!rows) luna_fail("out of memory");
    for (size_t j = 0; j < p->n; j++) {
        const number *piece = luna_data(p->df[j]);
        for (int r = 0; r < height; r++)
            memcpy(&rows[(size_t)r * (size_t)n + j * (size_t)height], &piece[r * height],
                   (size_t)height * sizeof *rows);
    }
    return rows;
}

void
f_turn(const luna_inputs *in, int n, const luna_outputs *out)
{
    int height = n / (int)in->n;
    number *rows = join(in, n), *roots = malloc((size_t)n / 2 * sizeof *roots);
    if (!roots) luna_fail("out of memory");
    fill_roots(roots, n);
    for (int r = 0; r < height; r++) fft(&rows[(size_t)r * (size_t)n], n, roots);
    for (size_t j = 0; j < out->n; j++)
        cut_piece(luna_create(out->df[j], (size_t)height * (size_t)height * sizeof *rows), rows, n,
                  height, (int)j * height, height);
    free(roots);
    free(rows);
}

void
f_sum(const luna_inputs *in, int n, int strip, luna_df *sum)
{
    int height = n / (int)in->n;
    number *rows = join(in, n);
    luna_set_real(sum, weighted(rows, n, height, strip * height));
    free(rows);
}

void
f_now(const luna_df *after, luna_df *at)
{
    (void)after;
    luna_set_real(at, micros());
}

void
f_memory(int place, double after, luna_df *kib)
{
    (void)place, (void)after;
    luna_set_int(kib, (int)most_memory());
}

void
f_say(double us, double sum, int kib)
{
    printf("%.0f %.7e %d\n", us, sum, kib);
}
