/* place.h - which NUMA nodes there are; whether members have cores enough. hwloc is in place.c. */
#ifndef LUNA_COLLECTIVES_PLACE_H
#define LUNA_COLLECTIVES_PLACE_H

#include "collectives/group/layout.h"

enum { PLACE_NODES = 64 };

/* A set of cores: bit c of word c/64. */
struct place_cpus {
    uint64_t word[CPU_WORDS];
};

struct place {
    int nodes; /* at least 1 */
    struct place_cpus cpus[PLACE_NODES];
    int os_number[PLACE_NODES]; /* what the kernel calls the node */
};

/* A machine described in hwloc's words ("numa:2 core:4 pu:1"), or this one for NULL. False, and one
 * node of all cores, if hwloc cannot tell. */
bool place_read(struct place *out, const char *synthetic);
/* This machine, read once. */
const struct place *place_here(void);
/* Tests: from now on this is the machine that hwloc's words describe. */
bool place_pretend(const char *synthetic);
/* The node all of `cpus` belong to; -1: several, or none. */
int place_node(const struct place *p, const struct place_cpus *cpus);
/* leaders[i]: the lowest rank on the node of member i; those of no node follow the lowest of them.
 * Gives the number of different leaders. */
int place_leaders(const int *node, int size, int32_t *leaders);
/* Are there members that together have fewer cores than they are? */
bool place_crowded(const struct place_cpus *cpus, int size);
/* Where the calling thread may run. */
struct place_cpus place_of_thread(void);

#endif
