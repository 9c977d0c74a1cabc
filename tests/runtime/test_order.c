/* test_order.c - with one worker the order of independent calls is that of language.md 7.6. */
#include "built.h"

#include <stdio.h>
#include <string.h>

/* sub f(int k) { say(k*10); say(k*10+1); }
 * sub main() { f(1); say(1); for i=5..6 say(i); if 1 say(7); say(8); } */
TEST(the_documented_example)
{
    begin();
    build_sub(b, "f", "i", BLOCK(b, SAY(AFFINE(0, {10, 0, 1})), SAY(AFFINE(1, {10, 0, 1}))));
    build_sub(b, "main", "", BLOCK(b, EXPAND("f", .arg = {A_INT(INT(1))}), SAY(INT(1)),
                                   FOR(INT(5), INT(6), BLOCK(b, SAY(LOCAL(0, 0)))),
                                   IF(INT(1), BLOCK(b, SAY(INT(7)))), SAY(INT(8))));
    CHECK_PRINTS(RUN(build_done(b), .workers = 1), "1\n8\n5\n6\n7\n10\n11\n");
}

/* for i=0..1 { say(i); for j=0..1 say(10*i+j+100); } say(5) : inner loops queue up behind */
TEST(loops_within_loops_go_breadth_first)
{
    begin();
    uint32_t inner = BLOCK(b, SAY(AFFINE(100, {10, 0, 0}, {1, 1, 0})));
    uint32_t outer = BLOCK(b, SAY(LOCAL(0, 0)), FOR(INT(0), INT(1), inner));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(0), INT(1), outer), SAY(INT(5))));
    CHECK_PRINTS(RUN(build_done(b), .workers = 1), "5\n0\n1\n100\n101\n110\n111\n");
}

/* A call of a sub takes two turns, whatever stands around it. */
TEST(a_sub_takes_two_turns)
{
    begin();
    build_sub(b, "f", "i", BLOCK(b, SAY(FRAME(0, 0)), IF(INT(1), BLOCK(b, SAY(FRAME(0, 1))))));
    build_sub(b, "main", "", BLOCK(b, IF(INT(1), BLOCK(b, EXPAND("f", .arg = {A_INT(INT(10))}))),
                                   EXPAND("f", .arg = {A_INT(INT(20))}),
                                   IF(INT(1), BLOCK(b, IF(INT(1), BLOCK(b, SAY(INT(1))))))));
    CHECK_PRINTS(RUN(build_done(b), .workers = 1), "20\n1\n10\n21\n11\n");
}

/* Two that wait for x, one that does not, then x: who waited goes to the tail. */
TEST(who_had_to_wait_goes_to_the_tail)
{
    begin();
    uint32_t x = build_df(b, "x");
    build_sub(b, "main", "", BLOCK(b, SAY(AFFINE(1), .in = {DF(x)}), SAY(AFFINE(2), .in = {DF(x)}),
                                   SAY(INT(3)),
                                   CALL("init", .arg = {OUT(DF(x)), A_INT(INT(0))}),
                                   SAY(AFFINE(4), .in = {DF(x)}), SAY(INT(5)),
                                   FOR(INT(6), INT(7), BLOCK(b, SAY(LOCAL(0, 0)))), SAY(INT(8))));
    CHECK_PRINTS(RUN(build_done(b), .workers = 1), "3\n4\n5\n8\n1\n2\n6\n7\n");
}

/* A call asks for its whole round before the next call is made: one(a, b) stands before two(b) with
 * those who wait for b, although a comes first. */
TEST(who_asked_first_is_served_first)
{
    begin();
    uint32_t a = build_df(b, "a"), x = build_df(b, "x");
    build_sub(b, "main", "", BLOCK(b, SAY(AFFINE(1), .in = {DF(a), DF(x)}),
                                   SAY(AFFINE(2), .in = {DF(x)}),
                                   SAY(AFFINE(3), .in = {DF(x), DF(a)}),
                                   CALL("init", .arg = {OUT(DF(a)), A_INT(INT(0))}),
                                   CALL("init", .arg = {OUT(DF(x)), A_INT(INT(0))})));
    CHECK_PRINTS(RUN(build_done(b), .workers = 1), "1\n2\n3\n");
}

