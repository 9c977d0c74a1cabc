/* lower.h - tree to fragment plan: what waits for what, where names are found at run time. */
#ifndef LUNA_LANG_LOWER_LOWER_H
#define LUNA_LANG_LOWER_LOWER_H

#include "lang/plan/plan.h"
#include "lang/report/diag.h"

/* The tree has no errors; lower may still report a few that only it can see (EXT5, EXT6). */
struct plan *lower_run(struct arena *a, const struct source *s, const struct ast *t,
                       struct diag *d);
void lower_dump(const struct plan *p, struct buf *out);

#endif
