/* mpi.c - turns, halos, a sweep and conjugate gradients on ranks by hand: MPI NAME ARGUMENTS...,
 * the arguments as those of NAME.fa. A rank has a run of neighbouring blocks; rank 0 prints seconds
 * and the value. */
#include "peer.h"

#include <mpi.h>

static int rank, ranks;

static int
share(int n, int r) /* the first block of rank r */
{
    return n * r / ranks;
}

/* The faces of a run of blocks, to the ranks on either side and from them. */
static void
exchange(const int *low, const int *high, int *below, int *above)
{
    int down = rank > 0 ? rank - 1 : MPI_PROC_NULL,
        up = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Sendrecv(low, 1, MPI_INT, down, 0, above, 1, MPI_INT, up, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(high, 1, MPI_INT, up, 1, below, 1, MPI_INT, down, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static double
turns(char **args, int has_halo)
{
    int n = arg(args, 0), turns = arg(args, 1), sum = 0, mine;
    double us = atof(args[2]);
    int first = share(n, rank), end = share(n, rank + 1);
    int *x = room((size_t)(end - first) + 2, sizeof *x), last = end - first;
    while (sum < turns * n) {
        if (has_halo) exchange(&x[1], &x[last], &x[0], &x[last + 1]);
        mine = 0;
        for (int i = 1; i <= last; i++) {
            busy_us(us);
            mine += ++x[i];
        }
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    free(x);
    return sum;
}

/* When did the last rank begin? */
static double
sweep(char **args, double start)
{
    double us = atof(args[1]), began = now_s() - start, late;
    for (int i = share(arg(args, 0), rank); i < share(arg(args, 0), rank + 1); i++) busy_us(us);
    MPI_Allreduce(&began, &late, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return late;
}

/* ---- conjugate gradients: a slab of planes a rank ---- */

struct slab {
    int side, n, plane;
    struct csr a;
    double *x, *r, *p, *q;
};

/* p has the planes of the neighbours before and behind its own. */
static void
slab_init(struct slab *s, int side, int blocks)
{
    int b0 = share(blocks, rank), b1 = share(blocks, rank + 1);
    int z0 = side * b0 / blocks, z1 = side * b1 / blocks, first, *from, *column;
    size_t entries, rows;
    double *value;
    *s = (struct slab){.side = side, .plane = side * side, .n = (z1 - z0) * side * side};
    rows = (size_t)s->n;
    first = (z0 - 1) * s->plane;
    entries = csr_stencil(side, z0, z1, first, (z1 + 1) * s->plane, first, NULL, NULL, NULL);
    from = room(rows + 1, sizeof *from);
    column = room(entries, sizeof *column);
    value = room(entries, sizeof *value);
    csr_stencil(side, z0, z1, first, (z1 + 1) * s->plane, first, from, column, value);
    s->a = (struct csr){s->n, from, column, value};
    s->x = room(rows, sizeof *s->x);
    s->r = room(rows, sizeof *s->r);
    s->q = room(rows, sizeof *s->q);
    s->p = (double *)room(rows + 2 * (size_t)s->plane, sizeof *s->p) + s->plane;
    for (size_t k = 0; k < rows; k++) s->p[k] = s->r[k] = 1;
}

static void
exchange_planes(struct slab *s)
{
    int down = rank > 0 ? rank - 1 : MPI_PROC_NULL,
        up = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Sendrecv(s->p, s->plane, MPI_DOUBLE, down, 0, s->p + s->n, s->plane, MPI_DOUBLE, up, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(s->p + s->n - s->plane, s->plane, MPI_DOUBLE, up, 1, s->p - s->plane, s->plane,
                 MPI_DOUBLE, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double
sum_of(double mine)
{
    double sum;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static double
solve(struct slab *s, int most)
{
    double sum = sum_of(s->n), next;
    for (int t = 0; t < most && sum > 1e-10; t++, sum = next) {
        exchange_planes(s);
        csr_times(&s->a, s->p - s->plane, s->q, 0);
        double alpha = sum / sum_of(dot(s->p, s->q, s->n));
        for (int k = 0; k < s->n; k++) {
            s->x[k] += alpha * s->p[k];
            s->r[k] -= alpha * s->q[k];
        }
        next = sum_of(dot(s->r, s->r, s->n));
        for (int k = 0; k < s->n; k++) s->p[k] = s->r[k] + next / sum * s->p[k];
    }
    return sum;
}

int
main(int argc, char **argv)
{
    struct slab s;
    double value = 0, start;
    const char *name = argc > 1 ? argv[1] : "";
    char **args = argv + 2;
    int is_solver = !strcmp(name, "gradients");
    if (argc < (strcmp(name, "sweep") ? 5 : 4)) {
        fprintf(stderr, "usage: %s turns|halo|sweep|gradients ARGUMENTS...\n", argv[0]);
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (is_solver) slab_init(&s, arg(args, 0), arg(args, 1));
    MPI_Barrier(MPI_COMM_WORLD);
    start = now_s();
    if (is_solver)
        value = solve(&s, arg(args, 2));
    else if (!strcmp(name, "sweep"))
        value = sweep(args, start);
    else
        value = turns(args, !strcmp(name, "halo"));
    if (rank == 0) printf("%.9f %.12g\n", now_s() - start, value);
    MPI_Finalize();
    return 0;
}
