/* cores.c - the first rank compares the cores of all. */
#include "cores.h"

#include "runtime/fault/fault.h"
#include "runtime/run/ranks.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int
by_host(const void *pa, const void *pb)
{
    const struct cores_of *a = pa, *b = pb;
    int order = strncmp(a->host, b->host, CORES_HOST);
    return order ? order : a->rank - b->rank;
}

static bool
meet(const struct cores_of *a, const struct cores_of *b)
{
    cpu_set_t both;
    CPU_AND(&both, &a->set, &b->set);
    return CPU_COUNT(&both);
}

/* Of `n` ranks of one host, by their numbers. */
static void
among_host(const struct cores_of *host, int n, struct cores *found)
{
    for (int i = 0; i < n; i++) {
        struct cores *c = &found[host[i].rank];
        *c = (struct cores){1, 0};
        for (int k = 0; k < n; k++) {
            if (k == i || !meet(&host[k], &host[i])) continue;
            c->ranks++;
            c->before += k < i;
        }
    }
}

void
cores_among(struct cores_of *all, int n, struct cores *found)
{
    qsort(all, (size_t)n, sizeof *all, by_host);
    for (int from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && !strncmp(all[from].host, all[to].host, CORES_HOST);) to++;
        among_host(all + from, to - from, found);
    }
}

struct cores
cores_find(void)
{
    struct cores_of own = {.rank = ranks_number()};
    size_t n = (size_t)ranks_count(), size;
    if (!ranks_on()) return (struct cores){1, 0};
    gethostname(own.host, sizeof own.host - 1);
    sched_getaffinity(0, sizeof own.set, &own.set);
    struct cores_of *all = (void *)ranks_gather(&own, sizeof own, &size);
    struct cores *found = calloc(n, sizeof *found);
    if (!found) fault_nomem();
    if (all) cores_among(all, (int)n, found);
    ranks_bcast(found, n * sizeof *found);
    struct cores c = found[ranks_number()];
    free(all);
    free(found);
    return c;
}
