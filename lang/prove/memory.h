/* memory.h - how much is alive at most, as a table for `luna check --memory`.
 *
 * A DF has so many levels of so many lines (alive.h), times the calls of the sub that declares it,
 * times the bytes of a value. These follow from its `bytes` rule; a number, which is what all
 * read as one, has 8. */
#ifndef LUNA_LANG_PROVE_MEMORY_H
#define LUNA_LANG_PROVE_MEMORY_H

#include "lang/prove/alive.h"
#include "lang/report/diag.h"
#include "runtime/base/buf.h"

struct memory;
/* size_of: of values without a rule; size_who NULL: nobody knows. */
struct memory *memory_new(struct arena *a, const struct plan *p, const struct main_args *args,
                          double (*size_of)(const void *who, const char *name),
                          const void *size_who);
/* What parameters are called with, by sub, where that is the same int each time. */
const struct main_args *memory_given(const struct memory *m);
/* w was made for these; `name`: of t, as it is told. */
void memory_add(struct memory *m, struct walk *w, const struct touched *t,
                const struct alive *alive, const char *name);
/* MEM1: more than `limit` (0: there is none), or nobody knows how much. */
void memory_tell(struct memory *m, uint64_t limit, struct diag *d, struct buf *out);

#endif
