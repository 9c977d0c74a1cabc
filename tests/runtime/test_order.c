/* test_order.c - with one worker the order of independent calls is that of language.md 4.1. */
#include "built.h"

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

TEST_MAIN(T(the_documented_example), T(loops_within_loops_go_breadth_first),
          T(a_sub_takes_two_turns), T(who_had_to_wait_goes_to_the_tail),
          T(a_while_queues_its_body_then_itself), T(who_asked_first_is_served_first),
          T(a_later_round_asks_later))
