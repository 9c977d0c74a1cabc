/* test_waste.c - good runs pass, and one gap in them does not; texts are unrolled as the language
 * says. Runs are made by hand: lines of when and where. */
#include "listed.h"
#include "shapes.h"
#include "tree.h"
#include "verdict.h"

#include "tests/lib/check.h"

#include <stdarg.h>

static const struct verdict_terms terms = {1200, 200, 20000};
static struct graph *g;
static struct run r;

/* Functions are w0(cost, out), w1(cost, in, out), ... */
static void
program(const char *text, int nodes, int workers)
{
    static int owner[RUN_CELLS_MAX];
    for (int i = 0; i < RUN_CELLS_MAX; i++) owner[i] = i % nodes;
    graph_free(g);
    run_fini(&r);
    g = graph_of(text);
    graph_place(g, nodes, owner);
    run_begin(&r, g, nodes, workers);
}

/* When this call ran, in us, on its node. */
static void
ran(const char *name, double begin, double end)
{
    for (int i = 0; i < g->things; i++)
        if (g->thing[i].kind == THING_CALL && !strcmp(g->thing[i].name, name))
            run_call(&r, i, g->thing[i].at.node, 0, (int64_t)(begin * 1e3), (int64_t)(end * 1e3));
}

static double
waste(void)
{
    run_check(&r, g);
    if (*r.wrong) return -1;
    return (double)verdict_of(g, &r, &terms).longest * 1e-3;
}

#define PASSES() CHECK(waste() == 0, "waste %g: %s", waste(), r.wrong)
#define FAILS(us) CHECK(waste() > (us) - 5 && waste() < (us) + 5, "waste %g: %s", waste(), r.wrong)

/* ---- one value goes from node 0 to node 1 ---- */

static const char pair[] = "sub main() { df x; cf a: w0(100, x[0]); cf b: w1(100, x[0], x[1]); }"
                           " @ { locator_cyclic x[i] => i; locator_cyclic a => 0;"
                           " locator_cyclic b => 1; }";

TEST(a_message_is_waited_for)
{
    program(pair, 2, 1);
    ran("a", 0.2, 100.2);
    ran("b", 101, 201);
    PASSES();
    ran("b", 121, 221);
    PASSES();
    ran("b", 131, 231);
    FAILS(30);
}

TEST(who_begins_late_for_no_reason_wastes)
{
    program(pair, 2, 1);
    ran("a", 40, 140);
    ran("b", 141, 241);
    FAILS(40);
}

/* ---- requests ---- */

static const char loop[] = "sub main() { df x, y, z; cf a: w0(1, x);"
                           " for i = 0 .. 1 { cf b[i]: w1(100, x, y[i]); }"
                           " cf d: w1(500, x, z); cf e: w1(500, x, z[0]); }"
                           " @ { locator_cyclic b[i] => i; locator_cyclic y[i] => i; }";

TEST(a_request_may_meet_a_call)
{
    program(loop, 2, 1);
    ran("a", 0, 1);
    ran("d", 1.5, 501.5);
    ran("b[1]", 502, 602); /* its request came while d ran */
    ran("b[0]", 501.6, 601.6);
    ran("e", 601.7, 1101.7);
    PASSES();
    ran("b[1]", 540, 640);
    FAILS(37);
}

TEST(but_only_one_call)
{
    program(loop, 2, 1);
    ran("a", 0, 1);
    ran("d", 1.5, 501.5);
    ran("e", 501.6, 1001.6);
    ran("b[0]", 1001.7, 1101.7);
    ran("b[1]", 1002, 1102);
    FAILS(500);
}

/* ---- bodies ---- */

static const char body[] = "sub main() { df x, y; cf a: w0(100, x[0]); cf d: w0(500, y);"
                           " if x[0] > 0 { cf e: w0(500, x[2]); cf f: w0(500, x[1]); } }"
                           " @ { locator_cyclic f => 1; locator_cyclic x[i] => i; }";

TEST(a_body_is_walked_before_the_next_call)
{
    program(body, 2, 1);
    ran("a", 0.2, 100.2);
    ran("d", 100.3, 600.3);
    ran("e", 600.4, 1100.4);
    ran("f", 101, 601);
    PASSES();
    ran("f", 601, 1101); /* told after d */
    FAILS(500);
}

TEST(what_stands_behind_a_call_is_made_before_it)
{
    program(body, 2, 1);
    ran("a", 0.2, 100.2);
    ran("e", 100.3, 600.3); /* of the body itself */
    ran("d", 600.4, 1100.4);
    ran("f", 601, 1101);
    FAILS(500);
}

TEST(a_call_that_runs_as_the_condition_comes_is_waited_for)
{
    program(body, 2, 1);
    ran("d", 0.2, 500.2); /* what stands in main was made before */
    ran("a", 500.3, 600.3);
    ran("e", 600.4, 1100.4);
    ran("f", 601, 1101);
    PASSES();
    ran("f", 640, 1140);
    FAILS(38);
}

