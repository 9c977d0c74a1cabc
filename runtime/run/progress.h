/* progress.h - one line on a terminal that tells that a long run goes on.
 *
 *     luna: 12 s, 1234567 calls run, 65 wait, 310 MiB
 *
 * Beyond half of the memory the fragments follow that hold most of it. How deep subs are nested is
 * told where that may be a recursion without end.
 *
 * It is written over itself once a second from the second second on, and wiped when the run ends or
 * a message comes. Nothing is shown when stderr is no terminal. */
#ifndef LUNA_RUNTIME_PROGRESS_H
#define LUNA_RUNTIME_PROGRESS_H

struct nodes;

/* Shows the nodes of this process until progress_end. */
void progress_begin(const struct nodes *all);
void progress_end(void);
/* The line is wiped, if there is one, and does not come again: something else is to be said. */
void progress_wipe(void);

#endif
