/* test_group_life.c - what becomes of a group: members die, leave, wait, share a core, fork, or
 * call differently. */
#include "collectives/group/group.h"
#include "tests/collectives/members.h"
#include "tests/lib/check.h"

#include <dirent.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <time.h>

/* CPU time that only a spin of 50 us takes. With sanitizers all takes several times as long, and
 * tells nothing. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { SPUN_US = 1000000 };
#else
enum { SPUN_US = 30 };
#endif

static double
cpu_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* ---- members that die ---- */

struct deaths {
    int victim, call;
    enum { KILLED, EXITS, FREES, FREES_AND_EXITS } how;
};

static enum err
some_call(struct coll *g, int call, int i)
{
    static _Thread_local char data[1 << 20];
    double x[1000] = {0}, y[1000];
    switch (call) {
    case 0: return coll_barrier(g);
    case 1: return coll_bcast(g, data, sizeof data, i % coll_size(g));
    case 2: return coll_allreduce(g, x, y, 1000, COLL_DOUBLE, COLL_SUM);
    case 3: return coll_bcast(g, data, 8, i % coll_size(g));
    default: return coll_reduce(g, x, y, 1000, COLL_DOUBLE, COLL_SUM, i % coll_size(g));
    }
}

static int
until_broken(struct coll *g, void *arg)
{
    const struct deaths *d = arg;
    for (int i = 0; i < 1000000; i++) {
        if (i == 50 && coll_rank(g) == d->victim) {
            if (d->how == FREES) return 0;
            if (d->how == FREES_AND_EXITS) coll_free(g);
            if (d->how == KILLED) raise(SIGKILL);
            _exit(0);
        }
        double start = now_s();
        enum err e = some_call(g, d->call, i);
        if (!e) continue;
        if (e != E_BROKEN) BAD("call %d: %s", d->call, err_text(e));
        if (now_s() - start > LONG_S) BAD("noticed after %.1f s", now_s() - start);
        if (coll_barrier(g) != E_BROKEN) BAD("a broken group goes on");
        return 0;
    }
    BAD("rank %d: never broken", coll_rank(g));
}

TEST(who_waits_for_the_dead_is_told)
{
    for (int call = 0; call < 5; call++)
        for (int victim = 0; victim < 3; victim++) {
            struct deaths d = {victim, call, victim % 2 ? EXITS : KILLED};
            int faults = members_run(PROCESSES, 3, NULL, until_broken, &d);
            CHECK(faults == (d.how == KILLED), "call %d, victim %d: %d faults", call, victim,
                  faults);
        }
}

/* A member that has freed the group, perhaps after an error of its own, comes no more. It lives on,
 * or it dies. */
TEST(who_waits_for_one_that_has_left_is_told)
{
    for (int call = 0; call < 5; call++) {
        struct deaths d = {call % 3, call, FREES};
        CHECK(!members_run(THREADS, 3, NULL, until_broken, &d), "call %d, threads", call);
        d.how = FREES_AND_EXITS;
        CHECK(!members_run(PROCESSES, 3, NULL, until_broken, &d), "call %d, processes", call);
    }
}

/* Names that a folder has, whosever they are. */
static int
names_in(const char *folder)
{
    DIR *d = opendir(folder);
    int n = 0;
    while (d && readdir(d)) n++;
    if (d) closedir(d);
    return n;
}

static int
all_killed(struct coll *g, void *arg)
{
    (void)arg;
    for (int i = 0; i < 50; i++)
        if (some_call(g, i % 5, i)) return 0;
    raise(SIGKILL);
    return 0;
}

/* In a folder of its own no name may come, and no memory stay. */
TEST(nothing_is_left_of_the_killed)
{
    char folder[] = "/dev/shm/luna-test-XXXXXX";
    struct coll_setup setup = {.folder = folder};
    struct statvfs f;
    if (!mkdtemp(folder)) {
        printf("no /dev/shm: skipped\n");
        return;
    }
    int names = names_in(folder);
    bool mounted = !mount("none", folder, "tmpfs", 0, "size=64m");
    CHECK(members_run(PROCESSES, 3, &setup, all_killed, NULL), "killed");
    int left = names_in(folder) - names;
    bool full = mounted && !statvfs(folder, &f) && f.f_blocks - f.f_bfree > 16;
    if (mounted) umount(folder);
    rmdir(folder);
    CHECK(!left && !full, "%d names, and memory: %d", left, full);
}

