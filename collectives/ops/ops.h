/* ops.h - the operations of reductions on arrays, up to seven operands in one pass.
 *
 * out[i] = in[0][i] op in[1][i] op ..., from the left, so the bits do not depend on how operands
 * are grouped into passes. One pass reads each operand once and writes once; with two operands a
 * pass the sum of n arrays would be written and read again n-2 times. */
#ifndef LUNA_COLLECTIVES_OPS_H
#define LUNA_COLLECTIVES_OPS_H

#include "collectives/coll.h"

enum { OPS_OPERANDS = 7 };

bool ops_has(enum coll_type type, enum coll_op op);
/* n >= 1 operands of `count` elements; no alignment is needed. `out` may be one of them. */
void ops_combine(enum coll_type type, enum coll_op op, void *out, const void *const *in, int n,
                 size_t count);

#endif
