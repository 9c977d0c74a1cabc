/* strides.h - loops with a step: where the coordinate of a counter is the number of its turn.
 *
 *     for i = 0 .. n by 2   x[i] is of the turn i / 2, so cells in between would stay empty
 *
 * Of a loop that goes down turns are numbered from its low end, so that coordinates grow with
 * indices. A loop that touches what others make one by one, or by another step, keeps its counter:
 * what is between its turns is there, too. */
#ifndef LUNA_LANG_PLACE_STRIDES_H
#define LUNA_LANG_PLACE_STRIDES_H

#include "lang/place/graph.h"

/* Counters and indices of the graph change. */
void strides_find(struct place_graph *g);

#endif
