/* poisson_mpi.c - the problem of apps/poisson3d as one writes it by hand with MPI: the yardstick.
 *
 *     mpiexec -n 2 poisson_mpi GRID FG ITERS [check]
 *
 * `check` prints the sum of each block, after the clock has been read.
 *
 * The same cut (FG x FG blocks of GRID/FG x GRID/FG x GRID values), the same arithmetic in the same
 * order. Each rank has FG / ranks whole columns of blocks, two generations of them. Blocks of one
 * rank read their neighbours' rows where they lie; across ranks go the planes at the cut, sent from
 * the blocks, received beside them, and hidden behind the blocks that do not need them. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct part { /* what a rank has */
    int grid, fg, side;
    int rank, ranks;
    int first, count;       /* columns of blocks along x */
    double **old, **new;    /* [count * fg] blocks */
    double **west, **east;  /* [fg] planes of the ranks before and behind */
    MPI_Request *request;   /* [4 * fg] of one exchange */
    MPI_Status *status;
};

static void
fail(const char *text)
{
    fprintf(stderr, "poisson_mpi: %s\n", text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static double **
planes_new(int n, int rows, int grid)
{
    double **p = calloc((size_t)n, sizeof *p);
    size_t bytes = ((size_t)rows * (size_t)grid * sizeof(double) + 63) / 64 * 64;
    for (int k = 0; p && k < n; k++)
        if (!(p[k] = aligned_alloc(64, bytes))) fail("out of memory");
    return p;
}

static void
part_init(struct part *p, int grid, int fg)
{
    *p = (struct part){.grid = grid, .fg = fg, .side = grid / fg};
    MPI_Comm_rank(MPI_COMM_WORLD, &p->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p->ranks);
    if (grid % fg || fg % p->ranks) fail("GRID must be a multiple of FG, FG of the ranks");
    p->count = fg / p->ranks;
    p->first = p->rank * p->count;
    p->old = planes_new(p->count * fg, p->side * p->side, grid);
    p->new = planes_new(p->count * fg, p->side * p->side, grid);
    p->west = planes_new(fg, p->side, grid);
    p->east = planes_new(fg, p->side, grid);
    p->request = malloc(4 * (size_t)fg * sizeof *p->request);
    p->status = malloc(4 * (size_t)fg * sizeof *p->status);
    if (!p->request || !p->status) fail("out of memory");
}

static int
is_wall(const struct part *p, int x, int y)
{
    int last = p->grid - 1;
    return x == 0 || x == last || y == 0 || y == last;
}

static double *
block_of(const struct part *p, double **blocks, int i, int j)
{
    return blocks[(i - p->first) * p->fg + j];
}

static void
start_block(const struct part *p, double *u, int i, int j)
{
    double h = 1.0 / (p->grid - 1);
    for (int r = 0; r < p->side * p->side; r++) {
        int x = i * p->side + r / p->side, y = j * p->side + r % p->side;
        double X = x * h, Y = y * h;
        for (int z = 0; z < p->grid; z++) {
            double Z = z * h;
            int given = is_wall(p, x, y) || z == 0 || z == p->grid - 1;
            *u++ = given ? X * X + Y * Y + Z * Z : 0;
        }
    }
}

/* ---- the step ---- */

/* Row (x, y) of the block i, j, where x and y may be one outside: a neighbour's row. */
static inline const double *
row_of(const struct part *p, int i, int j, int x, int y)
{
    int side = p->side;
    if (y < 0) j--, y += side;
    if (y >= side) j++, y -= side;
    if (x < 0 && i == p->first) return p->west[j] + (size_t)y * (size_t)p->grid;
    if (x >= side && i == p->first + p->count - 1) return p->east[j] + (size_t)y * (size_t)p->grid;
    if (x < 0) i--, x += side;
    if (x >= side) i++, x -= side;
    return block_of(p, p->old, i, j) + (size_t)(x * side + y) * (size_t)p->grid;
}

static inline void
relax(size_t n, const double *restrict c, const double *restrict w, const double *restrict e,
      const double *restrict s, const double *restrict t, double h, double *restrict out)
{
    double source = 6 * h * h;
    out[0] = c[0];
    for (size_t z = 1; z < n - 1; z++)
        out[z] = (((w[z] + e[z]) + (s[z] + t[z])) + (c[z - 1] + c[z + 1]) - source) * (1.0 / 6);
    out[n - 1] = c[n - 1];
}

static void
step_block(const struct part *p, int i, int j)
{
    size_t n = (size_t)p->grid;
    double h = 1.0 / (p->grid - 1);
    for (int x = 0; x < p->side; x++)
        for (int y = 0; y < p->side; y++) {
            const double *c = row_of(p, i, j, x, y);
            double *out = block_of(p, p->new, i, j) + (size_t)(x * p->side + y) * n;
            if (is_wall(p, i * p->side + x, j * p->side + y)) memcpy(out, c, n * sizeof *out);
            else
                relax(n, c, row_of(p, i, j, x - 1, y), row_of(p, i, j, x + 1, y),
                      row_of(p, i, j, x, y - 1), row_of(p, i, j, x, y + 1), h, out);
        }
}

static void
step_columns(const struct part *p, int from, int to)
{
    for (int i = from; i < to; i++)
        for (int j = 0; j < p->fg; j++) step_block(p, i, j);
}

/* The planes at the cuts, from the blocks themselves: the plane x = 0 or side-1 lies in one piece.
 */
static int
exchange_begin(const struct part *p)
{
    MPI_Request *r = p->request;
    int n = 0, count = p->side * p->grid, last = p->first + p->count - 1;
    for (int j = 0; j < p->fg; j++) {
        if (p->rank > 0) {
            MPI_Irecv(p->west[j], count, MPI_DOUBLE, p->rank - 1, j, MPI_COMM_WORLD, &r[n++]);
            MPI_Isend(block_of(p, p->old, p->first, j), count, MPI_DOUBLE, p->rank - 1, j,
                      MPI_COMM_WORLD, &r[n++]);
        }
        if (p->rank < p->ranks - 1) {
            MPI_Irecv(p->east[j], count, MPI_DOUBLE, p->rank + 1, j, MPI_COMM_WORLD, &r[n++]);
            MPI_Isend(block_of(p, p->old, last, j) + (size_t)(p->side - 1) * (size_t)count, count,
                      MPI_DOUBLE, p->rank + 1, j, MPI_COMM_WORLD, &r[n++]);
        }
    }
    return n;
}

static void
step(struct part *p)
{
    int n = exchange_begin(p), end = p->first + p->count;
    step_columns(p, p->first + 1, end - 1);
    MPI_Waitall(n, p->request, p->status);
    step_columns(p, p->first, p->first + 1);
    if (p->count > 1) step_columns(p, end - 1, end);
    double **t = p->old;
    p->old = p->new;
    p->new = t;
}

/* ---- the answer ---- */

static void
report_sums(const struct part *p)
{
    int n = p->count * p->fg;
    size_t size = (size_t)p->side * (size_t)p->side * (size_t)p->grid;
    double *mine = calloc((size_t)n, sizeof *mine);
    double *all = malloc((size_t)(n * p->ranks) * sizeof *all);
    if (!mine || !all) fail("out of memory");
    for (int k = 0; k < n; k++)
        for (size_t i = 0; i < size; i++) mine[k] += p->old[k][i];
    MPI_Gather(mine, n, MPI_DOUBLE, all, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int k = 0; !p->rank && k < n * p->ranks; k++)
        printf("block %d %d: sum %.17g\n", k / p->fg, k % p->fg, all[k]);
    free(mine);
    free(all);
}

static void
solve(int grid, int fg, int iters, int check)
{
    struct part p;
    MPI_Barrier(MPI_COMM_WORLD);
    double began = MPI_Wtime();
    part_init(&p, grid, fg);
    for (int i = p.first; i < p.first + p.count; i++)
        for (int j = 0; j < fg; j++) start_block(&p, block_of(&p, p.old, i, j), i, j);
    MPI_Barrier(MPI_COMM_WORLD);
    double started = MPI_Wtime();
    for (int t = 0; t < iters; t++) step(&p);
    MPI_Barrier(MPI_COMM_WORLD);
    double ended = MPI_Wtime();
    if (check) report_sums(&p);
    if (p.rank) return;
    printf("TIME: %f sec.\n", ended - began);
    printf("per iteration: %.3f ms\n", iters ? 1e3 * (ended - started) / iters : 0);
}

int
main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int check = argc == 5 && !strcmp(argv[4], "check");
    if (argc != 4 && !check) fail("usage: poisson_mpi GRID FG ITERS [check]");
    solve(atoi(argv[1]), atoi(argv[2]), atoi(argv[3]), check);
    MPI_Finalize();
    return 0;
}
