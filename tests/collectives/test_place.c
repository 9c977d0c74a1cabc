/* test_place.c - nodes of described machines, leaders, and whether cores suffice. */
#include "collectives/group/place.h"
#include "tests/lib/check.h"

static struct place_cpus
cpus(int from, int to)
{
    struct place_cpus c = {{0}};
    for (int i = from; i <= to; i++) c.word[i / 64] |= 1ull << i % 64;
    return c;
}

TEST(nodes_of_a_described_machine)
{
    struct place p;
    CHECK(place_read(&p, "pack:2 numa:2 core:32 pu:2"), "not read");
    CHECK(p.nodes == 4, "%d nodes", p.nodes);
    struct place_cpus third = cpus(128, 191), two = cpus(120, 130), one = cpus(255, 255);
    struct place_cpus none = {{0}};
    CHECK(place_node(&p, &third) == 2, "%d", place_node(&p, &third));
    CHECK(place_node(&p, &one) == 3, "%d", place_node(&p, &one));
    CHECK(place_node(&p, &two) == -1, "%d", place_node(&p, &two));
    CHECK(place_node(&p, &none) == -1, "%d", place_node(&p, &none));
}

TEST(what_hwloc_cannot_read_is_one_node)
{
    struct place p;
    struct place_cpus c = cpus(0, 1023);
    CHECK(!place_read(&p, "numa:zwei core:x"), "read");
    CHECK(p.nodes == 1 && place_node(&p, &c) == 0, "%d nodes", p.nodes);
}

TEST(this_machine_has_a_node)
{
    struct place_cpus mine = place_of_thread();
    CHECK(place_here()->nodes >= 1, "%d", place_here()->nodes);
    CHECK(place_here()->nodes > 1 || place_node(place_here(), &mine) == 0, "not on the one node");
}

TEST(leaders_are_the_lowest)
{
    static const int node[] = {1, 0, 1, 0, -1, 2, -1};
    int32_t leaders[7];
    CHECK(place_leaders(node, 7, leaders) == 4, "number");
    static const int32_t want[] = {0, 1, 0, 1, 4, 5, 4};
    CHECK(!memcmp(leaders, want, sizeof want), "leaders %d %d", leaders[2], leaders[6]);
}

TEST(crowded_is_more_members_than_cores)
{
    struct place_cpus two[] = {cpus(0, 1), cpus(0, 1), cpus(0, 1)};
    CHECK(!place_crowded(two, 2), "2 on 2");
    CHECK(place_crowded(two, 3), "3 on 2");
    struct place_cpus bound[] = {cpus(0, 0), cpus(1, 1), cpus(1, 1), cpus(2, 9)};
    CHECK(place_crowded(bound, 3), "two on core 1");
    struct place_cpus mixed[] = {cpus(0, 0), cpus(0, 3), cpus(1, 1), cpus(0, 3)};
    CHECK(!place_crowded(mixed, 4), "each has a core");
    struct place_cpus none[] = {{{0}}};
    CHECK(place_crowded(none, 1), "no core at all");
}

TEST_MAIN(T(nodes_of_a_described_machine), T(what_hwloc_cannot_read_is_one_node),
          T(this_machine_has_a_node), T(leaders_are_the_lowest),
          T(crowded_is_more_members_than_cores))
