/* example_mpi.c - a plain MPI program, linked with the example of docs/collectives.md: each result
 * is compared with that of MPI itself (PMPI_..). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, faults;
static char names[MPI_MAX_ERROR_STRING];

#define MUST(cond, ...)                                                                            \
    do {                                                                                           \
        if (!(cond) && faults++ < 5) {                                                             \
            printf("rank %d of %d (%s): ", rank, size, names);                                     \
            printf(__VA_ARGS__);                                                                   \
            printf("\n");                                                                          \
        }                                                                                          \
    } while (0)

enum { MOST = 40000 };
static double in[MOST], ours[MOST], theirs[MOST];

static void
fill(void *to, size_t bytes, int salt)
{
    for (size_t i = 0; i < bytes; i++) ((unsigned char *)to)[i] = (unsigned char)(i * 7 + salt);
}

static void
broadcasts(MPI_Comm comm)
{
    static const int counts[] = {0, 1, 7, 56, 57, 4096, 100000, 8 * MOST};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int root = 0; root < size; root += 1 + (size > 2)) {
            fill(ours, sizeof ours, rank);
            memcpy(theirs, ours, sizeof ours);
            MPI_Bcast(ours, counts[c], MPI_CHAR, root, comm);
            PMPI_Bcast(theirs, counts[c], MPI_CHAR, root, comm);
            MUST(!memcmp(ours, theirs, sizeof ours), "bcast of %d from %d", counts[c], root);
        }
}

/* Every second double at the root, all of them elsewhere; and a type with a hole. */
static void
gaps(MPI_Comm comm)
{
    MPI_Datatype every_second;
    MPI_Type_vector(500, 1, 2, MPI_DOUBLE, &every_second);
    MPI_Type_commit(&every_second);
    for (int root = 0; root < size; root++) {
        fill(ours, sizeof ours, rank);
        memcpy(theirs, ours, sizeof ours);
        int spread = rank == root;
        MPI_Bcast(ours, spread ? 1 : 500, spread ? every_second : MPI_DOUBLE, root, comm);
        PMPI_Bcast(theirs, spread ? 1 : 500, spread ? every_second : MPI_DOUBLE, root, comm);
        MUST(!memcmp(ours, theirs, sizeof ours), "vector from %d", root);
        MPI_Bcast(ours, 33, MPI_DOUBLE_INT, root, comm);
        PMPI_Bcast(theirs, 33, MPI_DOUBLE_INT, root, comm);
        MUST(!memcmp(ours, theirs, sizeof ours), "pairs from %d", root);
    }
    MPI_Type_free(&every_second);
}

static void
reductions(MPI_Comm comm)
{
    const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_LAND, MPI_LOR,
                          MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR};
    const MPI_Datatype types[] = {MPI_INT, MPI_LONG, MPI_INT64_T, MPI_SHORT};
    static const int counts[] = {0, 1, 15, 3000};
    /* MPI itself loses a time slice in each call when cores are short. */
    for (size_t o = 0; o < sizeof ops / sizeof *ops; o += size > 2 ? 4 : 1)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
                int root = (int)(o + t + c) % size;
                fill(in, sizeof in, rank * 3);
                memset(ours, 0, sizeof ours);
                memset(theirs, 0, sizeof theirs);
                MPI_Reduce(in, ours, counts[c], types[t], ops[o], root, comm);
                PMPI_Reduce(in, theirs, counts[c], types[t], ops[o], root, comm);
                MUST(!memcmp(ours, theirs, sizeof ours), "reduce %zu %zu %d", o, t, counts[c]);
                memcpy(ours, in, sizeof ours);
                MPI_Allreduce(MPI_IN_PLACE, ours, counts[c], types[t], ops[o], comm);
                memcpy(theirs, in, sizeof theirs);
                PMPI_Allreduce(in, theirs, counts[c], types[t], ops[o], comm);
                MUST(!memcmp(ours, theirs, sizeof ours), "allreduce %zu %zu %d", o, t, counts[c]);
                MPI_Barrier(comm);
            }
}

/* Sums of doubles from the left: MPI's own tree of four gives 0. So ours has been called. */
static void
order(MPI_Comm comm)
{
    static const double terms[] = {1e16, 1, -1e16, 1};
    double sum = -1;
    if (size != 4) return;
    MPI_Reduce(&terms[rank], &sum, 1, MPI_DOUBLE, MPI_SUM, 2, comm);
    MUST(rank != 2 || sum == 1, "the sum is %g", sum);
    MPI_Allreduce(&terms[rank], &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    MUST(sum == 1, "the sum is %g", sum);
}

static int told;

static void
on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    told++;
}

/* What is wrong is told by the communicator's handler, which by default ends the program; and what
 * is wrong by itself as MPI tells it. */
static void
errors(void)
{
    MPI_Comm copy;
    MPI_Errhandler handler;
    strcpy(names, "errors");
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(copy, handler);
    for (int i = 0; i < 4; i++) {
        int root = i % 2 ? size : -5, code, class;
        code = i < 2 ? MPI_Bcast(ours, 1, MPI_INT, root, copy)
                     : MPI_Reduce(in, ours, 1, MPI_INT, MPI_SUM, root, copy);
        MPI_Error_class(code, &class);
        MUST(class == MPI_ERR_ROOT, "root %d, call %d: %d", root, i, class);
    }
    MUST(told == 4, "%d errors told", told);
    MPI_Barrier(copy);
    int e = MPI_Bcast(ours, rank ? 2 : 1, MPI_INT, 0, copy);
    MUST(!rank || (e != MPI_SUCCESS && told == 5), "another count: %d, told %d times", e, told);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&copy);
}

static void
all_of(MPI_Comm comm, const char *name)
{
    strcpy(names, name);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    broadcasts(comm);
    gaps(comm);
    reductions(comm);
    order(comm);
}

int
main(int argc, char **argv)
{
    MPI_Comm half, copy;
    MPI_Init(&argc, &argv);
    all_of(MPI_COMM_WORLD, "world");
    all_of(MPI_COMM_SELF, "self");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    all_of(half, "half");
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    all_of(copy, "copy");
    MPI_Comm_free(&half);
    MPI_Comm_free(&copy);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (size > 1) errors();
    MPI_Allreduce(MPI_IN_PLACE, &faults, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!rank) printf("%d faults\n", faults);
    MPI_Finalize();
    return faults != 0;
}
