/* balance_steps.c - what a traced run with balancing did in each step, and how even its iterations
 * were. Made for tests/bench/balance, which explains the figures.
 *
 *     balance_steps TRACE_DIR [--calls=work] [--measure=bytes|time] [--speed=..] [--rows=N]
 *                   [--even=1.05] [--map=FILE] [--best=TRACE_DIR]
 *
 * A step of a node ends with its line of load that has `step`; what stands between two such lines
 * of a file belongs to the step. Iterations are those of calls named [t][i][j].
 *
 * --speed: as it was given to luna. --rows: so many steps in a row become one line. --even: the
 * max/avg that is even enough, for how soon it is so when speeds have changed. --map: writes the
 * owners of cells that would have been best, had they stayed. --best: the run of the same program
 * on that map, which steps are compared with. */
#include "apps/luna/trace/trace_read.h"
#include "runtime/base/args.h"
#include "runtime/node/speed.h"
#include "tests/bench/balance_pace.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS_MAX = 1 << 16 };

struct step {        /* of each node: */
    double *bytes;   /* live when it ended */
    double *out, *in; /* that moved with cells */
    double *work;    /* of calls since the step before */
    double *sends, *hops_of; /* since then, of values that calls of other nodes read */
    double late;     /* bytes sent after calls that moved, which had asked for them before */
    double spent;    /* ns at balancing since the step before, of the node that was so most */
    uint64_t walks, hops, farthest; /* of messages for cells that came since then */
    uint64_t at;     /* when the last node had ended it */
};

struct call {
    uint64_t begun, ended;
    uint32_t t, cell; /* of iteration t */
    double work;
};

struct owned {
    uint32_t step, n;
    int node;
    uint32_t *cell;
};

struct moved {
    uint32_t step, cell;
};

struct iteration { /* of each cell: */
    float *work;
    int32_t *node;  /* that ran its calls; -1: none */
    uint64_t *from; /* when its last call began */
    uint64_t at;    /* and that of all cells */
};

struct what {
    struct trace_run run;
    uint32_t ncells;
    int nodes;
    const char *dir, *calls, *speed, *map, *best;
    bool by_time;
    double even; /* max/avg that needs no mending */
    struct speeds *speeds;
    struct step *step; /* 0: before the first */
    size_t nsteps;
    struct owned *owned;
    size_t nowned;
    struct moved *moved;
    size_t nmoved;
    struct iteration *iter;
    size_t niter;
    struct call *call;
    size_t ncalls;
    bool *loaded; /* cells that calls were for */
    uint32_t *turn; /* of each cell: the iteration after the one it was at when a step ended */
    double *load;   /* of each cell then */
    uint32_t now; /* the step of the file that is read */
    double work;  /* there, since the last step */
    uint64_t giving_to; /* what is sent goes with cells that have just been given; else nowhere */
    int rows;
    size_t nowned_then, nmoved_then; /* at the step that is told */
    double *of_nodes, *of_others; /* scratch */
    int32_t *owner_before;        /* and, of cells, */
    double *heavy;                /* their loads */
    struct arena *arena;
};

static void *
room(struct what *w, size_t n, size_t size) /* zeroed; until the end */
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

/* ---- reading ---- */

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

/* What a call does is how long it would take on a node of speed 1. */
static double
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
    *(struct call *)one_more(w, &w->call, &w->ncalls, sizeof *w->call) =
        (struct call){e->t, e->t + e->dur, (uint32_t)t, cell, work};
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

/* ---- figures ---- */

struct spread {
    double most, mean, above; /* above: the sum of what is above the mean */
};

/* Of what nodes have, by their speeds then. */
static struct spread
spread_of(const struct what *w, const double *v, uint64_t at, bool by_speed)
{
    struct spread s = {0};
    double sum = 0, speeds = 0;
    for (int i = 0; i < w->nodes; i++) {
        sum += v[i];
        speeds += by_speed ? speed_of(w, i, at) : 1;
    }
    s.mean = sum / speeds;
    for (int i = 0; i < w->nodes; i++) {
        double speed = by_speed ? speed_of(w, i, at) : 1;
        s.most = fmax(s.most, v[i] / speed);
        s.above += fmax(0, v[i] - s.mean * speed);
    }
    return s;
}

