/* test_numa.c - nodes of described machines, leaders, and whether cores suffice. */
#include "collectives/group/numa.h"
#include "tests/lib/check.h"

static struct numa_cores
cpus(int from, int to)
{
    struct numa_cores c = {{0}};
    for (int i = from; i <= to; i++) c.word[i / 64] |= 1ull << i % 64;
    return c;
}

TEST(nodes_of_a_described_machine)
{
    struct numa p;
    CHECK(numa_read(&p, "pack:2 numa:2 core:32 pu:2"), "not read");
    CHECK(p.nodes == 4, "%d nodes", p.nodes);
    struct numa_cores third = cpus(128, 191), two = cpus(120, 130), one = cpus(255, 255);
    struct numa_cores none = {{0}};
    CHECK(numa_node(&p, &third) == 2, "%d", numa_node(&p, &third));
    CHECK(numa_node(&p, &one) == 3, "%d", numa_node(&p, &one));
    CHECK(numa_node(&p, &two) == -1, "%d", numa_node(&p, &two));
    CHECK(numa_node(&p, &none) == -1, "%d", numa_node(&p, &none));
}

TEST(what_hwloc_cannot_read_is_one_node)
{
    struct numa p;
    struct numa_cores c = cpus(0, 1023);
    CHECK(!numa_read(&p, "numa:zwei core:x"), "read");
    CHECK(p.nodes == 1 && numa_node(&p, &c) == 0, "%d nodes", p.nodes);
}

TEST(this_machine_has_a_node)
{
    struct numa_cores mine = numa_thread();
    CHECK(numa_here()->nodes >= 1, "%d", numa_here()->nodes);
    CHECK(numa_here()->nodes > 1 || numa_node(numa_here(), &mine) == 0, "not on the one node");
}

TEST(leaders_are_the_lowest)
{
    static const int node[] = {1, 0, 1, 0, -1, 2, -1};
    int32_t leaders[7];
    CHECK(numa_leaders(node, 7, leaders) == 4, "number");
    static const int32_t want[] = {0, 1, 0, 1, 4, 5, 4};
    CHECK(!memcmp(leaders, want, sizeof want), "leaders %d %d", leaders[2], leaders[6]);
}

TEST(crowded_is_more_members_than_cores)
{
    struct numa_cores two[] = {cpus(0, 1), cpus(0, 1), cpus(0, 1)};
    CHECK(!numa_crowded(two, 2), "2 on 2");
    CHECK(numa_crowded(two, 3), "3 on 2");
    struct numa_cores bound[] = {cpus(0, 0), cpus(1, 1), cpus(1, 1), cpus(2, 9)};
    CHECK(numa_crowded(bound, 3), "two on core 1");
    struct numa_cores mixed[] = {cpus(0, 0), cpus(0, 3), cpus(1, 1), cpus(0, 3)};
    CHECK(!numa_crowded(mixed, 4), "each has a core");
    struct numa_cores none[] = {{{0}}};
    CHECK(numa_crowded(none, 1), "no core at all");
}

TEST_MAIN(T(nodes_of_a_described_machine), T(what_hwloc_cannot_read_is_one_node),
          T(this_machine_has_a_node), T(leaders_are_the_lowest),
          T(crowded_is_more_members_than_cores))
