/* mpi_clock.c - how far the clocks of two ranks are apart: one asks for the other's time again and
 * again, and believes the quickest answer, as luna perf does (docs/perf.md). */
#include "mpi_parts.h"

#include "runtime/base/clock.h"

enum {
    TAG_CLOCK = TAG_LARGE + TAGS_LARGE,
    PATIENCE = 100,  /* exchanges since the quickest */
    EXCHANGES = 10000 /* in all */
};

int64_t
mpi_clock_ask(struct transport *t, int other)
{
    uint64_t quickest = UINT64_MAX, told, again = 1;
    int64_t ahead = 0;
    (void)t;
    for (int i = 0, since = 0; i < EXCHANGES && since < PATIENCE; i++, since++) {
        uint64_t asked = clock_ns();
        MPI_Send(&again, 1, MPI_UINT64_T, other, TAG_CLOCK, MPI_COMM_WORLD);
        MPI_Recv(&told, 1, MPI_UINT64_T, other, TAG_CLOCK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        uint64_t trip = clock_ns() - asked;
        if (trip >= quickest) continue;
        quickest = trip;
        ahead = (int64_t)(told - asked - trip / 2);
        since = 0;
    }
    again = 0;
    MPI_Send(&again, 1, MPI_UINT64_T, other, TAG_CLOCK, MPI_COMM_WORLD);
    return ahead;
}

void
mpi_clock_tell(struct transport *t, int other)
{
    (void)t;
    for (uint64_t again, now;;) {
        MPI_Recv(&again, 1, MPI_UINT64_T, other, TAG_CLOCK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        now = clock_ns();
        if (!again) return;
        MPI_Send(&now, 1, MPI_UINT64_T, other, TAG_CLOCK, MPI_COMM_WORLD);
    }
}
