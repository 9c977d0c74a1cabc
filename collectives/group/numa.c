/* numa.c - NUMA nodes by hwloc; the rest is arithmetic on sets of cores. */
#include "collectives/group/numa.h"

#include <hwloc.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

static void
one_node(struct numa *p)
{
    memset(p, 0, sizeof *p);
    p->nodes = 1;
    memset(p->cpus[0].word, 0xff, sizeof p->cpus[0].word);
}

static void
read_nodes(struct numa *p, hwloc_topology_t t)
{
    memset(p, 0, sizeof *p);
    int n = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_NUMANODE);
    for (int i = 0; i < n && p->nodes < NUMA_NODES; i++) {
        hwloc_obj_t node = hwloc_get_obj_by_type(t, HWLOC_OBJ_NUMANODE, (unsigned)i);
        if (hwloc_bitmap_iszero(node->cpuset)) continue; /* memory alone */
        for (unsigned w = 0; w < CPU_WORDS; w++)
            p->cpus[p->nodes].word[w] = hwloc_bitmap_to_ith_ulong(node->cpuset, w);
        p->os_number[p->nodes++] = (int)node->os_index;
    }
    if (!p->nodes) one_node(p);
}

bool
numa_read(struct numa *out, const char *synthetic)
{
    _Static_assert(sizeof(unsigned long) == sizeof(uint64_t), "hwloc's words are ours");
    hwloc_topology_t t;
    one_node(out);
    if (hwloc_topology_init(&t)) return false;
    bool ok = !synthetic || !hwloc_topology_set_synthetic(t, synthetic);
    ok = ok && !hwloc_topology_load(t);
    if (ok) read_nodes(out, t);
    hwloc_topology_destroy(t);
    return ok;
}

static struct numa here, pretended;
static bool pretends;

static void
read_here(void)
{
    numa_read(&here, NULL);
}

const struct numa *
numa_here(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (pretends) return &pretended;
    pthread_once(&once, read_here);
    return &here;
}

bool
numa_pretend(const char *synthetic)
{
    return pretends = numa_read(&pretended, synthetic);
}

static bool
inside(const struct numa_cores *a, const struct numa_cores *b)
{
    for (int w = 0; w < CPU_WORDS; w++)
        if (a->word[w] & ~b->word[w]) return false;
    return true;
}

static int
count(const struct numa_cores *a)
{
    int n = 0;
    for (int w = 0; w < CPU_WORDS; w++) n += __builtin_popcountll(a->word[w]);
    return n;
}

int
numa_node(const struct numa *p, const struct numa_cores *cpus)
{
    for (int i = 0; i < p->nodes && count(cpus); i++)
        if (inside(cpus, &p->cpus[i])) return i;
    return -1;
}

int
numa_leaders(const int *node, int size, int32_t *leaders)
{
    int n = 0;
    for (int i = 0; i < size; i++) {
        leaders[i] = 0;
        while (node[leaders[i]] != node[i]) leaders[i]++;
        n += leaders[i] == i;
    }
    return n;
}

bool
numa_crowded(const struct numa_cores *cpus, int size)
{
    struct numa_cores all = {{0}};
    for (int i = 0; i < size; i++) {
        int rivals = 0;
        for (int j = 0; j < size; j++) rivals += inside(&cpus[j], &cpus[i]);
        if (rivals > count(&cpus[i])) return true;
        for (int w = 0; w < CPU_WORDS; w++) all.word[w] |= cpus[i].word[w];
    }
    return size > count(&all);
}

struct numa_cores
numa_thread(void)
{
    struct numa_cores out = {{0}};
    cpu_set_t set;
    _Static_assert(sizeof set >= sizeof out, "the kernel's sets hold ours");
    if (!sched_getaffinity(0, sizeof set, &set)) memcpy(&out, &set, sizeof out);
    return out;
}
