/* Plans by prices, on copies of what nodes know: cells go to lattice neighbours only. What comes
 * out is compared with a model in which each cell looks at all nodes. */
#include "balance/balance.h"
#include "balance/flow.h"
#include "balance/price.h"
#include "tests/distrib/loads.h"
#include "tests/distrib/world.h"
#include "tests/lib/check.h"

#include <math.h>

/* Fewer nodes where each change is checked. */
#ifdef NDEBUG
enum { HALF_NODES = 256, MANY_NODES = 128 };
#else
enum { HALF_NODES = 16, MANY_NODES = 8 };
#endif

enum { NODES_MAX = 256, CELLS_MAX = 64 * 32 };

struct model {
    struct world w;
    struct price_field field;
    double load[CELLS_MAX], planned[NODES_MAX], wanted, heaviest;
    struct price price[NODES_MAX];
    int32_t owner[CELLS_MAX], start[CELLS_MAX];
    const char *flaw;
};

struct stray {
    uint32_t cell;
    int to;
};

struct strays {
    int n;
    struct stray stray[CELLS_MAX];
};

/* Start prices, from the loads of rows. */
static void
set_prices(struct model *m)
{
    for (int d = 0; d < PRICE_DIMS; d++) {
        double row[64] = {0}, price[64];
        for (uint32_t c = 0; c < lattice_size(&m->w.cells); c++)
            row[lattice_point(&m->w.cells, c).at[d]] += m->load[c];
        price_start(&m->field, d, row, NULL, price);
        for (int i = 0; i < m->w.n; i++)
            m->price[i].value += price[lattice_point(&m->w.nodes, (uint32_t)i).at[d]];
    }
}

static void
model_init(struct model *m, struct lattice cells, int n, load_fn *load)
{
    struct rng r = rng_of(1);
    struct lattice nodes;
    memset(m, 0, sizeof *m);
    lattice_factor(&nodes, n, &cells);
    m->w = world_new("patch", cells, nodes, NULL);
    m->field.rounds = 60;
    for (int d = 0; d < PRICE_DIMS; d++) {
        m->field.cells[d] = cells.side[d];
        m->field.nodes[d] = nodes.side[d];
    }
    for (uint32_t c = 0; c < lattice_size(&cells); c++) {
        m->load[c] = load(&cells, lattice_point(&cells, c), &r);
        m->wanted += m->load[c] / n;
        m->heaviest = fmax(m->heaviest, m->load[c]);
        m->start[c] = m->owner[c] = world_owner(&m->w, c);
        m->planned[m->owner[c]] += m->load[c];
    }
    set_prices(m);
}

/* This node and its neighbours, also across corners. */
static int
sites_around(const struct model *m, int node, struct price_site *site, int *number)
{
    struct lattice_point p = lattice_point(&m->w.nodes, (uint32_t)node);
    int n = 1;
    for (int k = 0; k < 27; k++) {
        struct lattice_point q = {
            {p.at[0] + k / 9 - 1, p.at[1] + k / 3 % 3 - 1, p.at[2] + k % 3 - 1}};
        bool inside = true;
        for (int d = 0; d < 3; d++) inside &= q.at[d] >= 0 && q.at[d] < m->w.nodes.side[d];
        if (!inside) continue;
        int i = k == 13 ? 0 : n++;
        number[i] = (int)lattice_number(&m->w.nodes, q.at);
        site[i].price = m->price[number[i]].value;
        memcpy(site[i].place, q.at, sizeof site[i].place);
    }
    return n;
}

static void
give(struct model *m, uint32_t cell, int to)
{
    int from = m->owner[cell];
    struct buf parcel = {0};
    if (distrib_give(m->w.node[from], to, &cell, 1, &parcel) != OK) m->flaw = "memory";
    world_take(&m->w, to, from, &parcel);
    buf_fini(&parcel);
    m->owner[cell] = to;
    m->planned[from] -= m->load[cell];
    m->planned[to] += m->load[cell];
}

/* All nodes at once; how many cells go. */
static int
round_of(struct model *m, int round)
{
    static int to[CELLS_MAX];
    int moved = 0, number[27];
    struct price_site site[27];
    for (uint32_t c = 0; c < lattice_size(&m->w.cells); c++) {
        int n = sites_around(m, m->owner[c], site, number);
        struct lattice_point p = lattice_point(&m->w.cells, c);
        to[c] = number[price_best(&m->field, site, n, p.at, round)];
    }
    for (uint32_t c = 0; c < lattice_size(&m->w.cells); c++) {
        if (to[c] == m->owner[c]) continue;
        give(m, c, to[c]);
        moved++;
    }
    return moved;
}

