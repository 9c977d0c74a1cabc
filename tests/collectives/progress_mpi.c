/* progress_mpi.c - valid MPI programs in which a member enters a collective operation while another
 * needs something of it before it comes. Who waits outside of MPI must let MPI go on:
 *
 *     progress_mpi NAME        "done"
 *
 * In all of them rank 0 is the one that waits and is needed. Each communicator has been used
 * before: when a group is made members meet in MPI. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE = 64 << 20, SMALL = 1 << 10, MANY = 20000, TAG = 7 };

static int rank;

static void
must(int cond, const char *what)
{
    if (cond) return;
    fprintf(stderr, "progress_mpi: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static char *
room(size_t bytes)
{
    char *p = malloc(bytes);
    must(p != NULL, "out of memory");
    memset(p, rank, bytes);
    return p;
}

/* A message that is longer than what MPI keeps: its sender goes on moving it. */
static void
large(void)
{
    MPI_Request sent;
    char *data = room(LARGE);
    if (rank == 0) MPI_Isend(data, LARGE, MPI_CHAR, 1, TAG, MPI_COMM_WORLD, &sent);
    else MPI_Recv(data, LARGE, MPI_CHAR, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) MPI_Wait(&sent, MPI_STATUS_IGNORE);
    must(!data[0] && !data[LARGE - 1], "wrong data");
    free(data);
}

/* More messages than MPI has room for. */
static void
many(void)
{
    static MPI_Request sent[MANY];
    char *data = room(SMALL);
    for (int i = 0; i < MANY && rank == 0; i++)
        MPI_Isend(data, SMALL, MPI_CHAR, 1, TAG, MPI_COMM_WORLD, &sent[i]);
    for (int i = 0; i < MANY && rank == 1; i++)
        MPI_Recv(data, SMALL, MPI_CHAR, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < MANY && rank == 0; i++) MPI_Wait(&sent[i], MPI_STATUS_IGNORE);
    must(!data[0] && !data[SMALL - 1], "wrong data");
    free(data);
}

/* Rank 0 does what others ask for in its memory. */
static void
accumulate(void)
{
    MPI_Win window;
    int *mine, one = 1;
    MPI_Win_allocate(sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &window);
    *mine = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
        MPI_Win_unlock(0, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    must(*mine == (rank == 0), "wrong data");
    MPI_Win_free(&window);
}

/* The window is memory of MPI's, not a variable: MPICH 4.0.2 over UCX gets from the address rounded
 * down to 16 bytes if the window does not begin at such an address. */
static void
get(void)
{
    MPI_Win window;
    int *mine, got = -1;
    MPI_Alloc_mem(sizeof *mine, MPI_INFO_NULL, &mine);
    *mine = 42 + rank;
    MPI_Win_create(mine, sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_unlock(0, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    must(got == (rank ? 42 : -1), "wrong data");
    MPI_Win_free(&window);
    MPI_Free_mem(mine);
}

/* Is done only when the other has begun to receive. */
static void
synchronous(void)
{
    MPI_Request request;
    int data = rank;
    if (rank == 0) MPI_Irecv(&data, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, &request);
    else MPI_Issend(&data, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &request);
    if (rank == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    must(data == 1, "wrong data");
}

static void
nonblocking(void)
{
    MPI_Comm copy;
    MPI_Request request;
    char *data = room(LARGE);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Barrier(copy);
    MPI_Ibcast(data, LARGE, MPI_CHAR, 0, MPI_COMM_WORLD, &request);
    if (rank == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(copy);
    if (rank == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    must(!data[0] && !data[LARGE - 1], "wrong data");
    MPI_Comm_free(&copy);
    free(data);
}

/* Of three: 0 and 2 call operations until 2 hears of 1, which hears of 0 first. Nobody waits long,
 * but for rank 1. */
static void
busy(void)
{
    MPI_Comm pair;
    MPI_Request request;
    char *data = room(LARGE);
    int stop = 0, word = 1;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &pair);
    MPI_Barrier(pair);
    if (rank == 0) MPI_Isend(data, LARGE, MPI_CHAR, 1, TAG, MPI_COMM_WORLD, &request);
    if (rank == 1) MPI_Recv(data, LARGE, MPI_CHAR, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(&word, 1, MPI_INT, 2, TAG, MPI_COMM_WORLD);
    if (rank == 2) MPI_Irecv(&word, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, &request);
    while (rank != 1 && !stop) {
        int done = 0;
        if (rank == 2) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        MPI_Allreduce(&done, &stop, 1, MPI_INT, MPI_MAX, pair);
    }
    if (rank == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&pair);
    free(data);
}

/* All communicators that MPI has, the last of which is used; rank 0 is needed as above. */
static void
all_communicators(void)
{
    enum { MOST = 100000 };
    static MPI_Comm made[MOST];
    MPI_Request request;
    int n = 0, data = rank, sum = 0;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    while (n < MOST && !MPI_Comm_dup(MPI_COMM_WORLD, &made[n])) n++;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    must(n > 1000 && n < MOST, "there is no end of communicators");
    MPI_Comm last = made[n - 1];
    MPI_Barrier(last);
    if (rank == 0) MPI_Irecv(&data, 1, MPI_INT, 1, TAG, last, &request);
    else MPI_Ssend(&data, 1, MPI_INT, 0, TAG, last);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, last);
    if (rank == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    must(data == 1 && sum == 1, "wrong data");
    while (n) MPI_Comm_free(&made[--n]);
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } program[] = {
        {"large", large}, {"many", many}, {"accumulate", accumulate}, {"get", get},
        {"synchronous", synchronous}, {"nonblocking", nonblocking}, {"busy", busy},
        {"all_communicators", all_communicators},
    };
    int ran = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    for (size_t i = 0; i < sizeof program / sizeof *program; i++)
        if (argc == 2 && !strcmp(argv[1], program[i].name)) {
            program[i].run();
            ran++;
        }
    must(ran, "no such program");
    MPI_Barrier(MPI_COMM_WORLD);
    if (!rank) printf("done\n");
    MPI_Finalize();
    return 0;
}
