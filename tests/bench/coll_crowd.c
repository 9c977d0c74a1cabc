/* coll_crowd.c - our collective operations among processes that share cores: two on each of two.
 *
 *     coll_crowd [sessions]
 *
 * Processes are forked, without MPI; with `sessions` each is in one of its own, as MPI starts them
 * (Linux shares cores among sessions first). Calls in a row; the median of 15 series, the
 * least; and how often a core went from one member to another meanwhile. The first line is what
 * that costs alone: two members that do nothing but yield to each other. */
#include "collectives/coll.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MEMBERS = 4, SERIES = 15, BARRIERS = 4000, BROADCASTS = 500, BYTES = 256 << 10 };

static char data[BYTES];

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
barriers(struct coll *g)
{
    for (int i = 0; i < BARRIERS; i++) must(coll_barrier(g), "barrier");
}

static void
broadcasts(struct coll *g)
{
    for (int i = 0; i < BROADCASTS; i++) {
        if (!coll_rank(g)) memset(data, i, sizeof data);
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
    char name[40], why[COLL_WHY];
    snprintf(name, sizeof name, "crowd.%ld", (long)getpid());
    for (int i = 1; i < MEMBERS && !me; i++)
        if (!fork()) me = i;
    if (me && argc > 1 && !strcmp(argv[1], "sessions")) setsid();
    bind_to(me % 2);
    struct coll_setup setup = {.rank = me, .size = MEMBERS, .name = name};
    struct coll *g;
    must(coll_new(&g, &setup, why), why);
    measure(g, "to yield, there and back", yields, BARRIERS);
    measure(g, "barrier", barriers, BARRIERS);
    measure(g, "broadcast 256 KiB, with the making of data", broadcasts, BROADCASTS);
    coll_free(g);
    for (int i = 1; !me && i < MEMBERS; i++) wait(NULL);
    return 0;
}
