/* poisson3d.c - what the blocks of poisson3d.fa do.
 *
 * A block has side x side rows of `grid` values: row (x, y) lies at (x*side + y) * grid, and the
 * points along z are neighbours in memory. A face is `side` rows. */
#include <luna.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct block {
    int grid, side;
    int x0, y0; /* where its first row is in the cube */
    double h;   /* from one point to the next */
};

struct faces { /* one row for each y (west, east) or x (south, north) */
    double *west, *east, *south, *north;
};

static struct block
block_at(int grid, int parts, int i, int j)
{
    if (parts < 1 || grid < 3 || grid % parts)
        luna_fail("GRID = %d points cannot be cut into FG = %d equal parts", grid, parts);
    int side = grid / parts;
    return (struct block){grid, side, i * side, j * side, 1.0 / (grid - 1)};
}

static double *
create_rows(luna_df *df, const struct block *b, int rows)
{
    return luna_create(df, sizeof(double) * (size_t)rows * (size_t)b->grid);
}

static struct faces
create_faces(const struct block *b, luna_df *west, luna_df *east, luna_df *south, luna_df *north)
{
    return (struct faces){create_rows(west, b, b->side), create_rows(east, b, b->side),
                          create_rows(south, b, b->side), create_rows(north, b, b->side)};
}

static inline size_t
row_at(const struct block *b, int x, int y)
{
    return ((size_t)x * (size_t)b->side + (size_t)y) * (size_t)b->grid;
}

/* Rows at the walls of x and y are given and stay as they are. */
static inline int
row_is_wall(const struct block *b, int x, int y)
{
    int last = b->grid - 1;
    return b->x0 + x == 0 || b->x0 + x == last || b->y0 + y == 0 || b->y0 + y == last;
}

/* Copies a new row of the block to the faces it belongs to, while it is in the cache. */
static inline void
row_to_faces(const struct block *b, const struct faces *f, int x, int y, const double *row)
{
    size_t n = (size_t)b->grid, bytes = n * sizeof(double);
    int last = b->side - 1;
    if (x == 0) memcpy(f->west + (size_t)y * n, row, bytes);
    if (x == last) memcpy(f->east + (size_t)y * n, row, bytes);
    if (y == 0) memcpy(f->south + (size_t)x * n, row, bytes);
    if (y == last) memcpy(f->north + (size_t)x * n, row, bytes);
}

static double
exact(const struct block *b, int x, int y, int z)
{
    double X = (b->x0 + x) * b->h, Y = (b->y0 + y) * b->h, Z = z * b->h;
    return X * X + Y * Y + Z * Z;
}

void
start(int grid, int parts, int i, int j, luna_df *u, luna_df *west, luna_df *east, luna_df *south,
      luna_df *north)
{
    struct block b = block_at(grid, parts, i, j);
    struct faces f = create_faces(&b, west, east, south, north);
    double *rows = create_rows(u, &b, b.side * b.side);
    for (int x = 0; x < b.side; x++)
        for (int y = 0; y < b.side; y++) {
            double *row = rows + row_at(&b, x, y);
            for (int z = 0; z < grid; z++) {
                int given = row_is_wall(&b, x, y) || z == 0 || z == grid - 1;
                row[z] = given ? exact(&b, x, y, z) : 0;
            }
            row_to_faces(&b, &f, x, y, row);
        }
}

/* ---- the step ---- */

struct around { /* a row and its neighbours in x and y */
    const double *row, *west, *east, *south, *north;
};

static inline struct around
rows_around(const struct block *b, const double *old, const struct faces *f, int x, int y)
{
    size_t n = (size_t)b->grid, side = (size_t)b->side, X = (size_t)x, Y = (size_t)y;
    const double *row = old + row_at(b, x, y);
    return (struct around){row, X > 0 ? row - side * n : f->west + Y * n,
                           X < side - 1 ? row + side * n : f->east + Y * n,
                           Y > 0 ? row - n : f->south + X * n,
                           Y < side - 1 ? row + n : f->north + X * n};
}

