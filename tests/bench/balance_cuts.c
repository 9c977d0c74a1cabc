/* balance_cuts.c - how even iterations were, and how even they would have been had the cells been
 * cut exactly for each of them. */
#include "tests/bench/balance_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

bool
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

void
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

void
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
