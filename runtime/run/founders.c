/* founders.c - see founders.h. */
#include "founders.h"

static int
founder_read(const void *who, uint32_t cell)
{
    return ((const struct layout *)who)->owners[cell];
}

static int
founder_by_formula(const void *who, uint32_t cell)
{
    return distrib_founder(who, cell);
}

struct founders
founders_of(const struct layout *l, const struct node *n)
{
    struct founders f = {.nodes = n->nodes};
    if (l->has_cells) f.cells = &l->cells;
    if (n->map && l->owners) {
        f.of = founder_read;
        f.who = l;
    } else if (n->map) {
        f.of = founder_by_formula;
        f.who = n->map;
    }
    return f;
}
