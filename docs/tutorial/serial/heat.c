/* heat.c - heat in a square plate of N x N points, one step after the other. The upper edge is
 * kept at 1, the other three edges at 0. */
#include <stdio.h>
#include <stdlib.h>

enum { N = 64, STEPS = 2000 };

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

static void
step(const double *u, const double *hot, const double *cold, double *next)
{
    for (int i = 0; i < N; i++)
        step_row(N, i > 0 ? u + (i - 1) * N : hot, u + i * N, i < N - 1 ? u + (i + 1) * N : cold,
                 next + i * N);
}

int
main(void)
{
    static double hot[N], cold[N];
    double *u = calloc(N * N, sizeof *u), *next = calloc(N * N, sizeof *next);
    if (!u || !next) return 1;
    for (int j = 0; j < N; j++) hot[j] = 1;

    for (int t = 0; t < STEPS; t++) {
        step(u, hot, cold, next);
        double *old = u;
        u = next;
        next = old;
    }
    printf("after %d steps: %.6f in the middle\n", STEPS, u[N / 2 * N + N / 2]);
    free(u);
    free(next);
}
