/* test_tree.c - each tree reaches everybody once, from any root, and has the published shape; with
 * NUMA nodes it enters each node once. */
#include "collectives/group/numa.h"
#include "collectives/group/tree.h"
#include "runtime/base/mem.h"
#include "tests/lib/check.h"

enum { P_MAX = 129 };

static const char *const names[] = {"k-ary", "k-nomial", "flat", "chain"};

struct shape {
    int depth, fan_out;
};

/* Walks the tree from v = 0; parents must agree with children. */
static struct shape
walk(enum coll_tree kind, int k, int p)
{
    int level[P_MAX] = {0}, seen = 1, queue[P_MAX] = {0};
    struct shape s = {0, 0};
    for (int at = 0; at < seen; at++) {
        int v = queue[at], out[P_MAX], n = tree_children(kind, k, p, v, out);
        if (n > s.fan_out) s.fan_out = n;
        for (int i = 0; i < n; i++) {
            if (out[i] <= 0 || out[i] >= p || level[out[i]] || seen == p ||
                tree_parent(kind, k, out[i]) != v)
                return (struct shape){-1, out[i]};
            level[out[i]] = level[v] + 1;
            queue[seen++] = out[i];
            if (level[out[i]] > s.depth) s.depth = level[out[i]];
        }
    }
    return seen == p ? s : (struct shape){-1, -seen};
}

TEST(trees_reach_everybody_once)
{
    for (int kind = COLL_KARY; kind <= COLL_CHAIN; kind++)
        for (int k = 2; k <= 8; k++)
            for (int p = 1; p <= P_MAX; p++) {
                struct shape s = walk(kind, k, p);
                CHECK(s.depth >= 0, "%s k %d p %d: fault at %d", names[kind], k, p, s.fan_out);
                CHECK(s.fan_out <= tree_fan_out(kind, k, p), "%s k %d p %d: %d children",
                      names[kind], k, p, s.fan_out);
            }
}

TEST(shapes_are_the_known_ones)
{
    static const struct {
        enum coll_tree kind;
        int p, k, depth, fan_out;
    } known[] = {
        {COLL_KARY, 16, 2, 4, 2},     {COLL_KARY, 16, 4, 2, 4},    {COLL_KNOMIAL, 16, 2, 4, 4},
        {COLL_KNOMIAL, 16, 4, 2, 6},  {COLL_KNOMIAL, 16, 8, 2, 8}, {COLL_KARY, 64, 4, 3, 4},
        {COLL_KNOMIAL, 64, 4, 3, 9},  {COLL_FLAT, 64, 2, 1, 63},   {COLL_CHAIN, 64, 2, 63, 1},
        {COLL_KNOMIAL, 100, 2, 6, 7}, {COLL_KARY, 1, 2, 0, 0},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct shape s = walk(known[i].kind, known[i].k, known[i].p);
        CHECK(s.depth == known[i].depth && s.fan_out == known[i].fan_out,
              "%s p %d k %d: depth %d, fan-out %d", names[known[i].kind], known[i].p, known[i].k,
              s.depth, s.fan_out);
    }
}

TEST(deep_subtrees_are_told_first)
{
    int out[16], n = tree_children(COLL_KNOMIAL, 2, 16, 0, out);
    CHECK(n == 4 && out[0] == 8 && out[1] == 4 && out[2] == 2 && out[3] == 1, "first %d", out[0]);
}

/* How many are told, how many notifications cross from a node to another; negative: somebody is
 * told twice, or does not know its parent. */
static int
crossings(enum coll_tree kind, int k, int p, const int32_t *leaders, int root, int *told)
{
    int queue[P_MAX] = {root}, seen[P_MAX] = {0}, parent[P_MAX], crossed = 0;
    parent[root] = root;
    seen[root] = 1;
    *told = 1;
    for (int at = 0; at < *told; at++) {
        struct kin *kin = tree_of_rank(kind, k, p, leaders, root, queue[at]);
        if (!kin || kin->parent != parent[queue[at]]) crossed = -p;
        for (int i = 0; kin && i < kin->n; i++) {
            int child = kin->child[i];
            if (seen[child]++ || *told == p) crossed = -p;
            else queue[(*told)++] = child;
            parent[child] = queue[at];
            crossed += leaders && leaders[child] != leaders[queue[at]];
        }
        mem_free(kin);
    }
    return crossed;
}

TEST(ranks_are_reached_from_any_root)
{
    for (int kind = COLL_KARY; kind <= COLL_CHAIN; kind++)
        for (int k = 2; k <= 5; k++)
            for (int p = 1; p <= 33; p++)
                for (int root = 0; root < p; root++) {
                    int told, crossed = crossings(kind, k, p, NULL, root, &told);
                    CHECK(crossed == 0 && told == p, "%s k %d p %d root %d: %d told", names[kind],
                          k, p, root, told);
                }
}

/* Machines in hwloc's words; members are dealt to cores one by one, or round nodes in turn. */
TEST(a_node_is_entered_once)
{
    static const struct {
        const char *machine;
        int nodes, cores;
    } machines[] = {{"numa:2 core:8 pu:1", 2, 8}, {"pack:2 numa:2 core:4 pu:2", 4, 4},
                    {"numa:1 core:16 pu:1", 1, 16}, {"numa:8 core:2 pu:1", 8, 2}};
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        for (int p = 1; p <= 16; p++)
            for (int dealt = 0; dealt < 2; dealt++) {
                struct numa here;
                int node[P_MAX], nodes = machines[i].nodes;
                int32_t leaders[P_MAX];
                CHECK(numa_read(&here, machines[i].machine), "%s", machines[i].machine);
                CHECK(here.nodes == nodes, "%s: %d nodes", machines[i].machine, here.nodes);
                int per_node = 0;
                for (int w = 0; w < CPU_WORDS; w++)
                    per_node += __builtin_popcountll(here.cpus[0].word[w]);
                for (int r = 0; r < p; r++) {
                    int cpu = dealt ? r % nodes * per_node + r / nodes : r;
                    struct numa_cores one = {{0}};
                    one.word[cpu / 64] = 1ull << cpu % 64;
                    node[r] = numa_node(&here, &one);
                    CHECK(node[r] == cpu / per_node, "cpu %d is on %d", cpu, node[r]);
                }
                int used = numa_leaders(node, p, leaders);
                for (int kind = COLL_KARY; kind <= COLL_CHAIN; kind++)
                    for (int root = 0; root < p; root++) {
                        int told, crossed = crossings(kind, 2, p, leaders, root, &told);
                        CHECK(told == p, "%s p %d root %d: %d told", names[kind], p, root, told);
                        CHECK(crossed == used - 1, "%s %s p %d root %d: %d crossings, %d nodes",
                              machines[i].machine, names[kind], p, root, crossed, used);
                    }
            }
}

TEST_MAIN(T(trees_reach_everybody_once), T(shapes_are_the_known_ones),
          T(deep_subtrees_are_told_first), T(ranks_are_reached_from_any_root),
          T(a_node_is_entered_once))
