/* around.h - what is surely so at a statement, by the ends of the loops around it and what its sub
 * requires. Conditions are not looked at: there are questions in which they say nothing. */
#ifndef LUNA_LANG_PROVE_AROUND_H
#define LUNA_LANG_PROVE_AROUND_H

#include "lang/prove/access.h"

/* The sum is at least 0 where the walk is, or nobody ever comes there. False: perhaps. */
bool around_holds(const struct walk *w, const struct sum *sum);

#endif
