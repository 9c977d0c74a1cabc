/* test_stuck.c - a program that can go no further ends at once with exit 4 and says what waits for
 * what, and why it never comes. */
#include "built.h"

#define HEAD "luna: error[RUN10]: the program cannot go on: "
#define DELETED "it was deleted before this call asked\n"
#define USED "its req_count promises fewer readers\n"
#define ONE HEAD "1 call waits for 1 fragment that will never come\n"

static void
is_stuck(const char *text)
{
    static const int workers[] = {1, 2, 4};
    const struct luna_program *p = build_done(b);
    for (int i = 0; i < 3; i++) CHECK_FAILS(RUN(p, .workers = workers[i]), 4, text);
}

TEST(nothing_writes_it)
{
    begin();
    uint32_t x = build_df(b, "x");
    build_sub(b, "main", "", BLOCK(b, SAY(IN(0), .in = {DF(x, INT(2), INT(7))}, .line = 3),
                                   SAY(INT(1))));
    is_stuck(ONE "test.fa:3:5: note: say waits for 'x[2][7]': nothing in the program writes it\n");
    CHECK_STR(RUN(build_done(b), .workers = 1).out, "1\n");
}

TEST(the_index_lies_outside_what_is_written)
{
    begin();
    uint32_t x = build_df(b, "x");
    uint32_t body = BLOCK(b, INIT(DF(x, LOCAL(0, 0), INT(5)), INT(1)));
    uint32_t reads = BLOCK(b, SAY(IN(0), .in = {DF(x, LOCAL(0, 0), INT(5))}, .line = 3));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(0), INT(4), body), FOR(INT(5), INT(5), reads)));
    is_stuck(ONE "test.fa:3:5: note: say[5] waits for 'x[5][5]': nobody writes it; written are "
                 "[0..4][5]\n");
}

TEST(its_writer_waits_too)
{
    begin();
    uint32_t x = build_df(b, "x"), y = build_df(b, "y");
    build_sub(b, "main", "", BLOCK(b, STEP(DF(x), OUT(DF(y)), .line = 3),
                                   STEP(DF(y), OUT(DF(x)), .line = 4)));
    is_stuck(HEAD "2 calls wait for 2 fragments that will never come\n"
                  "test.fa:3:5: note: step waits for 'x': its writer waits too\n"
                  "test.fa:4:5: note: step waits for 'y': its writer waits too\n"
                  "hint: they wait for each other, or one for itself: luna check -Wpossible may "
                  "tell how\n");
}

TEST(a_call_may_wait_for_several)
{
    begin();
    uint32_t x = build_df(b, "x"), y = build_df(b, "y"), z = build_df(b, "z");
    build_sub(b, "main", "",
              BLOCK(b, SAY(INT(1), .in = {DF(x), DF(y), DF(z)}, .line = 1),
                    SAY(INT(2), .in = {DF(y)}, .line = 2),
                    CALL("sum", .in = {DF(y), DF(x)}, .line = 3,
                         .arg = {VALUE(IN(0)), VALUE(IN(1)), OUT(DF(x, IN(1)))}),
                    INIT(DF(y), INT(1))));
    is_stuck(HEAD "2 calls wait for 2 fragments that will never come\n"
                  "test.fa:1:5: note: say and 1 more wait for 'x': nobody writes it\n"
                  "test.fa:1:5: note: say waits for 'z': nothing in the program writes it\n");
}

TEST(causes_come_before_what_follows_from_them)
{
    begin();
    uint32_t a = build_df(b, "a"), z = build_df(b, "z");
    build_sub(b, "main", "", BLOCK(b, SAY(IN(0), .in = {DF(a)}, .line = 1),
                                   SAY(IN(0), .in = {DF(a)}, .line = 1),
                                   STEP(DF(z), OUT(DF(a)), .line = 2)));
    is_stuck(HEAD "3 calls wait for 2 fragments that will never come\n"
                  "test.fa:2:5: note: step waits for 'z': nothing in the program writes it\n"
                  "test.fa:1:5: note: say and 1 more wait for 'a': its writer waits too\n");
}

TEST(a_marker_of_a_call_that_waits)
{
    begin();
    uint32_t a = build_df(b, "a"), m = build_df(b, "m");
    build_sub(b, "main", "", BLOCK(b, SAY(IN(0), .in = {DF(a)}, .set = {DF(m, INT(3))}, .line = 1),
                                   SAY(IN(0), .in = {DF(m, INT(3))}, .line = 2)));
    is_stuck(HEAD "2 calls wait for 2 fragments that will never come\n"
                  "test.fa:1:5: note: say waits for 'a': nothing in the program writes it\n"
                  "test.fa:2:5: note: say waits for 'm[3]': its writer waits too\n");
}

