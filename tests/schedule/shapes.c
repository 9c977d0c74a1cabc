/* shapes.c - each shape is a sub (name from, name to), a page of the language with dice in it. */
#include "shapes_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SHAPES_MAX = 3, GROUPS = 4, LARGE = 2000 };

const char *
say(struct gen *g, const char *fmt, ...)
{
    va_list ap;
    char *to = g->text[g->next++ % TEXTS];
    va_start(ap, fmt);
    vsnprintf(to, TEXT, fmt, ap);
    va_end(ap);
    return to;
}

/* ---- costs ---- */

int
long_cost(struct gen *g)
{
    double part = dice(g, 1001) / 1000.0, least = g->threads ? 40 : 25;
    return (int)(least * pow(1000 / least, part)); /* small ones as often as large ones */
}

static const char *
varied(struct gen *g, const char *i, const char *j)
{
    int lo = between(g, g->threads ? 40 : 25, 300), span = between(g, 10, 700);
    return say(g, "%d + (%s * %d + %s * %d) %% %d", lo, i, between(g, 1, 99), j, between(g, 1, 99),
               span);
}

/* Now and then long, else short, by the numbers i and j. */
static const char *
mixed(struct gen *g, const char *i, const char *j)
{
    int every = between(g, 2, 7);
    return say(g, "(%s + %s * %d) %% %d == %d ? %d : 1", i, j, between(g, 1, 5), every,
               dice(g, every), long_cost(g));
}

const char *
cost(struct gen *g, const char *i, const char *j)
{
    switch (dice(g, 8)) {
    case 0:
    case 1:
    case 2: return say(g, "%d", long_cost(g));
    case 3: return mixed(g, i, j);
    case 4: return dice(g, 3) ? varied(g, i, j) : "1";
    default: return varied(g, i, j);
    }
}

/* ---- calls and rules ---- */

/* `in` has the inputs, each followed by a comma. */
static void
put_call(struct gen *g, const char *label, int nin, const char *c, const char *in, const char *out)
{
    PUT(g, "cf %s: w%d(%s, %s%s) @ { weight: %s; };\n", label, nin, c, in, out, c);
}

/* Fragments of `df` and calls labelled `label`, both with these indices, lie where i does. */
static void
put_rule(struct gen *g, const char *df, const char *label, const char *ix, const char *spot)
{
    if (g->placing == BY_CELLS && df) PUT(g, " cell %s%s => %s;", df, ix, spot);
    if (g->placing == BY_LOCATORS && df) PUT(g, " locator_cyclic %s%s => %s;", df, ix, spot);
    if (g->placing == BY_LOCATORS && label)
        PUT(g, " locator_cyclic %s%d%s => %s;", label, g->shape, ix, spot);
}

static void
put_rules(struct gen *g, const char *df, const char *label, const char *ix)
{
    put_rule(g, df, label, ix, g->spot);
}

static void
begin(struct gen *g, const char *dfs)
{
    PUT(g, "\nsub s%d(name from, name to)\n{\n    df %s;\n", g->shape, dfs);
}

static void
begin_rules(struct gen *g)
{
    PUT(g, "}%s", g->placing == NOWHERE ? "" : " @ {");
}

static void
end_rules(struct gen *g)
{
    PUT(g, "%s\n", g->placing == NOWHERE ? "" : " }");
}

/* Where element i of n is. */
static void
choose_spot(struct gen *g)
{
    int cells = g->side[0] * g->side[1], by = between(g, 1, 7);
    char one[TEXT / 3];
    bool even = g->n <= cells;
    switch (dice(g, 4)) {
    case 0: snprintf(one, sizeof one, even ? "i" : "i %% %d", cells); break;
    case 1: snprintf(one, sizeof one, "(i * %d + %d) %% %d", by, dice(g, 9), cells); break;
    default: snprintf(one, sizeof one, "i * %d / %d %% %d", cells, g->n, cells);
    }
    if (g->placing == BY_LOCATORS) {
        switch (dice(g, 3)) {
        case 0: snprintf(g->spot, sizeof g->spot, "i"); break;
        case 1: snprintf(g->spot, sizeof g->spot, "i / %d", between(g, 1, 4)); break;
        default: snprintf(g->spot, sizeof g->spot, "i * %d + %d", by, dice(g, 9));
        }
    } else if (g->dims == 2) {
        snprintf(g->spot, sizeof g->spot, "(%s) / %d, (%s) %% %d", one, g->side[1], one,
                 g->side[1]);
    } else {
        snprintf(g->spot, sizeof g->spot, "%s", one);
    }
}

