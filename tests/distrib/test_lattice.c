/* Numbers and points of a lattice, and lattices of nodes for one of cells. */
#include "distrib/lattice.h"
#include "tests/lib/check.h"

static struct lattice
lattice(int ndims, int32_t a, int32_t b, int32_t c)
{
    struct lattice l;
    if (!lattice_init(&l, ndims, (int32_t[]){a, b, c})) abort();
    return l;
}

TEST(sides_are_checked)
{
    struct lattice l;
    CHECK(!lattice_init(&l, 0, (int32_t[]){1}));
    CHECK(!lattice_init(&l, 4, (int32_t[]){1, 1, 1, 1}));
    CHECK(!lattice_init(&l, 2, (int32_t[]){3, 0}));
    CHECK(!lattice_init(&l, 1, (int32_t[]){-1}));
    CHECK(lattice_init(&l, 2, (int32_t[]){1 << 16, 1 << 10}), "2^26 points");
    CHECK(!lattice_init(&l, 1, (int32_t[]){(1 << 26) + 1}), "a point more");
    CHECK(!lattice_init(&l, 3, (int32_t[]){1 << 30, 1 << 30, 1 << 30}), "2^90 points");
    CHECK(lattice_init(&l, 1, (int32_t[]){1 << 26}) && lattice_size(&l) == 1 << 26);
}

TEST(numbers_and_points_are_inverse)
{
    struct lattice l = lattice(3, 4, 3, 5);
    CHECK(lattice_size(&l) == 60);
    for (uint32_t n = 0; n < 60; n++) {
        struct lattice_point p = lattice_point(&l, n);
        CHECK(lattice_number(&l, p.at) == n, "%u", n);
    }
    CHECK(lattice_number(&l, (int32_t[]){1, 0, 0}) == 15, "the last index runs fastest");
    CHECK(lattice_number(&l, (int32_t[]){0, 3, 0}) == LATTICE_NONE);
    CHECK(lattice_number(&l, (int32_t[]){0, 0, -1}) == LATTICE_NONE);
    struct lattice line = lattice(1, 7, 0, 0);
    CHECK(lattice_number(&line, (int32_t[]){6}) == 6);
    CHECK(lattice_point(&line, 6).at[1] == 0);
}

TEST(what_lies_beside)
{
    struct lattice l = lattice(2, 3, 4, 0);
    uint32_t c = lattice_number(&l, (int32_t[]){1, 2});
    CHECK(lattice_beside(&l, c, 0) == lattice_number(&l, (int32_t[]){0, 2}));
    CHECK(lattice_beside(&l, c, 1) == lattice_number(&l, (int32_t[]){2, 2}));
    CHECK(lattice_beside(&l, c, 2) == lattice_number(&l, (int32_t[]){1, 1}));
    CHECK(lattice_beside(&l, c, 3) == lattice_number(&l, (int32_t[]){1, 3}));
    CHECK(lattice_beside(&l, 0, 0) == LATTICE_NONE && lattice_beside(&l, 0, 2) == LATTICE_NONE);
    CHECK(lattice_beside(&l, 11, 1) == LATTICE_NONE && lattice_beside(&l, 11, 3) == LATTICE_NONE);
    CHECK(lattice_distance(&l, 0, 11) == 5);
}

/* Steps to point 0 by parents, each to a point beside; -1: not so. */
static int
depth_of(const struct lattice *l, uint32_t n)
{
    int depth = 0;
    for (uint32_t up; n; n = up, depth++) {
        up = lattice_parent(l, n);
        if (up == LATTICE_NONE || lattice_distance(l, n, up) != 1) return -1;
        if (depth > 1000) return -1;
    }
    return depth;
}

static uint32_t
counted_below(const struct lattice *l, uint32_t n)
{
    uint32_t sum = 1;
    for (int side = 0; side < 2 * l->ndims; side++) {
        uint32_t b = lattice_beside(l, n, side);
        if (b != LATTICE_NONE && lattice_parent(l, b) == n) sum += counted_below(l, b);
    }
    return sum;
}

