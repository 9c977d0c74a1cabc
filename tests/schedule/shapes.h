/* shapes.h - programs such as users write, of known cost: a text for each seed.
 *
 * A program has one to three shapes, side by side or one behind the other: layers of random edges,
 * forks and joins, loops in loops, trees, wavefronts, loops behind reductions, turns of a `while`
 * with and without halos, chains, bodies behind conditions, subs, sites that are short, long, or
 * both by turns. Fragments and calls are placed by cells, by locators, or not at all.
 *
 * Functions are w0 .. w3: a cost, inputs, an output, which is one more than the largest input.
 * Costs are weights: 1 (short), or 25 to 1000, of a microsecond each in the simulator: 50 to 2,000
 * of its messages. Run elsewhere, a call is busy for BUSY (of the environment) microseconds times
 * its weight; short ones for as many as they weigh. The last call, `show`, prints a number. */
#ifndef LUNA_TESTS_SCHEDULE_SHAPES_H
#define LUNA_TESTS_SCHEDULE_SHAPES_H

#include "runtime/base/buf.h"

#include <stdint.h>

enum { SHAPES_SHORT = 2 }; /* weights up to this one are short */

struct shapes_how {
    int nodes;
    bool threads; /* four times as many shapes: starting a thread is no part of the verdict */
    bool no_else; /* older compilers have none */
    bool large;   /* one shape of pieces, with more calls than a window */
};

/* How many nodes a seed is for. */
int shapes_nodes(uint64_t seed);
/* The text for a seed. */
void shapes_text(uint64_t seed, const struct shapes_how *how, struct buf *text);

#endif
