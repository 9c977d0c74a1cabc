/* Each thing that may be wrong with domains is seen. */
#include "tests/distrib/world.h"
#include "tests/lib/check.h"

/* A start of 4 x 4 cells on 2 x 2 nodes, letters for owners. */
static struct world
drawn(const char *map)
{
    int32_t owner[16];
    for (int i = 0; i < 16; i++) owner[i] = map[i] - 'a';
    return world_new("patch", lattice_of(2, 4, 4, 0), lattice_of(2, 2, 2, 0), owner);
}

static void
ignore(void *who, int node, const void *news, size_t size)
{
    (void)who;
    (void)node;
    (void)news;
    (void)size;
}

/* Without news, unless `told`. */
static void
carry(struct world *w, int from, int to, uint32_t cell, bool told)
{
    struct buf parcel = {0};
    if (distrib_give(w->node[from], to, &cell, 1, &parcel) != OK) abort();
    if (told)
        world_take(w, to, from, &parcel);
    else if (distrib_take(w->node[to], from, parcel.data, parcel.size, ignore, NULL))
        abort();
    buf_fini(&parcel);
}

static const char *
flaw(const struct world *w, bool shape)
{
    const char *text = distrib_flaw_among(w->node, w->n, shape);
    return text ? text : "none";
}

TEST(shapes)
{
    struct world w = drawn("aabb"
                           "aabb"
                           "ccdd"
                           "ccdd");
    CHECK_STR(flaw(&w, true), "none");
    carry(&w, 0, 1, 1, true);
    carry(&w, 0, 2, 4, true);
    CHECK_STR(flaw(&w, false), "none");
    CHECK_STR(flaw(&w, true), "a domain is in pieces");
    world_free(&w);
    w = drawn("bbbb"
              "abdb"
              "cddd"
              "ccdd");
    CHECK_STR(flaw(&w, true), "none");
    carry(&w, 0, 1, 4, true);
    CHECK_STR(flaw(&w, true), "a domain is empty");
    world_free(&w);
}

TEST(contact)
{
    /* a and c are neighbours in the lattice of nodes, and b lies between. */
    struct world w = drawn("aabb"
                           "bbbb"
                           "ccdd"
                           "ccdd");
    CHECK_STR(flaw(&w, false), "none");
    CHECK_STR(flaw(&w, true), "domains of neighbouring nodes do not touch");
    world_free(&w);
}

TEST(order)
{
    /* In one picture b stands before a in the second row; in the other c above a in a column. */
    struct world w = drawn("bbbb"
                           "bbab"
                           "ccab"
                           "ccdd");
    CHECK_STR(flaw(&w, true), "domains are out of order");
    world_free(&w);
    w = drawn("ccbb"
              "cabb"
              "cabb"
              "cddd");
    CHECK_STR(flaw(&w, true), "domains are out of order");
    world_free(&w);
    /* Above the node it is before, and left of it in its own rows: in order. */
    w = drawn("cabb"
              "cabb"
              "cabd"
              "ccdd");
    CHECK_STR(flaw(&w, true), "none");
    world_free(&w);
}

TEST(owners)
{
    struct world w = drawn("aabb"
                           "aabb"
                           "ccdd"
                           "ccdd");
    struct world other = drawn("aaab"
                               "aaab"
                               "ccdd"
                               "ccdd");
    struct distrib *mixed[] = {other.node[0], w.node[1], w.node[2], w.node[3]};
    CHECK_STR(distrib_flaw_among(mixed, 4, false), "a cell has two owners");
    mixed[0] = w.node[0];
    mixed[1] = other.node[1];
    CHECK_STR(distrib_flaw_among(mixed, 4, false), "a cell has no owner");
    world_free(&w);
    world_free(&other);
}

TEST(beliefs)
{
    struct world w = drawn("aabb"
                           "aabb"
                           "ccdd"
                           "ccdd");
    carry(&w, 0, 1, 5, false);
    CHECK_STR(flaw(&w, false), "a cell beside is not where it is believed to be");
    world_free(&w);
}

/* A rope whose border is on its way has a gap. */
TEST(ropes)
{
    struct world w = world_new("rope", lattice_of(1, 6, 0, 0), lattice_of(1, 3, 0, 0), NULL);
    struct buf parcel = {0};
    uint32_t cell = 1;
    CHECK_STR(flaw(&w, true), "none");
    CHECK(distrib_give(w.node[0], 1, &cell, 1, &parcel) == OK);
    CHECK_STR(flaw(&w, true), "a cell has no owner");
    world_take(&w, 1, 0, &parcel);
    CHECK_STR(flaw(&w, true), "none");
    buf_fini(&parcel);
    world_free(&w);
}

TEST_MAIN(T(shapes), T(contact), T(order), T(owners), T(beliefs), T(ropes))