/* How many elements side by side, and how many rounds of them there is room for. */
static int
choose_width(struct gen *g)
{
    int most = g->placing == NOWHERE ? 16 : 3 * g->nodes;
    g->n = between(g, 2, most < 4 ? 4 : most > 128 ? 128 : most);
    if (g->n > g->room / 2) g->n = g->room / 2;
    choose_spot(g);
    int rounds = g->room / g->n;
    return rounds > 10 ? 10 : rounds < 1 ? 1 : rounds;
}

static void
put_sum(struct gen *g, const char *element, const char *to)
{
    PUT(g, "    reduce max %s over i = 0 .. %d => %s;\n", element, g->n - 1, to);
}

/* ---- shapes ---- */

static void
put_two_loops(struct gen *g, const char *t, int from, int to)
{
    if (dice(g, 2))
        PUT(g, "    for %s = %d .. %d { for i = 0 .. %d {\n        ", t, from, to, g->n - 1);
    else PUT(g, "    for i = 0 .. %d { for %s = %d .. %d {\n        ", g->n - 1, t, from, to);
}

/* One of the values of the layer below. */
static const char *
any_below(struct gen *g)
{
    if (!dice(g, 4)) return say(g, "x[t - 1][%d], ", dice(g, g->n));
    return say(g, "x[t - 1][(i * %d + t + %d) %% %d], ", between(g, 1, 5), dice(g, g->n), g->n);
}

static void
layers(struct gen *g)
{
    int top = choose_width(g) - 1, nin = between(g, 1, 3);
    const char *in[3] = {any_below(g), any_below(g), any_below(g)};
    begin(g, "x");
    PUT(g, "    for i = 0 .. %d { ", g->n - 1);
    put_call(g, say(g, "c%d[0][i]", g->shape), 1, cost(g, "i", "1"), "from, ", "x[0][i]");
    PUT(g, "    }\n");
    put_two_loops(g, "t", 1, top);
    put_call(g, say(g, "c%d[t][i]", g->shape), nin, cost(g, "i", "t"),
             say(g, "%s%s%s", in[0], nin > 1 ? in[1] : "", nin > 2 ? in[2] : ""), "x[t][i]");
    PUT(g, "    } }\n");
    put_sum(g, say(g, "x[%d][i]", top), "to");
    begin_rules(g);
    put_rules(g, "x", "c", "[t][i]");
    end_rules(g);
}

static void
chains(struct gen *g)
{
    int last = choose_width(g);
    begin(g, "x");
    PUT(g, "    for i = 0 .. %d { ", g->n - 1);
    put_call(g, say(g, "c%d[0][i]", g->shape), 1, "1", "from, ", "x[0][i]");
    PUT(g, "    }\n");
    put_two_loops(g, "t", 1, last);
    put_call(g, say(g, "c%d[t][i]", g->shape), 1, cost(g, "i", "t"), "x[t - 1][i], ", "x[t][i]");
    PUT(g, "    } }\n");
    put_sum(g, say(g, "x[%d][i]", last), "to");
    begin_rules(g);
    put_rules(g, "x", "c", "[t][i]");
    end_rules(g);
}

