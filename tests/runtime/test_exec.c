/* test_exec.c - every kind of statement, with 1, 2 and 4 workers: the same answers, nothing left
 * over (under address sanitizer a frame, a task or a value that is not freed is a leak). */
#include "built.h"

#include "runtime/ucode/luna.h"

#include <stdatomic.h>

static const int workers[] = {1, 2, 4};

/* The program prints `text` however many workers there are. */
static void
always_prints(const char *text)
{
    const struct luna_program *p = build_done(b);
    for (int i = 0; i < 3; i++) CHECK_PRINTS(RUN(p, .workers = workers[i]), text);
}

TEST(a_chain_of_calls)
{
    enum { N = 100000 };
    begin();
    uint32_t x = build_df(b, "x");
    uint32_t body = BLOCK(b, STEP(DF(x, LOCAL(0, 0)), OUT_COUNT(DF(x, LOCAL(0, 1)), INT(1))));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(0), INT(N - 1), body, .flags = LUNA_F_CARRIED),
                                   INIT(DF(x, INT(0)), INT(0)),
                                   SAY(IN(0), .in = {DF(x, INT(N))})));
    always_prints("100000\n");
}

/* x[t+1][i] = x[t][i-1] + x[t][i] + x[t][i+1] between borders of 1 */
enum { W = 16, STEPS = 300 };

static int32_t
readers(const luna_env *e)
{
    int i = (int)e->local[1].i;
    return 3 - (i == 1) - (i == W);
}

static int
stencil_answer(void)
{
    unsigned x[W + 2], y[W + 2];
    for (unsigned i = 0; i < W + 2; i++) x[i] = i == 0 || i == W + 1 ? 1 : i;
    for (int t = 0; t < STEPS; t++) {
        memcpy(y, x, sizeof x);
        for (int i = 1; i <= W; i++) x[i] = (y[i - 1] + y[i] + y[i + 1]) & 0xffff;
    }
    return (int)x[W / 2];
}

static const struct luna_program *
stencil(void)
{
    begin();
    uint32_t x = build_df(b, "x");
    uint32_t row = BLOCK(b, CALL("sum3",
                                 .in = {DF(x, LOCAL(0, 0), LOCAL(1, -1)),
                                        DF(x, LOCAL(0, 0), LOCAL(1, 0)),
                                        DF(x, LOCAL(0, 0), LOCAL(1, 1))},
                                 .arg = {VALUE(IN(0)), VALUE(IN(1)), VALUE(IN(2)),
                                         OUT_COUNT(DF(x, LOCAL(0, 1), LOCAL(1, 0)),
                                                   INT_FN(readers))}));
    uint32_t borders = BLOCK(b, INIT(DF(x, LOCAL(0, 0), INT(0)), INT(1)),
                             INIT(DF(x, LOCAL(0, 0), INT(W + 1)), INT(1)));
    uint32_t rows = BLOCK(b, FOR(INT(1), INT(W), row));
    uint32_t first = BLOCK(b, INIT(DF(x, INT(0), LOCAL(0, 0)), LOCAL(0, 0)));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(0), INT(STEPS - 1), rows),
                                   FOR(INT(0), INT(STEPS - 1), borders),
                                   FOR(INT(1), INT(W), first),
                                   SAY(IN(0), .in = {DF(x, INT(STEPS), INT(W / 2))})));
    return build_done(b);
}

TEST(a_stencil_is_the_same_for_all_workers_and_nodes)
{
    char text[32];
    static char hash[4096];
    const struct luna_program *p = stencil();
    snprintf(text, sizeof text, "%d\n", stencil_answer());
    for (int nodes = 1; nodes <= 3; nodes++)
        for (int i = 0; i < 3; i++) {
            struct ran ran = RUN(p, .nodes = nodes, .workers = workers[i], .hash = true,
                                 .quiet = true);
            CHECK(ran.code == 0, "%d nodes, %d workers: %s", nodes, workers[i], ran.err);
            CHECK_STR(ran.out, text);
            if (nodes == 1 && i == 0) strcpy(hash, ran.err);
            CHECK_STR(ran.err, hash);
        }
    CHECK(strstr(hash, "hash main.x 5416 "), "%s", hash);
}

