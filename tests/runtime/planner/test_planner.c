/* Steps of the planner: all nodes at once, their messages stirred, and what is planned moved.
 * Each step ends with domains as they must be, and all nodes agree on what it was. */
#include "runtime/base/mem.h"
#include "tests/distrib/loads.h"
#include "tests/lib/check.h"
#include "tests/runtime/planner/planner_soup.h"

#include <math.h>

/* Fewer nodes where each change is checked. */
#ifdef NDEBUG
enum { HALF_NODES = 256, MANY_NODES = 128, SEEDS = 60 };
#else
enum { HALF_NODES = 32, MANY_NODES = 16, SEEDS = 6 };
#endif

enum { CELLS_MAX = 48 * 48, NODES_MAX = 256 };

static double
noise(const struct lattice *cells, struct lattice_point p, struct rng *r)
{
    (void)cells;
    (void)p;
    return .95 + (double)rng_below(r, 1001) / 10000;
}

static void
set_loads(struct soup *s, load_fn *load, uint64_t seed)
{
    struct rng r = rng_of(seed);
    for (uint32_t c = 0; c < lattice_size(&s->w.cells); c++) {
        s->load[c] = load(&s->w.cells, lattice_point(&s->w.cells, c), &r);
        s->bytes[c] = 8 * s->load[c];
    }
}

static struct soup *
soup_of(const char *kind, struct lattice cells, int n, uint64_t seed)
{
    struct lattice nodes = lattice_of(1, n, 0, 0);
    if (!strcmp(kind, "patch")) lattice_factor(&nodes, n, &cells);
    return soup_new(world_new(kind, cells, nodes, NULL), seed, .05, 0);
}

/* How far the most loaded node is above its share, in heaviest cells. */
static double
cells_too_much(const struct soup *s)
{
    double most = 0, sum = 0, heaviest = 0;
    for (int i = 0; i < s->w.n; i++) most = fmax(most, soup_node_load(s, i));
    for (uint32_t c = 0; c < lattice_size(&s->w.cells); c++) {
        sum += s->load[c];
        heaviest = fmax(heaviest, s->load[c]);
    }
    return (most - sum / s->w.n) / heaviest;
}

/* AvgSD of faces between loaded cells: the mean over nodes of each node's mean distance. */
static double
mean_distance(const struct soup *s)
{
    static int32_t owner[CELLS_MAX];
    double sum[NODES_MAX] = {0}, faces[NODES_MAX] = {0}, mean = 0, senders = 0;
    soup_owners(s, owner);
    for (uint32_t c = 0; c < lattice_size(&s->w.cells); c++)
        for (int k = 0; k < 2 * s->w.cells.ndims; k++) {
            uint32_t e = lattice_beside(&s->w.cells, c, k);
            if (e == LATTICE_NONE || owner[e] == owner[c]) continue;
            if (s->load[c] == 0 || s->load[e] == 0) continue;
            sum[owner[c]] += distrib_distance(s->w.node[0], owner[c], owner[e]);
            faces[owner[c]]++;
        }
    for (int i = 0; i < s->w.n; i++) {
        if (faces[i] == 0) continue;
        mean += sum[i] / faces[i];
        senders++;
    }
    return mean / senders;
}

/* Changes of owner of cells with load. */
static int
loaded_moves(const struct soup *s, const int32_t *before)
{
    static int32_t now[CELLS_MAX];
    int n = 0;
    soup_owners(s, now);
    for (uint32_t c = 0; c < lattice_size(&s->w.cells); c++)
        n += s->load[c] > 0 && now[c] != before[c];
    return n;
}

