/* test_locals.c - fragments that only the body of their activation names: kept in its frame, they
 * behave, and are told of, as any other. Random bodies have the values that a walk over the tree
 * they were made from says, and their faults the exit code and the words of a run that keeps
 * nothing in frames (--hash). */
#include "built.h"

#include <unistd.h>

static const int workers[] = {1, 2, 4};

#define TWICE "is assigned twice; the second time by "
#define ONCE "hint: each fragment is assigned once: give the two values different indices\n"
#define STUCK "luna: error[RUN10]: the program cannot go on: "
#define ONE STUCK "1 call waits for 1 fragment that will never come\n"

/* main calls f(i) for i = 0 .. n - 1. */
static void
main_calls(int n)
{
    uint32_t body = BLOCK(b, EXPAND("f", .arg = {A_INT(LOCAL(0, 0))}));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(0), INT(n - 1), body)));
}

static void
all_print(const char *text)
{
    const struct luna_program *p = build_done(b);
    for (int i = 0; i < 3; i++) CHECK_PRINTS(RUN(p, .workers = workers[i]), text);
    CHECK_PRINTS(RUN(p, .workers = 1, .queue = 1), text);
    CHECK_PRINTS(RUN(p, .workers = 1, .nodes = 2, .quiet = true), text);
}

/* With the same words where nothing is kept in frames: other ways of looking at values. */
static void
one_fails(int code, const char *text)
{
    const struct luna_program *p = build_done(b);
    CHECK_FAILS(RUN(p, .workers = 1), code, text);
    CHECK_FAILS(RUN(p, .workers = 1, .hash = true), code, text);
    CHECK_FAILS(RUN(p, .workers = 1, .debug = true), code, text);
    CHECK_FAILS(RUN(p, .workers = 1, .stats = true), code, text);
}

/* Whoever comes first. */
static void
all_fail(int code, const char *text)
{
    one_fails(code, text);
    for (int i = 1; i < 3; i++) CHECK_FAILS(RUN(build_done(b), .workers = workers[i]), code, text);
}

/* ---- values ---- */

TEST(a_reader_may_come_first_or_last)
{
    begin();
    uint32_t x = build_df(b, "x"), y = build_df(b, "y"), z = build_df(b, "z");
    build_sub(b, "f", "i", BLOCK(b, SAY(IN(0), .in = {DF(z)}),
                                 STEP(DF(x), OUT_COUNT(DF(y), INT(1))),
                                 INIT(DF(x), FRAME(0, 40)), STEP(DF(y), OUT_COUNT(DF(z), INT(1)))));
    main_calls(1);
    all_print("42\n");
}

/* Its kinds but numbers are in the store. */
TEST(a_value_may_be_of_any_kind)
{
    begin();
    uint32_t r = build_df(b, "r"), s = build_df(b, "s"), a = build_df(b, "a"), n = build_df(b, "n");
    build_sub(b, "f", "i",
              BLOCK(b, CALL("initr", .arg = {OUT_COUNT(DF(r), INT(1)), A_REAL(REAL(.5))}),
                    CALL("sayr", .in = {DF(r)}, .arg = {A_REAL(IN(0))}, .set = {DF(n, INT(0))}),
                    CALL("inits", .arg = {OUT_COUNT(DF(s), INT(1)), A_STRING(STR("text"))}),
                    CALL("sayv", .in = {DF(s), DF(n, INT(0))}, .arg = {VALUE(IN(0))},
                         .set = {DF(n, INT(1))}),
                    CALL("bytes", .arg = {OUT(DF(a)), A_INT(INT(3))}),
                    CALL("sayv", .in = {DF(a), DF(n, INT(1))}, .arg = {VALUE(IN(0))})));
    main_calls(1);
    all_print("0.5\nDF<string>(text)\nDF<size=3>(07, 07, 07)\n");
}

