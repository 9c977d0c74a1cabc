/* numa.h - which NUMA nodes there are; whether members have cores enough. hwloc is in numa.c. */
#ifndef LUNA_COLLECTIVES_NUMA_H
#define LUNA_COLLECTIVES_NUMA_H

#include "collectives/group/layout.h"

enum { NUMA_NODES = 64 };

/* A set of cores: bit c of word c/64. */
struct numa_cores {
    uint64_t word[CPU_WORDS];
};

struct numa {
    int nodes; /* at least 1 */
    struct numa_cores cpus[NUMA_NODES];
    int os_number[NUMA_NODES]; /* what the kernel calls the node */
};

/* A machine described in hwloc's words ("numa:2 core:4 pu:1"), or this one for NULL. False, and one
 * node of all cores, if hwloc cannot tell. */
bool numa_read(struct numa *out, const char *synthetic);
/* This machine, read once. */
const struct numa *numa_here(void);
/* Tests: from now on this is the machine that hwloc's words describe. */
bool numa_pretend(const char *synthetic);
/* The node all of `cpus` belong to; -1: several, or none. */
int numa_node(const struct numa *p, const struct numa_cores *cpus);
/* leaders[i]: the lowest rank on the node of member i; those of no node follow the lowest of them.
 * Gives the number of different leaders. */
int numa_leaders(const int *node, int size, int32_t *leaders);
/* Are there members that together have fewer cores than they are? */
bool numa_crowded(const struct numa_cores *cpus, int size);
/* Where the calling thread may run. */
struct numa_cores numa_thread(void);

#endif
