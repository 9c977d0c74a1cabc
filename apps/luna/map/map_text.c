/* map_text.c - the map as text, and a line per node. */
#include "apps/luna/map/map.h"

#include <string.h>

enum { NEAR_SHOWN = 12, NODES_SHOWN = 64 };

/* One letter per node, if their numbers would make the map too wide. */
static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
enum { LETTERS = sizeof letters - 1 };

struct form {  /* of the signs that stand for cells */
    int k;     /* a sign is a block of k cells to each side */
    int width; /* columns of a number; 0: letters */
    int gap;   /* blanks between */
};

struct map_page
map_page(const struct lattice *cells)
{
    const int32_t *side = cells->side;
    switch (cells->ndims) {
    case 1: return (struct map_page){1, 1, side[0]};
    case 2: return (struct map_page){1, side[0], side[1]};
    default: return (struct map_page){side[0], side[1], side[2]};
    }
}

static int
digits(unsigned x)
{
    int n = 1;
    for (; x > 9; x /= 10) n++;
    return n;
}

/* Numbers if they fit, else letters, else blocks of cells. */
static struct form
choose_form(const struct owners *o, int width)
{
    struct form f = {.k = 1, .width = digits(o->nodes - 1), .gap = 1};
    int columns = map_page(&o->cells).columns;
    if (columns * (f.width + 1) - 1 <= width) return f;
    if (o->nodes <= LETTERS) f.width = f.gap = 0;
    int most = f.width ? (width + 1) / (f.width + 1) : width;
    if (most < 1) most = 1;
    f.k = (columns + most - 1) / most;
    return f;
}

static void
print_sign(FILE *out, const struct form *f, int32_t node)
{
    if (node == OWNERS_NONE) fprintf(out, "%*s", f->width, ".");
    else if (f->width) fprintf(out, "%*d", f->width, (int)node);
    else putc(letters[node], out);
}

static void
print_plane(FILE *out, const struct owners *o, const struct form *f, int plane)
{
    struct map_page m = map_page(&o->cells);
    for (int row = 0; row < m.rows; row++) {
        for (int column = 0; column < m.columns; column++) {
            if (column && f->gap) putc(' ', out);
            print_sign(out, f, o->of[map_cell(&m, plane, row, column)]);
        }
        putc('\n', out);
    }
}

/* Of the fine map `o`; `shown` is what is drawn. */
static void
print_planes(FILE *out, const struct owners *o, const struct owners *shown, const struct form *f)
{
    int planes = map_page(&shown->cells).planes, last = map_page(&o->cells).planes - 1;
    for (int plane = 0; plane < planes; plane++) {
        int from = plane * f->k, to = from + f->k - 1 < last ? from + f->k - 1 : last;
        putc('\n', out);
        if (o->cells.ndims == 3 && f->k == 1) fprintf(out, "plane %d\n", from);
        if (o->cells.ndims == 3 && f->k > 1) fprintf(out, "planes %d-%d\n", from, to);
        print_plane(out, shown, f, plane);
    }
}

static void
print_block_note(FILE *out, const struct owners *o, int k)
{
    fputs("a sign stands for ", out);
    for (int d = 0; d < o->cells.ndims; d++) fprintf(out, "%s%d", d ? "x" : "", k);
    fputs(" cells: the node that owns most of them\n", out);
}

/* ---- the nodes ---- */

static void
print_node(FILE *out, const struct form *f, unsigned i, const struct owners_of_node *x)
{
    char name[16];
    int n = snprintf(name, sizeof name, "%u", i);
    if (!f->width && i > 9) snprintf(name + n, sizeof name - (size_t)n, " %c", letters[i]);
    fprintf(out, "%-8s %8u %8u %11u", name, x->cells, x->pieces, x->neighbours);
    for (uint32_t k = 0; k < x->neighbours && k < NEAR_SHOWN; k++)
        fprintf(out, "%s%d", k ? " " : "   ", (int)x->near[k]);
    if (x->neighbours > NEAR_SHOWN) fputs(" ...", out);
    putc('\n', out);
}

struct range {
    uint32_t min, max;
    double sum;
};

static void
range_add(struct range *r, uint32_t x)
{
    if (x < r->min) r->min = x;
    if (x > r->max) r->max = x;
    r->sum += x;
}

/* Too many for a line each. */
static void
print_ranges(FILE *out, const struct owners *o, const struct owners_figures *f)
{
    struct range cells = {.min = UINT32_MAX}, near = cells;
    unsigned whole = 0;
    for (unsigned i = 0; i < o->nodes; i++) {
        range_add(&cells, f->node[i].cells);
        range_add(&near, f->node[i].neighbours);
        whole += f->node[i].pieces == 1;
    }
    fprintf(out, "cells of a node: %u to %u, mean %.1f\n", cells.min, cells.max,
            cells.sum / o->nodes);
    fprintf(out, "neighbours of a node: %u to %u, mean %.1f\n", near.min, near.max,
            near.sum / o->nodes);
    fprintf(out, "nodes whose cells are in one piece: %u of %u\n", whole, o->nodes);
}

static void
print_nodes(FILE *out, struct arena *a, const struct owners *o, const struct form *form)
{
    struct owners_figures f = owners_figures(a, o);
    putc('\n', out);
    if (o->nodes > NODES_SHOWN) print_ranges(out, o, &f);
    else fputs("node        cells   pieces  neighbours\n", out);
    for (unsigned i = 0; i < o->nodes && o->nodes <= NODES_SHOWN; i++)
        print_node(out, form, i, &f.node[i]);
    fprintf(out, "%llu of %llu pairs of adjacent cells lie on two nodes\n",
            (unsigned long long)f.cut, (unsigned long long)f.pairs);
    if (f.nobodys)
        fprintf(out, "%u of %u cells %s no node's then ('.')\n", f.nobodys,
                lattice_size(&o->cells), f.nobodys == 1 ? "is" : "are");
}

void
map_print(FILE *out, struct arena *a, const struct owners *o, unsigned width)
{
    struct form f = choose_form(o, (int)width);
    const struct owners *shown = f.k > 1 ? owners_shrink(a, o, f.k) : o;
    if (f.k > 1) print_block_note(out, o, f.k);
    print_planes(out, o, shown, &f);
    print_nodes(out, a, o, &f);
}
