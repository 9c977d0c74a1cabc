/* heat.c - what the calls of one/heat.fa do: the plate is one fragment of n x n doubles. */
#include <luna.h>
#include <stdio.h>

static const double ratio = 0.2; /* dt / dx^2; the scheme is stable up to 1/4 */

/* A row after one more step, from itself and the rows above and below it. */
static void
step_row(int n, const double *above, const double *row, const double *below, double *next)
{
    for (int j = 0; j < n; j++) {
        double left = j > 0 ? row[j - 1] : 0, right = j < n - 1 ? row[j + 1] : 0;
        next[j] = row[j] + ratio * (above[j] + below[j] + left + right - 4 * row[j]);
    }
}

void
start(int n, luna_df *plate)
{
    double *u = luna_create(plate, sizeof *u * n * n);
    for (int k = 0; k < n * n; k++) u[k] = 0;
}

void
edge(int n, double heat, luna_df *row)
{
    double *u = luna_create(row, sizeof *u * n);
    for (int j = 0; j < n; j++) u[j] = heat;
}

void
step(int n, const luna_df *plate, const luna_df *hot, const luna_df *cold, luna_df *next_plate)
{
    const double *u = luna_data(plate);
    double *next = luna_create(next_plate, luna_size(plate));
    for (int i = 0; i < n; i++)
        step_row(n, i > 0 ? u + (i - 1) * n : luna_data(hot), u + i * n,
                 i < n - 1 ? u + (i + 1) * n : luna_data(cold), next + i * n);
}

void
show(int steps, int n, const luna_df *plate)
{
    const double *u = luna_data(plate);
    printf("after %d steps: %.6f in the middle\n", steps, u[n / 2 * n + n / 2]);
}