/* Fragments live all over, and so do the calls: step(x[i-1], x[i]) runs on node i+1 mod N. */
TEST(calls_travel_to_their_nodes)
{
    enum { N = 200 };
    begin();
    uint32_t x = build_df(b, "x");
    uint32_t body = BLOCK(b, STEP(PARAM_AT(0, IX(0), LOCAL(0, -1)),
                                  OUT_COUNT(PARAM_AT(0, IX(0), LOCAL(0, 0)), INT(1)),
                                  .node = LOCAL(0, 1)));
    build_sub(b, "f", "n", BLOCK(b, FOR(INT(1), INT(N), body)));
    build_sub(b, "main", "", BLOCK(b, EXPAND("f", .arg = {OUT(DF(x, INT(3)))}, .node = INT(1)),
                                   INIT(DF_AT(x, IX(1), INT(3), INT(0)), INT(0)),
                                   SAY(IN(0), .in = {DF_AT(x, IX(1), INT(3), INT(N))})));
    const struct luna_program *p = build_done(b);
    for (int nodes = 1; nodes <= 5; nodes += 2)
        for (int i = 0; i < 3; i++)
            CHECK_PRINTS(RUN(p, .nodes = nodes, .workers = workers[i]), "200\n");
}

/* ---- for ---- */

static int32_t
int_min(const luna_env *e)
{
    (void)e;
    return INT32_MIN;
}

TEST(bounds_of_for)
{
    begin();
    uint32_t x = build_df(b, "n");
    uint32_t top = BLOCK(b, SAY(LOCAL(0, 0)));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(2), INT(1), BLOCK(b, SAY(INT(999)))),
                                   FOR(INT(INT32_MAX - 1), INT(INT32_MAX), top),
                                   FOR(INT_FN(int_min), INT(INT32_MIN + 1), top),
                                   FOR(INT(-1), REAL(1.9), top), INIT(DF(x), INT(-7)),
                                   FOR(IN(0), IN(0), top, .in = {DF(x)})));
    CHECK_PRINTS(RUN(build_done(b), .workers = 1),
                 "2147483646\n2147483647\n-2147483648\n-2147483647\n-1\n0\n1\n-7\n");
}

/* for i = 1..N { df t; init(t, i); sum(t, acc..) }: each iteration has a t of its own. */
TEST(each_iteration_has_fragments_of_its_own)
{
    enum { N = 2000 };
    begin();
    uint32_t t = build_df(b, "t"), acc = build_df(b, "acc");
    uint32_t inner = BLOCK(b, INIT(DF_OF(3, t), AFFINE(0, {1, 2, 0})),
                           CALL("sum", .in = {DF_OF(3, t), DF(acc, LOCAL(2, -1))},
                                .arg = {VALUE(IN(0)), VALUE(IN(1)),
                                        OUT_COUNT(DF(acc, LOCAL(2, 0)), INT(1))}));
    /* t of the outer iteration is another one */
    uint32_t outer = BLOCK(b, INIT(DF_OF(1, t), INT(-5)),
                           FOR(INT(1), INT(N), inner, .flags = LUNA_F_FRESH));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(0), INT(0), outer, .flags = LUNA_F_FRESH),
                                   INIT(DF(acc, INT(0)), INT(0)),
                                   SAY(IN(0), .in = {DF(acc, INT(N))})));
    char text[32];
    snprintf(text, sizeof text, "%d\n", N * (N + 1) / 2 & 0xffff);
    always_prints(text);
}

TEST(a_wide_loop_is_shared)
{
    enum { N = CHECK_CASES(100000) };
    char calls[32];
    snprintf(calls, sizeof calls, " %d calls", 2 * N);
    begin();
    uint32_t x = build_df(b, "x");
    uint32_t one = BLOCK(b, CALL("init", .arg = {OUT_COUNT(DF(x, LOCAL(0, 0)), INT(1)),
                                                 A_INT(LOCAL(0, 0))}),
                         CALL("nop", .in = {DF(x, LOCAL(0, 0))}, .arg = {A_INT(IN(0))}));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(1), INT(N), one)));
    const struct luna_program *p = build_done(b);
    for (int i = 0; i < 3; i++) {
        struct ran ran = RUN(p, .workers = workers[i], .hash = true, .stats = true);
        CHECK(ran.code == 0 && strstr(ran.err, calls), "%d: %s", ran.code, ran.err);
    }
}