TEST(half_loaded_is_exact_at_once)
{
    static const int moves[] = {512, 512, 768, 768, 896, 896, 960, 960};
    static int32_t before[CELLS_MAX];
    for (int k = 0, n = 2; n <= HALF_NODES; n *= 2, k++) {
        struct soup *s = soup_of("patch", lattice_of(2, 64, 32, 0), n, (uint64_t)n);
        set_loads(s, load_half, 1);
        soup_owners(s, before);
        struct planner_summary r = soup_step(s);
        CHECK(!s->flaw && r.needed && r.taken, "%d nodes: %s, %s", n, s->flaw, r.why);
        CHECK(r.before == 2 && r.after == 1 && soup_imbalance(s) == 1, "%d nodes: %g", n, r.after);
        CHECK(mean_distance(s) == 1, "%d nodes: %g", n, mean_distance(s));
        CHECK(loaded_moves(s, before) == moves[k], "%d nodes", n);
        CHECK(r.bytes == 8 * (uint64_t)moves[k] && r.total == 1024 && r.heaviest == 1);
        r = soup_step(s);
        CHECK(!s->flaw && !r.needed && !r.taken && !s->moved, "%d nodes: again", n);
        soup_free(s);
    }
}

static double
a_little(const struct lattice *cells, struct lattice_point p, struct rng *r)
{
    (void)r;
    return p.at[0] < cells->side[0] / 4 ? 1.2 : 1;
}

static double
one_heavy(const struct lattice *cells, struct lattice_point p, struct rng *r)
{
    (void)r;
    return p.at[0] == cells->side[0] / 2 && p.at[1] == cells->side[1] / 2 ? 400 : 1;
}

