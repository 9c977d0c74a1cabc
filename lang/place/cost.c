/* cost.c - turns of loops, divided among nodes. */
#include "lang/place/cost.h"

#include <math.h>

static const int sizes[COST_SIZES] = {4, 16, 64};

struct payer {
    const struct place_graph *g;
    const struct grid *grid;
    int nodes; /* that have cells */
    double sides[GRID_DIMS]; /* of the lattice of nodes, */
    double block[GRID_DIMS]; /* and how many cells each has */
};

static double
turns_of(const struct place_graph *g, int counter)
{
    const struct counter *c = &g->counters[counter];
    return c->slanted ? c->turns / 2 : c->turns;
}

static double
extent(const struct grid *g, int m)
{
    const struct end *n = &g->extent[m];
    double turns = end_constant(n) ? (double)n->k : TURNS_MOST;
    if (turns > g->most) turns = g->most;
    return turns < 1 ? 1 : turns > TURNS_MOST ? TURNS_MOST : turns;
}

/* Faces between boxes of cells. */
static double
faces(const struct payer *p, const double *sides)
{
    double all = 0;
    for (int m = 0; m < p->grid->ndims; m++) {
        double one = sides[m] - 1;
        for (int k = 0; k < p->grid->ndims; k++)
            if (k != m) one *= extent(p->grid, k);
        all += one;
    }
    return all;
}

/* As the runtime does it: with the fewest faces, and as many nodes as there may be. */
static void
deal_nodes(struct payer *p, int nodes)
{
    double least = 0, used = 0;
    int ndims = p->grid->ndims;
    for (int i = 1; i <= nodes; i *= 2)
        for (int k = 1; i * k <= nodes && (ndims > 1 || k == 1); k *= 2)
            for (int l = 1; i * k * l <= nodes && (ndims > 2 || l == 1); l *= 2) {
                double sides[GRID_DIMS] = {i, k, l}, all = sides[0] * sides[1] * sides[2];
                bool fits = true;
                for (int m = 0; m < ndims; m++) fits &= sides[m] <= extent(p->grid, m);
                double cut = faces(p, sides);
                if (!fits || all < used || (all == used && cut >= least)) continue;
                least = cut;
                used = all;
                for (int m = 0; m < ndims; m++) p->sides[m] = sides[m];
            }
    p->nodes = (int)used;
    for (int m = 0; m < ndims; m++) p->block[m] = extent(p->grid, m) / p->sides[m];
}

const struct touch *
cost_leader(const struct place_graph *g, const struct grid *grid, const struct stop *s)
{
    const struct touch *best = NULL;
    bool writes = false;
    for (int i = 0; i < s->ntouches; i++) {
        const struct touch *t = &g->touches[s->touch[i]];
        writes |= t->write;
        if (grid->ruled[t->df] && (!best || t->order < best->order)) best = t;
    }
    return writes || s->site->kind == PS_TERM ? best : NULL;
}

/* Where the stop is: in each dimension a counter, or -1. */
struct seat {
    struct {
        bool known;
        int counter;
        int64_t at;
        const struct side *side;
    } dim[GRID_DIMS];
};

static void
seat_of(const struct payer *p, const struct touch *t, struct seat *s)
{
    for (int m = 0; m < p->grid->ndims; m++) {
        const struct index_step *step;
        s->dim[m].known = grid_at(p->grid, t, m, &step, &s->dim[m].at);
        s->dim[m].counter = s->dim[m].known ? step->counter : -1;
        s->dim[m].side = &p->grid->side[t->df][m];
    }
}

/* How many nodes share the stop's turns. */
static double
sharers(const struct payer *p, const struct seat *s)
{
    double n = 1;
    for (int m = 0; m < p->grid->ndims; m++)
        if (s->dim[m].counter >= 0)
            n *= fmin(p->sides[m], fmax(1, turns_of(p->g, s->dim[m].counter)));
    return n;
}

/* How likely a fragment is where the stop is, in one dimension. */
static double
nearness(const struct payer *p, const struct seat *call, const struct seat *value, int m)
{
    double far = 1 - 1 / p->sides[m];
    bool same = call->dim[m].known && value->dim[m].known &&
                call->dim[m].counter == value->dim[m].counter &&
                grid_size(call->dim[m].side) == grid_size(value->dim[m].side);
    if (!same) return 1 - far;
    double offset = fabs((double)(call->dim[m].at - value->dim[m].at));
    return 1 - fmin(1, offset / p->block[m]) * far;
}

