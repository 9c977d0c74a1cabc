/* heat1d.c - what the pieces of heat1d.fa do: inner points 1..points of a rod with points + 2. */
#include <luna.h>
#include <math.h>
#include <stdio.h>

/* dt / dx^2; the scheme is stable up to 1/2. */
static const double ratio = 0.25, pi = 3.14159265358979323846;

static double
x_of(int points, int parts, int p, int k)
{
    return (double)((p - 1) * (points / parts) + k + 1) / (points + 1);
}

static void
set_ends(const double *u, int n, luna_df *first, luna_df *last)
{
    luna_set_real(first, u[0]);
    luna_set_real(last, u[n - 1]);
}

void
start(int points, int parts, int p, luna_df *piece, luna_df *first, luna_df *last)
{
    if (parts < 1 || points < parts || points % parts)
        luna_fail("POINTS = %d cannot be cut into PARTS = %d equal parts", points, parts);
    int n = points / parts;
    double *u = luna_create(piece, (size_t)n * sizeof *u);
    for (int k = 0; k < n; k++) u[k] = sin(pi * x_of(points, parts, p, k));
    set_ends(u, n, first, last);
}

void
step(const luna_df *piece, double before, double behind, luna_df *next, luna_df *first,
     luna_df *last)
{
    int n = (int)(luna_size(piece) / sizeof(double));
    const double *u = luna_data(piece);
    double *v = luna_create(next, luna_size(piece));
    for (int k = 0; k < n; k++) {
        double left = k ? u[k - 1] : before, right = k < n - 1 ? u[k + 1] : behind;
        v[k] = u[k] + ratio * (left - 2 * u[k] + right);
    }
    set_ends(v, n, first, last);
}

void
error(int points, int parts, int p, int steps, const luna_df *piece, double so_far, luna_df *result)
{
    int n = points / parts;
    double dx = 1.0 / (points + 1), t = steps * ratio * dx * dx, most = so_far;
    const double *u = luna_data(piece);
    for (int k = 0; k < n; k++)
        most = fmax(most, fabs(u[k] - sin(pi * x_of(points, parts, p, k)) * exp(-pi * pi * t)));
    luna_set_real(result, most);
}

void
report(int steps, int points, double error)
{
    double dx = 1.0 / (points + 1);
    printf("after %d steps, t = %.4f: error %.2e\n", steps, steps * ratio * dx * dx, error);
}
