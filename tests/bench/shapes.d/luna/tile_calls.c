/* tile_calls.c - the functions of cholesky.fa, which update tiles in place. */
#include "bodies.h"
#include "luna.h"

static double *
tile_of(luna_df *df, int n)
{
    return luna_create(df, (size_t)n * (size_t)n * sizeof(double));
}

void
make(int n, int i, int j, luna_df *a)
{
    tile_make(tile_of(a, n), n, i, j);
}

void
factor(int n, const luna_df *a, luna_df *l)
{
    tile_factor(luna_take(l, a), n);
}

void
solve(int n, const luna_df *a, const luna_df *diagonal, luna_df *l)
{
    tile_solve(luna_take(l, a), luna_data(diagonal), n);
}

void
update(int n, const luna_df *c, const luna_df *a, const luna_df *b, luna_df *next)
{
    tile_update(luna_take(next, c), luna_data(a), luna_data(b), n);
}

void
update_diagonal(int n, const luna_df *c, const luna_df *a, luna_df *next)
{
    tile_update(luna_take(next, c), luna_data(a), luna_data(a), n);
}

void
wrong(int n, const luna_df *l, int is_diagonal, luna_df *most)
{
    luna_set_real(most, tile_wrong(luna_data(l), n, is_diagonal));
}
