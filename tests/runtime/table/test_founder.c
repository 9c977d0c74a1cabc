/* test_founder.c - what locators are told of the nodes. */
#include "runtime/fault/fault.h"
#include "runtime/table/founder.h"
#include "tests/runtime/run_child.h"

static const struct luna_place places[] = {{0, 3, 9, 12}, {0, 1, 5, 9}};
static const char *const files[] = {"test.fa"};
static const struct luna_sub subs[] = {{.name = "main", .params = "", .place = 1}};
static const struct luna_program program = {
    .places = places, .nplaces = 2, .files = files, .subs = subs, .nsubs = 1};
static const struct luna_site site = {.kind = LUNA_S_IF, .rules = LUNA_NONE, .place = 0};
static const luna_env env = {.site = &site};

static int
tenth(const void *who, uint32_t cell)
{
    return *(const int *)who + (int)cell / 10;
}

/* Of a plane of 4 x 5 cells. */
static void
set(bool one_node)
{
    static struct lattice cells;
    static const int first = 3;
    lattice_init(&cells, 2, (int32_t[]){4, 5});
    founders_set(&(struct founders){one_node ? 1 : 7, &cells, one_node ? NULL : tenth, &first});
}

TEST(nodes_are_those_of_the_run)
{
    founders_set(&(struct founders){.nodes = 5});
    CHECK(luna_nodes(&env) == 5);
    set(false);
    CHECK(luna_nodes(&env) == 7);
}

TEST(cells_have_founders)
{
    set(false);
    CHECK(luna_node_of(&env, 0, 0, 0) == 3);
    CHECK(luna_node_of(&env, 1, 4, 0) == 3);
    CHECK(luna_node_of(&env, 2, 0, 0) == 4);
    CHECK(luna_node_of(&env, 3, 4, 0) == 4);
    set(true);
    CHECK(luna_node_of(&env, 3, 4, 0) == 0);
}

static int
ask_outside(const void *at)
{
    const int32_t *cell = at;
    fault_set_program(&program);
    return luna_node_of(&env, cell[0], cell[1], 0);
}

TEST(there_is_no_cell_outside_the_lattice)
{
    set(false);
    CHECK_FAILS(run_child(ask_outside, (int32_t[]){3, 5}), 3,
                "test.fa:3:9: error[RUN13]: node(3, 5) is outside the lattice, in if\n"
                "test.fa:1:5: note: the cells are 0..3, 0..4\n"
                "hint: make the lattice as large as the indices run, or give what lies behind the "
                "last cells to these: i > 4 ? 4 : i\n");
    set(true);
    CHECK_FAILS(run_child(ask_outside, (int32_t[]){-1, 2}), 3,
                "test.fa:3:9: error[RUN13]: node(-1, 2) is outside the lattice, in if\n"
                "test.fa:1:5: note: the cells are 0..3, 0..4\n"
                "hint: give what lies before the first cells to these: i < 0 ? 0 : i\n");
}

TEST_MAIN(T(nodes_are_those_of_the_run), T(cells_have_founders),
          T(there_is_no_cell_outside_the_lattice))
