/* test_group.c - groups come together or fail together, and nothing is left behind. What becomes of
 * them is in test_group_life.c. */
#include "collectives/group/group.h"
#include "runtime/base/mem.h"
#include "tests/collectives/members.h"
#include "tests/lib/check.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>

/* What is in /dev/shm, but for that of others who run at the same time: by our name alone. */
static int
files_left(void)
{
    DIR *d = opendir("/dev/shm");
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d));) n += strstr(e->d_name, "luna") != NULL;
    if (d) closedir(d);
    return n;
}

static int
fds_open(void)
{
    int n = 0;
    for (int fd = 0; fd < 256; fd++) n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* One member of a group whose others never come. */
static enum err
alone(struct coll_setup setup, char why[COLL_WHY])
{
    struct coll *g = NULL;
    enum err e = coll_new(&g, &setup, why);
    if (!e) coll_free(g);
    return e;
}

TEST(a_group_of_one_needs_nobody)
{
    struct coll_setup setup = {.size = 1};
    struct coll *g;
    int32_t x = 7, y = 0;
    CHECK(!coll_new(&g, &setup, NULL), "new");
    CHECK(!coll_barrier(g) && !coll_bcast(g, &x, sizeof x, 0), "barrier, bcast");
    CHECK(!coll_allreduce(g, &x, &y, 1, COLL_INT32, COLL_SUM) && y == 7, "allreduce %d", y);
    CHECK(!coll_reduce(g, &x, &x, 1, COLL_INT32, COLL_MAX, 0) && x == 7, "reduce %d", x);
    CHECK(coll_reduce(g, &x, &x, 1, COLL_DOUBLE, COLL_BAND, 0) == E_USER, "and of doubles");
    CHECK(coll_reduce(g, &x, &x, SIZE_MAX / 4 + 2, COLL_INT32, COLL_SUM, 0) == E_USER &&
          coll_allreduce(g, &x, &x, SIZE_MAX / 8 + 2, COLL_DOUBLE, COLL_SUM) == E_USER,
          "more bytes than a number can tell");
    CHECK(coll_bcast(g, &x, 4, 1) == E_USER && coll_bcast(g, &x, 4, -1) == E_USER, "no such root");
    CHECK(coll_reduce(g, &x, &x, 1, COLL_INT32, COLL_SUM, 1) == E_USER, "no such root");
    coll_free(g);
    coll_free(NULL);
}

TEST(wrong_setups_say_why)
{
    char why[COLL_WHY];
    CHECK(alone((struct coll_setup){.size = 0}, why) == E_USER, "%s", why);
    CHECK_STR(why, "size: 1 to 4096 members, not 0");
    CHECK(alone((struct coll_setup){.size = 2, .rank = 2}, why) == E_USER, "%s", why);
    CHECK_STR(why, "rank: 0 to 1 of 2 members, not 2");
    CHECK(alone((struct coll_setup){.size = 2, .rank = -1}, why) == E_USER, "%s", why);
    CHECK(alone((struct coll_setup){.size = 1, .fan_out = -3}, why) == E_USER, "%s", why);
    CHECK_STR(why, "fan_out: at least 2, not -3");
    CHECK(alone((struct coll_setup){.size = 2}, why) == E_USER, "%s", why);
    CHECK_STR(why, "neither a name nor an exchange function");
    CHECK(alone((struct coll_setup){.size = 2, .name = "test.nobody", .timeout_ms = 50}, why) ==
              E_SYSTEM, "%s", why);
    CHECK_STR(why, "only 1 of 2 members came to 'test.nobody' in 50 ms");
    struct coll_setup late = {.size = 2, .rank = 1, .name = "test.nobody", .timeout_ms = 50};
    CHECK(alone(late, why) == E_SYSTEM, "%s", why);
    CHECK_STR(why, "rank 0 of 'test.nobody' was not found in 50 ms");
}

/* Two groups whose names begin alike would meet. */
TEST(a_name_is_not_cut)
{
    char why[COLL_WHY], name[] = "0123456789.123456789.123456789.123456789.123456789.123456789."
                                 "123456789.";
    struct coll_setup setup = {.size = 2, .rank = 1, .name = name, .timeout_ms = 50};
    CHECK(alone(setup, why) == E_USER, "%s", why);
    CHECK_STR(why, "name: at most 70 characters, not 71");
    name[70] = 0;
    CHECK(alone(setup, why) == E_SYSTEM, "%s", why);
}

/* All members are to fail alike. */
struct failing {
    struct coll_setup setup[3];
    pthread_barrier_t barrier;
    char room[3 * 1024], why[3][COLL_WHY];
    enum err e[3];
    int exchanges_left; /* then they fail; -1: never */
};
struct failing_arg {
    struct failing *f;
    int rank;
};

static int
failing_exchange(void *who, const void *mine, void *all, size_t bytes)
{
    struct failing_arg *a = who;
    memcpy(a->f->room + (size_t)a->rank * bytes, mine, bytes);
    pthread_barrier_wait(&a->f->barrier);
    memcpy(all, a->f->room, 3 * bytes);
    int fails = a->f->exchanges_left == 0;
    pthread_barrier_wait(&a->f->barrier);
    if (a->rank == 0) a->f->exchanges_left--;
    pthread_barrier_wait(&a->f->barrier);
    return fails;
}

static void *
failing_thread(void *arg)
{
    struct failing_arg *a = arg;
    struct coll_setup *s = &a->f->setup[a->rank];
    struct coll *g = NULL;
    s->rank = a->rank;
    s->size = 3;
    s->exchange = failing_exchange;
    s->who = a;
    a->f->e[a->rank] = coll_new(&g, s, a->f->why[a->rank]);
    coll_free(g);
    return NULL;
}

static void
fail_together(struct failing *f)
{
    pthread_t thread[3];
    struct failing_arg arg[3];
    pthread_barrier_init(&f->barrier, NULL, 3);
    for (int i = 0; i < 3; i++) {
        arg[i] = (struct failing_arg){f, i};
        pthread_create(&thread[i], NULL, failing_thread, &arg[i]);
    }
    for (int i = 0; i < 3; i++) pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&f->barrier);
}

