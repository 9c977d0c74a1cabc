/* settle.h - the lattice of cells comes while the program runs: when the sub behind which `cells`
 * stands is called. Its sides are known from then on, and so is who owns which cell.
 *
 *     node that begins the call               each other node
 *     has the lattice
 *     the body waits         --LATTICE-->     has it
 *                            <--SETTLED--
 *     all have answered:
 *     cells may move,        --SETTLED-->     cells may move
 *     the body begins
 *
 * Always true: what is bound to a cell is named by a statement of that body, or of one below it. So
 * nothing asks for the owner of a cell on a node that does not have the lattice. No cell is given
 * away before all have it. */
#ifndef LUNA_RUNTIME_SETTLE_H
#define LUNA_RUNTIME_SETTLE_H

#include "runtime/node/msg.h"
#include "runtime/node/node.h"

/* Is this the call of a sub that makes the lattice? */
static inline bool
settle_is_due(const struct node *n, uint32_t sub)
{
    return __builtin_expect(n->settle != NULL, 0) && sub == n->program->lattice_sub;
}

/* Such a call begins, at this place, with the body of its activation. True: that may begin now;
 * false: it will, when all nodes have the lattice. A second such call is a fault. */
bool settle_begin(struct worker *w, struct range *body, uint32_t place);

/* Handlers; false: malformed. */
bool on_lattice(struct worker *w, struct reader *r);
bool on_settled(struct worker *w, struct reader *r);

#endif
