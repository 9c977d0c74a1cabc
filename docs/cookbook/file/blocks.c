/* blocks.c - a matrix of doubles in blocks, and the sum of numbers that were read from its file. */
#include <luna.h>
#include <stdio.h>

void
make_block(int side, int i, int j, luna_df *block)
{
    double *u = luna_create(block, sizeof *u * side * side);
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) u[y * side + x] = 1000 * (i * side + y) + j * side + x;
}

void
add_up(const luna_df *point, luna_df *number)
{
    const double *u = luna_data(point);
    double sum = 0;
    for (size_t k = 0; k < luna_size(point) / sizeof *u; k++) sum += u[k];
    luna_set_real(number, sum);
}

void
say_sum(double sum)
{
    printf("%.0f\n", sum);
}
