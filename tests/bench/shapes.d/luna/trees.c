/* trees.c - what the nodes of three trees do: a quadrature, a search without balance, queens. */
#include "bodies.h"

#include <math.h>

static double
quad_f(double x)
{
    return sin(1 / (x + 0.0005));
}

double
quad_rule(double a, double b)
{
    return (b - a) / 6 * (quad_f(a) + 4 * quad_f((a + b) / 2) + quad_f(b));
}

int
quad_is_far(double a, double b, double tol)
{
    double m = (a + b) / 2, whole = quad_rule(a, b);
    return fabs(quad_rule(a, m) + quad_rule(m, b) - whole) > tol * (b - a);
}

static uint32_t
mix(uint32_t h)
{
    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    return h ^ (h >> 16);
}

int
uts_child(int hash, int k)
{
    return (int)mix((uint32_t)hash * 31 + (uint32_t)k + 0x9e3779b9u);
}

/* One of five has five children, nearly: trees below the first level end, but some of them late. */
int
uts_children(int hash, int depth, int width)
{
    if (depth == 0) return width;
    return mix((uint32_t)hash ^ 0x51ed270bu) < (uint32_t)(0.1995 * 4294967296.0) ? 5 : 0;
}

static uint32_t
queens_free(const struct board *b)
{
    return ~(b->columns | b->down | b->up) & ((1u << b->n) - 1);
}

int
queens_moves(const struct board *b)
{
    return __builtin_popcount(queens_free(b));
}

static struct board
queens_put(const struct board *b, uint32_t bit)
{
    return (struct board){b->n, b->row + 1, b->columns | bit, (b->down | bit) << 1,
                          (b->up | bit) >> 1};
}

struct board
queens_next(const struct board *b, int k)
{
    uint32_t moves = queens_free(b);
    while (k-- > 0) moves &= moves - 1;
    return queens_put(b, moves & -moves);
}

int
queens_count(const struct board *b)
{
    int sum = 0;
    if (b->row == b->n) return 1;
    for (uint32_t moves = queens_free(b); moves; moves &= moves - 1) {
        struct board next = queens_put(b, moves & -moves);
        sum += queens_count(&next);
    }
    return sum;
}
