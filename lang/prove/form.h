/* form.h - what an index, a bound or a condition may be for all that is said about it: sums of
 * counters and symbols, each where certain conditions hold.
 *
 *     i / 2    q          where 2*q <= i <= 2*q + 1 and i >= 0
 *              q          where 2*q - 1 <= i <= 2*q and i <= 0, q an int that need only exist
 *     i % n    i          where i < n
 *              i - n      where n <= i, if it is known where it stands that 0 <= i < 2*n
 *
 * NULL stands for what is none: nothing is known of its value. Sets know no 32 bits: a sum that
 * may wrap around is none. */
#ifndef LUNA_LANG_PROVE_FORM_H
#define LUNA_LANG_PROVE_FORM_H

#include "lang/plan/node.h"
#include "lang/plan/plan.h"
#include "lang/prove/sets.h"

enum { FORM_PIECES_MAX = 64 };

struct sum { /* terms by space and number; SETS_FROM: a counter, by how many loops are around it */
    int64_t k;
    int n;
    const struct sets_term *terms;
};

struct condition { /* a list: all hold */
    const struct condition *next;
    bool equal;
    struct sum sum; /* is 0, or at least 0 */
};

struct piece {
    struct sum sum;
    const struct condition *conds;
};

struct sums {
    int64_t lo, hi; /* it is surely between */
    int n;
    struct piece pieces[];
};

/* Where a condition holds: in any of these. */
struct where {
    bool exact; /* else it may also not hold there */
    int n;
    const struct condition *any[];
};

struct interval {
    int64_t lo, hi;
};

/* Why something is no form. */
enum lack {
    LACK_VALUE, /* a word stands for nothing that is known */
    LACK_WRAPS, /* it may wrap around */
    LACK_SUM,   /* it is no sum, nor one divided by a number */
    LACK_NUMBER /* it is divided, not by a number, and nobody knows how often that goes into it */
};

/* What words of rows stand for. Asked for by form.c. */
struct former {
    struct arena *arena;
    const struct interval *symbols, *counters;
    struct interval *some; /* by number, as they are made */
    int nsome, some_room;
    const struct sums *(*local)(void *who, unsigned word);
    const struct sums *(*frame)(void *who, unsigned word);
    const struct sums *(*input)(void *who, unsigned number); /* as an int */
    const struct sums *(*index)(void *who, unsigned number); /* of a rule's fragment; or NULL */
    /* 0 or 1: whether a op b, of which no more is known. NULL: it is not the same each time. */
    const struct sums *(*truth)(void *who, enum op op, const struct expr_node *a,
                                const struct expr_node *b);
    /* Whether it is surely at least 0 wherever the row stands. NULL: nobody knows. */
    bool (*holds)(void *who, const struct sum *sum);
    void *who;
    enum lack lack; /* of the row that was last found to be no form; set also by who gives words */
};

/* From now on words stand for nothing that is known. */
void form_know_nothing(struct former *f);
/* What is known of it from the ends of each of its columns. */
struct interval sum_range(const struct former *f, const struct sum *s);
const struct sums *form_of_int(struct former *f, int64_t k);
const struct sums *form_of_column(struct former *f, enum sets_space space, int number);
const struct sums *form_add(struct former *f, const struct sums *x, int64_t k);
/* x, x + step, x + 2*step and so on, in either direction; step not 0. */
const struct sums *form_steps(struct former *f, const struct sums *x, int64_t step);
const struct sums *form_of_row(struct former *f, const struct plan *p, uint32_t row);
/* Where a row that is a condition holds, or does not. Everywhere, and not exact: it is no form. */
const struct where *where_row(struct former *f, const struct plan *p, uint32_t row, bool yes);

/* Where x is between the two, the second one among them or not, or is not. */
const struct where *where_between(struct former *f, const struct sums *lo, const struct sums *x,
                                  const struct sums *hi, bool closed, bool yes);
/* Where both hold, or one of them. */
const struct where *where_joined(struct former *f, const struct where *a, const struct where *b,
                                 bool both);

/* a*x + b*y + k */
struct sum sum_of(struct arena *arena, int64_t a, const struct sum *x, int64_t b,
                  const struct sum *y, int64_t k);
const struct condition *form_cond_add(struct arena *arena, const struct condition *list,
                                      bool equal, struct sum sum);
/* Both lists in one. */
const struct condition *form_cond_both(struct arena *arena, const struct condition *a,
                                       const struct condition *b);
/* Holds never, as far as can be seen without a set. */
bool form_cond_never(const struct condition *list);
/* The same of a list that ends in `old`, of which it is known. */
bool form_cond_never_with(const struct condition *list, const struct condition *old);

#endif