static double
unevenness(struct spread s)
{
    return s.mean > 0 ? s.most / s.mean : 1;
}

static int
by_step_and_cell(const void *a, const void *b)
{
    const struct moved *x = a, *y = b;
    if (x->step != y->step) return x->step < y->step ? -1 : 1;
    return x->cell < y->cell ? -1 : x->cell > y->cell;
}

static int
by_step(const void *a, const void *b)
{
    const struct owned *x = a, *y = b;
    return x->step < y->step ? -1 : x->step > y->step;
}

/* Pairs of adjacent cells, both with load, that lie on two nodes. */
static uint64_t
cut_of(const struct what *w, const int32_t *owner)
{
    uint64_t cut = 0;
    for (uint32_t c = 0; c < w->ncells; c++)
        for (int d = 0; w->loaded[c] && d < w->run.cells.ndims; d++) {
            uint32_t next = lattice_beside(&w->run.cells, c, 2 * d + 1);
            cut += next != LATTICE_NONE && w->loaded[next] && owner[c] != owner[next];
        }
    return cut;
}

/* That of equal boxes of the cells with load, if these are a box. */
static double
cut_of_blocks(const struct what *w)
{
    struct lattice_box box = LATTICE_BOX_EMPTY;
    for (uint32_t c = 0; c < w->ncells; c++)
        if (w->loaded[c]) lattice_around(&box, lattice_point(&w->run.cells, c));
    int32_t side[LATTICE_DIMS_MAX];
    double faces = 0, all = 1;
    for (int d = 0; d < LATTICE_DIMS_MAX; d++) {
        side[d] = box.hi.at[d] - box.lo.at[d] + 1;
        all *= side[d];
    }
    struct lattice cells, nodes;
    if (all < 1 || !lattice_init(&cells, w->run.cells.ndims, side)) return 0;
    lattice_factor(&nodes, w->nodes, &cells);
    for (int d = 0; d < cells.ndims; d++) faces += (nodes.side[d] - 1) * all / side[d];
    return faces;
}

/* The loads of cells when a step has ended, later and later ones: the calls of the iteration that a
 * cell has begun last. Of bytes all cells with calls have as many. */
static void
loads_at(struct what *w, uint64_t at)
{
    for (uint32_t c = 0; c < w->ncells; c++) {
        uint32_t *t = &w->turn[c];
        while (*t < w->niter && (w->iter[*t].node[c] < 0 || w->iter[*t].from[c] <= at)) ++*t;
        w->load[c] = !w->by_time ? w->loaded[c] : *t ? w->iter[*t - 1].work[c] : 0;
    }
}

struct evenness {
    double level; /* max/avg */
    double cells; /* by how many heaviest cells the most loaded node is above it */
    double least; /* the most loaded node by what it must have: the average or the heaviest cell */
};

/* A step leaves it alone. */
static bool
is_even(const struct what *w, struct evenness e)
{
    return e.level <= w->even || e.cells <= 1;
}

/* What cells at `owner` give nodes, and how much of it, in the sum, is above their shares. */
static struct spread
spread_of_cells(const struct what *w, const int32_t *owner, uint64_t at, double *have)
{
    memset(have, 0, (size_t)w->nodes * sizeof *have);
    for (uint32_t c = 0; c < w->ncells; c++)
        if (owner[c] >= 0) have[owner[c]] += w->load[c];
    return spread_of(w, have, at, w->by_time);
}

static struct evenness
evenness_of(const struct what *w, const int32_t *owner, uint64_t at)
{
    double heaviest = 0;
    for (uint32_t c = 0; c < w->ncells; c++) {
        if (owner[c] < 0) continue;
        double speed = w->by_time ? speed_of(w, owner[c], at) : 1;
        heaviest = fmax(heaviest, w->load[c] / speed);
    }
    struct spread s = spread_of_cells(w, owner, at, w->of_nodes);
    return (struct evenness){.level = unevenness(s),
                             .cells = heaviest > 0 ? (s.most - s.mean) / heaviest : 0,
                             .least = s.most > 0 ? s.most / fmax(s.mean, heaviest) : 1};
}

/* The mean over nodes of the mean distance to the owners of cells beside their own, both with load:
 * AvgSD, if from now on each of these pairs sends as much. */
