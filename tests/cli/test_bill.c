/* The bill of a program whose loops leave out turns that are alike is that of one where every turn
 * is walked: by hand, and for random loops; SEEDS=5000 in the environment for more of these. */
#include "apps/luna/bill/bill.h"
#include "lang/lang.h"
#include "runtime/base/mem.h"
#include "tests/lib/check.h"

#include <inttypes.h>
#include <stdarg.h>

static const char head[] = "import f(value, name) as f; import g(value, value, name) as g;\n"
                           "import h(int, name) as h; import k(value) as k;\n";

static const char *
read_text(void *who, struct arena *a, const char *path, size_t *size)
{
    const char *text = arena_printf(a, "%s%s", head, (const char *)who);
    (void)path;
    *size = strlen(text);
    return text;
}

static struct lang
compiled(const char *text)
{
    struct lang l;
    struct lang_options o = {
        .file = "t.fa", .no_proof = true, .prep = {.read = read_text, .read_who = (void *)text}};
    if (!lang_compile(&l, &o) || diag_errors(l.diag)) {
        struct buf out = {0};
        diag_print_text(l.diag, &out);
        printf("%s\n%s\n", text, out.data ? out.data : "no memory");
        exit(1);
    }
    return l;
}

struct told {
    struct bill bill;
    struct unroll_fault fault;
    bool made;
};

static struct told
told(const struct lang *l, int nodes, const char *kind, int32_t arg, bool every_turn)
{
    struct told t;
    struct unroll_value args[1] = {{UNROLL_INT, {.i = arg}}};
    struct unroll_let lets[] = {{.name = "end", .value = arg}};
    struct unroll_setup s = {.args = args, .lets = lets, .nlets = 1, .every_turn = every_turn};
    int32_t side[3] = {1, 1, 1}, line[] = {nodes};
    struct layout layout = {.has_cells = l->plan->nextents > 0};
    if (layout.has_cells) {
        unroll_extent(l->arena, l->plan, &s, side, &t.fault);
        lattice_init(&layout.cells, (int)l->plan->nextents, side);
        layout.setup = (struct distrib_setup){.kind = distrib_kind(kind), .cells = layout.cells};
        lattice_init(&layout.setup.nodes, 1, line);
    }
    t.made = bill_make(&t.bill, l->arena, l->plan, &layout, nodes, &s, NULL, &t.fault);
    return t;
}

static bool
same_count(struct bill_count a, struct bill_count b)
{
    return a.least == b.least && a.most == b.most;
}

/* In what they differ; NULL: they do not. */
static const char *
difference(const struct told *x, const struct told *y)
{
    const struct bill *a = &x->bill, *b = &y->bill;
    if (x->made != y->made) return x->made ? y->fault.text : x->fault.text;
    if (!x->made) return strcmp(x->fault.text, y->fault.text) ? "faults" : NULL;
    if (a->calls != b->calls || a->calls_most != b->calls_most) return "calls";
    if (a->path != b->path) return "paths";
    if (a->path_weight < b->path_weight || a->path_weight > b->path_weight) return "heavy paths";
    if (a->weight < b->weight || a->weight > b->weight) return "weight";
    if (a->npairs != b->npairs || a->naccesses != b->naccesses || a->nalive != b->nalive)
        return "how many rows";
    for (size_t i = 0; i < a->npairs; i++)
        if (a->pairs[i].decl != b->pairs[i].decl || a->pairs[i].from != b->pairs[i].from ||
            a->pairs[i].to != b->pairs[i].to || !same_count(a->pairs[i].n, b->pairs[i].n))
            return "pairs";
    for (size_t i = 0; i < a->naccesses; i++)
        if (!same_count(a->accesses[i].n, b->accesses[i].n)) return "accesses";
    for (size_t i = 0; i < a->nalive; i++) {
        if (a->alive[i].made != b->alive[i].made) return "made";
        if (a->alive[i].most != b->alive[i].most) return "alive";
    }
    return NULL;
}

static const char *
compared(const char *text, int32_t arg, bool *left_out)
{
    static const char *const kinds[] = {"cyclic", "block", "rope"};
    struct lang l = compiled(text);
    static char words[700];
    const char *found = NULL;
    for (int nodes = 1; nodes <= 5 && !found; nodes += 2)
        for (int i = 0; i < 3 && !found; i++) {
            struct told a = told(&l, nodes, kinds[i], arg, false);
            struct told b = told(&l, nodes, kinds[i], arg, true);
            const char *what = difference(&a, &b);
            *left_out = a.bill.nwalked < b.bill.nwalked;
            if (what)
                snprintf(words, sizeof words, "%s, %d nodes, %s", what, nodes, kinds[i]);
            if (what) found = words;
        }
    lang_fini(&l);
    return found;
}

#define CELLS "@ { cells 6; cell u[t][i] => i; cell v[t][i] => i; }"

