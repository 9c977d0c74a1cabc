/* bill_sizes.c - how large values are, out of a trace. */
#include "apps/luna/bill/bill.h"
#include "apps/luna/trace/trace_read.h"

#include <string.h>

struct sizes {
    const struct plan *plan;
    double *sum, *n;
};

static void
add(void *who, unsigned node, const struct trace_event *e)
{
    struct sizes *s = who;
    (void)node;
    if (e->ev != TRACE_EV_SEND) return;
    size_t n = strcspn(e->df, "[");
    for (uint32_t i = 0; i < s->plan->dfs.n; i++) {
        const char *name = s->plan->dfs.row[i].name;
        if (strlen(name) != n || strncmp(name, e->df, n)) continue;
        s->sum[i] += (double)e->bytes;
        s->n[i]++;
    }
}

const double *
bill_sizes(struct arena *a, const struct plan *p, const char *dir)
{
    struct trace_run run;
    struct sizes s = {p, arena_array(a, double, p->dfs.n + 1u),
                      arena_array(a, double, p->dfs.n + 1u)};
    if (!trace_is_folder(dir) || !trace_read_run(a, dir, &run)) return NULL;
    for (unsigned i = 0; i < run.nodes; i++)
        if (!trace_read_node(a, dir, &run, i, add, &s)) return NULL;
    for (uint32_t i = 0; i < p->dfs.n; i++) s.sum[i] = s.n[i] > 0 ? s.sum[i] / s.n[i] : -1;
    return s.sum;
}
