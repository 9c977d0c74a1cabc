/* home.h - what other nodes want of this one: fragments that live here, statements that run here.
 *
 *     REQUEST  a value, now or when it comes     PUT, KILL  from a writer elsewhere
 *     VALUE    that this node has asked for      CALL       a statement is to run here
 *     ENDED    what was sent away has ended      COUNTS     so many more have got the value
 *
 * on_...: handlers (inbox.c); false: malformed. */
#ifndef LUNA_RUNTIME_HOME_H
#define LUNA_RUNTIME_HOME_H

#include "runtime/node/send.h"

bool on_request(struct worker *w, struct reader *r);
bool on_value(struct worker *w, struct reader *r);
bool on_put(struct worker *w, struct reader *r);
bool on_kill(struct worker *w, struct reader *r);
bool on_call(struct worker *w, struct reader *r);
bool on_ended(struct worker *w, struct reader *r);
bool on_counts(struct worker *w, struct reader *r);

/* A statement will go to `to` and want fragment k, which lives here. HERE: *v goes along. FIRST,
 * WAIT: it will be sent after it as FOLLOWS when it comes. NOT: the statement has to ask. */
enum store_want home_ask_for(struct worker *w, struct dest to, const struct key *k,
                             struct key_part part, uint32_t place, luna_value *v);
/* The value has come to one who asked from another node. Takes both. */
void home_answer(struct worker *w, struct asker_afar *asked, const struct key *k, luna_value v);
/* n readers of this node have got the value of a fragment that lives with `node`, or with k's cell,
 * and the home does not know of them. */
void home_tell(struct worker *w, int node, const struct key *k, uint32_t n);
/* Who joins those that wait here for an answer is told to the home when it has come, all in one
 * message. Else at once: a delete looks whether promised readers are left. */
static inline bool
home_hears_late(const struct node *n, const struct key *k)
{
    return !n->deleted || !n->deleted[k->df & ~KEY_MARKS];
}
/* The value of a fragment that was asked for here, from `home`, which knows of one reader. Lends
 * v. */
void home_value_came(struct worker *w, int home, const struct key *k, luna_value v);

#endif