/* A member that has freed the group in good order is not dead. */
static int
leave_early(struct coll *g, void *arg)
{
    static _Thread_local char data[200000];
    (void)arg;
    if (coll_rank(g) == 0) memset(data, 7, sizeof data);
    else usleep(coll_rank(g) == 1 ? 100000 : 0);
    if (coll_bcast(g, data, sizeof data, 0)) BAD("rank %d", coll_rank(g));
    if (data[199999] != 7) BAD("rank %d", coll_rank(g));
    return 0;
}

TEST(a_root_may_leave_before_the_readers)
{
    struct coll_setup chain = {.tree = COLL_CHAIN};
    CHECK(!members_run(PROCESSES, 3, &chain, leave_early, NULL), "processes");
    CHECK(!members_run(THREADS, 3, &chain, leave_early, NULL), "threads");
}

static struct coll *to_break;

static void
break_it(int signal)
{
    (void)signal;
    coll_break(to_break);
}

static int
broken_by_signal(struct coll *g, void *arg)
{
    (void)arg;
    if (coll_rank(g) == 1) { /* never comes */
        usleep(50000);
        to_break = g;
        signal(SIGUSR1, break_it);
        raise(SIGUSR1);
        return 0;
    }
    return coll_barrier(g) != E_BROKEN;
}

TEST(a_wait_can_be_broken)
{
    CHECK(!members_run(PROCESSES, 2, NULL, broken_by_signal, NULL), "processes");
    CHECK(!members_run(THREADS, 4, NULL, broken_by_signal, NULL), "threads");
}

/* Who waits long sleeps, and is woken. */
static int
one_is_late(struct coll *g, void *arg)
{
    (void)arg;
    for (int i = 0; i < 3; i++) {
        double cpu = cpu_us();
        if (coll_rank(g) == i) usleep(150000);
        if (coll_barrier(g)) BAD("barrier");
        if (cpu_us() - cpu > 50000) BAD("%.0f us of CPU time in 150 ms", cpu_us() - cpu);
    }
    return 0;
}

TEST(who_waits_long_sleeps)
{
    double start = now_s();
    CHECK(!members_run(PROCESSES, 3, NULL, one_is_late, NULL), "see above");
    CHECK(now_s() - start < LONG_S, "%.1f s", now_s() - start);
}

/* ---- what is to go on meanwhile ---- */

/* A stand-in for MPI: moves only if somebody calls it. Of all members, be they processes. */
struct engine {
    _Atomic int calls;
    bool says; /* that there may be more to do */
};

static bool
turn(void *of)
{
    struct engine *e = of;
    atomic_fetch_add(&e->calls, 1);
    return e->says;
}

static struct engine *
engine_new(void)
{
    return mmap(NULL, sizeof(struct engine), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                -1, 0);
}

/* Rank 1 comes only when the engine has made some turns, which nobody calls for but who waits. */
static int
comes_after_turns(struct coll *g, void *arg)
{
    struct engine *e = arg;
    for (int call = 0; call < 5; call++) {
        int until = atomic_load(&e->calls) + 20;
        if (coll_barrier(g)) BAD("barrier");
        while (coll_rank(g) == 1 && atomic_load(&e->calls) < until) usleep(1000);
        if (some_call(g, call, 1)) BAD("call %d", call);
        if (coll_barrier(g)) BAD("barrier");
    }
    return 0;
}

TEST(something_goes_on_while_members_wait)
{
    struct engine *e = engine_new();
    struct coll_setup setup = {.progress = turn, .of = e};
    for (int says = 0; says < 2; says++) {
        e->says = says;
        CHECK(!members_run(PROCESSES, 3, &setup, comes_after_turns, e), "processes");
        CHECK(!members_run(THREADS, 3, &setup, comes_after_turns, e), "threads");
    }
    munmap(e, sizeof *e);
}

/* The root of broadcasts does not wait, and a member whose others are always there waits little. */
static int
never_waits(struct coll *g, void *arg)
{
    struct engine *e = arg;
    char data[8] = {0};
    for (int i = 0; i < 1000; i++)
        if (coll_bcast(g, data, sizeof data, 0)) BAD("bcast");
    /* Rank 0 has waited at most for places to write to, each of which is used 16 times in turn. */
    if (coll_rank(g) == 0 && atomic_load(&e->calls) < 1000 / 64) BAD("%d calls", e->calls);
    return coll_barrier(g) != OK;
}

