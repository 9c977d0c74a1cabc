/* test_fault.c - what a wrong program is told, and that the run ends at once: exit 3 with the
 * place, the call and its indices; the program's own output is not lost. With 1, 2, 4 workers. */
#include "built.h"
#include "runtime/base/mem.h"
#include "runtime/fault/fault.h"
#include "runtime/ucode/df.h"
#include "runtime/ucode/luna.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#endif

static const int workers[] = {1, 2, 4};

static void
always_fails(int code, const char *text)
{
    const struct luna_program *p = build_done(b);
    for (int i = 0; i < 3; i++) CHECK_FAILS(RUN(p, .workers = workers[i]), code, text);
}

/* ---- assignments ---- */

TEST(a_second_assignment)
{
    begin();
    uint32_t x = build_df(b, "x");
    uint32_t body = BLOCK(b, INIT(DF(x, INT(2), INT(7)), LOCAL(0, 0), .in = {DF(x, LOCAL(0, 0))},
                                  .line = 9));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(1), INT(2), body), INIT(DF(x, INT(1)), INT(1)),
                                   INIT(DF(x, INT(2)), INT(1), .in = {DF(x, INT(2), INT(7))})));
    always_fails(3, "test.fa:9:5: error[RUN2]: 'x[2][7]' is assigned twice; the second time by "
                    "init[2]\n"
                    "hint: each fragment is assigned once: give the two values different "
                    "indices\n");
}

TEST(a_second_assignment_of_a_marker)
{
    begin();
    uint32_t x = build_df(b, "x");
    build_sub(b, "main", "", BLOCK(b, SAY(INT(1), .set = {DF(x), DF(x)}, .line = 4)));
    always_fails(3, "test.fa:4:5: error[RUN2]: 'x' is assigned twice; the second time by say\n"
                    "hint: each fragment is assigned once: give the two values different "
                    "indices\n");
}

TEST(an_output_left_unset)
{
    begin();
    uint32_t x = build_df(b, "x");
    uint32_t body = BLOCK(b, CALL("unset", .arg = {OUT(DF(x, LOCAL(0, 1)))}, .line = 3));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(4), INT(4), body)));
    always_fails(3, "test.fa:3:5: error[RUN3]: unset[4] returned without setting 'x[5]'\n"
                    "hint: a function sets each of its name parameters before it returns\n");
}

TEST(deleting_what_others_want)
{
    begin();
    uint32_t x = build_df(b, "x"), y = build_df(b, "y");
    build_sub(b, "main", "", BLOCK(b, SAY(IN(0), .in = {DF(x)}),
                                   INIT(DF(y), INT(1), .kill = {DF(x)}, .in = {DF(y, INT(0))},
                                        .line = 5),
                                   INIT(DF(y, INT(0)), INT(1))));
    CHECK_FAILS(RUN(build_done(b), .workers = 1), 3,
                "test.fa:5:5: error[RUN9]: 'x' is deleted while calls wait for it\n"
                "hint: delete it behind a call that runs after its last reader\n");
}

TEST(deleting_what_is_promised)
{
    begin();
    uint32_t x = build_df(b, "x");
    build_sub(b, "main", "",
              BLOCK(b, CALL("init", .arg = {OUT_COUNT(DF(x), INT(3)), A_INT(INT(1))}),
                    SAY(IN(0), .in = {DF(x)}, .kill = {DF(x)}, .line = 2)));
    always_fails(3, "test.fa:2:5: error[RUN9]: 'x' is deleted, but requests promised by its "
                    "req_count are left\n"
                    "hint: its last promised reader frees it: no delete is needed\n");
}

TEST(deleting_twice)
{
    begin();
    uint32_t x = build_df(b, "x");
    build_sub(b, "main", "", BLOCK(b, SAY(INT(1), .kill = {DF(x, INT(1)), DF(x, INT(1))},
                                          .line = 2)));
    always_fails(3, "test.fa:2:5: error[RUN9]: 'x[1]' is deleted twice\n"
                    "hint: delete it once\n");
}

