/* test_triggered_net.c - the engine over what carries the runtime's packets: nodes of one process,
 * a thread each; simulated nodes; ranks of MPI. Each node arms its part of a row of reductions,
 * early or late, and goes on; the results are the same everywhere.
 *
 *     test_triggered_net                                local and sim
 *     mpiexec -n N test_triggered_net luna_mpi.so       ranks */
#include "collectives/ops/triggered.h"
#include "runtime/base/pool.h"
#include "runtime/base/rng.h"
#include "runtime/net/transport.h"
#include "tests/collectives/compose.h"
#include "tests/lib/check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

enum { OPERATIONS = 60, NODES_MAX = 20, WORDS = 64, BYTES = 8 * WORDS, KIND = 1 };

struct member {
    struct transport *net;
    struct trig *t;
    int order[OPERATIONS], armed; /* in which it arms them; those before `armed` are */
    uint64_t result[OPERATIONS][WORDS];
    size_t got[OPERATIONS];
    enum err error;
};

/* What a packet's body begins with; the value follows. */
struct head {
    uint64_t operation;
    uint32_t segment, from, slot;
};

static void
on_send(void *who, int to, const struct trig_packet *p)
{
    struct member *m = who;
    struct head h = {p->operation, p->segment, p->from, p->slot};
    struct packet *packet = packet_new(KIND, (uint32_t)sizeof h + p->bytes);
    if (!packet) abort();
    memcpy(packet->body, &h, sizeof h);
    memcpy(packet->body + sizeof h, p->data, p->bytes);
    m->net->ops->send(m->net, to, packet);
}

static void
on_done(void *who, uint64_t operation, size_t at, const void *data, size_t bytes)
{
    struct member *m = who;
    memcpy((char *)m->result[operation] + at, data, bytes);
    m->got[operation] += bytes;
}

static void
value_of(int node, int operation, uint64_t *to)
{
    struct rng r = rng_of((uint64_t)(node * OPERATIONS + operation));
    for (int i = 0; i < WORDS; i++) to[i] = rng_next(&r) | 1;
}

/* Trees along which the order is that of the nodes, from the root on. */
static struct trig_reduction
reduction(int operation, int nodes)
{
    static const enum coll_tree trees[] = {COLL_KNOMIAL, COLL_FLAT, COLL_KNOMIAL, COLL_CHAIN};
    return (struct trig_reduction){.operation = (uint64_t)operation, .tree = trees[operation % 4],
                                   .fan_out = 2 + operation % 5, .nodes = nodes,
                                   .root = operation * 7 % nodes, .bytes = BYTES,
                                   .segment_bytes = operation % 3 ? 112 : BYTES,
                                   .combine = compose};
}

static bool
is_for_all(int operation)
{
    return operation % 2;
}

/* ---- a member ---- */

static void
member_begin(struct member *m, struct transport *net)
{
    struct rng r = rng_of((uint64_t)net->node);
    struct trig_world w = {on_send, on_done, m};
    *m = (struct member){.net = net};
    if (trig_new(&m->t, net->node, &w)) abort();
    for (int i = 0; i < OPERATIONS; i++) {
        int at = (int)rng_below(&r, (uint64_t)i + 1);
        m->order[i] = m->order[at];
        m->order[at] = i;
    }
}

/* Takes what has come, and arms one more. True: there is more to arm, or to wait for. */
static bool
member_turn(struct member *m)
{
    struct transport *net = m->net;
    for (struct packet *p = net->ops->poll(net), *next; p; p = next) {
        struct head h;
        next = p->next;
        memcpy(&h, p->body, sizeof h);
        struct trig_packet q = {.operation = h.operation, .segment = h.segment, .from = h.from,
                                .slot = (uint16_t)h.slot, .bytes = p->size - (uint32_t)sizeof h,
                                .data = p->body + sizeof h};
        enum err e = trig_arrive(m->t, &q);
        if (e) m->error = e;
        packet_free(p);
    }
    if (m->armed < OPERATIONS) {
        int o = m->order[m->armed++];
        uint64_t value[WORDS];
        struct trig_reduction r = reduction(o, net->nodes);
        value_of(net->node, o, value);
        r.value = value;
        enum err e = (is_for_all(o) ? trig_allreduce : trig_reduce)(m->t, &r);
        if (e) m->error = e;
    }
    if (net->ops->flush) net->ops->flush(net);
    return m->armed < OPERATIONS || trig_pending(m->t);
}

