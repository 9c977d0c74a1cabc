/* choice.h - SEM5, SEM6: conditions that are always true or false, wherever they are met or for all
 * calls of their sub. */
#ifndef LUNA_LANG_PROVE_CHOICE_H
#define LUNA_LANG_PROVE_CHOICE_H

#include "lang/prove/access.h"
#include "lang/report/diag.h"

/* Tells what is so of the `if`s of a walk, for all ints. */
void choices_tell(struct walk *w, struct sets *s, struct diag *d);
/* The same for what the sub of w is called with: `callers` are the walks of those that call it. */
void choices_tell_calls(struct walk *w, struct walk *const *callers, int n, struct sets *s,
                        struct diag *d);

#endif
