/* transport.h - how nodes reach each other: packets between pairs, in order per pair, and the clock.
 *
 * A packet is a short body and, perhaps, one block of bytes that travels by reference where both sides
 * share memory. Three transports stand behind this: local (nodes of one process), mpi (a rank per
 * node), sim (all nodes in one thread, virtual time). Nothing here ever waits, except t->wait, which
 * sleeps until something may have come.
 *
 *     node_step() --poll--> packets --> handlers --send--> transport
 *
 * Only node.c calls these. */
#ifndef LUNA_NET_TRANSPORT_H
#define LUNA_NET_TRANSPORT_H

#include "runtime/base/block.h"
#include "runtime/base/err.h"

#include <stdint.h>

struct packet {
    struct packet *next;
    int32_t from, to;
    uint32_t kind;       /* msg.h's */
    uint32_t size;       /* bytes of body */
    struct block *block; /* counted: the packet holds one; NULL: none */
    char body[];
};

/* NULL: out of memory. */
struct packet *packet_new(uint32_t kind, uint32_t size);
void           packet_free(struct packet *p); /* drops its block */

struct transport;
struct transport_ops {
    /* Takes the packet. Any worker of the node may call. */
    void (*send)(struct transport *t, int to, struct packet *p);
    /* Gives what has come, oldest first, linked by next; NULL: nothing. */
    struct packet *(*poll)(struct transport *t);
    /* True when poll may find something; cheap, any worker may ask. */
    int (*pending)(struct transport *t);
    uint64_t (*now_ns)(struct transport *t); /* the only clock of the protocols */
    void (*free)(struct transport *t);
};

struct transport {
    const struct transport_ops *ops;
    int node, nodes;
};

/* `nodes` endpoints in one process; out[i] is node i's. */
enum err transport_local_new(struct transport **out, int nodes);

#endif
