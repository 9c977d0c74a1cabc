/* test_alive.c - how much is proved to be alive, against all orders in which calls may run.
 *
 * A program in steps is made up and its plan is walked twice: by the prover, which says of some DFs
 * that so many values of each line are alive at most, and instance by instance, which gives the
 * graph of who waits for whom. Two values of a line are never there together if all readers of one
 * are done before the other is written. A set of values of which any two may be there together must
 * not be larger than what was said; mostly it is as large.
 *
 *     test_alive [FIRST [LAST]]      seeds */
#include "lang/lang.h"
#include "lang/plan/plan.h"
#include "lang/prove/alive.h"
#include "lang/unroll/unroll.h"
#include "tests/lib/check.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INSTANCES = 2000, VALUES = 2000, READS = 8000, LINE = 12, WORDS = 4 };

/* ---- a program ---- */

struct made {
    uint64_t state;
    struct buf text;
    int steps, cells;
    bool is_while, sym; /* sym: the number of cells is main's argument */
    bool has[4];        /* x, y, s, p */
    int way[3];         /* how x, y, s go on */
};

/* What step t makes; what was made a step, and two steps before it; the last. Two lines that know
 * nothing of each other, and one with gaps, are among them. */
enum { WAYS = 3, MADE_NOW = 0, BEFORE = 1, LONG_BEFORE = 2, FIRST = 3 };
static const char *const index_text[WAYS][4] = {
    {"[t+1]", "[t]", "[t > 0 ? t-1 : 0]", "[0]"},
    {"[t+2]", "[t]", "[t]", "[1]"},
    {"[2*t+2]", "[2*t]", "[t > 0 ? 2*t-2 : 0]", "[0]"},
};

static int
pick(struct made *m, int n)
{
    m->state = m->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((m->state >> 33) % (unsigned)n);
}

static const char *
cells(const struct made *m)
{
    static char text[8];
    snprintf(text, sizeof text, m->sym ? "n" : "%d", m->cells);
    return text;
}

/* An index of a neighbour that is there. */
static void
put_beside(struct made *m)
{
    switch (pick(m, 9)) {
    case 7: buf_printf(&m->text, "[(i + 1) %% %s]", cells(m)); break;
    case 8: buf_printf(&m->text, "[(i + %s - 1) %% %s]", cells(m), cells(m)); break;
    case 0: buf_str(&m->text, "[i > 0 ? i-1 : i]"); break;
    case 1: buf_printf(&m->text, "[i < %s-1 ? i+1 : i]", cells(m)); break;
    case 2: buf_str(&m->text, "[0]"); break;
    case 3: buf_printf(&m->text, "[%s-1-i]", cells(m)); break;
    default: buf_str(&m->text, "[i]"); break;
    }
}

/* Something that is there when step t begins, or, of what stands before, is made in it. */
static void
put_read(struct made *m, bool in_loop, const bool *made)
{
    int df;
    do df = pick(m, 4);
    while (!m->has[df] || (df == 3 && !made[3]));
    if (df == 3) {
        buf_str(&m->text, "p");
        if (in_loop) put_beside(m);
        else buf_str(&m->text, "[0]");
        return;
    }
    int when = made[df] && !pick(m, 2) ? MADE_NOW
               : pick(m, 8)            ? BEFORE
               : pick(m, 3)            ? LONG_BEFORE
                                       : FIRST;
    buf_printf(&m->text, "%c%s", "xys"[df], index_text[m->way[df]][when]);
    if (df == 2) return;
    if (in_loop) put_beside(m);
    else buf_str(&m->text, "[0]");
}

/* What it makes out of what; `rich`: or mostly. */
static void
put_call(struct made *m, int df, const bool *made, bool rich)
{
    bool line = df != 2;
    int n = pick(m, 12) && rich ? 1 + pick(m, 3) : pick(m, 2);
    bool own = n && pick(m, 3); /* reads what it was a step before */
    buf_printf(&m->text, "f%d(", n);
    for (int i = 0; i < n; i++) {
        if (!i && own && df < 3)
            buf_printf(&m->text, "%c%s%s", "xys"[df], index_text[m->way[df]][BEFORE],
                       line ? "[i]" : "");
        else put_read(m, line, made);
        buf_str(&m->text, ", ");
    }
    if (df == 3) buf_str(&m->text, "p[i]);\n");
    else
        buf_printf(&m->text, "%c%s%s);\n", "xys"[df], index_text[m->way[df]][MADE_NOW],
                   line ? "[i]" : "");
}

