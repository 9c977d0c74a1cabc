/* node_parts.h - what the files that turn nodes share. Below them, in node/, a node is state.
 *
 *     life.c          a node's life: made, run, freed
 *     node_packets.c  what comes, and rest
 *     inbox.c         what is done with it
 *     node_one.c      one worker a node: its turns, the threads and the simulator that turn nodes
 *     node_many.c     many workers: their turns, theft, idleness, sleep */
#ifndef LUNA_RUNTIME_NODE_PARTS_H
#define LUNA_RUNTIME_NODE_PARTS_H

#include "runtime/base/spin.h"
#include "runtime/base/ticks.h"
#include "runtime/node/node.h"
#include "runtime/exec/steal.h"

#include <pthread.h>
#include <time.h>

enum {
    POLL_TURNS = 16,     /* looks for packets every so many turns: lost in the noise */
    POLL_TICKS = 100000, /* or so many ticks, some 30-50 us */
    CROWD_YIELDS = 40,   /* with more threads than cores a thread yields at once, and naps soon */
    NAP_NS_MIN = 50000,  /* the first naps; then each is longer by 1/16, */
    NAP_NS_MAX = 1000000 /* to here */
};

/* ---- without work ---- */

/* Without work since so many looks. Nobody is woken by a packet from another process, so who waits
 * looks again and again; but a nap is about 1/16 of the time waited so far, so that a message is
 * late by a small part only, and those who wait for long leave the cores to others. */
struct quiet {
    unsigned looks;
    long nap_ns;
    uint64_t from; /* ticks of the first look that asked; 0: none did */
};

static inline struct quiet
quiet_begin(void)
{
    return (struct quiet){0, NAP_NS_MIN, 0};
}

/* Since it was asked for the first time. */
static inline uint64_t
quiet_ticks(struct quiet *q)
{
    uint64_t now = cpu_ticks();
    if (!q->from) q->from = now;
    return now - q->from;
}

/* Beside a bell, next to which the caller has lain down. */
static inline void
node_nap(struct quiet *q, struct bell *bell)
{
    bell_sleep(bell, q->nap_ns);
    q->nap_ns += q->nap_ns / 16;
    if (q->nap_ns > NAP_NS_MAX) q->nap_ns = NAP_NS_MAX;
}

/* ---- node_packets.c ---- */

/* Handles what has come. True: there was something. One worker at a time; others go on working. */
bool node_poll(struct worker *w);
void node_handle(struct worker *w, struct packet *p); /* all of a list; held by whoever polls */
void node_balance_sometimes(struct worker *w);
/* Nothing is left to do on this node for now: all workers were found idle, after `departures` of
 * them from that state. */
void node_rests(struct worker *w, unsigned departures);

static inline bool
node_may_have_come(const struct node *n)
{
    return n->nodes > 1 && (n->net->must_poll || n->net->ops->pending(n->net));
}

/* After some turns, or when the last ones took long: a look at the clock costs as much as a tenth
 * of the shortest of them. */
static inline void
node_poll_sometimes(struct worker *w)
{
    struct node *n = w->node;
    if (n->nodes == 1) return;
    bool many = ++w->turns >= (n->steals ? 1 : POLL_TURNS);
    if (!many && !w->timed) return;
    uint64_t now = cpu_ticks();
    w->timed = false;
    if (!many && now - w->polled < POLL_TICKS) return;
    w->turns = 0;
    w->polled = now;
    node_poll(w);
    steal_feed(w);
    if (n->balance) node_balance_sometimes(w);
}

/* ---- node_one.c ---- */
/* The only node there is. */
void node_run_alone(struct node *n);
/* At most a thread per core turns the nodes; the first of all is this one. `threads`: room for one
 * a worker. They wait for nodes_run_turned, which frees them. */
struct turners;
struct turners *nodes_start_turned(struct node **nodes, int n, pthread_t *threads);
void nodes_meet_turned(struct turners *t);
void nodes_run_turned(struct turners *t, pthread_t *threads);

/* ---- node_many.c ---- */
/* Each worker is a thread; the first of all is this one. They wait for nodes_run_many. */
void nodes_start_many(struct node **nodes, int n, pthread_t *threads);
void nodes_meet_many(struct node **nodes);
void nodes_run_many(struct node **nodes, int n, pthread_t *threads);

/* ---- life.c ---- */
/* A thread for it, bound to its core if workers are; of this thread only that. */
void node_worker_start(struct worker *w, pthread_t *thread, void *(*run)(void *), void *who);
void node_worker_bind(const struct worker *w);
/* For such a thread: until the run begins. */
void node_thread_awaits(const atomic_bool *begun);
/* The run begins: all that may watch it is there now. */
void node_look_for_watchers(struct node *n);

#endif
