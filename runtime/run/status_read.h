/* status_read.h - the runs of this user on this host, as their processes tell (status.h): found,
 * asked, and added up.
 *
 *     struct status_runs runs;
 *     status_find(&runs);
 *     status_look(&runs, run)...      the figures of all processes of a run
 *     status_free(&runs);
 */
#ifndef LUNA_RUNTIME_STATUS_READ_H
#define LUNA_RUNTIME_STATUS_READ_H

#include "runtime/run/status.h"

#include <sys/types.h>

/* A process of a run, and a copy of what it has told last. */
struct status_process {
    struct status_page *page; /* of the process itself; NULL: it has gone */
    size_t size;
    pid_t pid;
    bool own; /* the page is lent */
    struct status_page *copy, *before; /* now, and at the look before; at_ns 0: there was none.
                                        * Before the first what never changes is there already */
};

struct status_runs {
    struct status_process *process; /* those of one run side by side, by their first nodes */
    int n;
};

/* All processes of this user. Without memory there are none. */
void status_find(struct status_runs *runs);
/* The run that this process belongs to: its own nodes, and those of other ranks of this host. */
void status_find_own(struct status_runs *runs);
/* Without the processes of this run. */
void status_drop(struct status_runs *runs, uint64_t run);
void status_free(struct status_runs *runs);

/* Asks them all; gives how many have told anew before `most_ms` had passed. Those that have ended
 * have no page from then on. */
int status_look(struct status_runs *runs, int most_ms);

/* What all of them have told at the last look, and how fast since the look before. */
struct status_sum {
    int nodes, told; /* of the run; of so many is known what follows */
    int workers;     /* of all that have told */
    double seconds;
    uint64_t calls, waiting, running, bytes, bytes_most;
    double calls_per_s; /* below 0, as the next two: there was no look before, or nobody knows */
    double busy;        /* share of the time of all threads */
    double imbalance;   /* the busiest node / the mean of all; 1 is best */
    struct status_loop loop; /* the iteration that is furthest behind */
    int ncalls;         /* statements, those that have run longest first */
    struct status_call call[STATUS_CALLS];
};
void status_add_up(const struct status_runs *runs, struct status_sum *sum);
/* Of a node, below 0 as above; how busy its workers were. */
double status_calls_per_s(const struct status_process *p, int node);
double status_sent_per_s(const struct status_process *p, int node);
double status_busy(const struct status_process *p, int node);

enum { STATUS_LINE = 512 };
/* As one says it; in text, which it gives. */
const char *status_time(char text[32], double seconds);
/* In words, without a line feed; as much as there is room for. Give their lengths. */
size_t status_line(char *text, size_t size, const struct status_sum *sum);
size_t status_loop_text(char *text, size_t size, const struct status_sum *sum);
/* Where it is, as the program's counter, or as a turn. */
int64_t status_counter(const struct status_loop *l);

#endif
