/* Loads of cells: what one look at counters and costs makes of them, and of the look before. */
#include "runtime/base/mem.h"
#include "runtime/node/costs.h"
#include "runtime/rebalance/loads.h"
#include "tests/distrib/world.h"
#include "tests/lib/check.h"

#include <math.h>
#include <string.h>

enum { CELLS = 8 };

/* One node with all cells, one worker, and the time of its looks. */
struct look {
    struct world world;
    struct node node;
    struct worker worker;
    struct loads loads;
    enum load_measure measure;
    uint64_t now_ns;
};

static void
look_init(struct look *k, enum load_measure measure)
{
    struct lattice cells = lattice_of(1, CELLS, 0, 0), nodes = lattice_of(1, 1, 0, 0);
    memset(k, 0, sizeof *k);
    k->world = world_new("patch", cells, nodes, NULL);
    k->node.map = k->world.node[0];
    k->node.workers = &k->worker;
    k->node.nworkers = 1;
    k->measure = measure;
    k->loads.speed = 1;
    CHECK(lives_new(&k->node.lives, true) == OK && costs_new(&k->worker.costs) == OK);
}

static void
look_fini(struct look *k)
{
    loads_fini(&k->loads);
    costs_free(k->worker.costs);
    lives_free_all();
    world_free(&k->world);
}

static void
look_again(struct look *k)
{
    k->now_ns += 1000;
    CHECK(loads_take(&k->loads, &k->node, k->measure, k->now_ns) == OK);
}

static void
calls(struct look *k, uint32_t cell, int n, double cost)
{
    for (int i = 0; i < n; i++) CHECK(costs_note(k->worker.costs, cell, cost) == OK);
}

static void
bytes(struct look *k, uint32_t cell, long n)
{
    live_add(lives_of(k->node.lives, cell + 1), n, 1);
}

static bool
loaded(const struct look *k, uint32_t cell, double load)
{
    return fabs(loads_of(&k->loads, cell) - load) < 1e-9;
}

TEST(half_of_what_lived_before_counts)
{
    struct look k;
    look_init(&k, LOAD_BYTES);
    bytes(&k, 2, 100);
    bytes(&k, 2, 60);
    bytes(&k, 5, 40);
    look_again(&k);
    CHECK(loaded(&k, 2, 160) && loaded(&k, 5, 40) && loaded(&k, 0, 0));
    CHECK(k.loads.n == CELLS && k.loads.total == 200 && k.loads.heaviest == 160);
    bytes(&k, 2, -160);
    bytes(&k, 5, -50); /* more than there was: it has moved, and is counted anew elsewhere */
    look_again(&k);
    CHECK(loaded(&k, 2, 80) && loaded(&k, 5, 20) && loads_bytes_of(&k.loads, 2) == 0);
    k.measure = LOAD_COUNT;
    look_again(&k);
    CHECK(loaded(&k, 2, 41.5), "%g: three fragments, and half of 80", loads_of(&k.loads, 2));
    look_fini(&k);
}

/* With values, and not one call since the first, which made them. */
TEST(whose_turn_has_not_come_costs_what_others_do)
{
    struct look k;
    look_init(&k, LOAD_TIME);
    for (uint32_t c = 0; c < 4; c++) bytes(&k, c, 100);
    calls(&k, 0, 2, 10);
    calls(&k, 1, 3, 30);
    calls(&k, 3, 1, 500);
    look_again(&k);
    CHECK(loaded(&k, 0, 10) && loaded(&k, 1, 30) && loaded(&k, 3, 500));
    CHECK(loaded(&k, 2, 180), "%g: the mean over cells, not over calls", loads_of(&k.loads, 2));
    CHECK(loaded(&k, 4, 0), "no values: nothing to do");

    calls(&k, 0, 1, 10);
    calls(&k, 1, 1, 30);
    look_again(&k);
    CHECK(loaded(&k, 3, 20), "%g: the first call was of another kind", loads_of(&k.loads, 3));
    CHECK(loaded(&k, 2, 20), "%g", loads_of(&k.loads, 2));
    look_fini(&k);
}

TEST(who_has_had_calls_is_not_guessed)
{
    struct look k;
    look_init(&k, LOAD_TIME);
    for (uint32_t c = 0; c < 3; c++) bytes(&k, c, 100);
    look_again(&k);
    CHECK(loaded(&k, 0, 0) && loaded(&k, 2, 0), "nobody has had calls");
    calls(&k, 0, 1, 10);
    calls(&k, 1, 1, 500);
    look_again(&k);
    calls(&k, 0, 1, 10);
    calls(&k, 1, 1, 500);
    calls(&k, 5, 2, 70);
    look_again(&k);
    calls(&k, 0, 1, 10);
    look_again(&k);
    CHECK(loaded(&k, 1, 500), "%g: two calls", loads_of(&k.loads, 1));
    CHECK(loaded(&k, 5, 70), "%g: two calls at once, and no values", loads_of(&k.loads, 5));
    CHECK(loaded(&k, 2, 10), "%g: none yet", loads_of(&k.loads, 2));
    look_fini(&k);
}

