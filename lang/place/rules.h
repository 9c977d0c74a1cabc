/* rules.h - a grid as rows of the plan, beside those that the user wrote. */
#ifndef LUNA_LANG_PLACE_RULES_H
#define LUNA_LANG_PLACE_RULES_H

#include "lang/place/grid.h"

/* Adds lattice, cell rules and what each call follows. DFs for which a rule cannot be said get
 * none: then grid->ruled is false. */
void rules_install(struct plan *p, const struct place_graph *g, struct grid *grid);
/* Whether the row says nothing of a fragment's value. */
bool rules_are_early(const struct plan *p, uint32_t expr);

#endif
