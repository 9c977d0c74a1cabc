/* remote.h - what one node does at another: calls, requests, puts. The protocols of fragments.
 *
 *     reader's node                         home
 *     absent --want--> asked --REQUEST--->  present: one use, VALUE back
 *                                           absent:  waits there (TASK_ASKED) until the put
 *            <----------------------VALUE--
 *     asked --VALUE--> absent               (all who waited here are served; a later reader asks
 * anew)
 *
 * Each reader counts as one request at the home, wherever it runs; but the value crosses once for
 * those who wait together: the first REQUEST wants it, the others only count. */
#ifndef LUNA_RUNTIME_REMOTE_H
#define LUNA_RUNTIME_REMOTE_H

#include "runtime/msg.h"
#include "runtime/node.h"

/* A statement goes to `to` with what it knows; inputs that have not come are unset. Takes a task on
 * the heap; a draft is the caller's. asked: a byte an input, whether it was asked for in its name
 * (remote_ask_for); NULL: none. */
void remote_call(struct worker *w, struct dest to, const struct luna_site *site, struct task *t,
                 bool draft, const uint8_t *asked);
/* A statement will go to `to` and want fragment k, which lives here. HERE: *v goes along. FIRST,
 * WAIT: it will be sent after it as CARRIED when it comes. NOT: the statement has to ask. */
enum store_want remote_ask_for(struct worker *w, struct dest to, const struct key *k,
                               luna_value *v);
/* A call goes to a hungry neighbour with all its inputs. Takes the task. */
void remote_give(struct worker *w, int to, const struct luna_site *site, struct task *t);
bool on_call(struct worker *w, struct reader *r);
/* A shared loop goes on to the nodes [me, me + n), counted from the node that met it, with values
 * or without (NULL). */
void remote_range(struct worker *w, const struct range *r, const struct ahead *ahead, int origin,
                  int me, int n);
/* The values, NULL: none, or the message is malformed. */
struct ahead *remote_read_ahead(struct reader *rd);
/* The range and its frame out of a RANGE message, behind what share.c reads itself; NULL:
 * malformed. */
struct range *remote_read_range(struct worker *w, struct reader *rd);
/* Whether the value is to be sent, and for what; in a message, and in the flags of TASK_ASKED.
 * CARRIED: to one call, which was sent to a node or to a cell before. */
enum wants { WANTS_NOTHING, WANTS_VALUE, WANTS_TERM, WANTS_CARRIED };
void remote_request(struct worker *w, struct dest home, const struct key *k, enum wants wants);
void remote_put(struct worker *w, struct dest home, uint32_t site, const struct key *k,
                luna_value v, int32_t uses);
void remote_kill(struct worker *w, struct dest home, uint32_t site, const struct key *k);
/* A request that waits here, TASK_ASKED, goes on in the name of who asked. Takes it. */
void remote_request_on(struct worker *w, struct dest home, const struct key *k,
                       struct task *asked);
/* ---- what goes with its cell (move.h) ---- */
void remote_bytes(struct worker *w, int to, enum msg_kind kind, const void *bytes, size_t n);
/* Takes the value's count. */
void remote_fragment(struct worker *w, struct dest to, const struct key *k, luna_value v,
                     int32_t uses);
enum trace_why;
void remote_carry(struct worker *w, struct dest to, const struct key *k, luna_value v,
                  enum trace_why why); /* lends v */
/* Takes the task; asked: a word per input. */
void remote_waiting(struct worker *w, struct dest to, const struct luna_site *site, struct task *t,
                    const uint8_t *asked);
/* The task, and what it had asked for, to be freed; NULL: malformed. */
struct task *remote_read_waiting(struct worker *w, struct reader *r, uint8_t **asked);

/* The value has come to one who asked from another node. Takes both. */
void remote_answer(struct worker *w, struct task *asked, const struct key *k, luna_value v);
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
void remote_terms_begin(struct terms *m, uint32_t n);
void remote_terms_end(struct terms *m, const struct range *whole);

struct partial;
void remote_folded_begin(struct folded *m, uint32_t n);
void remote_folded_part(struct folded *m, const struct partial *p); /* lends its value */
void remote_folded_end(struct folded *m);
/* The value of a fragment that was asked for here, from another node. Lends v. */
void remote_value_here(struct worker *w, struct key *k, luna_value v);
/* A proxy has lost its last count: tells its scope. Takes it. */
void remote_ended(struct worker *w, struct frame *proxy);

/* Does what a packet asks. Takes it. */
void remote_handle(struct worker *w, struct packet *p);

#endif
