/* lattice.c - numbering points; cutting a lattice of cells among nodes. */
#include "lattice.h"

#include <stdlib.h>

bool
lattice_init(struct lattice *l, int ndims, const int32_t *sides)
{
    uint64_t size = 1;
    if (ndims < 1 || ndims > LATTICE_DIMS_MAX) return false;
    l->ndims = ndims;
    for (int d = 0; d < LATTICE_DIMS_MAX; d++) {
        l->side[d] = d < ndims ? sides[d] : 1;
        if (l->side[d] < 1) return false;
        size *= (uint64_t)l->side[d];
        if (size > LATTICE_POINTS_MAX) return false;
    }
    return true;
}

uint32_t
lattice_size(const struct lattice *l)
{
    return (uint32_t)l->side[0] * (uint32_t)l->side[1] * (uint32_t)l->side[2];
}

uint32_t
lattice_number(const struct lattice *l, const int32_t *ix)
{
    uint32_t number = 0;
    for (int d = 0; d < l->ndims; d++) {
        if (ix[d] < 0 || ix[d] >= l->side[d]) return LATTICE_NONE;
        number = number * (uint32_t)l->side[d] + (uint32_t)ix[d];
    }
    return number;
}

void
lattice_clamp(const struct lattice *l, int32_t *ix)
{
    for (int d = 0; d < l->ndims; d++) {
        if (ix[d] < 0) ix[d] = 0;
        if (ix[d] >= l->side[d]) ix[d] = l->side[d] - 1;
    }
}

struct lattice_point
lattice_point(const struct lattice *l, uint32_t number)
{
    struct lattice_point p = {{0}};
    for (int d = l->ndims - 1; d > 0; d--) {
        p.at[d] = (int32_t)(number % (uint32_t)l->side[d]);
        number /= (uint32_t)l->side[d];
    }
    p.at[0] = (int32_t)number;
    return p;
}

int
lattice_apart(struct lattice_point p, struct lattice_point q)
{
    int sum = 0;
    for (int d = 0; d < LATTICE_DIMS_MAX; d++) sum += abs(p.at[d] - q.at[d]);
    return sum;
}

int
lattice_distance(const struct lattice *l, uint32_t a, uint32_t b)
{
    return lattice_apart(lattice_point(l, a), lattice_point(l, b));
}

uint32_t
lattice_beside(const struct lattice *l, uint32_t number, int side)
{
    int d = side / 2, step = side % 2 ? 1 : -1;
    struct lattice_point p = lattice_point(l, number);
    p.at[d] += step;
    return lattice_number(l, p.at);
}

/* The first dimension in which a point is not at index 0; the last one if there is none. */
static int
way_back(const struct lattice *l, const struct lattice_point *p)
{
    int d = 0;
    while (d + 1 < l->ndims && !p->at[d]) d++;
    return d;
}

uint32_t
lattice_parent(const struct lattice *l, uint32_t number)
{
    struct lattice_point p = lattice_point(l, number);
    return lattice_beside(l, number, 2 * way_back(l, &p));
}

uint32_t
lattice_below(const struct lattice *l, uint32_t number)
{
    struct lattice_point p = lattice_point(l, number);
    int last = way_back(l, &p);
    uint32_t n = (uint32_t)(l->side[last] - p.at[last]);
    for (int d = 0; d < last; d++) n *= (uint32_t)l->side[d];
    return n;
}

void
lattice_around(struct lattice_box *b, struct lattice_point p)
{
    bool empty = b->hi.at[0] < b->lo.at[0];
    for (int d = 0; d < LATTICE_DIMS_MAX; d++) {
        if (empty || p.at[d] < b->lo.at[d]) b->lo.at[d] = p.at[d];
        if (empty || p.at[d] > b->hi.at[d]) b->hi.at[d] = p.at[d];
    }
}

/* How good a node lattice is; the smaller value wins, the first member first. */
struct cost {
    int misfits;   /* dimensions with more nodes than cells */
    double cut;    /* faces between boxes of cells */
    int64_t sides; /* sum: the least for the most even factors */
};

static struct cost
cost_of(const struct lattice *nodes, const struct lattice *cells)
{
    struct cost c = {0};
    for (int d = 0; d < LATTICE_DIMS_MAX; d++) {
        c.misfits += nodes->side[d] > cells->side[d];
        c.cut += (nodes->side[d] - 1.0) * (lattice_size(cells) / (uint32_t)cells->side[d]);
        c.sides += nodes->side[d];
    }
    return c;
}

static bool
is_less(struct cost a, struct cost b)
{
    if (a.misfits != b.misfits) return a.misfits < b.misfits;
    if (a.cut != b.cut) return a.cut < b.cut;
    return a.sides < b.sides;
}

void
lattice_factor(struct lattice *out, int n, const struct lattice *cells)
{
    struct lattice l = {.ndims = cells->ndims, .side = {n, 1, 1}};
    struct cost least = cost_of(&l, cells);
    *out = l;
    /* Longer sides in front come first, and stay unless another is better. */
    for (int a = n; cells->ndims > 1 && a >= 1; a--)
        for (int b = n / a; n % a == 0 && b >= 1; b--) {
            if (n / a % b || (cells->ndims < 3 && a * b != n)) continue;
            l = (struct lattice){.ndims = cells->ndims, .side = {a, b, n / a / b}};
            struct cost c = cost_of(&l, cells);
            if (!is_less(c, least)) continue;
            least = c;
            *out = l;
        }
}
