/* layout.c - sums and roundings. */
#include "collectives/group/layout.h"

static size_t
round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* Lines first: whoever looks for news from this member finds all of it on one or two pages. */
static void
by_lines(struct segment_layout *l, size_t cell)
{
    l->cell = round_up(cell, LINE);
    l->lines = 0;
    l->slot = SLOT_BYTES;
    l->slots = round_up(sizeof(struct member), LINE);
    l->controls = l->slots + RING * l->slot;
    l->control_stride = LINE;
    l->queue = round_up(l->controls + (size_t)l->cells * LINE, l->page);
}

static void
by_pages(struct segment_layout *l, size_t cell)
{
    _Static_assert(LINE + sizeof(struct member) <= 4096, "lines and a control share a page");
    l->cell = round_up(cell, l->page);
    l->lines = LINE;
    l->controls = 0;
    l->control_stride = l->page;
    l->queue = (size_t)l->cells * l->page;
}

bool
layout_init(struct segment_layout *l, enum coll_layout kind, int size, size_t cell, int cells,
            int sets, size_t page)
{
    *l = (struct segment_layout){.page = page, .cells = cells, .sets = sets};
    if (cell > SIZE_MAX / 8 / (size_t)cells / (size_t)size) return false;
    l->first = round_up(sizeof(struct head), page);
    (kind == COLL_PAGES ? by_pages : by_lines)(l, cell);
    l->stride = round_up(l->queue + l->cell * (size_t)cells, page);
    l->total = l->first + l->stride * (size_t)size;
    return l->total < SIZE_MAX / 4;
}
