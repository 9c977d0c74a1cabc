/* beside_mpi.c - every operation and MPI's own, on the same data: the results are the same. Sizes
 * around the borders of lines, slots, fragments, pages and sets, all roots, types and operations.
 * Numbers are small and whole, so that no order of adding changes a bit. MPI is asked once for all
 * groups, and for both kinds of reduction: where cores are few its processes wait for each other in
 * loops, and take nearly all of the time.
 *
 *     mpiexec -n N beside_mpi        "0 faults" */
#include "collectives/coll.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 600000, GROUPS = 3 };

static const struct coll_setup setups[GROUPS] = {
    {.layout = COLL_LINES},
    {.copying = COLL_COPY_AROUND, .tree = COLL_KNOMIAL, .fan_out = 4},
    {.fragment_bytes = 5000, .fragments = 8, .sets = 4, .layout = COLL_PAGES},
};

static struct coll *group[GROUPS]; /* one of each setup */
static int rank, size, faults;
static char *given, *ours, *theirs;

static int
exchange(void *who, const void *mine, void *all, size_t bytes)
{
    (void)who;
    return MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void
compare(int g, const char *what, size_t bytes, int type, int op, int root)
{
    if (!memcmp(ours, theirs, bytes)) return;
    printf("rank %d of %d: setup %d: %s of %zu bytes, type %d, op %d, root %d\n", rank, size, g,
           what, bytes, type, op, root);
    faults++;
}

static void
fill(enum coll_type type, size_t count, int call)
{
    for (size_t i = 0; i < count; i++) {
        int v = (int)((i * 7 + (size_t)rank * 13 + (size_t)call * 5) % 5) - 1;
        int32_t i32 = v;
        int64_t i64 = v;
        float f = (float)v;
        double d = v;
        if (type == COLL_INT32) memcpy(given + i * 4, &i32, 4);
        if (type == COLL_INT64) memcpy(given + i * 8, &i64, 8);
        if (type == COLL_FLOAT) memcpy(given + i * 4, &f, 4);
        if (type == COLL_DOUBLE) memcpy(given + i * 8, &d, 8);
    }
}

static void
broadcast(size_t bytes, int root)
{
    for (size_t i = 0; i < bytes; i++) given[i] = (char)(i * 31 + (size_t)rank * 17 + bytes);
    memcpy(theirs, given, bytes);
    MPI_Bcast(theirs, (int)bytes, MPI_BYTE, root, MPI_COMM_WORLD);
    for (int g = 0; g < GROUPS; g++) {
        memcpy(ours, given, bytes);
        faults += coll_bcast(group[g], ours, bytes, root) != OK;
        compare(g, "broadcast", bytes, -1, -1, root);
    }
}

static void
reductions(size_t bytes, enum coll_type type, enum coll_op op, int root)
{
    static const MPI_Op mpi_op[COLL_OPS] = {
        [COLL_SUM] = MPI_SUM,   [COLL_PROD] = MPI_PROD, [COLL_MIN] = MPI_MIN,
        [COLL_MAX] = MPI_MAX,   [COLL_BAND] = MPI_BAND, [COLL_BOR] = MPI_BOR,
        [COLL_BXOR] = MPI_BXOR, [COLL_LAND] = MPI_LAND, [COLL_LOR] = MPI_LOR,
        [COLL_LXOR] = MPI_LXOR,
    };
    static const MPI_Datatype mpi_type[COLL_TYPES] = {
        [COLL_INT32] = MPI_INT32_T, [COLL_INT64] = MPI_INT64_T, [COLL_FLOAT] = MPI_FLOAT,
        [COLL_DOUBLE] = MPI_DOUBLE,
    };
    if (op >= COLL_BAND && type >= COLL_FLOAT) return; /* for ints alone */
    size_t count = bytes / coll_type_bytes(type);
    fill(type, count, op + root);
    MPI_Allreduce(given, theirs, (int)count, mpi_type[type], mpi_op[op], MPI_COMM_WORLD);
    for (int g = 0; g < GROUPS; g++) {
        memset(ours, 0x5a, bytes);
        faults += coll_reduce(group[g], given, ours, count, type, op, root) != OK;
        if (rank == root) compare(g, "reduce", bytes, type, op, root);
        memset(ours, 0x5a, bytes);
        faults += coll_allreduce(group[g], given, ours, count, type, op) != OK;
        compare(g, "allreduce", bytes, type, op, -1);
    }
}

static void
all_calls(void)
{
    static const size_t borders[] = {8, 56, 64, 1024, 1536, 2048, 4096, 8192, 16384, 65536, 262144,
                                     524288};
    int call = 0;
    for (size_t b = 0; b < sizeof borders / sizeof *borders; b++)
        for (int d = -1; d <= 1; d++)
            for (int root = 0; root < size; root++) {
                size_t bytes = borders[b] + (size_t)(8 * d);
                broadcast(borders[b] + (size_t)d, root);
                for (int type = 0; type < COLL_TYPES; type++)
                    reductions(bytes, (enum coll_type)type, (enum coll_op)(call % COLL_OPS),
                               root);
                call++;
                for (int g = 0; g < GROUPS; g++) faults += coll_barrier(group[g]) != OK;
            }
}

int
main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    given = malloc(BYTES_MAX);
    ours = malloc(BYTES_MAX);
    theirs = malloc(BYTES_MAX);
    for (int g = 0; g < GROUPS; g++) {
        struct coll_setup setup = setups[g];
        char why[COLL_WHY];
        setup.rank = rank;
        setup.size = size;
        setup.exchange = exchange;
        if (coll_new(&group[g], &setup, why)) {
            printf("setup %d: %s\n", g, why);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    all_calls();
    for (int g = 0; g < GROUPS; g++) coll_free(group[g]);
    int sum = 0;
    MPI_Reduce(&faults, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (!rank) printf("%d faults\n", sum);
    free(given);
    free(ours);
    free(theirs);
    MPI_Finalize();
    return 0;
}
