/* Transactions between many nodes, with messages of different pairs in any order: all of them end,
 * and what must be true of domains is true whenever none is under way. */
#include "runtime/planner/transfer.h"
#include "tests/distrib/world.h"
#include "tests/lib/check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 64, CELLS_MAX = 1024 };

enum what { NOTE, PARCEL, NEWS };

struct message {
    struct message *next;
    enum what what;
    size_t size;
    char bytes[];
};

struct queue {
    struct message *first, **end;
};

struct soup;

struct member { /* what a node's callbacks get */
    struct soup *s;
    int node;
    unsigned told;
    struct transfers *t;
};

struct soup {
    struct world w;
    struct rng rng;
    struct queue queue[NODES_MAX * NODES_MAX];
    int busy[NODES_MAX * NODES_MAX], nbusy;
    struct member member[NODES_MAX];
    double load[CELLS_MAX];
    int open, together; /* cells were given, and not all news heard */
    long moved;
    double wanted; /* by all transfers alike; 0: as it comes */
    const char *flaw;
};

static void
post(struct soup *s, int from, int to, enum what what, const void *bytes, size_t size)
{
    int k = from * s->w.n + to;
    struct queue *q = &s->queue[k];
    struct message *m = malloc(sizeof *m + size);
    if (!m) abort();
    m->next = NULL;
    m->what = what;
    m->size = size;
    memcpy(m->bytes, bytes, size);
    if (!q->first) {
        q->end = &q->first;
        s->busy[s->nbusy++] = k;
    }
    *q->end = m;
    q->end = &m->next;
}

static void
send(void *who, int to, const void *bytes, size_t n)
{
    struct member *m = who;
    post(m->s, m->node, to, NOTE, bytes, n);
}

static double
cell_load(void *who, uint32_t cell)
{
    return ((struct member *)who)->s->load[cell];
}

struct sum {
    struct soup *s;
    double load;
};

static void
add_load(void *who, uint32_t cell)
{
    struct sum *x = who;
    x->load += x->s->load[cell];
}

static double
node_load(void *who)
{
    struct member *m = who;
    struct sum x = {m->s, 0};
    distrib_each(m->s->w.node[m->node], add_load, &x);
    return x.load;
}

/* A random part of what evens both out, now and then too much. */
static double
want(void *who, int to, double load)
{
    struct member *m = who;
    (void)to;
    double more = node_load(who) - load;
    if (m->s->wanted) return m->s->wanted;
    return more > 0 ? more * (double)rng_below(&m->s->rng, 100) / 100 : 3;
}

static void
give(void *who, int to, const uint32_t *cells, uint32_t n)
{
    struct member *m = who;
    struct buf parcel = {0};
    if (distrib_give(m->s->w.node[m->node], to, cells, n, &parcel) != OK) abort();
    post(m->s, m->node, to, PARCEL, parcel.data, parcel.size);
    buf_fini(&parcel);
    m->s->moved += n;
    if (++m->s->open > m->s->together) m->s->together = m->s->open;
}

static void
tell_news(void *who, int node, const void *news, size_t bytes)
{
    struct member *m = who;
    m->told++;
    post(m->s, m->node, node, NEWS, news, bytes);
}

static void
take(struct soup *s, int from, int to, const struct message *m)
{
    struct member *x = &s->member[to];
    x->told = 0;
    if (distrib_take(s->w.node[to], from, m->bytes, m->size, tell_news, x) != OK)
        s->flaw = "a parcel was refused";
    transfer_taken(x->t, from, x->told);
}

static void
hear(struct soup *s, int from, int to, const struct message *m)
{
    struct member *x = &s->member[to];
    x->told = 0;
    if (distrib_hear(s->w.node[to], m->bytes, m->size, tell_news, x) != OK)
        s->flaw = "news was refused";
    if (x->told) s->flaw = "news had to be passed on";
    transfer_heard(x->t, from);
}

/* The last message of a transaction is one of these: a look at its giver and taker. */
static void
look(struct soup *s, int from, int to, uint64_t before)
{
    if (transfer_counts(s->member[to].t).begun == before || s->flaw) return;
    s->flaw = distrib_flaw(s->w.node[from], false);
    if (!s->flaw) s->flaw = distrib_flaw(s->w.node[to], false);
}

/* The first message of a queue that is not empty: s->busy[i]. */
static void
deliver_from(struct soup *s, int i)
{
    int k = s->busy[i];
    struct queue *q = &s->queue[k];
    struct message *m = q->first;
    int from = k / s->w.n, to = k % s->w.n;
    q->first = m->next;
    if (!q->first) s->busy[i] = s->busy[--s->nbusy];
    uint64_t before = transfer_counts(s->member[to].t).begun;
    if (m->what == PARCEL) take(s, from, to, m);
    else if (m->what == NEWS) hear(s, from, to, m);
    else if (!transfer_hear(s->member[to].t, from, m->bytes, m->size)) s->flaw = "malformed";
    look(s, from, to, before);
    free(m);
}

static void
deliver(struct soup *s)
{
    deliver_from(s, (int)rng_below(&s->rng, (uint64_t)s->nbusy));
}