TEST(something_goes_on_if_nobody_waits)
{
    struct engine *e = engine_new();
    struct coll_setup setup = {.progress = turn, .of = e};
    CHECK(!members_run(PROCESSES, 2, &setup, never_waits, e), "see above");
    munmap(e, sizeof *e);
}

/* One is late: the others call for turns more often than they look around, and sleep all the same.
 */
static int
one_is_late_often(struct coll *g, void *arg)
{
    struct engine *e = arg;
    if (coll_barrier(g)) BAD("barrier");
    double cpu = cpu_us();
    if (coll_rank(g) == 0) {
        usleep(50000); /* by now the others nap */
        int before = atomic_load(&e->calls);
        usleep(500000);
        int calls = atomic_load(&e->calls) - before;
        if (calls < 100) BAD("%d calls in 500 ms", calls);
    }
    if (coll_barrier(g)) BAD("barrier");
    if (cpu_us() - cpu > 250000) BAD("%.0f us of CPU time in 550 ms", cpu_us() - cpu);
    return 0;
}

TEST(who_waits_long_naps)
{
    struct engine *e = engine_new();
    struct coll_setup setup = {.progress = turn, .of = e};
    for (int says = 0; says < 2; says++) {
        e->says = says;
        CHECK(!members_run(PROCESSES, 2, &setup, one_is_late_often, e), "says %d", says);
    }
    munmap(e, sizeof *e);
}

TEST(who_naps_is_told_of_the_dead)
{
    struct engine *e = engine_new();
    struct coll_setup setup = {.progress = turn, .of = e};
    for (int how = KILLED; how <= FREES_AND_EXITS; how++) {
        struct deaths d = {how % 3, 0, how};
        e->says = how % 2;
        int faults = members_run(PROCESSES, 3, &setup, until_broken, &d);
        CHECK(faults == (how == KILLED), "%d: %d faults", how, faults);
    }
    munmap(e, sizeof *e);
}

/* ---- members that share a core ---- */

/* Whoever spins for a member that needs the same core burns the time of a whole spin (50 us), or of
 * a slice of the scheduler (1000s), for each barrier. CPU time tells; the least of some turns is
 * taken, for what else is running can only add to it (cold caches), and a spin is in all of them.
 */
static int
on_one_core(struct coll *g, void *arg)
{
    enum { TURNS = 10, BARRIERS = 50 };
    cpu_set_t mine, one;
    if (arg) setsid();
    sched_getaffinity(0, sizeof mine, &mine);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &mine)) cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    for (int i = 0; i < 50; i++) coll_barrier(g);
    double least = 1e9;
    for (int turn = 0; turn < TURNS; turn++) {
        double start = cpu_us();
        for (int i = 0; i < BARRIERS; i++) coll_barrier(g);
        double each = (cpu_us() - start) / BARRIERS;
        if (each < least) least = each;
    }
    if (least > SPUN_US) BAD("%d members: %.1f us of CPU time a barrier", coll_size(g), least);
    return 0;
}

TEST(members_that_share_a_core_do_not_spin)
{
    CHECK(!members_run(PROCESSES, 2, NULL, on_one_core, NULL), "2 members");
    CHECK(!members_run(PROCESSES, 4, NULL, on_one_core, NULL), "4 members");
}

/* As MPI starts them. Linux gives a core to sessions in turn, and who yields, yields to its own. */
TEST(nor_do_those_of_different_sessions)
{
    CHECK(!members_run(PROCESSES, 2, NULL, on_one_core, ""), "2 members");
    CHECK(!members_run(PROCESSES, 4, NULL, on_one_core, ""), "4 members");
}

/* ---- members that call differently ---- */

static int
different_sizes(struct coll *g, void *arg)
{
    const size_t *size = arg;
    static char data[2][1 << 17];
    enum err e = coll_bcast(g, data[coll_rank(g)], size[coll_rank(g)], 0);
    if (coll_rank(g) == 1 && e != E_PROTOCOL) BAD("%zu, %zu: %s", size[0], size[1], err_text(e));
    return 0;
}

