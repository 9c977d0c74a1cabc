/* test_place.c - where the compiler puts things, by what it says. */
#include "lang/lang.h"
#include "tests/lang/parsed.h"

#include <string.h>

#define FUNCTIONS                                                                                  \
    "import put(int i, name x) as put; import many(int i, name x[]) as many;\n"                   \
    "import get(value a) as get; import all(value a[], name x) as all;\n"                         \
    "import copy(value a, name x) as copy; import turn(value a[], name x[]) as turn;\n"           \
    "import add(value a, value b, name x) as add;\n"                                               \
    "import mix(value a, value b, value c, name x) as mix;\n"                                      \
    "import sum(int a, int b, name x) as sum;\n"

/* What `luna dump --pass=place` prints has these words; behind a !: it has not. */
static void
check_place(const char *text, const char *const *words)
{
    static struct one_file f;
    struct lang l;
    struct buf dump = {0};
    char whole[4000];
    snprintf(whole, sizeof whole, FUNCTIONS "%s", text);
    f = (struct one_file){whole, strlen(whole)};
    struct lang_options o = {.file = "t.fa", .prep = {.read = one_file_read, .read_who = &f},
                             .dump = "place", .dump_out = &dump};
    bool ok = lang_compile(&l, &o);
    CHECK(ok && !diag_errors(l.diag) && dump.size, "%d errors in\n%s", diag_errors(l.diag), text);
    for (; *words; words++)
        CHECK(**words == '!' ? !strstr(dump.data, *words + 1) : strstr(dump.data, *words) != NULL,
              "%s in\n%s\nof\n%s", *words, dump.data, text);
    lang_fini(&l);
    buf_fini(&dump);
}

#define PLACE(text, ...) check_place(text, (const char *const[]){__VA_ARGS__, NULL})

TEST(time_carries_and_space_is_spread)
{
    PLACE("sub main() { df u; for i = 0..7 put(i, u[0][i]);\n"
          "for t = 0..9 for i = 0..7 mix(u[t][i > 0 ? i-1 : i], u[t][i], u[t][i < 7 ? i+1 : i],\n"
          "u[t+1][i]); }",
          "8 cells", "t (t.fa:8) carries", "cells 8;", "cell u[t][i] =>", "!node 0");
}

TEST(who_else_reads_the_values_of_all_times_does_not_spread_them_over_time)
{
#define RING                                                                                       \
    "sub main() { df u, s; for i = 0..7 put(i, u[0][i]);\n"                                        \
    "for t = 0..99 for i = 0..7 mix(u[t][(i+7)%8], u[t][i], u[t][(i+1)%8], u[t+1][i]);\n"
    PLACE(RING "for t = 0..99 for i = 0..7 get(u[t][i]); }", "t (t.fa:8) carries", "cells 8;",
          "cell u[t][i] => i;");
    PLACE(RING "reduce max u[t][i] over t = 0..99, i = 0..7 => s; get(s); }",
          "t (t.fa:8) carries", "cells 8;", "cell u[t][i] => i;");
    /* But a chain over what others make is not all there is. */
    PLACE("sub main() { df w, s; put(0, s[0]); for i = 0..99 put(i, w[i]);\n"
          "for i = 0..99 add(s[i], w[i], s[i+1]); get(s[100]); }",
          "cell w[i] => i");
#undef RING
}

TEST(a_triangle_is_dealt_out_whichever_way_its_text_goes)
{
#define ROWS(way)                                                                                  \
    "sub main() { df m; for i = 0..99 put(i, m[i][i]);\n"                                          \
    "for i = " way " for j = i+1..99 add(m[i][j-1], m[i+1][j], m[i][j]); get(m[0][99]); }"
    PLACE(ROWS("0..98"), "cell m[i][j] => i % 32;");
    PLACE(ROWS("98..0 by -1"), "cell m[i][j] => i % 32;");
#undef ROWS
}