static void
planner_some(struct soup *s, int node)
{
    bool line = strcmp(s->w.kind, "patch");
    int n = 0;
    for (int side = 0; side < (line ? 2 : 2 * s->w.nodes.ndims); side++) {
        int to = side ? node + 1 : node - 1;
        if (!line) to = (int)lattice_beside(&s->w.nodes, (uint32_t)node, side);
        if (to < 0 || to >= s->w.n || !rng_below(&s->rng, 3)) continue;
        transfer_want(s->member[node].t, to);
        n++;
    }
}

static void
soup_init(struct soup *s, struct world w, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    s->w = w;
    s->rng = rng_of(seed);
    for (uint32_t c = 0; c < lattice_size(&w.cells); c++)
        s->load[c] = (double)rng_below(&s->rng, 5);
    for (int i = 0; i < w.n; i++) {
        struct member *m = &s->member[i];
        *m = (struct member){.s = s, .node = i};
        struct transfer_setup t = {.map = w.node[i],
                                   .node = i,
                                   .seed = seed * NODES_MAX + (uint64_t)i,
                                   .who = m,
                                   .send = send,
                                   .load = node_load,
                                   .want = want,
                                   .cell_load = cell_load,
                                   .give = give,
                                   .nomem = abort};
        if (transfer_new(&m->t, &t) != OK) abort();
    }
}

static void
soup_fini(struct soup *s)
{
    for (int i = 0; i < s->w.n; i++) transfer_free(s->member[i].t);
    world_free(&s->w);
}

/* Rounds in which nodes begin at different times; after each, with nothing under way, all must be
 * as it should. */
static const char *
run(struct soup *s, int rounds)
{
    for (int r = 0; r < rounds && !s->flaw; r++) {
        for (int left = s->w.n; (left || s->nbusy) && !s->flaw;) {
            if (left && (!s->nbusy || !rng_below(&s->rng, 4)))
                planner_some(s, --left);
            else deliver(s);
        }
        for (int i = 0; i < s->w.n && !s->flaw; i++)
            if (!transfer_idle(s->member[i].t)) s->flaw = "a plan has not ended";
        s->open = 0;
        if (!s->flaw) s->flaw = distrib_flaw_among(s->w.node, s->w.n, true);
    }
    return s->flaw;
}

#ifdef NDEBUG
enum { SEEDS = 60, LOADS = 40 };
#else
enum { SEEDS = 8, LOADS = 4 };
#endif

static struct soup soup;

static uint64_t
seeds(void)
{
    const char *n = getenv("LUNA_SEEDS");
    return n ? strtoull(n, NULL, 10) : SEEDS;
}

TEST(domains_stay_as_they_must)
{
    static const struct { int32_t x, y; } lattices[] = {{4, 4}, {8, 2}, {2, 2}, {6, 1}, {5, 3}};
    int together = 0;
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        int k = (int)(seed % 5);
        struct lattice nodes = lattice_of(2, lattices[k].x, lattices[k].y, 0);
        soup_init(&soup, world_new("patch", lattice_of(2, 24, 16, 0), nodes, NULL), seed);
        const char *flaw = run(&soup, 6);
        CHECK(!flaw, "seed %" PRIu64 ": %s", seed, flaw);
        CHECK(soup.moved > 20, "seed %" PRIu64 ": %ld cells moved", seed, soup.moved);
        if (soup.together > together) together = soup.together;
        soup_fini(&soup);
    }
    CHECK(together >= 3, "at most %d at a time", together);
}

TEST(borders_of_a_rope_slide)
{
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        soup_init(&soup, world_new("rope", lattice_of(2, 16, 16, 0), lattice_of(1, 7, 0, 0), NULL),
                  seed);
        const char *flaw = run(&soup, 6);
        CHECK(!flaw, "seed %" PRIu64 ": %s", seed, flaw);
        CHECK(soup.moved > 20, "seed %" PRIu64 ": %ld cells moved", seed, soup.moved);
        soup_fini(&soup);
    }
}

TEST(three_dimensions)
{
    for (uint64_t seed = 1; seed <= seeds() / 4; seed++) {
        struct lattice nodes = lattice_of(3, 2, 3, 2);
        soup_init(&soup, world_new("patch", lattice_of(3, 6, 8, 8), nodes, NULL), seed);
        const char *flaw = run(&soup, 4);
        CHECK(!flaw, "seed %" PRIu64 ": %s", seed, flaw);
        soup_fini(&soup);
    }
}

/* ---- every order of two transactions ----
 *
 * What happens at one node does not touch another: two deliveries to different nodes may be
 * swapped. So of all orders that differ by such swaps only, one is tried: a delivery that was tried
 * before in the same place sleeps until something happens at its node. */

enum { SMALL = 4, STEPS_MAX = 256 };

struct step {
    uint32_t can, sleep; /* queues, by their bits */
    int queue;
};

struct search {
    struct step step[STEPS_MAX];
    int kept, depth; /* steps to repeat; steps of the last run */
};