/* x[n]: asked for when n is here, behind those who have asked for it by then. */
TEST(a_later_round_asks_later)
{
    begin();
    uint32_t n = build_df(b, "n"), x = build_df(b, "x");
    build_sub(b, "main", "", BLOCK(b, SAY(AFFINE(1), .in = {DF(n), DF(x, IN(0))}),
                                   SAY(AFFINE(2), .in = {DF(x, INT(5))}),
                                   CALL("init", .arg = {OUT(DF(n)), A_INT(INT(5))}),
                                   CALL("init", .arg = {OUT(DF(x, INT(5))), A_INT(INT(0))})));
    CHECK_PRINTS(RUN(build_done(b), .workers = 1), "2\n1\n");
}

/* The body of each round is queued before the next test. */
TEST(a_while_queues_its_body_then_itself)
{
    begin();
    uint32_t n = build_df(b, "n");
    uint32_t body = BLOCK(b, SAY(LOCAL(0, 0)), IF(INT(1), BLOCK(b, SAY(LOCAL(0, 100)))));
    uint32_t test = BLOCK(b, TEST_OF(AFFINE(-3, {1, 0, 0}), body, OUT(DF(n))));
    build_sub(b, "main", "", BLOCK(b, WHILE(INT(0), test), SAY(INT(50)),
                                   SAY(IN(0), .in = {DF(n)})));
    CHECK_PRINTS(RUN(build_done(b), .workers = 1),
                 "50\n0\n100\n1\n101\n2\n102\n3\n");
}

/* ---- above the limit ----
 *
 * While `queue` loops, branches and bodies stand there, loops step aside and what is taken is done
 * at once, with all below it. */

TEST(up_to_the_limit_nothing_changes)
{
    begin();
    uint32_t body = BLOCK(b, SAY(LOCAL(0, 0)), IF(INT(1), BLOCK(b, SAY(LOCAL(0, 100)))));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(0), INT(4), body), SAY(INT(50))));
    const struct luna_program *p = build_done(b);
    const char *order = "50\n0\n1\n2\n3\n4\n100\n101\n102\n103\n104\n";
    CHECK_PRINTS(RUN(p, .workers = 1), order);
    CHECK_PRINTS(RUN(p, .workers = 1, .queue = 5), order);
    CHECK_PRINTS(RUN(p, .workers = 1, .queue = 4),
                 "50\n0\n1\n2\n3\n100\n101\n102\n103\n4\n104\n");
    CHECK_PRINTS(RUN(p, .workers = 1, .queue = 2),
                 "50\n0\n1\n100\n101\n2\n3\n102\n103\n4\n104\n");
}

static char *
lines(char *at, int from, int to)
{
    for (int i = from; i <= to; i++) at += sprintf(at, "%d\n", i);
    return at;
}

/* language.md names the limit. */
TEST(the_limit_that_is_promised)
{
    enum { LIMIT = 8192, LATER = 10000 };
    static char text[4 * LIMIT * 8];
    for (int n = LIMIT; n <= LIMIT + 1; n++) {
        begin();
        uint32_t later = BLOCK(b, SAY(LOCAL(0, LATER)));
        uint32_t body = BLOCK(b, SAY(LOCAL(0, 0)), IF(INT(1), later));
        build_sub(b, "main", "", BLOCK(b, FOR(INT(1), INT(n), body)));
        lines(lines(text, 1, LIMIT), LATER + 1, LATER + LIMIT);
        if (n > LIMIT) sprintf(text + strlen(text), "%d\n%d\n", n, LATER + n);
        CHECK_PRINTS(RUN(build_done(b), .workers = 1), text);
    }
}

/* say(10 i), an `if`, say(10 i + 2): in the order of the text for those that were taken while the
 * queue was long; the last was not. */
TEST(a_body_is_done_at_once)
{
    begin();
    build_sub(b, "f", "i", BLOCK(b, SAY(AFFINE(0, {10, 0, 1})),
                                 IF(INT(1), BLOCK(b, SAY(AFFINE(1, {10, 0, 1})))),
                                 SAY(AFFINE(2, {10, 0, 1}))));
    uint32_t body = BLOCK(b, EXPAND("f", .arg = {A_INT(LOCAL(0, 0))}));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(1), INT(3), body)));
    CHECK_PRINTS(RUN(build_done(b), .workers = 1, .queue = 1),
                 "10\n11\n12\n20\n21\n22\n30\n32\n31\n");
}

