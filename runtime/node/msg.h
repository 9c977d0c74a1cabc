/* msg.h - what nodes say to each other, and how it is packed.
 *
 * MSG_MAP has a row for each kind. What else depends on the kind asks its row:
 *
 *   WORK     it may have something done: while one is under way the run has not ended (done.h)
 *   QUIET    it wakes nobody, or is sent only when nothing else is under way: not counted
 *   TO_CELL  it may be for the owner of a cell: then it has the flag ROUTED and ends in the words
 *            of its way there (inbox.c); whoever gets it and does not own the cell passes it on
 *   TO_NODE  never that
 *   ASKS     the sender wants something of the receiver, and may have to wait for it (heed.h)
 *   TELLS    it does not
 *
 * Numbers are little endian, as on every machine this runs on. A reader checks every length: a
 * malformed message ends the run with a message, never a crash. */
#ifndef LUNA_RUNTIME_MSG_H
#define LUNA_RUNTIME_MSG_H

#include "runtime/data/frame.h"
#include "runtime/data/key.h"
#include "runtime/net/transport.h"
#include "runtime/table/task.h"

#define MSG_MAP(X)                                                                                 \
    X(CALL,     WORK,  TO_CELL, ASKS)  /* a statement and what it knows, to run there */           \
    X(RANGE,    WORK,  TO_NODE, ASKS)  /* children of a loop to be made there */                   \
    X(REQUEST,  WORK,  TO_CELL, ASKS)  /* one request of a fragment, at its home */                \
    X(VALUE,    WORK,  TO_NODE, TELLS) /* the answer to those that want one */                     \
    X(PUT,      WORK,  TO_CELL, TELLS) /* assign a fragment, at its home */                        \
    X(KILL,     WORK,  TO_CELL, TELLS) /* free a fragment, at its home */                          \
    X(ENDED,    WORK,  TO_NODE, TELLS) /* what went there has ended, and all below */              \
    X(OWNER,    WORK,  TO_NODE, TELLS) /* the sender owns a cell: go straight there */             \
    X(PARCEL,   WORK,  TO_NODE, TELLS) /* cells change hands (move.h) */                           \
    X(NEWS,     WORK,  TO_NODE, TELLS) /* who has cells beside those of others now */              \
    X(FRAGMENT, WORK,  TO_CELL, TELLS) /* goes with its cell: a value (move.h) */                  \
    X(WAITING,  WORK,  TO_CELL, TELLS) /* goes with its cell: a call */                            \
    X(LEFT,     WORK,  TO_CELL, TELLS) /* a call that had asked has gone (gone.h) */               \
    X(TURNED,   WORK,  TO_NODE, TELLS) /* its answer goes after it, and not there */               \
    X(TERMS,    WORK,  TO_NODE, ASKS)  /* elements to be reduced there (reduce.h) */               \
    X(FOLLOWS,  WORK,  TO_CELL, TELLS) /* a value for a call that has gone */                      \
    X(STOLEN,   WORK,  TO_NODE, TELLS) /* a call, given to who is hungry (steal.h) */              \
    X(FOLDED,   WORK,  TO_NODE, TELLS) /* parts of a reduction (reduce.h) */                       \
    X(BALANCE,  WORK,  TO_NODE, TELLS) /* load moves (rebalance.h) */                              \
    X(SPREAD,   WORK,  TO_NODE, TELLS) /* a value for many nodes, by a tree */                     \
    X(PROBE,    QUIET, TO_NODE, TELLS) /* is it the end of the run? (done.h) */                    \
    X(REPORT,   QUIET, TO_NODE, TELLS) /* the answer */                                            \
    X(STOP,     QUIET, TO_NODE, TELLS) /* it is */                                                 \
    X(GO_ON,    QUIET, TO_NODE, TELLS) /* loops that have paused go on */                          \
    X(HUNGRY,   QUIET, TO_NODE, TELLS) /* the sender has nothing to do (steal.h) */                \
    X(COPY,     WORK,  TO_NODE, TELLS) /* a VALUE that may stay there (copy.h) */                  \
    X(COUNTS,   WORK,  TO_CELL, TELLS) /* so many more have read it, at its home */                \
    X(DROP,     WORK,  TO_NODE, TELLS) /* that copy is not needed any more, or gone */             \
    X(LATTICE,  WORK,  TO_NODE, ASKS)  /* the sides of the lattice, which comes now (settle.h) */  \
    X(SETTLED,  WORK,  TO_NODE, TELLS) /* the sender has it; or all have */                        \
    X(RAN,      WORK,  TO_NODE, TELLS) /* a call with a mark has begun (lead.h) */

