/* test_triggered_model.c - what triggered reductions cost beside MPICH's recursive doubling, by the
 * engine itself in a modelled network (triggered.model), against the published comparison.
 *
 *     test_triggered_model          all tests
 *     test_triggered_model table    up to 65,536 nodes */
#include "collectives/ops/triggered.h"
#include "runtime/base/rng.h"
#include "tests/lib/check.h"

#include <math.h>
#include <stdbool.h>

static struct {
    double latency, latency_level, gap_send, gap_receive, combine, descriptor, result, step;
    double interference, probability;
} model;

static const struct {
    const char *name;
    double *value;
} parameters[] = {
    {"latency", &model.latency},           {"latency_level", &model.latency_level},
    {"gap_send", &model.gap_send},         {"gap_receive", &model.gap_receive},
    {"combine", &model.combine},           {"descriptor", &model.descriptor},
    {"result", &model.result},             {"step", &model.step},
    {"interference", &model.interference}, {"probability", &model.probability},
};
enum { PARAMETERS = sizeof parameters / sizeof *parameters };

/* False: a parameter is missing, or unknown. */
static bool
read_model(const char *path)
{
    char line[200], name[50];
    double value;
    int found = 0;
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "%49s %lf", name, &value) != 2 || *name == '#') continue;
        for (int i = 0; i < PARAMETERS; i++)
            if (!strcmp(parameters[i].name, name)) {
                *parameters[i].value = value;
                found++;
            }
    }
    if (f) fclose(f);
    return found == PARAMETERS;
}

static struct rng rng;
static bool quiet; /* no interference */

/* What a host loses while it does one thing. */
static double
interference(void)
{
    if (quiet || (double)(rng_next(&rng) >> 11) * 0x1p-53 >= model.probability) return 0;
    return model.interference;
}

static double
latency(int nodes)
{
    return model.latency + model.latency_level * log2(nodes);
}

/* ---- the network: events in order of time ---- */

/* The engine is the same in each run: sanitizers, which look at it alone, get a tenth of them. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { PART = 10 };
static const double near_enough = 1.06; /* a mean of fewer runs says less */
#else
enum { PART = 1 };
static const double near_enough = 1.02;
#endif

enum { VALUE = 48 };
enum event_kind { ARM, ENTER, HANDLE }; /* ENTER: at an interface; HANDLE: after those before it */

struct event {
    double at;
    enum event_kind kind;
    int node;
    struct trig_packet p;
    char data[VALUE];
};

struct entry { /* of the heap, in which they move often */
    double at;
    uint32_t number; /* first made, first run */
    uint32_t event;
};

struct net_node {
    struct trig *t;
    double sending, receiving; /* until then the interface is busy */
};

static struct {
    int nodes;
    struct net_node *node;
    struct entry *heap;
    struct event *event;
    uint32_t *spare; /* places of events that have run */
    size_t events, room, spares;
    uint32_t made;
    double now, last;
    int done;
} net;

static bool
before(const struct entry *a, const struct entry *b)
{
    return a->at < b->at || (a->at == b->at && a->number < b->number);
}

static void
more_room(void)
{
    size_t had = net.room;
    net.room = had ? 2 * had : 1024;
    net.heap = realloc(net.heap, net.room * sizeof *net.heap);
    net.event = realloc(net.event, net.room * sizeof *net.event);
    net.spare = realloc(net.spare, net.room * sizeof *net.spare);
    for (size_t i = net.room; i-- > had;) net.spare[net.spares++] = (uint32_t)i;
}

static void
push(struct event what)
{
    if (net.events == net.room) more_room();
    struct entry e = {what.at, net.made++, net.spare[--net.spares]};
    net.event[e.event] = what;
    size_t i = net.events++;
    for (; i && before(&e, &net.heap[(i - 1) / 2]); i = (i - 1) / 2)
        net.heap[i] = net.heap[(i - 1) / 2];
    net.heap[i] = e;
}

