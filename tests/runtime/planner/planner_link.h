/* planner_link.h - whom planners may speak to: neighbours, nodes whose domains touch theirs in the
 * plan, and the owners of cells that are planned for them. */
#ifndef LUNA_TESTS_PLANNER_LINK_H
#define LUNA_TESTS_PLANNER_LINK_H

#include "runtime/planner/planner.h"

/* A message of `from` that leaves now. `line`: of nodes, on a rope a line; `map`: who owns what, as
 * `to` sees it; `p`: the planner of `from`, or NULL: then nothing is said of what goes by the plan.
 * NULL if it may go there, else why not. */
const char *planner_link_flaw(const struct lattice *line, int from, int to,
                              const struct distrib *map, const struct planner *p, const void *bytes,
                              size_t n);

#endif
