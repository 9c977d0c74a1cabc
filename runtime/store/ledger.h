/* ledger.h - what other nodes have paid for fragments that live here, to decide when one gets the
 * whole, to keep.
 *
 * A node that asks for a fragment again and again should have a copy; one that asks once should
 * not. Nobody knows beforehand which it is. So each answer has a price, and when a node has paid
 * for a fragment as much as a copy costs, the next answer is the copy: whatever comes, at most
 * twice the better of both is paid (ski rental).
 *
 *     (fragment, node): paid --as much as a copy--> given --the fragment is no more--> forgotten
 *                         \<--the node had no room for it--/
 *
 * It has room for LEDGER_ROWS; old rows are forgotten for new ones. Any
 * worker may call. It must not know values or messages. */
#ifndef LUNA_RUNTIME_LEDGER_H
#define LUNA_RUNTIME_LEDGER_H

#include "runtime/base/err.h"
#include "runtime/data/key.h"

#include <stdatomic.h>

struct ledger;

enum { LEDGER_ROWS = 1024 };

enum err ledger_new(struct ledger **out);
void     ledger_free(struct ledger *l); /* NULL is fine */

/* `node` asks for k: an answer costs `price`, a copy `copy`. True: it has paid enough, or `again`
 * says that it will, and gets the copy. Whoever has one gets no other: it had asked before. */
bool ledger_gives(struct ledger *l, const struct key *k, int node, uint64_t price, uint64_t copy,
                  bool again);
/* Whether any node may have a copy; the number of those rows comes first. */
static inline bool
ledger_any_given(const struct ledger *l)
{
    return atomic_load_explicit((const atomic_uint *)(const void *)l, memory_order_relaxed);
}
/* The next of the rows, round and round, whose node has a copy; false: there is none. */
bool ledger_next_given(struct ledger *l, struct key *k, int *node);
/* That node has no copy any more. */
void ledger_forget(struct ledger *l, const struct key *k, int node);

#endif
