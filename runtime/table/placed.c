/* placed.c - two tables, copied and patched. */
#include "placed.h"

#include "runtime/base/mem.h"

#include <string.h>

struct luna_program *
placed_new(const struct luna_program *p)
{
    struct luna_program *copy = mem_alloc(sizeof *copy);
    struct luna_decl *dfs = mem_alloc((p->ndfs + 1) * sizeof *dfs);
    struct luna_site *sites = mem_alloc((p->nsites + 1) * sizeof *sites);
    if (!copy || !dfs || !sites) {
        mem_free(copy);
        mem_free(dfs);
        mem_free(sites);
        return NULL;
    }
    memcpy(dfs, p->dfs, p->ndfs * sizeof *dfs);
    memcpy(sites, p->sites, p->nsites * sizeof *sites);
    for (uint32_t i = 0; i < p->nplaced_dfs; i++)
        dfs[p->placed_dfs[i].row].about = p->placed_dfs[i].now;
    for (uint32_t i = 0; i < p->nplaced_sites; i++)
        sites[p->placed_sites[i].row].rules = p->placed_sites[i].now;
    *copy = *p;
    copy->dfs = dfs;
    copy->sites = sites;
    copy->extent = p->placed_extent;
    copy->nextents = p->nplaced_extents;
    copy->lattice_sub = p->main;
    copy->is_placed = 1;
    return copy;
}

void
placed_free(struct luna_program *p)
{
    if (!p) return;
    mem_free((void *)p->dfs);
    mem_free((void *)p->sites);
    mem_free(p);
}
