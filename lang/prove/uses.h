/* uses.h - how many readers a value has: nobody need say so.
 *
 * For each output of a call the number of requests for its value is computed as a function of the
 * words its writer sees. What is installed is never too small: where less is known a value stays
 * longer, at most as long as without. So it is for
 *
 *     a condition that is no form        its readers count, whether it holds or not
 *     ints the writer does not see       the most there is, whatever they are
 *     several callers of one sub         what the DF has that it is handed; of calls that hand it
 *                                        the same DF, the most of their numbers
 *
 * Nothing is said about a DF of whose life the program says something itself. */
#ifndef LUNA_LANG_PROVE_USES_H
#define LUNA_LANG_PROVE_USES_H

#include "lang/prove/proof.h"
#include "lang/prove/release.h"

struct uses; /* of all outputs of a plan */

/* `exactly`: where the number may be too large is told (proof.h: exact). */
struct uses *uses_new(struct arena *a, const struct plan *p, bool exactly);
/* Counts the readers of what is written to q->t. False: not of all; then nothing is kept of it but
 * if `last`, that nothing is known. `guarded`: ints that a sub was handed may be too large. */
bool uses_count(struct uses *u, struct question *q, bool guarded, bool last, struct proof *f);
/* The same with a reader that is made up: only if all that is read is written. */
bool uses_count_with(struct uses *u, struct question *q, bool guarded, const struct release *r,
                     struct proof *f);
/* Who reads a value is not counted, but it is only what one call makes: it goes with that. */
bool uses_end_with_call(struct uses *u, struct question *q, struct proof *f);
/* No fragment of q->t is assigned twice. */
bool uses_once(struct question *q);
/* When all DFs were looked at. `lost`: of calls that were not followed, by sub and parameter: what
 * is written there has readers that nobody has counted. */
void uses_end(struct uses *u, bool **lost);
/* Writes what was found into the plan. */
void uses_install(struct uses *u, struct plan *p);

#endif
