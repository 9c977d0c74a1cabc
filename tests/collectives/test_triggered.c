/* test_triggered.c - the engine by itself; then reductions on many nodes whose packets are
 * delivered in random order, before and after nodes arm, several operations at a time. */
#include "collectives/group/tree.h"
#include "collectives/ops/triggered.h"
#include "runtime/base/mem.h"
#include "runtime/base/rng.h"
#include "tests/collectives/compose.h"
#include "tests/lib/check.h"

enum { NODES_MAX = 64, PACKETS_MAX = 100000, OPERATIONS = 4, BYTES_MAX = 1000 };

/* A world of nodes: packets under way, and results. */
struct packet {
    int to;
    struct trig_packet p;
    char data[BYTES_MAX];
};
struct node {
    struct world *w;
    int number;
    struct trig *t;
};
struct world {
    int nodes;
    struct node node[NODES_MAX];
    struct packet *packet[PACKETS_MAX];
    int packets;
    char result[NODES_MAX][OPERATIONS][BYTES_MAX];
    size_t got[NODES_MAX][OPERATIONS];
    enum err error;
};

static void
on_send(void *who, int to, const struct trig_packet *p)
{
    struct node *n = who;
    struct packet *k = malloc(sizeof *k);
    *k = (struct packet){.to = to, .p = *p};
    memcpy(k->data, p->data, p->bytes);
    k->p.data = k->data;
    n->w->packet[n->w->packets++] = k;
}

static void
on_done(void *who, uint64_t operation, size_t at, const void *data, size_t bytes)
{
    struct node *n = who;
    memcpy(n->w->result[n->number][operation] + at, data, bytes);
    n->w->got[n->number][operation] += bytes + 1;
}

static struct world *
world_new(int nodes)
{
    struct world *w = calloc(1, sizeof *w);
    w->nodes = nodes;
    for (int i = 0; i < nodes; i++) {
        w->node[i] = (struct node){w, i, NULL};
        struct trig_world tw = {on_send, on_done, &w->node[i]};
        if (trig_new(&w->node[i].t, i, &tw)) abort();
    }
    return w;
}

static void
world_free(struct world *w)
{
    for (int i = 0; i < w->nodes; i++) trig_free(w->node[i].t);
    for (int i = 0; i < w->packets; i++) free(w->packet[i]);
    free(w);
}

/* Any packet that is under way arrives. */
static void
deliver_one(struct world *w, struct rng *r)
{
    int i = (int)rng_below(r, (uint64_t)w->packets);
    struct packet *k = w->packet[i];
    w->packet[i] = w->packet[--w->packets];
    enum err e = trig_arrive(w->node[k->to].t, &k->p);
    if (e) w->error = e;
    free(k);
}

static size_t
pending(const struct world *w)
{
    size_t n = 0;
    for (int i = 0; i < w->nodes; i++) n += trig_pending(w->node[i].t);
    return n;
}

/* ---- the engine ---- */

static void
sum(void *who, void *out, const void *const *in, int n, size_t bytes)
{
    struct trig_op op = {COLL_INT64, COLL_SUM};
    (void)who;
    trig_combine_op(&op, out, in, n, bytes);
}

static enum err
arrive(struct world *w, uint16_t slot, uint32_t from, int64_t x)
{
    struct trig_packet p = {.slot = slot, .from = from, .bytes = sizeof x, .data = &x};
    return trig_arrive(w->node[0].t, &p);
}

TEST(a_descriptor_runs_at_its_threshold)
{
    struct world *w = world_new(2);
    int64_t own = 100;
    struct trig_out to = {1, 7, 3};
    struct trig_descriptor d = {.slot = 5, .threshold = 2, .own = &own, .bytes = 8, .combine = sum,
                                .out = &to, .outs = 1};
    CHECK(!arrive(w, 5, 0, 1) && trig_pending(w->node[0].t) == 1, "an early one is kept");
    CHECK(!trig_arm(w->node[0].t, &d) && w->packets == 0, "one is missing");
    CHECK(trig_arm(w->node[0].t, &d) == E_TWICE, "armed twice");
    CHECK(arrive(w, 5, 0, 1) == E_TWICE, "the same operand twice");
    CHECK(!arrive(w, 5, 9, 10) && w->packets == 1, "it runs");
    int64_t got;
    memcpy(&got, w->packet[0]->data, 8);
    CHECK(w->packet[0]->to == 1 && w->packet[0]->p.slot == 7 && w->packet[0]->p.from == 3, "to");
    CHECK(got == 111, "replaced: %lld", (long long)got);
    CHECK(trig_pending(w->node[0].t) == 0, "it is forgotten");
    world_free(w);
}

