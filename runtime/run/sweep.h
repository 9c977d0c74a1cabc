/* sweep.h - /dev/shm stays clean when ranks are killed while MPI starts.
 *
 * MPICH and UCX make files there and remove them before MPI_Init returns; killed in between they
 * leave them. So one rank of each machine has a process beside it for that time, out of reach of
 * what kills ranks: it ends at once when MPI has started, or, when the rank goes before, after it
 * has removed what nobody holds any more. */
#ifndef LUNA_RUNTIME_SWEEP_H
#define LUNA_RUNTIME_SWEEP_H

/* Before threads exist. A descriptor for sweep_end; -1: there is no sweeper. */
int  sweep_begin(void);
void sweep_end(int fd);

#endif