static void
forks(struct gen *g)
{
    int last = choose_width(g);
    begin(g, "x, y");
    put_call(g, say(g, "b%d", g->shape), 1, cost(g, "1", "1"), "from, ", "y[0]");
    PUT(g, "    for t = 0 .. %d {\n        for i = 0 .. %d { ", last - 1, g->n - 1);
    put_call(g, say(g, "c%d[t][i]", g->shape), 1, cost(g, "i", "t"), "y[t], ", "x[t][i]");
    PUT(g, "        }\n");
    put_sum(g, "x[t][i]", "y[t + 1]");
    PUT(g, "    }\n    ");
    put_call(g, say(g, "e%d", g->shape), 1, "1", say(g, "y[%d], ", last), "to");
    begin_rules(g);
    put_rules(g, "x", "c", "[t][i]");
    if (dice(g, 2)) put_rule(g, "y", NULL, "[i]", g->dims == 2 ? "0, 0" : "0");
    end_rules(g);
}

static void
nests(struct gen *g)
{
    int m = choose_width(g);
    bool reads = dice(g, 3);
    begin(g, "x, y");
    PUT(g, "    for i = 0 .. %d {\n        for j = 0 .. %d { ", g->n - 1, m - 1);
    put_call(g, say(g, "c%d[i][j]", g->shape), reads, cost(g, "i", "j"), reads ? "from, " : "",
             "x[i][j]");
    PUT(g, "        }\n        reduce max x[i][j] over j = 0 .. %d => y[i];\n    }\n", m - 1);
    put_sum(g, "y[i]", "to");
    begin_rules(g);
    put_rules(g, "x", "c", "[i][j]");
    put_rules(g, "y", NULL, "[i]");
    end_rules(g);
}

static void
tree_rules(struct gen *g, int fan)
{
    const char *cell = say(g, "(k * %d + i + 1) %% %d", fan, g->side[0] * g->side[1]);
    begin_rules(g);
    if (g->placing == BY_CELLS && g->dims == 2)
        PUT(g, " cell u[i] => (%s) / %d, (%s) %% %d;", cell, g->side[1], cell, g->side[1]);
    if (g->placing == BY_CELLS && g->dims == 1) PUT(g, " cell u[i] => %s;", cell);
    if (g->placing == BY_LOCATORS)
        PUT(g, " locator_cyclic u[i] => k; locator_cyclic r => (k - 1) / %d;"
               " locator_cyclic c%d[k] => k; locator_cyclic e%d[k] => k;",
            fan, g->shape, g->shape);
    end_rules(g);
}

static void
trees(struct gen *g)
{
    int fan = between(g, 2, 4), depth = 1, leaves = fan;
    while (leaves * fan <= g->room) leaves *= fan, depth++;
    depth = between(g, 1, depth);
    const char *joins[] = {"", "", "u[0], u[1], ", "u[0], u[1], u[2], "};
    PUT(g, "\nsub t%d(int d, int k, name r)\n{\n    df u;\n    if d == 0 { ", g->shape);
    put_call(g, say(g, "c%d[k]", g->shape), 0, cost(g, "k", "1"), "", "r");
    PUT(g, "    }\n    if d > 0 {\n        for i = 0 .. %d { t%d(d - 1, k * %d + i + 1, u[i])",
        fan - 1, g->shape, fan);
    if (g->placing == BY_LOCATORS) PUT(g, " @ { locator_cyclic: k * %d + i + 1; }", fan);
    PUT(g, "; }\n        ");
    if (fan < 4 && dice(g, 2))
        put_call(g, say(g, "e%d[k]", g->shape), fan, cost(g, "k", "d"), joins[fan], "r");
    else PUT(g, "reduce + u[i] over i = 0 .. %d => r;\n", fan - 1);
    PUT(g, "    }\n");
    tree_rules(g, fan);
    PUT(g, "\nsub s%d(name from, name to) { if from > 0 { t%d(%d, 0, to); } }\n", g->shape,
        g->shape, depth);
}

