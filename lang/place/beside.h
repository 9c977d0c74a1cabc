/* beside.h - fragments of which a program with cells does not say where they are: where all calls
 * that name them run with one cell, they are there, too. */
#ifndef LUNA_LANG_PLACE_BESIDE_H
#define LUNA_LANG_PLACE_BESIDE_H

#include "lang/plan/plan.h"
#include "lang/report/diag.h"

/* Adds cell rules to their declarations. told: names them; NULL: nobody wants it. Warns of those
 * that nothing but calls at cells names, and that would live on node 0. */
void beside_run(struct arena *a, struct plan *p, struct diag *d, struct buf *told);

#endif
