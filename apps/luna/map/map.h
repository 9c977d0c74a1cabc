/* map.h - the map of cells by owner: as text, and as a picture.
 *
 *     0 0 1 1      the first index goes down, the second to the right; one index goes to the
 *     0 2 2 1      right; with three there is a plane for each value of the first
 *     2 2 2 3
 */
#ifndef LUNA_APPS_MAP_H
#define LUNA_APPS_MAP_H

#include "apps/luna/trace/owners.h"

#include <stdio.h>

struct picture;

/* Lines of at most `width` columns; wider maps are told coarser. Figures of the nodes follow. */
void map_print(FILE *out, struct arena *a, const struct owners *o, unsigned width);

/* A new picture, `title` on top; `curve`: with the curve on which a rope puts the cells. False: out
 * of memory. */
bool map_picture(struct picture *out, struct arena *a, const struct owners *o, const char *title,
                 bool curve);

/* How the lattice lies on the page: sides of 1 where it has fewer dimensions. */
struct map_page {
    int planes, rows, columns;
};
struct map_page map_page(const struct lattice *cells);
static inline uint32_t
map_cell(const struct map_page *m, int plane, int row, int column)
{
    return ((uint32_t)plane * (uint32_t)m->rows + (uint32_t)row) * (uint32_t)m->columns +
           (uint32_t)column;
}

#endif
