/* rebalance_summary.c - what a step was, told to node 0 from neighbour to neighbour; and what all
 * should know of it, told back.
 *
 *     summary   all of ours and of those below is here --> parent (lattice_parent)
 *     lesson    node 0 --> those just below --> those below them
 *
 * A summary has as many hops to go as the sides of the lattice are long, like a sum of the planner
 * (lines.c). But nobody waits for it: the next step may begin meanwhile. */
#include "rebalance_parts.h"

#include "runtime/base/numeric.h"
#include "runtime/fault/fault.h"
#include "runtime/node/node.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static struct rebalance_summary *
summaries(struct rebalance *b, size_t *n)
{
    *n = b->summaries.size / sizeof(struct rebalance_summary);
    return (struct rebalance_summary *)(void *)b->summaries.data;
}

static int
parent_of(const struct rebalance *b, int node)
{
    uint32_t up = lattice_parent(&b->line, (uint32_t)node);
    return up == LATTICE_NONE ? -1 : (int)up;
}

static void
join(struct rebalance_summary *sum, const struct rebalance_summary *part)
{
    sum->nodes += part->nodes;
    sum->load += part->load;
    sum->left += part->left;
    sum->often += part->often;
    sum->active += part->active;
    if (part->heaviest > sum->heaviest) sum->heaviest = part->heaviest;
    if (part->before > sum->before) sum->before = part->before;
    if (part->after > sum->after) sum->after = part->after;
    sum->cells += part->cells;
    sum->bytes += part->bytes;
    if (part->ns > sum->ns) sum->ns = part->ns;
    if (part->why) sum->why = part->why;
}

static void
print(const struct rebalance *b, const struct rebalance_summary *r)
{
    const struct node *n = b->node;
    double average = r->load / r->nodes, left = r->left > 0 ? r->left / r->nodes : 1;
    double now = (double)(n->net->ops->now_ns(n->net) - n->began_ns) * 1e-9;
    if (average <= 0) average = 1;
    locale_t theirs = numeric_begin();
    fprintf(stderr,
            "luna: balance %" PRIu32 " at %.3f s: max/avg %.3f -> %.3f, %" PRIu64
            " cells (%.2f MiB) moved, %.3f ms",
            r->step, now, r->before / average, r->after / left, r->cells,
            (double)r->bytes / 1048576, (double)r->ns * 1e-6);
    if (r->heaviest > average * (1 + b->knobs.threshold))
        fprintf(stderr, "; one cell alone has %.2f times a node's share", r->heaviest / average);
    if (r->why) fprintf(stderr, "; %s", r->why);
    fputc('\n', stderr);
    numeric_end(theirs);
}

/* ---- lessons ---- */

/* How often cells have calls, 0 if nobody can tell, and how long the step was at the node that took
 * longest, for all rest as long. */
struct lesson {
    double often;
    uint64_t ns;
};

static void
learn(struct rebalance *b, struct lesson l)
{
    uint64_t rest = l.ns * REBALANCE_REST;
    if (l.often > 0) b->loads.often_elsewhere = l.often;
    if (rest > atomic_load(&b->rest_ns)) atomic_store(&b->rest_ns, rest);
    for (int i = 0; i < b->nneighbours; i++)
        if (parent_of(b, b->neighbour[i]) == b->node->number)
            rebalance_tell(b, b->neighbour[i], TELL_LESSON, &l, sizeof l);
}

bool
rebalance_lesson_hear(struct rebalance *b, int from, const void *bytes, size_t n)
{
    struct lesson l;
    if (n != sizeof l || from != parent_of(b, b->node->number)) return false;
    memcpy(&l, bytes, sizeof l);
    learn(b, l);
    return true;
}

/* ---- summaries ---- */

/* Its place among steps of which not all has come: new if it is the first part. */
static struct rebalance_summary *
summary_of(struct rebalance *b, uint32_t step)
{
    size_t n, i = 0;
    struct rebalance_summary *r = summaries(b, &n), none = {.step = step};
    while (i < n && r[i].step != step) i++;
    if (i == n) {
        buf_add(&b->summaries, &none, sizeof none);
        if (b->summaries.failed) fault_nomem();
    }
    return &summaries(b, &n)[i];
}

static void
pass_on(struct rebalance *b, const struct rebalance_summary *all)
{
    struct lesson l = {all->active > 0 ? all->often / all->active : 0, all->ns};
    if (b->node->number) {
        int to = parent_of(b, b->node->number);
        rebalance_tell(b, to, TELL_SUMMARY, all, sizeof *all);
        return;
    }
    if (b->knobs.stats) print(b, all);
    if (l.often > 0 || l.ns) learn(b, l);
}

void
rebalance_summary_add(struct rebalance *b, const struct rebalance_summary *part)
{
    size_t n;
    struct rebalance_summary *r = summary_of(b, part->step), all;
    join(r, part);
    if (r->nodes < lattice_below(&b->line, (uint32_t)b->node->number)) return;
    all = *r;
    *r = summaries(b, &n)[n - 1];
    b->summaries.size -= sizeof all;
    pass_on(b, &all);
}

bool
rebalance_summary_hear(struct rebalance *b, int from, const void *bytes, size_t n)
{
    struct rebalance_summary r;
    if (n != sizeof r || parent_of(b, from) != b->node->number) return false;
    memcpy(&r, bytes, sizeof r);
    r.why = NULL;
    rebalance_summary_add(b, &r);
    return true;
}

void
rebalance_summary_fini(struct rebalance *b)
{
    buf_fini(&b->summaries);
}
