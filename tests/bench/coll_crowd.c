/* coll_crowd.c - our collective operations among processes that share cores: two on each of two.
 *
 *     coll_crowd [sessions]
 *
 * Processes are forked, without MPI; with `sessions` each is in one of its own, as MPI starts them
 * (Linux shares cores among sessions first). Calls in a row; the median of 15 series, the
 * least; and how often a core went from one member to another meanwhile. The first line is what
 * that costs alone: two members that do nothing but yield to each other. The second is the least
 * a barrier can take: a flag of each member, yields to the other of the core, nothing else; not
 * with sessions, where it would lose time slices. */
#include "collectives/coll.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MEMBERS = 4, SERIES = 15, BARRIERS = 4000, BROADCASTS = 500, BYTES = 256 << 10 };

static char data[BYTES];

/* Of a member: how many bare barriers it has reached. Shared. */
static struct flag {
    _Alignas(128) atomic_int reached;
} *flags;

static double
now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void
must(enum err e, const char *what)
{
    if (!e) return;
    fprintf(stderr, "coll_crowd: %s\n", what);
    exit(1);
}

/* Those of a core are those of its two members. */
static void
yields(struct coll *g)
{
    (void)g;
    for (int i = 0; i < BARRIERS; i++) sched_yield();
}

static void
bare_barriers(struct coll *g)
{
    int me = coll_rank(g), mate = me ^ 2;
    for (int i = 0; i < BARRIERS; i++) {
        int now = flags[me].reached + 1;
        atomic_store_explicit(&flags[me].reached, now, memory_order_release);
        while (atomic_load_explicit(&flags[mate].reached, memory_order_acquire) < now)
            sched_yield();
        for (int other = 0; other < MEMBERS; other++)
            while (atomic_load_explicit(&flags[other].reached, memory_order_acquire) < now) {}
    }
}

static void
barriers(struct coll *g)
{
    for (int i = 0; i < BARRIERS; i++) must(coll_barrier(g), "barrier");
}

/* Of what the first member will send: programs rewrite it each time. */
static void
make(struct coll *g, int i)
{
    if (!coll_rank(g)) memset(data, i, sizeof data);
}

static void
makings(struct coll *g)
{
    for (int i = 0; i < BROADCASTS; i++) make(g, i);
    must(coll_barrier(g), "barrier");
}

static void
broadcasts(struct coll *g)
{
    for (int i = 0; i < BROADCASTS; i++) {
        make(g, i);
        must(coll_bcast(g, data, sizeof data, 0), "bcast");
        if (data[BYTES - 1] != (char)i) must(E_PROTOCOL, "a broadcast is wrong");
    }
    must(coll_barrier(g), "barrier");
}

/* Of this member. */
static double
switches(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_nvcsw + u.ru_nivcsw);
}

static int
ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void
measure(struct coll *g, const char *what, void (*series)(struct coll *), int calls)
{
    double us[SERIES], switched = switches();
    for (int s = 0; s < SERIES; s++) {
        double began = now_us();
        series(g);
        us[s] = (now_us() - began) / calls;
    }
    qsort(us, SERIES, sizeof *us, ascending);
    switched = 2 * (switches() - switched) / SERIES / calls;
    if (!coll_rank(g))
        printf("%-44s %7.2f %7.2f us, %5.2f switches of a core\n", what, us[SERIES / 2], us[0],
               switched);
}

static void
bind_to(int cpu)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one)) must(E_SYSTEM, "cores 0 and 1 are not ours");
}

int
main(int argc, char **argv)
{
    int me = 0;
    bool sessions = argc > 1 && !strcmp(argv[1], "sessions");
    char name[40], why[COLL_WHY];
    snprintf(name, sizeof name, "crowd.%ld", (long)getpid());
    flags = mmap(NULL, MEMBERS * sizeof *flags, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                 -1, 0);
    if (flags == MAP_FAILED) must(E_SYSTEM, "no memory to share");
    for (int i = 1; i < MEMBERS && !me; i++)
        if (!fork()) me = i;
    if (me && sessions) setsid();
    bind_to(me % 2);
    struct coll_setup setup = {.rank = me, .size = MEMBERS, .name = name};
    struct coll *g;
    must(coll_new(&g, &setup, why), why);
    measure(g, "to yield, there and back", yields, BARRIERS);
    if (!sessions) measure(g, "the least barrier: flags and yields", bare_barriers, BARRIERS);
    measure(g, "barrier", barriers, BARRIERS);
    measure(g, "the making of 256 KiB of data", makings, BROADCASTS);
    measure(g, "broadcast 256 KiB, with the making of data", broadcasts, BROADCASTS);
    coll_free(g);
    for (int i = 1; !me && i < MEMBERS; i++) wait(NULL);
    return 0;
}