static struct event
pop(void)
{
    struct entry first = net.heap[0], last = net.heap[--net.events];
    size_t i = 0;
    for (size_t c; (c = 2 * i + 1) < net.events; i = c) {
        if (c + 1 < net.events && before(&net.heap[c + 1], &net.heap[c])) c++;
        if (!before(&net.heap[c], &last)) break;
        net.heap[i] = net.heap[c];
    }
    net.heap[i] = last;
    net.spare[net.spares++] = first.event;
    return net.event[first.event];
}

/* From the interface's memory to the wire, one after the other. */
static void
on_send(void *who, int to, const struct trig_packet *p)
{
    struct net_node *n = who;
    if (n->sending < net.now) n->sending = net.now;
    n->sending += model.gap_send;
    struct event e = {.at = n->sending + latency(net.nodes), .kind = ENTER, .node = to, .p = *p};
    memcpy(e.data, p->data, p->bytes);
    push(e);
}

static void
on_done(void *who, uint64_t operation, size_t at, const void *data, size_t bytes)
{
    (void)who, (void)operation, (void)at, (void)data, (void)bytes;
    double t = net.now + model.result + interference();
    if (t > net.last) net.last = t;
    net.done++;
}

/* The interface takes its time for each pass; what it sends waits for it. */
static void
on_combine(void *who, void *out, const void *const *in, int n, size_t bytes)
{
    struct net_node *node = who;
    struct trig_op op = {COLL_DOUBLE, COLL_SUM};
    trig_combine_op(&op, out, in, n, bytes);
    if (node->sending < net.now) node->sending = net.now;
    node->sending += model.combine * ((n - 1 + 5) / 6);
}

/* ---- a reduction ---- */

struct tree {
    enum coll_tree kind;
    int k;
    bool reduce; /* only the root gets the result, and only up the tree is anything sent */
};

static struct trig_reduction
reduction_at(const struct tree *tree, int node, const double *value)
{
    return (struct trig_reduction){.tree = tree->kind, .fan_out = tree->k, .nodes = net.nodes,
                                   .value = value, .bytes = VALUE, .combine = on_combine,
                                   .who = &net.node[node]};
}

static void
run_event(struct event *e, const struct tree *tree)
{
    static const double value[VALUE / sizeof(double)] = {1};
    struct net_node *n = &net.node[e->node];
    net.now = e->at;
    e->p.data = e->data;
    if (e->kind == ARM) {
        struct trig_reduction r = reduction_at(tree, e->node, value);
        if ((tree->reduce ? trig_reduce : trig_allreduce)(n->t, &r)) abort();
    } else if (e->kind == ENTER) {
        if (n->receiving < net.now) n->receiving = net.now;
        n->receiving += model.gap_receive;
        e->at = n->receiving;
        e->kind = HANDLE;
        push(*e);
    } else if (trig_arrive(n->t, &e->p)) {
        abort();
    }
}

/* The number of descriptors a node builds: its packets, and what waits for them. */
static int
descriptors(const struct tree *tree, int nodes, int v)
{
    int children = 0;
    if (tree->reduce) return v ? 1 : 2;
    if (tree->kind == COLL_KARY) {
        long first = (long)tree->k * v + 1, end = first + tree->k;
        if (end > nodes) end = nodes;
        children = end > first ? (int)(end - first) : 0;
    } else {
        for (long w = 1; w < nodes && (!v || v / w % tree->k == 0); w *= tree->k)
            for (int j = 1; j < tree->k; j++) children += v + j * w < nodes;
    }
    return children + 2;
}

/* Microseconds until the last node that gets the result has it. */
static double
reduction_us(struct tree tree, int nodes)
{
    net.nodes = nodes;
    net.made = 0;
    net.last = net.done = 0;
    net.node = calloc((size_t)nodes, sizeof *net.node);
    for (int v = 0; v < nodes; v++) {
        struct trig_world w = {on_send, on_done, &net.node[v]};
        if (trig_new(&net.node[v].t, v, &w)) abort();
        push((struct event){.at = descriptors(&tree, nodes, v) * model.descriptor + interference(),
                            .kind = ARM, .node = v});
    }
    while (net.events) {
        struct event e = pop();
        run_event(&e, &tree);
    }
    if (net.done != (tree.reduce ? 1 : nodes)) abort();
    for (int v = 0; v < nodes; v++) trig_free(net.node[v].t);
    free(net.node);
    return net.last;
}