TEST(the_low_end_is_cell_0)
{
    PLACE("sub main() { df u; for i = 3..9 put(i, u[i]); for i = 3..9 get(u[i]); }", "cells 7;",
          "cell u[i] => i - 3;");
    PLACE("sub main() { df u; for i = 200000..200009 put(i, u[i]); for i = 200000..200009\n"
          "get(u[i]); }",
          "cells 10;", "cell u[i] => i - 200000;");
    PLACE("sub main() { df u; for i = -3..3 put(i, u[i]); for i = -3..3 get(u[i]); }", "cells 7;",
          "cell u[i] => i + 3;");
}

TEST(an_index_of_several_to_a_counter_is_divided)
{
    PLACE("sub main() { df u, f, v;\n"
          "for i = 0..5 { put(i, u[i]); put(1, f[2*i]); put(2, f[2*i+1]); }\n"
          "for i = 0..5 mix(u[i], f[i > 0 ? 2*i-1 : 0], f[2*i+1], v[i]); }",
          "cells 6;", "cell u[i] => i;", "/ 2", "cell v[i] => i;");
    /* Not by a slope that not all writes have. */
    PLACE("sub main() { df u, f; for i = 0..5 { put(i, u[i]); put(1, f[2*i]); }\n"
          "for i = 0..5 put(2, f[3*i+20]); for i = 0..5 add(u[i], f[2*i], u[i+10]); }",
          "!/ 2", "!/ 3");
}

TEST(an_index_that_goes_nowhere_is_used_too)
{
    PLACE("sub main() { df a, b, c;\n"
          "for i = 0..3 for j = 0..3 { put(i, a[i][j]); put(j, b[i][j]); put(0, c[i][j][0]); }\n"
          "for i = 0..3 for j = 0..3 for k = 0..3\n"
          "mix(a[i][k], b[k][j], c[i][j][k], c[i][j][k+1]); }",
          "cells 4, 4;", "cell a[i][j] => i, j;", "cell b[i][j] => i, j;",
          "cell c[i][j][k] => i, j;", "k (t.fa:9) carries");
}

TEST(triangles_are_folded)
{
    PLACE("sub main() { df a, l;\n"
          "for i = 0..15 for j = 0..i put(i, a[0][i][j]);\n"
          "for k = 0..15 { copy(a[k][k][k], l[k][k]);\n"
          "for i = k+1..15 add(a[k][i][k], l[k][k], l[i][k]);\n"
          "for i = k+1..15 for j = k+1..i mix(a[k][i][j], l[i][k], l[j][k], a[k+1][i][j]); } }",
          "cells 8, 8;", "cell a[k][i][j] => i % 8, j % 8;", "cell l[i][k] => i % 8, k % 8;",
          "k (t.fa:9) carries");
}

TEST(of_a_wavefront_not_all_loops_are_taken)
{
    PLACE("sub main() { df h; for i = 0..20 { put(i, h[i][0]); put(i, h[0][i+1]); }\n"
          "for i = 1..20 for j = 1..20 mix(h[i-1][j], h[i][j-1], h[i-1][j-1], h[i][j]); }",
          "cells 21;", "% 32", "!cells 8, 8", "!carr");
}

TEST(a_pipeline_is_space)
{
    PLACE("sub main() { df u; for i = 0..9 put(i, u[0][i]);\n"
          "for t = 1..9 { put(0, u[t][0]); put(0, u[t][9]); }\n"
          "for t = 0..8 for i = 1..8 mix(u[t+1][i-1], u[t][i], u[t][i+1], u[t+1][i]); }",
          "cells 10;", "t (t.fa:9) carries", "cell u[t][i] => i;");
}

TEST(what_is_declared_in_a_loop_is_placed_by_the_counters_around_it)
{
    PLACE("sub main() { for p = 0..9 { df a, b; put(p, a); copy(a, b); get(b); } }", "10 cells",
          "main, behind the loop at t.fa:7:", "cell a => p;");
    /* But not by those that carry. */
    PLACE("sub main() { df x; for i = 0..9 put(i, x[0][i]); for t = 0..9 { df f, all;\n"
          "for i = 0..9 for j = 0..9 add(x[t][i], x[t][j], f[i][j]);\n"
          "for i = 0..9 { reduce + f[i][j] over j = 0..9 => all[i];\n"
          "sum(x[t][i], all[i], x[t+1][i]); } } }",
          "t (t.fa:7) carries", "!=> i, t", "cell f[i][j] => i");
}

