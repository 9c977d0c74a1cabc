/* mpi.c - the same by hand: each rank has a strip of rows; a transform of each, then MPI_Alltoall.
 *
 *   mpi N STEPS: microseconds, the sum, memory of all ranks in KiB */
#include "fft.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
    int rank, size, n = argc > 1 ? atoi(argv[1]) : 2048, steps = argc > 2 ? atoi(argv[2]) : 4;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int height = n / size, count = height * height;
    size_t all = (size_t)n * (size_t)height;
    number *rows = malloc(all * sizeof *rows), *send = malloc(all * sizeof *send);
    number *roots = malloc((size_t)n / 2 * sizeof *roots);
    if (!rows || !send || !roots) MPI_Abort(MPI_COMM_WORLD, 1);
    fill_roots(roots, n);
    /* As in fft.fa, the first step takes the matrix turned round. */
    for (int r = 0; r < height; r++)
        for (int c = 0; c < n; c++)
            rows[(size_t)r * (size_t)n + (size_t)c] = first_value(c, rank * height + r);
    MPI_Barrier(MPI_COMM_WORLD);
    double from = micros();
    for (int t = 0; t < steps; t++) {
        for (int r = 0; r < height; r++) fft(&rows[(size_t)r * (size_t)n], n, roots);
        for (int to = 0; to < size; to++)
            cut_piece(&send[(size_t)to * (size_t)count], rows, n, height, to * height, height);
        MPI_Alltoall(send, 2 * count, MPI_DOUBLE, rows, 2 * count, MPI_DOUBLE, MPI_COMM_WORLD);
        for (int j = 0; j < size; j++)
            for (int r = 0; r < height; r++)
                memcpy(&send[(size_t)r * (size_t)n + (size_t)(j * height)],
                       &rows[(size_t)j * (size_t)count + (size_t)(r * height)],
                       (size_t)height * sizeof *rows);
        number *other = rows;
        rows = send;
        send = other;
    }
    double sum = weighted(rows, n, height, rank * height), total;
    MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double us = micros() - from;
    long kib = most_memory(), most;
    MPI_Reduce(&kib, &most, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (!rank) printf("%.0f %.7e %ld\n", us, total, most);
    MPI_Finalize();
    return 0;
}
