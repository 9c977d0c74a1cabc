/* test_node.c - the end of a run is found, and not too early; back-pressure delays and never stops;
 * what waits is small. */
#include "run_program.h"
#include "ucodes.h"

#include <stdatomic.h>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
enum { RUNS = 60, MANY = 50000 };
#else
enum { RUNS = 1000, MANY = 1000000 };
#endif

static struct build *b;
static atomic_long counted; /* calls of `count` */

static void
count(const luna_actual *a)
{
    (void)a;
    atomic_fetch_add_explicit(&counted, 1, memory_order_relaxed);
}

static void
begin(void)
{
    build_free(b);
    b = build_new();
    build_ucodes(b);
    build_function(b, "count", count, "i");
}

#define SAY(e, ...) CALL("say", .arg = {A_INT(e)}, __VA_ARGS__)
#define COUNT(...) CALL("count", .arg = {A_INT(INT(0))}, __VA_ARGS__)
#define INIT(ref, e, ...) CALL("init", .arg = {OUT(ref), A_INT(e)}, __VA_ARGS__)
#define STEP(from, to, ...) CALL("step", .in = {from}, .arg = {VALUE(IN(0)), to}, __VA_ARGS__)

/* ---- small programs, over and over ---- */

struct small {
    const struct luna_program *program;
    long calls; /* of `count`, in each run */
    int runs, workers, nodes, window;
};

static int
run_over_and_over(const void *who)
{
    const struct small *s = who;
    struct run_options o = {.workers = s->workers, .nodes = s->nodes, .window = (size_t)s->window};
    for (int i = 0; i < s->runs; i++) {
        counted = 0;
        int code = runtime_run(s->program, &o, 0, NULL);
        if (code) return code;
        if (counted != s->calls) {
            fprintf(stderr, "run %d: %ld calls, not %ld\n", i, counted, s->calls);
            return 99;
        }
    }
    return 0;
}

static void
ends_each_time(long calls, int runs, int window)
{
    struct small s = {build_done(b), calls, runs, 0, 1, window};
    for (s.workers = 2; s.workers <= 4; s.workers++) {
        struct ran ran = run_child(run_over_and_over, &s);
        CHECK(ran.code == 0, "%d workers: exit %d: %s", s.workers, ran.code, ran.err);
    }
}

TEST(a_single_call)
{
    begin();
    build_sub(b, "main", "", BLOCK(b, COUNT()));
    ends_each_time(1, RUNS, 0);
}

TEST(a_few_calls_and_loops)
{
    begin();
    uint32_t x = build_df(b, "x");
    uint32_t reads = BLOCK(b, COUNT(.in = {DF(x, LOCAL(0, 0))}));
    uint32_t writes = BLOCK(b, INIT(DF(x, LOCAL(0, 0)), INT(1)));
    build_sub(b, "f", "", BLOCK(b, COUNT(), FOR(INT(0), INT(3), BLOCK(b, COUNT()))));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(0), INT(7), reads), EXPAND("f"), COUNT(),
                                   FOR(INT(0), INT(7), writes), EXPAND("f")));
    ends_each_time(8 + 5 + 1 + 5, RUNS, 0);
}

TEST(a_tree_of_activations_that_wait_for_each_other)
{
    begin();
    uint32_t d = build_df(b, "d");
    uint32_t two = BLOCK(b, EXPAND("f", .arg = {A_INT(FRAME(0, -1))}, .set = {DF(d, INT(1))}),
                         EXPAND("f", .arg = {A_INT(FRAME(0, -1))}, .set = {DF(d, INT(2))}),
                         COUNT(.in = {DF(d, INT(1)), DF(d, INT(2))}));
    build_sub(b, "f", "i", BLOCK(b, IF(FRAME(0, 0), two)));
    build_sub(b, "main", "", BLOCK(b, EXPAND("f", .arg = {A_INT(INT(6))})));
    ends_each_time((1 << 6) - 1, RUNS / 2, 0);
}