static double
imbalance(const struct model *m)
{
    double max = 0;
    for (int i = 0; i < m->w.n; i++) max = fmax(max, m->planned[i]);
    return max / m->wanted;
}

/* How far the most loaded node is above its share, in heaviest cells. */
static double
cells_too_much(const struct model *m)
{
    return (imbalance(m) - 1) * m->wanted / m->heaviest;
}

/* Cells travel, then rounds until all is even. Gives the rounds. */
static int
plan(struct model *m)
{
    int settle = 0;
    while (round_of(m, -1) && settle < 40) settle++;
    int round = 0;
    for (; round < m->field.rounds && imbalance(m) > 1 + 1e-9; round++) {
        for (int i = 0; i < m->w.n; i++)
            price_adjust(&m->field, &m->price[i], m->planned[i], m->wanted, round);
        round_of(m, round);
    }
    if (!m->flaw) m->flaw = distrib_flaw_among(m->w.node, m->w.n, false);
    return round;
}

/* Faces between loaded cells of different nodes, and owner changes of loaded cells. */
static void
measure(const struct model *m, int *cut, int *moved)
{
    *cut = *moved = 0;
    for (uint32_t c = 0; c < lattice_size(&m->w.cells); c++) {
        if (m->load[c] == 0) continue;
        *moved += m->owner[c] != m->start[c];
        for (int s = 1; s < 2 * m->w.cells.ndims; s += 2) {
            uint32_t e = lattice_beside(&m->w.cells, c, s);
            if (e != LATTICE_NONE && m->load[e] > 0) *cut += m->owner[e] != m->owner[c];
        }
    }
}

TEST(half_loaded_is_exact_at_once)
{
    static const int moves[] = {512, 512, 768, 768, 896, 896, 960, 960};
    static struct model m;
    for (int k = 0, n = 2; n <= HALF_NODES; n *= 2, k++) {
        int cut, moved;
        model_init(&m, lattice_of(2, 64, 32, 0), n, load_half);
        CHECK(plan(&m) == 0 && imbalance(&m) == 1, "%d nodes: %.3f", n, imbalance(&m));
        if (!m.flaw) m.flaw = distrib_flaw_among(m.w.node, n, true);
        CHECK(!m.flaw, "%d nodes: %s", n, m.flaw);
        measure(&m, &cut, &moved);
        const int32_t *side = m.w.nodes.side;
        CHECK(cut == (side[0] - 1) * 32 + (side[1] - 1) * 32, "%d nodes: %d", n, cut);
        CHECK(moved == moves[k], "%d nodes: %d", n, moved);
        world_free(&m.w);
    }
}

TEST(products_are_exact_at_once)
{
    static load_fn *const loads[] = {load_quarter, load_stripe};
    static struct model m;
    for (int n = 2; n <= HALF_NODES; n *= 2)
        for (int i = 0; i < 2; i++) {
            model_init(&m, lattice_of(2, 64, 32, 0), n, loads[i]);
            CHECK(plan(&m) == 0 && imbalance(&m) == 1, "%d, %d nodes: %.3f", i, n, imbalance(&m));
            if (!m.flaw) m.flaw = distrib_flaw_among(m.w.node, n, true);
            CHECK(!m.flaw, "%d, %d nodes: %s", i, n, m.flaw);
            world_free(&m.w);
        }
    /* In three dimensions an eighth of the cells. */
    model_init(&m, lattice_of(3, 8, 16, 16), 8, load_quarter);
    CHECK(plan(&m) == 0 && imbalance(&m) == 1 && !m.flaw, "%.3f", imbalance(&m));
    world_free(&m.w);
}

/* What the model of whole knowledge reaches: within a few cells; flows do the rest. */
TEST(other_loads_come_near)
{
    static load_fn *const loads[] = {load_hot_block, load_random};
    static struct model m;
    for (int n = 4; n <= MANY_NODES / 2; n *= 2)
        for (int i = 0; i < 2; i++) {
            model_init(&m, lattice_of(2, 64, 32, 0), n, loads[i]);
            double before = imbalance(&m);
            int rounds = plan(&m), order = 0;
            double cells = cells_too_much(&m);
            for (int k = 0; k < n; k++) {
                const char *flaw = distrib_flaw(m.w.node[k], true);
                order += flaw && strstr(flaw, "order");
            }
            CHECK(!m.flaw && imbalance(&m) < before, "%d, %d nodes: %s", i, n, m.flaw);
            CHECK(rounds && cells < 2.5, "%d, %d nodes: %.1f cells too much", i, n, cells);
            CHECK(!order, "%d, %d nodes: convex parts stand in the order of their sites", i, n);
            world_free(&m.w);
        }
}

