/* The Hilbert order: a bijection of any box, without jumps where no cube is cut, and else the order
 * of the whole cube with the missing points left out. */
#include "distrib/hilbert.h"
#include "tests/lib/check.h"

static struct lattice
lattice(int ndims, int32_t a, int32_t b, int32_t c)
{
    struct lattice l;
    if (!lattice_init(&l, ndims, (int32_t[]){a, b, c})) abort();
    return l;
}

/* Whether rank and point are inverse and meet each cell once; counts the jumps. */
static int
is_bijection(const struct lattice *l, int *jumps)
{
    struct hilbert h;
    hilbert_init(&h, l);
    uint32_t n = lattice_size(l);
    unsigned char *seen = calloc(n, 1);
    int good = 1;
    struct lattice_point last = {{0}};
    *jumps = 0;
    for (uint32_t r = 0; r < n; r++) {
        struct lattice_point p = hilbert_point(&h, r);
        uint32_t cell = lattice_number(l, p.at);
        if (cell == LATTICE_NONE || seen[cell]++ || hilbert_rank(&h, p) != r) good = 0;
        if (cell == LATTICE_NONE) break;
        *jumps += r && lattice_apart(p, last) != 1;
        last = p;
    }
    free(seen);
    return good;
}

TEST(any_box_is_numbered)
{
    int jumps;
    for (int32_t a = 1; a <= 40; a++) {
        struct lattice line = lattice(1, a, 0, 0);
        CHECK(is_bijection(&line, &jumps) && !jumps, "%d", a);
        for (int32_t b = 1; b <= 40; b++) {
            struct lattice l = lattice(2, a, b, 0);
            CHECK(is_bijection(&l, &jumps), "%dx%d", a, b);
        }
    }
    for (int32_t a = 1; a <= 9; a++)
        for (int32_t b = 1; b <= 9; b++)
            for (int32_t c = 1; c <= 9; c++) {
                struct lattice l = lattice(3, a, b, c);
                CHECK(is_bijection(&l, &jumps), "%dx%dx%d", a, b, c);
            }
}

TEST(whole_cubes_have_no_jumps)
{
    int jumps;
    for (int32_t s = 1; s <= 64; s *= 2)
        for (int32_t k = 1; k <= 3; k++) {
            struct lattice wide = lattice(2, s, s * k, 0), high = lattice(2, s * k, s, 0);
            CHECK(is_bijection(&wide, &jumps) && !jumps, "%dx%d: %d jumps", s, s * k, jumps);
            CHECK(is_bijection(&high, &jumps) && !jumps, "%dx%d: %d jumps", s * k, s, jumps);
        }
    for (int32_t s = 1; s <= 16; s *= 2)
        for (int k = 0; k < 3; k++) {
            int32_t side[3] = {s, s, s};
            side[k] *= 3;
            struct lattice l = lattice(3, side[0], side[1], side[2]);
            CHECK(is_bijection(&l, &jumps) && !jumps, "%d, dimension %d: %d jumps", s, k, jumps);
        }
}

/* A box inside a cube, both numbered with the same dimension as the longest. */
static int
order_is_kept(const struct lattice *box, const struct lattice *cube)
{
    struct hilbert part, whole;
    hilbert_init(&part, box);
    hilbert_init(&whole, cube);
    for (int d = 0; d < box->ndims; d++) whole.dim[d] = part.dim[d];
    uint32_t next = 0;
    for (uint32_t r = 0; r < lattice_size(cube); r++) {
        struct lattice_point p = hilbert_point(&whole, r);
        if (lattice_number(box, p.at) == LATTICE_NONE) continue;
        if (hilbert_rank(&part, p) != next++) return 0;
    }
    return next == lattice_size(box);
}

TEST(missing_points_do_not_change_the_order)
{
    struct lattice square = lattice(2, 16, 16, 0), cube = lattice(3, 8, 8, 8);
    for (int32_t a = 9; a <= 16; a++)
        for (int32_t b = 9; b <= 16; b++) {
            struct lattice l = lattice(2, a, b, 0);
            CHECK(order_is_kept(&l, &square), "%dx%d", a, b);
        }
    for (int32_t a = 1; a <= 8; a++)
        for (int32_t b = 5; b <= 8; b++)
            for (int32_t c = 5; c <= 8; c++) {
                struct lattice l = lattice(3, a, b, c);
                CHECK(order_is_kept(&l, &cube), "%dx%dx%d", a, b, c);
            }
}

/* Large boxes, where no table would fit: ranks of random places and back. */
TEST(large_boxes)
{
    struct lattice boxes[] = {lattice(1, (int32_t)LATTICE_POINTS_MAX, 0, 0),
                              lattice(2, 8192, 8192, 0), lattice(2, 3, 22369621, 0),
                              lattice(3, 406, 406, 406), lattice(3, 1, 65536, 1023)};
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        struct hilbert h;
        hilbert_init(&h, &boxes[i]);
        uint32_t n = lattice_size(&boxes[i]), r = 0;
        for (int k = 0; k < 2000; k++, r = (uint32_t)((r * 2654435761ull + 12345) % n)) {
            struct lattice_point p = hilbert_point(&h, r);
            CHECK(lattice_number(&boxes[i], p.at) != LATTICE_NONE, "box %zu, %u", i, r);
            CHECK(hilbert_rank(&h, p) == r, "box %zu, %u", i, r);
        }
        CHECK(hilbert_rank(&h, hilbert_point(&h, n - 1)) == n - 1, "the last of box %zu", i);
    }
}

TEST_MAIN(T(any_box_is_numbered), T(whole_cubes_have_no_jumps),
          T(missing_points_do_not_change_the_order), T(large_boxes))