/* Everything waits until the last statement: all loops pause until it is their turn to go on. */
TEST(calls_in_the_reverse_of_their_order)
{
    enum { N = 3000 };
    begin();
    uint32_t x = build_df(b, "x");
    uint32_t body = BLOCK(b, STEP(DF(x, AFFINE(N - 1, {-1, 0, 0})),
                                  OUT_COUNT(DF(x, AFFINE(N, {-1, 0, 0})), INT(1))), COUNT());
    uint32_t last = BLOCK(b, COUNT(.in = {DF(x, INT(N))}));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(0), INT(N - 1), body),
                                   INIT(DF(x, INT(0)), INT(0)), FOR(INT(0), INT(0), last)));
    ends_each_time(N + 1, RUNS / 10, 0);
}

TEST(loops_that_pause_all_the_time)
{
    enum { N = 2000 };
    begin();
    uint32_t x = build_df(b, "x");
    uint32_t body = BLOCK(b, STEP(DF(x, LOCAL(0, 0), AFFINE(N - 1, {-1, 1, 0})),
                                  OUT(DF(x, LOCAL(0, 0), AFFINE(N, {-1, 1, 0})))), COUNT());
    uint32_t rows = BLOCK(b, FOR(INT(0), INT(N - 1), body),
                          INIT(DF(x, LOCAL(0, 0), INT(0)), INT(0)));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(0), INT(3), rows)));
    ends_each_time(4 * N, RUNS / 20, 1);
}

TEST(nodes_of_one_process)
{
    begin();
    uint32_t x = build_df(b, "x");
    uint32_t reads = BLOCK(b, COUNT(.in = {DF_AT(x, IX(0), LOCAL(0, 0))}, .node = LOCAL(0, 1)));
    uint32_t writes = BLOCK(b, CALL("init", .arg = {OUT(DF_AT(x, IX(0), LOCAL(0, 0))),
                                                    A_INT(INT(1))}, .node = LOCAL(0, 2)));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(0), INT(19), reads), FOR(INT(0), INT(19), writes)));
    struct small s = {build_done(b), 20, RUNS / 4, 1, 1, 0};
    for (s.nodes = 2; s.nodes <= 5; s.nodes++)
        for (s.workers = 1; s.workers <= 2; s.workers++) {
            struct ran ran = run_child(run_over_and_over, &s);
            CHECK(ran.code == 0, "%d nodes, %d workers: exit %d: %s", s.nodes, s.workers, ran.code,
                  ran.err);
        }
}

/* ---- back-pressure ---- */

TEST(a_small_window_never_stops_a_program)
{
    enum { N = 5000 };
    begin();
    uint32_t x = build_df(b, "x");
    uint32_t body = BLOCK(b, STEP(DF(x, AFFINE(N - 1, {-1, 0, 0})),
                                  OUT_COUNT(DF(x, AFFINE(N, {-1, 0, 0})), INT(1))));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(0), INT(N - 1), body),
                                   INIT(DF(x, INT(0)), INT(0)),
                                   SAY(IN(0), .in = {DF(x, INT(N))})));
    const struct luna_program *p = build_done(b);
    for (int workers = 1; workers <= 4; workers++)
        CHECK_PRINTS(RUN(p, .workers = workers, .window = 1), "5000\n");
    for (int nodes = 2; nodes <= 4; nodes++)
        CHECK_PRINTS(RUN(p, .workers = 1, .window = 1, .nodes = nodes), "5000\n");
}

/* Each link on another node than the one before: of all that a loop will do nothing is ready,
 * mostly, and yet it does not run ahead of what has been done. */
TEST(loops_of_several_nodes_do_not_run_ahead)
{
    enum { NODES = 2, LINKS = MANY / 4 };
    begin();
    uint32_t x = build_df(b, "x");
#define X(...) DF_AT(x, IX(0), __VA_ARGS__)
    uint32_t body = BLOCK(b, STEP(X(LOCAL(0, 0)), OUT_COUNT(X(LOCAL(0, 1)), INT(1)),
                                  .node = LOCAL(0, 1)));
    build_sub(b, "main", "", BLOCK(b, INIT(X(INT(0)), INT(0)),
                                   FOR(INT(0), INT(LINKS - 1), body, .flags = LUNA_F_CARRIED),
                                   SAY(IN(0), .in = {X(INT(LINKS))})));
#undef X
    const struct luna_program *p = build_done(b);
    char text[32];
    snprintf(text, sizeof text, "%d\n", LINKS);
    struct ran ran = RUN(p, .workers = 1, .nodes = NODES);
    CHECK(ran.code == 0, "%s", ran.err);
    CHECK_STR(ran.out, text);
#ifndef SANITIZED
    CHECK(ran.rss_kib < 20 << 10, "%ld KiB", ran.rss_kib);
#endif
}