TEST(different_sizes_are_noticed)
{
    static const size_t sizes[][2] = {{8, 16}, {16, 8}, {1000, 1001}, {100000, 5000},
                                      {60, 5000}, {5000, 60}, {8, 100000}, {100000, 8}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        CHECK(!members_run(THREADS, 2, NULL, different_sizes, (void *)sizes[i]), "pair %zu", i);
}

/* The word of the second part of a message is not that of a barrier, or of an operand. */
static int
different_calls(struct coll *g, void *arg)
{
    static char data[2][2048];
    enum err e;
    (void)arg;
    if (coll_rank(g) == 0) e = coll_bcast(g, data[0], sizeof data[0], 0);
    else e = coll_reduce(g, data[1], data[1], sizeof data[1] / 8, COLL_INT64, COLL_SUM, 1);
    if (coll_rank(g) == 1 && e != E_PROTOCOL) BAD("a reduction: %s", err_text(e));
    return 0;
}

TEST(different_calls_are_noticed)
{
    CHECK(!members_run(THREADS, 2, NULL, different_calls, NULL), "see above");
}

/* A member waits for a small message from one that is late; meanwhile others are a step ahead, and
 * tell it of a large one. That is no difference. */
static int
others_ahead(struct coll *g, void *arg)
{
    static char data[4][1 << 14];
    int rank = coll_rank(g);
    (void)arg;
    for (int first = 0; first < 4; first++)
        for (int next = 0; next < 4; next++) {
            int late = (first + 1 + next) % 4;
            if (next == first || late == first) continue;
            memset(data[rank], rank, sizeof data[rank]);
            if (rank == late) usleep(150000);
            enum err e = coll_bcast(g, data[rank], 57, first);
            if (e || data[rank][56] != first) BAD("small, %d late: %s", late, err_text(e));
            e = coll_bcast(g, data[rank], sizeof data[rank], next);
            if (e || data[rank][9999] != next) BAD("large, %d late: %s", late, err_text(e));
        }
    return 0;
}

TEST(who_is_ahead_is_not_taken_for_different)
{
    CHECK(!members_run(THREADS, 4, NULL, others_ahead, NULL), "see above");
}

/* ---- fork ---- */

static int
fork_inside(struct coll *g, void *arg)
{
    int x = coll_rank(g), y = 0;
    (void)arg;
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        if (!child) {
            struct coll_about about;
            int wrong = coll_barrier(g) != E_USER || coll_bcast(g, &x, 4, 0) != E_USER;
            wrong |= coll_break(g) != E_USER || coll_tell(g, &about) != E_USER;
            wrong |= !about.segment_bytes;
            coll_free(g);
            _exit(wrong);
        }
        int status;
        waitpid(child, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status)) BAD("the child: status %x", status);
        if (coll_allreduce(g, &x, &y, 1, COLL_INT32, COLL_SUM) || y != 3) BAD("sum %d", y);
    }
    return 0;
}

TEST(a_child_of_fork_does_no_harm)
{
    CHECK(!members_run(PROCESSES, 3, NULL, fork_inside, NULL), "see above");
}

/* A child that lives on must not look like its dead parent. */
static int
die_with_child(struct coll *g, void *arg)
{
    const int *ends = arg;
    if (coll_rank(g) == 1) {
        if (!fork()) { /* until the test is over */
            struct pollfd over = {.fd = ends[0], .events = POLLIN};
            close(ends[1]);
            poll(&over, 1, 2 * LONG_S * 1000);
            _exit(0);
        }
        _exit(0);
    }
    return coll_barrier(g) != E_BROKEN;
}

TEST(a_child_does_not_keep_its_parent_alive)
{
    int ends[2];
    CHECK(!pipe(ends));
    double start = now_s();
    int faults = members_run(PROCESSES, 2, NULL, die_with_child, ends);
    close(ends[0]), close(ends[1]);
    CHECK(!faults, "see above");
    CHECK(now_s() - start < LONG_S, "%.1f s", now_s() - start);
}

TEST_MAIN(T(who_waits_for_the_dead_is_told), T(who_waits_for_one_that_has_left_is_told),
          T(nothing_is_left_of_the_killed), T(a_root_may_leave_before_the_readers),
          T(a_wait_can_be_broken), T(who_waits_long_sleeps),
          T(something_goes_on_while_members_wait), T(something_goes_on_if_nobody_waits),
          T(who_waits_long_naps), T(who_naps_is_told_of_the_dead),
          T(members_that_share_a_core_do_not_spin), T(nor_do_those_of_different_sessions),
          T(different_sizes_are_noticed), T(different_calls_are_noticed),
          T(who_is_ahead_is_not_taken_for_different), T(a_child_of_fork_does_no_harm),
          T(a_child_does_not_keep_its_parent_alive))