TEST(loops_and_conditions_read_it)
{
    begin();
    uint32_t x = build_df(b, "x"), y = build_df(b, "y"), v = build_df(b, "v"), s = build_df(b, "s");
    uint32_t out = build_df(b, "out");
    uint32_t then = BLOCK(b, FOR(INT(1), IN(0), BLOCK(b, INIT(DF(out, LOCAL(0, 0)), IN(0),
                                                              .in = {DF(x)})), .in = {DF(y)}));
    uint32_t test = BLOCK(b, TEST_OF(AFFINE(-3, {1, 0, 0}), BLOCK(b, CALL("nop", .in = {DF(x)},
                                                               .arg = {A_INT(IN(0))})),
                                     OUT(DF(v)), .in = {DF(y)}));
    uint32_t sum = BLOCK(b, TERM(DF(out, LOCAL(2, 0))));
    struct b_stmt reduce = REDUCE(LUNA_R_ADD, 1, sum, OUT_COUNT(DF(s), INT(2)), A_INT(INT(1)),
                                  A_INT(IN(0)));
    reduce.in[0] = DF(y);
    build_sub(b, "f", "i",
              BLOCK(b, WHILE(INT(0), test), IF(IN(0), then, .in = {DF(y)}), reduce,
                    CALL("sum", .in = {DF(s), DF(s)}, .arg = {VALUE(IN(0)), VALUE(IN(1)),
                                                              OUT(DF(out, INT(9)))}),
                    SAY(IN(0), .in = {DF(out, INT(9)), DF(v)}), INIT(DF(x), INT(7)),
                    INIT(DF(y), INT(3))));
    main_calls(1);
    all_print("42\n");
}

/* f(n): out = n ? f(n - 1) + 1 : 0, through fragments of its own. */
TEST(each_activation_has_its_own)
{
    begin();
    uint32_t w = build_df(b, "w"), x = build_df(b, "x"), k = build_df(b, "k"), r = build_df(b, "r");
    uint32_t more = BLOCK(b, EXPAND("f", .arg = {A_INT(FRAME(0, -1)), OUT(DF(w))}),
                          STEP(DF(w), OUT_COUNT(DF(x), INT(1))), STEP(DF(x), OUT(PARAM(1))));
    uint32_t last = BLOCK(b, INIT(PARAM(1), INT(0)));
    build_sub(b, "f", "in", BLOCK(b, IF(IN(0), more, .in = {DF(k)}),
                                  INIT(DF(k), FRAME(0, 0)),
                                  IF(AFFINE(1, {-1, 0, 1}), last)));
    build_sub(b, "main", "", BLOCK(b, EXPAND("f", .arg = {A_INT(INT(1)), OUT(DF(r))}),
                                   SAY(IN(0), .in = {DF(r)})));
    all_print("2\n");
}

/* ---- counts ---- */

static uint64_t
kept_of(const char *err)
{
    const char *at = strstr(err, " kept to the end");
    while (at && at > err && at[-1] != '\n') at--;
    return at ? strtoull(at + strlen("luna: "), NULL, 10) : 0;
}

/* A value that is promised to more than read it is there in the end, and --stats says so. */
TEST(what_is_promised_to_more_is_kept)
{
    begin();
    uint32_t x = build_df(b, "x"), y = build_df(b, "y"), z = build_df(b, "z");
    build_sub(b, "f", "i", BLOCK(b, INIT(DF(x), INT(1)),
                                 STEP(DF(x), OUT_COUNT(DF(y), INT(2))),
                                 STEP(DF(y), OUT_COUNT(DF(z), INT(1))),
                                 CALL("nop", .in = {DF(z)}, .arg = {A_INT(IN(0))})));
    main_calls(5);
    const struct luna_program *p = build_done(b);
    for (int i = 0; i < 4; i++) {
        struct ran ran = i < 3 ? RUN(p, .workers = workers[i], .stats = true)
                               : RUN(p, .workers = 1, .stats = true, .hash = true);
        CHECK(ran.code == 0 && kept_of(ran.err) == 5, "way %d: %s", i, ran.err);
    }
}

/* Each request is served once, also those that several workers have at the same time. */
TEST(many_workers_read_one_value)
{
    enum { N = 200000 };
    begin();
    uint32_t x = build_df(b, "x"), y = build_df(b, "y");
    uint32_t reads = BLOCK(b, CALL("nop", .in = {DF(x)}, .arg = {A_INT(IN(0))}));
    build_sub(b, "f", "i",
              BLOCK(b, CALL("init", .arg = {OUT_COUNT(DF(x), INT(N + 1)), A_INT(INT(1))}),
                    STEP(DF(x), OUT_COUNT(DF(y), INT(1))), FOR(INT(1), INT(N), reads),
                    SAY(IN(0), .in = {DF(y)})));
    main_calls(1);
    const struct luna_program *p = build_done(b);
    for (int i = 0; i < 3; i++) {
        struct ran ran = RUN(p, .workers = workers[i], .stats = true);
        CHECK(ran.code == 0 && !kept_of(ran.err), "%d workers: %s", workers[i], ran.err);
    }
}

