/* send.h - what a node tells others: each message is written here, and read here as it was written.
 * What is done with it is told by who does it: home.h for fragments and statements, move.h for
 * cells, reduce.h, share.h, steal.h; inbox.c has the table of all. Senders lend what they send: the
 * caller drops its counts. It must not know how messages are handled.
 *
 *     reader's node                         home
 *     absent --want--> asked --REQUEST--->  present: one use, VALUE back
 *                                           absent:  waits there (asker_afar) until the put
 *            <----------------------VALUE--
 *     asked --VALUE--> absent               (all who waited here are served; a later reader
 *                                            asks anew)
 *
 * Each reader counts as one request at the home, wherever it runs; but the value crosses once for
 * those who wait together: the first sends the REQUEST, of the others COUNTS tell when the value
 * has come. Of what some statement deletes each sends a REQUEST, which only counts. */
#ifndef LUNA_RUNTIME_SEND_H
#define LUNA_RUNTIME_SEND_H

#include "runtime/node/msg.h"
#include "runtime/node/node.h"
#include "runtime/node/trace.h"

struct partial;

/* ---- messages for the owner of a cell ----
 *
 * They end in a few words that say where to. A node that gets one and does not own the cell passes
 * the packet on as it is; the owner tells the sender who he is, if the way was not straight. */

struct route {
    uint32_t cell, at;
    int32_t from;  /* who sent it first */
    uint32_t hops; /* since then, but the first */
};

/* ---- statements ---- */

/* A statement goes to `to` with what it knows; inputs that have not come are unset. asked: a byte
 * an input, whether it was asked for in its name (home_ask_for); NULL: none. The values' counts go,
 * task and frame are the caller's. */
void send_call(struct worker *w, struct dest to, const struct luna_site *site, struct task *t,
               const uint8_t *asked);
/* A call goes to a hungry neighbour with all its inputs. */
void send_give(struct worker *w, int to, const struct luna_site *site, struct task *t);
/* A task on the heap, and what was asked for it, to be freed (NULL: nothing). NULL: malformed. */
struct task *send_read_call(struct worker *w, struct reader *r, uint8_t **asked);
/* A shared loop goes on to the nodes [me, me + n), counted from the node that met it, with values
 * or without (NULL). */
void send_range(struct worker *w, const struct range *r, const struct ahead *ahead, int origin,
                int me, int n);
/* The values, NULL: none, or the message is malformed. */
struct ahead *send_read_ahead(struct reader *rd);
/* The range and its frame out of a RANGE message, behind what share.c reads itself; NULL:
 * malformed. */
struct range *send_read_range(struct worker *w, struct reader *rd);

/* ---- fragments ---- */

/* place: where a part is wanted; readers: so many are to be expected, 0: who knows. */
void send_request(struct worker *w, struct dest home, const struct key *k, enum wants wants,
                  uint32_t place, uint32_t readers);
/* The answer, which may stay: bound is the cell + 1 of the fragment, counts: its readers count. */
void send_copy(struct worker *w, int to, const struct key *k, uint32_t bound, bool counts,
               uint32_t place, luna_value v);
void send_counts(struct worker *w, struct dest home, const struct key *k, uint32_t n);
void send_drop(struct worker *w, int to, const struct key *k);
/* gone.h: the call for cell `cell`, and what becomes of its request. */
void send_left(struct worker *w, struct dest home, const struct key *k, uint32_t cell);
void send_turned(struct worker *w, int to, const struct key *k);
void send_ran(struct worker *w, int to); /* lead.h */
void send_put(struct worker *w, struct dest home, uint32_t site, const struct key *k, luna_value v,
              int32_t uses);
void send_kill(struct worker *w, struct dest home, uint32_t site, const struct key *k);
/* A request that waits here goes on in the name of who asked. Takes it. */
void send_request_on(struct worker *w, struct dest home, const struct key *k,
                     struct asker_afar *asked);
/* The answer to a request. Lends v. */
void send_value(struct worker *w, int to, const struct key *k, luna_value v, enum trace_why why);
/* Who sent something for a cell by a detour is told that this node has it. */
void send_owner(struct worker *w, int to, uint32_t cell);

/* ---- what goes with its cell (move.h) ---- */
void send_bytes(struct worker *w, int to, enum msg_kind kind, const void *bytes, size_t n);
/* Takes the value's count. */
void send_fragment(struct worker *w, struct dest to, const struct key *k, luna_value v,
                   int32_t uses);
void send_follows(struct worker *w, struct dest to, const struct key *k, luna_value v,
                  enum trace_why why); /* lends v */
/* asked: a byte an input. The values' counts go. */
void send_waiting(struct worker *w, struct dest to, const struct luna_site *site, struct task *t,
                  const uint8_t *asked);
/* The task, and what it had asked for, to be freed; NULL: malformed. */
struct task *send_read_waiting(struct worker *w, struct reader *r, uint8_t **asked);

/* ---- parts of reductions ---- */

/* FOLDED, piece by piece: n parts of a reduction go to where the fold's proxy stands for. */
struct folded {
    struct worker *w;
    const struct frame *proxy;
    uint32_t df; /* of the elements, for traces */
    struct writer wr;
};
/* TERMS: the numbers of n elements, written behind the beginning, then the whole loop. */
struct terms {
    struct worker *w;
    int to;
    struct writer wr;
};
void send_terms_begin(struct terms *m, uint32_t n);
void send_terms_end(struct terms *m, const struct range *whole);

void send_folded_begin(struct folded *m, uint32_t n);
void send_folded_part(struct folded *m, const struct partial *p); /* lends its value */
void send_folded_end(struct folded *m);
/* A proxy has lost its last count: tells its scope. Takes it. */
void send_ended(struct worker *w, struct frame *proxy);

#endif
