/* balance_steps.c - what a traced run with balancing did in each step, and how even its iterations
 * were. Made for tests/bench/balance, which explains the figures.
 *
 *     balance_steps TRACE_DIR [--calls=work] [--measure=bytes|time] [--speed=..] [--rows=N]
 *                   [--even=1.05] [--map=FILE] [--best=TRACE_DIR]
 *
 * --speed: as it was given to luna. --rows: so many steps in a row become one line. --even: the
 * max/avg that is even enough, for how soon it is so when speeds have changed. --map: writes the
 * owners of cells that would have been best, had they stayed. --best: the run of the same program
 * on that map, which steps are compared with. */
#include "runtime/base/args.h"
#include "tests/bench/balance_pace.h"
#include "tests/bench/balance_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- figures ---- */

struct spread
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

double
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

/* What calls of the other run for the same cell and iteration took is what calls did there: so both
 * runs do the same work, however fast the machine was. */
static double
work_there(const struct what *w, const struct what *best, const struct run_call *c)
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
        const struct run_call *c = &w->call[i];
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
