/* cpus.h - which hardware threads workers are bound to: one of each core first, spread over the
 * machine; the second ones of cores last.
 *
 * Read from /sys, without any memory that could be missing. hwloc, which would tell the same, takes
 * hundreds of allocations, and crashes when one of many fails. */
#ifndef LUNA_RUNTIME_CPUS_H
#define LUNA_RUNTIME_CPUS_H

#include <sched.h>

struct cpu {
    int number, package, core;
    int thread; /* how many of this core stand before it */
};

#define CPUS_SYS "/sys/devices/system/cpu"

/* Those of `set`, neighbours side by side; gives how many. One of which `sys` does not tell counts
 * as a core of its own. */
int cpus_read(struct cpu cpus[static CPU_SETSIZE], const cpu_set_t *set, const char *sys);
/* The number for each of `workers`, at most n. */
void cpus_choose(const struct cpu *cpus, int n, int workers, int *numbers);

#endif