/* ---- if and while ---- */

TEST(conditions_are_truncated)
{
    begin();
    uint32_t r = build_df(b, "r");
    build_sub(b, "main", "",
              BLOCK(b, IF(REAL(0.5), BLOCK(b, SAY(INT(1)))), IF(REAL(-0.5), BLOCK(b, SAY(INT(2)))),
                    IF(REAL(-1.0), BLOCK(b, SAY(INT(3)))), IF(INT(0), BLOCK(b, SAY(INT(4)))),
                    IF(INT(-1), BLOCK(b, SAY(INT(5)))),
                    CALL("initr", .arg = {OUT(DF(r)), A_REAL(REAL(0.99))}),
                    IF(IN(0), BLOCK(b, SAY(INT(6))), .in = {DF(r)})));
    CHECK_PRINTS(RUN(build_done(b), .workers = 1), "3\n5\n");
}

/* while i < N, i = 0..out n { step(x[i], x[i+1]) }, the condition reading x[i] */
TEST(a_while_follows_the_data_of_its_body)
{
    begin();
    uint32_t x = build_df(b, "x"), n = build_df(b, "n");
    uint32_t body = BLOCK(b, STEP(DF(x, LOCAL(0, 0)), OUT(DF(x, LOCAL(0, 1)))));
    uint32_t test = BLOCK(b, TEST_OF(IN(0), body, OUT(DF(n)), .in = {DF(x, LOCAL(0, 0))}));
    build_sub(b, "main", "", BLOCK(b, INIT(DF(x, INT(5)), INT(-1000)), WHILE(INT(5), test),
                                   SAY(IN(0), .in = {DF(n)})));
    always_prints("1005\n");
}

TEST(a_while_that_is_false_at_once_gives_its_start)
{
    begin();
    uint32_t n = build_df(b, "n"), s = build_df(b, "s");
    uint32_t test = BLOCK(b, TEST_OF(INT(0), BLOCK(b, SAY(INT(1))), OUT(DF(n, LOCAL(0, 0)))));
    build_sub(b, "main", "", BLOCK(b, WHILE(IN(0), test, .in = {DF(s)}), INIT(DF(s), INT(-3)),
                                   SAY(IN(0), .in = {DF(n, INT(-3))})));
    always_prints("-3\n");
}

TEST(a_while_has_fragments_of_its_own_in_each_round)
{
    begin();
    uint32_t n = build_df(b, "n"), t = build_df(b, "t"), acc = build_df(b, "acc");
    uint32_t body = BLOCK(b, INIT(DF_OF(1, t), LOCAL(0, 0)),
                          CALL("sum", .in = {DF_OF(1, t), DF(acc, LOCAL(0, 0))},
                               .arg = {VALUE(IN(0)), VALUE(IN(1)), OUT(DF(acc, LOCAL(0, 1)))}));
    uint32_t test = BLOCK(b, TEST_OF(AFFINE(-100, {1, 0, 0}), body, OUT(DF(n)),
                                     .flags = LUNA_F_FRESH));
    build_sub(b, "main", "", BLOCK(b, WHILE(INT(0), test), INIT(DF(acc, INT(0)), INT(0)),
                                   CALL("say", .in = {DF(n), DF(acc, IN(0))},
                                        .arg = {A_INT(IN(1))})));
    always_prints("4950\n");
}

/* ---- structured subs ---- */

/* sub f(int k, real r, string s, name y, value v) */
TEST(all_kinds_of_parameters)
{
    begin();
    uint32_t x = build_df(b, "x"), v = build_df(b, "v");
    build_sub(b, "f", "irsnv",
              BLOCK(b, SAY(FRAME(0, 1)), CALL("sayr", .arg = {A_REAL(FREAL(1))}),
                    CALL("says", .arg = {A_STRING(FVALUE(2))}), INIT(PARAM(3, INT(2)), FRAME(0, 0)),
                    CALL("sayv", .arg = {VALUE(FVALUE(4))})));
    build_sub(b, "main", "",
              BLOCK(b, CALL("inits", .arg = {OUT(DF(v)), A_STRING(STR("a value of some length"))}),
                    EXPAND("f", .in = {DF(v)}, .arg = {A_INT(INT(41)), A_REAL(INT(3)),
                                                       A_STRING(INT(12)), OUT(DF(x, INT(1))),
                                                       VALUE(IN(0))}),
                    SAY(IN(0), .in = {DF(x, INT(1), INT(2))})));
    CHECK_PRINTS(RUN(build_done(b), .workers = 1),
                 "42\n3\n12\nDF<string>(a value of some length)\n41\n");
    CHECK(RUN(build_done(b), .workers = 4).code == 0);
}