TEST(what_a_sub_declares_is_placed_by_the_loops_around_its_call)
{
    /* By an int, */
    PLACE("sub solve(int p, name r) { df x; put(p, x[0]); for t = 0..9 copy(x[t], x[t+1]);\n"
          "copy(x[10], r); }\n"
          "sub main() { df r; for p = 0..15 solve(p, r[p]); for p = 0..15 get(r[p]); }",
          "16 cells", "cell r[p] => p;", "  solve:", "cell x[t] => p;", "!node 0");
    PLACE("sub solve(int k) { df x; put(k, x[0]); for t = 0..9 copy(x[t], x[t+1]); }\n"
          "sub main() { for p = 0..15 solve(2*p+1); }",
          "16 cells", "cell x[t] => (k - 1) / 2;");
    /* an index of a name, */
    PLACE("sub solve(name r) { df x, y; put(1, x); copy(x, y); copy(y, r); }\n"
          "sub main() { df r; for p = 0..15 solve(r[0][p]); for p = 0..15 get(r[0][p]); }",
          "  solve, with int p as index 2 of r:", "cell x => p;", "cell y => p;");
    /* and further down, also where a name is handed on. */
    PLACE("sub solve(name r) { df x, y; put(1, x); copy(x, y); copy(y, r); }\n"
          "sub outer(name r) { for q = 0..7 solve(r[q]); }\n"
          "sub main() { df r; for p = 0..15 outer(r[p]); for p = 0..15 for q = 0..7\n"
          "get(r[p][q]); }",
          "16 x 8 cells", "  solve, with int p as index 1 of r, int q as index 2 of r:",
          "cell x => p, q;");
    PLACE("sub solve(int k, name r) { df x, y; put(k, x); copy(x, y); copy(y, r); }\n"
          "sub outer(int j, name r) { solve(j + 1, r); }\n"
          "sub main() { df r; for p = 0..15 outer(p, r[p]); for p = 0..15 get(r[p]); }",
          "cell x => k - 1;");
    /* Not by loops that carry. */
    PLACE("sub step(int t, name u, name v) { df f; for i = 0..15 copy(u[i], f[i]);\n"
          "for i = 0..15 copy(f[i], v[i]); }\n"
          "sub main() { df u; for i = 0..15 put(i, u[0][i]);\n"
          "for t = 0..15 step(t, u[t], u[t+1]); }",
          "16 cells", "cell f[i] => i;", "!=> t");
}

TEST(a_mesh_in_a_sub_keeps_its_direction_if_there_are_few_calls_of_it)
{
    static const char *const text =
        "sub mesh(int p, name r) { df u; for i = 0..63 put(p, u[0][i]);\n"
        "for t = 0..9 for i = 0..63 mix(u[t][i > 0 ? i-1 : i], u[t][i], u[t][i < 63 ? i+1 : i],\n"
        "u[t+1][i]); copy(u[10][0], r); }\n"
        "sub main() { df r; for p = 0..%d mesh(p, r[p]); for p = 0..%d get(r[p]); }";
    char few[600], many[600];
    snprintf(few, sizeof few, text, 3, 3);
    snprintf(many, sizeof many, text, 63, 63);
    PLACE(few, "cell u[t][i] => (i < 0", "!=> p;\n  node");
    PLACE(many, "cell u[t][i] => p;");
}

TEST(a_sub_is_called_from_several_places)
{
    PLACE("sub solve(int k, name r) { df x, y; put(k, x); copy(x, y); copy(y, r); }\n"
          "sub main() { df r, s; for p = 0..15 solve(p, r[p]); for q = 0..20 solve(q, s[q]);\n"
          "solve(-5, s[21]); for p = 0..15 add(r[p], s[p], s[p+30]); }",
          "cell x => (k < 0 ? 0 : (k < ");
    /* A recursion is left alone. */
    PLACE("sub tree(int k, int p, name r) { df a, b; if k < 1 put(p, r); else {\n"
          "tree(k-1, p, a); tree(k-1, p, b); add(a, b, r); } }\n"
          "sub main() { df r; for p = 0..15 tree(3, p, r[p]); for p = 0..15 get(r[p]); }",
          "cell r[p] => p;", "node 0: a, b");
}

