/* balance_read.c - reads the events of a run into the tables of balance_run.h. A step of a node
 * ends with its line of load that has `step`; what stands between two such lines of a file belongs
 * to the step. Iterations are those of calls named [t][i][j]. */
#include "tests/bench/balance_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS_MAX = 1 << 16 };

void *
room(struct what *w, size_t n, size_t size)
{
    void *p = arena_alloc(w->arena, n ? n * size : 1);
    if (p) return p;
    fprintf(stderr, "balance_steps: no memory\n");
    exit(5);
}

/* The last element of an array that becomes longer by one; its room doubles. */
static void *
one_more(struct what *w, void *array, size_t *n, size_t size)
{
    void **a = array;
    if (!(*n & (*n - 1))) {
        void *more = room(w, *n ? 2 * *n : 1, size);
        if (*n) memcpy(more, *a, *n * size);
        *a = more;
    }
    return (char *)*a + size * (*n)++;
}

static struct step *
step_at(struct what *w, uint32_t k)
{
    size_t n = (size_t)w->nodes;
    while (w->nsteps <= k) {
        struct step *s = one_more(w, &w->step, &w->nsteps, sizeof *s);
        double *v = room(w, 6 * n, sizeof *v);
        *s = (struct step){.bytes = v, .out = v + n, .in = v + 2 * n, .work = v + 3 * n,
                           .sends = v + 4 * n, .hops_of = v + 5 * n};
    }
    return &w->step[k];
}

static struct iteration *
iteration_at(struct what *w, uint32_t t)
{
    while (w->niter <= t) {
        struct iteration *it = one_more(w, &w->iter, &w->niter, sizeof *it);
        it->work = room(w, w->ncells, sizeof *it->work);
        it->node = room(w, w->ncells, sizeof *it->node);
        it->from = room(w, w->ncells, sizeof *it->from);
        for (uint32_t c = 0; c < w->ncells; c++) it->node[c] = -1;
    }
    return &w->iter[t];
}

/* "work[t][i][j]" of one of the names that count. */
static bool
is_of_cell(const struct what *w, const char *cf, long *t, uint32_t *cell)
{
    size_t n = strcspn(cf, "[");
    const char *name = w->calls;
    while (*name && (strncmp(name, cf, n) || (name[n] && name[n] != ','))) {
        name += strcspn(name, ",");
        name += *name == ',';
    }
    if (!*name) return false;
    int32_t at[LATTICE_DIMS_MAX] = {0};
    char *end = (char *)cf + n;
    *t = *end == '[' ? strtol(end + 1, &end, 10) : -1;
    for (int d = 0; d < w->run.cells.ndims; d++)
        if (end[0] != ']' || end[1] != '[') return false;
        else at[d] = (int32_t)strtol(end + 2, &end, 10);
    *cell = lattice_number(&w->run.cells, at);
    return *t >= 0 && *t < ITERATIONS_MAX && *cell != LATTICE_NONE;
}

double
speed_of(const struct what *w, int node, uint64_t at)
{
    return w->speeds ? speeds_at(w->speeds, node, at) : 1;
}

static void
take_exec(struct what *w, unsigned node, const struct trace_event *e)
{
    long t;
    uint32_t cell;
    if (!is_of_cell(w, e->cf, &t, &cell)) return;
    struct iteration *it = iteration_at(w, (uint32_t)t);
    double work = (double)e->dur * speed_of(w, (int)node, e->t);
    it->work[cell] += (float)work;
    it->node[cell] = (int32_t)node;
    if (e->t > it->from[cell]) it->from[cell] = e->t;
    if (e->t > it->at) it->at = e->t;
    w->loaded[cell] = true;
    w->work += work;
    *(struct run_call *)one_more(w, &w->call, &w->ncalls, sizeof *w->call) =
        (struct run_call){e->t, e->t + e->dur, (uint32_t)t, cell, work};
}

static void
end_step(struct what *w, unsigned node, const struct trace_event *e)
{
    struct step *s = step_at(w, (uint32_t)e->step);
    s->bytes[node] = (double)e->bytes;
    s->work[node] = w->work;
    if (e->t > s->at) s->at = e->t;
    s->spent = fmax(s->spent, (double)e->balancer);
    s->walks += e->walks;
    s->hops += e->hops;
    if (e->farthest > s->farthest) s->farthest = e->farthest;
    w->work = 0;
    w->now = (uint32_t)e->step + 1;
}

static void
take_owned(struct what *w, unsigned node, const struct trace_event *e)
{
    struct owned *o = one_more(w, &w->owned, &w->nowned, sizeof *o);
    *o = (struct owned){e->t ? w->now : 0, (uint32_t)e->cells, (int)node, NULL};
    o->cell = room(w, e->cells, sizeof *o->cell);
    memcpy(o->cell, e->owned, e->cells * sizeof *o->cell);
}

static const uint64_t NOWHERE = UINT64_MAX;

/* What follows the lines of cells that go is what they have. Later the same node sends on what
 * comes for calls that waited there. */
static void
take_migrated(struct what *w, unsigned node, const struct trace_event *e)
{
    struct step *s = step_at(w, w->now);
    if (e->to != w->giving_to) {
        s->late += (double)e->bytes;
        return;
    }
    s->out[node] += (double)e->bytes;
    if (e->to < (uint64_t)w->nodes) s->in[e->to] += (double)e->bytes;
}

static void
take_moved(struct what *w, const struct trace_event *e)
{
    w->giving_to = e->to;
    *(struct moved *)one_more(w, &w->moved, &w->nmoved, sizeof *w->moved) =
        (struct moved){w->now, e->cell};
}

static void
take_read(struct what *w, unsigned node, const struct trace_event *e)
{
    struct step *s = step_at(w, w->now);
    s->sends[node]++;
    s->hops_of[node] += (double)e->dist;
}

static void
take(void *who, unsigned node, const struct trace_event *e)
{
    struct what *w = who;
    bool migrates = e->ev == TRACE_EV_SEND && e->kind == TRACE_KIND_MIGRATE;
    if (e->ev != TRACE_EV_MOVE && !migrates) w->giving_to = NOWHERE;
    if (e->ev == TRACE_EV_EXEC) {
        take_exec(w, node, e);
    } else if (e->ev == TRACE_EV_LOAD && e->step) {
        end_step(w, node, e);
    } else if (e->ev == TRACE_EV_OWN) {
        take_owned(w, node, e);
    } else if (e->ev == TRACE_EV_MOVE) {
        take_moved(w, e);
    } else if (migrates) {
        take_migrated(w, node, e);
    } else if (e->ev == TRACE_EV_SEND && e->kind != TRACE_KIND_COLLECTIVE) {
        take_read(w, node, e);
    }
}

bool
read_all(struct what *w, const char *dir)
{
    w->nodes = (int)w->run.nodes;
    w->ncells = lattice_size(&w->run.cells);
    w->loaded = room(w, w->ncells, sizeof *w->loaded);
    w->turn = room(w, w->ncells, sizeof *w->turn);
    w->load = room(w, w->ncells, sizeof *w->load);
    w->of_nodes = room(w, (size_t)w->nodes, sizeof *w->of_nodes);
    w->of_others = room(w, (size_t)w->nodes, sizeof *w->of_others);
    w->owner_before = room(w, w->ncells, sizeof *w->owner_before);
    w->heavy = room(w, w->ncells, sizeof *w->heavy);
    step_at(w, 0);
    for (int i = 0; i < w->nodes; i++) {
        w->now = 1;
        w->work = 0;
        if (!trace_read_node(w->arena, dir, &w->run, (unsigned)i, take, w)) return false;
    }
    return true;
}