/* sub f(int n, name y) { if n { f(n-1, y) } if !n init(y, 1) } */
static int32_t
is_zero(const luna_env *e)
{
    return e->frame[0].i == 0;
}

TEST(recursion_a_hundred_thousand_deep)
{
    begin();
    uint32_t x = build_df(b, "x");
    uint32_t deeper = BLOCK(b, EXPAND("f", .arg = {A_INT(FRAME(0, -1)), OUT(PARAM(1))}));
    build_sub(b, "f", "in", BLOCK(b, IF(FRAME(0, 0), deeper),
                                  IF(INT_FN(is_zero), BLOCK(b, INIT(PARAM(1), INT(1))))));
    build_sub(b, "main", "", BLOCK(b, EXPAND("f", .arg = {A_INT(INT(100000)), OUT(DF(x))}),
                                   SAY(IN(0), .in = {DF(x)})));
    always_prints("1\n");
}

/* Each activation keeps the one above alive: when the innermost ends, all of them do. */
TEST(recursion_with_an_end_to_wait_for_at_each_level)
{
    begin();
    uint32_t d = build_df(b, "d");
    uint32_t deeper = BLOCK(b, EXPAND("f", .arg = {A_INT(FRAME(0, -1))}, .set = {DF(d)}));
    build_sub(b, "f", "i", BLOCK(b, IF(FRAME(0, 0), deeper)));
    build_sub(b, "main", "", BLOCK(b, EXPAND("f", .arg = {A_INT(INT(100000))}, .set = {DF(d)}),
                                   SAY(IN(0), .in = {DF(d)})));
    always_prints("1\n");
}

/* A thousand names in a row: parameters hand on what they were given, with indices in front. */
TEST(partial_names_grow_on_their_way_down)
{
    begin();
    uint32_t x = build_df(b, "x");
    uint32_t deeper = BLOCK(b, EXPAND("f", .arg = {A_INT(FRAME(0, -1)),
                                                   OUT(PARAM(1, FRAME(0, 0)))}));
    build_sub(b, "f", "in", BLOCK(b, IF(FRAME(0, 0), deeper),
                                  IF(INT_FN(is_zero), BLOCK(b, INIT(PARAM(1), INT(5))))));
    build_sub(b, "main", "", BLOCK(b, EXPAND("f", .arg = {A_INT(INT(3)), OUT(DF(x))}),
                                   SAY(IN(0), .in = {DF(x, INT(3), INT(2), INT(1))})));
    always_prints("5\n");
    CHECK(RUN(build_done(b), .nodes = 2, .workers = 1).code == 0);
}

TEST(more_indices_than_a_name_may_have)
{
    begin();
    uint32_t x = build_df(b, "x");
    uint32_t deeper = BLOCK(b, EXPAND("f", .arg = {A_INT(FRAME(0, -1)),
                                                   OUT(PARAM(1, FRAME(0, 0)))}, .line = 7));
    build_sub(b, "f", "in", BLOCK(b, IF(FRAME(0, 0), deeper)));
    build_sub(b, "main", "", BLOCK(b, EXPAND("f", .arg = {A_INT(INT(70)), OUT(DF(x))})));
    CHECK_FAILS(RUN(build_done(b), .workers = 1), 3,
                "test.fa:7:5: error[RUN8]: a reference has more than 64 indices\n");
}

/* ---- >> on structured calls: when all descendants have finished ---- */

/* sub leaf(int k, name go) { nop waits for go[k] } ; sub g(name go) { for k=0..9 leaf(k, go) }
 * main: g(x) >> (done); for k=9..0 the x[k] come one after the other, each said; say(done) last */