static void
waves(struct gen *g)
{
    int m = choose_width(g) + 1;
    bool flat = g->placing == BY_CELLS && g->dims == 2;
    if (flat) g->n = between(g, 2, g->side[0]), m = between(g, 2, g->side[1]);
    begin(g, "x");
    PUT(g, "    for i = 0 .. %d { ", g->n - 1);
    put_call(g, say(g, "c%d[i][0]", g->shape), 1, "1", "from, ", "x[i][0]");
    PUT(g, "    }\n    for j = 1 .. %d { ", m - 1);
    put_call(g, say(g, "c%d[0][j]", g->shape), 1, "1", "from, ", "x[0][j]");
    PUT(g, "    }\n    for i = 1 .. %d { for j = 1 .. %d {\n        ", g->n - 1, m - 1);
    put_call(g, say(g, "c%d[i][j]", g->shape), 2, cost(g, "i", "j"), "x[i - 1][j], x[i][j - 1], ",
             "x[i][j]");
    PUT(g, "    } }\n    ");
    put_call(g, say(g, "e%d", g->shape), 1, "1", say(g, "x[%d][%d], ", g->n - 1, m - 1), "to");
    begin_rules(g);
    if (flat) put_rule(g, "x", "c", "[i][j]", "i, j");
    else put_rules(g, "x", "c", "[i][j]");
    end_rules(g);
}

/* Two calls for each element, a reduction of all results, and a loop behind it. */
static void
behind(struct gen *g)
{
    choose_width(g);
    begin(g, "x, y, z, s");
    PUT(g, "    for i = 0 .. %d {\n        ", g->n - 1);
    put_call(g, say(g, "c%d[i]", g->shape), 1, cost(g, "i", "1"), "from, ", "x[i]");
    PUT(g, "        ");
    put_call(g, say(g, "d%d[i]", g->shape), 1, cost(g, "i", "1"), "x[i], ", "y[i]");
    PUT(g, "    }\n");
    put_sum(g, "y[i]", "s");
    PUT(g, "    for i = 0 .. %d { ", g->n - 1);
    put_call(g, say(g, "e%d[i]", g->shape), 2, cost(g, "i", "3"), "s, y[i], ", "z[i]");
    PUT(g, "    }\n");
    put_sum(g, "z[i]", "to");
    begin_rules(g);
    put_rules(g, "x", "c", "[i]");
    put_rules(g, "y", "d", "[i]");
    put_rules(g, "z", "e", "[i]");
    end_rules(g);
}

static void
turns_of(struct gen *g, int nin, const char *in)
{
    int last = choose_width(g);
    begin(g, "x, all, steps");
    PUT(g, "    for i = 0 .. %d { ", g->n - 1);
    put_call(g, say(g, "c%d[0][i]", g->shape), 1, "1", "from, ", "x[0][i]");
    PUT(g, "    }\n    ");
    put_call(g, say(g, "b%d", g->shape), 1, "1", "from, ", "all[0]");
    PUT(g, "    while all[t] > 0 && t < %d, t = 0 .. out steps {\n        for i = 0 .. %d { ",
        last, g->n - 1);
    put_call(g, say(g, "c%d[t + 1][i]", g->shape), nin, cost(g, "i", "t"), in, "x[t + 1][i]");
    PUT(g, "        }\n    ");
    put_sum(g, "x[t + 1][i]", "all[t + 1]");
    PUT(g, "    }\n    ");
    put_call(g, say(g, "e%d", g->shape), 1, "1", "steps, ", "to");
    begin_rules(g);
    put_rules(g, "x", "c", "[t][i]");
    end_rules(g);
}

static void
turns(struct gen *g)
{
    turns_of(g, 1, "x[t][i], ");
}

static void
halos(struct gen *g)
{
    /* The width is not known yet: neighbours as far as there may be some. */
    struct gen ahead = *g;
    choose_width(&ahead);
    turns_of(g, 3, say(g, "x[t][(i + %d) %% %d], x[t][i], x[t][(i + 1) %% %d], ", ahead.n - 1,
                       ahead.n, ahead.n));
}

