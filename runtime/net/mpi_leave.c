/* mpi_leave.c - of whatever is linked with an MPI: it knows no more than that one. */
#include "mpi_leave.h"

#include "runtime/base/manager.h"

#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* What others still wait for may be held back in MPI. */
static void
progress(void *who)
{
    int flag;
    (void)who;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

/* ---- without a manager that we can speak to ---- */

/* Who has left already is no fault. */
static void
meet(double seconds)
{
    double end = MPI_Wtime() + seconds;
    int done = 0;
    MPI_Request r;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (MPI_Ibarrier(MPI_COMM_WORLD, &r)) return;
    while (!done && MPI_Wtime() < end) {
        if (MPI_Test(&r, &done, MPI_STATUS_IGNORE)) return;
        if (!done) nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    }
}

/* What is on its way to those who have not met yet goes on for a moment. */
static void
linger(double seconds)
{
    for (double end = MPI_Wtime() + seconds; MPI_Wtime() < end;) {
        progress(NULL);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

#ifdef OPEN_MPI /* it does not hang, and misses who does not call it */
static void
finalize(int code)
{
    (void)code;
    MPI_Finalize();
}
#else
static struct {
    atomic_bool done;
    int code;
} finalizing;

static void *
watchdog(void *who)
{
    (void)who;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 500000000}, NULL);
    if (!atomic_load(&finalizing.done)) _exit(finalizing.code);
    return NULL;
}

static void
finalize(int code)
{
    pthread_t thread;
    finalizing.code = code;
    if (!pthread_create(&thread, NULL, watchdog, NULL)) pthread_detach(thread);
    MPI_Finalize();
    atomic_store(&finalizing.done, true);
}
#endif

void
mpi_leave(int code, void (*tidy)(void *who), void *who)
{
    /* It may take long, and nobody waits for us yet. No other stream: a thread of the program may
     * wait in one, with its lock, for what never comes. */
    fflush(stdout);
    fflush(stderr);
    if (manager_is_there()) {
        manager_meet(progress, NULL);
        manager_leave();
        return;
    }
    meet(60);
    if (manager_is_srun()) { /* srun does not miss who only ends */
        linger(.05);
        return;
    }
    if (tidy) tidy(who);
    finalize(code);
}
