/* heat.c - what the calls of pieces/ do. The plate of n x n points is cut into strips of whole
 * rows. Beside the strip itself a call hands on its first and its last row, for the neighbours. */
#include <luna.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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
set_row(int n, const double *row, luna_df *out)
{
    memcpy(luna_create(out, sizeof *row * n), row, sizeof *row * n);
}

static void
set_ends(int n, int rows, const double *strip, luna_df *first, luna_df *last)
{
    set_row(n, strip, first);
    set_row(n, strip + (rows - 1) * n, last);
}

static int
rows_of(int n, const luna_df *strip)
{
    return (int)(luna_size(strip) / sizeof(double)) / n;
}

void
start(int n, int parts, luna_df *strip, luna_df *first, luna_df *last)
{
    if (parts < 1 || n % parts) luna_fail("%d rows cannot be cut into %d equal strips", n, parts);
    int rows = n / parts;
    double *u = luna_create(strip, sizeof *u * n * rows);
    for (int k = 0; k < n * rows; k++) u[k] = 0;
    set_ends(n, rows, u, first, last);
}

void
edge(int n, double heat, luna_df *row)
{
    double *u = luna_create(row, sizeof *u * n);
    for (int j = 0; j < n; j++) u[j] = heat;
}

static double *
new_strip(int n, const luna_df *strip, const luna_df *above, const luna_df *below,
          luna_df *next_strip)
{
    int rows = rows_of(n, strip);
    const double *u = luna_data(strip);
    double *next = luna_create(next_strip, luna_size(strip));
    for (int i = 0; i < rows; i++)
        step_row(n, i > 0 ? u + (i - 1) * n : luna_data(above), u + i * n,
                 i < rows - 1 ? u + (i + 1) * n : luna_data(below), next + i * n);
    return next;
}

void
step(int n, const luna_df *strip, const luna_df *above, const luna_df *below, luna_df *next_strip,
     luna_df *first, luna_df *last)
{
    double *next = new_strip(n, strip, above, below, next_strip);
    set_ends(n, rows_of(n, strip), next, first, last);
}

/* The same, and behind the step the points burn: du/dt = u (1 - u), in `rounds` small steps. */
void
step_burning(int n, int rounds, const luna_df *strip, const luna_df *above, const luna_df *below,
             luna_df *next_strip, luna_df *first, luna_df *last)
{
    int rows = rows_of(n, strip);
    double *next = new_strip(n, strip, above, below, next_strip);
    for (int r = 0; r < rounds; r++)
        for (int k = 0; k < n * rows; k++) next[k] += 0.01 / rounds * next[k] * (1 - next[k]);
    set_ends(n, rows, next, first, last);
}

/* Called with the strip that begins in the middle of the plate. */
void
show(int steps, int n, const luna_df *strip)
{
    const double *u = luna_data(strip);
    printf("after %d steps: %.6f in the middle\n", steps, u[n / 2]);
}

/* The largest change of a point in one step. */
void
difference(const luna_df *strip, const luna_df *next_strip, luna_df *most)
{
    const double *u = luna_data(strip), *next = luna_data(next_strip);
    size_t n = luna_size(strip) / sizeof *u;
    double d = 0;
    for (size_t k = 0; k < n; k++) d = fmax(d, fabs(next[k] - u[k]));
    luna_set_real(most, d);
}

void
total(const luna_df *strip, luna_df *sum)
{
    const double *u = luna_data(strip);
    size_t n = luna_size(strip) / sizeof *u;
    double s = 0;
    for (size_t k = 0; k < n; k++) s += u[k];
    luna_set_real(sum, s);
}

void
set(luna_df *number, double value)
{
    luna_set_real(number, value);
}

void
report(int steps, double mean)
{
    printf("after %d steps: %.6f on average\n", steps, mean);
}
