/* patch_mend.c - a domain in pieces: all but the largest belong elsewhere. */
#include "patch.h"

#include "runtime/base/mem.h"

/* The pieces of a domain, one behind the other in `order`. */
struct pieces {
    uint32_t *order; /* slots */
    bool *seen;
    uint32_t largest, largest_end; /* where it stands */
};

/* The cells that hang together with the one at the end of what is ordered. Gives the new end. */
static uint32_t
flood(const struct distrib *d, struct pieces *p, uint32_t first)
{
    const struct patch *own = patch_of(d);
    uint32_t end = first + 1;
    for (uint32_t i = first; i < end; i++)
        for (int s = 0; s < own->sides; s++) {
            uint32_t beside = lattice_beside(&d->cells, own->cell[p->order[i]], s);
            const struct cellmap_entry *e = cellmap_find(&own->slot, beside);
            if (!e || p->seen[e->value]) continue;
            p->seen[e->value] = true;
            p->order[end++] = e->value;
        }
    return end;
}

static void
find_pieces(const struct distrib *d, struct pieces *p)
{
    uint32_t end = 0;
    for (uint32_t slot = 0; slot < patch_of(d)->n; slot++) {
        if (p->seen[slot]) continue;
        uint32_t first = end;
        p->seen[slot] = true;
        p->order[first] = slot;
        end = flood(d, p, first);
        if (end - first <= p->largest_end - p->largest) continue;
        p->largest = first;
        p->largest_end = end;
    }
}

static int
faces_with(const struct patch *own, const uint32_t *slot, uint32_t n, int node)
{
    int faces = 0;
    for (uint32_t i = 0; i < n; i++)
        for (int s = 0; s < own->sides; s++) faces += patch_side(own, slot[i], s)->owner == node;
    return faces;
}

/* Whoever has most faces with a piece; of several the one with the lowest number. */
static int
best_home(const struct distrib *d, const uint32_t *slot, uint32_t n)
{
    const struct patch *own = patch_of(d);
    int best = -1, most = 0;
    for (uint32_t i = 0; i < n; i++)
        for (int s = 0; s < own->sides; s++) {
            int node = patch_side(own, slot[i], s)->owner;
            if (node == PATCH_OUTSIDE || node == d->node || node == best) continue;
            int faces = faces_with(own, slot, n, node);
            if (faces < most || (faces == most && node > best)) continue;
            best = node;
            most = faces;
        }
    return best;
}

enum err
patch_strays(const struct distrib *d, void (*fn)(void *who, uint32_t cell, int to), void *who)
{
    const struct patch *own = patch_of(d);
    struct pieces p = {.order = mem_zalloc(own->n, sizeof *p.order),
                       .seen = mem_zalloc(own->n, sizeof *p.seen)};
    enum err e = p.order && p.seen ? OK : E_NOMEM;
    if (e == OK) find_pieces(d, &p);
    for (uint32_t first = 0, end; e == OK && first < own->n; first = end) {
        for (uint32_t i = 0; i < own->n; i++) p.seen[i] = false;
        p.seen[p.order[first]] = true;
        end = flood(d, &p, first); /* the same piece once more, and so where it ends */
        if (first == p.largest) continue;
        int to = best_home(d, p.order + first, end - first);
        for (uint32_t i = first; i < end; i++) fn(who, own->cell[p.order[i]], to);
    }
    mem_free(p.order);
    mem_free(p.seen);
    return e;
}