TEST(where_a_sub_does_not_know_the_ends_cells_are_dealt_out)
{
    PLACE("sub solve(name r) { df x; put(1, x[0]); for t = 0..9 copy(x[t], x[t+1]);\n"
          "copy(x[10], r); }\n"
          "sub main(int n) { df r; for p = 0..n-1 solve(r[p]); for p = 0..n-1 get(r[p]); }",
          "cell r[p] => (n > 4096", "cell x[t] => p % 4096;");
}

TEST(ends_may_be_words_of_main)
{
    PLACE("sub main(int n) { df u; for i = 0..n-1 put(i, u[0][i]);\n"
          "for t = 0..9 for i = 0..n-1 copy(u[t][i], u[t+1][i]); }",
          "cells (n < 1 ? 1 : (n > 4096 ? 4096 : n));", "n > 4096 ? i * 4096.0 / (n) : i");
    PLACE("sub part(int n, name u) { df v; for i = 0..n-1 put(i, u[i]);\n"
          "for i = 0..n-1 copy(u[i], v[i]); for i = 0..n-1 get(v[i]); }\n"
          "sub main(int m) { df u; part(m + 1, u); }",
          "m + 1", "cell u[i] =>");
    /* Of a fragment's value nothing is known before. */
    PLACE("sub main() { df u, n; put(5, n); for i = 0..int(n) put(i, u[i]);\n"
          "for i = 0..int(n) get(u[i]); }",
          "% 32", "cells 32;");
}

TEST(what_may_lie_beyond_the_cells_is_cut)
{
    PLACE("sub main(int n) { df u, v;\n"
          "for i = 0..n-1 { put(i, u[i]); put(i, v[i]); put(i, v[i+n]); }\n"
          "for i = 0..n-1 add(u[i], v[i+n], u[n+i]); }",
          "cell v[i] => (n > 4096 ? (i < 0 ? 0 : (i < n ? i : n - 1)) * 4096.0 / (n) : (i < 0 ?");
    PLACE("sub main(int n) { df u, v; for i = 0..n-1 put(i, u[i]);\n"
          "for i = 0..n-1 add(u[i], u[i < n-1 ? i+1 : i], v[i]); }",
          "cell u[i] => (n > 4096 ? i * 4096.0 / (n) : i);");
    PLACE("sub main(int n) { df u, v; for i = 0..n-1 put(i, u[i]);\n"
          "for i = 0..n-1 all(u[j] over j = (i > 0 ? i-1 : i)..i, v[i]); }",
          "cell u[i] => (n > 4096 ? i * 4096.0 / (n) : i);");
}

TEST(a_long_array_shares_cells)
{
    PLACE("sub main() { df u; for i = 0..99999 put(i, u[i]); for i = 0..99999 get(u[i]); }",
          "cells 4096;", "cell u[i] => i * 4096 / 100000;");
    PLACE("sub main() { df u; for i = 0..999 put(i, u[i]); for i = 0..999 get(u[i]); }",
          "cells 1000;", "cell u[i] => i;");
}

