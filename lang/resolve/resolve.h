/* resolve.h - names to declarations: fills every `by resolve` field of ast.h.
 *
 * Reports what makes a name meaningless (SYN2, SYN6-SYN9, SYN11 ...); a name reported once is
 * silent afterwards, so that nothing cascades. */
#ifndef LUNA_LANG_RESOLVE_RESOLVE_H
#define LUNA_LANG_RESOLVE_RESOLVE_H

#include "lang/report/diag.h"
#include "lang/tree/ast.h"

void resolve_run(struct arena *a, struct ast *t, struct diag *d);
void resolve_dump(const struct ast *t, struct buf *out);

#endif
