/* stuck.h - a run at rest in which calls still wait: who waits for what, and why it never comes. */
#ifndef LUNA_RUNTIME_STUCK_H
#define LUNA_RUNTIME_STUCK_H

#include "runtime/node.h"

/* True when some call waits. */
bool stuck_any(const struct node *n);
/* Prints the report and leaves with exit code 4. */
void stuck_report(const struct node *n) __attribute__((noreturn));
/* Adds notes that name the DFs which hold most bytes, for out of memory. `who` is a struct node. */
void stuck_memory(void *who);

#endif
