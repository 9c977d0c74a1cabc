/* coll.h - collective operations within a host: barrier, broadcast, reductions.
 *
 * A group is a number of processes (or threads) of one host that share a segment of memory. All of
 * them make the same calls in the same order, each with its own buffers:
 *
 *     struct coll_setup setup = {.rank = rank, .size = size, .exchange = exchange, .who = &comm};
 *     struct coll *group;
 *     char why[COLL_WHY];
 *     if (coll_new(&group, &setup, why)) fprintf(stderr, "%s\n", why);
 *     coll_bcast(group, data, bytes, 0);
 *     coll_allreduce(group, mine, sums, n, COLL_DOUBLE, COLL_SUM);
 *     coll_free(group);
 *
 * Who has done its part may leave a call while others are in it: a root does not wait for readers.
 * The segment holds per member a few lines and a queue of buffers:
 *
 *     head | member 0: lines, controls, buffers | member 1: ... | ...
 *
 * Whatever is written at a member's place lies on its NUMA node; bind members before coll_new. The
 * segment has no name, so nothing is left of it however its members end.
 *
 * Members wait by spinning, then by giving their core away, then asleep. If one dies, the others'
 * calls return E_BROKEN instead of waiting for ever, and so they do after coll_break, and if the
 * awaited member has freed the group. Then, and after E_PROTOCOL (members called differently), the
 * group can only be freed. Not every difference is noticed: who gives another size, operation or
 * root than the others may wait for ever, or get wrong data.
 *
 * A child of fork has no part in the group: its calls are E_USER, but for coll_free.
 *
 * One call at a time and member; a group knows no threads but its members. */
#ifndef LUNA_COLLECTIVES_COLL_H
#define LUNA_COLLECTIVES_COLL_H

#include "runtime/base/err.h"

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(default) /* of the library nothing else is seen */

struct coll;

enum { COLL_WHY = 200 };

/* How a notification travels from the root. (The data does not travel: all read the root's.) */
enum coll_tree { COLL_KARY, COLL_KNOMIAL, COLL_FLAT, COLL_CHAIN };
/* Controls by cache lines, or, to compare, by pages as in the paper on SHMBcast. */
enum coll_layout { COLL_LINES, COLL_PAGES };
/* How members write their queues: what is faster at the time, or always through the caches or
 * around them. */
enum coll_copying { COLL_COPY_TIMED, COLL_COPY_CACHED, COLL_COPY_AROUND };

/* Zero means: as it is best. But for `rank`, `exchange`, `who`, `progress`, `of` and `copying` all
 * members say the same. */
struct coll_setup {
    int rank, size;

    /* How members find each other: by a function, or by a name of at most 70 characters which this
     * user's groups have for themselves on this host. exchange: everybody gives `bytes` from `mine`
     * and gets those of all in the order of ranks (MPI_Allgather); not 0: it failed. Called during
     * coll_new alone. */
    int (*exchange)(void *who, const void *mine, void *all, size_t bytes);
    void *who;
    const char *name;
    int timeout_ms; /* how long to look for the others; 60,000 */

    /* What is to go on while this member waits in a call. MPI moves messages only inside its own
     * calls: a member that waits here for one that waits for its message would wait for ever. It is
     * called every few microseconds, later between naps of 100 us, and in any case after every 64th
     * call. True: there may be more to do soon; else the naps grow to 1 ms. It makes no calls of
     * this group. */
    bool (*progress)(void *of);
    void *of;

    /* The queues. One fragment is copied in while the one before is copied out. */
    enum coll_layout layout;
    size_t fragment_bytes; /* f; else chosen by the size of each message */
    int fragments;         /* s, in each member's queue; 2..65535, a multiple of q */
    int sets;              /* q: the root waits only for readers of the set that it opens again */
    size_t message_max;    /* if f or s are not given, they are chosen for messages of this size */
    double latency_bytes;  /* t_w/t: bytes copied while a notification travels; for that choice */

    enum coll_copying copying;

    enum coll_tree tree;
    int fan_out; /* k of the trees; 2 */

    /* A folder in memory, "/dev/shm" or one with huge pages, for the segment; else memfd_create. */
    const char *folder;
};

/* Collective, and it fails in all members or in none; `why`, if not NULL, tells the reason. That
 * members are on different hosts, or in different networks of one, is noticed at once. */
enum err coll_new(struct coll **out, const struct coll_setup *setup, char why[COLL_WHY]);
/* Not collective: others may still be in the last call. NULL is fine. */
void coll_free(struct coll *g);

int coll_rank(const struct coll *g);
int coll_size(const struct coll *g);

enum err coll_barrier(struct coll *g);

/* `bytes` may be any number, also 0, but the same everywhere; no alignment is needed. E_USER: the
 * root is no member. */
enum err coll_bcast(struct coll *g, void *buf, size_t bytes, int root);

enum coll_type { COLL_INT32, COLL_INT64, COLL_FLOAT, COLL_DOUBLE, COLL_TYPES };
/* B..: bit by bit, L..: true or false (0 or 1); both for ints alone. Ints wrap around. */
enum coll_op {
    COLL_SUM, COLL_PROD, COLL_MIN, COLL_MAX,
    COLL_BAND, COLL_BOR, COLL_BXOR, COLL_LAND, COLL_LOR, COLL_LXOR,
    COLL_OPS
};

/* Element by element x0 op x1 op ... in the order of ranks, whatever the size, root or algorithm:
 * the same bits each time. `send` may be `recv`; they do not overlap otherwise. recv counts at the
 * root only. E_USER: no such operation on this type, no such root, or more
 * bytes than an address can tell. */
enum err coll_reduce(struct coll *g, const void *send, void *recv, size_t count,
                     enum coll_type type, enum coll_op op, int root);
enum err coll_allreduce(struct coll *g, const void *send, void *recv, size_t count,
                        enum coll_type type, enum coll_op op);

size_t coll_type_bytes(enum coll_type type);

/* Ends all waiting in all members, now and later, with E_BROKEN. From any thread, also from a
 * signal handler. */
enum err coll_break(struct coll *g);

/* What became of the setup, here. In a child of fork: what was known before it. */
struct coll_about {
    size_t segment_bytes, queue_bytes, fragment_bytes; /* 0: by the message */
    int fragments, sets;
    int nodes, node;        /* NUMA nodes members run on; this member's, -1: bound to none */
    size_t pages, pages_elsewhere; /* of this member's place: touched, and on another node */
    bool crowded;           /* more members than cores they may run on */
};
enum err coll_tell(const struct coll *g, struct coll_about *out);

#pragma GCC visibility pop

#endif
