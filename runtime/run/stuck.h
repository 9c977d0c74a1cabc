/* stuck.h - a run at rest in which calls still wait: who waits for what, and why it never comes.
 *
 * Why a hang is an error: docs/decisions/0008. */
#ifndef LUNA_RUNTIME_STUCK_H
#define LUNA_RUNTIME_STUCK_H

#include "runtime/node/node.h"

/* All nodes of this process. */
struct nodes {
    struct node **node;
    int n;
    struct recipes *recipes; /* what they share, */
    struct speeds *speeds;   /* and how they differ */
    bool proved;             /* counts of readers that the compiler proved hold */
};

/* After the run: if some call waits, prints the report and leaves with exit code 4. All ranks call
 * it together; rank 0 prints what all know. */
void stuck_end(const struct nodes *all);
#endif
