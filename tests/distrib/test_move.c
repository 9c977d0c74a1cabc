/* Cells change hands while messages look for them. Messages between two nodes keep their order, all
 * others are stirred. Whatever happens, a cell is with one node or in one parcel, each question is
 * answered once, and at the end all that nodes believe is true. */
#include "runtime/base/mem.h"
#include "tests/distrib/traffic.h"
#include "tests/lib/check.h"

#include <inttypes.h>

struct list {
    uint32_t n, cell[4096];
};

static void
list_cell(void *who, uint32_t cell)
{
    struct list *l = who;
    l->cell[l->n++] = cell;
}

static int
any_node(struct traffic *s)
{
    return (int)rng_below(&s->rng, (uint64_t)s->w.n);
}

/* A random set of cells goes to a random node, connected or not. */
static void
give(struct traffic *s)
{
    static struct list own;
    int node = any_node(s), to = any_node(s);
    own.n = 0;
    distrib_each(s->w.node[node], list_cell, &own);
    if (to == node || !own.n) return;
    uint32_t k = 1 + (uint32_t)rng_below(&s->rng, own.n < 6 || !rng_below(&s->rng, 9) ? own.n : 6);
    for (uint32_t i = 0; i < k; i++) {
        uint32_t j = i + (uint32_t)rng_below(&s->rng, own.n - i), c = own.cell[j];
        own.cell[j] = own.cell[i];
        own.cell[i] = c;
    }
    traffic_give(s, node, to, own.cell, k);
}

/* On a rope: some cells of an end go to the neighbour there, unless that border is moving. */
static void
slide(struct traffic *s)
{
    static struct list own;
    int node = any_node(s), to = rng_below(&s->rng, 2) ? node + 1 : node - 1;
    int border = to > node ? node : to;
    own.n = 0;
    distrib_each(s->w.node[node], list_cell, &own);
    if (to < 0 || to == s->w.n || !own.n || s->sliding[border]) return;
    uint32_t k = 1 + (uint32_t)rng_below(&s->rng, own.n);
    s->sliding[border] = true;
    traffic_give(s, node, to, own.cell + (to > node ? own.n - k : 0), k);
}

/* Some runs give now and then, others pile up parcels; the last messages arrive. */
static const char *
run(struct traffic *s, uint32_t events, void (*move)(struct traffic *))
{
    uint64_t movers = rng_below(&s->rng, 30) + 1, askers = rng_below(&s->rng, 30) + 1;
    for (uint32_t i = 0; i < events && !s->flaw; i++) {
        uint64_t what = rng_below(&s->rng, 100);
        if (what < movers)
            move(s);
        else if (what < movers + askers)
            traffic_ask(s, any_node(s), (uint32_t)rng_below(&s->rng, lattice_size(&s->w.cells)));
        else
            traffic_deliver(s);
    }
    return traffic_finish(s);
}

/* LUNA_SEEDS, or a thousand; fewer where each change is checked. */
static uint64_t
seeds(void)
{
    const char *n = getenv("LUNA_SEEDS");
#ifdef NDEBUG
    return n ? strtoull(n, NULL, 10) : 1000;
#else
    return n ? strtoull(n, NULL, 10) : 200;
#endif
}

TEST(cells_of_a_patch_move_about)
{
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        struct rng r = rng_of(seed * 7919);
        int32_t a = 2 + (int32_t)rng_below(&r, 3), b = 1 + (int32_t)rng_below(&r, 4);
        struct lattice cells = seed % 3 ? lattice_of(2, 4 * a, 5 * b, 0) : lattice_of(3, 6, 5, 4);
        struct lattice nodes = lattice_of(2, a, b, 0);
        struct traffic s;
        traffic_init(&s, world_new("patch", cells, nodes, NULL), seed);
        const char *flaw = run(&s, 1500, give);
        CHECK(!flaw, "seed %" PRIu64 ": %s; %u of %u answered, %u moved", seed, flaw, s.answered,
              s.asked, s.moved);
        traffic_fini(&s);
    }
}

TEST(borders_of_a_rope_slide)
{
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        struct rng r = rng_of(seed * 7919);
        struct lattice cells = seed % 2 ? lattice_of(2, 9, 7, 0) : lattice_of(3, 4, 4, 4);
        struct lattice nodes = lattice_of(1, 2 + (int32_t)rng_below(&r, 9), 0, 0);
        struct traffic s;
        traffic_init(&s, world_new("rope", cells, nodes, NULL), seed);
        const char *flaw = run(&s, 1500, slide);
        CHECK(!flaw, "seed %" PRIu64 ": %s; %u of %u answered, %u moved", seed, flaw, s.answered,
              s.asked, s.moved);
        traffic_fini(&s);
    }
}

