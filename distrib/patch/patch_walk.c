/* patch_walk.c - the next hop of a message that looks for a cell.
 *
 * The message carries `at`, a cell which the node it is sent to is believed to own. A node goes on
 * from the cell it owns that is nearest to the one looked for, and hands the message to the owner
 * of a cell beside it that is nearer by one. So from hop to hop the way from `at` gets shorter, and
 * a node that was left is never met again, whatever the shapes of the domains.
 *
 * If `at` is not ours any more, the message goes after it, to whom we gave it. If it has never been
 * ours it is on its way to us, and the message waits for it. docs/protocols-balancing.md tells
 * why this ends also while cells move. */
#include "patch.h"

/* A cell to go on from, as a slot or place, and how far it is from the one looked for. */
struct near {
    uint32_t slot;
    int apart;
};

static const struct near nowhere = {LATTICE_NONE, INT32_MAX};

static void
try_cell(struct near *best, const struct distrib *d, uint32_t slot, uint32_t cell,
         struct lattice_point to)
{
    int apart = lattice_apart(lattice_point(&d->cells, cell), to);
    if (apart < best->apart) *best = (struct near){slot, apart};
}

static struct near
nearest_own(const struct distrib *d, struct lattice_point to)
{
    const struct patch *p = patch_of(d);
    struct near best = nowhere;
    if (p->boxed) {
        struct lattice_point in = to;
        for (int k = 0; k < LATTICE_DIMS_MAX; k++) {
            int32_t lo = d->bounds.lo.at[k], hi = d->bounds.hi.at[k];
            in.at[k] = to.at[k] < lo ? lo : to.at[k] > hi ? hi : to.at[k];
        }
        uint32_t cell = lattice_number(&d->cells, in.at);
        try_cell(&best, d, cellmap_find(&p->slot, cell)->value, cell, to);
    } else
        for (uint32_t slot = 0; slot < p->n; slot++) try_cell(&best, d, slot, p->cell[slot], to);
    return best;
}

/* Goes after a cell that was ours. */
static int
follow(const struct cellmap_entry *gone, uint32_t *at)
{
    *at = gone->cell;
    return (int)gone->value;
}

/* A domain without cells has only what it gave away to go on from. */
static int
follow_nearest(const struct distrib *d, struct lattice_point to, uint32_t *at)
{
    const struct cellmap *gone = &patch_of(d)->gone;
    struct near best = nowhere;
    for (uint32_t i = 0; i < gone->room; i++)
        if (gone->entry[i].cell != LATTICE_NONE) try_cell(&best, d, i, gone->entry[i].cell, to);
    return best.slot == LATTICE_NONE ? DISTRIB_WAIT : follow(&gone->entry[best.slot], at);
}

/* From an own cell one step towards `to`, in the dimension in which most is left to go. */
static int
step_from(const struct distrib *d, uint32_t slot, struct lattice_point to, uint32_t *at)
{
    const struct patch *p = patch_of(d);
    struct lattice_point c = lattice_point(&d->cells, p->cell[slot]);
    int side = -1, most = 0;
    for (int k = 0; k < d->cells.ndims; k++) {
        int left = to.at[k] - c.at[k], way = left < 0 ? -left : left;
        if (way > most) {
            most = way;
            side = 2 * k + (left > 0);
        }
    }
    *at = lattice_beside(&d->cells, p->cell[slot], side);
    int owner = patch_side(p, slot, side)->owner;
    /* Ours by what we were told, and yet it is not here: it is on its way. */
    return owner == d->node ? DISTRIB_WAIT : owner;
}

int
patch_onward(const struct distrib *d, uint32_t cell, uint32_t *at)
{
    const struct patch *p = patch_of(d);
    struct lattice_point to = lattice_point(&d->cells, cell);
    const struct cellmap_entry *gone = cellmap_find(&p->gone, cell);
    if (gone) return follow(gone, at);
    struct near near = nearest_own(d, to);
    if (*at == LATTICE_NONE) {
        if (near.slot == LATTICE_NONE) return follow_nearest(d, to, at);
    } else if (lattice_apart(lattice_point(&d->cells, *at), to) < near.apart) {
        gone = cellmap_find(&p->gone, *at);
        return gone ? follow(gone, at) : DISTRIB_WAIT;
    }
    return step_from(d, near.slot, to, at);
}