TEST(the_end_of_a_call_is_the_end_of_all_it_made)
{
    enum { N = 50 };
    begin();
    uint32_t x = build_df(b, "x"), done = build_df(b, "done"), seen = build_df(b, "seen");
    build_sub(b, "leaf", "inn",
              BLOCK(b, CALL("init", .in = {PARAM(1, FRAME(0, 0))},
                            .arg = {OUT(PARAM(2, FRAME(0, 0))), A_INT(IN(0))})));
    uint32_t leaves = BLOCK(b, EXPAND("leaf", .arg = {A_INT(LOCAL(0, 0)), OUT(PARAM(0)),
                                                      OUT(PARAM(1))}));
    build_sub(b, "g", "nn", BLOCK(b, FOR(INT(0), INT(N - 1), leaves)));
    build_sub(b, "h", "nn", BLOCK(b, EXPAND("g", .arg = {OUT(PARAM(0)), OUT(PARAM(1))})));
    uint32_t gives = BLOCK(b, INIT(DF(x, LOCAL(0, 0)), INT(1)));
    /* deleting seen[k] is right only if all leaves have run by then */
    uint32_t checks = BLOCK(b, CALL("nop", .in = {DF(done)}, .arg = {A_INT(IN(0))},
                                    .kill = {DF(seen, LOCAL(0, 0))}));
    build_sub(b, "main", "", BLOCK(b, EXPAND("h", .arg = {OUT(DF(x)), OUT(DF(seen))},
                                             .set = {DF(done)}),
                                   FOR(INT(0), INT(N - 1), checks),
                                   FOR(INT(0), INT(N - 1), gives),
                                   SAY(IN(0), .in = {DF(done)})));
    always_prints("1\n");
    CHECK_PRINTS(RUN(build_done(b), .nodes = 3, .workers = 1), "1\n");
    CHECK_PRINTS(RUN(build_done(b), .nodes = 2, .workers = 2), "1\n");
}

/* f() waits inside for something that only comes after a nested call has ended. */
TEST(ends_nest)
{
    begin();
    uint32_t in = build_df(b, "in"), out = build_df(b, "out"), e = build_df(b, "e");
    build_sub(b, "g", "", BLOCK(b, SAY(INT(1))));
    build_sub(b, "f", "", BLOCK(b, EXPAND("g", .set = {DF(in)}),
                                IF(IN(0), BLOCK(b, SAY(INT(2))), .in = {DF(in)}),
                                CALL("init", .in = {DF(in)}, .arg = {OUT(DF(e)), A_INT(INT(3))}),
                                SAY(IN(0), .in = {DF(e)})));
    build_sub(b, "main", "", BLOCK(b, EXPAND("f", .set = {DF(out)}),
                                   SAY(AFFINE(4), .in = {DF(out)})));
    const struct luna_program *p = build_done(b);
    CHECK_PRINTS(RUN(p, .workers = 1), "1\n2\n3\n4\n");
    for (int i = 0; i < 3; i++) {
        struct ran ran = RUN(p, .workers = workers[i]);
        CHECK(!strncmp(ran.out, "1\n", 2) && !strcmp(ran.out + 6, "4\n"), "%s", ran.out);
    }
}

/* f() has ended but for g(), whose loop several workers share: what each of them begins counts on
 * the end of f, at the same time. */
TEST(many_workers_count_on_one_end)
{
    begin();
    uint32_t d = build_df(b, "d"), x = build_df(b, "x");
    build_sub(b, "leaf", "i", BLOCK(b, INIT(DF(x), FRAME(0, 0)),
                                    CALL("nop", .in = {DF(x)}, .arg = {A_INT(IN(0))})));
    uint32_t leaves = BLOCK(b, EXPAND("leaf", .arg = {A_INT(LOCAL(0, 0))}));
    build_sub(b, "g", "", BLOCK(b, FOR(INT(1), INT(40000), leaves)));
    build_sub(b, "f", "", BLOCK(b, EXPAND("g")));
    build_sub(b, "main", "", BLOCK(b, EXPAND("f", .set = {DF(d)}), SAY(IN(0), .in = {DF(d)})));
    always_prints("1\n");
}

