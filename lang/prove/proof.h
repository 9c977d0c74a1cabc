/* proof.h - what is known about each DF, as lines for `luna check --proof`. */
#ifndef LUNA_LANG_PROVE_PROOF_H
#define LUNA_LANG_PROVE_PROOF_H

#include "lang/prove/alive.h"
#include "runtime/base/buf.h"

/* Writers whose number of readers was counted in vain: other calls have them write other DFs, whose
 * number is another one, or unknown. */
enum { LOSSES_MAX = 4 };
struct losses {
    int n; /* places; only the first of them are kept */
    const struct access *at[LOSSES_MAX];
    bool most; /* of several ways to one statement, with unequal numbers, the largest one counts */
};

struct proof {
    bool once;           /* no fragment of it is assigned twice */
    bool written;        /* all that is read is assigned */
    const char *readers; /* of a value: "1 reader"; NULL: not counted, */
    bool exact;          /* it has just as many, if anybody asks; */
    const bool *last;    /* else by word: those that have fewer, and stay, are the last of a line
                          * along it; NULL: nobody knows */
    const char *stays;   /* and why */
    const char *why;     /* nothing of that is known; NULL: it is */
    const struct access *at; /* where the reason is; or NULL */
    const struct losses *lost; /* NULL: of `readers` there are none */
    struct alive alive;
};

struct proofs;
struct proofs *proofs_new(struct arena *a, const struct plan *p);
/* Of sub and DF, as it stands there. */
const char *proofs_name(const struct proofs *list, const struct walk *w, const struct touched *t);
void proofs_add(struct proofs *list, const struct walk *w, const struct touched *t,
               const struct proof *f);
void proofs_print(const struct proofs *list, const struct source *s, struct buf *out);

#endif
