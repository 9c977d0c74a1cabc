/* workers.h - what each worker did, told to people: by --stats after a run, by luna stats from a
 * trace.
 *
 *     the run's duration = in calls + in the runtime + idle
 *                        = on a core + kept from it + asleep
 *
 * A worker is idle for good reason when there is nothing that it could do: all that is left waits
 * for calls that run just now. It is idle in vain, `wasted`, while its node has work that it does
 * not get: a call that is ready on another worker, or a loop that has paused because many of its
 * calls wait, and of whose calls nobody knows. */
#ifndef LUNA_RUNTIME_WORKERS_H
#define LUNA_RUNTIME_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct worker;

struct worker_row {
    uint64_t node, worker, calls;
    uint64_t in_calls, runtime, idle, wasted; /* ns; wasted: of the idle ones */
    uint64_t slept; /* ns, of the idle ones: its thread slept, or was woken and waited for a core */
    uint64_t steals, naps;
    uint64_t on, off; /* ns: its thread had a core, or was kept from one; 0: not known */
};

/* What a worker has counted in a run of so many ns; also while it runs. */
struct worker_row worker_row_of(const struct worker *w, uint64_t duration);
/* Cuts the duration into the three: of what does not fit calls hold, then work. */
void worker_row_split(struct worker_row *r, uint64_t duration, uint64_t worked, uint64_t in_calls,
                      uint64_t wasted);

/* The share of all workers' time that was wasted. */
double worker_rows_wasted(const struct worker_row *rows, size_t n);
/* The table: of many rows some, the idlest first, so they are sorted. */
void   worker_rows_print(FILE *f, struct worker_row *rows, size_t n);
/* The share of the time for which threads wanted a core that they were kept from one. */
double worker_rows_kept(const struct worker_row *rows, size_t n);
/* That is much, and of a run that was long enough to tell. */
bool   worker_rows_are_kept(const struct worker_row *rows, size_t n);
/* A line, with `before` in front, if much was wasted, and one if cores were not to be had: what
 * that means, and what to look at. */
void   worker_rows_judge(FILE *f, const char *before, const struct worker_row *rows, size_t n);

#endif