#define ALL_FAIL(f, error, text)                                                                   \
    for (int i_ = 0; i_ < 3; i_++) {                                                               \
        CHECK((f)->e[i_] == (error), "member %d: %s", i_, err_text((f)->e[i_]));                   \
        CHECK_STR((f)->why[i_], text);                                                             \
    }

TEST(a_wrong_setup_of_one_fails_all)
{
    static struct failing f = {.exchanges_left = -1};
    static const struct {
        struct coll_setup setup;
        const char *why;
    } wrong[] = {
        {{.sets = 3}, "members give different setups: sets are 3 at rank 2, and 2 at rank 0"},
        {{.tree = COLL_CHAIN},
         "members give different setups: tree is 3 at rank 2, and 0 at rank 0"},
        {{.message_max = 1 << 20},
         "members give different setups: fragment_bytes are 40960 at rank 2, and 0 at rank 0"},
        {{.sets = 3, .fragments = 4}, "sets must divide fragments: 3 do not divide 4"},
        {{.sets = -1}, "sets: at least 1, not -1"},
        {{.fragments = 1}, "fragments: 2 to 65535, not 1"},
        {{.fragments = 65536}, "fragments: 2 to 65535, not 65536"},
        {{.fragment_bytes = 63}, "fragment_bytes: at least 64, not 63"},
        {{.fan_out = 1}, "fan_out: at least 2, not 1"},
        {{.tree = (enum coll_tree)4}, "tree: COLL_KARY to COLL_CHAIN, 0 to 3, not 4"},
        {{.layout = (enum coll_layout)7}, "layout: COLL_LINES or COLL_PAGES, 0 or 1, not 7"},
        {{.copying = (enum coll_copying)-1},
         "copying: COLL_COPY_TIMED to COLL_COPY_AROUND, 0 to 2, not -1"},
        {{.timeout_ms = -5}, "timeout_ms: at least 1, not -5"},
        {{.message_max = 9, .latency_bytes = INFINITY}, "latency_bytes: 0 to 1e+12, not inf"},
        {{.message_max = 9, .latency_bytes = -1}, "latency_bytes: 0 to 1e+12, not -1"},
    };
    int fds = fds_open();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        f.setup[2] = wrong[i].setup;
        fail_together(&f);
        ALL_FAIL(&f, E_USER, wrong[i].why);
    }
    for (int i = 0; i < 3; i++)
        f.setup[i] = (struct coll_setup){.fragment_bytes = SIZE_MAX / 10, .fragments = 4};
    fail_together(&f);
    ALL_FAIL(&f, E_USER, "the queues are too large: fewer fragments, or smaller ones");
    CHECK(fds_open() == fds, "%d file descriptors, were %d", fds_open(), fds);
}