/* One look sees some calls from before the node became slower and some from after. */
TEST(where_all_calls_take_longer_it_is_the_node)
{
    struct look k;
    look_init(&k, LOAD_TIME);
    for (int look = 0; look < 6; look++) {
        for (uint32_t c = 0; c < CELLS; c++)
            calls(&k, c, look ? 1 : 8, (c + 1) * (look < 3 + (int)c % 2 ? 10 : 30));
        look_again(&k);
        double speed = look < 4 ? 1 : 1. / 3;
        CHECK(fabs(k.loads.speed - speed) < 1e-9, "look %d: %g", look, k.loads.speed);
        CHECK(look < 5 || loaded(&k, 7, 240), "%g: a load is time here", loads_of(&k.loads, 7));
    }
    look_fini(&k);
}

/* A spot that comes over one cell after the other. */
/* The first calls of all cells make the values that the others work on. */
TEST(first_calls_tell_nothing_of_the_node)
{
    struct look k;
    look_init(&k, LOAD_TIME);
    for (int look = 0; look < 12; look++) {
        for (uint32_t c = 0; c < CELLS; c++) calls(&k, c, 1, look ? 100 : 1);
        look_again(&k);
        CHECK(k.loads.speed == 1, "look %d: %g", look, k.loads.speed);
    }
    look_fini(&k);
}

TEST(where_some_calls_take_longer_it_is_their_cells)
{
    struct look k;
    look_init(&k, LOAD_TIME);
    for (int look = 0; look < 12; look++) {
        for (uint32_t c = 0; c < CELLS; c++)
            calls(&k, c, look ? 1 : 8, look > 2 * (int)c ? 40 : 10);
        look_again(&k);
        CHECK(k.loads.speed == 1, "look %d: %g", look, k.loads.speed);
    }
    look_fini(&k);
}

/* Calls of one cell half as often as of another, when it is known for both. */
TEST(how_often_counts_when_it_is_known)
{
    struct look k;
    look_init(&k, LOAD_WEIGHT);
    calls(&k, 0, 4, 6);
    calls(&k, 1, 2, 6);
    look_again(&k);
    CHECK(loaded(&k, 0, 6) && loaded(&k, 1, 6), "known from eight calls on");
    for (int i = 0; i < 3; i++) {
        calls(&k, 0, 4, 6);
        calls(&k, 1, 2, 6);
        look_again(&k);
    }
    CHECK(loaded(&k, 0, 8) && loaded(&k, 1, 4), "%g %g", loads_of(&k.loads, 0),
          loads_of(&k.loads, 1));
    CHECK(k.loads.active == 2 && fabs(k.loads.often - .006) < 1e-9, "%g", k.loads.often);

    /* Others have calls a third as often as ours: far apart, and that counts. */
    k.loads.often_elsewhere = .001;
    look_again(&k);
    CHECK(loads_of(&k.loads, 0) > 2 * 8, "%g", loads_of(&k.loads, 0));
    look_fini(&k);
}

/* What is known of a cell goes with it, and what it brings is not forgotten. */
TEST(cells_come_and_go)
{
    struct look k;
    look_init(&k, LOAD_TIME);
    for (uint32_t c = 0; c < CELLS; c++) calls(&k, c, 1, 10);
    look_again(&k);
    struct cell_load went = *loads_find(&k.loads, 3);
    loads_drop(&k.loads, 3);
    loads_drop(&k.loads, 3);
    CHECK(!loads_has(&k.loads, 3) && k.loads.total == 70 && loads_of(&k.loads, 3) == 0);
    CHECK(loads_has(&k.loads, 2) && loads_has(&k.loads, 4));
    went.mean = 25;
    went.ever = 9;
    CHECK(loads_add(&k.loads, &went) == OK && k.loads.total == 80 && k.loads.n == CELLS);
    CHECK(loads_find(&k.loads, 3)->mean == 25);
    CHECK(loads_add(&k.loads, &went) == OK && k.loads.total == 80, "it is here");
    look_again(&k);
    CHECK(loads_find(&k.loads, 3)->mean == 25 && loads_find(&k.loads, 3)->ever == 9);
    look_fini(&k);
}

TEST(costs_of_many_cells)
{
    struct look k;
    look_init(&k, LOAD_TIME);
    for (uint32_t c = 0; c < 5000; c++) calls(&k, c * 77, 1, c); /* not ours: no matter */
    calls(&k, 7, 1, 3);
    look_again(&k);
    CHECK(loaded(&k, 0, 0) && loaded(&k, 7, 3));
    look_again(&k);
    CHECK(loaded(&k, 7, 3), "what was noted is counted once");
    CHECK(loads_find(&k.loads, 7)->ever == 1);
    look_fini(&k);
}

TEST(without_memory)
{
    bool done = false;
    for (long n = 0; !done; n++) {
        struct look k;
        look_init(&k, LOAD_TIME);
        mem_fail_after(n);
        done = loads_take(&k.loads, &k.node, k.measure, 1) == OK;
        for (uint32_t c = 0; c < 100 && done; c++) done = costs_note(k.worker.costs, c, 1) == OK;
        mem_fail_after(-1);
        look_fini(&k);
    }
}

TEST_MAIN(T(half_of_what_lived_before_counts), T(whose_turn_has_not_come_costs_what_others_do),
          T(who_has_had_calls_is_not_guessed), T(where_all_calls_take_longer_it_is_the_node),
          T(first_calls_tell_nothing_of_the_node),
          T(where_some_calls_take_longer_it_is_their_cells), T(how_often_counts_when_it_is_known),
          T(cells_come_and_go), T(costs_of_many_cells), T(without_memory))