static void
put_step(struct made *m, int df, const bool *made)
{
    bool line = df != 2;
    /* Values that are the same, or less. */
    const char *until = m->has[2] && !pick(m, 8) ? pick(m, 2) ? "s[0]" : "s[t]" : cells(m);
    if (df == 2 && (made[0] || made[1]) && pick(m, 2)) {
        const char *less = m->has[2] && !pick(m, 3) ? "s[t]-1" : until;
        buf_printf(&m->text, "  reduce + %c%s[k] over k = 0..%s-1 => s%s;\n", made[0] ? 'x' : 'y',
                   index_text[m->way[!made[0]]][MADE_NOW], less, index_text[m->way[2]][MADE_NOW]);
        return;
    }
    int branch = m->has[2] ? pick(m, 8) : 2;
    buf_str(&m->text, "  ");
    if (line) buf_printf(&m->text, "for i = 0..%s-1 ", until);
    if (branch == 0) buf_printf(&m->text, "if s[%c] > 0 ", "0t"[pick(m, 2)]);
    if (branch == 1) buf_printf(&m->text, "if s[%c] > 1000 ", "0t"[pick(m, 2)]);
    put_call(m, df, made, true);
    if (branch != 1) return;
    buf_str(&m->text, "  else ");
    put_call(m, df, made, false);
}

static void
make_program(struct made *m)
{
    bool made[4] = {false};
    m->has[0] = true;
    m->has[1] = pick(m, 2);
    m->is_while = !pick(m, 3);
    m->has[2] = m->is_while || !pick(m, 3);
    m->has[3] = !pick(m, 3);
    m->steps = 1 + pick(m, 5);
    m->cells = 1 + pick(m, 4);
    m->sym = !pick(m, 3);
    for (int i = 0; i < 3; i++) m->way[i] = pick(m, 3) ? 0 : pick(m, WAYS);
    if (m->is_while) m->way[2] = 0;
    for (int i = 0; i <= 3; i++) {
        buf_printf(&m->text, "C sub f%d(", i);
        for (int k = 0; k < i; k++) buf_printf(&m->text, "value v%d, ", k);
        buf_str(&m->text, "name to) ${{ $}}\n");
    }
    buf_str(&m->text, "C sub use(value v) ${{ $}}\n");
    buf_printf(&m->text, "sub main(%s)\n{\n  df x, y, s, last;\n", m->sym ? "int n" : "");
    for (int df = 0; df < 2; df++)
        for (int k = 0; k <= (m->way[df] == 1) && m->has[df]; k++)
            buf_printf(&m->text, "  for i = 0..%s-1 f0(%c[%d][i]);\n", cells(m), "xy"[df], k);
    for (int k = 0; k <= (m->way[2] == 1) && m->has[2]; k++)
        buf_printf(&m->text, "  f0(s[%d]);\n", k);
    if (m->is_while) buf_str(&m->text, "  while s[t] > 0, t = 0..out last {\n");
    else buf_printf(&m->text, "  for t = 0..%d {\n", m->steps - 1);
    if (m->has[3]) buf_str(&m->text, "  df p;\n");
    int order[4] = {0, 1, 2, 3};
    for (int i = 3; i > 0; i--) {
        int k = pick(m, i + 1), was = order[i];
        order[i] = order[k];
        order[k] = was;
    }
    for (int i = 0; i < 4; i++) {
        int df = order[i];
        if (!m->has[df]) continue;
        put_step(m, df, made);
        made[df] = true;
    }
    if (m->has[3] && pick(m, 2))
        buf_printf(&m->text, "  for i = 0..%s-1 use(p[i]);\n", cells(m));
    buf_str(&m->text, "  }\n");
    if (pick(m, 2)) {
        buf_printf(&m->text, "  for i = 0..%s-1 use(x[%s", cells(m), m->way[0] == 2 ? "2*" : "");
        if (m->is_while) buf_str(&m->text, "last");
        else buf_printf(&m->text, "%d", m->steps);
        buf_str(&m->text, "][i]);\n");
    }
    buf_str(&m->text, "}\n");
}

static const char *
read_text(void *who, struct arena *a, const char *path, size_t *size)
{
    const struct made *m = who;
    (void)a, (void)path;
    *size = m->text.size;
    return m->text.data;
}

/* ---- the graph ---- */

struct value {
    struct unroll_name name;
    int writer; /* an instance; 0: none */
};

struct graph {
    const struct plan *plan;
    int n, around[INSTANCES];
    bool reduces[INSTANCES];
    struct value value[VALUES];
    int nvalues;
    struct {
        int reader, value;
    } read[READS];
    int nreads;
    unsigned char *before; /* before[a * n + b]: b has ended before a begins */
};

static int
value_of(struct graph *g, const struct unroll_instance *x, uint32_t ref)
{
    struct unroll_name name;
    unroll_name_of(x, ref, &name);
    for (int i = 0; i < g->nvalues; i++) {
        const struct unroll_name *o = &g->value[i].name;
        if (o->id == name.id && o->decl == name.decl && o->n == name.n &&
            !memcmp(o->index, name.index, name.n * sizeof *name.index))
            return i;
    }
    if (g->nvalues == VALUES) abort();
    g->value[g->nvalues] = (struct value){name, 0};
    return g->nvalues++;
}

