/* launch.h - luna run -n N --transport=mpi: starts mpiexec with ourselves as N ranks, and watches
 * them.
 *
 *     luna run (supervisor)--fork--> mpiexec --> proxy --> ranks
 *            \------- a socket of packets (runtime/ranks.h) ------/
 *
 * Ranks write to our stdout and stderr themselves; what mpiexec says is told only when no rank came
 * up. The exit code is what the ranks say. When one is lost, it is named, the others end, and so do
 * we with
 * 5. Whoever of the chain is killed, the others end too. */
#ifndef LUNA_APPS_LAUNCH_H
#define LUNA_APPS_LAUNCH_H

#include "apps/luna/launch/options.h"

/* Is this run one of ranks: asked for, or started by a launcher? */
bool launch_wants_ranks(const struct options *o);
/* Starts this command again, as ranks; gives the exit code of all. */
int launch_ranks(const struct options *o);
/* Is there shared memory for so many processes of MPICH here? Else says so; `instead`: what one can
 * do but make it larger. */
bool launch_has_shm(int processes, const char *instead);
/* Joins the ranks of a launcher. Gives 0, or an exit code when it has told what is
 * wrong. */
int launch_join(const struct options *o, const char *home);

#endif
