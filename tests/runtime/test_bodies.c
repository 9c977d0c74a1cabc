/* test_bodies.c - random bodies of subs, with fragments of their own: kept in the frame or not,
 * they have the values that a walk over the tree they were made from says.
 *
 * A body writes each of its variables in some way, reads it so many times, and has its statements
 * in any order. Some programs have a flaw: a count too low, no writer, two writers. These end with
 * the exit code that this must give, and on one worker with the words of a run that keeps nothing
 * in frames, one with --hash. */
#include "built.h"

#include "runtime/table/slots.h"

enum {
    VARS = 9,
    STMTS = 40,
    CALLS = 3, /* activations of the body */
    ITEMS = 4, /* of the reductions */
    SEEDS = CHECK_CASES(120)
};

enum how { FIRST, AFTER, NEXT, BOTH, REDUCED, BY_LEAF, TEXT, HOWS };
enum where { PLAIN, LOOP, BRANCH, WHERES };
enum flaw { NONE, TOO_FEW, NO_WRITER, TWO_WRITERS, FLAWS };

struct var {
    enum how how;
    enum where where;
    int a, b, cond; /* which others it reads */
    int k, reads, more;
    bool counted;
    uint32_t df;
};

static const struct luna_program *program;
static unsigned seed;
static struct var var[VARS];
static int nvars, ends[2]; /* two of which the result is the sum */
static enum flaw flaw;
static int flawed; /* which variable has it */
static struct b_stmt stmt[STMTS];
static unsigned nstmts;
static uint32_t result, items;

static int
chance(int n)
{
    seed = seed * 1664525 + 1013904223;
    return (int)((seed >> 10) % (unsigned)n);
}

/* ---- making variables ---- */

/* One of those before `i`, which holds a number. */
static int
number_before(int i)
{
    int k = chance(i);
    while (var[k].how == TEXT) k--;
    return k;
}

static void
make_var(int i)
{
    struct var *v = &var[i];
    *v = (struct var){.how = i ? (enum how)chance(HOWS) : FIRST, .k = 1 + chance(9),
                      .where = i ? (enum where)chance(WHERES) : PLAIN,
                      .counted = chance(2), .df = v->df};
    if (!i) return;
    v->a = v->how == AFTER ? chance(i) : number_before(i);
    v->b = number_before(i);
    v->cond = number_before(i);
    if (v->how == BY_LEAF) v->counted = false; /* the leaf knows nothing of it */
    if (v->how == AFTER || v->how == NEXT || v->how == BOTH) var[v->a].reads++;
    if (v->how == BOTH) var[v->b].reads++;
    if (v->where == BRANCH) var[v->cond].reads++;
}

/* Every fourth program has one. */
static void
make_flaw(unsigned number)
{
    flaw = number % 4 ? NONE : (enum flaw)(1 + chance(FLAWS - 1));
    flawed = chance(nvars);
    if (!var[flawed].reads) flawed = ends[0];
    if (flaw == TOO_FEW && var[flawed].how == BY_LEAF) flaw = NO_WRITER;
    if (flaw == TWO_WRITERS) var[flawed].counted = false;
    if (flaw != TOO_FEW) return;
    var[flawed].counted = true;
    var[flawed].more = -1 - chance(var[flawed].reads);
}

/* ---- the walk ---- */

/* In the activation with parameter n. */
static int
value_of(int i, int n)
{
    const struct var *v = &var[i];
    switch (v->how) {
    case FIRST:
    case AFTER: return n + v->k;
    case NEXT: return value_of(v->a, n) + 1;
    case BOTH: return (value_of(v->a, n) + value_of(v->b, n)) & 0xffff;
    case REDUCED: return ITEMS * (ITEMS + 1) / 2;
    case BY_LEAF: return n + v->k + 1;
    case TEXT:
    case HOWS: break;
    }
    return 0;
}

static int
value_of_all(void)
{
    int sum = 0;
    for (int n = 0; n < CALLS; n++) sum += (value_of(ends[0], n) + value_of(ends[1], n)) & 0xffff;
    return sum;
}

static int
exit_code(void)
{
    return flaw == NONE ? 0 : flaw == TWO_WRITERS ? 3 : 4;
}

/* ---- making statements ---- */

static struct b_arg
out_of(const struct var *v)
{
    struct b_arg plain = OUT(DF(v->df)), counted = OUT_COUNT(DF(v->df), INT(v->reads + v->more));
    return v->counted ? counted : plain;
}

static struct b_stmt
writer(const struct var *v)
{
    switch (v->how) {
    case AFTER:
        return CALL("init", .in = {DF(var[v->a].df)}, .arg = {out_of(v), A_INT(FRAME(0, v->k))});
    case NEXT: return STEP(DF(var[v->a].df), out_of(v));
    case BOTH:
        return CALL("sum", .in = {DF(var[v->a].df), DF(var[v->b].df)},
                    .arg = {VALUE(IN(0)), VALUE(IN(1)), out_of(v)});
    case REDUCED: /* behind its bounds, and the counter of a loop around it, stands its own */
        return REDUCE(LUNA_R_ADD, 1,
                      BLOCK(b, TERM(DF(items, LOCAL(v->where == LOOP ? 3 : 2, 0)))), out_of(v),
                      A_INT(INT(1)), A_INT(INT(ITEMS)));
    case BY_LEAF: return EXPAND("leaf", .arg = {A_INT(FRAME(0, v->k)), OUT(DF(v->df))});
    case TEXT: return CALL("inits", .arg = {out_of(v), A_STRING(STR("text"))});
    case FIRST:
    case HOWS: break;
    }
    return CALL("init", .arg = {out_of(v), A_INT(FRAME(0, v->k))});
}