/* Different fragments that all nodes need. */
static double
needed(const struct payer *p, const struct touch *t, const struct seat *call)
{
    double n = p->nodes;
    int seen[16], count = 0;
    for (int i = 0; i < p->g->dfs[t->df].n; i++) {
        int counter = -1;
        for (int k = 0; k < t->index[i].n && counter < 0; k++)
            counter = t->index[i].step[k].counter;
        bool again = counter < 0 || count == 16;
        for (int k = 0; k < count; k++) again |= seen[k] == counter;
        if (again) continue;
        seen[count++] = counter;
        double turns = fmax(1, turns_of(p->g, counter));
        for (int m = 0; m < p->grid->ndims; m++)
            if (call->dim[m].counter == counter) turns /= fmin(p->sides[m], turns);
        n *= turns;
    }
    return n;
}

/* A touch that only meets ends of the array does not count. */
static bool
is_border(const struct place_graph *g, const struct touch *t)
{
    for (int i = 0; i < g->dfs[t->df].n; i++)
        for (int k = 0; k < t->index[i].n; k++)
            if (t->index[i].step[k].counter >= 0) return false;
    return true;
}

static double
from_elsewhere(const struct payer *p, const struct stop *s, const struct touch *leader)
{
    struct seat call, value;
    double all = 0;
    seat_of(p, leader, &call);
    for (int i = 0; i < s->ntouches; i++) {
        const struct touch *t = &p->g->touches[s->touch[i]];
        if (t == leader || !p->grid->ruled[t->df] || is_border(p->g, t)) continue;
        double near = 1;
        seat_of(p, t, &value);
        for (int m = 0; m < p->grid->ndims; m++) near *= nearness(p, &call, &value, m);
        all += (t->number ? .02 : 1) * needed(p, t, &call) * (1 - near);
    }
    return all;
}

static bool
only_numbers(const struct place_graph *g, const struct stop *s)
{
    for (int i = 0; i < s->ntouches; i++) {
        const struct touch *t = &g->touches[s->touch[i]];
        if (t->write ? g->dfs[t->df].seen & SEEN_WHOLE : !t->number) return false;
    }
    return true;
}

static double
weight_of(const struct place_graph *g, const struct stop *s)
{
    double n = only_numbers(g, s) ? .1 : 1;
    for (int i = 0; i < s->ncounters; i++) n *= turns_of(g, s->counter[i]);
    return n;
}

static void
add_stop(const struct payer *p, const struct stop *s, double *calls, double *busiest,
         double *values, double *heaviest)
{
    const struct touch *leader = cost_leader(p->g, p->grid, s);
    double weight = s->site->kind == PS_CALL ? weight_of(p->g, s) : 0, here = weight;
    struct seat seat;
    if (leader) {
        seat_of(p, leader, &seat);
        here /= sharers(p, &seat);
        *values += from_elsewhere(p, s, leader);
    }
    if (s->site->kind == PS_REDUCE) *values += .02 * (p->nodes - 1) * s->turns;
    *calls += weight;
    *busiest += here;
    *heaviest = here;
}

void
cost_of(struct grid_cost *c, const struct directions *d, const struct grid *g)
{
    struct payer p = {.g = d->graph, .grid = g};
    *c = (struct grid_cost){.heaviest = -1};
    for (int i = 0; i < COST_SIZES; i++) {
        double calls = 0, busiest = 0, values = 0, most = 0, here;
        deal_nodes(&p, sizes[i]);
        for (int k = 0; k < p.g->nstops; k++) {
            add_stop(&p, &p.g->stops[k], &calls, &busiest, &values, &here);
            if (i || here <= most) continue;
            most = here;
            c->heaviest = k;
        }
        if (calls <= 0) calls = 1;
        c->all += busiest * sizes[i] / calls + values / 2 / calls;
        if (!i) c->busiest = busiest / calls;
        if (sizes[i] == 16) c->values = values / calls;
    }
}
