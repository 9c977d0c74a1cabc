/* steal.h - with -b: calls marked `stealable` go to nodes that have nothing to do.
 *
 * A node that comes to rest tells its neighbours, once each, that it is hungry. Neighbours differ
 * in one bit of their numbers, so everybody is reached in log N steps and nobody has more than log
 * N. Who has more than one thing to do and knows a hungry neighbour gives it some of its stealable
 * calls whose inputs are all here; the rest of a surplus goes on from there in the same way.
 *
 *     of a neighbour k, at a node:   asked     we have told k, and k has not given anything since
 *                                    hungry    k has told us, and we have not given anything since
 *
 *     idle node, not asked --at rest: HUNGRY--> asked --STOLEN--> not asked
 *     other node, not hungry --HUNGRY--> hungry --has a surplus: STOLEN--> not hungry
 *
 * Always true: HUNGRY is no work, and a node sends at most one to each neighbour between two
 * STOLEN, so a run with nothing to steal comes to its end. STOLEN is a CALL: counted, and each call
 * runs once, where it is at last. Its values go to their homes, wherever it ran. */
#ifndef LUNA_RUNTIME_STEAL_H
#define LUNA_RUNTIME_STEAL_H

#include "runtime/node/msg.h"
#include "runtime/node/node.h"

/* Calls of this statement go into a queue when they could run, where they can be stolen. */
static inline bool
steal_wants(const struct worker *w, const struct luna_site *site)
{
    return __builtin_expect(w->node->steals, 0) && site->kind == LUNA_S_CALL &&
           site->flags & LUNA_F_STEALABLE;
}
/* This node rests, and w holds its flag `polling`: tells the neighbours. */
void steal_ask(struct worker *w);
/* Gives what it can to hungry neighbours. */
void steal_give(struct worker *w);
static inline void
steal_feed(struct worker *w)
{
    if (__builtin_expect(w->node->steals, 0) &&
        atomic_load_explicit(&w->node->hungry, memory_order_relaxed))
        steal_give(w);
}

/* Handlers; false: malformed. */
bool on_hungry(struct worker *w, struct reader *r);
bool on_stolen(struct worker *w, struct reader *r);

#endif
