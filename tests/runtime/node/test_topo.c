/* test_topo.c - threads of workers are bound to cores of their own before they begin. */
#include "runtime/node/topo.h"
#include "tests/lib/check.h"

#include <sched.h>

struct seen {
    cpu_set_t set;
    int on; /* -1: it never began */
};

/* What it may use, and uses, when it begins. */
static void *
looks(void *who)
{
    struct seen *seen = who;
    seen->on = sched_getcpu();
    sched_getaffinity(0, sizeof seen->set, &seen->set);
    return NULL;
}

static struct seen
started(int worker)
{
    struct seen seen = {.on = -1};
    pthread_t thread;
    if (!topo_start_worker(&thread, looks, &seen, worker)) pthread_join(thread, NULL);
    return seen;
}

TEST(each_begins_on_a_core_of_its_own)
{
    cpu_set_t all;
    int n = topo_cores();
    CPU_ZERO(&all);
    topo_open(n, 4); /* workers 4 .. 4 + n - 1 of the run */
    for (int i = 0; i < n; i++) {
        struct seen seen = started(4 + i);
        if (n > 1) CHECK(CPU_COUNT(&seen.set) == 1);
        CHECK(seen.on >= 0 && CPU_ISSET(seen.on, &seen.set));
        CPU_OR(&all, &all, &seen.set);
    }
    CHECK(CPU_COUNT(&all) == n);
}

TEST(those_without_a_core_go_where_the_system_puts_them)
{
    int n = topo_cores();
    topo_open(n + 1, 0);
    for (int i = 0; i <= n; i++) {
        struct seen seen = started(i);
        CHECK(CPU_COUNT(&seen.set) == n);
    }
    topo_open(n, 0);
    struct seen other = started(n); /* of another process */
    CHECK(CPU_COUNT(&other.set) == n);
}

TEST_MAIN(T(each_begins_on_a_core_of_its_own),
          T(those_without_a_core_go_where_the_system_puts_them))
