/* stuck.h - a run at rest in which calls still wait: who waits for what, and why it never comes. */
#ifndef LUNA_RUNTIME_STUCK_H
#define LUNA_RUNTIME_STUCK_H

#include "runtime/node.h"

/* All nodes of this process. */
struct nodes {
    struct node **node;
    int n;
};

/* True when some call waits. */
bool stuck_any(const struct nodes *all);
/* Prints the report and leaves with exit code 4. */
void stuck_report(const struct nodes *all) __attribute__((noreturn));
/* Adds notes that name the DFs which hold most bytes, for out of memory. `who` is a struct nodes. */
void stuck_memory(void *who);

#endif