/* Those of docs/protocols-balancing.md, section 11, as its attempts choose them. */
TEST(ops_follow_each_other)
{
    static const struct {
        const char *kind;
        load_fn *load;
        bool risen; /* since the step before; else this is the first */
        const char *ops;
    } cases[] = {
        {"patch", NULL, true, "sum over"},
        {"patch", load_half, true, "sum cut sweep touch look claim move settle over"},
        {"patch", load_half, false, "sum rows sweep look owners check move settle over"},
        {"patch", load_disc, false,
         "sum rows sweep look price cells owners check faces flow turn check move settle over"},
        {"patch", a_little, false, "sum check faces flow turn check claim move settle over"},
        {"patch", one_heavy, false,
         "sum heavy rows sweep look price cells owners check faces flow turn check flow turn check "
         "flow turn check flow turn check move settle over"},
        {"rope", load_half, false, "sum sweep check claim move over"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct soup *s = soup_of(cases[i].kind, lattice_of(2, 64, 32, 0), 16, 1);
        s->alone = s->in_turn = true;
        if (cases[i].risen) soup_step(s);
        if (cases[i].load) set_loads(s, cases[i].load, 1);
        soup_step(s);
        CHECK(!s->flaw, "%zu: %s", i, s->flaw);
        CHECK_STR(s->ops, cases[i].ops);
        soup_free(s);
    }
}

/* All lines are summed up at the same time, also when one node has to wake all others. */
TEST(hops_grow_with_the_sides)
{
    for (int side = 4; side * side <= HALF_NODES; side *= 2) {
        struct soup *s = soup_of("patch", lattice_of(2, 4 * side, 2 * side, 0), side * side, 1);
        s->alone = s->in_turn = true;
        set_loads(s, load_half, 1);
        struct planner_summary r = soup_step(s);
        CHECK(!s->flaw && r.taken, "%d x %d nodes: %s", side, side, s->flaw);
        CHECK(s->hops < 24 * (uint64_t)side, "%d x %d nodes: %d hops", side, side, (int)s->hops);
        soup_free(s);
    }
}

/* Who has hardly begun does not look idle: nothing moves, and the next step is as if it had not
 * been. */
TEST(unknown_loads_move_nothing)
{
    static const char *const kinds[] = {"patch", "rope"};
    for (int k = 0; k < 2; k++) {
        struct soup *s = soup_of(kinds[k], lattice_of(2, 64, 32, 0), 8, 1);
        set_loads(s, load_half, 1);
        s->unknown = 5;
        struct planner_summary r = soup_step(s);
        CHECK(!s->flaw && !r.needed && !r.taken && !s->moved && r.before == 2, "%s", s->flaw);
        s->unknown = -1;
        r = soup_step(s);
        CHECK(!s->flaw && r.taken && soup_imbalance(s) == 1, "%s: %s", kinds[k], s->flaw);
        soup_free(s);
    }
}

TEST(products_are_exact_at_once)
{
    static load_fn *const loads[] = {load_quarter, load_stripe};
    for (int n = 2; n <= HALF_NODES; n *= 2)
        for (int i = 0; i < 2; i++) {
            struct soup *s = soup_of("patch", lattice_of(2, 64, 32, 0), n, 1);
            set_loads(s, loads[i], 1);
            double before = soup_imbalance(s);
            struct planner_summary r = soup_step(s);
            CHECK(!s->flaw && (r.taken || before == 1), "%d, %d nodes: %s", i, n, s->flaw);
            CHECK(soup_imbalance(s) == 1, "%d, %d nodes: %g", i, n, soup_imbalance(s));
            soup_free(s);
        }
}

/* Even within the heaviest cell where a node has 32 cells and more, one and a half of it with 16,
 * unless it is even within the threshold; messages go little farther than between blocks. */
TEST(any_load_is_levelled)
{
    static load_fn *const loads[] = {load_hot_block, load_random, load_disc};
    for (int n = 4; n <= MANY_NODES; n *= 2)
        for (int i = 0; i < 3; i++) {
            struct soup *s = soup_of("patch", lattice_of(2, 64, 32, 0), n, 1);
            set_loads(s, loads[i], 1);
            struct planner_summary r = soup_step(s);
            CHECK(!s->flaw, "%d, %d nodes: %s", i, n, s->flaw);
            CHECK(r.taken || r.before < 1.05, "%d, %d nodes: %s", i, n, r.why);
            CHECK(cells_too_much(s) < (n < 128 ? 1 : 1.5) || soup_imbalance(s) < 1.05,
                  "%d, %d nodes: %.2f cells too much", i, n, cells_too_much(s));
            CHECK(mean_distance(s) < 1.1, "%d, %d nodes: %.3f", i, n, mean_distance(s));
            soup_free(s);
        }
}

TEST(any_load_in_three_dimensions)
{
    static load_fn *const loads[] = {load_hot_block, load_random, load_disc};
    static const int counts[] = {8, 27, 60};
    for (int k = 0; k < 3 && counts[k] <= MANY_NODES; k++)
        for (int i = 0; i < 3; i++) {
            struct soup *s = soup_of("patch", lattice_of(3, 16, 16, 8), counts[k], 1);
            set_loads(s, loads[i], 1);
            struct planner_summary r = soup_step(s);
            CHECK(!s->flaw && (r.taken || r.before < 1.05), "%d, %d nodes: %s", i, counts[k],
                  s->flaw);
            CHECK(cells_too_much(s) < 1 || soup_imbalance(s) < 1.05, "%d, %d nodes: %.2f", i,
                  counts[k], cells_too_much(s));
            soup_free(s);
        }
}

/* Any kind, any number of nodes; one in three patches starts with domains that are no boxes. */
static struct soup *
random_soup(struct rng *r, uint64_t seed)
{
    bool solid = rng_below(r, 4) == 0, rope = rng_below(r, 4) == 0;
    struct lattice cells = solid ? lattice_of(3, 8, 6, 6) : lattice_of(2, 16, 18, 0), nodes;
    int n = 2 + (int)rng_below(r, 15);
    n += n == 11 || n == 13; /* as many rows as cells at most */
    if (rope || rng_below(r, 3)) return soup_of(rope ? "rope" : "patch", cells, n, seed);
    lattice_factor(&nodes, n, &cells);
    struct partition p = partition_new(cells, nodes);
    partition_stir(&p, r, 500);
    struct soup *s = soup_new(world_new("patch", cells, nodes, p.owner), seed, .05, 0);
    partition_free(&p);
    return s;
}

TEST(steps_follow_each_other_under_all_delays)
{
    static load_fn *const loads[] = {load_half, load_disc, load_random, load_hot_block,
                                     load_quarter};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct rng r = rng_of(seed);
        struct soup *s = random_soup(&r, seed);
        for (int step = 0; step < 4; step++) {
            set_loads(s, loads[rng_below(&r, 5)], seed + (uint64_t)step);
            struct planner_summary report = soup_step(s);
            CHECK(!s->flaw, "seed %d, step %d: %s", (int)seed, step, s->flaw);
            CHECK(!report.taken || fabs(soup_imbalance(s) - report.after) < 1e-9, "seed %d",
                  (int)seed);
        }
        soup_free(s);
    }
}

