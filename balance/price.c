/* price.c - prices of nodes, and what a cell makes of them.
 *
 * The numbers were found with a model: prices follow the surplus like a heavy ball, with steps that
 * get shorter; thirty rounds do most of the work. */
#include "price.h"

#include "balance.h"

#include <math.h>

static const double inertia = .85, first_step = .05, shorter = 9;
/* How far the metric is turned, and after how many rounds. Without a turn a whole row of cells has
 * the same cost at once, and changes hands at once. */
static const double turn = .02, turn_rounds = 40;

/* Cells from one site to the next. */
static double
pitch(const struct price_field *f, int d)
{
    return (double)f->cells[d] / f->nodes[d];
}

void
price_start(const struct price_field *f, int d, const double *load, const double *speed,
            double *price)
{
    /* Between sites k-1 and k the cost is equal where row k is to begin. */
    double s = pitch(f, d), cut[f->nodes[d] + 1];
    balance_cut(load, f->cells[d], f->nodes[d], speed, cut);
    price[0] = 0;
    for (int k = 1; k < f->nodes[d]; k++) price[k] = price[k - 1] + 2 * s * (cut[k] - s * k);
}

/* The cost of the middle of a row of cells for a row of nodes. */
static double
cost_of_row(const struct price_field *f, int d, const double *price, int32_t cells, int nodes)
{
    double away = cells + .5 - (nodes + .5) * pitch(f, d);
    return away * away + price[nodes];
}

void
price_rows(const struct price_field *f, int d, const double *price, int32_t *row)
{
    /* Parts of equal load begin in ascending order: the cheapest rows do not go back. */
    int k = 0;
    for (int32_t c = 0; c < f->cells[d]; c++) {
        while (k + 1 < f->nodes[d] &&
               cost_of_row(f, d, price, c, k + 1) < cost_of_row(f, d, price, c, k) - 1e-9)
            k++;
        row[c] = k;
    }
}

static double
cost_of(const struct price_field *f, const struct price_site *site, const int32_t *cell,
        double turned)
{
    double away[PRICE_DIMS], cost = site->price;
    for (int d = 0; d < PRICE_DIMS; d++) {
        away[d] = cell[d] + .5 - (site->place[d] + .5) * pitch(f, d);
        cost += away[d] * away[d];
        for (int e = 0; e < d; e++) cost += 2 * turned * away[d] * away[e];
    }
    return cost;
}

int
price_best(const struct price_field *f, const struct price_site *site, int n, const int32_t *cell,
           int round)
{
    double turned = turn * fmin(1, (round < 0 ? 1 : round + 1) / turn_rounds), least = 0;
    int best = 0;
    for (int i = 0; i < n; i++) {
        double cost = cost_of(f, &site[i], cell, turned);
        if (i && cost >= least - 1e-9) continue;
        least = cost;
        best = i;
    }
    return best;
}

/* The square of a box's side, were it a cube: what prices are measured in. */
static double
square_of(const struct price_field *f)
{
    double volume = 1, dims = 0;
    for (int d = 0; d < PRICE_DIMS; d++) {
        volume *= pitch(f, d);
        dims += f->cells[d] > 1;
    }
    return pow(volume, 2 / fmax(1, dims));
}

void
price_adjust(const struct price_field *f, struct price *p, double load, double wanted, int round)
{
    double step = first_step * square_of(f) / (1 + shorter * round / f->rounds);
    double above = wanted > 0 ? (load - wanted) / wanted : load > 0;
    p->drift = inertia * p->drift + step * fmax(-1, fmin(1, above));
    p->value += p->drift;
}
