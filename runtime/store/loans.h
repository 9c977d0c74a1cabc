/* loans.h - numbers of the store that a worker has borrowed.
 *
 * A fragment that all turns of a loop read would be taken turn by turn: its bucket is locked, its
 * count changed each time, and the memory of both travels between the cores of all workers. So a
 * worker keeps such a number, and counts its own readers; it pays for them, all at once, when there
 * are LOAN_MOST, when it borrows something else in that place, or has no work.
 *
 *     loans_take(.., place, key, &v)   the first two: from the store; then from here
 *     loans_pay                        before the worker is idle: nobody may wait for what it owes
 *
 * Only for numbers, whose count is not less than the readers that will ever ask, or which are never
 * freed: then what is owed never ends before it is paid. Who calls knows which these are. */
#ifndef LUNA_RUNTIME_LOANS_H
#define LUNA_RUNTIME_LOANS_H

#include "runtime/store/store.h"

enum {
    LOAN_PLACES = 8,
    LOAN_MOST = 64,   /* readers that are not paid for, in a place */
    LOAN_INDICES = 2  /* that a name has, at most */
};

struct loan {
    uint64_t id; /* of the name; */
    uint32_t df, n;
    int32_t ix[LOAN_INDICES];
    int32_t owed; /* 0: there is none */
    luna_value value;
    uint64_t last, refused; /* marks of the last name that came here, and that was not lent */
};

struct loans { /* of one worker */
    struct loan at[LOAN_PLACES];
};

/* As store_take. */
bool loans_take(struct loans *l, struct store *s, unsigned place, const struct key *key,
                luna_value *v);
void loans_pay(struct loans *l, struct store *s);

#endif
