/* interrupt.h - SIGINT and SIGTERM in a run: what was running and what waits is said, what has been
 * printed is kept, and the process ends by the signal. The second one ends it at once, unless it
 * follows so soon that both are one wish: timeout(1) signals a process and then its group, and a
 * terminal's group may hold a launcher that hands the signal on.
 *
 * The supervisor of ranks hears the signals for them and asks them (ranks.h). A rank of another
 * launcher hears them itself, and speaks for itself. */
#ifndef LUNA_RUNTIME_INTERRUPT_H
#define LUNA_RUNTIME_INTERRUPT_H

#include <stddef.h>

struct nodes;
struct rank_news;

enum { INTERRUPT_ONE_WISH_MS = 100 };

/* From main's first call to the end. Signals that are ignored stay so. */
void interrupt_begin(const struct nodes *all);
void interrupt_end(void);

/* The line above the calls that run, with its newline; `who`: "", or "node 3: ". Gives its size. */
enum { INTERRUPT_HEAD = 200 };
size_t interrupt_head(char text[INTERRUPT_HEAD], const char *who, const struct rank_news *news);

#endif
