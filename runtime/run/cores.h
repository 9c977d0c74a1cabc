/* cores.h - which cores the ranks of a host have: a launcher gives each its own, or all the same.
 *
 * Ranks whose cores meet share them: so many workers in all may want them. */
#ifndef LUNA_RUNTIME_CORES_H
#define LUNA_RUNTIME_CORES_H

#include <sched.h>

enum { CORES_HOST = 64 };

struct cores_of { /* one rank */
    char host[CORES_HOST];
    int rank;
    cpu_set_t set;
};

struct cores {
    int ranks; /* who have some of our cores, and we */
    int before; /* how many of them have a smaller number than we */
};

/* What each of n ranks has. Sorts `all` by hosts. */
void cores_among(struct cores_of *all, int n, struct cores *found);
/* All ranks: what this one has. One process: all is its own. */
struct cores cores_find(void);

#endif
