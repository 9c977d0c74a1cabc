/* combine.h - two values made one, by the operations that reductions have built in.
 *
 * Ints wrap around; reals are added and multiplied as they stand. min and max of reals know -0 as
 * less than 0, and are NaN as soon as one is, always the same NaN: so they do not depend on the
 * order. && and || give 0 or 1. Arrays are combined element by element: bytes are doubles, or
 * 32-bit ints where the program says so. */
#ifndef LUNA_RUNTIME_COMBINE_H
#define LUNA_RUNTIME_COMBINE_H

#include "runtime/data/value.h"

enum combined { COMBINED, COMBINE_TYPES, COMBINE_SIZES, COMBINE_NOMEM };

/* Whether the operations take it: an int, a real, bytes of whole elements. */
bool combine_takes(luna_value v, bool ints);
/* Whether values of this type may be combined in any order, and give the same bits. */
bool combine_in_any_order(enum luna_operation op, uint32_t type, bool ints);
/* *a = *a op b. Takes b; if it fails, too. An operation of the program (LUNA_R_SUB) is none of
 * these. */
enum combined combine(enum luna_operation op, luna_value *a, luna_value b, bool ints);
/* What an operation makes of one element: its truth, or itself. Takes v; unset: out of memory. */
luna_value combine_one(enum luna_operation op, luna_value v, bool ints);
/* Of no elements; false: it has no such value. */
bool combine_none(enum luna_operation op, bool reals, luna_value *v);

#endif