/* ---- what is left after prices ---- */

static void
give_stray(void *who, uint32_t cell, int to)
{
    struct stray *s = ((struct strays *)who)->stray;
    s[((struct strays *)who)->n++] = (struct stray){cell, to};
}

/* Pieces go to whom they touch most. */
static void
join_pieces(struct model *m)
{
    static struct strays s;
    for (int i = 0; i < m->w.n; i++) {
        s.n = 0;
        if (distrib_strays(m->w.node[i], give_stray, &s) != OK) m->flaw = "memory";
        for (int k = 0; k < s.n; k++) give(m, s.stray[k].cell, s.stray[k].to);
    }
}

/* The cells of a and b that are nearest to each other. */
static int
nearest_pair(const struct model *m, int a, int b, uint32_t *x, uint32_t *y)
{
    int least = INT32_MAX;
    for (uint32_t c = 0; c < lattice_size(&m->w.cells); c++)
        for (uint32_t e = 0; m->owner[c] == a && e < lattice_size(&m->w.cells); e++) {
            if (m->owner[e] != b || lattice_distance(&m->w.cells, c, e) >= least) continue;
            least = lattice_distance(&m->w.cells, c, e);
            *x = c;
            *y = e;
        }
    return least;
}

/* A cell beside `from`, nearer to `to`, goes to the owner of `from` if its own can spare it. */
static bool
reach(struct model *m, uint32_t from, uint32_t to)
{
    for (int s = 0; s < 2 * m->w.cells.ndims; s++) {
        uint32_t e = lattice_beside(&m->w.cells, from, s);
        if (e == LATTICE_NONE || m->owner[e] == m->owner[from] ||
            lattice_distance(&m->w.cells, e, to) >= lattice_distance(&m->w.cells, from, to) ||
            !distrib_may_give(m->w.node[m->owner[e]], e, m->owner[from]))
            continue;
        give(m, e, m->owner[from]);
        return true;
    }
    return false;
}

/* Neighbours in the lattice that do not touch reach out for each other. */
static void
join_neighbours(struct model *m)
{
    for (int a = 0; a < m->w.n; a++)
        for (int s = 1; s < 2 * m->w.nodes.ndims; s += 2) {
            uint32_t b = lattice_beside(&m->w.nodes, (uint32_t)a, s), x, y;
            for (int tries = 0; b != LATTICE_NONE && tries < 4; tries++) {
                if (nearest_pair(m, a, (int)b, &x, &y) < 2) break;
                if (!reach(m, x, y) && !reach(m, y, x)) break;
            }
        }
}

static double
load_of(void *who, uint32_t cell)
{
    return ((struct model *)who)->load[cell];
}

/* What has to cross each edge, rounded to what cells there are. */
static void
level_out(struct model *m)
{
    static struct flow f[NODES_MAX];
    struct flow_pace p = flow_pace(m->w.nodes.side);
    double level[NODES_MAX], there[6], ones[6] = {1, 1, 1, 1, 1, 1};
    int to[NODES_MAX][6], n[NODES_MAX];
    for (int i = 0; i < m->w.n; i++) {
        f[i] = (struct flow){.load = m->planned[i], .speed = 1};
        n[i] = 0;
        for (int s = 0; s < 2 * m->w.nodes.ndims; s++) {
            uint32_t b = lattice_beside(&m->w.nodes, (uint32_t)i, s);
            if (b != LATTICE_NONE) to[i][n[i]++] = (int)b;
        }
    }
    for (int r = 0; r < p.rounds; r++) {
        for (int i = 0; i < m->w.n; i++) level[i] = flow_level(&f[i]);
        for (int i = 0; i < m->w.n; i++) {
            for (int k = 0; k < n[i]; k++) there[k] = level[to[i][k]];
            flow_round(&f[i], &p, there, ones, n[i], r);
        }
    }
    for (int i = 0; i < m->w.n; i++)
        for (int k = 0; k < n[i]; k++) {
            static uint32_t cells[CELLS_MAX];
            uint32_t count = 0;
            if (f[i].sum[k] < m->heaviest / 4) continue;
            distrib_choose(m->w.node[i], to[i][k], f[i].sum[k], load_of, m, cells, &count);
            for (uint32_t c = 0; c < count; c++) give(m, cells[c], to[i][k]);
        }
}

/* ---- smoothing, with loads as they are ---- */