TEST(the_turns_of_a_loop_with_a_step_are_neighbours)
{
    PLACE("sub main() { df x, y; for i = 0..15 by 2 put(i, x[i]);\n"
          "for i = 0..15 by 2 copy(x[i], y[i]); }",
          "cells 8;", "cell x[i] => i / 2;", "cell y[i] => i / 2;");
    PLACE("sub main() { df x, y; for i = 5..20 by 3 put(i, x[i]);\n"
          "for i = 20..5 by -3 copy(x[i], y[2*i+1]); }",
          "cells 6;", "cell x[i] => (i - 5) / 3;", "cell y[i] => (i - 11) / 6;");
    /* The last one down is 3. */
    PLACE("sub main() { df x; for i = 15..1 by -4 put(i, x[i]); for i = 15..1 by -4 get(x[i]); }",
          "cells 4;", "cell x[i] => (i - 3) / 4;");
    PLACE("sub main() { df x; for i = -7..8 by 4 put(i, x[i]); for i = -7..8 by 4 get(x[i]); }",
          "cells 4;", "cell x[i] => (i + 7) / 4;");
    PLACE("sub main() { for p = 0..15 by 2 { df a, b; put(p, a); copy(a, b); get(b); } }",
          "cells 8;", "cell a => p / 2;");
    PLACE("sub main() { df u; for i = 0..30 by 2 put(i, u[0][i]);\n"
          "for t = 0..16 by 4 for i = 0..30 by 2 mix(u[t][i > 0 ? i-2 : i], u[t][i],\n"
          "u[t][i < 30 ? i+2 : i], u[t+4][i]); }",
          "cells 16;", "t (t.fa:8) carries", "cell u[t][i] => ((i / 2) <");
}

TEST(turns_by_a_step_have_ends_that_are_words_of_main)
{
    PLACE("sub main(int n) { df u; for i = 1..n by 2 put(i, u[i]);\n"
          "for i = 1..n by 2 get(u[i]); }",
          "cells ((n + 1) / 2 < 1 ? 1 : ((n + 1) / 2 > 4096 ? 4096 : (n + 1) / 2));",
          "(n + 1) / 2 > 4096 ? ((i - 1) / 2) * 4096.0 / ((n + 1) / 2) : (i - 1) / 2");
    PLACE("sub main(int n) { df u; for i = n..0 by -3 put(i, u[i]);\n"
          "for i = n..0 by -3 get(u[i]); }",
          "(n + 3) / 3", ": i / 3");
    /* Where they begin is not known. */
    PLACE("sub main(int n) { df u; for i = n..2*n by 4 put(i, u[i]);\n"
          "for i = n..2*n by 4 get(u[i]); }",
          "cells 32;", "/ 4) % 32");
}

TEST(loops_with_other_steps_keep_their_counter)
{
    PLACE("sub main() { df x, y; for i = 0..15 put(i, x[i]);\n"
          "for i = 0..14 by 2 add(x[i], x[i+1], y[i]); for i = 0..14 by 2 get(y[i]); }",
          "cells 16;", "cell x[i] => i;", "cell y[i] => i;");
    /* Red and black. */
    PLACE("sub main() { df x, y;\n"
          "for i = 0..14 by 2 put(i, x[i]); for i = 1..15 by 2 put(i, x[i]);\n"
          "for i = 0..14 by 2 copy(x[i], y[i]); for i = 1..15 by 2 copy(x[i], y[i]); }",
          "cells 8;", "cell x[i] => i / 2;", "cell y[i] => i / 2;");
    PLACE("sub main() { df x, y;\n"
          "for i = 0..14 by 2 put(i, x[i]); for i = 15..45 by 3 put(i, x[i]);\n"
          "for i = 0..45 copy(x[i], y[i]); }",
          "cell x[i] => i;");
    /* What has no one place is left alone. */
    PLACE("sub main() { df x, y; for i = 0..14 by 2 { put(i, x[i]); put(i, x[i][0][0][0]); }\n"
          "for i = 0..14 by 2 add(x[i], x[i][0][0][0], y[0][i]);\n"
          "for t = 0..9 for i = 0..14 by 2 copy(y[t][i], y[t+1][i]); }",
          "cell y[t][i] => i / 2;", "node 0: x");
}

TEST(what_a_node_needs_twice_it_needs_once)
{
    /* On 4 x 4 nodes each of the 32 is needed by three others: 96 values for 2080 calls. */
    PLACE("sub main() { df d, y, x; for i = 0..31 put(i, d[i][i]);\n"
          "for i = 0..31 for j = 0..31 put(i, y[i][j]);\n"
          "for i = 0..31 for j = 0..31 add(d[i][i], y[i][j], x[i][j]); }",
          "on 16 nodes 0.05 values a call from elsewhere");
}

