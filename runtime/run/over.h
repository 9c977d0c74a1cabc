/* over.h - what is true when a run is over, whatever the program was: docs/protocols.md.
 *
 * Builds with assertions look at all nodes of the process, and end with the one that does not hold;
 * others do nothing. */
#ifndef LUNA_RUNTIME_OVER_H
#define LUNA_RUNTIME_OVER_H

#include "runtime/run/stuck.h"

/* After the run, before anything of it is freed. */
void over_check(const struct nodes *all);

#endif