static void
write_var(const struct var *v)
{
    struct b_stmt s = writer(v);
    if (v->where == LOOP) s = FOR(INT(5), INT(5), build_block(b, &s, 1));
    if (v->where == BRANCH)
        s = IF(IN(0), build_block(b, &s, 1), .in = {DF(var[v->cond].df)});
    stmt[nstmts++] = s;
}

/* Readers that do nothing with it. */
static void
read_more(struct var *v)
{
    int times = chance(3);
    struct b_stmt s = CALL("nop", .in = {DF(v->df)}, .arg = {A_INT(INT(1))});
    if (!times) return;
    v->reads += times;
    stmt[nstmts++] = FOR(INT(1), INT(times), build_block(b, &s, 1));
}

static void
shuffle(void)
{
    for (unsigned l = nstmts - 1; l > 0; l--) {
        unsigned k = (unsigned)chance((int)l + 1);
        struct b_stmt s = stmt[l];
        stmt[l] = stmt[k];
        stmt[k] = s;
    }
}

static void
make_body(unsigned number)
{
    nstmts = 0;
    for (int k = 0; k < 2; k++) var[ends[k] = number_before(nvars)].reads++;
    for (int i = 0; i < nvars; i++) read_more(&var[i]);
    make_flaw(number);
    for (int i = 0; i < nvars; i++)
        if (flaw != NO_WRITER || i != flawed) write_var(&var[i]);
    if (flaw == TWO_WRITERS) stmt[nstmts++] = INIT(DF(var[flawed].df), INT(0));
    stmt[nstmts++] = CALL("sum", .in = {DF(var[ends[0]].df), DF(var[ends[1]].df)},
                          .arg = {VALUE(IN(0)), VALUE(IN(1)), OUT(PARAM(1, FRAME(0, 0)))});
    stmt[nstmts++] = FOR(INT(1), INT(ITEMS), BLOCK(b, INIT(DF(items, LOCAL(0, 0)), LOCAL(0, 0))));
}

/* ---- programs ---- */

static void
make_leaf(void)
{
    uint32_t x = build_df(b, "x");
    struct b_stmt first = CALL("init", .arg = {OUT_COUNT(DF(x), INT(1)), A_INT(FRAME(0, 0))});
    struct b_stmt second = STEP(DF(x), OUT(PARAM(1)));
    build_sub(b, "leaf", "in", chance(2) ? BLOCK(b, first, second) : BLOCK(b, second, first));
}

/* The body's activations are made by a loop, or each by the one before it. */
static void
make_main(bool recursive)
{
    uint32_t sum = build_df(b, "sum");
    uint32_t each = BLOCK(b, EXPAND("body", .arg = {A_INT(LOCAL(0, 0)), OUT(DF(result))}));
    struct b_stmt makes = FOR(INT(0), INT(CALLS - 1), each);
    if (recursive)
        makes = EXPAND("body", .arg = {A_INT(INT(CALLS - 1)), OUT(DF(result))});
    build_sub(b, "main", "",
              BLOCK(b, makes,
                    REDUCE(LUNA_R_ADD, 1, BLOCK(b, TERM(DF(result, LOCAL(2, 0)))), OUT(DF(sum)),
                           A_INT(INT(0)), A_INT(INT(CALLS - 1))),
                    SAY(IN(0), .in = {DF(sum)})));
}

static void
random_program(unsigned number)
{
    static const char *const names[VARS] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    begin();
    seed = number;
    nvars = 2 + chance(VARS - 1);
    for (int i = 0; i < VARS; i++) var[i] = (struct var){.df = build_df(b, names[i])};
    for (int i = 0; i < nvars; i++) make_var(i);
    result = build_df(b, "result");
    items = build_df(b, "items");
    make_body(number);
    bool recursive = chance(2);
    if (recursive)
        stmt[nstmts++] = IF(FRAME(0, 0), BLOCK(b, EXPAND("body", .arg = {A_INT(FRAME(0, -1)),
                                                                         OUT(PARAM(1))})));
    shuffle();
    build_sub(b, "body", "in", build_block(b, stmt, nstmts));
    make_leaf();
    make_main(recursive);
    program = build_done(b);
}

/* ---- running ---- */

static const struct run_options ways[] = {
    {.workers = 1}, {.workers = 2}, {.workers = 1, .queue = 1}};

static void
run_one(unsigned number)
{
    char want[32];
    snprintf(want, sizeof want, "%d\n", value_of_all());
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct ran ran = run_program(program, ways[i], 0, NULL);
        CHECK(ran.code == exit_code(), "seed %u, way %zu: exit %d, not %d: %s", number, i, ran.code,
              exit_code(), ran.err);
        CHECK(flaw != NONE || !strcmp(ran.out, want), "seed %u, way %zu: %s instead of %s", number,
              i, ran.out, want);
    }
    if (flaw == NONE) return;
    static char words[1 << 16];
    snprintf(words, sizeof words, "%s", RUN(program, .workers = 1, .hash = true).err);
    struct ran ran = RUN(program, .workers = 1);
    CHECK(!strcmp(ran.err, words), "seed %u: %s instead of %s", number, ran.err, words);
}

TEST(each_body_does_what_it_says)
{
    unsigned kept = 0;
    for (unsigned k = 1; k <= SEEDS && !check_failed; k++) {
        random_program(k);
        struct slots *s = slots_new(program);
        CHECK(s);
        kept += s->sub[0].n > 1;
        slots_free(s);
        run_one(k);
    }
    if (check_failed) return;
    CHECK(kept > SEEDS / 2, "%u of the programs have some in frames", kept);
}

TEST_MAIN(T(each_body_does_what_it_says))
