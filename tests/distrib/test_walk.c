/* Walks through domains of any valid shape: they end at the owner, soon. */
#include "tests/distrib/world.h"
#include "tests/lib/check.h"

#include <inttypes.h>

#ifdef NDEBUG
enum { SEEDS = 8 };
#else
enum { SEEDS = 4 };
#endif

struct hops {
    int max, lost;
    double mean, apart; /* of walks, of the nodes */
};

/* From every node to every `every`-th cell. */
static struct hops
walk_all(const struct world *w, const int32_t *owner, uint32_t every)
{
    struct hops h = {0};
    uint64_t count = 0;
    for (uint32_t c = 0; c < lattice_size(&w->cells); c += every)
        for (int i = 0; i < w->n; i++) {
            int hops = world_walk(w, i, c, false);
            if (hops < 0) h.lost++;
            if (hops > h.max) h.max = hops;
            h.mean += hops;
            h.apart += distrib_distance(w->node[i], i, owner[c]);
            count++;
        }
    h.mean /= (double)count;
    h.apart /= (double)count;
    return h;
}

static int
diameter_of(const struct lattice *l)
{
    return l->side[0] + l->side[1] + l->side[2] - 3;
}

struct shape {
    struct lattice cells, nodes;
};

static int
is_walked_well(const struct shape *s, uint64_t seed, uint32_t stir, double *worst, double *mean)
{
    struct rng r = rng_of(seed);
    struct partition p = partition_new(s->cells, s->nodes);
    partition_stir(&p, &r, stir);
    struct world w = world_new("patch", s->cells, s->nodes, p.owner);
    const char *flaw = distrib_flaw_among(w.node, w.n, true);
    uint32_t every = lattice_size(&s->cells) / 512 + 1;
    struct hops h = walk_all(&w, p.owner, every);
    double longest = (double)h.max / diameter_of(&s->nodes), ratio = h.mean / h.apart;
    if (longest > *worst) *worst = longest;
    if (ratio > *mean) *mean = ratio;
    if (flaw || h.lost) printf("%s, %d lost\n", flaw ? flaw : "valid", h.lost);
    world_free(&w);
    partition_free(&p);
    return !flaw && !h.lost && longest <= 2.5 && ratio <= 1.4;
}

TEST(irregular_domains)
{
    struct shape shapes[] = {
        {lattice_of(1, 40, 0, 0), lattice_of(1, 8, 0, 0)},
        {lattice_of(2, 12, 12, 0), lattice_of(2, 2, 2, 0)},
        {lattice_of(2, 32, 32, 0), lattice_of(2, 8, 8, 0)},
        {lattice_of(2, 48, 24, 0), lattice_of(2, 7, 3, 0)},
        {lattice_of(2, 40, 10, 0), lattice_of(1, 10, 0, 0)},
        {lattice_of(3, 8, 8, 8), lattice_of(3, 2, 2, 2)},
        {lattice_of(3, 12, 10, 9), lattice_of(3, 4, 3, 3)},
        {lattice_of(3, 12, 12, 6), lattice_of(2, 4, 4, 0)},
    };
    const char *n = getenv("LUNA_SEEDS");
    uint64_t seeds = n ? strtoull(n, NULL, 10) : SEEDS;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        double worst = 0, mean = 0;
        for (uint64_t seed = 1; seed <= seeds; seed++) {
            uint32_t stir = lattice_size(&shapes[i].cells) << (seed - 1) % 4;
            CHECK(is_walked_well(&shapes[i], seed, stir, &worst, &mean),
                  "shape %zu, seed %" PRIu64 ": %.2f diameters, %.2f times the mean", i, seed,
                  worst, mean);
        }
        printf("shape %zu: longest %.2f diameters, mean %.2f\n", i, worst, mean);
    }
}

/* Without order and contact there is no bound in diameters. What remains: no node is met twice, so
 * there are fewer hops than nodes (world_walk gives up later), and fewer than cells on the way. */
TEST(connected_is_enough_to_arrive)
{
    struct lattice cells[] = {lattice_of(2, 24, 24, 0), lattice_of(3, 8, 9, 7)};
    for (uint64_t seed = 1; seed <= 5 * SEEDS; seed++) {
        struct rng r = rng_of(seed);
        struct lattice nodes = lattice_of(2, 2 + (int32_t)rng_below(&r, 5), 4, 0);
        struct partition p = partition_new(cells[seed % 2], nodes);
        partition_grow(&p, &r);
        struct world w = world_new("patch", p.cells, nodes, p.owner);
        CHECK(!distrib_flaw_among(w.node, w.n, false), "seed %" PRIu64, seed);
        struct hops h = walk_all(&w, p.owner, 1);
        CHECK(!h.lost && h.max < w.n, "seed %" PRIu64 ": %d lost, %d hops", seed, h.lost, h.max);
        world_free(&w);
        partition_free(&p);
    }
}

/* 65,536 nodes, of which only those exist that are met. */
static int
hops_met(const struct distrib_setup *as, int from, uint32_t cell)
{
    uint32_t at = LATTICE_NONE;
    struct distrib_setup s = *as;
    const char *why;
    for (int hops = 0; hops < 1024; hops++) {
        struct distrib *d;
        s.node = from;
        if (distrib_new(&d, &s, &why) != OK) return -1;
        int to = distrib_onward(d, cell, &at);
        distrib_free(d);
        if (to == from) return hops;
        from = to;
    }
    return -1;
}

TEST(many_nodes)
{
    struct rng r = rng_of(1);
    struct distrib_setup s = {.kind = distrib_kind("patch")};
    for (int i = 0; i < 300; i++) {
        s.cells = i % 2 ? lattice_of(2, 1024, 1024, 0) : lattice_of(3, 128, 64, 128);
        lattice_factor(&s.nodes, 65536, &s.cells);
        int from = (int)rng_below(&r, 65536);
        uint32_t cell = (uint32_t)rng_below(&r, lattice_size(&s.cells)), at;
        struct distrib *d;
        const char *why;
        s.node = from;
        CHECK(distrib_new(&d, &s, &why) == OK);
        int owner = distrib_first(d, cell, &at), apart = distrib_distance(d, from, owner);
        distrib_free(d);
        int hops = hops_met(&s, from, cell);
        CHECK(hops == apart && apart <= diameter_of(&s.nodes), "%d hops, %d apart", hops, apart);
    }
}

TEST_MAIN(T(many_nodes), T(irregular_domains), T(connected_is_enough_to_arrive))