/* A short and long calls for each element, in any order of the text. */
static void
mixtures(struct gen *g)
{
    choose_width(g);
    int first = dice(g, 3);
    begin(g, "x, y, z");
    PUT(g, "    for i = 0 .. %d {\n", g->n - 1);
    for (int k = first; k < first + 3; k++) {
        PUT(g, "        ");
        if (k % 3 == 0)
            put_call(g, say(g, "c%d[i]", g->shape), 1, say(g, "%d", long_cost(g)), "from, ",
                     "x[i]");
        if (k % 3 == 1) put_call(g, say(g, "d%d[i]", g->shape), 1, "1", "x[i], ", "y[i]");
        if (k % 3 == 2)
            put_call(g, say(g, "e%d[i]", g->shape), 2, varied(g, "i", "1"), "y[i], from, ", "z[i]");
    }
    PUT(g, "    }\n");
    put_sum(g, "z[i]", "to");
    begin_rules(g);
    put_rules(g, "x", "c", "[i]");
    put_rules(g, "y", "d", "[i]");
    put_rules(g, "z", "e", "[i]");
    end_rules(g);
}

static void
both_kinds(struct gen *g)
{
    choose_width(g);
    begin(g, "x");
    PUT(g, "    for i = 0 .. %d { ", g->n - 1);
    put_call(g, say(g, "c%d[i]", g->shape), 1, mixed(g, "i", "1"), "from, ", "x[i]");
    PUT(g, "    }\n");
    put_sum(g, "x[i]", "to");
    begin_rules(g);
    put_rules(g, "x", "c", "[i]");
    end_rules(g);
}

static void
conditions(struct gen *g)
{
    choose_width(g);
    begin(g, "x, y");
    PUT(g, "    for i = 0 .. %d {\n        ", g->n - 1);
    put_call(g, say(g, "c%d[i]", g->shape), 1, cost(g, "i", "1"), "from, ", "x[i]");
    PUT(g, "        if x[i] > 0 { ");
    put_call(g, say(g, "d%d[i]", g->shape), 1, cost(g, "i", "2"), "x[i], ", "y[i]");
    PUT(g, "        }\n    }\n");
    put_sum(g, "y[i]", "to");
    begin_rules(g);
    put_rules(g, "x", "c", "[i]");
    put_rules(g, "y", "d", "[i]");
    end_rules(g);
}

static void
subs(struct gen *g)
{
    choose_width(g);
    PUT(g, "\nsub t%d(int i, name from, name r)\n{\n    df x;\n    ", g->shape);
    put_call(g, say(g, "c%d[i]", g->shape), 1, cost(g, "i", "1"), "from, ", "x[0]");
    PUT(g, "    ");
    put_call(g, say(g, "d%d[i]", g->shape), 2, cost(g, "i", "2"), "x[0], from, ", "r");
    begin_rules(g);
    if (g->placing == BY_CELLS) put_rule(g, "x", NULL, "[j]", g->spot);
    if (g->placing == BY_LOCATORS)
        PUT(g, " locator_cyclic x[j] => %s; locator_cyclic r => %s; locator_cyclic c%d[k] => %s;"
               " locator_cyclic d%d[k] => %s;",
            g->spot, g->spot, g->shape, g->spot, g->shape, g->spot);
    end_rules(g);
    begin(g, "y");
    PUT(g, "    for i = 0 .. %d { t%d(i, from, y[i]); }\n", g->n - 1, g->shape);
    put_sum(g, "y[i]", "to");
    begin_rules(g);
    put_rules(g, "y", NULL, "[i]");
    end_rules(g);
}

static void (*const shapes[])(struct gen *) = {layers, chains, forks, nests, trees, waves, behind,
                                               turns, halos, mixtures, both_kinds, conditions,
                                               subs};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* ---- the program ---- */

