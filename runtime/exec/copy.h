/* copy.h - fragments of other nodes that stay where they are read, and what nodes say of them.
 *
 *     reader's node A                               home H
 *     want x       --REQUEST x-------------------->  PRESENT; A has paid enough, or says that more
 *                                                    readers follow: ledger.h
 *                  <------------------COPY x-------
 *     copies.h: x
 *     want x       one read more, served here
 *     A has nothing to do, or the next copy comes
 *                  --COUNTS x, n----------------->  n uses less
 *                                                    x is no more
 *                  <------------------DROP x-------
 *     x leaves
 *     or there was no room for it
 *                  --DROP x--------------------->  A may get another
 *
 * What a copy costs, and when it is worth it: docs/measures/parts.md. Which values: program.h,
 * LUNA_COPY_MIN. Why readers of copies count: docs/decisions/0036. */
#ifndef LUNA_RUNTIME_COPY_H
#define LUNA_RUNTIME_COPY_H

#include "runtime/node/node.h"
#include "runtime/store/copies.h"
#include "runtime/store/ledger.h"

struct reader;

/* Of a fragment that lives elsewhere there is a copy here: this is one request of it. *v is the
 * caller's. */
bool copy_take(struct worker *w, const struct key *k, luna_value *v);
static inline bool
copy_found(struct worker *w, const struct key *k, luna_value *v)
{
    struct copies *c = w->node->copies;
    return c && copies_any(c) && copy_take(w, k, v);
}

/* `node` has asked for v, k, or for `bytes` of it: is it to get the whole, to keep? `readers`: it
 * says that so many follow. */
bool copy_is_due(struct worker *w, const struct key *k, int node, luna_value v, size_t bytes,
                 uint32_t readers);
/* The answer is the whole, to keep, of which those that wait for *asked are served; it is *k or a
 * part of it, wanted at `place`. Lends v. */
void copy_give(struct worker *w, int to, const struct key *k, const struct key *asked,
               uint32_t place, luna_value v);
/* This node has nothing to do: others are told what they do not know yet. */
void copy_tell(struct worker *w);
static inline void
copy_rest(struct worker *w)
{
    const struct node *n = w->node;
    if (n->copies && (copies_any_untold(n->copies) || ledger_any_given(n->ledger))) copy_tell(w);
}

/* Handlers; false: malformed. */
bool on_copy(struct worker *w, struct reader *r);
bool on_drop(struct worker *w, struct reader *r);

#endif