TEST(a_rope_is_cut_by_speeds)
{
    struct soup *s = soup_of("rope", lattice_of(2, 64, 32, 0), 12, 3);
    set_loads(s, load_disc, 1);
    for (int i = 0; i < 12; i++) s->speed[i] = i % 3 ? 1 : .5;
    struct planner_summary r = soup_step(s);
    CHECK(!s->flaw && r.taken, "%s, %s", s->flaw, r.why);
    CHECK(soup_imbalance(s) < 1.05, "%g", soup_imbalance(s));
    soup_free(s);
}

/* One slow node; every other; half of them; and that in one step. */
TEST(slow_nodes_get_less)
{
    for (int n = 8; n <= MANY_NODES / 2; n *= 2)
        for (int k = 0; k < 3; k++) {
            struct soup *s = soup_of("patch", lattice_of(2, 64, 32, 0), n, 3);
            for (int i = 0; i < n; i++)
                s->speed[i] = k == 0 ? (i == n / 3 ? 1 / 3. : 1) : 1 + (k == 1 ? i % 2 : i < n / 2);
            struct planner_summary r = soup_step(s);
            CHECK(!s->flaw && r.taken, "%d, %d nodes: %s, %s", k, n, s->flaw, r.why);
            CHECK(soup_imbalance(s) < 1.05, "%d, %d nodes: %g", k, n, soup_imbalance(s));
            soup_free(s);
        }
}

TEST(noise_moves_nothing)
{
    for (int k = 0; k < 2; k++) {
        struct soup *s = soup_of(k ? "rope" : "patch", lattice_of(2, 32, 32, 0), 16, 1);
        for (uint64_t step = 0; step < 300; step++) {
            set_loads(s, noise, step);
            struct planner_summary r = soup_step(s);
            CHECK(!s->flaw && !r.needed && !s->moved, "step %d: %s", (int)step, s->flaw);
        }
        CHECK(soup_cost(s).messages <= 300 * 7, "%d", (int)soup_cost(s).messages);
        soup_free(s);
    }
}

TEST(what_costs_more_than_it_gains_is_dropped)
{
    for (int k = 0; k < 2; k++) {
        struct world w = world_new("patch", lattice_of(2, 16, 16, 0), lattice_of(2, 2, 2, 0), NULL);
        struct soup *s = soup_new(w, 1, .05, k ? 1 : .01);
        set_loads(s, load_half, 1);
        struct planner_summary r = soup_step(s);
        CHECK(!s->flaw && r.needed && r.taken == !k, "%s", r.why);
        CHECK((r.why != NULL) == k && (s->moved == 0) == k);
        soup_free(s);
    }
}

/* Domains of a few cells, and cells heavier than a node's share: a plan has domains as they must
 * be, or nothing moves; and what was in vain is not tried again at once. */
TEST(few_cells_are_planned_or_left)
{
    static const struct {
        int n;
        load_fn *load;
    } cases[] = {{200, load_disc}, {256, load_hot_block}, {512, load_disc}};
    for (int i = 0; i < 3 && MANY_NODES == 128; i++) {
        struct soup *s = soup_of("patch", lattice_of(2, 64, 32, 0), cases[i].n, 1);
        int planned = 0;
        set_loads(s, cases[i].load, 1);
        double before = soup_imbalance(s);
        for (int step = 0; step < 4 && !s->flaw; step++) planned += soup_step(s).needed;
        CHECK(!s->flaw && soup_imbalance(s) <= before, "%d nodes: %s", cases[i].n, s->flaw);
        CHECK(planned && planned <= 3, "%d nodes: %d", cases[i].n, planned);
        soup_free(s);
    }
}

