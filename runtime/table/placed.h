/* placed.h - a program with the rules of place that the compiler found in force.
 *
 * They lie in the object beside its tables. So a run on one node knows nothing of them, and pays
 * nothing. */
#ifndef LUNA_RUNTIME_PLACED_H
#define LUNA_RUNTIME_PLACED_H

#include "runtime/program.h"

#include <stdbool.h>

/* p's tables lent, but for the rows that change. NULL: out of memory. */
struct luna_program *placed_new(const struct luna_program *p);
void placed_free(struct luna_program *p); /* NULL is fine */

#endif