static double
distance_of_borders(const struct what *w, const int32_t *owner)
{
    double mean = 0, senders = 0, *hops = w->of_nodes, *faces = w->of_others;
    memset(hops, 0, (size_t)w->nodes * sizeof *hops);
    memset(faces, 0, (size_t)w->nodes * sizeof *faces);
    for (uint32_t c = 0; c < w->ncells; c++)
        for (int side = 0; w->loaded[c] && side < 2 * w->run.cells.ndims; side++) {
            uint32_t e = lattice_beside(&w->run.cells, c, side);
            if (e == LATTICE_NONE || !w->loaded[e] || owner[c] == owner[e]) continue;
            hops[owner[c]] += lattice_distance(&w->run.lattice, (uint32_t)owner[c],
                                               (uint32_t)owner[e]);
            faces[owner[c]]++;
        }
    for (int i = 0; i < w->nodes; i++) {
        if (!(faces[i] > 0)) continue;
        mean += hops[i] / faces[i];
        senders++;
    }
    return senders > 0 ? mean / senders : 1;
}

/* AvgSD of what was sent after step `from`, but for what moved: see docs/traces.md. */
static double
distance_since(const struct what *w, size_t from)
{
    double sum = 0, senders = 0;
    for (int i = 0; i < w->nodes; i++) {
        double hops = 0, sends = 0;
        for (size_t k = from + 1; k < w->nsteps; k++) {
            hops += w->step[k].hops_of[i];
            sends += w->step[k].sends[i];
        }
        if (!(sends > 0)) continue;
        sum += hops / sends;
        senders++;
    }
    return senders > 0 ? sum / senders : 1;
}

/* How long the run has taken for its calls, beside another one on the map that is best. */
struct beside {
    struct pace *ours, *best; /* NULL: there is none */
    double done;              /* when the step before ended: ns of the other one */
};

struct row { /* of one step, or of some in a row */
    uint64_t at, cells, with_load, cut;
    double before, after, time, moved, least;
    double work, uneven; /* of calls; the same times how uneven it was */
    double took, spent, best; /* ns: since the step before; at balancing; the other run */
    uint64_t walks, hops, farthest;
    double late;         /* bytes sent after calls that moved */
    struct evenness even;
    uint32_t most; /* moves of one cell */
};

static void
row_of_moves(const struct what *w, size_t k, size_t *m, struct row *r)
{
    uint32_t in_a_row = 0;
    for (; *m < w->nmoved && w->moved[*m].step <= k; ++*m) {
        bool again = in_a_row && w->moved[*m - 1].cell == w->moved[*m].cell &&
                     w->moved[*m - 1].step == w->moved[*m].step;
        in_a_row = again ? in_a_row + 1 : 1;
        if (in_a_row > r->most) r->most = in_a_row;
        r->cells++;
        r->with_load += w->loaded[w->moved[*m].cell];
    }
}

static void
row_of_step(const struct what *w, size_t k, struct row *r)
{
    const struct step *s = &w->step[k];
    double *before = w->of_nodes, work = 0;
    for (int i = 0; i < w->nodes; i++) {
        before[i] = fmax(0, s->bytes[i] + s->out[i] - s->in[i]);
        work += s->work[i];
        r->moved += s->out[i];
    }
    r->before = unevenness(spread_of(w, before, s->at, false));
    r->after = unevenness(spread_of(w, s->bytes, s->at, false));
    r->time = unevenness(spread_of(w, s->work, s->at, true));
    r->work = work;
    r->uneven = work > 0 ? work * r->time : 0;
    r->late = s->late;
    r->walks = s->walks;
    r->hops = s->hops;
    r->farthest = s->farthest;
    r->at = s->at;
}

/* Since the step before, which ended on all nodes at `then`. */
static void
row_of_time(const struct what *w, size_t k, uint64_t then, struct beside *b, struct row *r)
{
    r->took = (double)(r->at - then);
    r->spent = w->step[k].spent;
    if (!b->best) return;
    double done = pace_time(b->best, pace_work(b->ours, (double)r->at));
    r->best = done - b->done;
    b->done = done;
}

static int
heaviest_first(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x < *y) - (*x > *y);
}