/* The system would give it, and kill a member when it is touched. */
TEST(more_memory_than_there_is_is_refused)
{
    static struct failing f = {.exchanges_left = -1};
    static const char end[] = ": fewer fragments, or smaller ones";
    for (int i = 0; i < 3; i++)
        f.setup[i] = (struct coll_setup){.fragment_bytes = (size_t)1 << 40, .fragments = 4};
    fail_together(&f);
    for (int i = 0; i < 3; i++) {
        const char *why = f.why[i];
        CHECK(f.e[i] == E_NOMEM, "%s", why);
        CHECK(!strncmp(why, "memory is too small: ", 21), "%s", why);
        CHECK(strlen(why) > 40 && !strcmp(why + strlen(why) - strlen(end), end), "%s", why);
    }
}

TEST(an_exchange_that_fails_leaves_nothing)
{
    int fds = fds_open();
    for (int n = 0; n < 3; n++) {
        static struct failing f;
        memset(&f, 0, sizeof f);
        f.exchanges_left = n;
        fail_together(&f);
        ALL_FAIL(&f, E_SYSTEM, "the members could not exchange their data");
        CHECK(fds_open() == fds, "%d file descriptors, were %d", fds_open(), fds);
    }
    static struct failing f = {.exchanges_left = 3};
    fail_together(&f);
    for (int i = 0; i < 3; i++) CHECK(!f.e[i], "three exchanges are enough: %s", f.why[i]);
}

TEST(a_folder_that_is_too_small_is_named)
{
    static struct failing f = {.exchanges_left = -1};
    char folder[] = "/tmp/luna-coll-XXXXXX", want[COLL_WHY];
    CHECK(mkdtemp(folder), "mkdtemp");
    if (mount("none", folder, "tmpfs", 0, "size=256k")) {
        rmdir(folder);
        printf("cannot mount: skipped\n");
        return;
    }
    for (int i = 0; i < 3; i++) f.setup[i].folder = folder;
    fail_together(&f);
    umount(folder);
    rmdir(folder);
    int n = snprintf(want, sizeof want, "%s is too small: 0.25 MiB are free, the segment takes 1.",
                     folder);
    for (int i = 0; i < 3; i++) f.why[i][n] = 0; /* more digits */
    ALL_FAIL(&f, E_NOMEM, want);
}

TEST(a_folder_that_is_not_there_is_named)
{
    static struct failing f = {.exchanges_left = -1};
    for (int i = 0; i < 3; i++) f.setup[i].folder = "/no/such/folder";
    fail_together(&f);
    ALL_FAIL(&f, E_NOMEM, "cannot make a segment in /no/such/folder: No such file or directory");
}

