/* siblings.h - processes that mpiexec has started beside this one, on this host. MPI waits for all
 * of them without end, also for one that has ended and never meant to join: it runs a simulation,
 * or by itself. So they are looked at while MPI starts.
 *
 * It must not know why somebody ended, nor what follows. */
#ifndef LUNA_RUNTIME_SIBLINGS_H
#define LUNA_RUNTIME_SIBLINGS_H

/* Calls `ended` in a thread of its own when some of the `of` processes are no more. Nothing is done
 * where mpiexec is not our parent, as under a debugger. */
void siblings_watch(void (*ended)(int n, int of), int of);
/* All have joined. */
void siblings_joined(void);

#endif