/* The best cell from a to b with a load in these bounds; LATTICE_NONE: none. */
static uint32_t
best_cell(struct model *m, int a, int b, double least, double most, uint32_t except, double *rise)
{
    struct distrib_wish wish = {load_of, m, least, most, except};
    uint32_t cell;
    if (distrib_best(m->w.node[a], b, &wish, &cell, rise) != OK) m->flaw = "memory";
    return cell;
}

/* Single cells go where faces reach less far, as long as b stays below its share. */
static int
smooth(struct model *m, int a, int b)
{
    int moved = 0;
    double rise;
    while (moved < 50) {
        uint32_t c = best_cell(m, a, b, 0, m->wanted - m->planned[b], LATTICE_NONE, &rise);
        if (c == LATTICE_NONE || rise > -1e-9) break;
        give(m, c, b);
        moved++;
    }
    return moved;
}

/* A cell of a for one of b with the same load, up to three times; what does not help is undone. */
static int
swap(struct model *m, int a, int b)
{
    enum { DEPTH = 3 };
    uint32_t there[DEPTH], back[DEPTH], last = LATTICE_NONE;
    double sum = 0, best = -1e-6, rise;
    int n = 0, kept = 0;
    for (; n < DEPTH; n++) {
        if ((there[n] = best_cell(m, a, b, 0, 1e30, last, &rise)) == LATTICE_NONE) break;
        double w = m->load[there[n]];
        sum += rise;
        give(m, there[n], b);
        last = back[n] = best_cell(m, b, a, w, w, there[n], &rise);
        if (last == LATTICE_NONE) {
            give(m, there[n], a);
            break;
        }
        sum += rise;
        give(m, last, a);
        if (sum >= best) continue;
        best = sum;
        kept = n + 1;
    }
    while (n-- > kept) {
        give(m, back[n], b);
        give(m, there[n], a);
    }
    return kept;
}

/* Until nothing helps any more, over all pairs of neighbours. */
static void
polish(struct model *m)
{
    for (int pass = 0, done = 1; done && pass < 20; pass++) {
        done = 0;
        for (int a = 0; a < m->w.n; a++)
            for (int s = 0; s < 2 * m->w.nodes.ndims; s++) {
                uint32_t b = lattice_beside(&m->w.nodes, (uint32_t)a, s);
                if (b == LATTICE_NONE) continue;
                done += smooth(m, a, (int)b);
                if (s % 2) done += swap(m, a, (int)b);
            }
    }
}

/* AvgSD of faces between loaded cells: the mean over nodes of each node's mean distance. */
static double
mean_distance(const struct model *m)
{
    static double sum[NODES_MAX], count[NODES_MAX];
    double mean = 0, senders = 0;
    memset(sum, 0, sizeof sum);
    memset(count, 0, sizeof count);
    for (uint32_t c = 0; c < lattice_size(&m->w.cells); c++)
        for (int s = 0; s < 2 * m->w.cells.ndims; s++) {
            uint32_t e = lattice_beside(&m->w.cells, c, s);
            if (e == LATTICE_NONE || m->owner[e] == m->owner[c]) continue;
            if (m->load[c] == 0 || m->load[e] == 0) continue;
            sum[m->owner[c]] += distrib_distance(m->w.node[0], m->owner[c], m->owner[e]);
            count[m->owner[c]]++;
        }
    for (int i = 0; i < m->w.n; i++) {
        if (!count[i]) continue;
        mean += sum[i] / count[i];
        senders++;
    }
    return mean / senders;
}

/* A whole plan; gives how uneven it was before it was polished. */
static double
make_plan(struct model *m)
{
    plan(m);
    for (int k = 0; k < 3; k++) join_pieces(m);
    join_neighbours(m);
    for (int k = 0; k < 3; k++) level_out(m);
    double uneven = cells_too_much(m);
    polish(m);
    if (!m->flaw) m->flaw = distrib_flaw_among(m->w.node, m->w.n, true);
    return uneven;
}

/* Even within the heaviest cell where a node has 32 cells and more, one and a half of it with 16;
 * all that must be true is true; and messages go little farther than between blocks. */