static uint32_t
queues_with_something(const struct soup *s)
{
    uint32_t can = 0;
    for (int i = 0; i < s->nbusy; i++) can |= 1u << s->busy[i];
    return can;
}

static uint32_t
all_to(int node)
{
    uint32_t bits = 0;
    for (int from = 0; from < SMALL; from++) bits |= 1u << (from * SMALL + node);
    return bits;
}

/* One run; false: it would only repeat another one. */
static bool
run_order(struct soup *s, struct search *x)
{
    uint32_t sleep = 0;
    for (x->depth = 0; s->nbusy && !s->flaw; x->depth++) {
        struct step *t = &x->step[x->depth];
        if (x->depth == STEPS_MAX) abort();
        if (x->depth >= x->kept) {
            *t = (struct step){queues_with_something(s), sleep, 0};
            if (!(t->can & ~sleep)) return false;
            t->queue = __builtin_ctz(t->can & ~sleep);
        }
        int i = 0;
        while (s->busy[i] != t->queue) i++;
        sleep = t->sleep & ~all_to(t->queue % SMALL);
        deliver_from(s, i);
    }
    return true;
}

/* The next run has another choice in the last step that has one. */
static bool
next_order(struct search *x)
{
    for (int d = x->depth - 1; d >= 0; d--) {
        struct step *t = &x->step[d];
        t->sleep |= 1u << t->queue;
        if (!(t->can & ~t->sleep)) continue;
        t->queue = __builtin_ctz(t->can & ~t->sleep);
        x->kept = d + 1;
        return true;
    }
    return false;
}

static void
empty_queues(struct soup *s)
{
    while (s->nbusy) {
        struct queue *q = &s->queue[s->busy[--s->nbusy]];
        for (struct message *m = q->first, *next; m; m = next) {
            next = m->next;
            free(m);
        }
        q->first = NULL;
    }
}

static uint64_t both_moved;

static const char *
try_order(struct search *x, const int plan[4], uint64_t seed, uint64_t *tried)
{
    soup_init(&soup, world_new("patch", lattice_of(2, 4, 4, 0), lattice_of(2, 2, 2, 0), NULL),
              seed);
    soup.wanted = 2 + (double)(seed % 3);
    transfer_want(soup.member[plan[0]].t, plan[1]);
    transfer_want(soup.member[plan[2]].t, plan[3]);
    if (run_order(&soup, x)) {
        ++*tried;
        for (int i = 0; i < SMALL && !soup.flaw; i++)
            if (!transfer_idle(soup.member[i].t)) soup.flaw = "a plan has not ended";
        if (!soup.flaw) soup.flaw = distrib_flaw_among(soup.w.node, soup.w.n, true);
        if (!soup.flaw) soup.flaw = soup.moved ? NULL : "nothing has moved";
        both_moved += transfer_counts(soup.member[plan[0]].t).begun &&
                      transfer_counts(soup.member[plan[2]].t).begun;
    }
    const char *flaw = soup.flaw;
    empty_queues(&soup);
    soup_fini(&soup);
    return flaw;
}

/* Two nodes that give, each to a neighbour, with loads by a seed. */
static void
try_pair(const int plan[4], uint64_t seed, uint64_t *tried)
{
    static struct search x;
    x.kept = 0;
    do {
        const char *flaw = try_order(&x, plan, seed, tried);
        CHECK(!flaw, "%d to %d, %d to %d, seed %" PRIu64 ", order %" PRIu64 ": %s", plan[0],
              plan[1], plan[2], plan[3], seed, *tried, flaw);
        if (flaw) return;
    } while (next_order(&x));
}

TEST(every_order_of_two)
{
    static const int edges[][2] = {{0, 1}, {0, 2}, {1, 0}, {1, 3}, {2, 0}, {2, 3}, {3, 1}, {3, 2}};
    uint64_t tried = 0;
    for (uint64_t seed = 1; seed <= LOADS; seed++)
        for (int a = 0; a < 8; a++)
            for (int b = a + 1; b < 8; b++) {
                int plan[] = {edges[a][0], edges[a][1], edges[b][0], edges[b][1]};
                if (plan[0] != plan[2]) try_pair(plan, seed, &tried);
            }
    CHECK(tried > 100 * LOADS && both_moved > tried / 2, "%" PRIu64 " orders, in %" PRIu64
          " of them both have given", tried, both_moved);
}

TEST(malformed_notes)
{
    soup_init(&soup, world_new("patch", lattice_of(2, 8, 8, 0), lattice_of(2, 2, 2, 0), NULL), 1);
    char bytes[24] = {9};
    CHECK(!transfer_hear(soup.member[0].t, 1, bytes, 3));
    CHECK(!transfer_hear(soup.member[0].t, 1, bytes, sizeof bytes));
    bytes[0] = 6; /* an end of nothing */
    CHECK(!transfer_hear(soup.member[0].t, 1, bytes, sizeof bytes));
    soup_fini(&soup);
}

TEST_MAIN(T(domains_stay_as_they_must), T(borders_of_a_rope_slide), T(three_dimensions),
          T(every_order_of_two), T(malformed_notes))
