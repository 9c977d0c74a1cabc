/* The distributor of docs/distributors.md, as if it were listed. */
#include "distrib/kind.h"
#include "tests/lib/check.h"

extern const struct distrib_kind distrib_diagonal;

static void
count_cell(void *who, uint32_t cell)
{
    ((int *)who)[cell]++;
}

TEST(the_example_works)
{
    struct lattice cells, nodes;
    CHECK(lattice_init(&cells, 3, (int32_t[]){5, 6, 7}));
    for (int n = 1; n <= 20; n++) {
        int met[210] = {0}, box[210] = {0};
        lattice_factor(&nodes, n, &cells);
        for (int i = 0; i < n; i++) {
            struct distrib *d;
            const char *why;
            struct distrib_setup s = {
                .kind = &distrib_diagonal, .cells = cells, .nodes = nodes, .node = i};
            CHECK(distrib_new(&d, &s, &why) == OK);
            distrib_each(d, count_cell, met);
            for (uint32_t c = 0; c < 210; c++) {
                uint32_t at;
                struct lattice_point p = lattice_point(&cells, c);
                int owner = (p.at[0] + p.at[1] + p.at[2]) % n;
                CHECK(distrib_owns(d, c) == (owner == i) && distrib_founded(d, c) == (owner == i));
                CHECK(distrib_first(d, c, &at) == owner && distrib_onward(d, c, &at) == owner);
                box[c] += p.at[2] >= distrib_bounds(d).lo.at[2] && owner == i;
            }
            CHECK(distrib_distance(d, 0, n - 1) == n - 1 && !distrib_moves(d));
            distrib_free(d);
        }
        for (int c = 0; c < 210; c++) CHECK(met[c] == 1 && box[c] == 1, "%d nodes, cell %d", n, c);
    }
}

TEST_MAIN(T(the_example_works))