/* NULL: all is right. */
static const char *
member_end(struct member *m)
{
    int nodes = m->net->nodes, node = m->net->node;
    const char *wrong = m->error ? err_text(m->error) : NULL;
    for (int o = 0; o < OPERATIONS; o++) {
        struct trig_reduction r = reduction(o, nodes);
        uint64_t value[NODES_MAX][WORDS], want[WORDS];
        const void *in[NODES_MAX];
        bool gets = is_for_all(o) || node == r.root;
        for (int v = 0; v < nodes; v++) {
            value_of((v + r.root) % nodes, o, value[v]);
            in[v] = value[v];
        }
        compose(NULL, want, in, nodes, BYTES);
        if (m->got[o] != (gets ? BYTES : 0)) wrong = "a result too many or too few";
        else if (gets && memcmp(want, m->result[o], BYTES)) wrong = "another result";
    }
    trig_free(m->t);
    return wrong;
}

/* ---- nodes of one process ---- */

static struct member members[NODES_MAX];

static void *
node_thread(void *arg)
{
    struct member *m = arg;
    while (member_turn(m)) sched_yield();
    pool_thread_flush();
    return NULL;
}

TEST(nodes_of_one_process)
{
    for (int nodes = 1; nodes <= NODES_MAX; nodes += 1 + nodes / 2) {
        struct transport *net[NODES_MAX];
        pthread_t thread[NODES_MAX];
        CHECK(!transport_local_new(net, nodes), "new");
        for (int i = 0; i < nodes; i++) member_begin(&members[i], net[i]);
        for (int i = 0; i < nodes; i++)
            pthread_create(&thread[i], NULL, node_thread, &members[i]);
        for (int i = 0; i < nodes; i++) pthread_join(thread[i], NULL);
        for (int i = 0; i < nodes; i++) {
            const char *wrong = member_end(&members[i]);
            CHECK(!wrong, "node %d of %d: %s", i, nodes, wrong);
        }
        for (int i = 0; i < nodes; i++) net[i]->ops->free(net[i]);
    }
}

/* ---- simulated nodes ---- */

TEST(simulated_nodes)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        int nodes = 1 + (int)seed % NODES_MAX, i;
        struct transport *net[NODES_MAX];
        struct sim_options o = {seed, 10000, 1 << 30};
        struct sim *sim;
        CHECK(!sim_new(&sim, net, nodes, &o), "new");
        for (i = 0; i < nodes; i++) member_begin(&members[i], net[i]);
        while (sim_next(sim, &i)) {
            member_turn(&members[i]);
            sim_turned(sim, i, 100, members[i].armed < OPERATIONS);
        }
        for (i = 0; i < nodes; i++) {
            const char *wrong = trig_pending(members[i].t) ? "something is left" : NULL;
            const char *also = member_end(&members[i]);
            CHECK(!wrong && !also, "seed %llu, node %d of %d: %s", (unsigned long long)seed, i,
                  nodes, wrong ? wrong : also);
        }
        for (i = 0; i < nodes; i++) net[i]->ops->free(net[i]);
        sim_free(sim);
    }
}

/* ---- ranks ---- */

static void
host_fail(const char *text)
{
    printf("%s\n", text);
    exit(1);
}

static void
host_leave(int code)
{
    exit(code);
}

static struct commons_ticket
host_commons(int index)
{
    return commons_open(index, (size_t)1 << 30);
}

static int
rank(const char *module)
{
    static const struct transport_host host = {
        packet_new,   packet_free,   block_new,    block_release,  block_lend, block_borrow,
        block_tidy,   host_commons,  commons_join, commons_decide, host_fail,  host_leave};
    const char *why = "no such module";
    int code = 1;
    void *object = dlopen(module, RTLD_NOW | RTLD_GLOBAL);
    const struct transport_mpi *mpi = object ? dlsym(object, TRANSPORT_MPI_SYMBOL) : NULL;
    struct transport *net = mpi ? mpi->open(&host, &why, &code) : NULL;
    if (!net || net->nodes > NODES_MAX) host_fail(net ? "too many ranks" : why);
    member_begin(&members[0], net);
    while (member_turn(&members[0])) sched_yield();
    const char *wrong = member_end(&members[0]);
    uint64_t faults = wrong != NULL;
    if (wrong) printf("rank %d of %d: %s\n", net->node, net->nodes, wrong);
    mpi->sum(net, &faults, 1);
    if (!net->node) printf("%d ranks, %d faults\n", net->nodes, (int)faults);
    mpi->close(net, (int)faults);
    return faults != 0;
}

int
main(int argc, char **argv)
{
    static const struct check_test tests[] = {T(nodes_of_one_process), T(simulated_nodes)};
    if (argc > 1 && strstr(argv[1], ".so")) return rank(argv[1]);
    return check_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