static const char head[] =
    "// BUSY=5 luna run: each call is busy for 5 us times its weight, short ones for as many\n"
    "// as they weigh. luna sim: weights are all there is.\n"
    "C head ${{\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <time.h>\n"
    "static double now(void) {\n"
    "    struct timespec t;\n"
    "    clock_gettime(CLOCK_MONOTONIC, &t);\n"
    "    return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;\n"
    "}\n"
    "static int most(int a, int b) { return a > b ? a : b; }\n"
    "static void busy(int w) {\n"
    "    const char *each = getenv(\"BUSY\");\n"
    "    double begin = now(), us = each ? w > 2 ? w * atof(each) : w : 0;\n"
    "    while (now() - begin < us) ;\n"
    "}\n"
    "$}}\n"
    "C sub w0(int w, name r) ${{ busy(w); luna_set_int(r, 1); $}}\n"
    "C sub w1(int w, int a, name r) ${{ busy(w); luna_set_int(r, a + 1); $}}\n"
    "C sub w2(int w, int a, int b, name r) ${{ busy(w); luna_set_int(r, most(a, b) + 1); $}}\n"
    "C sub w3(int w, int a, int b, int c, name r) ${{\n"
    "    busy(w); luna_set_int(r, most(a, most(b, c)) + 1);\n"
    "$}}\n"
    "C sub show(int k) ${{ printf(\"%d\\n\", k); $}}\n";

static void
choose_lattice(struct gen *g)
{
    int n = g->nodes * between(g, 1, 3);
    g->dims = 1;
    g->side[0] = n < 4 ? 4 : n > 128 ? 128 : n;
    g->side[1] = 1;
    if (g->placing != BY_CELLS || dice(g, 3)) return;
    g->dims = 2;
    g->side[0] = g->side[1] = (int)ceil(sqrt(n)) + dice(g, 3);
    if (g->side[0] < 2) g->side[0] = g->side[1] = 2;
}

static void
put_main(struct gen *g, int n, const int *from)
{
    PUT(g, "\nsub main()\n{\n    df p, last;\n    cf go: w0(1, p[0]) @ { weight: 1; };\n");
    for (int k = 1; k <= n; k++) PUT(g, "    s%d(p[%d], p[%d]);\n", k, from[k], k);
    PUT(g, "    reduce max p[k] over k = 1 .. %d => last;\n", n);
    PUT(g, "    cf end: show(last) @ { weight: 1; };\n}");
    if (g->placing == BY_CELLS && g->dims == 2)
        PUT(g, " @ { cells %d, %d; }", g->side[0], g->side[1]);
    if (g->placing == BY_CELLS && g->dims == 1) PUT(g, " @ { cells %d; }", g->side[0]);
    PUT(g, "\n");
}

int
shapes_nodes(uint64_t seed)
{
    static const int often[] = {1, 2, 2, 3, 4, 4, 5, 6, 7, 8, 8, 12, 16, 24, 32, 64};
    struct rng dice = rng_of(seed * 2 + 1);
    int n = often[rng_below(&dice, sizeof often / sizeof *often)];
    return rng_below(&dice, 4) ? n : 1 + (int)rng_below(&dice, 64);
}

void
shapes_text(uint64_t seed, const struct shapes_how *how, struct buf *text)
{
    struct gen g = {.dice = rng_of(seed), .o = text, .nodes = how->nodes, .threads = how->threads,
                    .no_else = how->no_else};
    struct rng more = rng_of(~seed);
    uint64_t parts = rng_below(&more, 2) ? 3 : 0; /* of four shapes, those that are pieces */
    if (how->large) parts = 4;
    int n = between(&g, 1, SHAPES_MAX), from[GROUPS * SHAPES_MAX + 1];
    int all = n * (how->threads ? GROUPS : 1);
    int kind = dice(&g, 10);
    g.placing = how->nodes == 1 ? NOWHERE : kind < 1 ? NOWHERE : kind < 6 ? BY_CELLS : BY_LOCATORS;
    if (how->large) all = n = 1;
    g.room = how->large ? LARGE : (how->threads ? 160 : 60 + 6 * g.nodes) / n;
    choose_lattice(&g);
    PUT(&g, "%s", head);
    for (int k = 1; k <= all; k++) {
        g.shape = k;
        from[k] = dice(&g, 2) ? k - 1 : (k - 1) / n * n;
        (rng_below(&more, 4) < parts ? pieces : shapes[dice(&g, SHAPES)])(&g);
    }
    put_main(&g, all, from);
}