/* An argument of the call must live until >> and --> have been named by it: f(x[n]) >> (d[x]) */
TEST(what_follows_a_call_may_be_named_by_its_inputs)
{
    begin();
    uint32_t x = build_df(b, "x"), d = build_df(b, "d");
    build_sub(b, "f", "v", BLOCK(b, CALL("sayv", .arg = {VALUE(FVALUE(0))})));
    build_sub(b, "main", "", BLOCK(b, INIT(DF(x), INT(6)),
                                   EXPAND("f", .in = {DF(x)}, .arg = {VALUE(IN(0))},
                                          .set = {DF(d, IN(0))}, .kill = {DF(x)}),
                                   SAY(AFFINE(9), .in = {DF(d, INT(6))})));
    always_prints("DF<int>(6)\n9\n");
}

TEST(the_end_of_a_call_without_descendants)
{
    begin();
    uint32_t d = build_df(b, "d");
    build_sub(b, "f", "", BLOCK(b, FOR(INT(1), INT(0), BLOCK(b, SAY(INT(1))))));
    build_sub(b, "main", "", BLOCK(b, EXPAND("f", .set = {DF(d)}), SAY(IN(0), .in = {DF(d)})));
    always_prints("1\n");
}

/* ---- what follows a call, and counts ---- */

TEST(after_a_call_its_markers_are_set_and_its_inputs_freed)
{
    begin();
    uint32_t x = build_df(b, "x"), m = build_df(b, "m");
    build_sub(b, "main", "",
              BLOCK(b, CALL("sayv", .in = {DF(x)}, .arg = {VALUE(IN(0))},
                            .set = {DF(m, INT(1)), DF(m, INT(2))}, .kill = {DF(x)}),
                    SAY(AFFINE(2), .in = {DF(m, INT(1)), DF(m, INT(2))}),
                    CALL("inits", .arg = {OUT(DF(x)), A_STRING(STR("kept until then"))})));
    always_prints("DF<string>(kept until then)\n2\n");
}

TEST(deleting_what_has_not_come_yet_drops_it)
{
    begin();
    uint32_t x = build_df(b, "x");
    build_sub(b, "main", "", BLOCK(b, SAY(INT(1), .kill = {DF(x)}), INIT(DF(x), INT(1))));
    always_prints("1\n");
}

TEST(requests_count)
{
    begin();
    uint32_t x = build_df(b, "x"), y = build_df(b, "y"), z = build_df(b, "z");
    uint32_t reads = BLOCK(b, CALL("nop", .in = {DF(x)}, .arg = {A_INT(IN(0))}));
    build_sub(b, "main", "",
              BLOCK(b, FOR(INT(1), INT(500), reads),
                    CALL("init", .arg = {OUT_COUNT(DF(x), INT(1000)), A_INT(INT(1))}),
                    FOR(INT(1), INT(500), reads),
                    CALL("init", .arg = {OUT_DROP(DF(y)), A_INT(INT(1))}),
                    CALL("init", .arg = {OUT_COUNT(DF(y, INT(0)), INT(0)), A_INT(INT(1))}),
                    CALL("init", .arg = {OUT_COUNT(DF(z), INT(-1)), A_INT(INT(8))}),
                    SAY(IN(0), .in = {DF(z)})));
    always_prints("8\n");
}

TEST(counts_below_minus_one_are_refused)
{
    begin();
    uint32_t x = build_df(b, "x");
    build_sub(b, "main", "",
              BLOCK(b, CALL("init", .arg = {OUT_COUNT(DF(x), INT(-2)), A_INT(INT(1))})));
    CHECK_FAILS(RUN(build_done(b), .workers = 1), 3,
                "test.fa:1:5: error[RUN8]: req_count is -2; it must be -1 (no limit), 0 or more\n");
}

TEST(large_values_are_shared_and_freed)
{
    begin();
    uint32_t x = build_df(b, "x");
    uint32_t makes = BLOCK(b, CALL("bytes", .arg = {OUT_COUNT(DF(x, LOCAL(0, 0)), INT(1)),
                                                    A_INT(INT(1 << 20))}),
                           CALL("nop", .in = {DF(x, LOCAL(0, 0))}, .arg = {A_INT(INT(0))}));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(1), INT(CHECK_CASES(2000)), makes)));
    const struct luna_program *p = build_done(b);
    for (int i = 0; i < 3; i++) {
        struct ran ran = RUN(p, .workers = workers[i], .stats = true);
        const char *peak = strstr(ran.err, "peak memory ");
        CHECK(ran.code == 0 && peak, "%s", ran.err);
#ifndef __SANITIZE_ADDRESS__ /* it keeps what is freed for a while */
        CHECK(atoi(peak + 12) < 600, "%s", ran.err);
#endif
    }
}