/* What lists name is touched by their calls: by each element, if there are few, */
TEST(calls_with_lists_are_placed_as_if_they_named_each_element)
{
    PLACE("sub main(int n) { df u; for i = 0..n-1 put(i, u[0][i]); for t = 0..9 for i = 0..n-1\n"
          "all(u[t][j] over j = (i > 0 ? i-1 : 0) .. (i < n-1 ? i+1 : n-1), u[t+1][i]); }",
          "on 16 nodes 0.43 values", "t (t.fa:7) carries", "cell u[t][i] => (n > 4096 ?");
    PLACE("sub main() { df u; for i = 0..9 for j = 0..9 put(i, u[0][i][j]);\n"
          "for t = 0..9 for i = 1..8 for j = 1..8\n"
          "all(u[t][a][b] over a = i-1..i+1, b = j-1..j+1, u[t+1][i][j]); }",
          "10 x 10 cells", "t (t.fa:8) carries", "cell u[t][i][j] => i, j;");
    /* a bound that follows a counter before, */
    PLACE("sub main() { df u; for i = 0..9 put(i, u[0][i]); for t = 0..9 for i = 0..7\n"
          "all(u[t][b] over a = i..i+1, b = a..a+1, u[t+1][i]); }",
          "10 cells", "t (t.fa:7) carries", "cell u[t][i] => i;");
    /* what is assigned, in pieces, */
    PLACE("sub main() { df u; for i = 0..9 many(i, u[0][j] over j = 4*i..4*i+3);\n"
          "for t = 0..9 for i = 0..9\n"
          "turn(u[t][j] over j = 4*i..4*i+3, u[t+1][j] over j = 4*i..4*i+3); }",
          "10 cells", "0.00 values", "t (t.fa:8) carries", "cell u[t][i] => i / 4;");
    PLACE("sub main() { df u; for i = 0..9 many(i, u[0][4*i+k] over k = 0..3);\n"
          "for t = 0..9 for i = 0..9\n"
          "turn(u[t][4*i+k] over k = 0..3, u[t+1][4*i+k] over k = 0..3); }",
          "10 cells", "0.00 values", "t (t.fa:8) carries", "cell u[t][i] => i / 4;");
    /* what wraps around, at an end that main says or not. */
    PLACE("sub main() { df u; for i = 0..15 put(i, u[0][i]); for t = 0..9 for i = 0..15\n"
          "all(u[t][(i+d+16)%16] over d = -1..1, u[t+1][i]); }",
          "16 cells", "on 16 nodes 1.70 values", "t (t.fa:7) carries", "cell u[t][i] => i;");
    PLACE("sub main(int n) { df u; for i = 0..n-1 for j = 0..n-1 put(i, u[0][i][j]);\n"
          "for t = 0..9 for i = 0..n-1 for j = 0..n-1\n"
          "all(u[t][(i+a+n)%n][(j+b+n)%n] over a = -1..1, b = -1..1, u[t+1][i][j]); }",
          "t (t.fa:8) carries", "cell u[t][i][j] => (n > 256 ? i * 256.0 / (n) : i), (n");
}

/* In a triangle a loop has more turns in later turns of the one around it: all of them count. With
 * eight counters these are 64 million touches. Of thirteen full loops there are 2^65. */
TEST(a_list_of_many_counters_is_long)
{
    PLACE("sub main() { df x, s; for t = 0..9 for i = 0..300 put(i, x[t][i]); for t = 0..9\n"
          "all(x[t][a + b + c + d + e + f + g + h] over a = 0..31, b = 0..a, c = 0..b, d = 0..c,\n"
          "e = 0..d, f = 0..e, g = 0..f, h = 0..g, s[t]); }",
          "301 cells", "cell x[t][i] => i;");
    PLACE("sub main() { df x, s; for t = 0..9 for i = 0..9 put(i, x[t][i]); for t = 0..9\n"
          "all(x[t][(a + b + c + d + e + f + g + h + i + j + k + l + m) % 10] over a = 0..31,\n"
          "b = 0..31, c = 0..31, d = 0..31, e = 0..31, f = 0..31, g = 0..31, h = 0..31,\n"
          "i = 0..31, j = 0..31, k = 0..31, l = 0..31, m = 0..31, s[t]); }",
          "10 cells");
}

