/* Domains that are not as they must be: pieces find a home, single cells may go or not. */
#include "runtime/base/mem.h"
#include "tests/distrib/world.h"
#include "tests/lib/check.h"

/* 4 x 6 cells, letters for owners; made by giving, since a start in pieces is refused. */
static struct world
drawn(const char *map, int n)
{
    struct world w = world_new("patch", lattice_of(2, 4, 6, 0), lattice_of(2, 1, n, 0), NULL);
    struct buf parcel = {0};
    for (uint32_t c = 0; c < 24; c++) {
        int from = world_owner(&w, c), to = map[c] - 'a';
        if (from == to) continue;
        if (distrib_give(w.node[from], to, &c, 1, &parcel) != OK) abort();
        world_take(&w, to, from, &parcel);
    }
    buf_fini(&parcel);
    return w;
}

static void
mark(void *who, uint32_t cell, int to)
{
    ((char *)who)[cell] = (char)('A' + to);
}

/* The map, with capitals for cells that should go there. */
static const char *
strays(const struct world *w, int node)
{
    static char map[25];
    for (uint32_t c = 0; c < 24; c++) map[c] = (char)('a' + world_owner(w, c));
    if (distrib_strays(w->node[node], mark, map) != OK) return "no memory";
    return map;
}

TEST(pieces_go_where_they_touch_most)
{
    struct world w = drawn("aabbcc"
                           "abbacc"
                           "aabbcc"
                           "accbba",
                           3);
    CHECK_STR(strays(&w, 0), "aabbcc"
                             "abbBcc"
                             "aabbcc"
                             "accbbB");
    CHECK_STR(strays(&w, 1), "aabbcc"
                             "abbacc"
                             "aabbcc"
                             "accbba");
    CHECK_STR(strays(&w, 2), "aabbcc"
                             "abbacc"
                             "aabbcc"
                             "aAAbba");
    world_free(&w);
    w = drawn("abacba"
              "bbbccc"
              "aaaccc"
              "aaaccc",
              3);
    CHECK_STR(strays(&w, 0), "BbBcbB"
                             "bbbccc"
                             "aaaccc"
                             "aaaccc");
    world_free(&w);
}

TEST(cells_that_may_go)
{
    struct world w = drawn("aabbbb"
                           "aabbbb"
                           "aaabbb"
                           "abbbbb",
                           2);
    CHECK(!distrib_flaw_among(w.node, 2, true));
    CHECK(distrib_may_give(w.node[0], 14, 1), "the end of a tongue");
    CHECK(distrib_may_give(w.node[0], 1, 1) && distrib_may_give(w.node[0], 18, 1));
    CHECK(!distrib_may_give(w.node[0], 0, 1), "it does not touch the other domain");
    CHECK(!distrib_may_give(w.node[0], 13, 1), "it would go before one that stays");
    CHECK(!distrib_may_give(w.node[0], 2, 1), "not ours");
    CHECK(distrib_may_give(w.node[1], 19, 0) && !distrib_may_give(w.node[1], 20, 0));
    mem_fail_after(0);
    bool may = distrib_may_give(w.node[0], 14, 1);
    mem_fail_after(-1);
    CHECK(!may, "without memory");
    world_free(&w);
    w = world_new("rope", lattice_of(1, 6, 0, 0), lattice_of(1, 2, 0, 0), NULL);
    CHECK(!distrib_may_give(w.node[0], 2, 1) && distrib_strays(w.node[0], mark, NULL) == OK);
    world_free(&w);
}

TEST(out_of_memory)
{
    struct world w = drawn("aabbcc"
                           "abbacc"
                           "aabbcc"
                           "accbba",
                           3);
    char map[25] = "";
    enum err e = E_NOMEM;
    for (long k = 0; e == E_NOMEM; k++) {
        mem_fail_after(k);
        e = distrib_strays(w.node[0], mark, map);
        mem_fail_after(-1);
        CHECK(k < 10 && (e == OK) == (map[9] == 'B'));
    }
    world_free(&w);
}

TEST_MAIN(T(pieces_go_where_they_touch_most), T(cells_that_may_go), T(out_of_memory))
