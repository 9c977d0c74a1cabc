/* question.h - what is asked about one DF: its accesses, and of the ints that are fixed those that
 * matter, numbered. */
#ifndef LUNA_LANG_PROVE_QUESTION_H
#define LUNA_LANG_PROVE_QUESTION_H

#include "lang/prove/access.h"

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
};

void question_begin(struct question *q, struct sets *s, struct walk *w, const struct touched *t);

#endif
