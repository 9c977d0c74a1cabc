/* manager.h - what MPICH's mpiexec has put beside the processes that it started: a manager, which
 * they speak to line by line (PMI-1) over the file that PMI_FD names. MPI does so when it begins
 * and ends; here is what is said without it. */
#ifndef LUNA_BASE_MANAGER_H
#define LUNA_BASE_MANAGER_H

#include <stdbool.h>

/* There is one that speaks so. Not of srun: it gives the same variable another meaning. */
bool manager_is_there(void);
bool manager_is_srun(void); /* it has started this process, and no mpiexec within its step */
/* It hears us no more: another program has said here that it is done. MPI would not begin. */
bool manager_has_gone(void);
#define MANAGER_HAS_GONE                                                                           \
    "mpiexec counts this process as ended, since another program has run in it before; give each " \
    "program an mpiexec of its own"
/* All processes it has started end, with this code. */
void manager_abort(int code);
/* Waits until all of them are here, however late: if one dies it ends all. Meanwhile calls
 * `progress`. False: there is nobody any more. */
bool manager_meet(void (*progress)(void *who), void *who);
/* This process has no more to say: it may end, and is not missed. */
void manager_leave(void);

#endif
