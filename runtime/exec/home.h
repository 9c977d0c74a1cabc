/* home.h - what other nodes want of this one: fragments that live here, statements that run here.
 *
 *     REQUEST  a value, now or when it comes     PUT, KILL  from a writer elsewhere
 *     VALUE    that this node has asked for      CALL       a statement is to run here
 *     ENDED    what was sent away has ended
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

/* A statement will go to `to` and want fragment k, which lives here. HERE: *v goes along. FIRST,
 * WAIT: it will be sent after it as FOLLOWS when it comes. NOT: the statement has to ask. */
enum store_want home_ask_for(struct worker *w, struct dest to, const struct key *k,
                             struct key_part part, uint32_t place, luna_value *v);
/* The value has come to one who asked from another node. Takes both. */
void home_answer(struct worker *w, struct asker_afar *asked, const struct key *k, luna_value v);
/* `from` has read n copies of a fragment that lives here. */
void home_counts(struct worker *w, int from, const struct key *k, uint32_t n);
/* The value of a fragment that was asked for here, from another node. Lends v. */
void home_value_came(struct worker *w, struct key *k, luna_value v);

#endif
