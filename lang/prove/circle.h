/* circle.h - SEM3.2: calls that wait for each other, in whichever iterations. */
#ifndef LUNA_LANG_PROVE_CIRCLE_H
#define LUNA_LANG_PROVE_CIRCLE_H

#include "lang/prove/judge.h"

enum { CIRCLE_MAX = 4 }; /* calls in one circle that is looked for */

struct circles;

/* Who waits for whom among the calls of a walk, without those of which a loop shows that they only
 * wait for earlier iterations. */
struct circles *circles_new(struct walk *w);
/* Keeps in `best` the loudest. */
void circles_find(struct circles *c, struct sets *s, struct finding *best);

#endif