TEST(a_sub_that_would_write_it_waits)
{
    begin();
    uint32_t a = build_df(b, "a"), x = build_df(b, "x");
    build_sub(b, "f", "in", BLOCK(b, INIT(PARAM(1, INT(9)), INT(1))));
    build_sub(b, "main", "", BLOCK(b, EXPAND("f", .in = {DF(a)},
                                             .arg = {A_INT(IN(0)), OUT(DF(x, INT(1)))}, .line = 1),
                                   SAY(IN(0), .in = {DF(x, INT(1), INT(9))}, .line = 2),
                                   SAY(IN(0), .in = {DF(x, INT(2), INT(9))}, .line = 3)));
    is_stuck(HEAD "3 calls wait for 3 fragments that will never come\n"
                  "test.fa:1:5: note: f waits for 'a': nobody writes it\n"
                  "test.fa:3:5: note: say waits for 'x[2][9]': nobody writes it\n"
                  "test.fa:2:5: note: say waits for 'x[1][9]': its writer waits too\n");
}

TEST(it_was_deleted)
{
    begin();
    uint32_t x = build_df(b, "x"), m = build_df(b, "m");
    uint32_t late = BLOCK(b, SAY(IN(0), .in = {DF(x)}, .line = 9));
    build_sub(b, "main", "", BLOCK(b, INIT(DF(x), INT(1)),
                                   INIT(DF(m), INT(1), .in = {DF(x)}, .kill = {DF(x)}),
                                   IF(IN(0), late, .in = {DF(m)})));
    CHECK_FAILS(RUN(build_done(b), .workers = 1), 4,
                ONE "test.fa:9:5: note: say waits for 'x': " DELETED);
}

TEST(it_was_deleted_before_it_came)
{
    begin();
    uint32_t x = build_df(b, "x"), m = build_df(b, "m"), n = build_df(b, "n");
    build_sub(b, "main", "", BLOCK(b, SAY(INT(1), .kill = {DF(x)}, .set = {DF(m)}),
                                   SAY(IN(1), .in = {DF(m), DF(x)}, .line = 9),
                                   INIT(DF(n), INT(1), .in = {DF(m)}),
                                   INIT(DF(x), INT(1), .in = {DF(n)})));
    CHECK_FAILS(RUN(build_done(b), .workers = 1), 4,
                ONE "test.fa:9:5: note: say waits for 'x': " DELETED);
}

TEST(its_count_is_used_up)
{
    begin();
    uint32_t x = build_df(b, "x");
    build_sub(b, "main", "",
              BLOCK(b, CALL("init", .arg = {OUT_COUNT(DF(x), INT(1)), A_INT(INT(1))}),
                    SAY(IN(0), .in = {DF(x)}, .line = 2), SAY(IN(0), .in = {DF(x)}, .line = 2)));
    is_stuck(ONE "test.fa:2:5: note: say waits for 'x': " USED);
    begin();
    x = build_df(b, "x");
    build_sub(b, "main", "",
              BLOCK(b, SAY(IN(0), .in = {DF(x)}, .line = 2), SAY(IN(0), .in = {DF(x)}, .line = 2),
                    SAY(IN(0), .in = {DF(x)}, .line = 2),
                    CALL("init", .arg = {OUT_COUNT(DF(x), INT(2)), A_INT(INT(1))})));
    is_stuck(ONE "test.fa:2:5: note: say waits for 'x': " USED);
    begin();
    x = build_df(b, "x");
    build_sub(b, "main", "",
              BLOCK(b, SAY(IN(0), .in = {DF(x)}, .line = 2),
                    CALL("init", .arg = {OUT_COUNT(DF(x), INT(0)), A_INT(INT(1))})));
    is_stuck(ONE "test.fa:2:5: note: say waits for 'x': " USED);
}

TEST(who_else_reads_it)
{
    begin();
    uint32_t x = build_df(b, "x"), y = build_df(b, "y");
    build_sub(b, "f", "n", BLOCK(b, SAY(INT(3), .line = 9)));
    build_sub(b, "main", "",
              BLOCK(b, CALL("init", .arg = {OUT_COUNT(DF(x), INT(1)), A_INT(INT(1))}, .line = 1),
                    INIT(DF(y), INT(1), .line = 1), SAY(IN(0), .in = {DF(x)}, .line = 2),
                    SAY(IN(0), .in = {DF(y)}, .line = 3), SAY(IN(0), .in = {DF(x)}, .line = 4),
                    SAY(IN(0), .in = {DF(x)}, .line = 5),
                    EXPAND("f", .arg = {OUT(DF(x))}, .line = 6)));
    CHECK_FAILS(RUN(build_done(b), .workers = 1), 4,
                HEAD "2 calls wait for 1 fragment that will never come\n"
                     "test.fa:4:5: note: say and 1 more wait for 'x': " USED
                     "test.fa:2:5: note: 'x' is read here, too\n"
                     "test.fa:5:5: note: 'x' is read here, too\n"
                     "test.fa:6:5: note: 'x' is handed to a sub here\n");
}

TEST(no_push_has_come)
{
    begin();
    uint32_t x = build_df(b, "x"), c = build_df(b, "c");
    build_sub(b, "main", "", BLOCK(b, INIT(DF(x, INT(1)), INT(1)),
                                   SAY(IN(0), .in = {DF(x, INT(1))}, .waits = 1, .line = 2,
                                       .label = {1, c, {INT(4)}})));
    is_stuck(ONE "test.fa:2:5: note: c[4] waits for 'x[1]': no afterpush has sent it to this "
                 "call\n");
}