/* of a long one by all of it, and by the first one, which the call may follow. */
TEST(a_long_list_is_everywhere_but_its_call_follows_the_first_element)
{
    PLACE("sub main(int n) { df p; for i = 0..n-1 many(i, p[0][i][j] over j = 0..n-1);\n"
          "for t = 0..3 for i = 0..n-1\n"
          "turn(p[t][j][i] over j = 0..n-1, p[t+1][i][j] over j = 0..n-1); }",
          "t (t.fa:8) carries", "cell p[t][i][j] => (n > 4096 ? i");
    PLACE("sub main() { df u, v; for i = 0..63 put(i, u[i]); for i = 0..63\n"
          "all(u[j] over j = 0..63, v[i]); for i = 0..63 get(v[i]); }",
          "64 cells", "cell u[i] => i;", "cell v[i] => i;");
    /* Of one that has no first element nothing is known. */
    PLACE("sub main() { df u, v; for i = 0..63 put(i, u[i]); for i = 0..63\n"
          "all(u[j] over j = int(u[i])..63, v[i]); for i = 0..63 get(v[i]); }",
          "64 cells", "cell u[i] =>", "cell v[i] => i;");
}

TEST(why_nothing_is_found)
{
    PLACE("sub main() { df x; put(0, x[0]); for t = 0..99 copy(x[t], x[t+1]); get(x[100]); }",
          "none: in the loop at t.fa:7 each call waits for the one before");
    PLACE("sub main() { df x, y; put(0, x); put(1, y); get(x); get(y); }",
          "none: there is no loop whose calls touch fragments by its counter");
    PLACE("sub visit(int n) { df x; put(n, x); if n > 0 { visit(n-1); visit(n-2); } }\n"
          "sub main() { visit(9); }",
          "none: recursion of 'visit' (t.fa:7); 'stealable' and -b spread its calls");
    PLACE("sub main() { df x, y; put(0, x[0]); for t = 0..99 copy(x[t], x[t+1]);\n"
          "for i = 0..3 put(i, y[i]); for i = 0..3 get(y[i]); }",
          "none: the busiest of 4 nodes would have");
}

TEST(programs_that_say_are_left_alone)
{
    PLACE("sub main() { df u; for i = 0..7 put(i, u[i]); get(u[0]); }\n"
          "@ { cells 8; cell u[i] => i; }",
          "as the program says", "!cells");
    PLACE("sub main() { df u; for i = 0..7 put(i, u[i]); get(u[0]); }\n"
          "@ { locator_cyclic u[i] => i; }",
          "as the program says");
}

#define CELLS " @ { cells 8; cell u[i] => i; cell e[k] => k / 2; }"

TEST(what_a_program_leaves_open_is_beside_its_calls)
{
    PLACE("sub main() { df u, q, e; for i = 0..7 { put(i, u[i]); copy(u[i], q[i]);\n"
          "add(u[i], q[i], e[2*i]); } }" CELLS,
          "as the program says\n    cell q[i] => i;\n");
    /* By what the call follows, wherever its index stands. */
    PLACE("sub main() { df u, q, e; for i = 0..7 { put(0, u[i]);\n"
          "for j = 0..2 copy(u[i], q[j][i+1]); } }" CELLS, "    cell q[i][j] => j - 1;\n");
    PLACE("sub main() { df u, q, e; for k = 0..15 { put(k, e[k]); copy(e[k], q[k+3]); } }"
          CELLS, "    cell q[i] => (i - 3) / 2;\n");
    PLACE("sub main() { df u, q, e; put(1, u[3]); copy(u[3], q[2]); copy(u[3], q[7]); }" CELLS,
          "    cell q[i] => 3;\n");
    PLACE("sub main() { df u, e; for i = 0..7 put(i, u[i]); for t = 0..2 { df q; for i = 0..7 {\n"
          "copy(u[i], q[i]); add(u[i], q[i], e[t][2*i+1]); } } }\n"
          "@ { cells 8; cell u[i] => i; cell e[t][k] => (k + 1) / 2; }", "!cell q[i]");
    PLACE("sub main() { df u, e; for i = 0..7 put(i, u[i]); for t = 0..2 { df q; for i = 0..7 {\n"
          "copy(u[i], q[i]); add(u[i], q[i], e[t][2*i+1]); } } }\n"
          "@ { cells 8; cell u[i] => i; cell e[t][k] => (k - 1) / 2; }", "    cell q[i] => i;\n");
}

