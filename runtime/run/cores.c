/* cores.c - the first rank compares the cores of all. */
#include "cores.h"

#include "runtime/fault/fault.h"
#include "runtime/run/ranks.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool
meet(const struct cores_of *a, const struct cores_of *b)
{
    cpu_set_t both;
    if (strncmp(a->host, b->host, CORES_HOST)) return false;
    CPU_AND(&both, &a->set, &b->set);
    return CPU_COUNT(&both);
}

struct cores
cores_among(const struct cores_of *all, int n, int self)
{
    struct cores c = {1, 0};
    for (int i = 0; i < n; i++) {
        if (i == self || !meet(&all[i], &all[self])) continue;
        c.ranks++;
        c.before += i < self;
    }
    return c;
}

struct cores
cores_find(void)
{
    struct cores_of own = {0};
    size_t n = (size_t)ranks_count(), size;
    if (!ranks_on()) return (struct cores){1, 0};
    gethostname(own.host, sizeof own.host - 1);
    sched_getaffinity(0, sizeof own.set, &own.set);
    struct cores_of *all = (void *)ranks_gather(&own, sizeof own, &size);
    struct cores *found = calloc(n, sizeof *found);
    if (!found) fault_nomem();
    for (size_t i = 0; all && i < n; i++) found[i] = cores_among(all, (int)n, (int)i);
    ranks_bcast(found, n * sizeof *found);
    struct cores c = found[ranks_number()];
    free(all);
    free(found);
    return c;
}