TEST(turns_wait_for_a_sum)
{
    program("sub main() { df x, s, n; for i = 0 .. 1 { cf c[0][i]: w0(1, x[0][i]); }"
            " cf b: w0(1, s[0]); while s[t] > 0 && t < 2, t = 0 .. out n {"
            " for i = 0 .. 1 { cf c[t + 1][i]: w1(300, x[t][i], x[t + 1][i]); }"
            " reduce max x[t + 1][i] over i = 0 .. 1 => s[t + 1]; } cf e: w1(1, n, x[9][0]); }"
            " @ { locator_cyclic x[t][i] => i; locator_cyclic c[t][i] => i; }", 2, 1);
    ran("c[0][0]", 0, 1);
    ran("b", 1, 2);
    ran("c[0][1]", 1, 2);
    ran("c[1][0]", 2, 302);
    ran("c[1][1]", 4, 304);
    ran("c[2][0]", 306, 606);
    ran("c[2][1]", 308, 608);
    ran("e", 610, 611);
    PASSES();
    CHECK(g->calls == 8, "%d calls", g->calls);
    ran("c[2][1]", 606, 906); /* node 0 has run its own first */
    ran("e", 908, 909);
    FAILS(300);
}

/* ---- several workers ---- */

static const char four[] = "sub main() { df x; for i = 0 .. 3 { cf c[i]: w0(100, x[i]); } }";

TEST(two_workers_share)
{
    program(four, 1, 2);
    for (int i = 0; i < 4; i++) {
        char name[8];
        snprintf(name, sizeof name, "c[%d]", i);
        ran(name, i / 2 * 101, i / 2 * 101 + 100);
    }
    CHECK(verdict_of(g, &r, &terms).sum == 0, "%g", (double)verdict_of(g, &r, &terms).sum);
    for (int i = 0; i < 4; i++) {
        char name[8];
        snprintf(name, sizeof name, "c[%d]", i);
        ran(name, i * 101, i * 101 + 100);
    }
    double sum = (double)verdict_of(g, &r, &terms).sum * 1e-3;
    CHECK(sum > 300 && sum < 310, "%g", sum); /* one waits until the last begins */
}

/* ---- what cannot be ---- */

TEST(a_call_runs_once_and_behind_its_inputs)
{
    program(pair, 2, 1);
    ran("a", 0, 100);
    CHECK(waste() == -1 && strstr(r.wrong, "b has not run"), "%s", r.wrong);
    *r.wrong = 0;
    ran("b", 99, 200);
    CHECK(waste() == -1 && strstr(r.wrong, "b began at 99000 ns, before the end of a"), "%s",
          r.wrong);
    *r.wrong = 0;
    ran("b", 101, 200);
    r.span[2].node = 0;
    CHECK(waste() == -1 && strstr(r.wrong, "b has run on node 0, not on 1"), "%s", r.wrong);
}

TEST(programs_are_unrolled)
{
    program("sub t(int d, int k, name r) { df u; if d == 0 { cf l[k]: w0(k * 2, r); }"
            " if d > 0 { for i = 0 .. 1 { t(d - 1, k * 2 + i + 1, u[i]); }"
            " cf j[k]: w2(k > 0 ? 1 : 7 % 4, u[0], u[1], r) @ { weight: k > 0 ? 1 : 7 % 4; }; } }"
            "sub main() { df r; t(2, 0, r); cf e: show(r); }", 1, 1);
    CHECK(g->calls == 8 && g->answer == 3, "%d calls, %d", g->calls, (int)g->answer);
    for (int i = 0; i < g->things; i++)
        CHECK(strcmp(g->thing[i].name, "j[0]") || g->thing[i].weight == 3, "%g",
              g->thing[i].weight);
}

/* Where the only thing of this name is; -1: there is none, or more than one place. */
static int
node_of(const char *name)
{
    int node = -1;
    for (int i = 0; i < g->things; i++) {
        if (strcmp(g->thing[i].name, name)) continue;
        if (node >= 0 && node != g->thing[i].at.node) return -1;
        node = g->thing[i].at.node;
    }
    return node;
}

TEST(each_turn_has_fragments_of_its_own)
{
    program("sub main() { df s; for i = 0 .. 2 { df p, q;"
            " for j = 0 .. i { cf c[i][j]: w0(1, p[j]); } reduce + p[j] over j = 0 .. i => q;"
            " if i < 2 { df e; cf d[i]: w1(1, q, e); cf f[i]: w1(1, e, s[i]); }"
            " else { cf h: w1(1, q, s[2]); } } reduce + s[i] over i = 0 .. 2 => s[9];"
            " cf z: show(s[9]); }", 1, 1);
    CHECK(g->calls == 12 && g->answer == 11, "%d calls, %d", g->calls, (int)g->answer);
}