/* So many cells at least must move for loads to become as even as a step has made them. What moves
 * takes no more than itself from what nodes have above their shares, in the sum; so what has gone
 * of that is made of cells of such nodes, the heaviest first. */
static uint64_t
fewest(struct what *w, const int32_t *before, const int32_t *after, uint64_t at)
{
    double *have = w->of_nodes, *cell = w->heavy;
    struct spread left = spread_of_cells(w, after, at, have);
    struct spread was = spread_of_cells(w, before, at, have);
    double gone = was.above - left.above - 1e-6 * was.mean; /* but for rounding */
    uint64_t n = 0, count = 0;
    for (uint32_t c = 0; c < w->ncells; c++) {
        int32_t i = before[c];
        if (i >= 0 && have[i] > was.mean * (w->by_time ? speed_of(w, i, at) : 1))
            cell[n++] = w->load[c];
    }
    qsort(cell, n, sizeof *cell, heaviest_first);
    while (count < n && gone > 0) gone -= cell[count++];
    return count;
}

/* So many cells, each with the bytes of one that has moved, of those with load. */
static void
row_of_least(struct what *w, const int32_t *before, const int32_t *after, struct row *r)
{
    if (!r->with_load) return;
    double cells = (double)fewest(w, before, after, r->at);
    r->least = cells / (double)r->with_load * r->moved;
}

static double
percent(double part, double all)
{
    return all > 0 ? 100 * part / all : 0;
}

static double
mean_hops(const struct row *r)
{
    return r->walks ? (double)r->hops / (double)r->walks : 0;
}

/* There only calls take time: what the balancer does costs nothing but messages. */
static bool
is_simulated(const struct what *w)
{
    return !strcmp(w->run.transport, "sim");
}

static void
print_row(const struct what *w, size_t k, const struct row *r, double blocks)
{
    printf("%5zu %9.3f %6.3f %6.3f %6.3f %6.3f %5.2f %5" PRIu64 " %7.3f %7.3f %4" PRIu32
           " %5" PRIu64 " %6.0f %5.2f %3" PRIu64,
           k, (double)r->at / 1e6, r->before, r->after, r->time, r->even.level, r->even.cells,
           r->cells, r->moved / 1048576, r->least / 1048576, r->most, r->cut, blocks, mean_hops(r),
           r->farthest);
    if (is_simulated(w)) printf("     -");
    else printf(" %5.2f", percent(r->spent, r->took));
    if (r->best > 0) printf(" %6.2f\n", r->took / r->best);
    else printf("      -\n");
}

/* Who owns what when step k has ended, from what was before. */
static void
apply_owned(const struct what *w, size_t k, size_t *o, int32_t *owner)
{
    for (; *o < w->nowned && w->owned[*o].step <= k; ++*o)
        for (uint32_t i = 0; i < w->owned[*o].n; i++)
            owner[w->owned[*o].cell[i]] = w->owned[*o].node;
}

static void
add_row(struct row *all, const struct row *r)
{
    struct row sum = *r; /* the last one's, but for what follows */
    sum.cells += all->cells;
    sum.with_load += all->with_load;
    sum.moved += all->moved;
    sum.least += all->least;
    sum.work += all->work;
    sum.late += all->late;
    sum.uneven += all->uneven;
    sum.took += all->took;
    sum.spent += all->spent;
    sum.best += all->best;
    sum.walks += all->walks;
    sum.hops += all->hops;
    if (all->most > sum.most) sum.most = all->most;
    if (all->farthest > sum.farthest) sum.farthest = all->farthest;
    *all = sum;
}

/* What can be told only after all steps. */
struct outcome {
    struct row all;
    struct evenness end; /* the worst since the last step before the last quarter of the run */
    size_t moved_first;  /* the first step in which cells moved */
    size_t changed;      /* speeds changed before it ended, perhaps after it had begun; 0: none */
    size_t even;         /* after that one: the first that left an even load */
    double after_three;  /* after that one: max/avg when three more had ended */
};

static bool
speeds_differ(const struct what *w, uint64_t then, uint64_t now)
{
    for (int i = 0; i < w->nodes; i++)
        if (speed_of(w, i, then) != speed_of(w, i, now)) return true;
    return false;
}

