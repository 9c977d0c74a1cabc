/* beside.h - fragments of which a program with cells does not say where they are: where all calls
 * that name them run with one cell, they are there, too. */
#ifndef LUNA_LANG_PLACE_BESIDE_H
#define LUNA_LANG_PLACE_BESIDE_H

#include "lang/plan/plan.h"

/* Adds cell rules to their declarations. told: names them; NULL: nobody wants it. */
void beside_run(struct arena *a, struct plan *p, struct buf *told);

#endif
