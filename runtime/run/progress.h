/* progress.h - one line that tells that a long run goes on, and how far it is (status_read.h).
 *
 *     luna: 12 s, iteration 410 of 1000 (heat.fa:41), about 17 s to go, 1234567 calls run, 98000/s,
 *           65 wait, busy 87 %, busiest/mean 1.08, step (heat.fa:44) since 3.1 s, 310 MiB
 *
 * Of ranks the first tells it for all of its host. Beyond half of the memory the fragments follow
 * that hold most of it. How deep subs are nested is told where that may be a recursion without end.
 *
 * On a terminal it is written over itself once a second from the second second on, and wiped when
 * the run ends or a message comes. Elsewhere nothing is said, unless somebody wants lines. */
#ifndef LUNA_RUNTIME_PROGRESS_H
#define LUNA_RUNTIME_PROGRESS_H

#include <stdbool.h>

struct nodes;

/* Until progress_end, which comes before status_end. `every`: so many seconds, wherever stderr
 * goes; 0: on a terminal, if not quiet; below 0: never. */
void progress_begin(const struct nodes *all, double every, bool quiet);
void progress_end(void);
/* The line is wiped, if there is one, and does not come again: something else is to be said. */
void progress_wipe(void);

#endif