/* Step k has ended on all nodes; this is how even it has left the load. */
static void
note_evenness(const struct what *w, struct outcome *o, size_t k, struct evenness e)
{
    uint64_t at = w->step[k].at;
    if (k > 1 && speeds_differ(w, w->step[k - 1].at, at)) {
        o->changed = k;
        o->even = 0;
    }
    if (o->changed && k > o->changed && !o->even && is_even(w, e)) o->even = k;
    if (o->changed && k == o->changed + 3) o->after_three = e.level;
    bool late = at >= w->run.duration / 4 * 3;
    o->end.level = fmax(late ? o->end.level : 0, e.level);
    o->end.cells = fmax(late ? o->end.cells : 0, e.cells);
    o->end.least = fmax(late ? o->end.least : 0, e.least);
}

static void
print_outcome(const struct what *w, const struct outcome *o, const int32_t *owner, double blocks)
{
    const struct row *all = &o->all;
    double cells = 0;
    for (uint32_t c = 0; c < w->ncells; c++) cells += w->loaded[c];
    printf("steps %zu, cells moved %" PRIu64 ", MiB %.3f, least %.3f, most moves of a cell in a "
           "step %" PRIu32 ", cut %" PRIu64 ", of blocks %.0f, mean max/avg of time %.3f\n",
           w->nsteps - 1, all->cells, all->moved / 1048576, all->least / 1048576, all->most,
           cut_of(w, owner), blocks, all->work > 0 ? all->uneven / all->work : 1);
    printf("to the owner of a cell %.3f hops, %" PRIu64 " at most", mean_hops(all),
           all->farthest);
    if (!is_simulated(w))
        printf("; at balancing %.2f %% of the time", percent(all->spent, all->took));
    if (all->best > 0) printf("; time by that of the best map %.3f", all->took / all->best);
    putchar('\n');
    printf("in the last quarter max/avg %.3f at most, above the average by %.2f heaviest cells, "
           "with %.1f cells a node; by what must be %.3f\n",
           o->end.level, o->end.cells, cells / w->nodes, o->end.least);
    printf("halo: AvgSD of borders in the end %.3f, of what was sent since cells moved %.3f; sent "
           "after calls %.3f MiB\n",
           distance_of_borders(w, owner), distance_since(w, o->moved_first), all->late / 1048576);
    if (!o->changed) return;
    printf("speeds changed before step %zu ended: three steps later max/avg %.3f, even ",
           o->changed, o->after_three);
    if (o->even) printf("after %zu\n", o->even - o->changed);
    else printf("after none\n");
}

/* Of one step; `owner` becomes that after it. */
static struct row
row_at(struct what *w, size_t k, struct beside *b, int32_t *owner, struct outcome *out)
{
    struct row r = {0};
    memcpy(w->owner_before, owner, w->ncells * sizeof *owner);
    apply_owned(w, k, &w->nowned_then, owner);
    row_of_moves(w, k, &w->nmoved_then, &r);
    row_of_step(w, k, &r);
    if (r.cells && !out->moved_first) out->moved_first = k;
    if (!r.at) return r;
    row_of_time(w, k, w->step[k - 1].at, b, &r);
    loads_at(w, r.at);
    row_of_least(w, w->owner_before, owner, &r);
    r.even = evenness_of(w, owner, r.at);
    note_evenness(w, out, k, r.even);
    return r;
}

static void
print_steps(struct what *w, struct beside *b)
{
    int32_t *owner = room(w, w->ncells, sizeof *owner);
    for (uint32_t c = 0; c < w->ncells; c++) owner[c] = -1;
    qsort(w->owned, w->nowned, sizeof *w->owned, by_step);
    if (w->nmoved) qsort(w->moved, w->nmoved, sizeof *w->moved, by_step_and_cell);
    double blocks = cut_of_blocks(w);
    struct outcome out = {0};
    struct row rows = {0};
    printf(" step     at,ms  bytes  after   time   even above moved     MiB   least most   cut "
           "blocks  hops far  bal%%  /best\n");
    apply_owned(w, 0, &w->nowned_then, owner);
    for (size_t k = 1; k < w->nsteps; k++) {
        struct row r = row_at(w, k, b, owner, &out);
        add_row(&rows, &r);
        add_row(&out.all, &r);
        if (k % (size_t)w->rows && k + 1 < w->nsteps) continue;
        rows.cut = cut_of(w, owner);
        if (rows.at) print_row(w, k, &rows, blocks);
        rows = (struct row){0};
    }
    print_outcome(w, &out, owner, blocks);
}