/* Ten calls are ready; three wait, which is more than two: loops make room, and go on in
 * their order. */
TEST(ranges_that_paused_go_on_in_their_order)
{
    begin();
    uint32_t y = build_df(b, "y"), z = build_df(b, "z");
    uint32_t reads_y = BLOCK(b, SAY(AFFINE(100), .in = {DF(y)}));
    uint32_t writes_y = BLOCK(b, INIT(DF(y), INT(1)));
    uint32_t reads_z = BLOCK(b, SAY(IN(0), .in = {DF(z, LOCAL(0, 0))}));
    uint32_t writes_z = BLOCK(b, INIT(DF(z, LOCAL(0, 0)), LOCAL(0, 0)));
    uint32_t says = BLOCK(b, SAY(LOCAL(0, 0)));
    build_sub(b, "main", "",
              BLOCK(b, FOR(INT(1), INT(4), reads_y), IF(INT(1), writes_y),
                    FOR(INT(30), INT(35), reads_z), FOR(INT(10), INT(12), says),
                    FOR(INT(20), INT(22), says), FOR(INT(30), INT(35), writes_z)));
    const struct luna_program *p = build_done(b);
    CHECK_PRINTS(RUN(p, .workers = 1), "10\n11\n12\n20\n21\n22\n100\n100\n100\n100\n"
                                       "30\n31\n32\n33\n34\n35\n");
    CHECK_PRINTS(RUN(p, .workers = 1, .window = 2), "100\n100\n100\n100\n10\n11\n12\n20\n21\n22\n"
                                                    "33\n34\n35\n30\n31\n32\n");
}

TEST(a_loop_may_be_longer_than_memory)
{
    begin();
    uint32_t x = build_df(b, "x");
    uint32_t body = BLOCK(b, STEP(DF(x, LOCAL(0, 0)), OUT_COUNT(DF(x, LOCAL(0, 1)), INT(1))));
    build_sub(b, "main", "", BLOCK(b, INIT(DF(x, INT(0)), INT(0)),
                                   FOR(INT(0), INT(5 * MANY - 1), body, .flags = LUNA_F_CARRIED),
                                   SAY(IN(0), .in = {DF(x, INT(5 * MANY))})));
    const struct luna_program *p = build_done(b);
    char text[32];
    snprintf(text, sizeof text, "%d\n", 5 * MANY);
    for (int workers = 1; workers <= 2; workers++) {
        struct ran ran = RUN(p, .workers = workers);
        CHECK(ran.code == 0, "%s", ran.err);
        CHECK_STR(ran.out, text);
#ifndef SANITIZED
        CHECK(ran.rss_kib < 100 << 10, "%d workers: %ld KiB", workers, ran.rss_kib);
#endif
    }
}

/* ---- memory ---- */

static struct ran
waiting_calls(int n, int workers)
{
    begin();
    uint32_t x = build_df(b, "x");
    uint32_t body = BLOCK(b, CALL("nop", .in = {DF(x)}, .arg = {A_INT(IN(0))}));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(1), INT(n), body)));
    return RUN(build_done(b), .workers = workers);
}

TEST(a_waiting_call_takes_less_than_a_hundred_bytes)
{
    for (int workers = 1; workers <= 2; workers++) {
        long before = waiting_calls(1000, workers).rss_kib;
        struct ran ran = waiting_calls(MANY, workers);
        long each = (ran.rss_kib - before) * 1024 / MANY;
        char text[64];
        snprintf(text, sizeof text, "nop[1] and %d more wait for 'x'", MANY - 1);
        CHECK(ran.code == 4 && (workers > 1 || strstr(ran.err, text)), "%s", ran.err);
#ifndef SANITIZED
        CHECK(each <= 96, "%d workers: %ld bytes each", workers, each);
#else
        (void)each;
#endif
    }
}