TEST(copy_keeps_the_own_value)
{
    struct world *w = world_new(2);
    int64_t own = 100, got;
    struct trig_out to = {1, 0, 0};
    struct trig_descriptor d = {.threshold = 1, .own = &own, .bytes = 8, .combine = sum,
                                .data = TRIG_COPY, .deliver = true, .out = &to, .outs = 1};
    CHECK(!trig_arm(w->node[0].t, &d) && !arrive(w, 0, 0, 5), "arm");
    memcpy(&got, w->packet[0]->data, 8);
    CHECK(got == 100, "sent: %lld", (long long)got);
    memcpy(&got, w->result[0][0], 8);
    CHECK(got == 105, "kept: %lld", (long long)got);
    world_free(w);
}

TEST(what_does_not_fit_is_refused)
{
    struct world *w = world_new(1);
    int64_t own = 1;
    struct trig_descriptor d = {.threshold = 2, .own = &own, .bytes = 8, .combine = sum};
    char byte = 0;
    struct trig_packet small = {.from = 1, .bytes = 1, .data = &byte};
    CHECK(!trig_arm(w->node[0].t, &d), "arm");
    CHECK(trig_arrive(w->node[0].t, &small) == E_PROTOCOL, "of one byte");
    CHECK(!arrive(w, 1, 0, 1) && !arrive(w, 1, 1, 1) && !arrive(w, 1, 2, 1), "early");
    d.slot = 1;
    CHECK(trig_arm(w->node[0].t, &d) == E_PROTOCOL, "too many");
    world_free(w);
}

/* ---- reductions ---- */

static void
value_of(int node, int operation, char *to, size_t bytes)
{
    struct rng r = rng_of((uint64_t)node * 100 + (uint64_t)operation);
    for (size_t at = 0; at < bytes; at += 8) {
        uint64_t x = rng_next(&r) | 1;
        memcpy(to + at, &x, 8);
    }
}

/* What nodes from v on in the tree amount to: own first, then the subtrees in order. */
static void
reference(const struct trig_reduction *r, int v, char *out)
{
    char value[BYTES_MAX], (*part)[BYTES_MAX] = malloc((size_t)r->nodes * BYTES_MAX);
    const void *in[NODES_MAX];
    int child[NODES_MAX], n = tree_children(r->tree, r->fan_out, r->nodes, v, child), used = 1;
    value_of((v + r->root) % r->nodes, (int)r->operation, value, r->bytes);
    in[0] = value;
    for (int c = v + 1; c < r->nodes; c++) /* ascending */
        for (int i = 0; i < n; i++)
            if (child[i] == c) {
                reference(r, c, part[used]);
                in[used] = part[used];
                used++;
            }
    r->combine(r->who, out, in, used, r->bytes);
    free(part);
}

static void
arm_one(struct world *w, struct trig_reduction r, int node, bool all)
{
    char value[BYTES_MAX];
    value_of(node, (int)r.operation, value, r.bytes);
    r.value = value;
    enum err e = (all ? trig_allreduce : trig_reduce)(w->node[node].t, &r);
    if (e) w->error = e;
}

static struct trig_reduction
random_reduction(struct rng *r, int nodes, int operation)
{
    struct trig_reduction x = {.operation = (uint64_t)operation, .nodes = nodes};
    x.tree = (enum coll_tree)rng_below(r, 4);
    x.fan_out = 2 + (int)rng_below(r, 7);
    x.root = (int)rng_below(r, (uint64_t)nodes);
    x.bytes = 16 * rng_below(r, BYTES_MAX / 16);
    x.segment_bytes = rng_below(r, 3) ? 16 * (1 + rng_below(r, 8)) : 112;
    x.combine = compose;
    return x;
}

