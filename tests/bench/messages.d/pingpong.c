/* pingpong.c - PINGPONG HOPS BYTES on two ranks: microseconds a hop of a message that goes there
 * and back, by blocking calls; and of one that streams in one direction. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

enum { WINDOW = 64 }; /* messages of the stream on their way at once */

static double
there_and_back(int rank, int hops, char *b, int bytes)
{
    double from = MPI_Wtime();
    for (int i = 0; i < hops; i++) {
        if (i % 2 == rank) MPI_Send(b, bytes, MPI_BYTE, !rank, 0, MPI_COMM_WORLD);
        else MPI_Recv(b, bytes, MPI_BYTE, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return MPI_Wtime() - from;
}

static double
stream(int rank, int n, char *b, int bytes)
{
    MPI_Request r[WINDOW];
    MPI_Status status[WINDOW];
    double from = MPI_Wtime();
    for (int i = 0; i < n; i += WINDOW) {
        for (int k = 0; k < WINDOW; k++)
            if (rank) MPI_Irecv(b, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &r[k]);
            else MPI_Isend(b, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &r[k]);
        MPI_Waitall(WINDOW, r, status);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime() - from;
}

int
main(int argc, char **argv)
{
    int rank, hops = argc > 1 ? atoi(argv[1]) : 100000, bytes = argc > 2 ? atoi(argv[2]) : 64;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *b = calloc(1, (size_t)bytes + 1);
    there_and_back(rank, 100, b, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    double hop = there_and_back(rank, hops, b, bytes) / hops;
    MPI_Barrier(MPI_COMM_WORLD);
    double one = stream(rank, hops, b, bytes) / hops;
    if (!rank) printf("%.9f %.9f\n", hop * 1e6, one * 1e6);
    free(b);
    MPI_Finalize();
    return 0;
}
