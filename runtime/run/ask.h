/* ask.h - SIGUSR1 in a run: what runs and what waits is said on stderr, and the run goes on.
 *
 * A thread sleeps until it is asked. It looks at what a node holds under the locks of its store; a
 * node of one worker, whose store has none, it holds still between two turns. If that worker is in
 * a call for longer than a second, only the call is told.
 *
 * The supervisor of ranks hands the signal on to those of this machine (launch.c). */
#ifndef LUNA_RUNTIME_ASK_H
#define LUNA_RUNTIME_ASK_H

struct nodes;

/* The run has not begun: who asks gets no answer, and SIGUSR1 does not end the process. */
void ask_may_come(void);
/* From main's first call to the end. If SIGUSR1 is ignored it stays so. */
void ask_begin(const struct nodes *all);
void ask_end(void);

#endif