/* To make the file longer would be a signal that kills rank 0. */
TEST(a_limit_of_the_size_of_files_is_an_error)
{
    static struct failing f = {.exchanges_left = -1};
    struct rlimit was, low;
    CHECK(!getrlimit(RLIMIT_FSIZE, &was), "getrlimit");
    low = (struct rlimit){256 << 10, was.rlim_max};
    CHECK(!setrlimit(RLIMIT_FSIZE, &low), "setrlimit");
    fail_together(&f);
    CHECK(!setrlimit(RLIMIT_FSIZE, &was), "setrlimit back");
    for (int i = 0; i < 3; i++) f.why[i][74] = 0; /* more digits */
    ALL_FAIL(&f, E_NOMEM,
             "a file of this process may have 0.25 MiB (ulimit -f), the segment takes 1.");
}

static int
one_barrier(struct coll *g, void *arg)
{
    struct coll_about about;
    (void)arg;
    coll_tell(g, &about);
    if (about.pages_elsewhere) BAD("%zu pages are on other nodes", about.pages_elsewhere);
    if (about.nodes < 1 || (coll_size(g) > 1 && !about.pages)) BAD("nodes %d", about.nodes);
    return coll_barrier(g) != OK;
}

TEST(a_segment_in_a_folder_has_no_name)
{
    struct coll_setup setup = {.folder = "/dev/shm"};
    int files = files_left();
    CHECK(!members_run(PROCESSES, 3, &setup, one_barrier, NULL), "run");
    CHECK(files_left() == files, "%d files, were %d", files_left(), files);
}

TEST(what_is_given_is_used)
{
    struct coll_setup setup = {.size = 1};
    setup = (struct coll_setup){.fragment_bytes = 10000, .fragments = 12, .sets = 3};
    CHECK(!members_run(THREADS, 2, &setup, one_barrier, NULL), "f, s, q");
    setup = (struct coll_setup){.message_max = 100000};
    CHECK(!members_run(THREADS, 2, &setup, one_barrier, NULL), "m");
}

/* A machine of two nodes, with a core each, that is not there: members are spread over its nodes,
 * so trees have two levels; and what lies on the real node is found to be elsewhere. */
static int
on_two_nodes(struct coll *g, void *arg)
{
    struct coll_about about;
    char data[3000];
    (void)arg;
    coll_tell(g, &about);
    if (about.nodes != 2 || about.node != coll_rank(g) % 2)
        BAD("%d of %d", about.node, about.nodes);
    if (about.pages_elsewhere != (about.node ? about.pages : 0))
        BAD("%zu of %zu pages", about.pages_elsewhere, about.pages);
    for (int i = 0; i < 2 * coll_size(g); i++)
        for (size_t bytes = 8; bytes <= sizeof data; bytes *= 7) {
            int root = i % coll_size(g);
            memset(data, coll_rank(g) == root ? i : -1, bytes);
            if (coll_bcast(g, data, bytes, root)) BAD("bcast");
            if (data[0] != i || data[bytes - 1] != i) BAD("%zu bytes from %d", bytes, root);
        }
    return 0;
}

static int
bound_member(struct coll *g, void *arg)
{
    struct coll_setup setup = {.size = coll_size(g), .rank = coll_rank(g), .name = arg};
    struct coll *bound;
    char why[COLL_WHY];
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(coll_rank(g) % 2, &one);
    if (sched_setaffinity(0, sizeof one, &one)) BAD("binding");
    if (!numa_pretend("numa:2 core:1 pu:1")) BAD("pretending");
    if (coll_new(&bound, &setup, why)) BAD("%s", why);
    int faults = on_two_nodes(bound, NULL);
    coll_free(bound);
    return faults;
}

TEST(two_nodes)
{
    cpu_set_t mine;
    char name[40];
    sched_getaffinity(0, sizeof mine, &mine);
    if (!CPU_ISSET(0, &mine) || !CPU_ISSET(1, &mine) || numa_here()->nodes > 1) {
        printf("needs cores 0 and 1 of one node: skipped\n");
        return;
    }
    for (int p = 2; p <= 7; p++) {
        snprintf(name, sizeof name, "test.bound.%d.%d", (int)getpid(), p);
        CHECK(!members_run(PROCESSES, p, NULL, bound_member, name), "%d members", p);
    }
}

