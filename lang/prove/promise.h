/* promise.h - SEM3.5: a `req_count` that is not the number of readers. */
#ifndef LUNA_LANG_PROVE_PROMISE_H
#define LUNA_LANG_PROVE_PROMISE_H

#include "lang/prove/judge.h"

bool promise_any(const struct touched *t);
/* By fixed int: it matters for what is promised. */
const bool *promise_marks(const struct walk *w, const struct touched *t);
/* Keeps in `best` the loudest; q was begun with these marks. */
void promise_find(struct question *q, struct finding *best);

#endif