/* The equation holds at a point where it is the mean of its neighbours less 6 h^2 / 6. */
static inline void
relax(size_t n, const struct around *a, double h, double *restrict out)
{
    const double *restrict c = a->row, *restrict w = a->west, *restrict e = a->east;
    const double *restrict s = a->south, *restrict t = a->north;
    double source = 6 * h * h;
    out[0] = c[0];
    for (size_t z = 1; z < n - 1; z++)
        out[z] = (((w[z] + e[z]) + (s[z] + t[z])) + (c[z - 1] + c[z + 1]) - source) * (1.0 / 6);
    out[n - 1] = c[n - 1];
}

static double
largest_change(size_t n, const double *a, const double *b)
{
    double most = 0;
    for (size_t z = 0; z < n; z++) {
        double d = fabs(a[z] - b[z]);
        most = d > most ? d : most;
    }
    return most;
}

/* All rows of a block; the largest change of a value, if `watched`. */
static inline double
sweep(const struct block *b, const double *old, const struct faces *in, double *new,
      const struct faces *out, int watched)
{
    size_t n = (size_t)b->grid;
    double most = 0;
    for (int x = 0; x < b->side; x++)
        for (int y = 0; y < b->side; y++) {
            struct around a = rows_around(b, old, in, x, y);
            double *row = new + row_at(b, x, y);
            if (row_is_wall(b, x, y)) memcpy(row, a.row, n * sizeof(double));
            else relax(n, &a, b->h, row);
            if (watched) most = fmax(most, largest_change(n, a.row, row));
            row_to_faces(b, out, x, y, row);
        }
    return most;
}

static struct faces
faces_of(const luna_df *west, const luna_df *east, const luna_df *south, const luna_df *north)
{
    return (struct faces){luna_data(west), luna_data(east), luna_data(south), luna_data(north)};
}

void
step(int grid, int parts, int i, int j, const luna_df *u, const luna_df *west, const luna_df *east,
     const luna_df *south, const luna_df *north, luna_df *u2, luna_df *west2, luna_df *east2,
     luna_df *south2, luna_df *north2)
{
    struct block b = block_at(grid, parts, i, j);
    struct faces in = faces_of(west, east, south, north);
    struct faces out = create_faces(&b, west2, east2, south2, north2);
    sweep(&b, luna_data(u), &in, create_rows(u2, &b, b.side * b.side), &out, 0);
}

void
step_watched(int grid, int parts, int i, int j, const luna_df *u, const luna_df *west,
             const luna_df *east, const luna_df *south, const luna_df *north, luna_df *u2,
             luna_df *west2, luna_df *east2, luna_df *south2, luna_df *north2, luna_df *residual)
{
    struct block b = block_at(grid, parts, i, j);
    struct faces in = faces_of(west, east, south, north);
    struct faces out = create_faces(&b, west2, east2, south2, north2);
    double *new = create_rows(u2, &b, b.side * b.side);
    double change = sweep(&b, luna_data(u), &in, new, &out, 1);
    luna_set_real(residual, change * 6 / (b.h * b.h)); /* |div grad u - 6| of the old block */
}

/* ---- the answer ---- */

void
error(int grid, int parts, int i, int j, const luna_df *u, luna_df *result)
{
    struct block b = block_at(grid, parts, i, j);
    const double *rows = luna_data(u);
    double most = 0;
    for (int x = 0; x < b.side; x++)
        for (int y = 0; y < b.side; y++)
            for (int z = 0; z < grid; z++)
                most = fmax(most, fabs(rows[row_at(&b, x, y) + (size_t)z] - exact(&b, x, y, z)));
    luna_set_real(result, most);
}

/* The same block under another name, which more than one may read. */
void
keep(const luna_df *u, luna_df *same)
{
    luna_copy(same, u);
}

void
set(luna_df *real, double value)
{
    luna_set_real(real, value);
}

void
report(int steps, double residual, double error)
{
    printf("%d iterations: residual %.3e, error %.3e\n", steps, residual, error);
}

/* The sum of a block tells two runs of just so many steps apart, to the last bit. */
void
report_sum(int i, int j, const luna_df *u)
{
    const double *value = luna_data(u);
    size_t n = luna_size(u) / sizeof(double);
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += value[k];
    printf("block %d %d: sum %.17g\n", i, j, sum);
}
