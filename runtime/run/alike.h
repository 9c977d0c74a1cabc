/* alike.h - what all ranks of a run must have been told alike: options on which the form of
 * packets, the place of cells or what ranks do together depends, and main's arguments; of a program
 * that the first one compiles its name and what is defined. A launcher may give each rank words of
 * its own.
 *
 * What may differ is not looked at: workers, -g, what the first rank alone prints, folders and
 * files that have other names on other hosts, and how much memory there is for copies. */
#ifndef LUNA_RUNTIME_ALIKE_H
#define LUNA_RUNTIME_ALIKE_H

#include "runtime/run/layout.h"
#include "runtime/run/runtime.h"

/* Of all ranks, with the words behind the program. False on all of them if one differs from the
 * first, which has told what. */
bool alike_check(const struct luna_program *p, const struct run_options *o, int argc, char **argv);
/* Of all ranks, when each has read the file of --start, or not (`code`): is it the same one? As
 * above. */
bool alike_owners(const struct layout *l, int code);

#endif
