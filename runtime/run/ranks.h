/* ranks.h - a run whose nodes are ranks: processes that a launcher (mpiexec, srun) has started
 * together.
 *
 *     ranks_started -> ranks_begin -> ranks_join -> bcast, agree -> the run -> sum, gather ->
 * ranks_end
 *
 * Under `luna run --transport=mpi` the launcher is a child of a supervisor (launch.h of the
 * command), which hands each rank its own stdout and stderr and hears from it with which code it
 * ends:
 *
 *     rank --RANK_HELLO--> supervisor --stdout, stderr--> rank --RANK_END--> supervisor
 *
 * Before an interrupted supervisor ends the ranks, it asks what they do, and tells it for all. A
 * rank that is in the run then ends by itself:
 *
 *     supervisor --RANK_ASK--> rank --RANK_NEWS--> supervisor; rank --RANK_END--> supervisor
 *
 * A rank whose CPU time is used up hears of it alone, and says so:
 *
 *     rank --RANK_WISH--> supervisor, which takes it as a signal of its own
 *
 * A rank that goes without RANK_END was lost. A rank whose supervisor goes ends at once. */
#ifndef LUNA_RUNTIME_RANKS_H
#define LUNA_RUNTIME_RANKS_H

#include "runtime/base/buf.h"
#include "runtime/program.h"

struct transport;

/* ---- between ranks and supervisor: a packet socket, its abstract name in this variable ---- */
#define RANKS_SOCKET "LUNA_RANKS_SOCKET"

/* So begins what a rank says on mpiexec's stderr if it cannot even get a socket. */
#define RANKS_GAVE_UP "luna: error: "

enum rank_says { RANK_HELLO = 0x6c756e61, RANK_END, RANK_ASK, RANK_NEWS, RANK_WISH };
struct rank_word {
    uint32_t says;
    int32_t rank, value; /* HELLO: pid; END: the exit code; ASK: to end with; WISH: a signal */
    int32_t ends_all;    /* END: not only this rank, the run is over */
};
struct rank_news { /* the text is sent as far as it goes */
    uint32_t says;
    int32_t in_run; /* else the rest is empty */
    int64_t calls, waits;
    double seconds;
    char text[4000]; /* lines: the calls that run */
};

/* ---- a rank ---- */

/* Was this process started by a launcher, with others? */
bool ranks_started(void);
/* A process that began at `began_ns` fails. MPICH's mpiexec dies of SIGPIPE, and what was said is
 * lost, if its processes end while it is still starting them: who fails at once waits a moment. Who
 * has not joined the others ends them, too: they would wait for it. */
void ranks_linger(uint64_t began_ns, int code);
/* Is it the first of them, who speaks for all? Also without a launcher. */
bool ranks_first(void);
/* Ties this process to its launcher, and its streams to where they should go. */
void ranks_begin(void);
/* Joins the others; `home` is the folder with lib/luna. Gives 0, or an exit code
 * when it has told what is wrong. */
int ranks_join(const char *home);

bool ranks_on(void);     /* this process has joined */
int  ranks_number(void); /* 0 when not */
int  ranks_count(void);
bool ranks_supervised(void);
struct transport *ranks_transport(void);

/* The object that rank 0 has compiled reaches all; or the exit code with which it could not. */
int ranks_bcast_object(int code, struct buf *object);
/* All get rank 0's code. */
int ranks_agree(int code);
/* A rank that runs another program than rank 0 ends the run. */
void ranks_check_program(const struct luna_program *p);

/* The run begins, everywhere at the same time: what a rank asks of one that is late would find it
 * in its first call. */
void ranks_meet(void);

/* Who tells the supervisor what runs and what waits, in a signal handler; NULL: no run. What it
 * interrupts does not go on. */
void ranks_answer_by(void (*fn)(struct rank_news *news));
/* The supervisor is to end all as by this signal. A signal handler may ask. */
void ranks_wish(int sig);

/* At rank 0: sums over all ranks; the bytes of all in order (malloc'ed; NULL elsewhere). */
void  ranks_sum(uint64_t *v, size_t n);
char *ranks_gather(const void *bytes, size_t size, size_t *total);
void  ranks_bcast(void *bytes, size_t size);

/* Of two ranks one asks how far the clock of the other, which tells it, is ahead of its own: ns. */
int64_t ranks_clock_ask(int other);
void    ranks_clock_tell(int other);

/* All ranks have come to their end: from now on leaving (fault_end, too) does not break off the
 * others. */
void ranks_orderly(void);
/* Leaves the others in good order; gives `code`. */
int ranks_end(int code);
/* For those who end before they have joined, too, and for whom the others would wait. First: what
 * is said from now on reaches the user; then: all end. */
void ranks_speak_up(void);
void ranks_give_up(int code);

#endif
