/* patch_check.c - are the domains as they must be?
 *
 *     1  each cell has exactly one owner          always, and what a node knows fits
 *     2  no domain is empty                       2 to 5: `shape`, between transfers
 *     3  each domain is connected
 *     4  domains of neighbours in the lattice of nodes touch
 *     5  order: from a cell to the next one in dimension k, the index of the owner in dimension k
 * of the lattice of nodes does not fall
 *
 * A node can check 2 to 5 for itself, by what it knows of the cells beside its own. If all nodes
 * find theirs right, they hold everywhere. */
#include "patch.h"

#include "runtime/base/mem.h"

/* ---- a start given by the caller: invariants 1 to 3 over all cells ---- */

/* All cells during a check: their owners, and which have been seen. */
struct board {
    const struct lattice *cells;
    int nnodes;
    int32_t *owner;
    uint32_t *queue;
    unsigned char *seen, *met; /* per cell; per node: one of its pieces was met */
};

static void
board_fini(struct board *b)
{
    mem_free(b->owner);
    mem_free(b->queue);
    mem_free(b->seen);
    mem_free(b->met);
}

static bool
board_init(struct board *b, const struct lattice *cells, int nnodes)
{
    uint32_t n = lattice_size(cells);
    *b = (struct board){.cells = cells, .nnodes = nnodes};
    b->owner = mem_zalloc(n, sizeof *b->owner);
    b->queue = mem_zalloc(n, sizeof *b->queue);
    b->seen = mem_zalloc(n, 1);
    b->met = mem_zalloc((size_t)nnodes, 1);
    return b->owner && b->queue && b->seen && b->met;
}

/* Marks all cells of the same owner that hang together with `cell`. */
static void
flood(struct board *b, uint32_t cell)
{
    uint32_t head = 0, tail = 0;
    b->seen[cell] = 1;
    b->queue[tail++] = cell;
    while (head < tail) {
        uint32_t c = b->queue[head++];
        for (int s = 0; s < 2 * b->cells->ndims; s++) {
            uint32_t e = lattice_beside(b->cells, c, s);
            if (e == LATTICE_NONE || b->seen[e] || b->owner[e] != b->owner[c]) continue;
            b->seen[e] = 1;
            b->queue[tail++] = e;
        }
    }
}

/* The first flaw, or NULL. */
static const char *
flaw_of(struct board *b)
{
    uint32_t n = lattice_size(b->cells);
    int met = 0;
    for (uint32_t c = 0; c < n; c++) {
        if (b->owner[c] < 0 || b->owner[c] >= b->nnodes)
            return "a cell is given to a node that does not exist";
        if (b->seen[c]) continue;
        if (b->met[b->owner[c]]) return "the cells of a node do not hang together";
        b->met[b->owner[c]] = 1;
        met++;
        flood(b, c);
    }
    return met < b->nnodes ? "a node has no cell" : NULL;
}

enum err
patch_check_start(const struct lattice *cells, int nnodes, int (*owner)(void *who, uint32_t cell),
                  void *who, const char **why)
{
    struct board b;
    enum err e = E_NOMEM;
    if (board_init(&b, cells, nnodes)) {
        for (uint32_t c = 0; c < lattice_size(cells); c++) b.owner[c] = owner(who, c);
        const char *flaw = flaw_of(&b);
        e = flaw ? E_USER : OK;
        if (flaw) *why = flaw;
    }
    board_fini(&b);
    return e;
}

/* ---- what one node knows ---- */

/* The stored owner of the cell at one side against what else is known of it. */
static const char *
flaw_of_side(const struct distrib *d, uint32_t slot, int side)
{
    const struct patch *p = patch_of(d);
    const struct patch_side *s = patch_side(p, slot, side);
    uint32_t beside = lattice_beside(&d->cells, p->cell[slot], side);
    if ((beside == LATTICE_NONE) != (s->owner == PATCH_OUTSIDE)) return "the end of the lattice";
    if (beside == LATTICE_NONE) return NULL;
    if (s->owner < 0 || s->owner >= d->nnodes) return "a cell beside is with no node";
    const struct cellmap_entry *own = cellmap_find(&p->slot, beside);
    if (own && (s->owner != d->node || s->epoch != own->epoch))
        return "an own cell is known in two ways";
    const struct cellmap_entry *gone = cellmap_find(&p->gone, beside);
    if (gone && s->epoch < gone->epoch) return "a cell that was given away is forgotten";
    return NULL;
}

