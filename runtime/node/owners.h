/* owners.h - who owns which cells when a run begins. layout.h finds it out. */
#ifndef LUNA_RUNTIME_OWNERS_H
#define LUNA_RUNTIME_OWNERS_H

#include "distrib/distrib.h"

struct layout {
    bool has_cells;
    bool later; /* it will, when the lattice comes */
    struct lattice cells;       /* the program's */
    struct distrib_setup setup; /* of its nodes; `node` is filled in for each */
    const char *start;          /* even, half, or the name of a file */
    int *owners;                /* read from a file; NULL: by a formula */
};

#endif
