/* walk.c - random walks on a line: particle p makes `steps` steps of length 1 to either side. */
#include "philox.h"

#include <luna.h>
#include <stdio.h>

/* Particles from `first` on; the sum of the squares of the distances they come to. */
void
walk(int seed, int first, int particles, int steps, luna_df *squares)
{
    double sum = 0;
    for (int p = first; p < first + particles; p++) {
        int at = 0;
        for (int k = 0; k < steps; k++)
            at += random_below(2, (uint64_t)seed, (uint64_t)p, (uint64_t)k) ? 1 : -1;
        sum += (double)at * at;
    }
    luna_set_real(squares, sum);
}

void
report(double mean, int steps)
{
    printf("mean square distance %.4f after %d steps\n", mean, steps);
}
