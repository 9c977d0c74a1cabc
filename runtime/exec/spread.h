/* spread.h - a value that many nodes want goes to them by a tree, and to each host once.
 *
 *     holder --SPREAD, with the nodes beyond--> first node of some hosts --SPREAD--> ...
 *            \--SPREAD, nobody beyond--> nodes of the same host, which share the bytes (block.h)
 *
 * Whoever gets it serves itself, then those of its host, and cuts the hosts beyond into FANOUT
 * parts. So a value crosses to each host once, in as many hops as the tree is high, and nobody
 * sends it more than FANOUT times. Up to FANOUT readers, all on different hosts, get it directly: a
 * tree would be slower. So do up to SMALL_NODES readers of a small value: to send it costs less
 * than to wait for a node on the way that is in a call.
 *
 * Two things are spread: the answer to all who wait for a fragment when it is assigned, and the
 * copies of a replicated one. What follows on a shorter way may arrive before: a destroy waits for
 * the value it is for (store.h).
 *
 * Why bytes are shared on a host: docs/decisions/0025. */
#ifndef LUNA_RUNTIME_SPREAD_H
#define LUNA_RUNTIME_SPREAD_H

#include "runtime/node/node.h"

struct reader;

/* Of those that wait in the list, the nodes that have asked get the value, if they are many; gives
 * the others. Each holds a count of it. */
struct waiter *spread_answers(struct worker *w, struct waiter *list, const struct key *k,
                              luna_value v);
/* Assigns a replicated fragment on nodes 0, step, 2 * step .. but for this one. False: they are so
 * few that they should be told one by one. Lends v. */
bool spread_copies(struct worker *w, uint32_t site, const struct key *k, luna_value v, int32_t uses,
                   int step);
bool on_spread(struct worker *w, struct reader *r);

#endif
