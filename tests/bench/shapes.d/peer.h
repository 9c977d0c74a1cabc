/* peer.h - the peers of tests/bench/shapes: PEER NAME WORKERS ARGUMENTS..., the arguments as those
 * of NAME.fa, prints seconds and the same value as that.
 *
 * The sources omp_*.c make three peers: by gcc with its OpenMP, by clang with LLVM's, and without
 * OpenMP, where nothing is left but plain loops and recursion. */
#ifndef SHAPES_PEER_H
#define SHAPES_PEER_H

#include "luna/bodies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One thread of the team is in there when it is called; gives the value. */
typedef double peer_fn(char **args);
struct peer_case {
    const char *name;
    int n_args;
    peer_fn *run;
};

extern const struct peer_case peer_shapes[], peer_trees[], peer_grids[]; /* ended by a NULL */

static inline int
arg(char **args, int k)
{
    return atoi(args[k]);
}

static inline void *
room(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p) abort();
    return p;
}

#endif