/* ---- expressions ---- */

TEST(values_of_the_wrong_type)
{
    begin();
    uint32_t x = build_df(b, "x");
    build_sub(b, "main", "", BLOCK(b, CALL("inits", .arg = {OUT(DF(x)), A_STRING(STR("7"))}),
                                   SAY(IN(0), .in = {DF(x)}, .line = 8)));
    always_fails(3, "test.fa:8:5: error[RUN1]: a number is needed, but 'x' is a string, in say\n"
                    "test.fa:1:5: note: 'x' is assigned here, by inits\n"
                    "hint: what it holds is chosen by the function that assigns it\n");
}

static int32_t
divides(const luna_env *e)
{
    return luna_i_div(e, 7, (int32_t)e->local[0].i);
}

TEST(division_by_zero_in_an_index)
{
    begin();
    uint32_t x = build_df(b, "x");
    uint32_t body = BLOCK(b, SAY(IN(0), .in = {DF(x, INT_FN(divides))}, .line = 6));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(-1), INT(0), body), INIT(DF(x, INT(-7)), INT(1))));
    always_fails(3, "test.fa:6:5: error[RUN4]: division of 7 by zero, in say[0]\n"
                    "hint: ask first: b == 0 ? 0 : a / b\n");
}

static int32_t
always(const luna_env *e)
{
    (void)e;
    return 1;
}

static int32_t
near_the_end(const luna_env *e)
{
    (void)e;
    return INT32_MAX - 2;
}

TEST(a_while_beyond_int)
{
    begin();
    uint32_t n = build_df(b, "n");
    uint32_t test = BLOCK(b, TEST_OF(INT_FN(always), BLOCK(b, CALL("nop", .arg = {A_INT(INT(1))})),
                                     OUT(DF(n)), .line = 3));
    build_sub(b, "main", "", BLOCK(b, WHILE(INT_FN(near_the_end), test)));
    always_fails(3, "test.fa:3:5: error[RUN4]: the counter of this while goes beyond int\n");
}

/* ---- ucodes that fail ---- */

static volatile int zero;

static void
reads_nowhere(const luna_actual *a)
{
    (void)a;
    zero = *(volatile int *)(intptr_t)(64 + zero);
}

static void
writes_code(const luna_actual *a)
{
    *(volatile char *)(uintptr_t)writes_code = (char)a[0].i;
}

__attribute__((no_sanitize("undefined"))) static void
divides_by_zero(const luna_actual *a)
{
    zero = a[0].i / zero;
}

static void
aborts(const luna_actual *a)
{
    (void)a;
    abort();
}

static int
deeper(int n)
{
    volatile char room[4096];
    room[n % 4096] = (char)n;
    return n < 0 ? 0 : deeper(n + 1) + room[(n + 1) % 4096];
}

static void
overflows(const luna_actual *a)
{
    zero = deeper(a[0].i);
}

static void
exits(const luna_actual *a)
{
    printf("before\n");
    exit(a[0].i);
}

static void
fails(const luna_actual *a)
{
    luna_fail("%d is no good", a[0].i);
}

static void
kills_itself(const luna_actual *a)
{
    (void)a;
    raise(SIGILL);
}

static void
overruns(const luna_actual *a)
{
    luna_get_real(a[0].in);
}

/* for i = 5..5 f(i), behind some output of the program itself */
static void
calls(const char *name, void (*f)(const luna_actual *))
{
    begin();
    build_function(b, name, f, "i");
    uint32_t body = BLOCK(b, CALL(name, .arg = {A_INT(LOCAL(0, 0))}, .line = 7));
    uint32_t x = build_df(b, "x");
    build_sub(b, "main", "", BLOCK(b, SAY(INT(1), .set = {DF(x)}),
                                   FOR(INT(5), INT(5), body, .in = {DF(x)})));
}

