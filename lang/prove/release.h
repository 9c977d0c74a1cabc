/* release.h - values that only the last turn of a `while` has a reader for.
 *
 *     while residual[t] > EPS, t = 0 .. out steps { ... => residual[t+1]; }
 *     report(residual[steps]);
 *
 * Whoever writes residual[t+1] does not know whether that turn was the last. But the body of a
 * turn knows that there is a next one: if it reads residual[t], too, and does nothing with it, each
 * value has as many readers as the last one. Such a reader is made up, and stands in the plan as an
 * `if` that waits for the value and never holds. */
#ifndef LUNA_LANG_PROVE_RELEASE_H
#define LUNA_LANG_PROVE_RELEASE_H

#include "lang/prove/access.h"

struct release {
    struct touched with;          /* the DF with this reader */
    const struct access *behind;  /* the one behind the `while` */
    uint32_t loop; /* the block of the `while`: rows of sites move when more are made */
};

/* False: there is no such reader behind a `while`. */
bool release_of(const struct walk *w, const struct touched *t, struct release *out);
/* Puts the reader into the plan. */
void release_install(struct plan *p, const struct release *r);

#endif
