/* Transfers that must leave the domains as they must be, many at a time: it is enough that each
 * node takes part in one, and that witnesses do not give. */
#include "tests/distrib/traffic.h"
#include "tests/lib/check.h"

#include <inttypes.h>

enum { NODES_MAX = 64, CELLS_MAX = 1024 };

/* What each node does: gives, takes, or holds still for so many others. */
struct still {
    bool giving, taking;
    int held;
};

static struct still still[NODES_MAX];
static struct {
    int from, to, n, witness[NODES_MAX];
} transfers[TRANSFERS_MAX];
static double load[CELLS_MAX];
static int started, open_transfers, together;
static bool without_witnesses;

static double
load_of(void *who, uint32_t cell)
{
    (void)who;
    return load[cell];
}

static void
add_witness(void *who, int node)
{
    (void)who;
    transfers[started].witness[transfers[started].n++] = node;
}

static bool
may_start(int from, int to)
{
    bool may = !still[from].giving && !still[from].taking && !still[to].giving && !still[to].taking;
    if (without_witnesses) return may;
    for (int i = 0; i < transfers[started].n; i++)
        may &= !still[transfers[started].witness[i]].giving;
    return may && !still[from].held;
}

/* Chooses cells for a neighbour; whoever has to hold still is asked at once. */
static void
start(struct traffic *s)
{
    static uint32_t cells[CELLS_MAX];
    uint32_t n = 0;
    int from = (int)rng_below(&s->rng, (uint64_t)s->w.n);
    uint32_t to = lattice_beside(&s->w.nodes, (uint32_t)from, (int)rng_below(&s->rng, 4));
    if (to == LATTICE_NONE || started == TRANSFERS_MAX) return;
    double want = (double)rng_below(&s->rng, 30);
    if (distrib_choose(s->w.node[from], (int)to, want, load_of, NULL, cells, &n) != OK) abort();
    transfers[started].n = 0;
    if (distrib_witnesses(s->w.node[from], (int)to, cells, n, add_witness, NULL) != OK) abort();
    if (!n || !may_start(from, (int)to)) return;
    transfers[started].from = from;
    transfers[started].to = (int)to;
    still[from].giving = still[to].taking = true;
    for (int i = 0; i < transfers[started].n; i++) still[transfers[started].witness[i]].held++;
    s->transfer = started++;
    if (++open_transfers > together) together = open_transfers;
    traffic_give(s, from, (int)to, cells, n);
}

static void
ended(struct traffic *s, int transfer)
{
    int from = transfers[transfer].from, to = transfers[transfer].to;
    still[from].giving = still[to].taking = false;
    for (int i = 0; i < transfers[transfer].n; i++) still[transfers[transfer].witness[i]].held--;
    if (!--open_transfers && !s->flaw) s->flaw = distrib_flaw_among(s->w.node, s->w.n, true);
}

static const char *
run(uint64_t seed, bool line)
{
    struct traffic s;
    struct rng r = rng_of(seed * 31);
    struct lattice cells = lattice_of(2, 24, 16, 0);
    struct lattice nodes = line ? lattice_of(1, 8, 0, 0) : lattice_of(2, 4, 4, 0);
    traffic_init(&s, world_new("patch", cells, nodes, NULL), seed);
    s.ended = ended;
    memset(still, 0, sizeof still);
    started = open_transfers = 0;
    for (int c = 0; c < CELLS_MAX; c++) load[c] = (double)rng_below(&r, 4);
    for (int i = 0; i < 3000 && !s.flaw; i++) {
        if (rng_below(&s.rng, 4))
            traffic_deliver(&s);
        else if (rng_below(&s.rng, 8))
            start(&s);
        else
            traffic_ask(&s, (int)rng_below(&s.rng, (uint64_t)s.w.n),
                        (uint32_t)rng_below(&s.rng, 384));
    }
    const char *flaw = traffic_finish(&s);
    if (!flaw) flaw = distrib_flaw_among(s.w.node, s.w.n, true);
    traffic_fini(&s);
    return flaw;
}

#ifdef NDEBUG
enum { SEEDS = 60 };
#else
enum { SEEDS = 10 };
#endif

TEST(transfers_side_by_side)
{
    const char *n = getenv("LUNA_SEEDS");
    uint64_t seeds = n ? strtoull(n, NULL, 10) : SEEDS;
    together = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        const char *flaw = run(seed, seed % 4 == 0);
        CHECK(!flaw, "seed %" PRIu64 ": %s", seed, flaw);
        CHECK(started > 10, "seed %" PRIu64 ": %d transfers", seed, started);
    }
    CHECK(together >= 3, "at most %d at a time", together);
}

/* One transfer a node is not enough. */
TEST(without_witnesses_it_goes_wrong)
{
    int wrong = 0;
    without_witnesses = true;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) wrong += run(seed, false) != NULL;
    without_witnesses = false;
    CHECK(wrong, "no seed has shown it");
}

TEST_MAIN(T(transfers_side_by_side), T(without_witnesses_it_goes_wrong))