static void
crashes(const char *name, void (*f)(const luna_actual *), const char *words)
{
    char text[400];
    calls(name, f);
    snprintf(text, sizeof text,
             "test.fa:7:5: error[RUN6]: '%s' %s, called as %s[5]\n"
             "hint: luna run -g under gdb stops there; luna run --sanitize finds what led to "
             "it\n", name, words, name);
    const struct luna_program *p = build_done(b);
    for (int i = 0; i < 3; i++) {
        CHECK_FAILS(RUN(p, .workers = workers[i]), 3, text);
        CHECK_STR(RUN(p, .workers = workers[i]).out, "1\n");
    }
}

TEST(crashes_of_ucodes)
{
    crashes("reads_nowhere", reads_nowhere, "used an invalid address (SIGSEGV)");
    if (!check_failed) crashes("writes_code", writes_code, "wrote where it may not (SIGSEGV)");
    if (!check_failed) crashes("divides_by_zero", divides_by_zero,
                               "divided an integer by zero (SIGFPE)");
    if (!check_failed) crashes("aborts", aborts, "called abort (SIGABRT)");
    if (!check_failed) crashes("kills_itself", kills_itself,
                               "ran into an invalid instruction (SIGILL)");
}

TEST(a_stack_that_ends)
{
    crashes("overflows", overflows, "used up its stack (SIGSEGV)");
}

TEST(a_failure_that_a_ucode_tells)
{
    calls("fails", fails);
    always_fails(3, "test.fa:7:5: error[RUN5]: 5 is no good (in 'fails', called as fails[5])\n");
    begin();
    uint32_t x = build_df(b, "x");
    build_function(b, "overruns", overruns, "v");
    build_sub(b, "main", "", BLOCK(b, INIT(DF(x), INT(1)),
                                   CALL("overruns", .in = {DF(x)}, .arg = {VALUE(IN(0))},
                                        .line = 2)));
    always_fails(3, "test.fa:2:5: error[RUN5]: x: get_real failed for type int (in 'overruns', "
                    "called as overruns)\n"
                    "test.fa:1:5: note: 'x' is assigned here, by init\n"
                    "hint: an int is read by luna_get_int, in C++ get_int; cast_real converts "
                    "it\n");
}

TEST(a_ucode_that_exits)
{
    calls("exits", exits);
    always_fails(3, "test.fa:7:5: error[RUN7]: 'exits' called exit(5), called as exits[5]\n"
                    "hint: luna_fail(\"why\") ends the run, too, and says so\n");
    CHECK_STR(RUN(build_done(b), .workers = 2).out, "1\nbefore\n");
    begin();
    build_function(b, "exits", exits, "i");
    build_sub(b, "main", "", BLOCK(b, CALL("exits", .arg = {A_INT(INT(0))}, .line = 7)));
    always_fails(0, "test.fa:7:5: warning[RUN7]: 'exits' called exit(0), called as exits: the run "
                    "ends here\n");
    CHECK_STR(RUN(build_done(b), .workers = 2).out, "before\n");
}

/* Of a pipe of packets a read gives what one write has written. */
static int
warns(const void *who)
{
    char text[4000];
    int ends[2];
    if (pipe2(ends, O_DIRECT)) return 1;
    dup2(ends[1], STDERR_FILENO);
    fault_set_program(who);
    fault_warn(F_RUN18, 0, "'%s' has %d bytes", "x[3]", 25);
    fault_warn(F_RUN18, 0, "'%s' has %d bytes", "x[4]", 25);
    fault_warn(F_RUN4, LUNA_NONE, "%05000d", 1);
    ssize_t n = read(ends[0], text, sizeof text);
    printf("%.*s", n > 0 ? (int)n : 0, text);
    n = read(ends[0], text, sizeof text);
    printf("%.16s: %s\n", text, n > 900 && text[n - 1] == '\n' ? "cut, a line" : "not all");
    return 0;
}

