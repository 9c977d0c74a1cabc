/* lives.h - how much lives on a node, and on each of its cells: counters that fragments are counted
 * in from the moment they are assigned until their last reader is through. So nobody need look at
 * everything there is to know it. What comes from another node for a call lives here from then on,
 * with the call's cell; if the bytes are only lent (block.h), where they lie.
 *
 * A counter of a cell is made when something is bound to it first; it stays, also when the cell has
 * moved away, and what is counted there ends there, whichever node it has gone to. So all counters
 * outlive the nodes: they are freed at once, in the end.
 *
 * Why cells are counted, and not swept: docs/decisions/0022. */
#ifndef LUNA_RUNTIME_LIVES_H
#define LUNA_RUNTIME_LIVES_H

#include "runtime/base/block.h"
#include "runtime/base/err.h"

struct lives;

/* by_cell: else only the whole is counted. E_NOMEM. */
enum err lives_new(struct lives **out, bool by_cell);
/* From now on the counters that are made are of parts of the whole. Each value is counted twice
 * then: so only if somebody asks for the whole. */
void lives_sum_up(struct lives *l);
/* From now on blocks are counted by kind too, 0 to n - 1. E_NOMEM. */
enum err lives_by_kind(struct lives *l, uint32_t n);
/* All that there are. Blocks and nodes have been freed, or will never be. */
void lives_free_all(void);

struct live *lives_whole(struct lives *l); /* lives_sum_up; else of what is bound to no cell */
/* Of cell `bound` - 1, made if there is none; the whole for 0, or without memory. Any thread. */
struct live *lives_of(struct lives *l, uint32_t bound);
/* Of this kind, made if there is none. NULL: nobody asks, or there is no memory. Any thread. */
struct life *lives_kind(struct lives *l, uint32_t kind);
/* The same, if there is one. */
const struct life *lives_kind_found(const struct lives *l, uint32_t kind);
/* NULL: nothing has been counted for the cell. */
const struct live *lives_find(const struct lives *l, uint32_t cell);

#endif
