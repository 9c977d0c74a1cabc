/* bodies.h - what the calls of tests/bench/shapes do, for the programs here and for their peers. No
 * compiler sees both a call and its body. */
#ifndef SHAPES_BODIES_H
#define SHAPES_BODIES_H

#include <stddef.h>
#include <stdint.h>

/* ---- bodies.c ---- */

double now_s(void);
/* Waits by the clock: shows when calls run, not how fast the machine is. */
void busy_us(double us);
/* x + 1, after so many rounds of arithmetic, each of which waits for the one before. */
int work(int x, int rounds);

/* ---- trees.c ---- */

/* Adaptive quadrature of quad_f from 0 to 1: is Simpson's rule on a..b off by more than tol? */
double quad_rule(double a, double b);
int quad_is_far(double a, double b, double tol);
/* A tree without balance: nodes are hashes; those of the first level are `width`. */
int uts_children(int hash, int depth, int width);
int uts_child(int hash, int k);
/* A board with queens in its first rows. */
struct board {
    int n, row;
    uint32_t columns, down, up;
};
int queens_moves(const struct board *b);
struct board queens_next(const struct board *b, int k); /* after the k-th of its moves */
int queens_count(const struct board *b);                /* solutions */

/* ---- tiles.c: square tiles of n x n, row by row; by BLAS with -DSHAPES_BLAS ---- */

/* Tile i, j of the matrix min(row, column) + 1, whose factor has only ones. */
void tile_make(double *a, int n, int i, int j);
void tile_factor(double *a, int n);                                   /* a = L of a */
void tile_solve(double *a, const double *l, int n);                   /* a = a * l^-T */
void tile_update(double *c, const double *a, const double *b, int n); /* c -= a * b^T */
/* The largest distance from the factor of that matrix. */
double tile_wrong(const double *l, int n, int is_diagonal);

/* ---- solver.c: conjugate gradients ---- */

/* Rows of a matrix; row k has the entries from[k] .. from[k+1] - 1. */
struct csr {
    int rows;
    const int *from, *column;
    const double *value;
};
/* Of the 7-point stencil on `side`^3 points: planes low .. high - 1. Columns are those of the whole
 * grid, less `shift`; entries of columns outside first .. last - 1 are left out. Gives how many
 * there are; stores none of them where `value` is NULL. */
size_t csr_stencil(int side, int low, int high, int first, int last, int shift, int *from,
                   int *column, double *value);
void csr_times(const struct csr *a, const double *x, double *y, int is_sum); /* y = or += a * x */
double dot(const double *x, const double *y, int n);

/* ---- graphs.c: patterns of Task Bench ---- */

enum { GRAPH_INPUTS_MAX = 5 };
/* Which points of the row before point i of row t reads; gives how many. */
int graph_inputs(const char *pattern, int width, int t, int i, int *points);
/* The value of a task from those of its inputs, after so many rounds of arithmetic. */
int graph_task(int t, int i, const int *inputs, int n, int rounds);

#endif
