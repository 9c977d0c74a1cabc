/* check.c - the invariants, over the views of all nodes of a run. */
#include "kind.h"

#include "runtime/base/mem.h"

const char *
distrib_flaw(const struct distrib *d, bool shape)
{
    return d->kind->flaw ? d->kind->flaw(d, shape) : NULL;
}

/* How many owners each cell has. */
static void
count_owner(void *who, uint32_t cell)
{
    unsigned char *owners = who;
    if (owners[cell] < 2) owners[cell]++;
}

static const char *
flaw_of_owners(struct distrib *const *all, int n, unsigned char *owners)
{
    for (int i = 0; i < n; i++) distrib_each(all[i], count_owner, owners);
    for (uint32_t c = 0; c < all[0]->ncells; c++)
        if (owners[c] != 1) return owners[c] ? "a cell has two owners" : "a cell has no owner";
    return NULL;
}

const char *
distrib_flaw_among(struct distrib *const *all, int n, bool shape)
{
    unsigned char *owners = mem_zalloc(all[0]->ncells, 1);
    if (!owners) return "there is no memory to check the owners";
    const char *flaw = flaw_of_owners(all, n, owners);
    mem_free(owners);
    for (int i = 0; i < n && !flaw; i++) flaw = distrib_flaw(all[i], shape);
    if (!flaw && all[0]->kind->flaw_among) flaw = all[0]->kind->flaw_among(all, n);
    return flaw;
}