/* ---- orders of events that chance seldom brings ---- */

/* Six cells in a row: nodes 0, 1, 2 have two each. */
static struct world
row(const char *kind)
{
    return world_new(kind, lattice_of(1, 6, 0, 0), lattice_of(1, 3, 0, 0), NULL);
}

struct told {
    int count, node;
    size_t size;
    char bytes[1024];
};

static void
note(void *who, int node, const void *news, size_t size)
{
    struct told *t = who;
    t->count++;
    t->node = node;
    t->size = size;
    memcpy(t->bytes, news, size);
}

static struct buf
given(struct world *w, int from, int to, uint32_t cell)
{
    struct buf parcel = {0};
    if (distrib_give(w->node[from], to, &cell, 1, &parcel) != OK) abort();
    return parcel;
}

static struct told
taken(struct world *w, int from, int to, struct buf parcel)
{
    struct told told = {0};
    if (distrib_take(w->node[to], from, parcel.data, parcel.size, note, &told) != OK) abort();
    buf_fini(&parcel);
    return told;
}

TEST(a_walk_waits_for_a_cell_on_its_way)
{
    struct world w = row("patch");
    uint32_t at = LATTICE_NONE;
    struct buf late = given(&w, 0, 2, 0);
    taken(&w, 0, 1, given(&w, 0, 1, 1));
    taken(&w, 1, 2, given(&w, 1, 2, 1));
    /* Node 2 has cell 1 from node 1, and cell 0 beside it is in a slower parcel. */
    CHECK(distrib_onward(w.node[2], 0, &at) == DISTRIB_WAIT);
    at = 0;
    CHECK(distrib_onward(w.node[2], 0, &at) == DISTRIB_WAIT, "sent by node 1 to cell 0 here");
    CHECK(distrib_onward(w.node[2], 2, &at) == 1, "other walks go on");
    taken(&w, 0, 2, late);
    CHECK(distrib_onward(w.node[2], 0, &at) == 2);
    /* Node 0 has no cell left to go on from, and yet all is found from there. */
    for (uint32_t c = 0; c < 6; c++) CHECK(world_walk(&w, 0, c, false) > 0, "cell %u", c);
    world_free(&w);
}

TEST(a_walk_waits_at_a_node_that_has_only_farther_cells)
{
    struct world w = row("patch");
    uint32_t at;
    struct buf late = given(&w, 0, 2, 1);
    taken(&w, 0, 1, given(&w, 0, 1, 0));
    at = 1; /* node 1 has cell 0 now, and was told who has the one beside it */
    CHECK(distrib_onward(w.node[2], 1, &at) == DISTRIB_WAIT, "sooner than the parcel");
    taken(&w, 0, 2, late);
    CHECK(distrib_onward(w.node[2], 1, &at) == 2);
    world_free(&w);
}

TEST(the_newest_belief_is_followed)
{
    struct world w = row("patch");
    uint32_t at = LATTICE_NONE;
    taken(&w, 2, 0, given(&w, 2, 0, 5));
    taken(&w, 0, 1, given(&w, 0, 1, 5));
    CHECK(distrib_onward(w.node[0], 5, &at) == 1 && at == 5, "after it, not along the row");
    distrib_learn(w.node[0], 5, 2, 3);
    CHECK(distrib_first(w.node[0], 5, &at) == 2, "it has moved again since");
    distrib_learn(w.node[2], 5, 1, 0);
    CHECK(distrib_first(w.node[2], 5, &at) == 0, "given there later than what was learnt");
    world_free(&w);
}

TEST(news_goes_after_its_cell)
{
    struct world w = row("patch");
    struct told slow = taken(&w, 1, 0, given(&w, 1, 0, 3));
    CHECK(slow.count == 1 && slow.node == 2, "node 2 has cell 4 beside it");
    struct told quick = taken(&w, 2, 1, given(&w, 2, 1, 4));
    CHECK(quick.count == 1 && quick.node == 0, "node 1 had given cell 3 itself, and knows");
    CHECK(distrib_hear(w.node[0], quick.bytes, quick.size, note, &quick) == OK);
    struct told on = {0};
    CHECK(distrib_hear(w.node[2], slow.bytes, slow.size, note, &on) == OK);
    CHECK(on.count == 1 && on.node == 1 && on.size == slow.size, "passed on to who has cell 4 now");
    struct told end = {0};
    CHECK(distrib_hear(w.node[1], on.bytes, on.size, note, &end) == OK && !end.count);
    CHECK(!distrib_flaw_among(w.node, 3, false));
    world_free(&w);
}