TEST(a_count_of_nothing_drops_it)
{
    begin();
    uint32_t x = build_df(b, "x");
    build_sub(b, "f", "i",
              BLOCK(b, CALL("init", .arg = {OUT_COUNT(DF(x), INT(0)), A_INT(INT(1))}),
                    SAY(IN(0), .in = {DF(x)}, .line = 3)));
    main_calls(1);
    all_fail(4, ONE "test.fa:3:5: note: say waits for 'x': its req_count promises fewer readers\n");
}

TEST(one_reader_too_many_waits)
{
    for (int first = 0; first < 2; first++) {
        begin();
        uint32_t x = build_df(b, "x");
        struct b_stmt init = CALL("init", .arg = {OUT_COUNT(DF(x), INT(2)), A_INT(INT(1))});
        struct b_stmt nop = CALL("nop", .in = {DF(x)}, .arg = {A_INT(IN(0))}, .line = 3);
        build_sub(b, "f", "i",
                  first ? BLOCK(b, init, nop, nop, nop) : BLOCK(b, nop, nop, nop, init));
        main_calls(1);
        all_fail(4, ONE "test.fa:3:5: note: nop waits for 'x': its req_count promises fewer "
                        "readers\n");
    }
}

TEST(a_count_that_is_none)
{
    begin();
    uint32_t x = build_df(b, "x");
    build_sub(b, "f", "i",
              BLOCK(b, CALL("init", .arg = {OUT_COUNT(DF(x), FRAME(0, -2)), A_INT(INT(1))},
                            .line = 3), SAY(IN(0), .in = {DF(x)})));
    main_calls(1);
    all_fail(3, "test.fa:3:5: error[RUN8]: req_count is -2; it must be -1 (no limit), 0 or more\n");
}

/* ---- faults ---- */

TEST(a_second_assignment)
{
    for (int how = 0; how < 4; how++) { /* counted or not, read before or not */
        begin();
        uint32_t x = build_df(b, "x");
        struct b_arg out = how & 1 ? OUT_COUNT(DF(x), INT(9)) : OUT(DF(x));
        struct b_stmt init = CALL("init", .arg = {out, A_INT(INT(1))}, .line = 4);
        struct b_stmt read = CALL("nop", .in = {DF(x)}, .arg = {A_INT(IN(0))});
        build_sub(b, "f", "i", how & 2 ? BLOCK(b, init, read, init) : BLOCK(b, read, init, init));
        main_calls(1);
        all_fail(3, "test.fa:4:5: error[RUN2]: 'x' " TWICE "init\n" ONCE);
    }
}

TEST(a_second_assignment_by_a_reduction)
{
    begin();
    uint32_t x = build_df(b, "x"), y = build_df(b, "y");
    build_sub(b, "f", "i",
              BLOCK(b, INIT(DF(x), INT(1)), CALL("nop", .in = {DF(x)}, .arg = {A_INT(IN(0))}),
                    REDUCE(LUNA_R_ADD, 1, BLOCK(b, TERM(DF(y, LOCAL(2, 0)))), OUT(DF(x)),
                           A_INT(INT(1)), A_INT(INT(0)))));
    main_calls(1);
    const struct luna_program *p = build_done(b);
    for (int i = 0; i < 3; i++) {
        struct ran ran = RUN(p, .workers = workers[i]);
        /* Of several workers either may come second. */
        const char *second = strstr(ran.err, "error[RUN2]: 'x' " TWICE);
        CHECK(ran.code == 3 && second && (i || strstr(second, "by reduce\n")), "%s", ran.err);
    }
}

TEST(a_marker_is_a_second_assignment)
{
    begin();
    uint32_t x = build_df(b, "x");
    build_sub(b, "f", "i", BLOCK(b, INIT(DF(x), INT(1)), SAY(IN(0), .in = {DF(x)}, .set = {DF(x)},
                                                              .line = 4)));
    main_calls(1);
    all_fail(3, "test.fa:4:5: error[RUN2]: 'x' " TWICE "say\n" ONCE);
}

