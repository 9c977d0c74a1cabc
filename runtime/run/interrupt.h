/* interrupt.h - a run that is to end (wish.h): what was running and what waits is said, what has
 * been printed is kept, and the process ends by the signal. The second one ends it at once, unless
 * it follows so soon that both are one wish: timeout(1) signals a process and then its group, and a
 * terminal's group may hold a launcher that hands the signal on. Of a used up CPU time the kernel
 * tells each second: that urges nobody.
 *
 * SIGPIPE says that nobody reads any more: nothing is told, and a trace gets its end.
 *
 * The supervisor of ranks hears the signals for them and asks them (ranks.h). A rank of another
 * launcher hears them itself, and speaks for itself. */
#ifndef LUNA_RUNTIME_INTERRUPT_H
#define LUNA_RUNTIME_INTERRUPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nodes;
struct rank_news;

/* From main's first call to the end. Signals that are ignored stay so. */
void interrupt_begin(const struct nodes *all);
void interrupt_end(void);

/* Such a signal, so long after the first: should all end at once? */
bool interrupt_urges(int sig, uint64_t ms_later);

/* The line above the calls that run, with its newline; `who`: "", or "node 3: ". Gives its size. */
enum { INTERRUPT_HEAD = 200 };
size_t interrupt_head(char text[INTERRUPT_HEAD], const char *who, int sig,
                      const struct rank_news *news);

#endif
