/* triggered.h - reductions nobody waits for: descriptors that run when enough packets have come.
 *
 * A node arms descriptors for an operation and goes on. Whoever brings the last packet that a
 * descriptor waits for makes it run: it combines its own value with those of the packets, sends the
 * result on, or gives it to the node. Network interfaces can do this by themselves (Wang, Zhang,
 * Xie, Dong: triggered operations on Tianhe); here it is a state machine, packets are arguments:
 *
 *     nothing --first packet--> early --arm--> armed --last packet--> run, forgotten
 *        \-----------arm--------------------->/
 *
 * Packets may come before their descriptor is armed, in any order, and of many operations at once:
 * they are kept by the number of the operation, which is the same on all nodes. Operands are
 * combined in the order of their `from`, so arrival does not change a bit.
 *
 * An engine belongs to one node and is entered by one thread at a time. It may be entered again
 * from `send`: what has become ready then runs before the outer call returns. */
#ifndef LUNA_COLLECTIVES_TRIGGERED_H
#define LUNA_COLLECTIVES_TRIGGERED_H

#include "collectives/coll.h"

#include <stdint.h>

struct trig;

struct trig_packet {
    uint64_t operation;
    uint32_t segment;  /* of a long value: each has descriptors of its own */
    uint16_t slot;     /* which descriptor of the operation */
    uint32_t from;     /* its place among the operands */
    uint32_t bytes;
    const void *data;  /* lent */
};

/* What an engine needs. Never called for packets to the node itself. */
struct trig_world {
    void (*send)(void *who, int to, const struct trig_packet *p);
    /* A segment of the result: `bytes` from byte `at` on. Lent. */
    void (*done)(void *who, uint64_t operation, size_t at, const void *data, size_t bytes);
    void *who;
};

/* n values of `bytes` each become one; n >= 1. */
typedef void trig_combine_fn(void *who, void *out, const void *const *in, int n, size_t bytes);

enum err trig_new(struct trig **out, int node, const struct trig_world *world);
void     trig_free(struct trig *t); /* NULL is fine */

/* ---- descriptors ---- */

struct trig_out {
    int node;
    uint16_t slot;
    uint32_t from;
};

/* What outgoing packets carry: the result in place of the data, or the descriptor's own value. */
enum trig_data { TRIG_REPLACE, TRIG_COPY };

struct trig_descriptor {
    uint64_t operation;
    uint32_t segment;
    uint16_t slot;
    int threshold;          /* packets; 0: runs at once */
    const void *own;        /* the first operand, copied; NULL: there is none */
    size_t bytes;           /* of each operand */
    trig_combine_fn *combine; /* NULL: there is only one operand */
    void *who;
    enum trig_data data;
    bool deliver;           /* the result goes to done() */
    size_t at;              /* what done() is told */
    const struct trig_out *out; /* copied */
    int outs;
};

/* E_TWICE: this one is armed already. E_PROTOCOL: packets of another size, or too many, came. */
enum err trig_arm(struct trig *t, const struct trig_descriptor *d);
/* A packet has come. E_PROTOCOL, E_TWICE (two with the same `from`): it is dropped. */
enum err trig_arrive(struct trig *t, const struct trig_packet *p);

/* Descriptors that are armed or have early packets. */
size_t trig_pending(const struct trig *t);
int    trig_node(const struct trig *t);

/* ---- reductions along a tree ---- */

enum { TRIG_SEGMENT = 120 }; /* what a packet of 128 bytes has room for */

struct trig_reduction {
    uint64_t operation;
    enum coll_tree tree;
    int fan_out, nodes, root;
    const void *value;   /* of this node */
    size_t bytes;        /* the same everywhere */
    size_t segment_bytes; /* 0: TRIG_SEGMENT; whole elements. Segments follow each other */
    trig_combine_fn *combine;
    void *who;
};

/* Arms what this node has to do, and returns. Values are combined own first, then the subtrees in
 * the order of (rank - root) mod nodes: along k-nomial trees, chains and flat ones this is the
 * order of the nodes, so `combine` need not commute; k-ary trees need that. */
enum err trig_allreduce(struct trig *t, const struct trig_reduction *r); /* done() everywhere */
enum err trig_reduce(struct trig *t, const struct trig_reduction *r);    /* done() at the root */

/* A combine function for the operations of coll.h; `who` is a struct trig_op. */
struct trig_op {
    enum coll_type type;
    enum coll_op op;
};
trig_combine_fn trig_combine_op;

#endif