/* As for messages that would fill the caches, which here may be larger than any test. */
static int
past_the_caches(struct coll *g, void *arg)
{
    enum { BYTES = 1200000, MORE = 64 }; /* for sizes and shifts that are not round */
    unsigned char *data = malloc(BYTES + MORE);
    int faults = 0;
    (void)arg;
    g->around_from = 0;
    for (int i = 0; i < 2 * coll_size(g) && !faults; i++) {
        int root = i % coll_size(g);
        size_t bytes = (size_t)(i % 2 ? BYTES : 5000) + (size_t)i;
        unsigned char *at = data + i % 3;
        for (size_t k = 0; k < bytes; k++)
            at[k] = coll_rank(g) == root ? (unsigned char)(k * 7 + k / 999 + (size_t)i) : 0;
        faults = coll_bcast(g, at, bytes, root) != OK;
        for (size_t k = 0; k < bytes && !faults; k++)
            faults = at[k] != (unsigned char)(k * 7 + k / 999 + (size_t)i);
    }
    free(data);
    if (faults) BAD("rank %d", coll_rank(g));
    return 0;
}

TEST(readers_may_copy_past_the_caches)
{
    CHECK(!members_run(THREADS, 3, NULL, past_the_caches, NULL), "threads");
    CHECK(!members_run(PROCESSES, 3, NULL, past_the_caches, NULL), "processes");
}

/* ---- members that do not come, or come wrongly ---- */

struct visit {
    struct coll_setup setup;
    long allocations; /* of rank 1, then there is no memory; -1: enough */
};

/* *crowded: what the member takes for the group's state. */
static enum err
visit_one(struct visit v, char why[COLL_WHY], bool *crowded)
{
    struct coll *g = NULL;
    if (v.setup.rank == 1) mem_fail_after(v.allocations);
    enum err e = coll_new(&g, &v.setup, why);
    mem_fail_after(-1);
    if (!e) *crowded = g->crowded;
    coll_free(g);
    return e;
}

enum { CROWDED = 64 }; /* in the exit code of a visit, beside its error */

/* Runs the visits in processes; the answer of each. */
static void
visit_all(const struct visit *v, int n, enum err *e, bool *crowded)
{
    pid_t pid[4];
    for (int i = 0; i < n; i++) {
        char why[COLL_WHY];
        if ((pid[i] = fork())) continue;
        bool is_crowded = false;
        int code = (int)visit_one(v[i], why, &is_crowded);
        _exit(code | (is_crowded ? CROWDED : 0));
    }
    for (int i = 0; i < n; i++) {
        int status;
        waitpid(pid[i], &status, 0);
        int code = WIFEXITED(status) ? WEXITSTATUS(status) : E_TWICE;
        e[i] = (enum err)(code & ~CROWDED);
        crowded[i] = code & CROWDED;
    }
}

TEST(two_of_one_rank_are_noticed)
{
    struct visit v[3];
    enum err e[3];
    bool crowded[3];
    struct coll_setup setup = {.size = 3, .name = "test.twins", .timeout_ms = 2000};
    for (int i = 0; i < 3; i++) {
        setup.rank = i > 0;
        v[i] = (struct visit){setup, -1};
    }
    visit_all(v, 3, e, crowded);
    CHECK(e[0] == E_PROTOCOL && e[1] && e[2], "%d %d %d", e[0], e[1], e[2]);
}

