/* Flows over the edges of lattices of nodes. */
#include "balance/flow.h"
#include "distrib/lattice.h"
#include "runtime/base/rng.h"
#include "tests/lib/check.h"

#include <math.h>

enum { NODES_MAX = 1024 };

static struct flow node[NODES_MAX];
static int neighbour[NODES_MAX][FLOW_EDGES], edges[NODES_MAX];

static void
connect(const struct lattice *l)
{
    for (uint32_t i = 0; i < lattice_size(l); i++) {
        edges[i] = 0;
        for (int s = 0; s < 2 * l->ndims; s++) {
            uint32_t to = lattice_beside(l, i, s);
            if (to != LATTICE_NONE) neighbour[i][edges[i]++] = (int)to;
        }
    }
}

/* All nodes at once, for the rounds it takes; how far from even the worst is, in loads of a node of
 * speed 1. */
static double
run(const struct lattice *l)
{
    int n = (int)lattice_size(l);
    double level[NODES_MAX], speed[NODES_MAX], load = 0, power = 0, worst = 0;
    struct flow_pace p = flow_pace(l->side);
    connect(l);
    for (int r = 0; r < p.rounds; r++) {
        for (int i = 0; i < n; i++) level[i] = flow_level(&node[i]);
        for (int i = 0; i < n; i++) {
            double there[FLOW_EDGES];
            for (int k = 0; k < edges[i]; k++) {
                there[k] = level[neighbour[i][k]];
                speed[k] = node[neighbour[i][k]].speed;
            }
            flow_round(&node[i], &p, there, speed, edges[i], r);
        }
    }
    for (int i = 0; i < n; i++) {
        load += node[i].load;
        power += node[i].speed;
    }
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(flow_level(&node[i]) * power / load - 1));
    return worst;
}

/* The sums are what the loads have changed by, and the same at both ends of an edge. */
static int
is_flow(const struct lattice *l, const double *before)
{
    for (uint32_t i = 0; i < lattice_size(l); i++) {
        double out = 0;
        for (int k = 0; k < edges[i]; k++) {
            int to = neighbour[i][k], back = 0;
            while (neighbour[to][back] != (int)i) back++;
            out += node[i].sum[k];
            if (fabs(node[i].sum[k] + node[to].sum[back]) > 1e-6) return 0;
        }
        if (fabs(before[i] - out - node[i].load) > 1e-6) return 0;
    }
    return 1;
}

TEST(loads_become_even)
{
    static const int32_t sides[][3] = {{2, 1, 1},   {9, 1, 1},  {2, 2, 1}, {8, 8, 1},
                                       {32, 32, 1}, {40, 3, 1}, {4, 5, 6}, {1, 1, 1}};
    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++)
        for (int k = 0; k < 3; k++) {
            struct lattice l;
            struct rng r = rng_of(s);
            double before[NODES_MAX];
            CHECK(lattice_init(&l, 3, sides[s]));
            int n = (int)lattice_size(&l);
            memset(node, 0, sizeof node);
            for (int i = 0; i < n; i++) {
                /* Half of the nodes; random; random on nodes of three speeds. */
                before[i] = k ? (double)rng_below(&r, 100) + 1 : i < n / 2 || n == 1 ? 32 : 0;
                node[i].load = before[i];
                node[i].speed = k == 2 ? (double)rng_below(&r, 3) + 1 : 1;
            }
            double worst = run(&l);
            CHECK(worst < .01, "lattice %zu, load %d: %.4f from even", s, k, worst);
            CHECK(is_flow(&l, before), "lattice %zu, load %d", s, k);
        }
}

TEST_MAIN(T(loads_become_even))
