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

struct circle_step { /* what is waited for, and who writes it */
    const struct access *write;
    const struct touched *target;
    const int64_t *at, *vector;
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
    bool beyond;                       /* SEM3.3: `a` touches what is outside the shape */
    const char *refuse; /* DEGREE_LIKELY: C for when main's arguments make it certain; or NULL */
    const struct breach *breach;       /* SEM14 */
    int64_t readers, promised;         /* SEM3.5 */
    const struct circle_step *circle;  /* SEM3.2: one after the other; the last is a's */
    int ncircle;
    bool alone;       /* DEGREE_LIKELY: one argument decides, and these are its values: */
    int64_t from, to; /* the box has no end there */
};

/* For the symbols it is about it is an error: no run can end well. */
bool finding_is_error(const struct ast *t, const struct plan *p, const struct finding *f);
/* "with n = 3, ": what main is called with, as far as it mattered; or "". */
const char *finding_args(const struct walk *walk);
/* In the user's words. */
void finding_tell(struct diag *d, const struct ast *t, const struct plan *p,
                  const struct finding *f);

#endif