static uint32_t
enter(void *who, const struct unroll_instance *x, uint32_t around)
{
    struct graph *g = who;
    const struct plan *p = g->plan;
    const struct plan_site *s = x->site;
    int me = ++g->n;
    if (me == INSTANCES) abort();
    g->around[me] = (int)around;
    g->reduces[me] = s->kind == PS_TERM; /* what a reduction reads it reads itself */
    int reader = g->reduces[me] ? (int)around : me;
    for (uint32_t i = 0; i < s->nin; i++) {
        if (g->nreads == READS) abort();
        g->read[g->nreads].reader = reader;
        g->read[g->nreads++].value = value_of(g, x, p->ins.row[s->in + i].ref);
    }
    for (uint32_t i = 0; i < s->nargs && (s->kind != PS_TEST || x->ends); i++)
        if (p->args.row[s->arg + i].kind == PA_NAME)
            g->value[value_of(g, x, p->args.row[s->arg + i].row)].writer = me;
    return (uint32_t)me;
}

static void
close_graph(struct graph *g)
{
    int n = g->n + 1;
    bool more = true;
    g->before = calloc((size_t)n, (size_t)n);
    for (int i = 1; i < n; i++)
        if (g->around[i]) g->before[i * n + g->around[i]] = 1;
    for (int i = 0; i < g->nreads; i++) {
        int writer = g->value[g->read[i].value].writer;
        if (writer) g->before[g->read[i].reader * n + writer] = 1;
    }
    while (more) {
        more = false;
        for (int a = 1; a < n; a++)
            for (int b = 1; b < n; b++)
                for (int c = 1; g->before[a * n + b] && c < n; c++)
                    if (g->before[b * n + c] && !g->before[a * n + c]) {
                        g->before[a * n + c] = 1;
                        more = true;
                    }
    }
}

/* a has gone when b comes, in any order. */
static bool
is_gone(const struct graph *g, int a, int b)
{
    for (int i = 0; i < g->nreads; i++)
        if (g->read[i].value == a &&
            !g->before[g->value[b].writer * (g->n + 1) + g->read[i].reader])
            return false;
    return true;
}

/* The largest set of values of which any two may be there together. */
static int
most_together(const struct graph *g, const int *line, int n)
{
    unsigned with[LINE] = {0};
    int most = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            if (i == k || (!is_gone(g, line[i], line[k]) && !is_gone(g, line[k], line[i])))
                with[i] |= 1u << k;
    for (unsigned set = 1; set < 1u << n; set++) {
        bool all = true;
        for (int i = 0; i < n; i++)
            if (set & 1u << i) all &= (with[i] & set) == set;
        if (all && __builtin_popcount(set) > most) most = __builtin_popcount(set);
    }
    return most;
}

/* ---- comparing ---- */

static long proved, exact, lines_told, nothing_told;

/* Of the same DF, with the same words but for one. The first one of p is the turn in which it is
 * declared, which an instance knows as an identity. */
static bool
is_same_line(const struct graph *g, int a, int b, int word)
{
    const struct unroll_name *x = &g->value[a].name, *y = &g->value[b].name;
    bool hidden = !strcmp(g->plan->dfs.row[x->decl].name, "p");
    if (x->decl != y->decl || x->n != y->n || !g->value[a].writer || !g->value[b].writer)
        return false;
    if (!(hidden && word == 0) && x->id != y->id) return false;
    for (int i = 0; i < (int)x->n; i++)
        if (i + hidden != word && x->index[i] != y->index[i]) return false;
    return true;
}

static bool
check_lines(const struct graph *g, const struct plan *p, uint32_t decl, const struct alive *a)
{
    int lines = 0, all = 0, most = 0;
    for (int i = 0; i < g->nvalues; i++) {
        int line[LINE], n = 0;
        bool first = true;
        if (g->value[i].name.decl != decl || !g->value[i].writer) continue;
        all++;
        for (int k = 0; k < g->nvalues; k++)
            if (is_same_line(g, i, k, a->word)) {
                first &= k >= i;
                if (n == LINE) abort();
                line[n++] = k;
            }
        if (!first) continue;
        lines++;
        int together = most_together(g, line, n);
        if (together > most) most = together;
    }
    if (a->levels && most > a->levels) {
        printf("%s: %d levels were told, %d are possible\n", p->dfs.row[decl].name, a->levels,
               most);
        return false;
    }
    if (a->known && a->lines != (a->levels ? lines : all)) {
        printf("%s: %ld lines were told, there are %d\n", p->dfs.row[decl].name, (long)a->lines,
               a->levels ? lines : all);
        return false;
    }
    proved += a->levels > 0;
    exact += a->levels > 0 && most == a->levels;
    lines_told += a->known;
    nothing_told += !a->levels && most < lines;
    return true;
}

