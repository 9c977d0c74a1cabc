/* mpi_join.c - ranks find each other. */
#include "mpi_parts.h"

#include "runtime/base/joined.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <time.h>

enum {
    CONNECTED = 32,
    TAG_CONNECT = 0,
    SHM_BYTES_PER_RANK = 4508877 /* what MPICH takes of /dev/shm: 4.3 MB */
};

bool
mpi_await(MPI_Request *r, double seconds)
{
    double end = MPI_Wtime() + seconds;
    for (unsigned n = 0;; n++) {
        int done;
        MPI_Test(r, &done, MPI_STATUS_IGNORE);
        if (done) return true;
        if (n < 20) continue;
        if (MPI_Wtime() > end) return false;
        nanosleep(&(struct timespec){.tv_nsec = n < 1000 ? 50000 : 1000000}, NULL);
    }
}

/* UCX connects two ranks at their first message, which needs calls on both sides: in few ranks all
 * pairs do it now, so that a first message does not wait until the end of a long function. */
void
mpi_connect_pairs(int rank, int size)
{
    MPI_Request in[CONNECTED], out[CONNECTED], barrier;
    for (int i = 0; size <= CONNECTED && i < size; i++) {
        if (i == rank) continue;
        MPI_Irecv(NULL, 0, MPI_BYTE, i, TAG_CONNECT, MPI_COMM_WORLD, &in[i]);
        MPI_Isend(NULL, 0, MPI_BYTE, i, TAG_CONNECT, MPI_COMM_WORLD, &out[i]);
    }
    for (int i = 0; size <= CONNECTED && i < size; i++) {
        if (i == rank) continue;
        mpi_await(&in[i], FOR_EVER);
        mpi_await(&out[i], FOR_EVER);
    }
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    mpi_await(&barrier, FOR_EVER);
}

const char *
mpi_others_differ(int what)
{
    int own[2] = {what, -what}, least[2];
    MPI_Request r;
    MPI_Iallreduce(own, least, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &r);
    mpi_await(&r, FOR_EVER);
    return least[0] == -least[1] ? NULL : JOINED_DIFFER;
}

const char *
mpi_wrong_launcher(int size)
{
    static const struct { const char *variable, *why;
    } launchers[] = {
        {"SLURM_STEP_NUM_TASKS",
         "srun started several tasks, but MPI sees one rank each; use srun --mpi=pmi2"},
        {"OMPI_COMM_WORLD_SIZE", "Open MPI's mpirun started several ranks, but luna is built with "
                                 "MPICH; use MPICH's mpiexec"},
        {"PMI_SIZE", "several ranks were started, but MPI sees one each; use the mpiexec of MPICH"},
    };
    for (size_t i = 0; size == 1 && i < sizeof launchers / sizeof *launchers; i++) {
        const char *n = getenv(launchers[i].variable);
        if (n && atoi(n) > 1) return launchers[i].why;
    }
    return NULL;
}

int
mpi_env_number(const char *variable)
{
    const char *text = getenv(variable);
    return text ? atoi(text) : 0;
}

const char *
mpi_no_shared_memory(int ranks_here)
{
    static char why[200];
    struct statvfs fs;
    if (statvfs("/dev/shm", &fs)) return NULL;
    uint64_t has = (uint64_t)fs.f_blocks * fs.f_frsize,
             wants = (uint64_t)ranks_here * SHM_BYTES_PER_RANK;
    if (has >= wants) return NULL;
    snprintf(why, sizeof why,
             "/dev/shm has %" PRIu64 " MiB, %d ranks need %" PRIu64
             "; make it larger (mount -o remount,size=.. /dev/shm; docker run --shm-size=..)",
             has >> 20, ranks_here, (wants >> 20) + 1);
    return why;
}

void
mpi_open_commons(struct mpi *m)
{
    MPI_Comm here;
    MPI_Request r;
    int index, n, ok, rank = m->base.node;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &here);
    MPI_Comm_rank(here, &index);
    MPI_Comm_size(here, &n);
    struct commons_ticket own = m->host->commons_open(n > 1 ? index : -1);
    struct commons_ticket *all = mpi_need(m, calloc((size_t)n, sizeof *all));
    m->near = mpi_need(m, calloc((size_t)n, sizeof *m->near));
    MPI_Iallgather(&rank, 1, MPI_INT, m->near, 1, MPI_INT, here, &r);
    mpi_await(&r, FOR_EVER);
    MPI_Iallgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, here, &r);
    mpi_await(&r, FOR_EVER);
    int joined = m->host->commons_join(all, n);
    MPI_Iallreduce(&joined, &ok, 1, MPI_INT, MPI_MIN, here, &r);
    mpi_await(&r, FOR_EVER);
    m->host->commons_decide(ok);
    m->nnear = ok && n > 1 ? n : 0;
    bool in_a_row = m->near[n - 1] - m->near[0] == n - 1 && m->near[0] % n == 0;
    m->base.host_nodes = in_a_row ? n : 1;
    MPI_Comm_free(&here);
    free(all);
}
