/* judge.h - how certain a violation is, and its witness.
 *
 * V is the set of fragments that go wrong, with the symbols as parameters; P the values of symbols
 * for which there is one, U those there are at all.
 *
 *     U within P                                                     certain
 *     values of main's arguments for which, whatever the other       likely
 *       symbols are, there is one and no loop is empty
 *     else, if there is any                                          possible
 *
 * Symbols are first taken from a box in which little wraps around; what is certain there must be so
 * for all ints. */
#ifndef LUNA_LANG_PROVE_JUDGE_H
#define LUNA_LANG_PROVE_JUDGE_H

#include "lang/prove/finding.h"
#include "lang/prove/question.h"

/* V is `v`; f says who touches it, and in f.degree how certain it is at most, or nothing. Keeps in
 * `best` the louder of the two, if its witness comes true; true: that is f. */
bool judge_consider(struct question *q, struct set *v, struct finding f, struct finding *best);

#endif