TEST(what_waits_is_named_by_its_loops)
{
    begin();
    uint32_t x = build_df(b, "x");
    uint32_t row = BLOCK(b, SAY(IN(0), .in = {DF(x, LOCAL(0, 0), LOCAL(1, 0))}, .line = 4));
    uint32_t rows = BLOCK(b, FOR(INT(0), INT(0), row));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(3), INT(3), rows)));
    is_stuck(ONE "test.fa:4:5: note: say[3][0] waits for 'x[3][0]': nothing in the program writes "
                 "it\n");
}

TEST(control_statements_wait_too)
{
    begin();
    uint32_t a = build_df(b, "a"), c = build_df(b, "c"), d = build_df(b, "d"), n = build_df(b, "n"),
             e = build_df(b, "e");
    uint32_t say = BLOCK(b, SAY(INT(1)));
    uint32_t test = BLOCK(b, TEST_OF(IN(0), say, OUT(DF(n)), .in = {DF(e)}, .line = 4));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(0), IN(0), say, .in = {DF(a)}, .line = 1),
                                   IF(IN(0), say, .in = {DF(c)}, .line = 2),
                                   WHILE(IN(0), test, .in = {DF(d)}, .line = 3),
                                   WHILE(INT(7), test, .line = 3)));
    is_stuck(HEAD "4 calls wait for 4 fragments that will never come\n"
                  "test.fa:1:5: note: for waits for 'a': nothing in the program writes it\n"
                  "test.fa:2:5: note: if waits for 'c': nothing in the program writes it\n"
                  "test.fa:3:5: note: while waits for 'd': nothing in the program writes it\n"
                  "test.fa:4:5: note: while[7] waits for 'e': nothing in the program writes it\n");
}

TEST(a_long_list_is_cut)
{
    begin();
    uint32_t x = build_df(b, "x");
    uint32_t body = BLOCK(b, SAY(IN(0), .in = {DF(x, LOCAL(0, 0))}, .line = 4));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(1), INT(100000), body)));
    const struct luna_program *p = build_done(b);
    struct ran ran = RUN(p, .workers = 2);
    int lines = 0;
    for (char *c = ran.err; *c; c++) lines += *c == '\n';
    CHECK(ran.code == 4 && lines == 14, "exit %d, %d lines", ran.code, lines);
    CHECK(strstr(ran.err, "say[12] waits for 'x[12]'") && !strstr(ran.err, "say[13]"));
    CHECK(strstr(ran.err, "\nhint: 99988 more missing fragments are not listed\n"), "%s", ran.err);
}

/* Activations kept alive by calls that wait do not hold up the end; nor do ends that never come. */
TEST(an_end_that_never_comes)
{
    begin();
    uint32_t x = build_df(b, "x"), d = build_df(b, "d");
    build_sub(b, "f", "n", BLOCK(b, SAY(IN(0), .in = {PARAM(0)}, .line = 2)));
    build_sub(b, "main", "", BLOCK(b, EXPAND("f", .arg = {OUT(DF(x))}, .set = {DF(d)}),
                                   SAY(IN(0), .in = {DF(d)}, .line = 3)));
    const struct luna_program *p = build_done(b);
    struct ran ran = RUN(p, .workers = 2);
    CHECK(ran.code == 4, "%d", ran.code);
    CHECK(strstr(ran.err, "say waits for 'x': ") && strstr(ran.err, "say waits for 'd': "), "%s",
          ran.err);
}

/* A missing index is found by an expression over values that have come. */
static int32_t
twice(const luna_env *e)
{
    return luna_v_int(e, e->in[0]) * 2;
}

TEST(indices_that_depend_on_values)
{
    begin();
    uint32_t x = build_df(b, "x"), n = build_df(b, "n");
    build_sub(b, "main", "", BLOCK(b, INIT(DF(n), INT(21)),
                                   SAY(IN(1), .in = {DF(n), DF(x, INT_FN(twice))}, .line = 2),
                                   STEP(DF(x, INT(1)), OUT(DF(x, IN(0))), .line = 3)));
    is_stuck(HEAD "2 calls wait for 2 fragments that will never come\n"
                  "test.fa:3:5: note: step waits for 'x[1]': nobody writes it\n"
                  "test.fa:2:5: note: say waits for 'x[42]': nobody writes it\n");
}

TEST_MAIN(T(a_call_may_wait_for_several), T(nothing_writes_it),
          T(the_index_lies_outside_what_is_written),
          T(its_writer_waits_too), T(causes_come_before_what_follows_from_them),
          T(a_marker_of_a_call_that_waits), T(a_sub_that_would_write_it_waits), T(it_was_deleted),
          T(it_was_deleted_before_it_came), T(its_count_is_used_up), T(who_else_reads_it),
          T(no_push_has_come),
          T(what_waits_is_named_by_its_loops), T(control_statements_wait_too),
          T(a_long_list_is_cut), T(an_end_that_never_comes), T(indices_that_depend_on_values))
