/* sort.c - merge sort: the parts, and two sorted halves into one. */
#include <luna.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Some numbers: the same for each n and LEAF. */
void
fill(int first, int n, luna_df *part)
{
    unsigned *x = luna_create(part, sizeof *x * n);
    for (int i = 0; i < n; i++) x[i] = 2654435761u * (unsigned)(first + i) >> 4;
}

static int
by_size(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

void
sort_leaf(const luna_df *part, luna_df *sorted)
{
    size_t n = luna_size(part) / sizeof(unsigned);
    qsort(luna_take(sorted, part), n, sizeof(unsigned), by_size);
}

void
merge(const luna_df *left, const luna_df *right, luna_df *sorted)
{
    size_t n = luna_size(left) / sizeof(unsigned), m = luna_size(right) / sizeof(unsigned);
    const unsigned *a = luna_data(left), *b = luna_data(right);
    unsigned *x = luna_create(sorted, (n + m) * sizeof *x);
    while (n && m) *x++ = *b < *a ? (m--, *b++) : (n--, *a++);
    memcpy(x, a, n * sizeof *x);
    memcpy(x + n, b, m * sizeof *x);
}

void
show(const luna_df *sorted)
{
    const unsigned *x = luna_data(sorted);
    size_t n = luna_size(sorted) / sizeof *x, wrong = 0;
    for (size_t i = 1; i < n; i++) wrong += x[i] < x[i - 1];
    printf("%zu numbers, %zu in the wrong order, %u in the middle\n", n, wrong, x[n / 2]);
}
