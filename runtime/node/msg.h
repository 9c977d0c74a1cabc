/* msg.h - what nodes say to each other, and how it is packed.
 *
 *   CALL      a statement and what it knows, to run (or ask for its inputs) at the receiver
 *   RANGE     children of a loop to be made by the receiver
 *   REQUEST   one request of a fragment at its home; with or without the value as an answer
 *   VALUE     the answer
 *   PUT       assign a fragment at its home
 *   KILL      free a fragment at its home
 *   ENDED     an activation that went to another node has ended there, with all its descendants
 *   OWNER     the sender owns a cell: messages for it may go straight to him
 *   PARCEL, NEWS, FRAGMENT, WAITING, FOLLOWS    cells change hands (move.h)
 *   SPREAD    a value for many nodes, by a tree (spread.h)
 *   BALANCE   load moves (rebalance.h)
 *   PROBE, REPORT, STOP, GO_ON    the end of a run (done.h)
 *
 * With the flag ROUTED a message is for the owner of a cell, and ends in the words of its way there
 * (inbox.c): whoever gets it and does not own the cell passes it on.
 *
 * Numbers are little endian, as on every machine this runs on. A reader checks every length: a
 * malformed message ends the run with a message, never a crash. */
#ifndef LUNA_RUNTIME_MSG_H
#define LUNA_RUNTIME_MSG_H

#include "runtime/base/buf.h"
#include "runtime/data/frame.h"
#include "runtime/data/key.h"
#include "runtime/net/transport.h"
#include "runtime/table/task.h"

#define MSG_MAP(X)                                                                                 \
    X(CALL) X(RANGE) X(REQUEST) X(VALUE) X(PUT) X(KILL) X(ENDED) X(OWNER) X(PARCEL) X(NEWS)        \
    X(FRAGMENT) X(WAITING) X(TERMS) X(FOLLOWS) X(STOLEN) X(FOLDED) X(BALANCE) X(SPREAD) X(PROBE)   \
    X(REPORT) X(STOP) X(GO_ON) X(HUNGRY)

#define MSG_ENUM(name) MSG_##name,
enum msg_kind { MSG_MAP(MSG_ENUM) MSG_KINDS };
#undef MSG_ENUM
#define MSG_ROUTED 0x100u

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

/* ---- writing: into a buffer that becomes a packet ---- */
struct writer {
    struct buf buf;
    struct block *block; /* the one large value */
};

void write_u32(struct writer *w, uint32_t v);
void write_u64(struct writer *w, uint64_t v);
void write_key(struct writer *w, const struct key *k);
/* The last large value of a packet may travel by reference: `share` lends the block to the packet.
 */
void write_value(struct writer *w, luna_value v, bool share);
void write_frame(struct writer *w, const struct luna_program *p, const struct frame *f);
/* With its first `have` inputs; those of them that have not come are unset. */
void write_task(struct writer *w, const struct luna_program *p, const struct task *t,
                unsigned have);
void write_range(struct writer *w, const struct range *r);
/* Ends the writer. NULL: out of memory. */
struct packet *writer_packet(struct writer *w, uint32_t kind);

#endif