static const char *
flaw_of_view(const struct distrib *d)
{
    const struct patch *p = patch_of(d);
    if (p->n > p->room || p->nearly > p->early_room) return "more is here than there is room for";
    if (p->slot.n != p->n) return "own cells and their map differ";
    for (uint32_t i = 0; i < p->nearly; i++)
        if (patch_owns(d, p->early[i].cell)) return "news waits for a cell that is here";
    for (uint32_t slot = 0; slot < p->n; slot++) {
        const struct cellmap_entry *e = cellmap_find(&p->slot, p->cell[slot]);
        if (!e || e->value != slot) return "an own cell is not where its map says";
        if (cellmap_find(&p->gone, p->cell[slot])) return "an own cell is gone";
        for (int s = 0; s < p->sides; s++) {
            const char *flaw = flaw_of_side(d, slot, s);
            if (flaw) return flaw;
        }
    }
    return NULL;
}

/* How many own cells hang together with the first; without memory, all. */
static uint32_t
connected_cells(const struct distrib *d)
{
    const struct patch *p = patch_of(d);
    uint32_t head = 0, tail = 1, *queue = mem_zalloc(p->n, sizeof *queue);
    unsigned char *seen = mem_zalloc(p->n, 1);
    if (queue && seen) seen[0] = 1;
    while (queue && seen && head < tail) {
        uint32_t slot = queue[head++];
        for (int s = 0; s < p->sides; s++) {
            uint32_t beside = lattice_beside(&d->cells, p->cell[slot], s);
            const struct cellmap_entry *e = cellmap_find(&p->slot, beside);
            if (!e || seen[e->value]) continue;
            seen[e->value] = 1;
            queue[tail++] = e->value;
        }
    }
    if (!queue || !seen) tail = p->n;
    mem_free(queue);
    mem_free(seen);
    return tail;
}

static bool
touches(const struct distrib *d, int node)
{
    const struct patch *p = patch_of(d);
    for (uint64_t i = 0; i < (uint64_t)p->n * (uint64_t)p->sides; i++)
        if (p->side[i].owner == node) return true;
    return false;
}

static bool
is_ordered(const struct distrib *d)
{
    const struct patch *p = patch_of(d);
    struct lattice_point here = lattice_point(&d->nodes, (uint32_t)d->node);
    for (uint32_t slot = 0; slot < p->n; slot++)
        for (int s = 0; s < 2 * d->nodes.ndims && s < p->sides; s++) {
            int owner = patch_side(p, slot, s)->owner, k = s / 2;
            if (owner == PATCH_OUTSIDE || owner == d->node) continue;
            int32_t there = lattice_point(&d->nodes, (uint32_t)owner).at[k];
            if (s % 2 ? there < here.at[k] : there > here.at[k]) return false;
        }
    return true;
}

static const char *
flaw_of_shape(const struct distrib *d)
{
    if (!patch_of(d)->n) return "a domain is empty";
    if (connected_cells(d) != patch_of(d)->n) return "a domain is in pieces";
    for (int s = 0; s < 2 * d->nodes.ndims; s++) {
        uint32_t node = lattice_beside(&d->nodes, (uint32_t)d->node, s);
        if (node != LATTICE_NONE && !touches(d, (int)node))
            return "domains of neighbouring nodes do not touch";
    }
    return is_ordered(d) ? NULL : "domains are out of order";
}

const char *
patch_flaw(const struct distrib *d, bool shape)
{
    const char *flaw = flaw_of_view(d);
    return flaw || !shape || d->node >= d->nnodes ? flaw : flaw_of_shape(d);
}

const char *
patch_flaw_among(struct distrib *const *all, int n)
{
    for (int i = 0; i < n; i++) {
        const struct patch *p = patch_of(all[i]);
        if (p->nearly) return "news waits for a cell that does not come";
        for (uint32_t slot = 0; slot < p->n; slot++)
            for (int s = 0; s < p->sides; s++) {
                uint32_t beside = lattice_beside(&all[i]->cells, p->cell[slot], s);
                int owner = patch_side(p, slot, s)->owner;
                if (beside != LATTICE_NONE && (owner >= n || !patch_owns(all[owner], beside)))
                    return "a cell beside is not where it is believed to be";
            }
    }
    return NULL;
}