/* Each allocation of one member fails in turn: both members fail, soon, or none does. */
TEST(no_memory_in_one_member)
{
    struct visit v[2];
    enum err e[2] = {E_NOMEM, E_NOMEM};
    bool crowded[2] = {false, false};
    long n = 0;
    for (; e[0] || e[1]; n++) {
        CHECK(n < 100, "never enough");
        struct coll_setup setup = {.size = 2, .name = "test.poor", .timeout_ms = 300};
        for (setup.rank = 0; setup.rank < 2; setup.rank++)
            v[setup.rank] = (struct visit){setup, n};
        visit_all(v, 2, e, crowded);
        CHECK(!e[0] == !e[1], "%ld allocations: %s, %s", n, err_text(e[0]), err_text(e[1]));
        CHECK(e[1] == OK || e[1] == E_NOMEM, "%ld allocations: %s", n, err_text(e[1]));
    }
    CHECK(n > 10, "only %ld allocations", n);
    CHECK(crowded[0] == crowded[1], "members of one group that wait in different ways");
}

/* ---- members that cannot meet ---- */

struct pair {
    int rank, fd; /* of a pair of sockets, which networks do not part */
};

static int
pair_exchange(void *who, const void *mine, void *all, size_t bytes)
{
    const struct pair *p = who;
    char *place = all, *other = place + (size_t)!p->rank * bytes;
    memcpy(place + (size_t)p->rank * bytes, mine, bytes);
    return send(p->fd, mine, bytes, MSG_NOSIGNAL) != (ssize_t)bytes ||
           recv(p->fd, other, bytes, MSG_WAITALL) != (ssize_t)bytes;
}

/* 0: refused soon, and for this reason. */
static int
meets_nobody(struct pair p)
{
    struct coll_setup setup = {.rank = p.rank, .size = 2, .exchange = pair_exchange, .who = &p};
    struct coll *g;
    char why[COLL_WHY];
    double start = now_s();
    enum err e = coll_new(&g, &setup, why);
    if (e != E_USER) BAD("rank %d: %s: %s", p.rank, err_text(e), why);
    if (strcmp(why, "ranks 1 and 0 are on different hosts, or in different networks of one"))
        BAD("rank %d: %s", p.rank, why);
    if (now_s() - start > 20) BAD("rank %d: after %.1f s", p.rank, now_s() - start);
    return 0;
}

/* As containers of one host that say they have the same name. */
TEST(members_of_different_networks_are_refused_at_once)
{
    int fd[2], status;
    CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, fd), "socketpair");
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        if (unshare(CLONE_NEWNET)) _exit(77);
        _exit(meets_nobody((struct pair){1, fd[1]}));
    }
    close(fd[1]); /* a child that has no right to a network of its own ends */
    struct pollfd came = {.fd = fd[0], .events = POLLIN};
    poll(&came, 1, LONG_S * 1000);
    int faults = came.revents & POLLHUP ? 0 : meets_nobody((struct pair){0, fd[0]});
    close(fd[0]);
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        printf("no right to another network: skipped\n");
        return;
    }
    CHECK(!faults && !status, "%d faults, status %x", faults, (unsigned)status);
}

/* ---- memory ---- */

static int
nothing(struct coll *g, void *arg)
{
    (void)g, (void)arg;
    return 0;
}

TEST(groups_come_and_go)
{
    int fds = fds_open();
    for (int i = 0; i < 50; i++)
        CHECK(!members_run(THREADS, 3, NULL, nothing, NULL), "group %d", i);
    CHECK(fds_open() == fds, "%d file descriptors, were %d", fds_open(), fds);
}

TEST_MAIN(T(a_group_of_one_needs_nobody), T(wrong_setups_say_why), T(a_name_is_not_cut),
          T(a_wrong_setup_of_one_fails_all), T(more_memory_than_there_is_is_refused),
          T(an_exchange_that_fails_leaves_nothing), T(a_folder_that_is_too_small_is_named),
          T(a_folder_that_is_not_there_is_named), T(a_limit_of_the_size_of_files_is_an_error),
          T(a_segment_in_a_folder_has_no_name), T(what_is_given_is_used), T(two_nodes),
          T(readers_may_copy_past_the_caches), T(two_of_one_rank_are_noticed),
          T(members_of_different_networks_are_refused_at_once), T(no_memory_in_one_member),
          T(groups_come_and_go))
