/* waits.h - which calls surely wait for which: those that read a fragment for the one that writes
 * it, and all that stands in an `if`, in a sub or behind a loop's bounds for the values these need.
 *
 * A stop is a statement on one way that leads to it; its instances are vectors of the counters
 * around it. One question is asked of it at a time. */
#ifndef LUNA_LANG_PROVE_WAITS_H
#define LUNA_LANG_PROVE_WAITS_H

#include "lang/prove/question.h"

enum { WAITS_FAR = 4 }; /* so many stops on, at most */

struct waits;
struct waits *waits_new(struct walk *w);
struct walk *waits_walk(const struct waits *all);

/* The stop that an access belongs to: elements of a reduction are read by that. */
int waits_stop(const struct access *x);
/* How many counters are around it. */
int waits_loops(const struct access *x);

/* Marks the fixed ints that matter for what stops wait for that are as far as WAITS_FAR from the
 * writers of t. False: too many stops. */
bool waits_mark(struct waits *all, const struct touched *t, bool *used);
/* Forgets what was computed for the last question; this is q. */
void waits_begin(struct waits *all, struct question *q);
/* From instances of stop `from` to those of stop `to` it waits for, in at most `far` steps; NULL:
 * there are none. */
struct rel *waits_within(struct waits *all, int from, int to, int far);

#endif
