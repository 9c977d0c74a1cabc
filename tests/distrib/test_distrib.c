/* All distributors at the start: each cell has one owner, walks end there, what is published about
 * the distances comes out, and impossible wishes are refused. */
#include "distrib/distrib.h"
#include "runtime/base/mem.h"
#include "tests/distrib/world.h"
#include "tests/lib/check.h"

static struct world
even_world(const char *kind, struct lattice cells, int n)
{
    struct lattice nodes;
    lattice_factor(&nodes, n, &cells);
    return world_new(kind, cells, nodes, NULL);
}

static void
count_cell(void *who, uint32_t cell)
{
    ((int *)who)[cell]++;
}

/* Each cell is owned by one node, which says so in all ways. */
static int
is_shared_out(const struct world *w)
{
    uint32_t size = lattice_size(&w->cells), sum = 0;
    int *met = calloc(size, sizeof *met), good = 1;
    for (int i = 0; i < w->n; i++) {
        distrib_each(w->node[i], count_cell, met);
        sum += distrib_count(w->node[i]);
    }
    for (uint32_t c = 0; c < size; c++) {
        int owners = 0;
        good &= met[c] == 1;
        for (int i = 0; i < w->n; i++) {
            bool owns = distrib_owns(w->node[i], c);
            owners += owns;
            good &= owns == distrib_founded(w->node[i], c);
            if (!owns) continue;
            struct lattice_point p = lattice_point(&w->cells, c);
            struct lattice_box b = distrib_bounds(w->node[i]);
            for (int d = 0; d < 3; d++) good &= b.lo.at[d] <= p.at[d] && p.at[d] <= b.hi.at[d];
        }
        good &= owners == 1;
    }
    free(met);
    return good && sum == size;
}

/* Walks end from every node at every cell, as far as the nodes are apart; knowledge makes it one
 * hop. */
