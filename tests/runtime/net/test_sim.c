/* test_sim.c - the simulator's time: clocks of nodes, messages on their way. */
#include "runtime/net/transport.h"
#include "tests/lib/check.h"

enum { NODES = 3, LATENCY = 1000, TURN = 100, SEEDS = 200 };

static struct transport *net[NODES];
static struct sim *sim;

/* A byte takes `byte_ns`. All nodes have looked around once, and it is 0. */
static bool
opens(uint64_t seed, uint64_t latency_ns, unsigned byte_ns)
{
    struct sim_options o = {seed, latency_ns, 1000000000 / byte_ns};
    if (sim_new(&sim, net, NODES, &o)) return false;
    for (int node, i = 0; i < NODES; i++)
        if (!sim_next(sim, &node) || node != i) return false;
        else sim_turned(sim, i, 0, false);
    return sim_now_ns(sim) == 0;
}

static void
closes(void)
{
    for (int i = 0; i < NODES; i++) net[i]->ops->free(net[i]);
    sim_free(sim);
}

static uint64_t
clock_of(int node)
{
    return net[node]->ops->now_ns(net[node]);
}

static void
sends(int from, int to, uint32_t kind, uint32_t body, size_t block)
{
    struct packet *p = packet_new(kind, body);
    if (block) p->block = block_new(block);
    net[from]->ops->send(net[from], to, p);
}

/* The kind of the one packet that has come; 0: none, or more. */
static uint32_t
takes(int node)
{
    struct packet *p = net[node]->ops->poll(net[node]);
    uint32_t kind = p && !p->next ? p->kind : 0;
    for (struct packet *next; p; p = next) {
        next = p->next;
        packet_free(p);
    }
    return kind;
}

static bool
comes_after(uint64_t at, uint64_t left)
{
    return at >= left + LATENCY * SIM_LATENCY_MIN / 100 &&
           at <= left + LATENCY * SIM_LATENCY_MAX / 100;
}

TEST(what_a_call_sends_leaves_at_its_end)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        int node;
        CHECK(opens(seed, LATENCY, 1));
        sends(0, 1, 7, 0, 0);
        CHECK(sim_next(sim, &node) && node == 1 && takes(1) == 7);
        uint64_t began = clock_of(1);
        net[1]->ops->spend(net[1], 50000);
        CHECK(clock_of(1) == began + 50000);
        sends(1, 2, 8, 0, 0);
        net[1]->ops->spend(net[1], 300);
        sim_turned(sim, 1, TURN, false);
        CHECK(clock_of(1) == began + 50300 + TURN);
        CHECK(sim_now_ns(sim) == began + 50300 + TURN);
        CHECK(clock_of(0) == began, "nobody else's clock");
        CHECK(sim_next(sim, &node) && node == 2 && takes(2) == 8);
        CHECK(comes_after(clock_of(2), began + 50000), "%d", (int)seed);
        sim_turned(sim, 2, 0, false);
        CHECK(!sim_next(sim, &node));
        closes();
    }
}

TEST(what_comes_meanwhile_is_there_in_the_next_turn)
{
    int node;
    CHECK(opens(1, LATENCY, 1));
    sends(0, 1, 7, 0, 0);
    sends(0, 2, 8, 0, 0);
    for (int i = 0; i < 2; i++) {
        CHECK(sim_next(sim, &node) && takes(node) == 6u + (uint32_t)node);
        if (node == 1) net[1]->ops->spend(net[1], 50000);
        else sends(2, 1, 9, 0, 0);
        sim_turned(sim, node, 0, false);
    }
    uint64_t busy = clock_of(1);
    CHECK(busy >= 50000);
    CHECK(sim_next(sim, &node) && node == 1 && clock_of(1) == busy && takes(1) == 9);
    closes();
}

/* Bodies and blocks count, and one follows the other, wherever they go. */
TEST(a_node_sends_one_at_a_time)
{
    int node;
    CHECK(opens(2, LATENCY, 20));
    sends(0, 1, 7, 1000, 4000);
    sends(0, 2, 8, 0, 5000);
    sends(0, 1, 9, 2000, 0);
    static const uint64_t left[] = {100000, 200000, 240000};
    for (uint32_t i = 0; i < 3; i++) {
        CHECK(sim_next(sim, &node) && takes(node) == 7 + i);
        CHECK(comes_after(clock_of(node), left[i]), "%d", (int)i);
        sim_turned(sim, node, 0, false);
    }
    net[0]->ops->spend(net[0], 1000000); /* the link is free again */
    uint64_t now = clock_of(0);
    sends(0, 1, 10, 100, 0);
    CHECK(sim_next(sim, &node) && takes(node) == 10);
    CHECK(comes_after(clock_of(node), now + 2000));
    closes();
}

TEST(packets_overtake_each_other_but_not_within_a_pair)
{
    int overtaken = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        CHECK(opens(seed, LATENCY, 1));
        for (uint32_t i = 0; i < 8; i++) sends((int)i % 2, 2, i + 1, 0, 0);
        uint32_t last[2] = {0, 0};
        for (int n = 0, node; n < 8;) {
            CHECK(sim_next(sim, &node) && node == 2);
            struct packet *p = net[2]->ops->poll(net[2]);
            for (struct packet *next; p; p = next, n++) {
                next = p->next;
                CHECK(p->kind > last[p->from]);
                overtaken += p->kind < last[!p->from];
                last[p->from] = p->kind;
                packet_free(p);
            }
            sim_turned(sim, 2, 0, false);
        }
        closes();
    }
    CHECK(overtaken > SEEDS, "%d", overtaken);
}

/* Packets from 0 and 1 to 2, in the order in which they come: once each. */
static uint64_t
digest_of(uint64_t seed, uint32_t n)
{
    uint64_t seen = 0, digest = 0;
    if (!opens(seed, LATENCY, 1)) return 0;
    for (uint32_t i = 0; i < n; i++) sends((int)i % 2, 2, i, 8, 0);
    for (int node; sim_next(sim, &node); sim_turned(sim, node, 0, false)) {
        struct packet *p = net[node]->ops->poll(net[node]);
        for (struct packet *next; p; p = next) {
            next = p->next;
            if (seen >> p->kind & 1) return 0;
            seen |= (uint64_t)1 << p->kind;
            packet_free(p);
        }
    }
    digest = sim_digest(sim);
    closes();
    return seen == ((uint64_t)1 << n) - 1 ? digest : 0;
}

TEST(the_same_seed_gives_the_same_events_and_each_packet_once)
{
    int differ = 0;
    for (uint64_t seed = 1; seed < SEEDS; seed++) {
        uint64_t digest = digest_of(seed, 20);
        CHECK(digest && digest == digest_of(seed, 20), "seed %d", (int)seed);
        differ += digest != digest_of(seed + SEEDS, 20);
    }
    CHECK(differ > SEEDS / 2, "%d", differ);
}

TEST_MAIN(T(the_same_seed_gives_the_same_events_and_each_packet_once),
          T(what_a_call_sends_leaves_at_its_end),
          T(what_comes_meanwhile_is_there_in_the_next_turn), T(a_node_sends_one_at_a_time),
          T(packets_overtake_each_other_but_not_within_a_pair))
