/* heat2d.c - what the blocks of heat2d.fa do.
 *
 * A block has side x side values; row y lies at y * side. Its four faces are copies of its first
 * and last row and of its first and last column. */
#include <luna.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const double ratio = 0.2; /* dt / dx^2; the scheme is stable up to 1/4 */

struct faces {
    double *first_row, *last_row, *first_column, *last_column;
};

static double *
new_values(luna_df *df, int n)
{
    return luna_create(df, sizeof(double) * (size_t)n);
}

static struct faces
new_faces(int side, luna_df *first_row, luna_df *last_row, luna_df *first_column,
          luna_df *last_column)
{
    return (struct faces){new_values(first_row, side), new_values(last_row, side),
                          new_values(first_column, side), new_values(last_column, side)};
}

static void
set_faces(int side, const double *u, const struct faces *f)
{
    size_t n = (size_t)side;
    memcpy(f->first_row, u, n * sizeof *u);
    memcpy(f->last_row, u + (n - 1) * n, n * sizeof *u);
    for (size_t y = 0; y < n; y++) {
        f->first_column[y] = u[y * n];
        f->last_column[y] = u[y * n + n - 1];
    }
}

static int
side_of(const luna_df *face)
{
    return (int)(luna_size(face) / sizeof(double));
}

/* ---- the start: a hot crescent on a cold plate ---- */

static int
in_disc(double x, double y, double at_x, double at_y, double radius)
{
    return hypot(x - at_x, y - at_y) < radius;
}

static double
at_first(double x, double y)
{
    return in_disc(x, y, 0.5, 0.5, 0.36) && !in_disc(x, y, 0.64, 0.42, 0.3);
}

void
start(int points, int blocks, int i, int j, luna_df *block, luna_df *first_row, luna_df *last_row,
      luna_df *first_column, luna_df *last_column)
{
    if (blocks < 1 || points < blocks || points % blocks)
        luna_fail("POINTS = %d points cannot be cut into BLOCKS = %d equal parts", points, blocks);
    int side = points / blocks;
    double *u = new_values(block, side * side);
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            u[y * side + x] =
                at_first((j * side + x + 0.5) / points, (i * side + y + 0.5) / points);
    struct faces f = new_faces(side, first_row, last_row, first_column, last_column);
    set_faces(side, u, &f);
}

/* ---- the step ---- */

static void
step_row(int n, const double *above, const double *row, const double *below, double before,
         double behind, double *next)
{
    for (int x = 0; x < n; x++) {
        double left = x > 0 ? row[x - 1] : before, right = x < n - 1 ? row[x + 1] : behind;
        next[x] = row[x] + ratio * ((above[x] + below[x]) + (left + right) - 4 * row[x]);
    }
}

void
step(const luna_df *block, const luna_df *above, const luna_df *below, const luna_df *left,
     const luna_df *right, luna_df *next_block, luna_df *first_row, luna_df *last_row,
     luna_df *first_column, luna_df *last_column)
{
    int n = side_of(above);
    const double *u = luna_data(block), *up = luna_data(above), *down = luna_data(below);
    const double *before = luna_data(left), *behind = luna_data(right);
    double *next = new_values(next_block, n * n);
    for (int y = 0; y < n; y++)
        step_row(n, y > 0 ? u + (y - 1) * n : up, u + y * n, y < n - 1 ? u + (y + 1) * n : down,
                 before[y], behind[y], next + y * n);
    struct faces f = new_faces(n, first_row, last_row, first_column, last_column);
    set_faces(n, next, &f);
}

/* ---- the answer ---- */

void
heat_of(int points, const luna_df *block, luna_df *heat)
{
    const double *u = luna_data(block);
    size_t n = luna_size(block) / sizeof *u;
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += u[k];
    luna_set_real(heat, sum / points / points);
}

void
hottest_of(const luna_df *block, luna_df *hottest)
{
    const double *u = luna_data(block);
    size_t n = luna_size(block) / sizeof *u;
    double most = 0;
    for (size_t k = 0; k < n; k++) most = fmax(most, u[k]);
    luna_set_real(hottest, most);
}

void
report(int steps, double first, double last, double hottest)
{
    printf("after %d steps: heat %.9f, at first %.9f; hottest point %.6f\n", steps, last, first,
           hottest);
}

/* ---- the picture: frames side by side in a file, to which each block writes its own rows ---- */

static const char file[] = "heat2d.ppm";

static int
head_of(int points, int frames, char *text, size_t room)
{
    return snprintf(text, room, "P6\n%d %d\n255\n", points * frames, points);
}

static int
opened(int flags)
{
    int fd = open(file, flags, 0666);
    if (fd < 0) luna_fail("cannot write %s: %m", file);
    return fd;
}

static void
write_at(int fd, const void *bytes, size_t n, off_t at)
{
    if (pwrite(fd, bytes, n, at) != (ssize_t)n) luna_fail("cannot write %s: %m", file);
}

void
open_picture(int points, int frames, luna_df *ready)
{
    char head[64];
    int n = head_of(points, frames, head, sizeof head), fd = opened(O_WRONLY | O_CREAT | O_TRUNC);
    write_at(fd, head, (size_t)n, 0);
    close(fd);
    luna_set_int(ready, 1);
}

static unsigned char
level(double v) /* 0 to 1 */
{
    return (unsigned char)(255 * fmin(fmax(v, 0), 1) + 0.5);
}

/* From black by red and yellow to white. */
static void
paint_row(int n, const double *u, unsigned char *rgb)
{
    for (int x = 0; x < n; x++)
        for (int c = 0; c < 3; c++) rgb[3 * x + c] = level(3 * u[x] - c);
}

void
paint(int ready, int points, int frames, int frame, int i, int j, int side, const luna_df *block)
{
    (void)ready; /* there is a file */
    char head[64];
    int start = head_of(points, frames, head, sizeof head), fd = opened(O_WRONLY);
    const double *u = luna_data(block);
    for (int y = 0; y < side; y++) {
        unsigned char rgb[3 * side];
        off_t row = (off_t)(i * side + y) * frames + frame;
        paint_row(side, u + y * side, rgb);
        write_at(fd, rgb, sizeof rgb, start + 3 * (row * points + j * side));
    }
    close(fd);
}
