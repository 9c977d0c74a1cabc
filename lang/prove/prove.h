/* prove.h - what is wrong with who writes and reads what, by sets of indices: SEM2.2, SEM3.2,
 * SEM3.3, SEM3.5. */
#ifndef LUNA_LANG_PROVE_PROVE_H
#define LUNA_LANG_PROVE_PROVE_H

#include "lang/plan/plan.h"
#include "lang/report/diag.h"

struct prove_options {
    const char *const *args; /* of main, as the user writes them; NULL: not known */
    int nargs;
    bool possible;    /* tell also what only may go wrong */
    struct buf *told; /* for users, a line for each DF; */
    struct buf *memory; /* how much is alive; */
    uint64_t limit;     /* and how much may be; 0: nobody says */
    double (*size_of)(const void *who, const char *name); /* of values; below 0: not known */
    const void *size_who;                                 /* NULL: nobody knows */
    struct buf *dump; /* for developers: what was looked at and found. NULL: nobody wants it */
};

/* The plan has no errors. Reports what it finds, and gives outputs as many readers as they have. */
void prove_run(struct arena *a, struct plan *p, const struct ast *t, const struct source *s,
               struct diag *d, const struct prove_options *o);

#endif