/* With four cells a node prices leave pieces and neighbours that do not touch: all that is mended,
 * or not taken (soup_step looks at it). */
TEST(few_cells_are_whole)
{
    static load_fn *const loads[] = {load_random, load_disc, load_hot_block};
    for (uint64_t seed = 1; seed <= 8; seed++)
        for (int i = 0; i < 3; i++) {
            struct soup *s = soup_of("patch", lattice_of(2, 10, 8, 0), 20, seed);
            set_loads(s, loads[i], seed);
            for (int step = 0; step < 4 && !s->flaw; step++) soup_step(s);
            CHECK(!s->flaw, "%d, seed %d: %s", i, (int)seed, s->flaw);
            soup_free(s);
        }
}

/* A hot spot crosses the lattice: load stays even, and little moves for it. */
TEST(a_hot_spot_is_followed)
{
    double uneven = 0, moved = 0;
    struct lattice cells = lattice_of(2, 32, 32, 0);
    struct soup *s = soup_of("patch", cells, 16, 1);
    for (int t = 0; t < 100; t++) {
        double sum = 0;
        for (uint32_t c = 0; c < lattice_size(&cells); c++) {
            struct lattice_point p = lattice_point(&cells, c);
            int at = 24 * t / 99;
            bool hot = p.at[0] >= at && p.at[0] < at + 8 && p.at[1] >= at && p.at[1] < at + 8;
            sum += s->load[c] = s->bytes[c] = hot ? 4 : 1;
        }
        uneven += soup_imbalance(s) - 1;
        struct planner_summary r = soup_step(s);
        CHECK(!s->flaw, "%d: %s", t, s->flaw);
        moved += r.taken ? (double)r.bytes / sum : 0;
    }
    CHECK(uneven / 100 < .15, "mean imbalance %.3f", uneven / 100);
    CHECK(moved < 4, "%.1f times all load", moved);
    soup_free(s);
}

/* What has changed since the last plan is met by a plan that is ready soon; when things stand still
 * again it is made better. */
TEST(in_unrest_plans_are_short)
{
    static load_fn *const loads[] = {load_hot_block, load_random, load_disc};
    for (int n = 4; n <= MANY_NODES / 4; n *= 2)
        for (int i = 0; i < 3; i++) {
            struct soup *s = soup_of("patch", lattice_of(2, 64, 32, 0), n, 1);
            s->in_turn = true;
            soup_step(s);
            set_loads(s, loads[i], 1);
            double before = soup_imbalance(s);
            struct planner_summary r = soup_step(s);
            CHECK(!s->flaw && (r.taken || before < 1.15), "%d, %d nodes: %s", i, n, s->flaw);
            /* Where loads differ much, neighbours may not touch then, which has to be mended. */
            CHECK(i == 2 || s->hops <= 50 + 2 * (uint64_t)n, "%d, %d nodes: %d hops", i, n,
                  (int)s->hops);
            CHECK(soup_imbalance(s) < 1.3, "%d, %d nodes: %g", i, n, soup_imbalance(s));
            for (int k = 0; k < 12; k++) soup_step(s);
            CHECK(!s->flaw && (cells_too_much(s) < 1 || soup_imbalance(s) < 1.05),
                  "%d, %d nodes: %s, %.2f cells too much", i, n, s->flaw, cells_too_much(s));
            soup_free(s);
        }
}

/* One node of sixteen has 30 % more: what is too much goes over its borders, and little else. */
TEST(a_little_too_much_moves_little)
{
    struct lattice cells = lattice_of(2, 48, 48, 0);
    struct soup *s = soup_of("patch", cells, 16, 1);
    for (uint32_t c = 0; c < lattice_size(&cells); c++)
        if (world_owner(&s->w, c) == 5) s->load[c] = s->bytes[c] = 1.3;
    struct planner_summary r = soup_step(s);
    CHECK(!s->flaw && r.taken && soup_imbalance(s) < 1.025, "%s, %g", s->flaw, soup_imbalance(s));
    CHECK(r.bytes < 3 * 144 * .3 && mean_distance(s) < 1.1, "%d", (int)r.bytes);
    CHECK(soup_cost(s).messages < 500, "%d", (int)soup_cost(s).messages);
    soup_free(s);
}

