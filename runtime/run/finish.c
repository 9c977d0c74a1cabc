/* finish.c - sums over workers, nodes and ranks, and what is printed of them. */
#include "finish.h"

#include "runtime/fault/fault.h"
#include "runtime/node/workers.h"
#include "runtime/run/heaviest.h"
#include "runtime/run/ranks.h"
#include "runtime/store/copies.h"
#include "runtime/store/digest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { MESSAGE_NS = 2000 }; /* what one takes of two nodes, at least (docs/measures/nodes.md) */

struct totals { /* over all nodes, at rank 0 */
    uint64_t calls, calls_elsewhere; /* than on node 0 */
    uint64_t waits, steals, sent, peak_kib;
    /* Values sent; mean_hops: the sum of the senders' means, in millionths. */
    uint64_t values, bytes, senders, mean_hops;
    uint64_t walks, walked; /* messages for cells, and how many steps they took */
    uint64_t kept;          /* values with a count, for readers that have not come */
    uint64_t in_calls;      /* ns */
    uint64_t copies, copies_read; /* of values of other nodes */
};

static void
note_kept(void *kept, const struct store_entry *e)
{
    if (e->present && e->uses > 0) ++*(uint64_t *)kept;
}

static void
add_node(struct totals *t, const struct node *n)
{
    uint64_t values = 0, hops = 0;
    t->sent += atomic_load(&n->sent);
    if (n->copies) {
        struct copies_sums c = copies_sums(n->copies);
        t->copies += c.kept;
        t->copies_read += c.read;
    }
    for (int k = 0; k < n->nworkers; k++) {
        t->calls += n->workers[k].calls;
        t->in_calls += worker_row_of(&n->workers[k], UINT64_MAX).in_calls;
        if (n->number) t->calls_elsewhere += n->workers[k].calls;
        t->waits += n->workers[k].waits;
        t->steals += n->workers[k].steals;
        t->bytes += n->workers[k].bytes_sent;
        t->walks += n->workers[k].walks;
        t->walked += n->workers[k].walked;
        values += n->workers[k].values_sent;
        hops += n->workers[k].hops_sent;
    }
    if (!values) return;
    t->values += values;
    t->senders++;
    t->mean_hops += (uint64_t)(1e6 * (double)hops / (double)values + 0.5);
}

static struct totals
add_up(const struct nodes *all, bool stats)
{
    struct totals t = {0};
    struct rusage u;
    for (int i = 0; i < all->n; i++) add_node(&t, all->node[i]);
    for (int i = 0; stats && i < all->n; i++) store_each(all->node[i]->store, note_kept, &t.kept);
    getrusage(RUSAGE_SELF, &u);
    t.peak_kib = (uint64_t)u.ru_maxrss;
    ranks_sum(&t.calls, sizeof t / sizeof t.calls);
    return t;
}

static void
print_stats(const struct node *one, const struct totals *t, double seconds)
{
    fprintf(stderr,
            "luna: %.3f s, %d node%s x %d worker%s, %" PRIu64 " calls (%.3f us each), %" PRIu64
            " statements waited, %" PRIu64 " stolen, %" PRIu64 " messages, peak memory %" PRIu64
            " MiB\n",
            seconds, one->nodes, one->nodes == 1 ? "" : "s", one->nworkers,
            one->nworkers == 1 ? "" : "s", t->calls,
            t->calls ? seconds * 1e6 / (double)t->calls : 0.0, t->waits, t->steals, t->sent,
            t->peak_kib >> 10);
}

static void
print_kept(uint64_t n)
{
    if (!n) return;
    fprintf(stderr,
            "luna: %" PRIu64 " value%s kept to the end: fewer readers came than were counted\n", n,
            n == 1 ? " was" : "s were");
    fprintf(stderr,
            "hint: this is normal for the last step of a loop, and where values decide who reads; "
            "a req_count of yours may be too high\n");
}

/* AvgSD and AvgSS as luna stats counts them from a trace. */
static void
print_sends(const struct layout *l, const struct totals *t, int nodes)
{
    double sd = t->senders ? 1e-6 * (double)t->mean_hops / (double)t->senders : 0;
    fprintf(stderr, "luna: ");
    if (l->has_cells) {
        const struct lattice *c = &l->setup.cells, *n = &l->setup.nodes;
        fprintf(stderr, "%s of %d", distrib_kind_name(l->setup.kind), c->side[0]);
        for (int d = 1; d < c->ndims; d++) fprintf(stderr, "x%d", c->side[d]);
        fprintf(stderr, " cells on %d", n->side[0]);
        for (int d = 1; d < n->ndims; d++) fprintf(stderr, "x%d", n->side[d]);
        fprintf(stderr, " nodes; ");
    }
    fprintf(stderr, "%" PRIu64 " values sent, AvgSD %.4g, AvgSS %.4g MiB", t->values, sd,
            (double)t->bytes / nodes / 1048576);
    if (t->walks)
        fprintf(stderr, "; to the owner of a cell %.3g hop%s", (double)t->walked / (double)t->walks,
                t->walked == t->walks ? "" : "s");
    fputc('\n', stderr);
}

