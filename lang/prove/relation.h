/* relation.h - accesses as relations from instances of statements to vectors of indices. */
#ifndef LUNA_LANG_PROVE_RELATION_H
#define LUNA_LANG_PROVE_RELATION_H

#include "lang/prove/access.h"

/* From its instances, the counters around it, to vectors of `n` words: what it does if a->sure,
 * else at most that. new_symbol[i] is the number of fixed int i as a symbol. NULL: too many
 * pieces. */
struct rel *access_rel(struct walk *w, struct sets *s, const struct access *a, int n,
                       const int *new_symbol);
/* The same from vectors of `from` words: the counters around it as far as they go; of the others
 * nothing is said. */
struct rel *access_rel_from(struct walk *w, struct sets *s, const struct access *a, int n, int from,
                            const int *new_symbol);
/* From its instances to the number of readers it promises, where that is one: not -1. */
struct rel *access_promise(struct walk *w, struct sets *s, const struct access *a,
                           const int *new_symbol);
/* Of two that stand in different branches of one `if`: from the counters around that to the vectors
 * of either. NULL also: they do not. */
struct rel *access_rel_branches(struct walk *w, struct sets *s, const struct access *a,
                                const struct access *b, int n, const int *new_symbol);
/* From its instances to nothing: where it is met, and, if they are given, its condition is so. What
 * macros say of where that is may be otherwise tomorrow, and is left out. */
struct rel *access_choice(struct walk *w, struct sets *s, const struct choice *c,
                          const struct where *where, const int *new_symbol);
/* The same from the vector without words, to vectors of `n` words: fixed ints need only exist. */
struct rel *access_choice_words(struct walk *w, struct sets *s, const struct choice *c,
                                const struct where *where, const struct sums *const *index, int n);
/* What a call hands over, as vectors of `n` words; likewise. */
struct rel *access_called(struct walk *w, struct sets *s, const struct called *c,
                          const struct sums *const *index, int n);
void access_mark_choice(const struct walk *w, const struct choice *c, bool *used);
/* What is true of those fixed ints that have a number: a set of vectors without words; or NULL. */
struct set *access_fixed(struct walk *w, struct sets *s, const int *new_symbol);
/* Likewise, that of comparisons which are opposites one is true: no NaN. NULL: there are none. */
struct set *access_ordered(struct walk *w, struct sets *s, const int *new_symbol);
bool access_opposite(const struct fixed *x, const struct fixed *y);
/* From vectors of `n` words to those that are further along the line of that word. */
struct rel *access_further(struct sets *s, struct arena *a, int n, int word);
/* Marks the fixed ints that occur; those of promises: */
void access_mark(const struct walk *w, const struct access *a, int n, bool *used);
void access_mark_promise(const struct walk *w, const struct access *a, bool *used);

#endif
