/* interrupt.h - SIGINT and SIGTERM in a run: what was running and what waits is said, what has been
 * printed is kept, and the process ends by the signal. The second one ends it at once. Ranks have a
 * launcher that hears them. */
#ifndef LUNA_RUNTIME_INTERRUPT_H
#define LUNA_RUNTIME_INTERRUPT_H

struct nodes;

/* From main's first call to the end. Signals that are ignored stay so. */
void interrupt_begin(const struct nodes *all);
void interrupt_end(void);

#endif