#define MSG_ENUM(name, ...) MSG_##name,
enum msg_kind { MSG_MAP(MSG_ENUM) MSG_KINDS };
#undef MSG_ENUM
#define MSG_ROUTED 0x100u

enum msg_trait {
    MSG_QUIET = 0, MSG_TO_NODE = 0, MSG_TELLS = 0,
    MSG_WORK = 1,
    MSG_TO_CELL = 2,
    MSG_ASKS = 4
};
extern const unsigned char msg_traits[MSG_KINDS];

/* Of a kind as it stands in a packet, which may be damaged: of no kind, then nothing is true. */
static inline bool
msg_is(uint32_t kind, enum msg_trait trait)
{
    kind &= ~MSG_ROUTED;
    return kind < MSG_KINDS && msg_traits[kind] & trait;
}

/* ---- reading: a failed read sets `bad` and gives zeroes, checked once at the end ---- */
struct reader {
    const char *at, *end;
    const struct luna_program *program;
    struct packet *packet;
    uint32_t bound; /* the cell + 1 of what a message for a cell is about; 0: it is for us */
    bool bad;
};

struct reader reader_of(struct packet *p, const struct luna_program *program);
uint8_t  read_u8(struct reader *r);
uint32_t read_u32(struct reader *r);
uint64_t read_u64(struct reader *r);
void     read_key(struct reader *r, struct key *k);
/* Counted for the caller; large ones come out of the packet's block without a copy. */
luna_value read_value(struct reader *r);
/* A copy of the sender's frame with one count; NULL: bad. */
struct frame *read_frame(struct reader *r, const struct luna_program *p);
/* A statement with the inputs that have come, which may be any; t->at is the first that has not.
 * NULL: bad. Takes a count of the frame. */
struct task *read_task(struct reader *r, const struct luna_program *p, struct frame *f);
struct range *read_range(struct reader *r, const struct luna_program *p, struct frame *f);
/* True when all was read, nothing was wrong and nothing is left. */
bool reader_done(const struct reader *r);

/* ---- writing: bytes that become a packet ----
 *
 * Most messages are small: a zeroed writer keeps so many bytes in itself, and needs no memory. One
 * that got no memory says so at the end, by writer_packet or `failed`. */
enum { WRITER_SMALL = 128 };

struct writer {
    char *heap; /* NULL: the bytes are in `small` */
    size_t size, room;
    uint32_t chains; /* bytes of chains (data/chain.h) */
    bool failed;
    struct block *block; /* the one large value */
    char small[WRITER_SMALL];
};

static inline const char *
writer_data(const struct writer *w)
{
    return w->heap ? w->heap : w->small;
}

void write_bytes(struct writer *w, const void *bytes, size_t n);
void write_u32(struct writer *w, uint32_t v);
void write_u64(struct writer *w, uint64_t v);
void write_key(struct writer *w, const struct key *k);
/* The last large value of a packet may travel by reference: `lend` lends the block to the packet.
 */
void write_value(struct writer *w, luna_value v, bool lend);
void write_frame(struct writer *w, const struct luna_program *p, const struct frame *f);
/* With its first `have` inputs; those of them that have not come are unset. */
void write_task(struct writer *w, const struct luna_program *p, const struct task *t,
                unsigned have);
void write_range(struct writer *w, const struct range *r);
/* Ends the writer. NULL: out of memory. */
struct packet *writer_packet(struct writer *w, uint32_t kind);
/* Ends one that becomes no packet. */
void writer_fini(struct writer *w);

#endif
