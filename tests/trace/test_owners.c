/* test_owners.c - which line about a cell counts; coarser maps; figures of three dimensions. */
#include "apps/luna/trace/owners.h"

#include "tests/lib/check.h"

static struct arena *arena;

static struct owners *
start(int ndims, const int32_t *sides, unsigned nodes, uint64_t at)
{
    struct trace_run run = {.nodes = nodes, .workers = 1};
    if (!arena) arena = arena_new();
    if (!arena || !lattice_init(&run.cells, ndims, sides)) abort();
    return owners_new(arena, &run, at);
}

static void
own(struct owners *o, unsigned node, uint64_t t, const char *cells)
{
    uint32_t list[64];
    struct trace_event e = {.ev = TRACE_EV_OWN, .t = t, .owned = list};
    for (; *cells; cells++) list[e.cells++] = (uint32_t)(*cells - 'a');
    owners_add(o, node, &e);
}

static void
move(struct owners *o, unsigned node, uint64_t t, char cell, unsigned to)
{
    struct trace_event e = {.ev = TRACE_EV_MOVE, .t = t, .to = to, .cell = (uint32_t)(cell - 'a')};
    owners_add(o, node, &e);
}

/* Owners of all cells as digits, '.' for none. */
static const char *
settled(struct owners *o)
{
    uint32_t n = lattice_size(&o->cells);
    char *text = arena_alloc(arena, n + 1);
    if (o->gathering) owners_settle(o);
    for (uint32_t c = 0; c < n; c++)
        text[c] = o->of[c] == OWNERS_NONE ? '.' : (char)('0' + o->of[c]);
    return text;
}

static const int32_t six[] = {6};

TEST(the_latest_list_before_the_moment_counts)
{
    for (uint64_t at = 0; at < 40; at += 10) {
        struct owners *o = start(1, six, 2, at);
        own(o, 0, 0, "abc");
        own(o, 0, 30, "a"); /* of another worker: not in order */
        own(o, 0, 10, "abcd");
        own(o, 0, 20, "ab");
        own(o, 1, 0, "f");
        static const char *const want[] = {"000..1", "0000.1", "00...1", "0....1"};
        CHECK_STR(settled(o), want[at / 10]);
        CHECK(o->told == 11 && !o->twice);
    }
}

TEST(a_move_counts_until_a_later_list)
{
    struct owners *o = start(1, six, 3, 100);
    own(o, 0, 0, "abcdef");
    own(o, 1, 0, "");
    own(o, 2, 0, "");
    move(o, 0, 10, 'a', 1);
    move(o, 1, 30, 'a', 2); /* on it goes; told before the move that came first */
    move(o, 0, 20, 'b', 1);
    move(o, 0, 10, 'b', 2);
    move(o, 0, 50, 'c', 1);
    own(o, 0, 50, "cdef"); /* at the moment of the move, and before it */
    move(o, 0, 60, 'd', 1);
    own(o, 0, 70, "cdef"); /* it came back */
    move(o, 0, 101, 'e', 1);
    CHECK_STR(settled(o), "210000");
    CHECK(!o->twice);

    o = start(1, six, 3, 55);
    own(o, 0, 0, "abcdef");
    move(o, 0, 50, 'c', 1);
    own(o, 0, 50, "cdef");
    CHECK_STR(settled(o), "..1000");
}

TEST(the_first_list_is_of_the_start)
{
    struct owners *o = start(1, six, 2, 0);
    own(o, 0, 7, "abc");
    own(o, 0, 8, "a");
    own(o, 1, 9, "def");
    CHECK_STR(settled(o), "000111");
}

TEST(of_two_owners_the_later_counts)
{
    struct owners *o = start(1, six, 3, 100);
    own(o, 0, 0, "");
    own(o, 1, 0, "");
    own(o, 2, 0, "f");
    own(o, 0, 20, "abc");
    own(o, 1, 10, "bcd");
    own(o, 2, 30, "dcf");
    CHECK_STR(settled(o), "0022.2");
    CHECK(o->twice == 3 && o->twice_cell == 1 && o->twice_by[0] == 0 && o->twice_by[1] == 1);
}

TEST(a_block_is_whose_most_of_it_is)
{
    const int32_t sides[] = {3, 5};
    struct owners *o = start(2, sides, 4, 0);
    own(o, 0, 0, "abf");    /* a b c d e */
    own(o, 1, 0, "gcdhe");  /* f g h i j */
    own(o, 2, 0, "ijkl");   /* k l m n o */
    own(o, 3, 0, "mn");     /* o: nobody's */
    CHECK_STR(settled(o), "00111" "01122" "2233.");
    struct owners *half = owners_shrink(arena, o, 2);
    CHECK(half->cells.side[0] == 2 && half->cells.side[1] == 3);
    half->gathering = NULL;
    CHECK_STR(settled(half), "011" "23.");
    CHECK_STR(settled(owners_shrink(arena, half, 1)), "011" "23.");
    struct owners *one = owners_shrink(arena, o, 5);
    one->gathering = NULL;
    CHECK_STR(settled(one), "1");

    o = start(1, six, 2, 0); /* a tie with nobody */
    own(o, 0, 0, "f");
    own(o, 1, 0, "be");
    settled(o);
    struct owners *pairs = owners_shrink(arena, o, 2);
    pairs->gathering = NULL;
    CHECK_STR(settled(pairs), "1.0");
}

TEST(figures_of_a_cube)
{
    const int32_t sides[] = {2, 2, 2};
    struct owners *o = start(3, sides, 4, 0);
    own(o, 0, 0, "adg"); /* a = 000, d = 011, g = 110: none beside another */
    own(o, 1, 0, "bcf"); /* b = 001, c = 010, f = 101: b and f are */
    own(o, 2, 0, "h");
    CHECK_STR(settled(o), "0110.102");
    struct owners_figures f = owners_figures(arena, o);
    CHECK(f.pairs == 12 && f.nobodys == 1);
    CHECK(f.node[0].cells == 3 && f.node[0].pieces == 3);
    CHECK(f.node[1].cells == 3 && f.node[1].pieces == 2);
    CHECK(f.node[2].cells == 1 && f.node[2].pieces == 1 && f.node[2].neighbours == 2);
    CHECK(f.node[2].near[0] == 0 && f.node[2].near[1] == 1);
    CHECK(f.node[3].cells == 0 && f.node[3].neighbours == 0);
    /* a: b c, d: b c h, g: c h, f: h; e is nobody's. */
    CHECK(f.cut == 8, "%llu", (unsigned long long)f.cut);
}

TEST_MAIN(T(the_latest_list_before_the_moment_counts), T(a_move_counts_until_a_later_list),
          T(the_first_list_is_of_the_start), T(of_two_owners_the_later_counts),
          T(a_block_is_whose_most_of_it_is), T(figures_of_a_cube))
