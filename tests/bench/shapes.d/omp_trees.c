/* omp_trees.c - recursion with OpenMP tasks: one for each call but the last of its parent. */
#include "peer.h"

static int
leaves(int depth)
{
    int c[8], sum = 0;
    if (depth == 0) return 1;
    for (int i = 0; i < 8; i++) {
#pragma omp task shared(c) firstprivate(i, depth)
        c[i] = leaves(depth - 1);
    }
#pragma omp taskwait
    for (int i = 0; i < 8; i++) sum += c[i];
    return sum;
}

static double
breadth(char **args)
{
    return leaves(arg(args, 0));
}

static double
area(double a, double b, double tol)
{
    double left, right, m = (a + b) / 2;
    if (!quad_is_far(a, b, tol)) return quad_rule(a, b);
#pragma omp task shared(left) firstprivate(a, m, tol)
    left = area(a, m, tol);
    right = area(m, b, tol);
#pragma omp taskwait
    return left + right;
}

static double
quadrature(char **args)
{
    return area(0, 1, arg(args, 0) == 11 ? 0.000000000024 : 0.0001);
}

static int
visit(int hash, int depth, int width)
{
    int n = uts_children(hash, depth, width), sum = 1, *c;
    if (n == 0) return 1;
    c = room((size_t)n, sizeof *c);
    for (int k = 0; k < n; k++) {
#pragma omp task firstprivate(k, hash, depth, width, c)
        c[k] = visit(uts_child(hash, k), depth + 1, width);
    }
#pragma omp taskwait
    for (int k = 0; k < n; k++) sum += c[k];
    free(c);
    return sum;
}

static double
search(char **args)
{
    return visit(1, 0, arg(args, 0));
}

static int
place(struct board b, int rows)
{
    int n = queens_moves(&b), c[32], sum = 0;
    if (rows == 0) return queens_count(&b);
    for (int k = 0; k < n; k++) {
#pragma omp task shared(c) firstprivate(k, b, rows)
        c[k] = place(queens_next(&b, k), rows - 1);
    }
#pragma omp taskwait
    for (int k = 0; k < n; k++) sum += c[k];
    return sum;
}

static double
queens(char **args)
{
    return place((struct board){.n = arg(args, 0)}, arg(args, 1));
}

const struct peer_case peer_trees[] = {{"breadth", 1, breadth},
                                       {"quadrature", 1, quadrature},
                                       {"search", 1, search},
                                       {"queens", 2, queens},
                                       {0}};
