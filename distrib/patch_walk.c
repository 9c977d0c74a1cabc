/* patch_walk.c - the next hop of a message that looks for a cell.
 *
 * The message carries `at`, a cell which the node it is sent to is believed to own. A node goes on
 * from the cell it owns that is nearest to the one looked for, and hands the message to the owner
 * of a cell beside it that is nearer by one. So from hop to hop the way from `at` gets shorter, and
 * a node that was left is never met again, whatever the shapes of the domains.
 *
 * If `at` is not ours any more, the message goes after it: to whom we gave it. If it has never been
 * ours, it is on its way to us, and the message waits for it. docs/protocols.md tells why this ends
 * also while cells move. */
#include "patch.h"

/* The nearest own cell, as a slot, and how far it is. */
struct near {
    uint32_t slot;
    int apart;
};

static struct near
nearest_in_box(const struct distrib *d, struct lattice_point to)
{
    for (int k = 0; k < LATTICE_DIMS_MAX; k++) {
        int32_t lo = d->bounds.lo.at[k], hi = d->bounds.hi.at[k];
        to.at[k] = to.at[k] < lo ? lo : to.at[k] > hi ? hi : to.at[k];
    }
    uint32_t slot = cellmap_get(&patch_of(d)->slot, lattice_number(&d->cells, to.at));
    return (struct near){slot, 0};
}

static struct near
nearest_own(const struct distrib *d, struct lattice_point to)
{
    const struct patch *p = patch_of(d);
    struct near best = {LATTICE_NONE, INT32_MAX};
    if (p->boxed) best = nearest_in_box(d, to);
    for (uint32_t slot = 0; !p->boxed && slot < p->n; slot++) {
        int apart = lattice_apart(lattice_point(&d->cells, p->cell[slot]), to);
        if (apart < best.apart) best = (struct near){slot, apart};
    }
    if (best.slot != LATTICE_NONE)
        best.apart = lattice_apart(lattice_point(&d->cells, p->cell[best.slot]), to);
    return best;
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
    return patch_side(p, slot, side)->owner;
}

int
patch_onward(const struct distrib *d, uint32_t cell, uint32_t *at)
{
    struct lattice_point to = lattice_point(&d->cells, cell);
    struct near near = nearest_own(d, to);
    return step_from(d, near.slot, to, at);
}
