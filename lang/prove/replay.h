/* replay.h - a witness comes true, or it is not told: the rows of the plan are computed for it by
 * the arithmetic of the run. */
#ifndef LUNA_LANG_PROVE_REPLAY_H
#define LUNA_LANG_PROVE_REPLAY_H

#include "lang/prove/access.h"

/* With these values for the fixed ints and for the counters around it, the access happens, and
 * touches the fragment with these `n` words. */
bool replay_access(const struct walk *w, const struct access *a, const int64_t *fixed,
                   const int64_t *counters, const int64_t *vector, int n);
/* The call happens, and does not fulfil what its sub requires. */
bool replay_breach(const struct walk *w, const struct breach *b, const int64_t *fixed,
                   const int64_t *counters);

#endif