TEST(a_warning_is_one_write)
{
    begin();
    build_sub(b, "main", "", BLOCK(b, SAY(INT(1), .line = 4)));
    CHECK_PRINTS(run_child(warns, build_done(b)),
                 "test.fa:4:5: warning[RUN18]: 'x[3]' has 25 bytes\n"
                 "warning[RUN4]: 0: cut, a line\n");
}

/* An exception: what guard.cpp makes of one. */
static int
guard_that_catches(void (*fn)(void *who), void *who, char *text, size_t size)
{
    fn(who);
    snprintf(text, size, "std::runtime_error: no such file");
    return 1;
}

TEST(an_exception_that_leaves_a_ucode)
{
    begin();
    build_sub(b, "main", "", BLOCK(b, SAY(INT(1), .line = 4)));
    struct luna_program p = *build_done(b);
    p.guard = guard_that_catches;
    CHECK_FAILS(RUN(&p, .workers = 1), 3,
                "test.fa:4:5: error[RUN5]: an exception left 'say', called as say: "
                "std::runtime_error: no such file\n");
}

static jmp_buf thrown;

static void
throws(const luna_actual *a)
{
    if (a[0].i == 7) longjmp(thrown, 1);
    printf("%d\n", a[0].i);
}

static int
guard_that_jumps(void (*fn)(void *who), void *who, char *text, size_t size)
{
    if (!setjmp(thrown)) {
        fn(who);
        return 0;
    }
    snprintf(text, size, "seven");
    return 1;
}

/* All calls of a loop may stand behind one guard: the one that threw is named. */
TEST(an_exception_within_a_loop)
{
    begin();
    build_function(b, "throws", throws, "i");
    uint32_t body = BLOCK(b, CALL("throws", .arg = {A_INT(LOCAL(0, 2))}, .line = 9));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(3), INT(100), body)));
    struct luna_program p = *build_done(b);
    p.guard = guard_that_jumps;
    CHECK_FAILS(RUN(&p, .workers = 1), 3,
                "test.fa:9:5: error[RUN5]: an exception left 'throws', called as throws[5]: "
                "seven\n");
    CHECK_STR(RUN(&p, .workers = 1).out, "5\n6\n");
}

/* Crashes with stdout's lock held: output is given up after a second, the run is not. */
static void
crashes_while_printing(const luna_actual *a)
{
    (void)a;
    flockfile(stdout);
    raise(SIGSEGV);
}

static void *
locks_for_ever(void *who)
{
    flockfile(stdout);
    *(volatile int *)who = 1;
    for (;;) pause();
    return NULL;
}

static void
crashes_while_another_prints(const luna_actual *a)
{
    static volatile int locked;
    pthread_t thread;
    pthread_create(&thread, NULL, locks_for_ever, (void *)&locked);
    while (!locked) usleep(100);
    raise(SIGSEGV);
    (void)a;
}

TEST(a_lock_on_the_output_does_not_hold_up_the_end)
{
#if defined(__SANITIZE_THREAD__)
    return; /* it delivers no signal to a thread that waits for a lock */
#endif
    calls("crashes_while_printing", crashes_while_printing);
    CHECK(RUN(build_done(b), .workers = 1).code == 3);
    calls("crashes_while_another_prints", crashes_while_another_prints);
    CHECK(RUN(build_done(b), .workers = 1).code == 3);
    CHECK(RUN(build_done(b), .workers = 2).code == 3);
}

/* All workers fail at the same time: one message, whole. */
static void
fails_anywhere(const luna_actual *a)
{
    if (a[0].i % 3 == 0) luna_fail("at %d", a[0].i);
    if (a[0].i % 3 == 1) raise(SIGFPE);
    exit(4);
}

