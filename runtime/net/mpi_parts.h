/* mpi_parts.h - what the files of this transport share: nodes that are MPI ranks.
 *
 *     mpi.c            what a node asks for: poll, and what is done before and after a run
 *     mpi_join.c       ranks find each other; is there what MPI needs?
 *     mpi_send.c       packets go out
 *     mpi_receive.c    packets come in
 *
 * Together they are an object of its own, luna_mpi.so. MPI is used at the level "serialized": only
 * poll calls it, and a node lets one worker poll at a time; send just queues. Nothing ever blocks
 * inside MPI.
 *
 *     small   packets to one rank that wait together travel in one message of at most
 *             BATCH_BYTES, into receives that are posted in a ring and looked at in order: order
 *             per pair is kept
 *     large   a block goes in a message of its own, from where it lies to where it will stay. The
 *             packet that announces it tells tag and size, and is handed on when the block has
 *             come; packets behind it from the same rank wait, so order is kept here too
 *     lent    to ranks of the same host: only where a block lies is sent (block.h) */
#ifndef LUNA_RUNTIME_NET_MPI_PARTS_H
#define LUNA_RUNTIME_NET_MPI_PARTS_H

#include "transport.h"

#include <mpi.h>
#include <stdatomic.h>

enum {
    BATCH_BYTES = 16 << 10,
    RECEIVES = 8,
    REAPED = 8,
    TAG_BATCH = 1,
    TAG_LARGE = 2, /* and above: announced */
    TAGS_LARGE = 1 << 14
};

struct mpi_head { /* of a packet in a batch; its body follows if it fits */
    uint32_t kind, size;
    uint64_t block;      /* bytes of the block, BLOCK_NONE without */
    uint32_t tag;        /* of the block */
    uint32_t body_tag;   /* of the body when it travels alone, else 0 */
    uint64_t mark;       /* of the packet */
};
#define BLOCK_NONE UINT64_MAX
#define TAG_LENT UINT32_MAX /* `block` is not its size, but where it lies in the commons */

/* Between endpoints, instead of kinds of packets. LEAVE: the run ends, with `size` as exit code;
 * LEFT: the answer. */
enum { KIND_LEAVE = INT32_MAX - 1, KIND_LEFT };

struct sending { /* one MPI_Isend under way */
    struct sending *next;
    MPI_Request request;
    struct block *block;   /* released when done */
    struct packet *packet; /* freed when done: its body was sent alone */
    struct batch *batch;   /* used again when done */
};

struct batch { /* of small packets */
    struct batch *next;
    char data[BATCH_BYTES];
};

struct coming { /* a packet whose large parts may still be on their way */
    struct coming *next;
    struct packet *packet;
    MPI_Request block_request, body_request;
};

struct from { /* packets of one rank, in order; only of ranks that have something on its way */
    struct from *next;
    int rank;
    struct coming *first, *last;
};

struct mpi {
    struct transport base;
    const struct transport_host *host;
    _Atomic(struct packet *) outbox; /* newest first */
    struct sending *sendings, **sendings_end; /* oldest looked at first */
    struct sending *spare_sendings;
    struct batch *spare_batches; /* as many as were ever on their way at once */
    struct from *from;
    atomic_int coming; /* packets that wait for their parts, or behind such */
    char *receive[RECEIVES];
    MPI_Request receive_request[RECEIVES];
    int next_receive;
    uint32_t next_tag;
    int *near, nnear;    /* ranks of this host, ascending, if they share memory */
    int left;            /* ranks that have answered LEAVE */
    atomic_flag inside;  /* some thread calls MPI */
    struct packet *arrived, *arrived_last;
};

/* Ends the run when there is no memory. */
static inline void *
mpi_need(const struct mpi *m, void *p)
{
    if (!p) m->host->fail("out of memory for messages");
    return p;
}

/* Sizes beyond int need the large-count calls of MPI 4. */
#if MPI_VERSION >= 4
#define ISEND MPI_Isend_c
#define IRECV MPI_Irecv_c
typedef MPI_Count count;
#else
#define ISEND MPI_Isend
#define IRECV MPI_Irecv
typedef int count;
#endif

/* ---- mpi_send.c ---- */
void mpi_send(struct transport *t, int to, struct packet *p);
/* What waits to be sent goes to MPI. */
void mpi_send_waiting(struct mpi *m);
/* What has been sent is released. Looks at a few: when the other side is slow there may be
 * thousands. */
void mpi_send_reap(struct mpi *m);
/* A word between endpoints. */
void mpi_send_word(struct mpi *m, int to, uint32_t kind, int code);

/* ---- mpi_receive.c ---- */
void mpi_receive_post(struct mpi *m, int i);
void mpi_receive_batches(struct mpi *m);
/* Packets whose large parts have come, in order per rank. */
void mpi_receive_large(struct mpi *m);

/* ---- mpi_join.c ---- */
/* Why MPI should not even be started: with too little of it MPI_Init fails or hangs. NULL: it may.
 * All ranks of a machine see the same size. */
const char *mpi_no_shared_memory(int ranks_here);
/* A launcher meant several ranks, but its process manager and our MPI do not speak: each is
 * alone. */
const char *mpi_wrong_launcher(int size);
/* Some of those that have joined do not do this (enum joined). */
const char *mpi_others_differ(int what);
void mpi_connect_pairs(int rank, int size);
/* All ranks of a host see each other's memory, or none does. */
void mpi_open_commons(struct mpi *m);
/* The number in a variable of the environment; 0 without. */
int mpi_env_number(const char *variable);
/* Waits without blocking inside MPI: true when it is done, false after `seconds`. */
bool mpi_await(MPI_Request *r, double seconds);

/* ---- mpi_clock.c ---- */
int64_t mpi_clock_ask(struct transport *t, int other);
void    mpi_clock_tell(struct transport *t, int other);
#define FOR_EVER 1e9

#endif
