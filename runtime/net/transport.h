/* transport.h - how nodes reach each other: packets between pairs, in order per pair, and the
 * clock.
 *
 * A packet is a short body and, perhaps, one block of bytes that travels by reference where both
 * sides share memory. Three transports stand behind this: local (nodes of one process), mpi (a rank
 * per node), sim (all nodes in one thread, virtual time). Nothing here ever waits.
 *
 *     node_poll() --poll--> packets --> handlers --send--> transport
 *
 * Only the files of node poll; they, done.c and steal.c send. Anybody may ask for the time.
 *
 * It must not know what a packet means. */
#ifndef LUNA_NET_TRANSPORT_H
#define LUNA_NET_TRANSPORT_H

#include "runtime/base/bell.h"
#include "runtime/base/block.h"
#include "runtime/base/commons.h"
#include "runtime/base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct packet {
    struct packet *next;
    int32_t from, to;
    uint32_t kind;       /* msg.h's */
    uint32_t size;       /* bytes of body */
    struct block *block; /* counted: the packet holds one; NULL: none */
    uint64_t mark : 40;  /* of a traced run (trace.h); else 0, and so is this: */
    uint64_t chains : 24; /* bytes of the body that count for nothing, or a trace would cost time */
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
    /* Sends off what waits to travel together; NULL: nothing ever waits. Called like poll. */
    void (*flush)(struct transport *t);
    uint64_t (*now_ns)(struct transport *t); /* the only clock of the protocols */
    /* Where time does not pass by itself: this node has been at work so long. NULL elsewhere. */
    void (*spend)(struct transport *t, uint64_t ns);
    void (*free)(struct transport *t);
};

struct transport {
    const struct transport_ops *ops;
    int node, nodes;
    int host_nodes; /* nodes k, 2k .. are the first of a host; 1: nothing is known of hosts */
    bool must_poll; /* things move only inside poll: `pending` does not tell of what has come */
    struct bell *bell; /* rung when something is sent here; lent; NULL, or another process: never */
};

/* `nodes` endpoints in one process; out[i] is node i's. */
enum err transport_local_new(struct transport **out, int nodes);

/* ---- sim: all nodes in one thread, virtual time, one seed ----
 *
 * A node's turn is an event, so the driver is a loop: sim_next tells which node is next, it takes
 * its turn, sim_turned ends it. Each node has a clock of its own, which goes on within a turn as
 * far as `spend` says: what it sends then leaves then, and what comes meanwhile is there in its
 * next turn, which begins when this one has ended.
 *
 * A packet waits until those that the node has sent before are out, is out when its bytes have
 * passed at the bandwidth, and comes after a random part of the latency, SIM_LATENCY_MIN to
 * SIM_LATENCY_MAX percent of it. So packets overtake each other between pairs of nodes, and never
 * within one. The same seed gives the same events. */
struct sim;

enum { SIM_LATENCY_MIN = 5, SIM_LATENCY_MAX = 200 };

struct sim_options {
    uint64_t seed;
    uint64_t latency_ns;
    uint64_t bandwidth; /* bytes per second of a node; not 0 */
};

enum err sim_new(struct sim **out, struct transport **endpoints, int nodes,
                 const struct sim_options *o);
void     sim_free(struct sim *s); /* after its endpoints */
/* Goes on to the next event: *node has something to do now. False: there is none. */
bool     sim_next(struct sim *s, int *node);
/* The turn of `node` ends after another `ns`; if there is `more` to do, its next turn follows.
 * Gives its clock then. */
uint64_t sim_turned(struct sim *s, int node, uint64_t ns, bool more);
/* It has nothing to do for `ns`, unless something comes: then its next turn follows. Its clock. */
uint64_t sim_waits(struct sim *s, int node, uint64_t ns);
uint64_t sim_now_ns(const struct sim *s); /* the latest clock */
uint64_t sim_events(const struct sim *s);
uint64_t sim_digest(const struct sim *s); /* of all events so far */

/* ---- mpi: a rank per node ----
 *
 * An object of its own, opened only when ranks run, so that nothing else needs MPI. It gets what it
 * calls of ours. */
struct transport_host {
    struct packet *(*packet_new)(uint32_t kind, uint32_t size);
    void (*packet_free)(struct packet *p);
    struct block *(*block_new)(size_t size);
    void (*block_release)(struct block *b);
    struct block *(*block_lend)(struct block *b); /* to ranks of the same host (block.h) */
    struct block *(*block_borrow)(struct block *lent);
    void (*block_tidy)(void);
    struct commons_ticket (*commons_open)(int index);
    bool (*commons_join)(const struct commons_ticket *all, int n);
    void (*commons_decide)(bool all_joined);
    void (*fail)(const char *text); /* ends the run; does not return */
    void (*leave)(int code);        /* another rank ends the run, and has said why; the same */
};

/* The one symbol of luna_mpi.so. The collective ones are for before and after the run; all ranks
 * call them, and wait outside MPI. */
struct transport_mpi {
    const char *version;
    /* Joins the ranks that were started together. NULL: it did not work; a text and an exit code.
     */
    struct transport *(*open)(const struct transport_host *host, const char **why, int *code);
    void (*meet)(struct transport *t); /* gives when all have come, to all at the same time */
    void (*bcast)(struct transport *t, void *bytes, size_t size); /* rank 0's reach all */
    void (*sum)(struct transport *t, uint64_t *v, size_t n);      /* at rank 0 */
    /* The bytes of all ranks, in their order, at rank 0: malloc'ed, NULL elsewhere. */
    char *(*gather)(struct transport *t, const void *bytes, size_t size, size_t *total);
    /* How far the clock of `other`, which tells it meanwhile, is ahead of ours, in ns. */
    int64_t (*clock_ask)(struct transport *t, int other);
    void (*clock_tell)(struct transport *t, int other);
    /* Ends all ranks with this code, now. Under srun, which would not hand the code on, the others
     * are told to leave; it returns when all have. */
    void (*abort)(struct transport *t, int code);
    /* Leaves in good order; never hangs: if MPI does, the process ends with this code. */
    void (*close)(struct transport *t, int code);
};
#define TRANSPORT_MPI_SYMBOL "luna_transport_mpi"

#endif
