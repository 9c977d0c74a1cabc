/* list.h - the benchmarks by name, and what each does with its buffers. */
#ifndef LUNA_COLLECTIVES_PERF_LIST_H
#define LUNA_COLLECTIVES_PERF_LIST_H

enum { /* of a benchmark: a set */
    LIST_NO_DATA = 1,      /* there is one count, 0 */
    LIST_REDUCES = 2,      /* of doubles: counts are multiples of 8 */
    LIST_ROOT_SENDS = 4,   /* the others' buffers to send from do not matter */
    LIST_SEND_ALL = 8,     /* a block for each process; count is the size of one */
    LIST_RECV_ALL = 16,
    LIST_OVERLAPS = 32,    /* it is begun, something else is done, it is awaited */
    LIST_SHM = 64,         /* by the shared memory of a host, instead of MPI */
    LIST_TRIGGERED = 128,  /* by descriptors, over messages of MPI */
    LIST_PATTERN = 256,    /* its time is known: a test of the measuring itself */
    LIST_OURS = LIST_SHM | LIST_TRIGGERED
};

/* Collectives of MPI: blocking, non-blocking, flags. */
#define LIST_COLLECTIVES(X)                                                                        \
    X(Allgather, Iallgather, LIST_RECV_ALL)                                                        \
    X(Allgatherv, Iallgatherv, LIST_RECV_ALL)                                                      \
    X(Allreduce, Iallreduce, LIST_REDUCES)                                                         \
    X(Alltoall, Ialltoall, LIST_SEND_ALL | LIST_RECV_ALL)                                          \
    X(Alltoallv, Ialltoallv, LIST_SEND_ALL | LIST_RECV_ALL)                                        \
    X(Alltoallw, Ialltoallw, LIST_SEND_ALL | LIST_RECV_ALL)                                        \
    X(Barrier, Ibarrier, LIST_NO_DATA)                                                             \
    X(Bcast, Ibcast, LIST_ROOT_SENDS)                                                              \
    X(Exscan, Iexscan, LIST_REDUCES)                                                               \
    X(Gather, Igather, LIST_RECV_ALL)                                                              \
    X(Gatherv, Igatherv, LIST_RECV_ALL)                                                            \
    X(Reduce, Ireduce, LIST_REDUCES)                                                               \
    X(Reduce_scatter, Ireduce_scatter, LIST_REDUCES | LIST_SEND_ALL)                               \
    X(Reduce_scatter_block, Ireduce_scatter_block, LIST_REDUCES | LIST_SEND_ALL)                   \
    X(Scan, Iscan, LIST_REDUCES)                                                                   \
    X(Scatter, Iscatter, LIST_ROOT_SENDS | LIST_SEND_ALL)                                          \
    X(Scatterv, Iscatterv, LIST_ROOT_SENDS | LIST_SEND_ALL)

#define LIST_OTHERS(X)                                                                             \
    X(Send, 0)                                                                                     \
    X(Sendrecv, 0)                                                                                 \
    X(ShmAllreduce, LIST_SHM | LIST_REDUCES)                                                       \
    X(ShmBarrier, LIST_SHM | LIST_NO_DATA)                                                         \
    X(ShmBcast, LIST_SHM | LIST_ROOT_SENDS)                                                        \
    X(ShmReduce, LIST_SHM | LIST_REDUCES)                                                          \
    X(TrigAllreduce, LIST_TRIGGERED | LIST_REDUCES)                                                \
    X(TrigIallreduce, LIST_TRIGGERED | LIST_REDUCES | LIST_OVERLAPS)                               \
    X(TrigReduce, LIST_TRIGGERED | LIST_REDUCES)                                                   \
    X(TrigIreduce, LIST_TRIGGERED | LIST_REDUCES | LIST_OVERLAPS)                                  \
    X(WaitPatternDown, LIST_PATTERN | LIST_NO_DATA)                                                \
    X(WaitPatternNull, LIST_PATTERN | LIST_NO_DATA)                                                \
    X(WaitPatternUp, LIST_PATTERN | LIST_NO_DATA)

enum list_id {
#define LIST_PAIR(name, iname, flags) LIST_##name, LIST_##iname,
#define LIST_ONE(name, flags) LIST_##name,
    LIST_COLLECTIVES(LIST_PAIR) LIST_OTHERS(LIST_ONE) LIST_COUNT
#undef LIST_PAIR
#undef LIST_ONE
};

struct listed {
    const char *name;
    unsigned flags;
};

extern const struct listed list[LIST_COUNT];

/* Capital letters do not matter. LIST_COUNT: none of this name. */
enum list_id list_find(const char *name);
/* What MPI has in the place of ours. */
enum list_id list_theirs(enum list_id ours);
/* Its non-blocking form. LIST_COUNT: there is none, or it is one. */
enum list_id list_begun(enum list_id id);
/* What luna_coll has in its place. LIST_COUNT: nothing. */
enum list_id list_ours(enum list_id theirs);

#endif
