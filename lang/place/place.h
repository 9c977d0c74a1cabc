/* place.h - where fragments should be, if the program does not say: a lattice of cells, and a rule
 * for each DF.
 *
 * Found from who touches what, by statements as they are written (graph.h): counters and indices
 * that go along with each other are directions (directions.h); those in which each turn waits for
 * the one before are time (carry.h), the others space. Of all grids along one to three of these
 * (grid.h) that which costs least (cost.h) becomes rules beside the plan's own (rules.h): they are
 * in force where there are several nodes. */
#ifndef LUNA_LANG_PLACE_PLACE_H
#define LUNA_LANG_PLACE_PLACE_H

#include "lang/plan/plan.h"
#include "lang/report/diag.h"
#include "lang/report/source.h"
#include "runtime/base/buf.h"

/* told: for users, what was found, or why nothing; NULL: nobody wants it. Programs that say
 * something about place keep what they say (beside.h). */
void place_run(struct arena *a, struct plan *p, const struct source *s, struct diag *d,
               struct buf *told);

#endif
