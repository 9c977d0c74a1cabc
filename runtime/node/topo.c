/* topo.c - hwloc, loaded only when several workers are to be bound: it takes milliseconds. */
#include "topo.h"

#include <hwloc.h>
#include <sched.h>
#include <stdlib.h>

static struct {
    hwloc_topology_t topology;
    bool loaded, oversubscribed;
    hwloc_cpuset_t *cpus; /* one per worker */
    int workers;
} topo;

/* Those we may use, not those there are: batch systems and containers give a part of a machine. */
int
topo_cores(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set)) return 1;
    int n = CPU_COUNT(&set);
    return n < 1 ? 1 : n;
}

bool
topo_oversubscribed(void)
{
    return topo.oversubscribed;
}

/* hwloc restricts the topology to the cpuset we were started with only when asked. */
static bool
topo_load(void)
{
    if (hwloc_topology_init(&topo.topology)) return false;
    hwloc_bitmap_t ours = hwloc_bitmap_alloc();
    bool ok = ours && !hwloc_topology_load(topo.topology);
    if (ok && !hwloc_get_cpubind(topo.topology, ours, HWLOC_CPUBIND_PROCESS))
        hwloc_topology_restrict(topo.topology, ours, 0);
    hwloc_bitmap_free(ours);
    if (!ok) hwloc_topology_destroy(topo.topology);
    return ok;
}

/* With one worker, or more than cores, nobody is bound: the system moves them better than we.
 * Whatever fails here costs speed at most, so nothing is reported. */
void
topo_open(int workers)
{
    topo.workers = workers;
    topo.oversubscribed = workers > topo_cores();
    if (workers < 2 || topo.oversubscribed || !topo_load()) return;
    topo.loaded = true;
    topo.cpus = calloc((size_t)workers, sizeof *topo.cpus);
    hwloc_obj_t root = hwloc_get_root_obj(topo.topology);
    /* Spread over packages and cores first, hardware threads last. */
    if (topo.cpus &&
        hwloc_distrib(topo.topology, &root, 1, topo.cpus, (unsigned)workers, INT_MAX, 0)) {
        free(topo.cpus);
        topo.cpus = NULL;
    }
}

void
topo_close(void)
{
    if (!topo.loaded) return;
    for (int i = 0; topo.cpus && i < topo.workers; i++) hwloc_bitmap_free(topo.cpus[i]);
    free(topo.cpus);
    topo.cpus = NULL;
    hwloc_topology_destroy(topo.topology);
    topo.loaded = false;
}

/* To one hardware thread: within a set the system would still move it, and its caches with it. */
void
topo_bind_worker(int number)
{
    if (!topo.cpus || number >= topo.workers) return;
    hwloc_bitmap_singlify(topo.cpus[number]);
    hwloc_set_cpubind(topo.topology, topo.cpus[number], HWLOC_CPUBIND_THREAD);
}