static const struct {
    bool left_out; /* some turns are */
    const char *text;
} programs[] = {
    {true, "sub main(int n) { df u, v; for i = 0..5 h(i, u[0][i]);"
           "for t = 0..n for i = 0..5 f(u[t][i], u[t+1][i]);"
           "for i = 0..5 k(u[n+1][i]); }" CELLS},
    {true, "sub main(int n) { df u, v; for i = 0..5 h(i, u[0][i]);" /* from beside */
           "for t = 0..n for i = 0..5 g(u[t][i], u[t][(i+1)%6], u[t+1][i]);"
           "for i = 0..5 k(u[n+1][5-i]); }" CELLS},
    {true, "sub main(int n) { df u, v; for i = 0..5 for t = 0..1 h(i, u[t][i]);" /* from two back */
           "for t = 2..n for i = 0..5 g(u[t-2][(i+2)%6], u[t-1][i], u[t][i]);"
           "k(u[n-1][2]); k(u[n][3]); }" CELLS},
    {true, "sub main(int n) { df u, v, w; for i = 0..5 h(i, u[0][i]); h(1, w);" /* one for all */
           "for t = 0..n for i = 0..5 g(w, u[t][i], u[t+1][i]); }" CELLS},
    {true, "sub main(int n) { df u, v; for i = 0..5 h(i, u[0][i]);" /* made and used in a turn */
           "for t = 0..n { df s; for i = 0..5 { f(u[t][i], s[i]); g(s[i], u[t][i], u[t+1][i]); } "
           "@ { weight: 3; } } @ { cell s[i] => 5 - i; } }" CELLS},
    {true, "sub one(name a, name b, int i) { df s; f(a[i], s); f(s, b[i]); }" /* by a sub */
           "sub main(int n) { df u, v; for i = 0..5 h(i, u[0][i]);"
           "for t = 0..n for i = 0..5 one(u[t], u[t+1], i); }" CELLS},
    {true, "sub main(int n) { df u, v, end; for i = 0..5 h(i, u[0][i]); h(0, v[0][0]);"
           /* a while */ "while v[t][0] > 0, t = 0..out end { for i = 0..5 f(u[t][i], u[t+1][i]);"
           "reduce max u[t+1][i] over i = 0..5 => v[t+1][0]; }"
           "k(u[end][1]); k(v[end][0]); }" CELLS},
    {true, "sub main(int n) { df u, v; h(0, u[0][0]);" /* every second */
           "for t = 0..n { f(u[2*t][0], v[t][t*0]); f(v[t][0], u[2*t+2][0]); } }" CELLS},
    {false, "sub main(int n) { df u, v; for t = 0..n h(t, u[t][1]);" /* no chain, then one */
            "h(0, v[0][0]); for t = 0..n g(u[t][1], v[t][0], v[t+1][0]); }" CELLS},
    {false, "sub main(int n) { df u, v; h(0, u[0][0]); for t = 0..n f(u[t][0], u[t+1][0]);"
            /* two */ "h(0, v[0][0]); for t = 0..n g(u[t/2][0], v[t][0], v[t+1][0]); }" CELLS},
    {true, "sub main(int n) { df u, v; for i = 0..5 { h(i, u[0][i]); h(i, v[0][i]); }"
           /* two loops */
           "for t = 0..n for i = 0..5 f(u[t][i], u[t+1][i]);"
           "for t = 0..2*n for i = 0..5 g(u[n][i], v[t][i], v[t+1][5-i]); k(v[2*n][0]); }" CELLS},
    {false, "sub main(int n) { df u, v; for i = 0..5 h(i, u[0][i]);" /* one in the middle */
            "for t = 0..n for i = 0..5 f(u[t][i], u[t+1][i]); k(u[n/2][3]); }" CELLS},
    {false, "sub main(int n) { df u, v; for i = 0..5 h(i, u[0][i]);" /* another turn */
            "for t = 0..n for i = 0..5 if t == 20 h(i, u[t+1][i]); else f(u[t][i], u[t+1][i]); }"
            CELLS},
    {false, "sub main(int n) { df u, v; h(0, u[0][0]);" /* longer and longer */
            "for t = 0..n for i = 0..t f(u[0][0], v[t][i%6]); }"
            "@ { cells 6; cell u[t][i] => i; cell v[t][i] => i % 6; }"},
    {false, "sub main(int n) { df u, v; h(0, u[0][0]);" /* a place that moves */
            "for t = 0..n f(u[t][0], u[t+1][0]); }"
            "@ { cells 6; cell u[t][i] => t % 6; cell v[t][i] => i; }"},
    {false, "sub main(int n) { df u; h(0, u[0]);"
            "for t = 0..n f(u[t], u[t+1]) @ { locator_cyclic: t / 3; }; }"},
    {false, "sub main(int n) { df u; h(0, u[0]); for t = 0..n f(u[t], u[t+1]); }"
            "@ { locator_cyclic u[t] => t; }"},
    {false, "sub main(int n) { df u; h(0, u[n+1]);" /* backwards */
            "for t = 0..n f(u[n+1-t], u[n-t]); }"},
    {true, "sub main(int n) { df u, v; for i = 0..5 h(i, u[0][i]);" /* with steps */
           "for t = 0..3*n by 3 { for i = 5..0 by -1 f(u[t][i], u[t+3][i]);"
           "for i = 1..5 by 2 f(u[t][i], v[t][i]); } }" CELLS},
    {false, "sub main(int n) { df u; h(0, u[2*n]);" /* down */
            "for t = 2*n..2 by -2 f(u[t], u[t-2]); }"},
    {false, "sub main(int n) { df u; h(0, u[0]); for t = 0..n f(u[t*t], u[(t+1)*(t+1)]); }"},
};

