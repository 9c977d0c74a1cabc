/* mpi_leave.h - the end of a process that has used MPI.
 *
 * MPI_Finalize takes UCX's connections down, which over tcp hangs in most runs (openucx 8738), and
 * who leaves it alone is a fault to the others. So under mpiexec and srun it is not called: all
 * meet, say so to the manager that has started them if it wants to know, and end. Elsewhere it is
 * called with somebody beside it who looks at the clock. */
#ifndef LUNA_NET_MPI_LEAVE_H
#define LUNA_NET_MPI_LEAVE_H

/* All ranks come here when nothing is on its way between them any more. What they print is
 * flushed. If MPI will be finalized `tidy` is called when all are there; NULL: nothing is open.
 * Afterwards MPI must not be called; the process ends with this code, here or later. */
void mpi_leave(int code, void (*tidy)(void *who), void *who);

#endif