static bool
check_alive(struct lang *l, const struct made *m, const struct graph *g)
{
    struct walk *w = arena_new_of(l->arena, struct walk);
    struct sets *s = sets_new(l->arena);
    struct main_args args = {1, (bool[]){true}, (int64_t[]){m->cells}};
    struct main_args *given = m->state % 2 ? &args : NULL;
    int calls = 100;
    bool good = true;
    size_t subs = l->plan->subs.n;
    bool **lost = arena_array(l->arena, bool *, subs + 1);
    struct walk_options o = {
        .box = 1 << 24, .wide = true, .calls = &calls, .lost = lost, .args = given};
    access_walk(w, l->arena, l->plan, l->plan->main, &o);
    struct waits *all = waits_new(w);
    sets_take_time(s, 20);
    for (const struct touched *t = w->all; t && good; t = t->later) {
        bool last[WORDS + 1];
        memset(last, true, sizeof last); /* as if all values left */
        struct alive a = alive_of(s, all, t, last);
        good = check_lines(g, l->plan, t->decl, &a);
    }
    sets_free(s);
    return good;
}

static bool
try_program(struct made *m)
{
    struct graph *g = calloc(1, sizeof *g);
    struct lang l;
    struct unroll_fault fault;
    jmp_buf no_memory;
    struct lang_options o = {.file = "r.fa", .no_proof = true,
                             .prep = {.read = read_text, .read_who = m}};
    bool ok = lang_compile(&l, &o) && !diag_errors(l.diag);
    struct unroll_value arg = {UNROLL_INT, {.i = m->cells}};
    struct unroll_let lets[3] = {{.name = "last", .value = m->steps},
                                 {.name = "s", .value = m->cells},
                                 {.name = "s", .n = 1, .index = {m->steps}, .value = 0}};
    struct unroll_setup setup = {.args = &arg, .lets = lets, .nlets = m->is_while ? 3 : 2};
    struct unroll_visitor v = {.enter = enter, .who = g};
    if (!ok) {
        struct buf out = {0};
        diag_print_text(l.diag, &out);
        printf("%.*s\n", (int)out.size, out.data);
        buf_fini(&out);
    } else if (setjmp(no_memory)) {
        ok = false;
    } else {
        arena_on_fail(l.arena, &no_memory);
        g->plan = l.plan;
        ok = unroll_run(l.arena, l.plan, &setup, &v, &fault);
        if (!ok) printf("%s\n", fault.text);
        if (ok) close_graph(g);
        ok = ok && check_alive(&l, m, g);
    }
    if (!ok)
        printf("n = %d, %d steps\n%.*s\n", m->cells, m->steps, (int)m->text.size, m->text.data);
    free(g->before);
    free(g);
    lang_fini(&l);
    return ok;
}

static bool
try_seed(unsigned long seed)
{
    struct made m = {.state = seed * 7919 + 1};
    for (int i = 0; i < 4; i++) pick(&m, 2);
    make_program(&m);
    bool ok = try_program(&m);
    if (!ok) printf("seed %lu\n", seed);
    buf_fini(&m.text);
    return ok;
}

/* Who waits for y[t+1] waits for one of two, and mostly not for the one that waits for z[t]. */
static bool
try_branches(void)
{
    struct made m = {.steps = 4, .cells = 1};
    buf_str(&m.text, "C sub f0(name to) ${{ $}}\nC sub f1(value v, name to) ${{ $}}\n"
                     "sub main() { df x, y, z, s; f0(x[0]); for t = 0..3 f0(s[t]);\n"
                     "  for t = 0..3 { f1(x[t], z[t]); f1(y[t+1], x[t+1]);\n"
                     "    if s[t] > 1000 f1(z[t], y[t+1]); else f0(y[t+1]); } }\n");
    bool ok = try_program(&m);
    buf_fini(&m.text);
    return ok;
}


int
main(int argc, char **argv)
{
    unsigned long first = argc > 1 ? strtoul(argv[1], NULL, 10) : 1, wrong = 0;
    unsigned long last = argc > 2   ? strtoul(argv[2], NULL, 10)
                         : argc > 1 ? first
                                    : CHECK_CASES(500);
    wrong += !try_branches();
    for (unsigned long seed = first; seed <= last; seed++) wrong += !try_seed(seed);
    printf("of %ld DFs it was told how many values of a line are alive, of %ld just the most there "
           "may be; of %ld nothing, though lines are not alive as a whole; %ld times how many "
           "lines there are\n",
           proved, exact, nothing_told, lines_told);
    return wrong != 0 || (argc == 1 && (exact < CHECK_CASES(100) || lines_told < CHECK_CASES(100)));
}
