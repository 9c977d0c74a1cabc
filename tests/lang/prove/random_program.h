/* random_program.h - programs of ints for the tests of what is proved, as text.
 *
 * main takes two ints, N and M. A program has some parts, which write and read DFs of their own:
 * loops and triangles, stencils, chains, solvers that end when a value says so, rows handed to
 * subs, recursions, reductions, branches, and soup. Parts stand in main, in a loop that declares
 * their DFs anew, or in a sub. Most are right; some seeds shift an index or a bound here and there.
 *
 * The functions they call are those of random_program_call(). */
#ifndef LUNA_TESTS_RANDOM_PROGRAM_H
#define LUNA_TESTS_RANDOM_PROGRAM_H

#include "interpret.h"

#include "runtime/base/buf.h"

void random_program(uint64_t seed, struct buf *out);
bool random_program_call(const char *name, unsigned nargs, const struct interpret_value *in,
                         struct interpret_value *out);

#endif
