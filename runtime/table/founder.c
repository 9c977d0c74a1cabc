/* founder.c - see founder.h. Called by emitted expressions. */
#include "founder.h"

#include "runtime/base/exit.h"
#include "runtime/fault/fault.h"
#include "runtime/table/cells.h"
#include "runtime/table/name.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

static struct founders founders;

void
founders_set(const struct founders *f)
{
    founders = *f;
}

void
founders_settle(const struct founders *f)
{
    founders.cells = f->cells;
    founders.of = f->of;
    founders.who = f->who;
}

int32_t
luna_nodes(const luna_env *e)
{
    (void)e;
    return founders.nodes;
}

static _Noreturn void
outside(const luna_env *e, const int32_t *at)
{
    const struct luna_program *p = fault_program();
    char cell[CELLS_TEXT], cf[NAME_MAX_TEXT] = "";
    name_site(p, e, cf, sizeof cf);
    cells_text(founders.cells, at, cell);
    fault_begin(F_RUN13, e->site->place, "node(%s) is outside the lattice%s%s", cell,
                *cf ? ", in " : "", cf);
    cells_tell_outside(p, founders.cells, at);
    fault_end(EXIT_RUN);
}

int32_t
luna_node_of(const luna_env *e, int32_t i, int32_t j, int32_t k)
{
    const int32_t at[LATTICE_DIMS_MAX] = {i, j, k};
    assert(founders.cells); /* else the compiler has refused it */
    uint32_t cell = lattice_number(founders.cells, at);
    if (cell == LATTICE_NONE) outside(e, at);
    return founders.of ? founders.of(founders.who, cell) : 0;
}
