/* done.h - the end of a run: every node at rest and no message on its way; or, if loops have paused
 * somewhere, the moment when they must go on.
 *
 * Waves go up and down a binary tree of nodes (children of i: 2i+1, 2i+2). A node answers a wave
 * when it is at rest and its children have answered; the answer holds the sums, over its subtree,
 * of messages sent and received. The run has ended when two waves in a row bring the same sums, and
 * as many were received as sent: between the two no node can have been woken (Mattern's four
 * counters). A wave waits at busy nodes, so waves are rare while there is work; and where many
 * nodes rest while work goes from one to the next, waves that did not find the end come at longer
 * and longer intervals.
 *
 *     node:  quiet --PROBE--> asked --at rest, children answered--> quiet   (REPORT to the parent)
 *     root:  as above; then next wave, or STOP or GO_ON down the tree
 *
 * It must not know why a node works. Why waves: docs/decisions/0007. */
#ifndef LUNA_RUNTIME_DONE_H
#define LUNA_RUNTIME_DONE_H

#include "runtime/node/msg.h"

struct node;
struct worker;

struct done { /* of one node */
    bool asked;               /* a wave waits for us */
    uint32_t wave;
    int reports;              /* children that have answered */
    uint64_t sent, received;  /* their sums */
    uint32_t paused;          /* nodes below that rest because their loops have paused */
    uint64_t last_sent, last_received; /* root: of the wave before */
    bool last_known;
    bool confirms;                     /* root: this wave may be the second of the end */
    uint64_t seen_sent, seen_received; /* this node's own, when it last answered: for assertions */
    uint64_t delay_ns, not_before_ns;  /* root: until the next wave; none on the simulator */
};

/* What a node tells of itself. */
struct done_seen {
    uint64_t sent, received;
    bool paused;
};
struct done_seen done_look(const struct node *n);
/* This node was at rest when that was seen: answer a wave that waits, or, at the root, begin or
 * end. */
void done_at_rest(struct worker *w, const struct done_seen *seen);

/* Handlers of messages; false: malformed. */
bool on_probe(struct worker *w, struct reader *r);
bool on_report(struct worker *w, struct reader *r);
bool on_stop(struct worker *w, struct reader *r);
bool on_go_on(struct worker *w, struct reader *r);

#endif