TEST(what_was_given_is_known_until_forgotten)
{
    struct world w = row("patch");
    uint32_t at;
    taken(&w, 0, 2, given(&w, 0, 2, 0));
    CHECK(distrib_first(w.node[0], 0, &at) == 2, "straight to where it went");
    CHECK(distrib_first(w.node[1], 0, &at) == 0, "by the formula, and from there");
    CHECK(distrib_onward(w.node[0], 0, &at) == 2);
    CHECK(distrib_epoch(w.node[2], 0) == 1 && distrib_epoch(w.node[2], 4) == 0);
    distrib_learn(w.node[1], 0, 2, 1);
    distrib_learn(w.node[1], 0, 0, 0);
    CHECK(distrib_first(w.node[1], 0, &at) == 2, "an answer that comes late does not count");
    uint64_t bytes = distrib_bytes(w.node[0]);
    distrib_forget(w.node[0]);
    CHECK(distrib_bytes(w.node[0]) < bytes);
    CHECK(distrib_first(w.node[0], 0, &at) == 2, "it lies beside cell 1");
    for (int i = 0; i < 3; i++) {
        CHECK(distrib_founded(w.node[i], 0) == (i == 0), "that does not move");
        CHECK(distrib_bounds(w.node[i]).lo.at[0] == 2 * i);
    }
    world_free(&w);
}

TEST(a_rope_gives_its_ends_only)
{
    struct world w = row("rope");
    struct buf parcel = {0};
    uint32_t both[] = {2, 3}, twice[] = {2, 2}, foreign[] = {1, 2};
    CHECK(distrib_give(w.node[1], 0, both + 1, 1, &parcel) == E_PROTOCOL, "the wrong end");
    CHECK(distrib_give(w.node[1], 2, both, 1, &parcel) == E_PROTOCOL, "the wrong end");
    CHECK(distrib_give(w.node[0], 2, both, 1, &parcel) == E_PROTOCOL, "no neighbour");
    CHECK(distrib_give(w.node[1], 0, twice, 2, &parcel) == E_PROTOCOL);
    CHECK(distrib_give(w.node[1], 0, foreign, 2, &parcel) == E_PROTOCOL);
    CHECK(!parcel.size && distrib_count(w.node[1]) == 2);
    CHECK(distrib_give(w.node[1], 2, both, 2, &parcel) == OK && !distrib_count(w.node[1]));
    CHECK(distrib_take(w.node[2], 1, parcel.data, parcel.size, note, NULL) == OK);
    CHECK(distrib_take(w.node[2], 1, parcel.data, parcel.size, note, NULL) == E_PROTOCOL, "again");
    CHECK(distrib_count(w.node[2]) == 4 && distrib_epoch(w.node[2], 2) == 1);
    CHECK(world_walk(&w, 0, 2, false) == 2, "through an empty segment");
    buf_fini(&parcel);
    world_free(&w);
}

TEST(formulas_do_not_move)
{
    struct world w = row("cyclic");
    CHECK(!distrib_moves(w.node[0]));
    CHECK(distrib_take(w.node[0], 1, "", 0, note, NULL) == E_PROTOCOL);
    CHECK(distrib_hear(w.node[0], "", 0, note, NULL) == E_PROTOCOL);
    world_free(&w);
    w = row("rope");
    CHECK(distrib_moves(w.node[0]));
    CHECK(distrib_hear(w.node[0], "", 0, note, NULL) == E_PROTOCOL, "a rope has no news");
    world_free(&w);
}

/* Parcels and news with some bytes changed, cut, or made up: taken or refused, and never something
 * that is wrong in itself. */
