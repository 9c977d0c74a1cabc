/* shape.h - what members of a group are asked for: is it possible, what follows from it, and did
 * all say the same? No memory is made here, and nobody is talked to.
 *
 *     setup of the user --shape_wrong--> why not
 *                       --shape_of-----> shape of each member --shape_differs--> who means another
 */
#ifndef LUNA_COLLECTIVES_SHAPE_H
#define LUNA_COLLECTIVES_SHAPE_H

#include "collectives/group/layout.h"

enum { CELLS_MAX = 65535 }; /* the words `in` and `out` have 16 bits for a count */

/* What all members must say alike; what the user leaves open is chosen. */
struct shape {
    int64_t size, layout, fragment, cell, cells, sets, tree, fan_out; /* cell: follows */
};

/* True: what was asked for cannot be, and `why` tells it. The first is about who the caller is:
 * without that one cannot even tell the others. */
bool shape_wrong_place(const struct coll_setup *s, char why[COLL_WHY]);
bool shape_wrong(const struct coll_setup *s, char why[COLL_WHY]);

/* Of a setup that is not wrong. */
struct shape shape_of(const struct coll_setup *s);

/* True: a, of `rank`, is not as b, of rank 0. */
bool shape_differs(const struct shape *a, const struct shape *b, int rank, char why[COLL_WHY]);

#endif
