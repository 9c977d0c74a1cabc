/* question.h - what is asked about one DF: its accesses, and of the ints that are fixed those that
 * matter, numbered. */
#ifndef LUNA_LANG_PROVE_QUESTION_H
#define LUNA_LANG_PROVE_QUESTION_H

#include "lang/prove/relation.h"

struct question {
    struct arena *arena;
    struct sets *sets;
    struct walk *w;
    const struct touched *t;
    bool *used;         /* by fixed int: it is a symbol, */
    int *number;        /* and which; -1: none */
    int *old;           /* of a symbol, the fixed int */
    int symbols, mains; /* those of main are the first */
    struct set *all;    /* what is true of the symbols, as vectors of them */
    int lost;           /* findings that did not come true */
    struct set *refused; /* values of main's arguments for which a run cannot end well; NULL */
};

/* Room for so many. */
int64_t *question_words(struct question *q, int n);
/* What x does, where the symbols are what they may be; NULL: too many pieces. */
struct rel *question_rel(struct question *q, const struct access *x);
/* How often what `write`, of x, writes is read; NULL: not found. Then `lost`, if it is not NULL,
 * gets the first read that was not counted. */
struct count *question_readers(struct question *q, const struct access *x, struct rel *write,
                               const struct access **lost);

/* Reads happen just as often as they are counted, whatever conditions that are not known say. */
bool question_reads_sure(struct question *q);

/* `also`: by fixed int, these matter, too; NULL: only those of the accesses. */
void question_begin(struct question *q, struct sets *s, struct walk *w, const struct touched *t,
                    const bool *also);

#endif
