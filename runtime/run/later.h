/* later.h - the layout of a run whose lattice of cells comes while it goes on: a node that knows
 * its sides asks here for all that follows from them. */
#ifndef LUNA_RUNTIME_LATER_H
#define LUNA_RUNTIME_LATER_H

#include "runtime/run/layout.h"
#include "runtime/run/rebalance_knobs.h"

/* What was chosen when the run began; all lent, the layout and the knobs are completed. */
void later_open(struct layout *l, struct rebalance_knobs *k, const struct run_options *o);
/* For node.settle. What does not fit ends the run. */
void later_settle(struct worker *w, const struct lattice *cells, uint32_t place);

#endif
