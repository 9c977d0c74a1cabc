/* clocks.c - see clocks.h. Ranks of a host have one clock: its first rank asks. */
#include "clocks.h"

#include "runtime/fault/fault.h"
#include "runtime/node/trace.h"
#include "runtime/run/ranks.h"

#include <stdlib.h>
#include <string.h>

enum { DRIFT_NS = 1000000000 };

static struct {
    uint32_t *first; /* per rank: the first of its host; NULL: all are on one host */
    uint64_t zero;
    struct trace_clock *row; /* at rank 0, per rank */
} clocks;

static void *
array_of(size_t n, size_t size)
{
    void *at = calloc(n, size);
    if (!at) fault_nomem();
    return at;
}

/* What to add to a time of this rank's trace to have that of rank 0's; at rank 0 that of all. */
static int64_t *
ask_all(size_t n)
{
    uint32_t me = (uint32_t)ranks_number();
    int64_t ahead = 0;
    size_t size;
    for (size_t i = 1; i < n && !me; i++)
        if (clocks.first[i] == i) ranks_clock_tell((int)i);
    if (me && clocks.first[me] == me) ahead = ranks_clock_ask(0);
    ahead += (int64_t)clocks.zero;
    int64_t *all = (void *)ranks_gather(&ahead, sizeof ahead, &size);
    for (size_t i = n; all && i-- > 0;)
        all[i] = clocks.first[i] ? all[clocks.first[i]] - all[0] : 0;
    return all;
}

/* Of a short run the drift is less than what an exchange leaves uncertain. */
static void
tell(size_t n, const int64_t *then, uint64_t ns)
{
    for (size_t i = 0; i < n && ns >= DRIFT_NS; i++) {
        double more = (double)(then[i] - clocks.row[i].offset);
        clocks.row[i].drift = (int64_t)(more / ((double)ns * 1e-9));
    }
    trace_clocks(clocks.row, n);
}

void
clocks_begin(const char *hosts, uint64_t zero)
{
    size_t n = (size_t)ranks_count();
    bool many = false;
    clocks.zero = zero;
    clocks.first = array_of(n, sizeof *clocks.first);
    for (size_t i = 0; hosts && i < n; i++) {
        const char *mine = hosts + i * TRACE_HOST;
        uint32_t *first = &clocks.first[i];
        while (strncmp(hosts + *first * TRACE_HOST, mine, TRACE_HOST)) ++*first;
    }
    ranks_bcast(clocks.first, n * sizeof *clocks.first);
    for (size_t i = 0; i < n; i++) many |= clocks.first[i] != 0;
    if (!many) {
        free(clocks.first);
        clocks.first = NULL;
        return;
    }
    int64_t *all = ask_all(n);
    if (!all) return;
    clocks.row = array_of(n, sizeof *clocks.row);
    for (size_t i = 0; i < n; i++) clocks.row[i].offset = all[i];
    tell(n, all, 0);
    free(all);
}

void
clocks_end(uint64_t ns)
{
    size_t n = (size_t)ranks_count();
    if (!clocks.first) return;
    int64_t *all = ask_all(n);
    if (all) tell(n, all, ns);
    free(all);
    free(clocks.row);
    free(clocks.first);
}
