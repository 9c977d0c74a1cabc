/* loads.c - see loads.h. */
#include "tests/distrib/loads.h"

#include <math.h>

double
load_half(const struct lattice *cells, struct lattice_point p, struct rng *r)
{
    (void)r;
    return p.at[0] < cells->side[0] / 2;
}

double
load_quarter(const struct lattice *cells, struct lattice_point p, struct rng *r)
{
    (void)r;
    return p.at[0] < cells->side[0] / 2 && p.at[1] < cells->side[1] / 2;
}

double
load_stripe(const struct lattice *cells, struct lattice_point p, struct rng *r)
{
    (void)r;
    return p.at[0] >= cells->side[0] / 4 && p.at[0] < cells->side[0] * 3 / 4;
}

double
load_hot_block(const struct lattice *cells, struct lattice_point p, struct rng *r)
{
    (void)r;
    return p.at[0] * 4 / cells->side[0] == 1 && p.at[1] * 4 / cells->side[1] == 1 ? 4 : 1;
}

double
load_random(const struct lattice *cells, struct lattice_point p, struct rng *r)
{
    (void)cells;
    (void)p;
    return (double)rng_below(r, 5);
}

/* A disc of heavy cells. */
double
load_disc(const struct lattice *cells, struct lattice_point p, struct rng *r)
{
    (void)r;
    return hypot(p.at[0] - cells->side[0] * .4, p.at[1] - cells->side[1] * .3) < cells->side[1] * .2
               ? 8
               : 1;
}