/* ---- exact re-cuts ---- */

struct cutting {
    int across, along;     /* nodes in the first and second dimension */
    int32_t rows, columns; /* of cells */
    double *row, *column;  /* loads */
    double *across_speed, *along_speed; /* of rows of nodes; of the nodes of one */
    int32_t *end, *stop;   /* of parts */
};

/* Cuts n loads into parts by speeds, each at least one long: where each ends. */
static void
cut_row(const double *v, int32_t n, const double *speed, int parts, int32_t *end)
{
    double sum = 0, speeds = 0, before = 0, want = 0;
    for (int32_t i = 0; i < n; i++) sum += v[i];
    for (int p = 0; p < parts; p++) speeds += speed[p];
    int32_t at = 0;
    for (int p = 0; p < parts; p++) {
        int32_t least = at + 1, most = n - (parts - 1 - p);
        want += sum * speed[p] / speeds;
        while (at < most && (at < least || before + v[at] / 2 < want)) before += v[at++];
        end[p] = p == parts - 1 ? n : at;
    }
}

/* Whole rows of cells to rows of nodes, then each of those by columns. */
static void
recut(const struct what *w, struct cutting *g, const double *load, uint64_t at, int32_t *owner)
{
    memset(g->across_speed, 0, (size_t)g->across * sizeof *g->across_speed);
    for (int i = 0; i < w->nodes; i++) g->across_speed[i / g->along] += speed_of(w, i, at);
    memset(g->row, 0, (size_t)g->rows * sizeof *g->row);
    for (int32_t c = 0; c < g->rows * g->columns; c++) g->row[c / g->columns] += load[c];
    cut_row(g->row, g->rows, g->across_speed, g->across, g->end);
    for (int p = 0; p < g->across; p++) {
        int32_t first = p ? g->end[p - 1] : 0;
        memset(g->column, 0, (size_t)g->columns * sizeof *g->column);
        for (int32_t c = first * g->columns; c < g->end[p] * g->columns; c++)
            g->column[c % g->columns] += load[c];
        for (int q = 0; q < g->along; q++)
            g->along_speed[q] = speed_of(w, p * g->along + q, at);
        cut_row(g->column, g->columns, g->along_speed, g->along, g->stop);
        for (int32_t r = first; r < g->end[p]; r++)
            for (int32_t c = 0, q = 0; c < g->columns; c++) {
                q += c >= g->stop[q];
                owner[r * g->columns + c] = p * g->along + q;
            }
    }
}

/* Whether the nodes are a lattice of at most two dimensions, as a re-cut needs it. */
static bool
cutting_open(struct what *w, struct cutting *g)
{
    const struct lattice *n = &w->run.lattice, *c = &w->run.cells;
    if (!n->ndims || n->ndims > 2 || c->ndims > 2 || lattice_size(n) != (uint32_t)w->nodes)
        return false;
    *g = (struct cutting){.across = n->side[0], .along = n->ndims > 1 ? n->side[1] : 1,
                          .rows = c->side[0], .columns = c->ndims > 1 ? c->side[1] : 1};
    g->row = room(w, (size_t)g->rows, sizeof *g->row);
    g->column = room(w, (size_t)g->columns, sizeof *g->column);
    g->across_speed = room(w, (size_t)g->across, sizeof *g->across_speed);
    g->along_speed = room(w, (size_t)g->along, sizeof *g->along_speed);
    g->end = room(w, (size_t)g->across, sizeof *g->end);
    g->stop = room(w, (size_t)g->along, sizeof *g->stop);
    return g->across <= g->rows && g->along <= g->columns;
}

static double
unevenness_of(const struct what *w, const struct iteration *it, const int32_t *owner)
{
    memset(w->of_nodes, 0, (size_t)w->nodes * sizeof *w->of_nodes);
    for (uint32_t c = 0; c < w->ncells; c++)
        if (owner[c] >= 0) w->of_nodes[owner[c]] += it->work[c];
    return unevenness(spread_of(w, w->of_nodes, it->at, true));
}