TEST(the_first_fault_is_the_only_one)
{
    begin();
    build_function(b, "fails_anywhere", fails_anywhere, "i");
    uint32_t body = BLOCK(b, CALL("fails_anywhere", .arg = {A_INT(LOCAL(0, 0))}));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(0), INT(1000), body)));
    const struct luna_program *p = build_done(b);
    for (int i = 0; i < 60; i++) {
        struct ran ran = RUN(p, .workers = workers[i % 3]);
        const char *first = strstr(ran.err, "error[");
        CHECK(ran.code == 3 && first && !strstr(first + 1, "error["), "%d: %s", ran.code, ran.err);
    }
}

/* ---- memory ---- */

#ifndef SANITIZED /* they need more address space than that */

enum { LITTLE_MIB = 300 };

static int
run_in_little_memory(const void *who)
{
    struct run_options o = {.workers = *(const int *)who};
    struct rlimit r = {LITTLE_MIB << 20, LITTLE_MIB << 20};
    setrlimit(RLIMIT_AS, &r);
    return runtime_run(build_done(b), &o, 0, NULL);
}

TEST(memory_that_ends_is_the_systems_failure)
{
    begin();
    uint32_t x = build_df(b, "x"), y = build_df(b, "y");
    uint32_t body = BLOCK(b, CALL("bytes", .arg = {OUT(DF(x, LOCAL(0, 0))), A_INT(INT(1 << 20))}),
                          INIT(DF(y, LOCAL(0, 0)), INT(1)));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(1), INT(100000), body)));
    for (int i = 0; i < 3; i++) {
        struct ran ran = run_child(run_in_little_memory, &workers[i]);
        CHECK(ran.code == 5, "exit %d: %s", ran.code, ran.err);
        const char *told = strstr(ran.err, "error[RUN12]: out of memory: ");
        int mib = 0;
        CHECK(told && sscanf(told, "error[RUN12]: out of memory: %d MiB", &mib) == 1, "%s",
              ran.err);
        /* Threads may have reserved more addresses than values take. */
        bool addresses = strstr(ran.err, "hint: raise the limit of addresses (ulimit -v)");
        CHECK(addresses == (mib < LITTLE_MIB / 2) && !(addresses && workers[i] == 1), "%s",
              ran.err);
        CHECK(addresses ||
                  (strstr(ran.err, "'x' holds ") && strstr(ran.err, "hint: free fragments")),
              "%s", ran.err);
    }
}

static int
run_where_most_is_reserved(const void *who)
{
    size_t most = (size_t)LITTLE_MIB * 2 / 3 << 20;
    void *room = mmap(NULL, most, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room == MAP_FAILED ? -1 : run_in_little_memory(who);
}

TEST(addresses_that_end_are_no_memory)
{
    begin();
    uint32_t x = build_df(b, "x");
    uint32_t body = BLOCK(b, CALL("bytes", .arg = {OUT(DF(x, LOCAL(0, 0))), A_INT(INT(1 << 20))}));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(1), INT(100000), body)));
    build_done(b);
    struct ran ran = run_child(run_where_most_is_reserved, &workers[0]);
    CHECK(ran.code == 5, "exit %d: %s", ran.code, ran.err);
    CHECK(strstr(ran.err, "hint: raise the limit of addresses (ulimit -v), or ask for fewer "
                          "workers (-t)\n"),
          "%s", ran.err);
}

/* A sub that calls itself for ever, and each time twice: what fills the memory is calls. */
TEST(calls_without_end_are_named)
{
    begin();
    build_sub(b, "f", "i", BLOCK(b, EXPAND("f", .arg = {A_INT(FRAME(0, 1))}),
                                 EXPAND("f", .arg = {A_INT(FRAME(0, 1))})));
    build_sub(b, "main", "", BLOCK(b, EXPAND("f", .arg = {A_INT(INT(1))})));
    build_done(b);
    struct ran ran = run_child(run_in_little_memory, &workers[0]);
    CHECK(ran.code == 5, "exit %d: %s", ran.code, ran.err);
    CHECK(strstr(ran.err, "note: most of it are calls, not values\n"
                          "test.fa:1:5: note: 'f' is nested 65535 deep, or more\n"
                          "hint: does a sub call itself, or a while go on, without end?"),
          "%s", ran.err);
}
#endif