/* ---- afterpush and wait ---- */

/* A block that knows where it lay when it was made. */
static void
knows_its_place(const luna_actual *a)
{
    void *at = luna_create(a[0].out, 5000);
    memcpy(at, &at, sizeof at);
}

static void
takes(const luna_actual *a)
{
    void *at = luna_take(a[1].out, a[0].in), *was;
    memcpy(&was, at, sizeof was);
    puts(at == was ? "stayed" : "moved");
}

TEST(the_last_reader_takes_the_memory)
{
    begin();
    build_function(b, "makes", knows_its_place, "n");
    build_function(b, "takes", takes, "vn");
    uint32_t x = build_df(b, "x"), y = build_df(b, "y");
    uint32_t chain = BLOCK(b, CALL("takes", .in = {DF(x, LOCAL(0, 0))},
                                   .arg = {VALUE(IN(0)), OUT_COUNT(DF(x, LOCAL(0, 1)), INT(1))}));
    uint32_t readers = BLOCK(b, CALL("takes", .in = {DF(x, INT(4))},
                                     .arg = {VALUE(IN(0)), OUT(DF(y, LOCAL(0, 0)))}));
    build_sub(b, "main", "",
              BLOCK(b, CALL("makes", .arg = {OUT_COUNT(DF(x, INT(0)), INT(1))}),
                    FOR(INT(0), INT(2), chain, .flags = LUNA_F_CARRIED),
                    CALL("takes", .in = {DF(x, INT(3))}, .arg = {VALUE(IN(0)), OUT(DF(x, INT(4)))}),
                    FOR(INT(1), INT(2), readers)));
    always_prints("stayed\nstayed\nstayed\nstayed\nmoved\nmoved\n");
}

TEST(values_are_pushed_to_the_labels_they_are_for)
{
    begin();
    uint32_t x = build_df(b, "x"), c = build_df(b, "c");
    uint32_t gives = BLOCK(b, CALL("init",
                                   .arg = {OUT_DROP(DF(x, LOCAL(0, 0))), A_INT(LOCAL(0, 0))},
                                   .push = {DF(x, LOCAL(0, 0)), DF(x, LOCAL(0, 0))},
                                   .push_to = {{1, c, {LOCAL(0, 0)}}, {1, c, {LOCAL(0, 100)}}}));
    uint32_t takes = BLOCK(b, CALL("nop", .in = {DF(x, LOCAL(0, 0))}, .waits = 1,
                                   .arg = {A_INT(IN(0))}, .label = {1, c, {LOCAL(0, 0)}}),
                           CALL("nop", .in = {DF(x, LOCAL(0, 0))}, .waits = 1,
                                .arg = {A_INT(IN(0))}, .label = {1, c, {LOCAL(0, 100)}}));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(0), INT(9), takes), FOR(INT(0), INT(9), gives),
                                   SAY(INT(1))));
    always_prints("1\n");
    CHECK_PRINTS(RUN(build_done(b), .nodes = 2, .workers = 1), "1\n");
}

/* ---- main ---- */

static char *argv[] = {"7", "2.5", "text"};
static const char *const param_names[] = {"n", "eps", "title"};

