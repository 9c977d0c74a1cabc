/* depth.c - see depth.h. */
#include "depth.h"

#include "runtime/node/node.h"
#include "runtime/run/stuck.h"

#include <stdio.h>

enum { DEPTH_TOLD = 1000 };

static uint64_t
deepest(const struct nodes *all)
{
    uint64_t most = 0;
    for (int i = 0; i < all->n; i++) {
        const struct node *n = all->node[i];
        for (int k = 0; k < n->nworkers; k++) {
            uint64_t d = atomic_load_explicit(&n->workers[k].deepest, memory_order_relaxed);
            if (d >> 32 > most >> 32) most = d;
        }
    }
    return most;
}

const struct luna_sub *
depth_tell(const struct nodes *all, char text[DEPTH_TEXT])
{
    uint64_t most = deepest(all);
    unsigned depth = (unsigned)(most >> 32);
    *text = 0;
    if (depth < DEPTH_TOLD) return NULL;
    const struct luna_sub *sub = &all->node[0]->program->subs[(uint32_t)most];
    snprintf(text, DEPTH_TEXT, "'%.60s' is nested %u deep%s", sub->name, depth,
             depth == UINT16_MAX ? ", or more" : "");
    return sub;
}
