/* choice.h - SEM5: conditions that are always true or false, wherever they are met. */
#ifndef LUNA_LANG_PROVE_CHOICE_H
#define LUNA_LANG_PROVE_CHOICE_H

#include "lang/prove/access.h"
#include "lang/report/diag.h"

/* Tells what is so of the `if`s of a walk, for all ints. */
void choices_tell(struct walk *w, struct sets *s, struct diag *d);

#endif