TEST(malformed_messages_are_refused)
{
    struct rng r = rng_of(1);
    int refused = 0;
    for (int i = 0; i < 3000; i++) {
        struct world w = row(i % 5 ? "patch" : "rope");
        struct told told = {0};
        struct buf parcel = given(&w, 1, 2, 3);
        size_t size = parcel.size;
        if (i % 2) size = rng_below(&r, size + 1);
        uint64_t changes = rng_below(&r, 4);
        for (uint64_t k = 0; k < changes; k++)
            parcel.data[rng_below(&r, parcel.size)] = (char)(rng_below(&r, 8) - 2);
        enum err e = distrib_take(w.node[2], 1, parcel.data, size, note, &told);
        CHECK(e == OK || e == E_FORMAT || e == E_PROTOCOL, "%s", err_text(e));
        enum err h = distrib_hear(w.node[2], parcel.data, size, note, &told);
        CHECK(h == OK || h == E_FORMAT || h == E_PROTOCOL, "%s", err_text(h));
        refused += e != OK;
        buf_fini(&parcel);
        world_free(&w);
    }
    CHECK(refused > 1000, "only %d were refused", refused);
}

TEST(a_cell_twice_in_a_parcel_is_refused)
{
    struct world w = row("patch");
    struct buf parcel = given(&w, 1, 2, 3), twice = {0};
    buf_add(&twice, parcel.data, parcel.size);
    buf_add(&twice, parcel.data, parcel.size);
    CHECK(distrib_take(w.node[2], 1, twice.data, twice.size, note, NULL) == E_FORMAT);
    CHECK(distrib_count(w.node[2]) == 2 && !distrib_flaw(w.node[2], true));
    buf_fini(&parcel);
    buf_fini(&twice);
    world_free(&w);
}

/* What is planned on copies happens to the copies alone. */
TEST(copies_are_apart)
{
    for (int rope = 0; rope < 2; rope++) {
        struct world w = row(rope ? "rope" : "patch"), plan = w;
        taken(&w, 1, 2, given(&w, 1, 2, 3));
        plan.node = calloc(3, sizeof *plan.node);
        for (int i = 0; i < 3; i++) CHECK(distrib_copy(&plan.node[i], w.node[i]) == OK);
        CHECK(!distrib_flaw_among(plan.node, 3, true));
        taken(&plan, 2, 1, given(&plan, 2, 1, 3));
        taken(&plan, 1, 0, given(&plan, 1, 0, 2));
        CHECK(!distrib_flaw_among(w.node, 3, true) && !distrib_flaw_among(plan.node, 3, false));
        CHECK(world_owner(&w, 2) == 1 && world_owner(&w, 3) == 2);
        CHECK(world_owner(&plan, 2) == 0 && world_owner(&plan, 3) == 1);
        CHECK(distrib_founded(plan.node[1], 3) && distrib_bounds(plan.node[1]).lo.at[0] == 2);
        world_free(&plan);
        struct distrib *copy = NULL;
        enum err e = E_NOMEM;
        for (long n = 0; e == E_NOMEM; n++) {
            mem_fail_after(n);
            e = distrib_copy(&copy, w.node[1]);
            mem_fail_after(-1);
            CHECK((e == OK) == (copy != NULL) && n < 20);
        }
        distrib_free(copy);
        world_free(&w);
    }
}

/* Each allocation of a transfer fails in turn; whoever fails is as before. */
TEST(out_of_memory_changes_nothing)
{
    for (long n = 0, done = 0; !done; n++) {
        struct world w = row("patch");
        struct buf parcel = {0};
        struct told told = {0};
        uint32_t cells[] = {2, 3};
        mem_fail_after(n);
        enum err e = distrib_give(w.node[1], 2, cells, 2, &parcel);
        uint32_t left = distrib_count(w.node[1]);
        enum err t = e;
        if (e == OK) t = distrib_take(w.node[2], 1, parcel.data, parcel.size, note, &told);
        mem_fail_after(-1);
        CHECK(e == OK ? left == 0 : e == E_NOMEM && left == 2, "give, %ld", n);
        CHECK(t == OK || (t == E_NOMEM && distrib_count(w.node[2]) == 2), "take, %ld", n);
        CHECK(!distrib_flaw(w.node[1], false) && !distrib_flaw(w.node[2], false));
        done = t == OK;
        buf_fini(&parcel);
        world_free(&w);
    }
}

TEST_MAIN(T(cells_of_a_patch_move_about), T(borders_of_a_rope_slide),
          T(a_walk_waits_for_a_cell_on_its_way),
          T(a_walk_waits_at_a_node_that_has_only_farther_cells), T(the_newest_belief_is_followed),
          T(news_goes_after_its_cell), T(what_was_given_is_known_until_forgotten),
          T(a_rope_gives_its_ends_only), T(formulas_do_not_move), T(malformed_messages_are_refused),
          T(a_cell_twice_in_a_parcel_is_refused), T(copies_are_apart),
          T(out_of_memory_changes_nothing))