static const char walks[] =
    "sub s(name f, name r) { df x, n; cf b: w1(1, f, x[0]);"
    " while x[t] < 9 && t < 2, t = 0 .. out n { cf c[t]: w1(1, x[t], x[t + 1]); }"
    " cf e: w1(1, x[n], r); } %s"
    "sub main() { df a, z; cf go: w0(1, a); s(a, z)%s; cf end: show(z); }%s";

static void
walk(const char *rules, const char *call, const char *rules_of_main)
{
    static char text[1024];
    snprintf(text, sizeof text, walks, rules, call, rules_of_main);
    program(text, 4, 1);
    CHECK(g->calls == 6 && g->answer == 5, "%d calls, %d", g->calls, (int)g->answer);
}

TEST(indices_are_awaited_before_what_they_name)
{
    walk("", "", "");
    int k = -1, body = -1;
    for (int i = 0; i < g->things; i++)
        if (!strcmp(g->thing[i].name, "e")) k = i, body = g->thing[i].body;
    CHECK(!strcmp(g->thing[body].name, "indices") && g->thing[body].nin == 1 &&
          g->thing[k].nin == 1, "%s", g->thing[body].name);
}

TEST(what_says_nothing_is_where_its_sub_was_placed)
{
    walk("", " @ { locator_cyclic: 3; }", "");
    CHECK(node_of("s") == 3 && node_of("b") == 3 && node_of("while") == 3 && node_of("e") == 3,
          "%d %d %d %d", node_of("s"), node_of("b"), node_of("while"), node_of("e"));
}

TEST(a_loop_stays_where_it_was_made_if_what_is_in_it_has_a_place)
{
    walk("", "", " @ { cells 4; cell a => 2; cell z => 3; }");
    CHECK(node_of("s") == 2 && node_of("b") == 2 && node_of("e") == 3, "%d", node_of("s"));
    CHECK(node_of("while") == 0 && node_of("c[0]") == 0, "%d", node_of("while"));
    walk(" @ { cell x[t] => t; }", "", " @ { cells 4; cell a => 2; cell z => 3; }");
    CHECK(node_of("while") == 2 && node_of("c[0]") == 1, "%d", node_of("while"));
}

TEST(the_tree_reaches_all)
{
    for (int n = 1; n <= 70; n++)
        for (int root = 0; root < n; root += 7)
            for (int k = 0; k < n; k++) {
                int way[TREE_DEPTH_MAX], m = tree_way(root, k, n, way);
                CHECK(m ? way[m - 1] == k : k == root, "%d of %d from %d", k, n, root);
                CHECK(m <= 4, "%d steps", m);
            }
}

/* ---- good schedules of all programs ---- */

enum { SEEDS = CHECK_CASES(500) };

/* Passes; and if the last call begins a little later, fails, but for a few that are excused: an
 * element of the last sum might have been held up by a call. */
TEST(plain_schedules_pass_and_one_gap_does_not)
{
    int gaps = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct shapes_how how = {.nodes = shapes_nodes(seed)};
        struct listed_how by = {(enum listed_rule)(seed % 3), seed, 25, 1000, 0, 1000};
        struct buf text = {0};
        shapes_text(seed, &how, &text);
        program(text.data, how.nodes, 1);
        run_fini(&r);
        listed_run(&r, g, how.nodes, &by);
        buf_fini(&text);
        CHECK(waste() == 0, "seed %d: %g %s", (int)seed, waste(), r.wrong);
        for (int i = 0; i < g->things; i++)
            if (g->thing[i].shows) r.span[i].begin += 26000, r.span[i].end += 26000;
        gaps += waste() > 20;
    }
    CHECK(gaps > SEEDS * 95 / 100, "of %d gaps %d are found", SEEDS, gaps);
}

TEST_MAIN(T(a_message_is_waited_for), T(who_begins_late_for_no_reason_wastes),
          T(a_request_may_meet_a_call), T(but_only_one_call),
          T(a_body_is_walked_before_the_next_call),
          T(what_stands_behind_a_call_is_made_before_it),
          T(a_call_that_runs_as_the_condition_comes_is_waited_for), T(turns_wait_for_a_sum),
          T(two_workers_share), T(a_call_runs_once_and_behind_its_inputs), T(programs_are_unrolled),
          T(each_turn_has_fragments_of_its_own), T(indices_are_awaited_before_what_they_name),
          T(what_says_nothing_is_where_its_sub_was_placed),
          T(a_loop_stays_where_it_was_made_if_what_is_in_it_has_a_place),
          T(the_tree_reaches_all), T(plain_schedules_pass_and_one_gap_does_not))
