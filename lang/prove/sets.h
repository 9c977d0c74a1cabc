/* sets.h - sets of vectors of ints, and relations between them, with symbols: ints that are fixed
 * and not known.
 *
 * Made for questions about one fragment at a time: sets_begin() says how many symbols there are,
 * and frees all that was made before. Handles are never NULL; one that could not be computed, for
 * want of memory or because it took too many steps, is unknown, and so is all that is made of it.
 * Steps are counted, never time: what is found does not depend on the machine. */
#ifndef LUNA_LANG_PROVE_SETS_H
#define LUNA_LANG_PROVE_SETS_H

#include "runtime/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct sets;
struct set;
struct rel; /* from vectors to vectors */
struct count; /* a number for each vector */

enum answer { NO, YES, UNKNOWN };

/* A column of a row: a symbol, a word of the vector a relation goes from, of that it goes to, or an
 * int that need only exist; in what is told of counts also a floor. */
enum sets_space { SETS_SYMBOL, SETS_FROM, SETS_TO, SETS_SOME, SETS_FLOOR };
struct sets_term {
    enum sets_space space;
    int number;
    int64_t factor;
};
struct sets_row { /* k + sum of factor * column is 0, or at least 0 */
    bool equal;
    int64_t k;
    int nterms;
    const struct sets_term *terms;
};
struct sets_piece { /* where all rows hold */
    int nsome, nrows;
    const struct sets_row *rows;
};

struct sets *sets_new(struct arena *a); /* NULL: out of memory */
void sets_free(struct sets *s);         /* NULL is fine */
void sets_begin(struct sets *s, int symbols);
/* From the next question on each may take so many times the usual steps: somebody waits for the
 * answer. */
void sets_take_time(struct sets *s, unsigned times);
/* What is made from now on has so many symbols. */
void sets_narrow(struct sets *s, int symbols);

struct rel *rel_of(struct sets *s, int from, int to, const struct sets_piece *pieces, int n);
struct set *rel_range(struct sets *s, struct rel *r);
struct set *rel_domain(struct sets *s, struct rel *r);
/* What more than one vector is related to. */
struct set *rel_twice(struct sets *s, struct rel *r);
/* Which vectors are related to one of `to`. */
struct set *rel_back(struct sets *s, struct rel *r, struct set *to);
struct rel *rel_within(struct sets *s, struct rel *r, struct set *from);
/* Where the symbols are one of `symbols`, vectors of them. */
struct rel *rel_given(struct sets *s, struct rel *r, struct set *symbols);
/* What `a` and `b` relate to a common vector: from vectors of a to vectors of b. */
struct rel *rel_meeting(struct sets *s, struct rel *a, struct rel *b);

/* Vectors of a to what b relates to what a relates them to. */
struct rel *rel_then(struct sets *s, struct rel *a, struct rel *b);
/* Which vectors are related to themselves. */
struct set *rel_same(struct sets *s, struct rel *r);
struct rel *rel_either(struct sets *s, struct rel *a, struct rel *b);
/* Vectors of n words to themselves. */
struct rel *rel_identity(struct sets *s, int n);
/* From the vector without words to those of `to`. */
struct rel *rel_to(struct sets *s, struct set *to);
/* All pairs of a are pairs of b. */
enum answer rel_part_of(struct sets *s, struct rel *a, struct rel *b);

struct set *set_meet(struct sets *s, struct set *a, struct set *b);
struct set *set_less(struct sets *s, struct set *a, struct set *b);
struct set *set_either(struct sets *s, struct set *a, struct set *b);
/* The values of the symbols for which it is not empty: a set of such vectors, without symbols. */
struct set *set_symbols(struct sets *s, struct set *a);
/* Its vectors without their words from `first` on. */
struct set *set_cut(struct sets *s, struct set *a, int first);
/* Of a set without symbols: the vectors that begin with these `n` words. */
struct set *set_begins(struct sets *s, struct set *a, const int64_t *words, int n);
/* All vectors between, of as many words as those of `like`. */
struct set *set_box(struct sets *s, struct set *like, const int64_t *lo, const int64_t *hi);
/* With these values for the first `n` symbols. */
struct set *set_with(struct sets *s, struct set *a, const int64_t *symbols, int n);
/* One vector of as many words as those of `like`. */
struct set *set_point(struct sets *s, struct set *like, const int64_t *words);

/* How many vectors each vector is related to, as far as that can be said by sums and products. */
struct count *count_of(struct sets *s, struct rel *r);
struct count *count_add(struct sets *s, struct count *a, struct count *b);
/* Of a relation to one int for each vector: that int. */
struct count *count_from(struct sets *s, struct rel *r);
bool count_is_known(const struct count *c);
/* For which vectors a is more than b. What is neither of a nor of b counts nothing. */
struct set *count_more(struct sets *s, struct count *a, struct count *b);
/* False: not found. */
bool count_at(struct sets *s, struct count *c, const int64_t *symbols, const int64_t *words,
              int64_t *value);

/* A count in words: that of the first piece whose conditions hold; 0: of none. */
struct count_floor { /* (k + sum of factor * column) / by, cut downwards; by > 0 */
    int64_t k, by;
    int nterms;
    const struct sets_term *terms; /* of floors: those before it */
};
struct count_term {
    int64_t factor;
    int n; /* factor * the product of so many columns */
    struct sets_term column[4];
};
struct count_piece {
    int nany, nterms; /* any of these; NULL rows: everywhere */
    const struct sets_piece *any;
    const struct count_term *terms;
    const struct count_floor *floors; /* that columns are, by number */
    int64_t by;                       /* the sum of the terms is so many times the count */
};
struct count_text {
    int n;
    const struct count_piece *pieces;
};
/* For vectors of `domain`. Of words and symbols that are hidden nothing is said: the count is the
 * most there is, whatever they are. False: it cannot be said. `fewer`, if it is not NULL, gets
 * those of which there are not as many. */
bool count_tell(struct sets *s, struct count *c, struct set *domain, const bool *hidden_symbols,
                const bool *hidden_words, struct count_text *out, struct set **fewer);

/* A set in words, SETS_FROM, without a value. False: it cannot be said. */
bool set_tell(struct sets *s, struct set *a, struct count_piece *out);

enum answer set_empty(struct sets *s, struct set *a);
enum answer set_within(struct sets *s, struct set *a, struct set *b);
/* The vector nearest to 0, word by word from the first, of a set without symbols, or whose symbols
 * have got values. False: it is empty, or unknown. */
bool set_nearest(struct sets *s, struct set *a, int64_t *words);
/* The least (`most`: largest) value of a word; false: there is none. */
bool set_bound(struct sets *s, struct set *a, int word, bool most, int64_t *value);

#endif