/* The most loaded node by what it must have: the average, or the heaviest cell. */
static double
beyond_least(const struct soup *s)
{
    double sum = 0, heaviest = 0;
    for (uint32_t c = 0; c < lattice_size(&s->w.cells); c++) {
        sum += s->load[c];
        heaviest = fmax(heaviest, s->load[c]);
    }
    return soup_imbalance(s) / fmax(1, heaviest * s->w.n / sum);
}

/* 64 cells a node. */
static struct soup *
roomy_soup(int n, uint64_t seed)
{
    struct lattice nodes = lattice_of(1, n, 0, 0), square = lattice_of(2, 64, 64, 0);
    lattice_factor(&nodes, n, &square);
    struct lattice cells = lattice_of(2, 8 * nodes.side[0], 8 * nodes.side[1], 0);
    struct soup *s = soup_new(world_new("patch", cells, nodes, NULL), seed, .05, 0);
    s->in_turn = true;
    return s;
}

/* Steps do not make it worse, and in the end none moves a cell. */
static void
settle(struct soup *s)
{
    for (int step = 0; step < 24; step++) {
        double before = soup_imbalance(s);
        soup_step(s);
        CHECK(!s->flaw && soup_imbalance(s) <= before, "%d nodes: %s", s->w.n, s->flaw);
        CHECK(step < 16 || !s->moved, "%d nodes, step %d", s->w.n, step);
    }
}

/* A cell is nearly a node's share, or more than that, wherever it lies: its node gives away what it
 * has besides. What is left has to be there for neighbours to touch, and differs. */
TEST(a_heavy_cell_is_left_alone)
{
    static const double weights[] = {.8, 1.1, 1.5, 2.5};
    for (int n = 4; n <= MANY_NODES / 2; n *= n < 16 ? 2 : 4)
        for (int k = 0; k < 4; k++) {
            double mean = 0, places = n < 64 ? 8 : 4;
            for (uint32_t i = 0; i < places; i++) {
                struct soup *s = roomy_soup(n, i + 1);
                uint32_t size = lattice_size(&s->w.cells), at = i * 7919 % size;
                s->load[at] = weights[k] * (size - 1) / (n - weights[k]);
                CHECK(beyond_least(s) > 1.1);
                settle(s);
                CHECK(beyond_least(s) < 1.15, "%d nodes, %g at %d: %g", n, weights[k], (int)at,
                      beyond_least(s));
                mean += beyond_least(s) / places;
                soup_free(s);
            }
            CHECK(mean < 1.06, "%d nodes, %g: %g", n, weights[k], mean);
        }
}

/* Some begin on one node. Some are more than a share only when heavier ones are left out. */
TEST(heavy_cells_are_parted)
{
    static const double weights[][3] = {{1.5, 1.5, 0}, {4, 1.1, 0}, {3, .9, .8}, {1e9, 2e9, 1}};
    for (int n = 8; n <= MANY_NODES / 4; n *= 2) {
        double mean = 0;
        for (uint32_t i = 0; i < 16; i++) {
            struct soup *s = roomy_soup(n, i + 1);
            uint32_t at = i * 7919 % (lattice_size(&s->w.cells) - 16);
            for (uint32_t k = 0; k < 3; k++)
                s->load[at + k * (2 + i % 3)] += 64 * weights[i / 4][k];
            settle(s);
            mean += beyond_least(s) / 16;
            soup_free(s);
        }
        CHECK(mean < 1.1, "%d nodes: %g", n, mean);
    }
}

/* There is nothing else. */
TEST(heavy_cells_without_light_ones)
{
    struct soup *s = roomy_soup(4, 1);
    for (uint32_t c = 0; c < lattice_size(&s->w.cells); c++) s->load[c] = 0;
    s->load[18] = s->load[35] = 5;
    settle(s);
    CHECK(beyond_least(s) == 1, "%g", beyond_least(s));
    soup_free(s);
}