static int
walks_end(const struct world *w)
{
    for (uint32_t c = 0; c < lattice_size(&w->cells); c++) {
        int owner = world_owner(w, c);
        for (int i = 0; i < w->n; i++) {
            int hops = world_walk(w, i, c, false),
                distance = distrib_distance(w->node[i], i, owner);
            if (hops < 0 || hops > distance || world_walk(w, i, c, true) != (i != owner)) {
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
    struct lattice boxes[] = {lattice_of(1, 16, 0, 0),  lattice_of(1, 37, 0, 0),
                              lattice_of(2, 16, 16, 0), lattice_of(2, 9, 14, 0),
                              lattice_of(3, 4, 4, 4),   lattice_of(3, 5, 3, 7)};
    for (const char *const *kind = distrib_kinds(); *kind; kind++)
        for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
            for (int n = 1; n <= 12; n++) {
                struct lattice nodes;
                lattice_factor(&nodes, n, &boxes[i]);
                bool fits = true;
                for (int d = 0; d < 3; d++) fits &= nodes.side[d] <= boxes[i].side[d];
                if (!fits && !strcmp(*kind, "patch")) continue;
                struct world w = even_world(*kind, boxes[i], n);
                CHECK(is_shared_out(&w), "%s, box %zu, %d nodes", *kind, i, n);
                CHECK(walks_end(&w), "%s, box %zu, %d nodes", *kind, i, n);
                world_free(&w);
            }
}

TEST(more_nodes_than_cells)
{
    for (const char *const *kind = distrib_kinds(); *kind; kind++) {
        if (!strcmp(*kind, "patch")) continue;
        struct world w = even_world(*kind, lattice_of(2, 2, 3, 0), 10);
        CHECK(is_shared_out(&w), "%s", *kind);
        CHECK(walks_end(&w), "%s", *kind);
        world_free(&w);
    }
}

/* The published table: faces to the four neighbours of each cell are the only sends. */
static void
measure_faces(const struct world *w, double *avg_sd, double *sends)
{
    *avg_sd = *sends = 0;
    for (int i = 0; i < w->n; i++) {
        double sum = 0, count = 0;
        for (uint32_t c = 0; c < lattice_size(&w->cells); c++)
            for (int s = 0; distrib_owns(w->node[i], c) && s < 2 * w->cells.ndims; s++) {
                uint32_t beside = lattice_beside(&w->cells, c, s);
                if (beside == LATTICE_NONE || distrib_owns(w->node[i], beside)) continue;
                uint32_t at;
                sum += distrib_distance(w->node[i], i, distrib_first(w->node[i], beside, &at));
                count++;
            }
        *avg_sd += sum / count / w->n;
        *sends += count / w->n;
    }
}

TEST(the_published_distances)
{
    static const double rope[] = {1, 1.5, 1.80, 2.50, 3.24, 4.84, 6.41, 9.66};
    static const double ratio[] = {1, 1, 1, .75, .625, .4375, .34375, .234375};
    double sd, sends;
    for (int k = 0, n = 2; n <= 256; n *= 2, k++) {
        struct world w = even_world("rope", lattice_of(2, 32, 32, 0), n);
        measure_faces(&w, &sd, &sends);
        CHECK(sd > rope[k] - .005 && sd < rope[k] + .005, "%d nodes: %.3f", n, sd);
        CHECK(sends == ratio[k] * 32, "%d nodes: %.3f", n, sends);
        world_free(&w);
        w = even_world("patch", lattice_of(2, 32, 32, 0), n);
        measure_faces(&w, &sd, &sends);
        CHECK(sd == 1 && sends == ratio[k] * 32, "%d nodes: %.3f %.3f", n, sd, sends);
        world_free(&w);
    }
}

/* ---- starts by the caller's word ---- */

static int
letter_owner(void *who, uint32_t cell)
{
    return ((const char *)who)[cell] - 'a';
}

/* A map of owners as letters, row by row: accepted by all of n nodes, or refused by all. */
static const char *
start_of(const char *kind, struct lattice cells, int n, const char *map)
{
    struct lattice nodes = lattice_of(1, n, 0, 0);
    const char *first = "";
    for (int i = 0; i < n; i++) {
        const char *why = "accepted";
        struct distrib_setup s = {.kind = distrib_kind(kind),
                                  .cells = cells,
                                  .nodes = nodes,
                                  .node = i,
                                  .owner = letter_owner,
                                  .who = (void *)map};
        struct distrib *d = NULL;
        enum err e = distrib_new(&d, &s, &why);
        if (e != OK && (e != E_USER || d)) return "another error";
        for (uint32_t c = 0; e == OK && c < lattice_size(&cells); c++)
            if (distrib_founded(d, c) != (map[c] == 'a' + i)) why = "other cells";
        distrib_free(d);
        if (i && first != why) return "nodes do not agree";
        first = why;
    }
    return first;
}

TEST(starts_are_checked)
{
    struct lattice l = lattice_of(2, 3, 4, 0);
    CHECK_STR(start_of("patch", l, 3,
                       "aabb"
                       "acbb"
                       "accc"),
              "accepted");
    CHECK_STR(start_of("patch", l, 2,
                       "aaaa"
                       "abba"
                       "aaaa"),
              "accepted");
    CHECK_STR(start_of("patch", l, 2,
                       "aaaa"
                       "bbbb"
                       "aaaa"),
              "the cells of a node do not hang together");
    CHECK_STR(start_of("patch", l, 2,
                       "aaba"
                       "aaab"
                       "aaaa"),
              "the cells of a node do not hang together");
    CHECK_STR(start_of("patch", l, 3,
                       "aaaa"
                       "cccc"
                       "cccc"),
              "a node has no cell");
    CHECK_STR(start_of("patch", l, 3,
                       "aaaa"
                       "bbbb"
                       "cccd"),
              "a cell is given to a node that does not exist");
    CHECK_STR(start_of("cyclic", l, 2,
                       "aaaa"
                       "bbbb"
                       "bbbb"),
              "this distributor follows a formula: its cells cannot be placed by a file");
    struct lattice line = lattice_of(1, 6, 0, 0);
    CHECK_STR(start_of("rope", line, 3, "abbbbc"), "accepted");
    CHECK_STR(start_of("rope", line, 3, "aaaccc"), "accepted");
    CHECK_STR(start_of("rope", line, 3, "cccccc"), "accepted");
    CHECK_STR(start_of("rope", line, 3, "abacbc"),
              "along the curve of a rope, cells must be given to nodes in ascending order");
    CHECK_STR(start_of("rope", line, 3, "abbbbd"), "a cell is given to a node that does not exist");
}

TEST(blocks_go_round)
{
    struct lattice cells = lattice_of(2, 5, 7, 0), nodes = lattice_of(2, 2, 3, 0);
    for (int node = 0; node < 6; node++) {
        struct distrib_setup s = {.kind = distrib_kind("block-cyclic"), .cells = cells,
                                  .nodes = nodes, .node = node, .block = {2, 1}};
        struct distrib *d;
        const char *why;
        CHECK(distrib_new(&d, &s, &why) == OK);
        for (int i = 0; i < 5; i++)
            for (int k = 0; k < 7; k++) {
                uint32_t cell = lattice_number(&cells, (int32_t[]){i, k});
                int owner = i / 2 % 2 * 3 + k % 3;
                CHECK(distrib_owns(d, cell) == (owner == node), "%d, %d on %d", i, k, node);
            }
        distrib_free(d);
    }
}

TEST(given_starts_are_walked)
{
    int32_t rope[] = {0, 0, 0, 2, 2, 4, 4, 4};
    struct world w = world_new("rope", lattice_of(1, 8, 0, 0), lattice_of(1, 6, 0, 0), rope);
    CHECK(is_shared_out(&w) && !distrib_flaw_among(w.node, w.n, true));
    for (uint32_t c = 0; c < 8; c++)
        for (int i = 0; i < 6; i++)
            CHECK(world_walk(&w, i, c, true) == abs(rope[c] - i), "cell %u from %d", c, i);
    distrib_learn(w.node[0], 7, 4, 0);
    CHECK(world_walk(&w, 0, 7, true) == 1, "learnt");
    world_free(&w);
}

TEST(what_cannot_be_is_refused)
{
    struct distrib *d;
    const char *why = NULL;
    struct distrib_setup s = {
        .kind = distrib_kind("patch"),
        .cells = lattice_of(2, 4, 4, 0),
        .nodes = lattice_of(2, 5, 2, 0)};
    CHECK(distrib_new(&d, &s, &why) == E_USER);
    CHECK_STR(why, "a patch needs at least as many cells as nodes in each dimension");
    s.nodes = lattice_of(3, 2, 2, 2);
    CHECK(distrib_new(&d, &s, &why) == E_USER, "more dimensions");
}

/* What a kind says of itself is true of its cells. */
TEST(kinds_tell_what_they_are)
{
    CHECK(!distrib_kind("pitch"));
    for (const char *const *name = distrib_kinds(); *name; name++) {
        const struct distrib_kind *kind = distrib_kind(*name);
        struct world w = world_new(*name, lattice_of(2, 8, 8, 0), lattice_of(2, 3, 2, 0), NULL);
        struct lattice line = distrib_line(w.node[5]);
        CHECK_STR(distrib_kind_name(kind), *name);
        CHECK(distrib_kind_moves(kind) == distrib_moves(w.node[5]), "%s", *name);
        CHECK(lattice_size(&line) == 6, "%s", *name);
        CHECK(line.ndims == (distrib_kind_on_lattice(kind) ? 2 : 1), "%s", *name);
        for (int a = 0; a < 6; a++)
            for (int side = 0; side < 2 * line.ndims; side++) {
                uint32_t b = lattice_beside(&line, (uint32_t)a, side);
                if (b == LATTICE_NONE) continue;
                CHECK(distrib_distance(w.node[0], a, (int)b) == 1, "%s", *name);
            }
        CHECK(distrib_slides(w.node[5]) == !strcmp(*name, "rope"), "%s", *name);
        world_free(&w);
    }
}

/* A node that is in no lattice has no cells, its messages arrive, and it knows who had a cell. */
TEST(nodes_without_cells)
{
    for (const char *const *kind = distrib_kinds(); *kind; kind++) {
        struct world w = even_world(*kind, lattice_of(2, 4, 6, 0), 6);
        struct distrib *d;
        const char *why;
        struct distrib_setup s = {
            .kind = distrib_kind(*kind), .cells = w.cells, .nodes = w.nodes, .node = 8};
        CHECK(distrib_new(&d, &s, &why) == OK, "%s", *kind);
        CHECK(!distrib_count(d) && distrib_bounds(d).hi.at[0] < distrib_bounds(d).lo.at[0],
              "%s: %u", *kind, distrib_count(d));
        CHECK(!distrib_flaw(d, true), "%s: %s", *kind, distrib_flaw(d, true));
        for (uint32_t c = 0; c < 24; c++) {
            uint32_t at;
            int to = distrib_first(d, c, &at);
            CHECK(to == world_owner(&w, c) && !distrib_owns(d, c) && !distrib_founded(d, c));
            CHECK(distrib_founder(d, c) == to && distrib_founded(w.node[to], c), "%s", *kind);
            CHECK(distrib_founder(w.node[c % 6], c) == to, "%s", *kind);
        }
        int met[24] = {0};
        distrib_each(d, count_cell, met);
        for (int c = 0; c < 24; c++) CHECK(!met[c], "%s: %d", *kind, c);
        distrib_free(d);
        world_free(&w);
    }
}

TEST(out_of_memory)
{
    char map[] = "aaab"
                 "aabb"
                 "abbb"
                 "abbb";
    for (const char *const *kind = distrib_kinds(); *kind; kind++)
        for (int given = 0; given < 2; given++) {
            struct distrib *d = NULL;
            const char *why = "";
            struct distrib_setup s = {
                .kind = distrib_kind(*kind),
                .cells = lattice_of(2, 4, 4, 0),
                .nodes = lattice_of(2, 2, 1, 0)};
            if (given) {
                s.owner = letter_owner;
                s.who = map;
            }
            enum err e = E_NOMEM;
            for (long n = 0; e == E_NOMEM; n++) {
                mem_fail_after(n);
                e = distrib_new(&d, &s, &why);
                mem_fail_after(-1);
                CHECK((e == OK) == (d != NULL) && n < 100, "%s", *kind);
            }
            CHECK(e == OK || e == E_USER, "%s: %s", *kind, err_text(e));
            distrib_free(d);
        }
}

/* What a node keeps does not grow with the number of nodes, nor do its hops. */
TEST(nothing_grows_with_the_number_of_nodes)
{
    static const int counts[] = {64, 1024, 65536};
    for (const char *const *kind = distrib_kinds(); *kind; kind++) {
        uint64_t bytes[3];
        for (int i = 0; i < 3; i++) {
            /* Sixteen cells for each node; a node in the middle of the lattice. */
            int32_t side = i == 0 ? 32 : i == 1 ? 128 : 1024;
            struct lattice cells = lattice_of(2, side, side, 0), nodes;
            lattice_factor(&nodes, counts[i], &cells);
            struct distrib *d;
            const char *why;
            struct distrib_setup s = {
                .kind = distrib_kind(*kind), .cells = cells, .nodes = nodes};
            s.node = counts[i] / 2 + nodes.side[1] / 2;
            CHECK(distrib_new(&d, &s, &why) == OK, "%s", *kind);
            CHECK(distrib_count(d) == 16, "%s: %u", *kind, distrib_count(d));
            /* Questions for all sorts of cells go straight to their owners. */
            for (uint32_t c = 0; c < 100000; c++) {
                uint32_t at;
                int to = distrib_first(d, c * 2654435761u % lattice_size(&cells), &at);
                CHECK(to >= 0 && to < counts[i]);
                distrib_learn(d, c * 2654435761u % lattice_size(&cells), to, 0);
            }
            bytes[i] = distrib_bytes(d);
            distrib_free(d);
        }
        CHECK(bytes[0] == bytes[1] && bytes[1] == bytes[2], "%s: %d %d %d", *kind, (int)bytes[0],
              (int)bytes[1], (int)bytes[2]);
        CHECK(bytes[0] < 2048, "%s: %d bytes for 16 cells", *kind, (int)bytes[0]);
    }
}

TEST_MAIN(T(each_cell_has_one_owner_and_is_found), T(more_nodes_than_cells),
          T(the_published_distances), T(starts_are_checked), T(given_starts_are_walked),
          T(blocks_go_round),
          T(what_cannot_be_is_refused), T(kinds_tell_what_they_are), T(nodes_without_cells),
          T(out_of_memory), T(nothing_grows_with_the_number_of_nodes))