TEST(a_tree_of_steps_to_the_point_beside)
{
    struct lattice all[] = {lattice(1, 9, 0, 0), lattice(2, 4, 7, 0), lattice(2, 1, 5, 0),
                            lattice(3, 3, 4, 5), lattice(3, 1, 1, 6), lattice(2, 1, 1, 0)};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        const struct lattice *l = &all[k];
        CHECK(lattice_parent(l, 0) == LATTICE_NONE && lattice_below(l, 0) == lattice_size(l));
        for (uint32_t n = 0; n < lattice_size(l); n++) {
            CHECK(depth_of(l, n) == lattice_distance(l, n, 0), "%zu: %u", k, n);
            CHECK(lattice_below(l, n) == counted_below(l, n), "%zu: %u", k, n);
        }
    }
    CHECK(lattice_parent(&all[3], 37) == 17, "along dimension 0 first: 1,3,2 to 0,3,2");
    CHECK(lattice_parent(&all[3], 17) == 12, "then along dimension 1: 0,3,2 to 0,2,2");
}

TEST(boxes_grow_around_points)
{
    struct lattice_box b = LATTICE_BOX_EMPTY;
    CHECK(b.hi.at[0] < b.lo.at[0], "empty");
    lattice_around(&b, (struct lattice_point){{4, 2, 0}});
    CHECK(b.lo.at[0] == 4 && b.hi.at[0] == 4 && b.lo.at[1] == 2 && b.hi.at[1] == 2);
    lattice_around(&b, (struct lattice_point){{3, 7, 0}});
    CHECK(b.lo.at[0] == 3 && b.hi.at[0] == 4 && b.lo.at[1] == 2 && b.hi.at[1] == 7);
}

static int
sides_are(int n, struct lattice cells, int32_t a, int32_t b, int32_t c)
{
    struct lattice l;
    lattice_factor(&l, n, &cells);
    if (l.ndims == cells.ndims && l.side[0] == a && l.side[1] == b && l.side[2] == c) return 1;
    printf("%d nodes: %dx%dx%d\n", n, l.side[0], l.side[1], l.side[2]);
    return 0;
}

TEST(factors_are_even_where_cells_are)
{
    struct lattice square = lattice(2, 32, 32, 0), cube = lattice(3, 16, 16, 16);
    for (int k = 0, n = 1; n <= 256; n *= 2, k++)
        CHECK(sides_are(n, square, 1 << (k + 1) / 2, 1 << k / 2, 1), "%d", n);
    CHECK(sides_are(7, square, 7, 1, 1));
    CHECK(sides_are(12, square, 4, 3, 1));
    CHECK(sides_are(8, cube, 2, 2, 2));
    CHECK(sides_are(12, cube, 3, 2, 2));
    CHECK(sides_are(5, lattice(1, 9, 0, 0), 5, 1, 1));
}

TEST(factors_follow_the_longer_sides)
{
    CHECK(sides_are(8, lattice(2, 64, 32, 0), 4, 2, 1));
    CHECK(sides_are(8, lattice(2, 32, 64, 0), 2, 4, 1));
    CHECK(sides_are(4, lattice(2, 1000, 4, 0), 4, 1, 1), "fewest faces");
    CHECK(sides_are(7, lattice(2, 4, 16, 0), 1, 7, 1), "7 rows of 4 do not exist");
    CHECK(sides_are(6, lattice(3, 2, 1, 99), 1, 1, 6));
    CHECK(sides_are(1, lattice(3, 2, 1, 99), 1, 1, 1));
    CHECK(sides_are(35, lattice(2, 5, 5, 0), 7, 5, 1), "does not fit: one dimension too long");
}

TEST_MAIN(T(sides_are_checked), T(numbers_and_points_are_inverse), T(what_lies_beside),
          T(a_tree_of_steps_to_the_point_beside), T(boxes_grow_around_points),
          T(factors_are_even_where_cells_are), T(factors_follow_the_longer_sides))