/* Round after round of calls that wait for a fragment of their own: memory is that of one round. */
TEST(calls_that_waited_are_freed_and_used_again)
{
    enum { ROUNDS = 20, EACH = MANY / 20 };
    begin();
    uint32_t x = build_df(b, "x"), d = build_df(b, "d");
    uint32_t reads = BLOCK(b, CALL("nop", .in = {PARAM(1, LOCAL(0, 0))}, .arg = {A_INT(IN(0))}));
    uint32_t writes = BLOCK(b, CALL("init", .arg = {OUT_COUNT(PARAM(1, LOCAL(0, 0)), INT(1)),
                                                    A_INT(INT(1))}));
    build_sub(b, "round", "in", BLOCK(b, FOR(INT(1), INT(EACH), reads),
                                      FOR(INT(1), INT(EACH), writes)));
    uint32_t next = BLOCK(b, EXPAND("round", .in = {DF(d, LOCAL(0, 0))},
                                    .arg = {A_INT(LOCAL(0, 0)), OUT(DF(x, LOCAL(0, 0)))},
                                    .set = {DF(d, LOCAL(0, 1))}));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(0), INT(ROUNDS - 1), next),
                                   INIT(DF(d, INT(0)), INT(1)),
                                   SAY(IN(0), .in = {DF(d, INT(ROUNDS))})));
    struct ran ran = RUN(build_done(b), .workers = 1);
    CHECK(ran.code == 0, "%s", ran.err);
    CHECK_STR(ran.out, "1\n");
#ifndef SANITIZED
    CHECK(ran.rss_kib < 40 << 10, "%ld KiB", ran.rss_kib);
#endif
}

/* ---- several nodes ---- */

/* y[i + 1] = y[i] + x[i][0] + x[i][1] on node 1, where y lives; x lives on node 0. Milliseconds of
 * virtual time, with each input in a round of its own or not. */
static double
time_of_rounds(unsigned rounds, uint64_t seed)
{
    begin();
    uint32_t x = build_df(b, "x"), y = build_df(b, "y");
    struct b_ref left = DF_AT(x, INT(0), LOCAL(0, 0), INT(0));
    struct b_ref right = DF_AT(x, INT(0), LOCAL(0, 0), INT(1));
    uint32_t inits = BLOCK(b, INIT(left, INT(1)), INIT(right, INT(1)));
    uint32_t steps = BLOCK(b, CALL("sum3", .in = {DF_AT(y, INT(1), LOCAL(0, 0)), left, right},
                                   .arg = {VALUE(IN(0)), VALUE(IN(1)), VALUE(IN(2)),
                                           OUT(DF_AT(y, INT(1), LOCAL(0, 1)))},
                                   .rounds = rounds, .node = INT(1)));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(0), INT(29), inits), FOR(INT(0), INT(29), steps),
                                   INIT(DF_AT(y, INT(1), INT(0)), INT(0)),
                                   SAY(IN(0), .in = {DF_AT(y, INT(1), INT(30))})));
    struct ran ran = RUN(build_done(b), .nodes = 2, .sim = true, .seed = seed,
                         .latency_ns = 10000);
    const char *at = strstr(ran.err, " ms of virtual time");
    if (ran.code || strcmp(ran.out, "60\n") || !at) return -1;
    while (at[-1] != ' ') at--;
    return atof(at);
}

TEST(the_requests_of_a_round_leave_together)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        double together = time_of_rounds(0, seed), apart = time_of_rounds(6, seed);
        CHECK(together > 0 && together < 0.5 * apart, "seed %d: %g and %g ms", (int)seed, together,
              apart);
    }
}

TEST_MAIN(T(the_requests_of_a_round_leave_together), T(a_single_call), T(a_few_calls_and_loops),
          T(a_tree_of_activations_that_wait_for_each_other),
          T(calls_in_the_reverse_of_their_order), T(loops_that_pause_all_the_time),
          T(nodes_of_one_process), T(a_small_window_never_stops_a_program),
          T(ranges_that_paused_go_on_in_their_order),
          T(loops_of_several_nodes_do_not_run_ahead), T(a_loop_may_be_longer_than_memory),
          T(a_waiting_call_takes_less_than_a_hundred_bytes),
          T(calls_that_waited_are_freed_and_used_again))
