/* cgroup.h - how much memory the group of this process may use.
 *
 * Batch systems and containers put processes into groups with limits of their own. The machine
 * tells its own memory all the same, and who takes more than the group's is killed. A group lies in
 * others, and the least limit of all counts. */
#ifndef LUNA_BASE_CGROUP_H
#define LUNA_BASE_CGROUP_H

#include <stddef.h>

struct cgroup_memory {
    size_t limit, free; /* bytes; SIZE_MAX: there is no limit */
};

/* `root` stands before /proc and /sys; "" but in tests. */
struct cgroup_memory cgroup_memory(const char *root);

#endif
