/* patch_group.c - what would be true of two domains if these cells went from one to the other. */
#include "patch_group.h"

#include "runtime/base/mem.h"

#include <string.h>

void
patch_group_close(struct patch_group *g)
{
    mem_free(g->beside);
    mem_free(g->given);
    mem_free(g->seen);
    mem_free(g->queue);
}

/* Adds the faces of one cell to the counts. */
static void
count_faces(struct patch_group *g, uint32_t slot, int64_t *faces, int sign)
{
    for (int s = 0; s < g->p->sides; s++)
        for (int k = 0, owner = patch_group_owner(g, slot, s); k < PATCH_NEIGHBOURS_MAX; k++)
            if (owner >= 0 && owner == g->neighbour[k]) faces[k] += sign;
}

/* What does not depend on which cells go. */
static void
look_around(struct patch_group *g)
{
    const struct patch *p = g->p;
    g->first = LATTICE_NONE;
    g->left = p->n;
    for (int k = 0; k < PATCH_NEIGHBOURS_MAX; k++) {
        uint32_t node = LATTICE_NONE;
        if (k < 2 * g->d->nodes.ndims) node = lattice_beside(&g->d->nodes, (uint32_t)g->d->node, k);
        g->neighbour[k] = node == LATTICE_NONE ? -1 : (int)node;
    }
    for (uint32_t slot = 0; slot < p->n; slot++) {
        for (int s = 0; s < p->sides; s++) {
            uint32_t beside = lattice_beside(&g->d->cells, p->cell[slot], s);
            const struct cellmap_entry *e = cellmap_find(&p->slot, beside);
            g->beside[(uint64_t)slot * (uint64_t)p->sides + (uint64_t)s] =
                e ? e->value : LATTICE_NONE;
        }
        count_faces(g, slot, g->faces, 1);
    }
}

bool
patch_group_open(struct patch_group *g, const struct distrib *d, int to)
{
    *g = (struct patch_group){.d = d, .p = patch_of(d), .to = to};
    uint64_t n = g->p->n;
    g->beside = mem_zalloc(n * (uint64_t)g->p->sides, sizeof *g->beside);
    g->given = mem_zalloc(n, sizeof *g->given);
    g->seen = mem_zalloc(n, sizeof *g->seen);
    g->queue = mem_zalloc(n, sizeof *g->queue);
    if (!g->beside || !g->given || !g->seen || !g->queue) return false;
    look_around(g);
    return true;
}

bool
patch_group_touches(const struct patch_group *g, uint32_t slot)
{
    for (int s = 0; s < g->p->sides; s++) {
        if (patch_group_owner(g, slot, s) != g->to) continue;
        uint32_t e = patch_group_beside(g, slot, s);
        if (g->first == LATTICE_NONE || e != LATTICE_NONE) return true;
    }
    return false;
}

/* ---- may a cell go? ---- */

/* protocols 9.5: owners before it stand not behind `to`, owners behind it not before `to`. Why this
 * order and no other: docs/decisions/0013. */
static bool
keeps_order(const struct patch_group *g, uint32_t slot)
{
    struct lattice_point here = lattice_point(&g->d->nodes, (uint32_t)g->to);
    for (int s = 0; s < 2 * g->d->nodes.ndims && s < g->p->sides; s++) {
        int owner = patch_group_owner(g, slot, s);
        if (owner == PATCH_OUTSIDE || owner == g->to) continue;
        int32_t there = lattice_point(&g->d->nodes, (uint32_t)owner).at[s / 2];
        if (s % 2 ? there < here.at[s / 2] : there > here.at[s / 2]) return false;
    }
    return true;
}

/* What the faces become when the cell goes. */
static void
faces_without(struct patch_group *g, uint32_t slot, int64_t *faces)
{
    count_faces(g, slot, faces, -1);
    for (int s = 0; s < g->p->sides; s++)
        for (int k = 0; k < PATCH_NEIGHBOURS_MAX; k++)
            faces[k] += g->neighbour[k] == g->to && patch_group_owner(g, slot, s) == g->d->node;
}

