/* beyond.h - SEM3.3: fragments that are touched, and outside the shape of their DF. */
#ifndef LUNA_LANG_PROVE_BEYOND_H
#define LUNA_LANG_PROVE_BEYOND_H

#include "lang/prove/judge.h"

void beyond_find(struct question *q, struct finding *best);
/* By fixed int: they matter for that. */
const bool *beyond_marks(const struct walk *w, const struct touched *t);

/* Marks the rows of refs[] in the sub that is looked at which name nothing beyond the shape. */
void beyond_mark(struct question *q, struct plan *p, enum plan_inside how);

#endif
