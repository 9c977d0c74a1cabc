/* Which cells are chosen for a neighbour. */
#include "runtime/base/mem.h"
#include "tests/distrib/world.h"
#include "tests/lib/check.h"

/* Loads as digits, row by row. */
static double
digit(void *who, uint32_t cell)
{
    return ((const char *)who)[cell] - '0';
}

/* What `from` gives to `to`, as a map with x for a chosen cell, and the order beside it. */
static const char *
chosen(const struct world *w, int from, int to, double want, const char *loads)
{
    static char map[64];
    uint32_t cells[64], n, k = 0;
    if (distrib_choose(w->node[from], to, want, digit, (void *)loads, cells, &n) != OK) return "?";
    for (uint32_t c = 0; c < lattice_size(&w->cells); c++)
        map[k++] = (char)('a' + world_owner(w, c));
    map[k] = 0;
    for (uint32_t i = 0; i < n; i++) map[cells[i]] = (char)('1' + i);
    return map;
}

/* 4 x 6 cells, letters for owners. */
static struct world
drawn(const char *map)
{
    int32_t owner[24];
    for (int i = 0; i < 24; i++) owner[i] = map[i] - 'a';
    return world_new("patch", lattice_of(2, 4, 6, 0), lattice_of(2, 1, 2, 0), owner);
}

static const char ones[] = "111111"
                           "111111"
                           "111111"
                           "111111";

TEST(a_group_grows_along_the_border)
{
    struct world w = drawn("aaabbb"
                           "aaabbb"
                           "aaabbb"
                           "aaabbb");
    CHECK_STR(chosen(&w, 0, 1, 1, ones), "aa1bbb"
                                         "aaabbb"
                                         "aaabbb"
                                         "aaabbb");
    CHECK_STR(chosen(&w, 0, 1, 4, ones), "aa1bbb"
                                         "aa2bbb"
                                         "aa3bbb"
                                         "aa4bbb");
    CHECK_STR(chosen(&w, 0, 1, 6, ones), "651bbb"
                                         "aa2bbb"
                                         "aa3bbb"
                                         "aa4bbb");
    CHECK_STR(chosen(&w, 1, 0, 3, ones), "aaa1bb"
                                         "aaa2bb"
                                         "aaa3bb"
                                         "aaabbb");
    CHECK_STR(chosen(&w, 0, 1, 0, ones), "aaabbb"
                                         "aaabbb"
                                         "aaabbb"
                                         "aaabbb");
    world_free(&w);
}

TEST(one_cell_stays)
{
    struct world w = drawn("aaabbb"
                           "aaabbb"
                           "aaabbb"
                           "aaabbb");
    const char *map = chosen(&w, 0, 1, 100, ones);
    int left = 0;
    for (int i = 0; i < 24; i++) left += map[i] == 'a';
    CHECK(left == 1, "%s", map);
    world_free(&w);
}

TEST(a_tongue_goes_first)
{
    /* The surface falls by two for a cell between three of the other's. */
    struct world w = drawn("aaabbb"
                           "aaaabb"
                           "aaabbb"
                           "aaabbb");
    CHECK_STR(chosen(&w, 0, 1, 1, ones), "aaabbb"
                                         "aaa1bb"
                                         "aaabbb"
                                         "aaabbb");
    world_free(&w);
}

TEST(the_sum_comes_near)
{
    struct world w = drawn("aaabbb"
                           "aaabbb"
                           "aaabbb"
                           "aaabbb");
    /* Too heavy ones are left out, if they would bring the sum farther from what is wanted. */
    CHECK_STR(chosen(&w, 0, 1, 3,
                     "119111"
                     "111111"
                     "112111"
                     "111111"),
              "aaabbb"
              "aaabbb"
              "aa2bbb"
              "aa1bbb");
    CHECK_STR(chosen(&w, 0, 1, 4,
                     "119111"
                     "119111"
                     "119111"
                     "119111"),
              "aaabbb"
              "aaabbb"
              "aaabbb"
              "aaabbb");
    CHECK_STR(chosen(&w, 0, 1, 5,
                     "119111"
                     "119111"
                     "119111"
                     "119111"),
              "aa1bbb"
              "aaabbb"
              "aaabbb"
              "aaabbb");
    /* Without load only what stands before a loaded one. */
    const char *map = chosen(&w, 0, 1, 2,
                             "110111"
                             "100111"
                             "100111"
                             "110111");
    CHECK(map[1] >= '1' && map[1] <= '9', "%s", map);
    CHECK_STR(chosen(&w, 0, 1, 2,
                     "000111"
                     "000111"
                     "000111"
                     "000111"),
              "aaabbb"
              "aaabbb"
              "aaabbb"
              "aaabbb");
    world_free(&w);
}

TEST(a_domain_is_not_cut)
{
    /* The second row holds a's two halves together. */
    struct world w = drawn("abbbbb"
                           "aaabbb"
                           "abbbbb"
                           "abbbbb");
    const char *map = chosen(&w, 0, 1, 4, ones);
    CHECK(map[0] == 'a' || map[0] == '4', "%s", map);
    CHECK_STR(chosen(&w, 0, 1, 2, ones), "abbbbb"
                                         "a21bbb"
                                         "abbbbb"
                                         "abbbbb");
    world_free(&w);
}

