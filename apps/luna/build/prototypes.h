/* prototypes.h - do the imports of the program fit the functions in Fortran that they name (SYN12)?
 *
 * The compiler prints what they are in C, and that is compared with the imports as any C is
 * (signature.h). It is asked only about files that define such a function. */
#ifndef LUNA_APPS_PROTOTYPES_H
#define LUNA_APPS_PROTOTYPES_H

#include "apps/luna/build/units.h"

/* Fills unit.prototypes of what was compiled; gives an exit code, or 0. */
int prototypes_ask(struct units *u);
/* Reports the imports that do not fit the functions of this unit. */
void prototypes_compare(struct units *u, const struct unit *x);

#endif
