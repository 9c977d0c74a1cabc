/* layout.h - how this run spreads the cells of a program over its nodes.
 *
 * Out of the program (how many cells), main's arguments (its sides may depend on them) and the
 * options of the command line: the distributor, the lattice of nodes, who owns what at the start.
 * All ranks come to the same result by themselves. */
#ifndef LUNA_RUNTIME_LAYOUT_H
#define LUNA_RUNTIME_LAYOUT_H

#include "runtime/data/frame.h"
#include "runtime/node/owners.h"
#include "runtime/run/runtime.h"

/* False: an option does not fit; it has been told, the exit code is EXIT_USAGE. main: its frame. If
 * the lattice comes later, only what the options say without it; then layout_choose. */
bool layout_open(struct layout *l, const struct luna_program *p, const struct run_options *o,
                 int nodes, const struct frame *main);
/* The same for a program with these cells; NULL: it has none. wanders: the compiler found them, and
 * the work goes through them. */
bool layout_choose(struct layout *l, const struct lattice *cells, bool wanders,
                   const struct run_options *o, int nodes);
/* The nodes have been made: what was read for them goes. */
void layout_close(struct layout *l);
/* An option that does not fit, told once by all ranks together. False. */
bool layout_refuse(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* That the distributor refused what it was asked, and why. */
enum { LAYOUT_TEXT = 512 };
void layout_refusal(const struct layout *l, const char *why, char *text);
void layout_refused(const struct layout *l, const char *why); /* told */

#endif