TEST(nobody_writes_it_in_time)
{
    begin();
    uint32_t x = build_df(b, "x"), y = build_df(b, "y"), z = build_df(b, "z");
    uint32_t never = BLOCK(b, INIT(DF(z), INT(1)));
    build_sub(b, "f", "i",
              BLOCK(b, SAY(IN(0), .in = {DF(x)}, .line = 3), STEP(DF(y), OUT(DF(x)), .line = 4),
                    STEP(DF(z), OUT(DF(y)), .line = 5), IF(INT(0), never)));
    main_calls(1);
    all_fail(4, STUCK "3 calls wait for 3 fragments that will never come\n"
                      "test.fa:5:5: note: step waits for 'z': nobody writes it\n"
                      "test.fa:3:5: note: say waits for 'x': its writer waits too\n"
                      "test.fa:4:5: note: step waits for 'y': its writer waits too\n");
}

/* A delete takes the value away, wherever it is. */
TEST(it_was_deleted)
{
    begin();
    uint32_t x = build_df(b, "x"), m = build_df(b, "m");
    build_sub(b, "f", "i",
              BLOCK(b, INIT(DF(x), INT(1)),
                    CALL("nop", .in = {DF(x)}, .arg = {A_INT(IN(0))}, .kill = {DF(x)},
                         .set = {DF(m, INT(0))}),
                    FOR(INT(0), AFFINE(0, {0, 0, 0}), BLOCK(b, CALL("nop", .in = {DF(m, INT(0)),
                        DF(x)}, .rounds = 2, .arg = {A_INT(INT(1))}, .line = 3)))));
    main_calls(1);
    /* With more workers the other reader may ask before it is deleted. */
    one_fails(4, ONE "test.fa:3:5: note: nop[0] waits for 'x': it was deleted before this call "
                    "asked\n");
}

/* ---- who looks at values ---- */

/* Whoever looks at values as they are assigned sees these, too. */
TEST(they_are_seen)
{
    static const char *const names[] = {"x", "y"};
    char values[1000], path[] = "/tmp/luna-test.XXXXXX";
    begin();
    uint32_t x = build_df(b, "x"), y = build_df(b, "y");
    build_sub(b, "f", "i", BLOCK(b, INIT(DF(x), FRAME(0, 7)), STEP(DF(x), OUT_COUNT(DF(y), INT(1))),
                                 CALL("nop", .in = {DF(y)}, .arg = {A_INT(IN(0))})));
    main_calls(2);
    const struct luna_program *p = build_done(b);
    for (int k = 0; k < 2; k++) {
        char first[16], second[16];
        snprintf(first, sizeof first, "%s = %d\n", names[k], 7 + k);
        snprintf(second, sizeof second, "%s = %d\n", names[k], 8 + k);
        struct ran ran = RUN(p, .workers = 1, .print = names[k]);
        CHECK(ran.code == 0 && strstr(ran.err, first) && strstr(ran.err, second), "%s", ran.err);
    }
    struct ran ran = RUN(p, .workers = 2, .hash_values = true);
    CHECK(ran.code == 0 && strstr(ran.err, "value f.x int 4 "), "%s", ran.err);
    CHECK(strstr(ran.err, "value f.y int 4 "), "%s", ran.err);
    snprintf(values, sizeof values, "%s", ran.err);
    values[strlen(values) - 2] ^= 1; /* another value */
    int fd = mkstemp(path);
    CHECK(fd >= 0 && write(fd, values, strlen(values)) == (ssize_t)strlen(values));
    close(fd);
    ran = RUN(p, .workers = 1, .compare = path);
    unlink(path);
    CHECK(ran.code && strstr(ran.err, "y"), "exit %d: %s", ran.code, ran.err);
    ran = RUN(p, .workers = 1, .hash = true);
    CHECK(strstr(ran.err, "4 "), "%s", ran.err); /* so many values */
}

TEST_MAIN(T(a_reader_may_come_first_or_last), T(a_value_may_be_of_any_kind),
          T(loops_and_conditions_read_it), T(each_activation_has_its_own),
          T(what_is_promised_to_more_is_kept), T(many_workers_read_one_value),
          T(a_count_of_nothing_drops_it),
          T(one_reader_too_many_waits), T(a_count_that_is_none), T(a_second_assignment),
          T(a_second_assignment_by_a_reduction), T(a_marker_is_a_second_assignment),
          T(nobody_writes_it_in_time), T(it_was_deleted), T(they_are_seen))
