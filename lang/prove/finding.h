/* finding.h - what was found, before it is told. */
#ifndef LUNA_LANG_PROVE_FINDING_H
#define LUNA_LANG_PROVE_FINDING_H

#include "lang/prove/access.h"
#include "lang/report/diag.h"

enum degree {
    DEGREE_NONE,
    DEGREE_POSSIBLE, /* values of fragments decide, or only empty loops show it */
    DEGREE_LIKELY,   /* arguments of main decide */
    DEGREE_CERTAIN   /* whatever they are */
};

struct finding {
    enum diag_code code;
    enum degree degree;
    struct walk *walk;
    const struct touched *target;
    const struct access *a, *b;        /* b: SEM2.2: the other write, which may be the same */
    const int64_t *fixed;              /* the witness, by fixed int */
    const bool *used;                  /* by fixed int: it matters */
    const int64_t *vector, *at, *b_at; /* counters around */
    const int64_t *lo, *hi;            /* SEM3.3: the words of what is written; NULL: not known */
    bool holes;                        /* not all between is */
    bool alone;       /* DEGREE_LIKELY: one argument decides, and these are its values: */
    int64_t from, to; /* the box has no end there */
};

/* In the user's words. */
void finding_tell(struct diag *d, const struct ast *t, const struct plan *p,
                  const struct finding *f);

#endif