/* A queue that was long is emptied to its eighth part, depth first, before it may grow again. */
TEST(what_was_long_is_emptied)
{
    begin();
    uint32_t leaf = BLOCK(b, SAY(LOCAL(0, 200)));
    uint32_t branch = BLOCK(b, SAY(LOCAL(0, 100)), IF(INT(1), leaf));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(1), INT(9), BLOCK(b, IF(INT(1), branch)))));
    CHECK_PRINTS(RUN(build_done(b), .workers = 1, .queue = 8),
                 "101\n201\n102\n202\n103\n203\n104\n204\n105\n205\n"
                 "106\n206\n107\n207\n108\n208\n109\n209\n");
}

TEST(loops_below_it_too)
{
    begin();
    uint32_t inner = BLOCK(b, IF(INT(1), BLOCK(b, SAY(AFFINE(0, {10, 0, 0}, {100, 0, 1})))),
                           IF(INT(1), BLOCK(b, SAY(AFFINE(1, {10, 0, 0}, {100, 0, 1})))));
    build_sub(b, "f", "i", BLOCK(b, FOR(INT(0), INT(1), inner), SAY(AFFINE(90, {100, 0, 1}))));
    uint32_t body = BLOCK(b, EXPAND("f", .arg = {A_INT(LOCAL(0, 0))}));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(1), INT(2), body)));
    CHECK_PRINTS(RUN(build_done(b), .workers = 1, .queue = 1),
                 "100\n101\n110\n111\n190\n290\n200\n201\n210\n211\n");
}

/* A loop that is taken from a long queue runs one turn: others may be earlier in time. */
TEST(of_a_loop_one_turn_is_done)
{
    begin();
    uint32_t say = BLOCK(b, SAY(AFFINE(0, {10, 0, 0}, {1, 1, 0})));
    uint32_t inner = BLOCK(b, IF(INT(1), say));
    uint32_t outer = BLOCK(b, FOR(INT(0), INT(2), inner));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(0), INT(1), outer)));
    CHECK_PRINTS(RUN(build_done(b), .workers = 1, .queue = 1), "0\n10\n11\n12\n1\n2\n");
}

/* The same of a while: f(0) is taken from a long queue, f(1) is made below that. */
TEST(of_a_while_one_turn_is_done)
{
    begin();
    uint32_t n = build_df(b, "n");
    uint32_t body = BLOCK(b, SAY(AFFINE(0, {1, 0, 0}, {1000, 0, 1})),
                          IF(INT(1), BLOCK(b, SAY(AFFINE(100, {1, 0, 0}, {1000, 0, 1})))));
    uint32_t test = BLOCK(b, TEST_OF(AFFINE(-3, {1, 0, 0}), body, OUT(DF(n))));
    build_sub(b, "f", "i", BLOCK(b, WHILE(INT(0), test)));
    uint32_t each = BLOCK(b, EXPAND("f", .arg = {A_INT(LOCAL(0, 0))}));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(0), INT(1), each)));
    CHECK_PRINTS(RUN(build_done(b), .workers = 1, .queue = 1),
                 "0\n100\n1000\n1100\n1001\n1101\n1002\n1102\n1\n101\n2\n102\n");
}

/* Two that wait for x, then x, then say(5): who waited comes before the rest of the body. */
TEST(what_becomes_ready_is_done_at_once)
{
    begin();
    uint32_t x = build_df(b, "x");
    build_sub(b, "f", "i", BLOCK(b, SAY(AFFINE(1, {10, 0, 1}), .in = {DF(x)}),
                                 SAY(AFFINE(2, {10, 0, 1}), .in = {DF(x)}),
                                 CALL("init", .arg = {OUT(DF(x)), A_INT(INT(0))}),
                                 SAY(AFFINE(3, {10, 0, 1}))));
    uint32_t each = BLOCK(b, EXPAND("f", .arg = {A_INT(LOCAL(0, 0))}));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(1), INT(2), each)));
    CHECK_PRINTS(RUN(build_done(b), .workers = 1, .queue = 1),
                 "12\n11\n13\n23\n21\n22\n");
}

TEST_MAIN(T(the_documented_example), T(loops_within_loops_go_breadth_first),
          T(a_sub_takes_two_turns), T(who_had_to_wait_goes_to_the_tail),
          T(a_while_queues_its_body_then_itself), T(who_asked_first_is_served_first),
          T(a_later_round_asks_later), T(up_to_the_limit_nothing_changes),
          T(the_limit_that_is_promised), T(a_body_is_done_at_once),
          T(what_was_long_is_emptied), T(loops_below_it_too),
          T(of_a_loop_one_turn_is_done), T(of_a_while_one_turn_is_done),
          T(what_becomes_ready_is_done_at_once))