static long allowed; /* allocations before they fail */

static int
run_short_of_memory(const void *who)
{
    struct run_options o = {.workers = *(const int *)who, .hash = true, .debug = true};
    mem_fail_after(allowed);
    int code = runtime_run(build_done(b), &o, 0, NULL);
    mem_fail_after(-1);
    return code;
}

/* Every allocation fails in turn: the run ends with 5 and says why, or it did not need that one. */
TEST(each_allocation_may_fail)
{
    begin();
    uint32_t x = build_df(b, "x"), d = build_df(b, "d");
    uint32_t steps = BLOCK(b, CALL("step", .in = {DF(x, LOCAL(0, 0))},
                                   .arg = {VALUE(IN(0)), OUT(DF(x, LOCAL(0, 1)))}));
    build_sub(b, "f", "s", BLOCK(b, CALL("says", .arg = {A_STRING(FVALUE(0))})));
    build_sub(b, "main", "", BLOCK(b, FOR(INT(0), INT(9), steps), INIT(DF(x, INT(0)), INT(0)),
                                   EXPAND("f", .arg = {A_STRING(STR("text"))}, .set = {DF(d)}),
                                   SAY(IN(0), .in = {DF(d), DF(x, INT(10))})));
    for (int i = 0; i < 2; i++) {
        struct ran ran = {.code = -1};
        for (allowed = 0; ran.code && allowed < 500; allowed++) {
            ran = run_child(run_short_of_memory, &workers[i]);
            CHECK(ran.code == 0 || ran.code == 5, "after %ld: exit %d: %s", allowed, ran.code,
                  ran.err);
            CHECK(!ran.code || strstr(ran.err, "out of memory"), "after %ld: %s", allowed, ran.err);
        }
        CHECK(ran.code == 0 && allowed > 10, "%ld allocations", allowed);
    }
}

/* ---- the source line ---- */

TEST(the_line_is_shown_with_a_caret)
{
    begin();
    build_function(b, "fails", fails, "i");
    build_sub(b, "main", "", BLOCK(b, CALL("fails", .arg = {A_INT(INT(3))}, .line = 2)));
    struct luna_program p = *build_done(b);
    const char *const files[] = {TEST_DIR "/caret.fa"};
    p.files = files;
    struct ran ran = RUN(&p, .workers = 1);
    const char *text = strchr(ran.err, '\n');
    CHECK(ran.code == 3 && text, "%s", ran.err);
    CHECK_STR(text + 1, "    2 |     fails(3);\n      |     ^~~\n");
}

TEST_MAIN(T(a_second_assignment), T(a_second_assignment_of_a_marker), T(an_output_left_unset),
          T(deleting_what_others_want), T(deleting_what_is_promised), T(deleting_twice),
          T(values_of_the_wrong_type), T(division_by_zero_in_an_index), T(a_while_beyond_int),
          T(crashes_of_ucodes), T(a_stack_that_ends), T(a_failure_that_a_ucode_tells),
          T(a_ucode_that_exits), T(a_warning_is_one_write),
          T(an_exception_that_leaves_a_ucode), T(an_exception_within_a_loop),
          T(a_lock_on_the_output_does_not_hold_up_the_end), T(the_first_fault_is_the_only_one),
#ifndef SANITIZED
          T(memory_that_ends_is_the_systems_failure), T(addresses_that_end_are_no_memory),
          T(calls_without_end_are_named),
#endif
          T(each_allocation_may_fail), T(the_line_is_shown_with_a_caret))