/* protocols 9.4: our rest without the cell still touches all neighbours it touched. */
static bool
keeps_contact(struct patch_group *g, uint32_t slot)
{
    int64_t faces[PATCH_NEIGHBOURS_MAX];
    memcpy(faces, g->faces, sizeof faces);
    faces_without(g, slot, faces);
    for (int k = 0; k < PATCH_NEIGHBOURS_MAX; k++)
        if (g->faces[k] > 0 && faces[k] <= 0) return false;
    return true;
}

/* protocols 9.3: a flood from one cell of our rest beside it meets the others beside it. It mostly
 * ends soon, since they are near each other. */
static bool
keeps_connected(struct patch_group *g, uint32_t slot)
{
    int sides = g->p->sides, wanted = 0;
    uint32_t head = 0, tail = 0, now = ++g->round;
    const uint32_t *beside = &g->beside[(uint64_t)slot * (uint64_t)sides];
    g->seen[slot] = now;
    for (int s = 0; s < sides; s++) {
        if (patch_group_owner(g, slot, s) != g->d->node) continue;
        if (wanted++) continue;
        g->seen[beside[s]] = now;
        g->queue[tail++] = beside[s];
    }
    while (head < tail && wanted > 1) {
        uint32_t c = g->queue[head++];
        for (int s = 0; s < sides; s++) {
            uint32_t e = g->beside[(uint64_t)c * (uint64_t)sides + (uint64_t)s];
            if (e == LATTICE_NONE || g->given[e] || g->seen[e] == now) continue;
            g->seen[e] = now;
            g->queue[tail++] = e;
            for (int k = 0; k < sides; k++) wanted -= beside[k] == e;
        }
    }
    return wanted == 1;
}

bool
patch_group_may(struct patch_group *g, uint32_t slot)
{
    return g->left > 1 && keeps_order(g, slot) && keeps_contact(g, slot) &&
           keeps_connected(g, slot);
}

void
patch_group_join(struct patch_group *g, uint32_t slot)
{
    faces_without(g, slot, g->faces);
    g->given[slot] = true;
    g->left--;
    if (g->first == LATTICE_NONE) g->first = slot;
}

/* A neighbour in the lattice none of whose cells is beside ours. */
static bool
is_out_of_touch(const struct patch_group *g)
{
    for (int k = 0; k < PATCH_NEIGHBOURS_MAX; k++)
        if (g->neighbour[k] == g->to && !g->faces[k]) return true;
    return false;
}

bool
patch_may_give(const struct distrib *d, uint32_t cell, int to)
{
    struct patch_group g;
    const struct cellmap_entry *e = cellmap_find(&patch_of(d)->slot, cell);
    bool may = patch_group_open(&g, d, to) && e &&
               (patch_group_touches(&g, e->value) || is_out_of_touch(&g)) &&
               patch_group_may(&g, e->value);
    patch_group_close(&g);
    return may;
}

/* ---- who must hold still? ---- */

static void
call_once(struct cellmap *met, int node, void (*fn)(void *who, int node), void *who)
{
    if (cellmap_find(met, (uint32_t)node)) return;
    cellmap_put(met, (uint32_t)node, 0, 0);
    fn(who, node);
}

enum err
patch_witnesses(const struct distrib *d, int to, const uint32_t *cells, uint32_t n,
                void (*fn)(void *who, int node), void *who)
{
    const struct patch *p = patch_of(d);
    struct cellmap met = {0}; /* nodes */
    if (!cellmap_reserve(&met, n * (uint32_t)p->sides + PATCH_NEIGHBOURS_MAX + 2)) return E_NOMEM;
    cellmap_put(&met, (uint32_t)d->node, 0, 0);
    cellmap_put(&met, (uint32_t)to, 0, 0);
    for (int k = 0; k < 2 * d->nodes.ndims; k++) {
        uint32_t node = lattice_beside(&d->nodes, (uint32_t)d->node, k);
        if (node != LATTICE_NONE) call_once(&met, (int)node, fn, who);
    }
    for (uint32_t i = 0; i < n; i++)
        for (int s = 0; s < p->sides; s++) {
            int node = patch_side(p, cellmap_find(&p->slot, cells[i])->value, s)->owner;
            if (node != PATCH_OUTSIDE) call_once(&met, node, fn, who);
        }
    cellmap_fini(&met);
    return OK;
}