TEST(neighbours_stay_in_touch)
{
    /* Four nodes; node a meets c, below it, in the first column only. */
    int32_t owner[16];
    for (int i = 0; i < 16; i++)
        owner[i] = "abbb"
                   "abbb"
                   "cddd"
                   "cddd"[i] -
                   'a';
    struct world w = world_new("patch", lattice_of(2, 4, 4, 0), lattice_of(2, 2, 2, 0), owner);
    CHECK(!distrib_flaw_among(w.node, 4, true));
    CHECK_STR(chosen(&w, 0, 1, 2, ones), "1bbb"
                                         "abbb"
                                         "cddd"
                                         "cddd");
    CHECK_STR(chosen(&w, 1, 2, 2, ones), "abbb"
                                         "abbb"
                                         "cddd"
                                         "cddd");
    world_free(&w);
}

TEST(a_rope_gives_from_its_end)
{
    struct world w = world_new("rope", lattice_of(1, 12, 0, 0), lattice_of(1, 3, 0, 0), NULL);
    CHECK_STR(chosen(&w, 1, 2, 2, "111111111111"), "aaaabb21cccc");
    CHECK_STR(chosen(&w, 1, 0, 2, "111111111111"), "aaaa12bbcccc");
    CHECK_STR(chosen(&w, 1, 0, 99, "111111111111"), "aaaa123bcccc");
    CHECK_STR(chosen(&w, 1, 0, 3, "111190011111"), "aaaabbbbcccc");
    CHECK_STR(chosen(&w, 1, 0, 3, "111100201111"), "aaaa123bcccc");
    CHECK_STR(chosen(&w, 1, 0, 2, "111120001111"), "aaaa1bbbcccc");
    CHECK_STR(chosen(&w, 0, 2, 2, "111111111111"), "aaaabbbbcccc");
    world_free(&w);
}

TEST(the_best_single_cell)
{
    struct world w = drawn("aaabbb"
                           "aaaabb"
                           "aaabbb"
                           "aaabbb");
    struct distrib_wish wish = {digit, (void *)ones, 0, 9, LATTICE_NONE};
    uint32_t cell;
    double rise;
    CHECK(distrib_best(w.node[0], 1, &wish, &cell, &rise) == OK);
    CHECK(cell == 9 && rise == -2, "the tongue: %u, %g", cell, rise);
    CHECK(distrib_best(w.node[1], 0, &wish, &cell, &rise) == OK);
    CHECK(cell == 3 && rise == -1, "above the tongue: %u, %g", cell, rise);
    wish.except = 9;
    CHECK(distrib_best(w.node[0], 1, &wish, &cell, &rise) == OK);
    CHECK((cell == 2 || cell == 20) && rise == 1, "a corner: %u, %g", cell, rise);
    wish.least = 2;
    CHECK(distrib_best(w.node[0], 1, &wish, &cell, &rise) == OK && cell == LATTICE_NONE);
    wish = (struct distrib_wish){digit,
                                 "111111"
                                 "111101"
                                 "111111"
                                 "111111",
                                 0, 9, LATTICE_NONE};
    CHECK(distrib_best(w.node[0], 1, &wish, &cell, &rise) == OK);
    CHECK(cell == 9 && rise == 1 - 2 - .05, "a face of a cell without load: %g", rise);
    mem_fail_after(2);
    enum err e = distrib_best(w.node[0], 1, &wish, &cell, &rise);
    mem_fail_after(-1);
    CHECK(e == E_NOMEM);
    world_free(&w);
}

TEST(formulas_choose_nothing)
{
    struct world w = world_new("block", lattice_of(1, 12, 0, 0), lattice_of(1, 3, 0, 0), NULL);
    CHECK_STR(chosen(&w, 1, 2, 2, "111111111111"), "aaaabbbbcccc");
    world_free(&w);
}

TEST(out_of_memory)
{
    struct world w = drawn("aaabbb"
                           "aaabbb"
                           "aaabbb"
                           "aaabbb");
    uint32_t cells[24], n = 1;
    enum err e = E_NOMEM;
    for (long k = 0; e == E_NOMEM; k++) {
        mem_fail_after(k);
        e = distrib_choose(w.node[0], 1, 2, digit, (void *)ones, cells, &n);
        mem_fail_after(-1);
        CHECK(k < 20 && n == (e == OK ? 2 : 0));
    }
    world_free(&w);
}

TEST_MAIN(T(a_group_grows_along_the_border), T(one_cell_stays), T(a_tongue_goes_first),
          T(the_sum_comes_near), T(a_domain_is_not_cut), T(neighbours_stay_in_touch),
          T(a_rope_gives_from_its_end), T(the_best_single_cell), T(formulas_choose_nothing),
          T(out_of_memory))
