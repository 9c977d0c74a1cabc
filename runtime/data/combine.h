/* combine.h - two values made one, by the operations that reductions have built in.
 *
 * Ints wrap around; reals are added and multiplied as they stand. min and max of reals know -0 as
 * less than 0, and are NaN as soon as one is, always the same NaN: so they do not depend on the
 * order. && and || give 0 or 1. Arrays are combined item by item: bytes are doubles, or what the
 * program says.
 *
 * It must not know indices or elements. */
#ifndef LUNA_RUNTIME_COMBINE_H
#define LUNA_RUNTIME_COMBINE_H

#include "runtime/data/value.h"

/* What bytes are arrays of. Of the first two there are single numbers too. */
enum combine_items {
    COMBINE_REAL, COMBINE_INT, COMBINE_INT64, COMBINE_FLOAT, COMBINE_COMPLEX, COMBINE_ITEMS
};
size_t      combine_item_bytes(enum combine_items items);
const char *combine_items_text(enum combine_items items); /* "doubles" */

enum combined { COMBINED, COMBINE_TYPES, COMBINE_SIZES, COMBINE_NOMEM };

/* Whether the operations take it: bytes of whole items; an int or a real where items may be those.
 * Complex numbers have + and * only: others are refused by the compiler. */
bool combine_takes(luna_value v, enum combine_items items);
/* Whether values of this type may be combined in any order, and give the same bits. */
bool combine_in_any_order(enum luna_operation op, uint32_t type,
                          enum combine_items items);
/* *a = *a op b. Takes b; if it fails, too. An operation of the program (LUNA_R_SUB) is none of
 * these. */
enum combined combine(enum luna_operation op, luna_value *a, luna_value b,
                      enum combine_items items);
/* The same of two numbers that are added, which most are. False: they are not, nothing was done. */
static inline bool
combine_sum(enum luna_operation op, luna_value *a, luna_value b)
{
    if (op != LUNA_R_ADD || a->type != b.type) return false;
    if (a->type == LUNA_REAL) a->w.d += b.w.d;
    else if (a->type == LUNA_INT) a->w.i = (int32_t)((uint32_t)a->w.i + (uint32_t)b.w.i);
    else return false;
    return true;
}
/* What an operation makes of one element: its truth, or itself. Takes v; unset: out of memory. */
luna_value combine_one(enum luna_operation op, luna_value v, enum combine_items items);
/* Of no elements; false: it has no such value. */
bool combine_none(enum luna_operation op, bool reals, luna_value *v);

#endif