/* The live bytes of a cell with load, in the mean over steps. */
static double
bytes_of_a_cell(const struct what *w)
{
    double bytes = 0, cells = 0, steps = 0;
    for (uint32_t c = 0; c < w->ncells; c++) cells += w->loaded[c];
    for (size_t k = 1; k < w->nsteps; k++) {
        if (!w->step[k].at) continue;
        for (int i = 0; i < w->nodes; i++) bytes += w->step[k].bytes[i];
        steps++;
    }
    return steps * cells > 0 ? bytes / steps / cells : 0;
}

static uint64_t
changes(const struct what *w, const int32_t *old, const int32_t *new)
{
    uint64_t n = 0;
    for (uint32_t c = 0; c < w->ncells; c++)
        n += old[c] >= 0 && new[c] >= 0 && old[c] != new[c];
    return n;
}

/* How even each iteration was, where its calls have run; and how even it would have been had the
 * cells been cut anew for it. */
static void
print_iterations(struct what *w, struct cutting *g)
{
    double ours = 0, worst = 0, last = 0, exact = 0;
    uint64_t moved = 0, recut_moved = 0;
    double *load = room(w, w->ncells, sizeof *load);
    int32_t *owner = room(w, w->ncells, sizeof *owner), *then = room(w, w->ncells, sizeof *then);
    for (size_t t = 0; t < w->niter; t++) {
        const struct iteration *it = &w->iter[t];
        for (uint32_t c = 0; c < w->ncells; c++) load[c] = it->work[c];
        last = unevenness_of(w, it, it->node);
        ours += last;
        worst = fmax(worst, last);
        if (t) moved += changes(w, w->iter[t - 1].node, it->node);
        if (!g) continue;
        memcpy(then, owner, w->ncells * sizeof *then);
        recut(w, g, load, it->at, owner);
        exact += unevenness_of(w, it, owner);
        if (t) recut_moved += changes(w, then, owner);
    }
    double n = w->niter ? (double)w->niter : 1;
    printf("iterations %zu, max/avg of time: mean %.3f, most %.3f, last %.3f, cells moved %" PRIu64,
           w->niter, ours / n, worst, last, moved);
    if (g)
        printf("; cut anew for each: mean %.3f, cells moved %" PRIu64 ", MiB %.3f", exact / n,
               recut_moved, (double)recut_moved * bytes_of_a_cell(w) / 1048576);
    putchar('\n');
}

static void
write_map(struct what *w, struct cutting *g)
{
    double *load = room(w, w->ncells, sizeof *load);
    int32_t *owner = room(w, w->ncells, sizeof *owner);
    for (size_t t = 0; t < w->niter; t++)
        for (uint32_t c = 0; c < w->ncells; c++) load[c] += w->iter[t].work[c];
    recut(w, g, load, 0, owner);
    FILE *f = fopen(w->map, "we");
    if (!f) exit(2);
    for (uint32_t c = 0; c < w->ncells; c++)
        fprintf(f, "%d%c", owner[c], (c + 1) % (uint32_t)g->columns ? ' ' : '\n');
    fclose(f);
}

/* ---- the whole ---- */

/* When nodes that never wait would have done this work. */
static double
ideal_of(const struct what *w, double work)
{
    double part = work / w->nodes / 1000, at = 0;
    while (work > 0) {
        double speeds = 0;
        for (int i = 0; i < w->nodes; i++) speeds += speed_of(w, i, (uint64_t)at);
        double ns = fmin(part, work / speeds);
        work -= ns * speeds;
        at += ns;
        if (!(ns > 0)) break;
    }
    return at;
}

static void
print_time(const struct what *w)
{
    double work = 0;
    for (size_t t = 0; t < w->niter; t++)
        for (uint32_t c = 0; c < w->ncells; c++) work += w->iter[t].work[c];
    double ideal = ideal_of(w, work) / 1e6, took = (double)w->run.duration / 1e6;
    printf("run %.3f ms, its calls evenly spread %.3f ms: %.3f of it\n", took, ideal,
           took > 0 ? ideal / took : 0);
}

static bool
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
        if (!trace_read_node(dir, &w->run, (unsigned)i, take, w)) return false;
    }
    return true;
}

/* What calls of the other run for the same cell and iteration took is what calls did there: so both
 * runs do the same work, however fast the machine was. */