TEST(any_load_is_levelled)
{
    static load_fn *const loads[] = {load_hot_block, load_random, load_disc, load_quarter};
    static struct model m;
    for (int n = 4; n <= MANY_NODES; n *= 2)
        for (int i = 0; i < 4; i++) {
            int cut, moved;
            model_init(&m, lattice_of(2, 64, 32, 0), n, loads[i]);
            double uneven = make_plan(&m);
            measure(&m, &cut, &moved);
            double blocks = (m.w.nodes.side[0] - 1) * 32 + (m.w.nodes.side[1] - 1) * 64;
            CHECK(!m.flaw, "%d, %d nodes: %s", i, n, m.flaw);
            CHECK(cells_too_much(&m) <= uneven + 1e-9, "polishing leaves loads as they are");
            CHECK(mean_distance(&m) < 1.1, "%d, %d nodes: %.3f", i, n, mean_distance(&m));
            CHECK(cells_too_much(&m) < (n < 128 ? 1 : 1.5), "%d, %d nodes: %.2f cells too much", i,
                  n, cells_too_much(&m));
            CHECK(cut < 1.2 * blocks, "%d, %d nodes: %d faces, %g of blocks", i, n, cut, blocks);
            world_free(&m.w);
        }
}

TEST(any_load_in_three_dimensions)
{
    static load_fn *const loads[] = {load_hot_block, load_random, load_disc};
    static const int counts[] = {4, 8, 27, 60, 64};
    static struct model m;
    for (int k = 0; k < 5 && counts[k] <= MANY_NODES; k++)
        for (int i = 0; i < 3; i++) {
            model_init(&m, lattice_of(3, 16, 16, 8), counts[k], loads[i]);
            make_plan(&m);
            CHECK(!m.flaw, "%d, %d nodes: %s", i, counts[k], m.flaw);
            CHECK(cells_too_much(&m) < 1.25, "%d, %d nodes: %.2f cells too much", i, counts[k],
                  cells_too_much(&m));
            world_free(&m.w);
        }
}

/* ---- a rope in two phases: each cell's part by what is before it, then borders slide ---- */

static void
list_cell(void *who, uint32_t cell)
{
    struct strays *s = who;
    s->stray[s->n++].cell = cell;
}

/* Cells at one end of a node's segment that belong beyond it. */
static uint32_t
beyond(const struct world *w, const int *part, int node, int to, uint32_t *cells)
{
    static struct strays own;
    uint32_t n = 0;
    own.n = 0;
    distrib_each(w->node[node], list_cell, &own);
    for (int i = 0; i < own.n; i++) {
        uint32_t c = own.stray[i].cell;
        if (to > node ? part[c] > node : part[c] < node) cells[n++] = c;
    }
    return n;
}

TEST(a_rope_is_cut_anew)
{
    static load_fn *const loads[] = {load_half, load_random, load_disc};
    static uint32_t cells[CELLS_MAX];
    static int part[CELLS_MAX];
    for (int k = 0; k < 3; k++) {
        struct rng r = rng_of(1);
        struct lattice l = lattice_of(2, 64, 32, 0);
        struct world w = world_new("rope", l, lattice_of(1, 24, 0, 0), NULL);
        struct buf parcel = {0};
        double load[CELLS_MAX], total = 0, before = 0, sum[24] = {0}, heaviest = 0;
        for (uint32_t c = 0; c < CELLS_MAX; c++) {
            total += load[c] = loads[k](&l, lattice_point(&l, c), &r);
            heaviest = fmax(heaviest, load[c]);
        }
        for (int i = 0; i < w.n; i++) {
            static struct strays own;
            own.n = 0;
            distrib_each(w.node[i], list_cell, &own);
            for (int j = 0; j < own.n; before += load[own.stray[j++].cell])
                part[own.stray[j].cell] = balance_part(before, load[own.stray[j].cell], total, w.n);
        }
        int rounds = 0;
        for (bool moved = true; moved && rounds < 100; rounds++) {
            moved = false;
            for (int i = 0; i < w.n; i++)
                for (int to = i - 1; to <= i + 1; to += 2) {
                    uint32_t n = to < 0 || to == w.n ? 0 : beyond(&w, part, i, to, cells);
                    if (!n) continue;
                    CHECK(distrib_give(w.node[i], to, cells, n, &parcel) == OK);
                    world_take(&w, to, i, &parcel);
                    moved = true;
                }
        }
        CHECK(!distrib_flaw_among(w.node, w.n, true));
        for (uint32_t c = 0; c < CELLS_MAX; c++) {
            CHECK(world_owner(&w, c) == part[c], "cell %u", c);
            sum[part[c]] += load[c];
        }
        for (int i = 0; i < w.n; i++)
            CHECK(fabs(sum[i] - total / w.n) <= heaviest, "load %d, node %d: %g", k, i, sum[i]);
        buf_fini(&parcel);
        world_free(&w);
    }
}

TEST_MAIN(T(half_loaded_is_exact_at_once), T(products_are_exact_at_once), T(other_loads_come_near),
          T(any_load_is_levelled), T(any_load_in_three_dimensions), T(a_rope_is_cut_anew))