TEST(main_gets_its_words)
{
    begin();
    build_sub(b, "main", "irs", BLOCK(b, SAY(FRAME(0, 0)), CALL("sayr", .arg = {A_REAL(FREAL(1))}),
                                      CALL("says", .arg = {A_STRING(FVALUE(2))})));
    struct luna_program p = *build_done(b);
    p.main_param_names = param_names;
    struct run_options o = {.workers = 1};
    CHECK_PRINTS(run_program(&p, o, 3, argv), "7\n2.5\ntext\n");
    CHECK_FAILS(run_program(&p, o, 2, argv), 2,
                "luna: error[RUN11]: 2 arguments of main given, 3 needed: main(int n, real eps, "
                "string title)\n");
    CHECK_FAILS(run_program(&p, o, 3, (char *[]){"7x", "1", "t"}), 2,
                "luna: error[RUN11]: argument 1 of main, 'n', must be an int, not '7x'\n");
    CHECK_FAILS(run_program(&p, o, 3, (char *[]){"-1", "1e", "t"}), 2,
                "luna: error[RUN11]: argument 2 of main, 'eps', must be a real number, not '1e'\n");
    CHECK_PRINTS(run_program(&p, o, 3, (char *[]){"-5", "1e-310", ""}), "-5\n1e-310\n\n");
}

/* ---- loops over calls of ints ---- */

static atomic_long seen, calls;

static void
see(const luna_actual *a)
{
    atomic_fetch_add(&seen, (long)a[0].i * a[1].i);
    atomic_fetch_add(&calls, 1);
    if (a[2].i != 5) atomic_store(&seen, -1);
}

static void
tell(const luna_actual *a)
{
    (void)a;
    printf("%ld %ld\n", atomic_load(&calls), atomic_load(&seen));
}

/* Each iteration is called once, with its own counter, whoever splits and steals the loop. */
TEST(a_loop_of_calls_that_take_ints)
{
    begin();
    build_function(b, "see", see, "iii");
    build_function(b, "tell", tell, "");
    uint32_t d = build_df(b, "d");
    uint32_t body = BLOCK(b, CALL("see", .arg = {A_INT(LOCAL(0, 0)), A_INT(FRAME(0, 0)),
                                                 A_INT(INT(5))}));
    build_sub(b, "f", "i", BLOCK(b, FOR(INT(-5), INT(20000), body)));
    build_sub(b, "main", "", BLOCK(b, EXPAND("f", .arg = {A_INT(INT(2))}, .set = {DF(d)}),
                                   CALL("tell", .in = {DF(d)})));
    always_prints("20006 400019970\n");
}

/* A name that a function gives its output is gone with the call. */
static void
names(const luna_actual *a)
{
    printf("%s\n", luna_name(a[0].out));
    luna_set_name(a[0].out, "mine");
    luna_set_int(a[0].out, 1);
}

TEST(names_end_with_the_call)
{
    begin();
    build_function(b, "names", names, "n");
    uint32_t x = build_df(b, "x");
    uint32_t body = BLOCK(b, CALL("names", .arg = {OUT(DF(x, LOCAL(0, 0)))}));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(0), INT(1), body)));
    CHECK_PRINTS(RUN(build_done(b), .workers = 1), "(df)\n(df)\n");
    CHECK_PRINTS(RUN(build_done(b), .workers = 1, .debug = true), "x[0]\nx[1]\n");
}

TEST_MAIN(T(a_loop_of_calls_that_take_ints), T(names_end_with_the_call), T(a_chain_of_calls),
          T(the_last_reader_takes_the_memory),
          T(a_stencil_is_the_same_for_all_workers_and_nodes),
          T(calls_travel_to_their_nodes), T(bounds_of_for),
          T(each_iteration_has_fragments_of_its_own), T(a_wide_loop_is_shared),
          T(conditions_are_truncated), T(a_while_follows_the_data_of_its_body),
          T(a_while_that_is_false_at_once_gives_its_start),
          T(a_while_has_fragments_of_its_own_in_each_round), T(all_kinds_of_parameters),
          T(recursion_a_hundred_thousand_deep),
          T(recursion_with_an_end_to_wait_for_at_each_level),
          T(partial_names_grow_on_their_way_down), T(more_indices_than_a_name_may_have),
          T(the_end_of_a_call_is_the_end_of_all_it_made), T(ends_nest),
          T(many_workers_count_on_one_end),
          T(what_follows_a_call_may_be_named_by_its_inputs),
          T(the_end_of_a_call_without_descendants),
          T(after_a_call_its_markers_are_set_and_its_inputs_freed),
          T(deleting_what_has_not_come_yet_drops_it), T(requests_count),
          T(counts_below_minus_one_are_refused), T(large_values_are_shared_and_freed),
          T(values_are_pushed_to_the_labels_they_are_for), T(main_gets_its_words))
