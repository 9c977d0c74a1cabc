/* All distributors at the start: each cell has one owner, walks end there, what is published about
 * the distances comes out, and impossible wishes are refused. */
#include "distrib/distrib.h"
#include "tests/lib/check.h"

static struct lattice
lattice(int ndims, int32_t a, int32_t b, int32_t c)
{
    struct lattice l;
    if (!lattice_init(&l, ndims, (int32_t[]){a, b, c})) abort();
    return l;
}

/* All nodes of a run. */
struct run {
    struct lattice cells, nodes;
    int n;
    struct distrib **node;
};

static struct run
run_new(const char *kind, struct lattice cells, int n)
{
    struct run r = {.cells = cells, .n = n, .node = calloc((size_t)n, sizeof *r.node)};
    const char *why = "";
    lattice_factor(&r.nodes, n, &cells);
    for (int i = 0; i < n; i++) {
        struct distrib_setup s = {.kind = kind, .cells = cells, .nodes = r.nodes, .node = i};
        if (distrib_new(&r.node[i], &s, &why) != OK) {
            printf("%s: %s\n", kind, why);
            abort();
        }
    }
    return r;
}

static void
run_free(struct run *r)
{
    for (int i = 0; i < r->n; i++) distrib_free(r->node[i]);
    free(r->node);
}

static int
owner_of(const struct run *r, uint32_t cell)
{
    for (int i = 0; i < r->n; i++)
        if (distrib_owns(r->node[i], cell)) return i;
    return -1;
}

static void
count_cell(void *who, uint32_t cell)
{
    ((int *)who)[cell]++;
}

/* Each cell is owned by one node, which says so in all ways. */
static int
is_shared_out(const struct run *r)
{
    uint32_t size = lattice_size(&r->cells), sum = 0;
    int *met = calloc(size, sizeof *met), good = 1;
    for (int i = 0; i < r->n; i++) {
        distrib_each(r->node[i], count_cell, met);
        sum += distrib_count(r->node[i]);
    }
    for (uint32_t c = 0; c < size; c++) {
        int owners = 0;
        good &= met[c] == 1;
        for (int i = 0; i < r->n; i++) {
            bool owns = distrib_owns(r->node[i], c);
            owners += owns;
            good &= owns == distrib_founded(r->node[i], c);
            if (!owns) continue;
            struct lattice_point p = lattice_point(&r->cells, c);
            struct lattice_box b = distrib_bounds(r->node[i]);
            for (int d = 0; d < 3; d++) good &= b.lo.at[d] <= p.at[d] && p.at[d] <= b.hi.at[d];
        }
        good &= owners == 1;
    }
    free(met);
    return good && sum == size;
}

/* Hops from `from` to the owner; -1: more than there are nodes. */
static int
walk(const struct run *r, int from, uint32_t cell, bool knowing)
{
    uint32_t at = LATTICE_NONE;
    int to = knowing ? distrib_first(r->node[from], cell, &at)
                     : distrib_onward(r->node[from], cell, &at);
    int hops = 0;
    while (to != from) {
        if (to < 0 || to >= r->n || hops++ > r->n) return -1;
        from = to;
        to = distrib_onward(r->node[from], cell, &at);
    }
    return distrib_owns(r->node[to], cell) ? hops : -1;
}

/* Walks end from every node at every cell, as far as the nodes are apart; knowledge makes it one
 * hop. */
static int
walks_end(const struct run *r)
{
    for (uint32_t c = 0; c < lattice_size(&r->cells); c++) {
        int owner = owner_of(r, c);
        for (int i = 0; i < r->n; i++) {
            int hops = walk(r, i, c, false), distance = distrib_distance(r->node[i], i, owner);
            if (hops < 0 || hops > distance || walk(r, i, c, true) != (i != owner)) {
                printf("from %d to cell %u of %d: %d hops, %d apart\n", i, c, owner, hops,
                       distance);
                return 0;
            }
        }
    }
    return 1;
}

TEST(each_cell_has_one_owner_and_is_found)
{
    struct lattice boxes[] = {lattice(1, 16, 0, 0), lattice(1, 37, 0, 0), lattice(2, 16, 16, 0),
                              lattice(2, 9, 14, 0), lattice(3, 4, 4, 4),  lattice(3, 5, 3, 7)};
    for (const char *const *kind = distrib_kinds(); *kind; kind++)
        for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
            for (int n = 1; n <= 12; n++) {
                struct lattice nodes;
                lattice_factor(&nodes, n, &boxes[i]);
                bool fits = true;
                for (int d = 0; d < 3; d++) fits &= nodes.side[d] <= boxes[i].side[d];
                if (!fits && !strcmp(*kind, "patch")) continue;
                struct run r = run_new(*kind, boxes[i], n);
                CHECK(is_shared_out(&r), "%s, box %zu, %d nodes", *kind, i, n);
                CHECK(walks_end(&r), "%s, box %zu, %d nodes", *kind, i, n);
                run_free(&r);
            }
}

TEST(more_nodes_than_cells)
{
    for (const char *const *kind = distrib_kinds(); *kind; kind++) {
        if (!strcmp(*kind, "patch")) continue;
        struct run r = run_new(*kind, lattice(2, 2, 3, 0), 10);
        CHECK(is_shared_out(&r), "%s", *kind);
        CHECK(walks_end(&r), "%s", *kind);
        run_free(&r);
    }
}

/* The published table: faces to the four neighbours of each cell are the only sends. */
static void
measure_faces(const struct run *r, double *avg_sd, double *sends)
{
    *avg_sd = *sends = 0;
    for (int i = 0; i < r->n; i++) {
        double sum = 0, count = 0;
        for (uint32_t c = 0; c < lattice_size(&r->cells); c++)
            for (int s = 0; distrib_owns(r->node[i], c) && s < 2 * r->cells.ndims; s++) {
                uint32_t beside = lattice_beside(&r->cells, c, s);
                if (beside == LATTICE_NONE || distrib_owns(r->node[i], beside)) continue;
                uint32_t at;
                sum += distrib_distance(r->node[i], i, distrib_first(r->node[i], beside, &at));
                count++;
            }
        *avg_sd += sum / count / r->n;
        *sends += count / r->n;
    }
}

TEST(the_published_distances)
{
    static const double rope[] = {1, 1.5, 1.80, 2.50, 3.24, 4.84, 6.41, 9.66};
    static const double ratio[] = {1, 1, 1, .75, .625, .4375, .34375, .234375};
    double sd, sends;
    for (int k = 0, n = 2; n <= 256; n *= 2, k++) {
        struct run r = run_new("rope", lattice(2, 32, 32, 0), n);
        measure_faces(&r, &sd, &sends);
        CHECK(sd > rope[k] - .005 && sd < rope[k] + .005, "%d nodes: %.3f", n, sd);
        CHECK(sends == ratio[k] * 32, "%d nodes: %.3f", n, sends);
        run_free(&r);
        r = run_new("patch", lattice(2, 32, 32, 0), n);
        measure_faces(&r, &sd, &sends);
        CHECK(sd == 1 && sends == ratio[k] * 32, "%d nodes: %.3f %.3f", n, sd, sends);
        run_free(&r);
    }
}

TEST_MAIN(T(each_cell_has_one_owner_and_is_found), T(more_nodes_than_cells),
          T(the_published_distances))
