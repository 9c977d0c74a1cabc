/* life.h - a node's life, for whoever runs a program: made, started, run, freed. As state it is in
 * node.h. */
#ifndef LUNA_RUNTIME_LIFE_H
#define LUNA_RUNTIME_LIFE_H

#include "runtime/node/node.h"

struct crew;
struct rebalance_knobs;

struct node_options {
    int workers;
    size_t window, queue; /* 0: the default, WINDOW and QUEUE_LONG */
    size_t lead;          /* of so many calls for others one has a mark; 0: LEAD_EVERY */
    long copies; /* room for them; 0: the default; below: none */
    int digest_row; /* of its first worker */
    bool debug, hash, steal, stats;
    bool compares; /* values with those of another run */
    bool traced;   /* a trace will be attached */
    bool proved;   /* counts of readers that the compiler proved hold */
    const struct recipes *recipes; /* of recipes_new */
    const struct share *shares; /* of share_analyse, for several nodes */
    const struct lattice *cells;     /* of a program with cells, also if they come later */
    const struct distrib_setup *map; /* and on several nodes; both lent */
    const struct speeds *speeds; /* lent; NULL: all are alike */
    const struct rebalance_knobs *balance; /* NULL: off */
    /* They come later: node_settle is called by it. */
    void (*settle)(struct worker *w, const struct lattice *cells, uint32_t place);
    void (*between)(struct worker *w);
    const char **why; /* set with E_USER: why the distributor refused */
};

/* Node net->node of net->nodes. Takes the transport, also when it fails. */
enum err node_new(struct node **out, const struct luna_program *p, struct transport *net,
                  const struct node_options *o);
void     node_free(struct node *n);
/* The lattice has come, while the nodes run: so have owners of its cells, on several nodes, and
 * balancing (NULL: off). E_USER: why the distributor refused is in *why. */
enum err node_settle(struct worker *w, const struct distrib_setup *map,
                     const struct rebalance_knobs *balance, const char **why);

/* Puts the body of `main` into the queue of this node. Takes the frame. */
void node_start(struct node *n, struct frame *main);
/* The threads of nodes of this process: with one worker each, at most a thread per core turns them;
 * else each worker is a thread. They start now, and wait for the run: to start one takes as long as
 * several calls, and the first would run these meanwhile. */
struct crew *crew_new(struct node **nodes, int n);
/* This thread is the first of them from now on, on its core. It takes the time of a call, too. */
void crew_meet(struct node **nodes, struct crew *crew);
/* Runs them until nothing moves any more. Takes the crew. */
void nodes_run(struct node **nodes, int n, struct crew *crew);
/* For a thread that is no worker, while nodes run: what the node holds does not change, or is under
 * locks, until node_release. False: its only worker was in a call for so long, or *ending. */
bool node_hold(struct node *n, int most_ms, const atomic_bool *ending);
void node_release(struct node *n);
/* The same on the simulator: a call takes `call_ns` x its weight / its node's speed of virtual
 * time. */
void nodes_simulate(struct node **nodes, int n, struct sim *sim, uint64_t call_ns);

#endif