TEST(one_node_and_none_loaded)
{
    struct soup *s = soup_of("patch", lattice_of(2, 4, 4, 0), 1, 1);
    CHECK(!soup_step(s).needed && !s->flaw && !s->sent, "%s", s->flaw);
    soup_free(s);
    for (int k = 0; k < 2; k++) {
        s = soup_of(k ? "rope" : "patch", lattice_of(2, 8, 8, 0), 4, 1);
        for (uint32_t c = 0; c < 64; c++) s->load[c] = 0;
        CHECK(!soup_step(s).needed && !s->flaw, "%s", s->flaw);
        /* All load in one cell: nothing helps. */
        s->load[9] = 5;
        CHECK(!soup_step(s).taken && !s->flaw && !s->moved, "%s", s->flaw);
        soup_free(s);
    }
}

/* A message that is not as it was sent is refused, or does no harm; nobody stumbles. */
TEST(damaged_messages)
{
    int refused = 0;
    for (uint64_t k = 1; k <= 1500; k++) {
        struct soup *s = soup_of(k % 5 ? "patch" : "rope", lattice_of(2, 12, 10, 0), 6, k);
        set_loads(s, k % 2 ? load_disc : load_random, k);
        s->damage = 1 + k * 7 % 3000;
        soup_step(s);
        refused += s->flaw != NULL;
        soup_free(s);
    }
    CHECK(refused > 100, "%d of 1500 were noticed", refused);
}

TEST(without_memory)
{
    bool done = false;
    for (long n = 0; !done; n += 1 + n / 16) {
        struct soup *s = soup_of("patch", lattice_of(2, 12, 10, 0), 6, 1);
        set_loads(s, load_disc, 1);
        mem_fail_after(n);
        soup_step(s);
        done = !s->flaw;
        CHECK(done || s->err == E_NOMEM || !strcmp(s->flaw, "not given"), "%s, %s", s->flaw,
              err_text(s->err));
        soup_free(s);
    }
}

/* What a node says and keeps grows with the sides of the lattice at most: those at its end get the
 * cells of a whole row that have no load. */
TEST(cost_of_many_nodes)
{
    static const int counts[] = {64, 1024, 4096};
    uint64_t least = 0;
    for (int k = 0; k < (MANY_NODES < 128 ? 1 : 3); k++) {
        int side = (int)sqrt(counts[k]);
        struct soup *s = soup_of("patch", lattice_of(2, 4 * side, 4 * side, 0), counts[k], 1);
        set_loads(s, load_half, 1);
        struct planner_summary r = soup_step(s);
        struct planner_cost c = soup_cost(s);
        CHECK(!s->flaw && r.taken && r.after == 1, "%d nodes: %s", counts[k], s->flaw);
        printf("%5d nodes, half of them loaded: at most %d messages, %d KiB sent, %d KiB kept\n",
               counts[k], (int)c.messages, (int)(c.bytes / 1024), (int)(c.memory_max / 1024));
        if (!k) least = c.messages;
        CHECK(c.messages <= least + 2 * (uint64_t)side, "%d nodes", counts[k]);
        soup_free(s);
    }
}

TEST_MAIN(T(half_loaded_is_exact_at_once), T(ops_follow_each_other),
          T(hops_grow_with_the_sides), T(unknown_loads_move_nothing),
          T(products_are_exact_at_once), T(any_load_is_levelled),
          T(any_load_in_three_dimensions), T(steps_follow_each_other_under_all_delays),
          T(a_rope_is_cut_by_speeds), T(slow_nodes_get_less), T(noise_moves_nothing),
          T(few_cells_are_planned_or_left), T(few_cells_are_whole), T(a_hot_spot_is_followed),
          T(in_unrest_plans_are_short), T(a_little_too_much_moves_little),
          T(a_heavy_cell_is_left_alone), T(heavy_cells_are_parted),
          T(heavy_cells_without_light_ones), T(one_node_and_none_loaded),
          T(damaged_messages), T(without_memory),
          T(what_costs_more_than_it_gains_is_dropped), T(cost_of_many_nodes))