static double
work_there(const struct what *w, const struct what *best, const struct call *c)
{
    double here = w->iter[c->t].work[c->cell];
    struct lattice_point p = lattice_point(&w->run.cells, c->cell);
    uint32_t cell = lattice_number(&best->run.cells, p.at);
    if (c->t >= best->niter || cell == LATTICE_NONE || !(here > 0)) return 0;
    return c->work / here * best->iter[c->t].work[cell];
}

static struct pace *
pace_of(struct what *w, const struct what *best)
{
    struct pace_call *calls = room(w, w->ncalls, sizeof *calls);
    for (size_t i = 0; i < w->ncalls; i++) {
        const struct call *c = &w->call[i];
        calls[i] = (struct pace_call){c->begun, c->ended, work_there(w, best, c)};
    }
    struct pace *p = pace_new(calls, w->ncalls);
    if (p) return p;
    fprintf(stderr, "balance_steps: no memory\n");
    exit(5);
}

/* The run on the best map; false: it cannot be read. */
static bool
beside_open(struct beside *b, struct what *w)
{
    struct what best = {.calls = w->calls, .speeds = w->speeds, .arena = w->arena};
    *b = (struct beside){0};
    if (!w->best) return true;
    if (!trace_read_run(w->arena, w->best, &best.run) || !read_all(&best, w->best)) return false;
    b->ours = pace_of(w, &best);
    b->best = pace_of(&best, &best);
    return true;
}

static bool
take_measure(struct args *a, const struct args_option *o, const char *value)
{
    *args_at(a, o, bool) = strcmp(value, "bytes") != 0;
    return true;
}

static bool
take_ratio(struct args *a, const struct args_option *o, const char *value)
{
    *args_at(a, o, double) = atof(value);
    return true;
}

static const struct args_kind
    measure = {.read = take_measure, .flags = ARGS_VALUE},
    ratio = {.read = take_ratio, .flags = ARGS_VALUE},
    rows = {.read = args_int, .flags = ARGS_VALUE, .least = 1, .most = 1000000};

#define AT(field) offsetof(struct what, field)
static const struct args_option options[] = {
    {"--calls", NULL, &args_text, 0, AT(calls), "=NAME", ""},
    {"--measure", NULL, &measure, 0, AT(by_time), "=bytes|time", ""},
    {"--speed", NULL, &args_text, 0, AT(speed), "=NODE:S[@MS],...", ""},
    {"--even", NULL, &ratio, 0, AT(even), "=RATIO", ""},
    {"--rows", NULL, &rows, 0, AT(rows), "=N", ""},
    {"--map", NULL, &args_text, 0, AT(map), "=FILE", ""},
    {"--best", NULL, &args_text, 0, AT(best), "=DIR", ""},
};
#undef AT

/* The last word that is no option is the folder. */
static bool
read_words(struct what *w, int argc, char **argv)
{
    struct args a = {.options = options, .n = sizeof options / sizeof *options, .into = w,
                     .argc = argc, .argv = argv};
    while (a.i < argc) {
        if (*argv[a.i] != '-') w->dir = args_next(&a);
        else if (!args_read(&a)) break;
    }
    if (a.fault.text[0]) fprintf(stderr, "balance_steps: %s\n", a.fault.text);
    return !a.fault.text[0];
}

int
main(int argc, char **argv)
{
    struct what w = {.calls = "work", .even = 1.05, .rows = 1, .arena = arena_new()};
    if (!w.arena || !read_words(&w, argc - 1, argv + 1)) return 2;
    if (!w.dir || !trace_read_run(w.arena, w.dir, &w.run)) return 2;
    if (!speeds_read(&w.speeds, w.speed, (int)w.run.nodes, true, true)) return 2;
    struct beside b;
    if (!read_all(&w, w.dir) || !beside_open(&b, &w)) return 2;
    struct cutting g;
    bool cuts = cutting_open(&w, &g);
    print_steps(&w, &b);
    print_iterations(&w, cuts ? &g : NULL);
    if (w.map && cuts) write_map(&w, &g);
    print_time(&w);
    pace_free(b.ours);
    pace_free(b.best);
    speeds_free(w.speeds);
    arena_free(w.arena);
    return 0;
}