/* MPICH's: log2 P steps, in each of which hosts exchange and combine in pairs. */
static double
doubling_us(int nodes)
{
    double *t = calloc(2 * (size_t)nodes, sizeof *t), *next = t + nodes, last = 0;
    for (int far = 1; far < nodes; far *= 2) {
        for (int v = 0; v < nodes; v++) {
            double theirs = t[v ^ far], both = t[v] > theirs ? t[v] : theirs;
            next[v] = both + latency(nodes) + model.step + interference();
        }
        memcpy(t, next, (size_t)nodes * sizeof *t);
    }
    for (int v = 0; v < nodes; v++) last = t[v] > last ? t[v] : last;
    free(t);
    return last;
}

static double
mean_doubling(int nodes, int runs)
{
    double sum = 0;
    for (int i = 0; i < runs; i++) sum += doubling_us(nodes);
    return sum / runs;
}

static double
mean_allreduce(struct tree tree, int nodes, int runs)
{
    double sum = 0;
    for (int i = 0; i < runs; i++) sum += reduction_us(tree, nodes);
    return sum / runs;
}

static const struct tree nomial[] = {
    {COLL_KNOMIAL, 2, false}, {COLL_KNOMIAL, 4, false}, {COLL_KNOMIAL, 8, false}};
static const struct tree ary[] = {
    {COLL_KARY, 2, false}, {COLL_KARY, 4, false}, {COLL_KARY, 8, false}};

/* ---- the published comparison ---- */

static const struct {
    int nodes;
    double mpich, triggered;
} published[] = {{64, 34.22, 24.94}, {128, 45.23, 31.21}, {256, 58.73, 38.42}};

TEST(less_than_recursive_doubling)
{
    rng = rng_of(1);
    quiet = false;
    for (int i = 0; i < 3; i++) {
        int p = published[i].nodes;
        double d = mean_doubling(p, 6000), t = mean_allreduce(nomial[1], p, 4000 / PART);
        double less = 100 * (1 - t / d);
        double want = 100 * (1 - published[i].triggered / published[i].mpich);
        CHECK(fabs(less - want) <= 5, "%d nodes: %.1f %% less, published %.1f", p, less, want);
        CHECK(fabs(d / published[i].mpich - 1) < 0.1, "%d nodes, MPICH: %.2f", p, d);
        CHECK(fabs(t / published[i].triggered - 1) < 0.1, "%d nodes, triggered: %.2f", p, t);
    }
}

/* K = 2 is best up to 64 nodes, K = 4 above: a parent of many builds many descriptors. */
TEST(best_fan_out_of_k_nomial_trees)
{
    quiet = true;
    for (int p = 16; p <= 256; p *= 2) {
        double t[3];
        for (int i = 0; i < 3; i++) t[i] = reduction_us(nomial[i], p);
        int best = t[0] < t[1] && t[0] < t[2] ? 0 : t[1] < t[2] ? 1 : 2;
        CHECK(best == (p > 64), "%d nodes: %.2f %.2f %.2f", p, t[0], t[1], t[2]);
    }
}

/* At all scales: their levels are balanced. With interference, which hits a level the more the less
 * it waits for, trees of K = 2 are level. */