/* Nodes arm, and packets arrive, in any order. */
static const char *
random_world(uint64_t seed)
{
    struct rng rng = rng_of(seed);
    int nodes = 1 + (int)rng_below(&rng, 40), left = 0;
    struct world *w = world_new(nodes);
    struct trig_reduction r[OPERATIONS];
    int todo[NODES_MAX * OPERATIONS];
    const char *wrong = NULL;
    char want[BYTES_MAX];
    for (int o = 0; o < OPERATIONS; o++) {
        r[o] = random_reduction(&rng, nodes, o);
        for (int i = 0; i < nodes; i++) todo[left++] = i * OPERATIONS + o;
    }
    while (left || w->packets) {
        if (w->packets && (!left || rng_below(&rng, 3))) {
            deliver_one(w, &rng);
            continue;
        }
        int at = (int)rng_below(&rng, (uint64_t)left), which = todo[at];
        todo[at] = todo[--left];
        int o = which % OPERATIONS;
        arm_one(w, r[o], which / OPERATIONS, o % 2);
    }
    if (w->error) wrong = err_text(w->error);
    if (pending(w)) wrong = "something is left";
    for (int o = 0; o < OPERATIONS; o++) {
        reference(&r[o], 0, want);
        for (int i = 0; i < nodes; i++) {
            bool gets = o % 2 || i == r[o].root;
            if (!gets && w->got[i][o]) wrong = "a result where none belongs";
            if (gets && w->got[i][o] < r[o].bytes + 1) wrong = "no result";
            if (gets && memcmp(want, w->result[i][o], r[o].bytes)) wrong = "another result";
        }
    }
    world_free(w);
    return wrong;
}

TEST(random_orders)
{
    for (uint64_t seed = 1; seed <= CHECK_CASES(2000); seed++) {
        const char *wrong = random_world(seed);
        CHECK(!wrong, "seed %llu: %s", (unsigned long long)seed, wrong);
    }
}

/* Along these trees the order is that of the nodes: operations need not commute. */
TEST(order_of_the_nodes)
{
    static const enum coll_tree trees[] = {COLL_KNOMIAL, COLL_FLAT, COLL_CHAIN};
    for (int i = 0; i < 3; i++)
        for (int nodes = 1; nodes <= NODES_MAX; nodes += 7)
            for (int k = 2; k <= 8; k++) {
                struct trig_reduction r = {.tree = trees[i], .fan_out = k, .nodes = nodes,
                                           .bytes = 16, .combine = compose};
                char value[NODES_MAX][16], want[16], have[BYTES_MAX];
                const void *in[NODES_MAX];
                for (int v = 0; v < nodes; v++) {
                    value_of(v, 0, value[v], 16);
                    in[v] = value[v];
                }
                compose(NULL, want, in, nodes, 16);
                struct world *w = world_new(nodes);
                struct rng rng = rng_of(3);
                for (int v = 0; v < nodes; v++) arm_one(w, r, v, false);
                while (w->packets) deliver_one(w, &rng);
                memcpy(have, w->result[0][0], 16);
                world_free(w);
                CHECK(!memcmp(have, want, 16), "tree %d k %d, %d nodes", i, k, nodes);
            }
}

/* Each allocation fails in turn; nothing leaks, and the engine says so. */
TEST(no_memory)
{
    struct trig_out to = {1, 0, 0};
    int64_t own = 1;
    struct trig_descriptor d = {.threshold = 1, .own = &own, .bytes = 8, .combine = sum,
                                .out = &to, .outs = 1};
    int failures = 0;
    for (long n = 0;; n++) {
        struct world *w = world_new(2);
        mem_fail_after(n);
        enum err e = trig_arm(w->node[0].t, &d);
        if (!e) e = arrive(w, 0, 0, 5);
        mem_fail_after(-1);
        int sent = w->packets;
        world_free(w);
        CHECK(e == OK || e == E_NOMEM, "%s", err_text(e));
        CHECK(sent == !e, "%d packets, %s", sent, err_text(e));
        if (!e) break;
        failures++;
    }
    CHECK(failures == 4, "%d allocations", failures);
}

TEST_MAIN(T(a_descriptor_runs_at_its_threshold), T(copy_keeps_the_own_value),
          T(what_does_not_fit_is_refused), T(random_orders), T(order_of_the_nodes), T(no_memory))