TEST(turns_that_are_alike_may_be_left_out)
{
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        bool left_out;
        const char *found = compared(programs[i].text, 40, &left_out);
        CHECK(!found, "%s: %s", found, programs[i].text);
        CHECK(left_out == programs[i].left_out, "%s", programs[i].text);
    }
}

/* ---- random loops ---- */

static uint64_t state;

static int
below(int n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)n);
}

static int nsets; /* each turn assigns these, and may read those of turns before */

/* Of a fragment that a turn reads: of another set or its own, of a chain from before the loop, the
 * end of that chain, or another of its fragments in each turn. */
static void
add_read(struct buf *out, int set)
{
    int back = below(3), from = below(set + 1 + (back > 0) * (nsets - set - 1)), way = below(12);
    if (!back && from == set) back = 1; /* not from itself */
    if (way == 0) buf_printf(out, "q[12]");
    else if (way == 1) buf_printf(out, "q[t-%d]", below(3));
    else if (way == 2) buf_printf(out, "s[i]");
    else buf_printf(out, "x%d[t-%d][(i+%d)%%6]", from, back, below(6));
}

static void
add_call(struct buf *out, int set)
{
    static const char *const conditions[] = {"", "", "", "", "if i0 > 2", "if t > 25"};
    buf_printf(out, "%s for i = %s g(", conditions[below(6)], below(3) ? "0..5" : "5..0 by -1");
    add_read(out, set);
    buf_printf(out, ", x%d[t-%d][i], x%d[t][%s])%s;", set, 1 + below(2), set,
               below(2) ? "i" : "5-i", below(4) ? "" : " @ { weight: 2; }");
}

/* If t > 25 is in it, a set is not assigned in all turns: that is no matter here. */
static void
random_program(struct buf *out, uint64_t seed)
{
    state = seed;
    nsets = 1 + below(3);
    bool a_while = !below(3);
    buf_printf(out, "sub main(int n) { df y, q, end");
    for (int i = 0; i < nsets; i++) buf_printf(out, ", x%d", i);
    buf_printf(out, "; let i0 = 3 { h(0, q[0]); for t = 0..n f(q[t], q[t+1]);");
    for (int i = 0; i < nsets; i++)
        buf_printf(out, "for t = 0..1 for i = 0..5 h(i, x%d[t][i]);", i);
    const char *by = below(4) ? "" : "by 2 ";
    if (a_while) buf_printf(out, "while x0[t-1][2] > 0, t = 2..out end { df s;");
    else buf_printf(out, "for t = 2..n %s{ df s;", by);
    buf_printf(out, "for i = 0..5 f(x0[t-1][i], s[i]);");
    for (int i = 0; i < nsets; i++) add_call(out, i);
    buf_printf(out, "} k(x0[n-1][%d]); k(x0[n-2][0]); k(x0[%d][1]); h(1, y); k(y); } }"
                    "@ { locator_cyclic y => 0; ",
               below(6), below(3) ? 1 : 17);
    bool cells = below(4);
    if (cells) buf_printf(out, "cells 6; cell q[t] => 2;");
    for (int i = 0; i < nsets; i++) {
        if (!below(4)) continue;
        if (cells) buf_printf(out, "cell x%d[t][i] => (i + %d) %% 6; ", i, below(6));
        else buf_printf(out, "locator_cyclic x%d[t][i] => i + %d; ", i, below(6));
    }
    buf_printf(out, "}");
}

TEST(random_loops_leave_out_what_changes_nothing)
{
    int some = 0, seeds = getenv("SEEDS") ? atoi(getenv("SEEDS")) : 300;
    for (uint64_t seed = 1; seed <= (uint64_t)CHECK_CASES(seeds); seed++) {
        struct buf text = {0};
        bool left_out;
        random_program(&text, seed);
        const char *found = compared(text.data, 30 + (int)(seed % 7), &left_out);
        some += left_out;
        CHECK(!found, "seed %" PRIu64 ": %s: %s", seed, found, text.data);
        buf_fini(&text);
    }
    CHECK(some > CHECK_CASES(100), "only %d have turns left out", some);
}

TEST_MAIN(T(turns_that_are_alike_may_be_left_out), T(random_loops_leave_out_what_changes_nothing))