TEST(k_ary_trees_are_better)
{
    for (int p = 8; p <= 256; p *= 2)
        for (int i = 0; i < 3; i++) {
            quiet = true;
            double a = reduction_us(ary[i], p), n = reduction_us(nomial[i], p);
            CHECK(a <= n * 1.005, "%d nodes, K = %d: k-ary %.2f, k-nomial %.2f", p, ary[i].k, a, n);
            quiet = false;
            rng = rng_of(3);
            a = mean_allreduce(ary[i], p, 2000 / PART);
            n = mean_allreduce(nomial[i], p, 2000 / PART);
            CHECK(a <= n * near_enough, "%d nodes, K = %d, disturbed: k-ary %.2f, k-nomial %.2f", p,
                  ary[i].k, a, n);
        }
}

static double
reduce_us(struct tree tree, int nodes)
{
    tree.reduce = true;
    return reduction_us(tree, nodes);
}

/* A parent of many has no more descriptors to build than one of few, so the flattest tree is best.
 * (Up to 16 nodes the eight packets of one parent weigh as much as a level.) And packets come at
 * about the same time whether the tree is balanced or not: less than a microsecond apart. */
TEST(reductions_to_one_node_want_flat_trees)
{
    quiet = true;
    for (int p = 8; p <= 256; p *= 2) {
        double t[3];
        for (int i = 0; i < 3; i++) {
            double a = reduce_us(ary[i], p);
            t[i] = reduce_us(nomial[i], p);
            CHECK(fabs(a - t[i]) < 1, "%d nodes, K = %d: %.2f %.2f", p, ary[i].k, a, t[i]);
        }
        CHECK(t[1] < t[0], "%d nodes: K = 2 %.2f, K = 4 %.2f", p, t[0], t[1]);
        CHECK(t[2] < t[1] || p == 16, "%d nodes: K = 4 %.2f, K = 8 %.2f", p, t[1], t[2]);
    }
}

/* A host that the operating system takes away delays MPICH in each step, ours at both ends. */
TEST(interference_hurts_steps_of_hosts_more)
{
    quiet = true;
    double d0 = doubling_us(256), t0 = reduction_us(nomial[1], 256);
    quiet = false;
    rng = rng_of(2);
    double d = mean_doubling(256, 1000), t = mean_allreduce(nomial[1], 256, 300);
    CHECK(d - d0 > 1.5 * (t - t0), "MPICH %.2f + %.2f, triggered %.2f + %.2f", d0, d - d0, t0,
          t - t0);
}

static int
table(void)
{
    rng = rng_of(1);
    printf("%7s %9s %9s %9s %9s %9s %9s %9s %7s\n", "nodes", "doubling", "2-nomial", "4-nomial",
           "8-nomial", "2-ary", "4-ary", "8-ary", "less");
    for (int p = 16; p <= 65536; p *= 2) {
        int runs = p <= 256 ? 1000 : p <= 4096 ? 40 : 5;
        double d = mean_doubling(p, 4 * runs), t[6];
        for (int i = 0; i < 6; i++) t[i] = mean_allreduce(i < 3 ? nomial[i] : ary[i - 3], p, runs);
        printf("%7d %9.2f %9.2f %9.2f %9.2f %9.2f %9.2f %9.2f %6.0f%%\n", p, d, t[0], t[1], t[2],
               t[3], t[4], t[5], 100 * (1 - t[1] / d));
    }
    printf("to one node, without interference\n");
    quiet = true;
    for (int p = 16; p <= 65536; p *= 2) {
        printf("%7d %9s", p, "");
        for (int i = 0; i < 6; i++) printf(" %9.2f", reduce_us(i < 3 ? nomial[i] : ary[i - 3], p));
        printf("\n");
    }
    return 0;
}

int
main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        T(less_than_recursive_doubling), T(best_fan_out_of_k_nomial_trees),
        T(k_ary_trees_are_better), T(reductions_to_one_node_want_flat_trees),
        T(interference_hurts_steps_of_hosts_more)};
    if (!read_model(TEST_DIR "/triggered.model")) {
        printf("triggered.model cannot be read\n");
        return 1;
    }
    int result = argc > 1 && !strcmp(argv[1], "table")
                     ? table()
                     : check_main(argc, argv, tests, sizeof tests / sizeof *tests);
    free(net.heap);
    return result;
}
