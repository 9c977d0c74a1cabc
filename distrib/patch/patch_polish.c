/* patch_polish.c - single cells that would make what is sent between nodes travel less far. */
#include "patch_group.h"

/* A face between cells without load costs little, but it costs: domains stay smooth there too. */
static const double idle_face = .05;

static double
face_weight(const struct patch_group *g, uint32_t slot, int side, distrib_load_fn *load, void *who)
{
    uint32_t beside = lattice_beside(&g->d->cells, g->p->cell[slot], side);
    return load(who, g->p->cell[slot]) > 0 && load(who, beside) > 0 ? 1 : idle_face;
}

/* By how much the sum over faces of the distance between their owners rises if the cell goes. */
static double
rise_of(const struct patch_group *g, uint32_t slot, distrib_load_fn *load, void *who)
{
    double rise = 0;
    for (int s = 0; s < g->p->sides; s++) {
        int owner = patch_group_owner(g, slot, s);
        if (owner == PATCH_OUTSIDE) continue;
        int farther =
            distrib_distance(g->d, owner, g->to) - distrib_distance(g->d, owner, g->d->node);
        rise += farther * face_weight(g, slot, s, load, who);
    }
    return rise;
}

enum err
patch_best(const struct distrib *d, int to, const struct distrib_wish *wish, uint32_t *cell,
           double *rise)
{
    struct patch_group g;
    enum err e = patch_group_open(&g, d, to) ? OK : E_NOMEM;
    for (uint32_t slot = 0; e == OK && slot < g.p->n; slot++) {
        uint32_t c = g.p->cell[slot];
        if (c == wish->except || !patch_group_touches(&g, slot)) continue;
        double w = wish->load(wish->who, c);
        if (w < wish->least || w > wish->most) continue;
        double r = rise_of(&g, slot, wish->load, wish->who);
        if (*cell != LATTICE_NONE && r >= *rise) continue;
        if (!patch_group_may(&g, slot)) continue;
        *cell = c;
        *rise = r;
    }
    patch_group_close(&g);
    return e;
}