TEST(what_is_named_elsewhere_stays_where_it_was)
{
    static const char *const programs[] = {
        "for i = 0..7 { put(i, u[i]); copy(u[i], q[i]); } for i = 0..6 add(u[i], q[i+1], e[2*i]);",
        "for i = 0..7 { put(i, u[i]); copy(u[i], q[i]); } get(q[0]);",
        "for i = 0..7 { put(i, u[i]); copy(u[i], q[i]); } reduce + q[i] over i = 0..7 => e[0];",
        "for i = 0..7 { put(i, u[i]); copy(u[i], q[i]); } if q[1] > 0 put(1, e[1]);",
        "for i = 0..7 { put(i, u[i]); copy(u[i], q[i]); reads(q[i]); }",
        "for i = 0..7 { put(i, u[i]); copy(u[i], q[i]); put(1, q[i][1]) @ { request u[i]; }; }",
        "for i = 0..7 { put(i, u[i]); copy(u[i], q[i]) @ { locator_cyclic: 1; }; }",
        "for i = 0..7 { put(i, u[i]); copy(u[i], q[i * i]); }"};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "sub reads(name x) { get(x); }\nsub main() { df u, q, e; %s }%s", programs[i],
                 CELLS);
        PLACE(text, "as the program says", "!cell q");
    }
    PLACE("sub main() { df u[0..7], q; for i = 0..7 { put(i, u[i]); copy(u[i], q[i]); } }\n"
          "@ { cells 8; cell u[i] => i; outside u => 0; }", "!cell q");
}

TEST_MAIN(T(time_carries_and_space_is_spread),
          T(who_else_reads_the_values_of_all_times_does_not_spread_them_over_time),
          T(a_triangle_is_dealt_out_whichever_way_its_text_goes),
          T(the_low_end_is_cell_0),
          T(an_index_of_several_to_a_counter_is_divided),
          T(an_index_that_goes_nowhere_is_used_too),
          T(triangles_are_folded),
          T(of_a_wavefront_not_all_loops_are_taken),
          T(a_pipeline_is_space),
          T(what_is_declared_in_a_loop_is_placed_by_the_counters_around_it),
          T(what_a_sub_declares_is_placed_by_the_loops_around_its_call),
          T(a_mesh_in_a_sub_keeps_its_direction_if_there_are_few_calls_of_it),
          T(a_sub_is_called_from_several_places),
          T(where_a_sub_does_not_know_the_ends_cells_are_dealt_out),
          T(ends_may_be_words_of_main),
          T(what_may_lie_beyond_the_cells_is_cut),
          T(a_long_array_shares_cells),
          T(the_turns_of_a_loop_with_a_step_are_neighbours),
          T(turns_by_a_step_have_ends_that_are_words_of_main),
          T(loops_with_other_steps_keep_their_counter),
          T(what_a_node_needs_twice_it_needs_once),
          T(calls_with_lists_are_placed_as_if_they_named_each_element),
          T(a_list_of_many_counters_is_long),
          T(a_long_list_is_everywhere_but_its_call_follows_the_first_element),
          T(why_nothing_is_found),
          T(programs_that_say_are_left_alone),
          T(what_a_program_leaves_open_is_beside_its_calls),
          T(what_is_named_elsewhere_stays_where_it_was))
