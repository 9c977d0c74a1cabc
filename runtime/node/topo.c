/* topo.c - see topo.h; where each worker goes is found by cpus.c. */
#include "topo.h"

#include "runtime/node/cpus.h"

#include <sched.h>

static struct {
    bool oversubscribed;
    int bound; /* workers that have a core; 0: nobody is bound */
    int first;
    int core[CPU_SETSIZE];
} topo;

/* Those we may use, not those there are: batch systems and containers give a part of a machine. */
static int
ours(cpu_set_t *set)
{
    CPU_ZERO(set);
    return sched_getaffinity(0, sizeof *set, set) ? 0 : CPU_COUNT(set);
}

int
topo_cores(void)
{
    cpu_set_t set;
    int n = ours(&set);
    return n < 1 ? 1 : n;
}

bool
topo_oversubscribed(void)
{
    return topo.oversubscribed;
}

/* With one worker, or more than cores, nobody is bound: the system moves them better than we.
 * Whatever fails here costs speed at most, so nothing is reported. */
void
topo_open(int workers, int first)
{
    static struct cpu cpus[CPU_SETSIZE];
    cpu_set_t set;
    int n = ours(&set);
    topo.bound = 0;
    topo.first = first;
    topo.oversubscribed = workers > topo_cores();
    if (workers < 2 || workers > n) return;
    cpus_choose(cpus, cpus_read(cpus, &set, CPUS_SYS), workers, topo.core);
    topo.bound = workers;
}

/* One hardware thread: within a set the system would still move it, and its caches with it. */
static bool
core_of(int number, cpu_set_t *set)
{
    number -= topo.first;
    if (number < 0 || number >= topo.bound) return false;
    CPU_ZERO(set);
    CPU_SET(topo.core[number], set);
    return true;
}

void
topo_bind_worker(int number)
{
    cpu_set_t set;
    if (core_of(number, &set)) sched_setaffinity(0, sizeof set, &set);
}

static int
start_bound(pthread_t *thread, void *(*run)(void *), void *who, const cpu_set_t *set)
{
    pthread_attr_t attr;
    int e = pthread_attr_init(&attr);
    if (e) return e;
    e = pthread_attr_setaffinity_np(&attr, sizeof *set, set);
    if (!e) e = pthread_create(thread, &attr, run, who);
    pthread_attr_destroy(&attr);
    return e;
}

int
topo_start_worker(pthread_t *thread, void *(*run)(void *), void *who, int number)
{
    cpu_set_t set;
    if (core_of(number, &set) && !start_bound(thread, run, who, &set)) return 0;
    return pthread_create(thread, NULL, run, who);
}