static void
print_copies(const struct totals *t)
{
    if (!t->copies) return;
    fprintf(stderr,
            "luna: %" PRIu64 " value%s stayed where %s read again, and served %" PRIu64
            " readers there\n",
            t->copies, t->copies == 1 ? "" : "s", t->copies == 1 ? "it was" : "they were",
            t->copies_read);
}

/* A row for each worker of this process; of all ranks at rank 0. */
static struct worker_row *
rows_of(const struct nodes *all, uint64_t ns, size_t *n)
{
    size_t per = (size_t)all->node[0]->nworkers, bytes;
    *n = (size_t)all->n * per;
    struct worker_row *rows = calloc(*n, sizeof *rows), *of_all;
    if (!rows) fault_nomem();
    for (size_t i = 0; i < *n; i++)
        rows[i] = worker_row_of(&all->node[i / per]->workers[i % per], ns);
    if (!ranks_on()) return rows;
    of_all = (void *)ranks_gather(rows, *n * sizeof *rows, &bytes);
    free(rows);
    *n = bytes / sizeof *rows;
    return of_all;
}

static void
print_workers(struct worker_row *rows, size_t n, bool quiet)
{
    worker_rows_print(stderr, rows, n);
    if (!quiet) worker_rows_judge(stderr, "luna: note: ", rows, n);
}

/* On several nodes only the first one worked; of a short run it is told only with --stats. */
static bool
left_on_one_node(const struct node *one, const struct totals *t, bool asked)
{
    return one->nodes > 1 && asked && !t->calls_elsewhere;
}

/* Where the user has not asked for it, spreading such calls may cost more than it gives. `most_ns`:
 * of all workers together. What calls took of it is known to --stats alone. */
static void
tell_short_calls(const struct totals *t, bool measured, double most_ns)
{
    double all = measured ? (double)t->in_calls : most_ns;
    double ns = t->calls ? all / (double)t->calls : MESSAGE_NS;
    if (ns >= MESSAGE_NS || t->values * 10 < t->calls) return;
    fprintf(stderr,
            "luna: note: a call lasted %s%.2f us, less than a message between nodes costs: "
            "--place=node0 may be faster\n",
            measured ? "" : "at most ", ns / 1000);
}

void
finish_tell(const struct nodes *all, const struct run_options *o, const struct layout *layout,
            const struct sim *sim, double seconds)
{
    const struct node *one = all->node[0];
    struct totals t = add_up(all, o->stats);
    uint64_t ns = sim ? sim_now_ns(sim) : (uint64_t)(seconds * 1e9);
    size_t nrows = 0;
    struct worker_row *rows = o->stats ? rows_of(all, ns, &nrows) : NULL;
    char names[HEAVIEST_TEXT] = "";
    if (o->stats) heaviest_text(all, true, names, sizeof names);
    if (o->hash) digest_sum(ranks_sum);
    if (ranks_number()) return;
    if (o->hash) digest_print(stderr);
    if (o->stats) print_stats(one, &t, seconds);
    if (o->stats && one->nodes > 1) print_sends(layout, &t, one->nodes);
    if (o->stats) print_copies(&t);
    if (o->stats) print_workers(rows, nrows, o->quiet);
    free(rows);
    if (*names) fprintf(stderr, "luna: most memory at the end: %s\n", names);
    if (o->stats) print_kept(t.kept);
    if (one->program->is_placed && !sim && (seconds >= 1 || o->stats) && !o->quiet)
        tell_short_calls(&t, o->stats, seconds * 1e9 * one->nodes * one->nworkers);
    if (left_on_one_node(one, &t, seconds >= 1 || o->stats) && !o->quiet)
        fprintf(stderr,
                "luna: note: all calls ran on node 0 of %d: give them places by cells or "
                "locators, or make them stealable%s\n",
                one->nodes, o->steal ? "" : " and use -b");
    if (o->time) printf("TIME: %f sec.\n", seconds);
}
