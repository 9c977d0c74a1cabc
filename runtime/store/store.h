/* store.h - the data fragments that live on this node.
 *
 * A fragment is assigned once and read many times. A reader that asks too early waits here, and is
 * handed back when the value comes. The value leaves after its last promised reader.
 *
 *     absent --put--> present --last reader, destroy--> absent
 *        \---want--> awaited --put--> present    (waiters are given back in the order they asked)
 *         \--destroy-> doomed --put--> absent    (the value is dropped when it comes)
 *
 * Any worker may call. An entry is reached only under the lock bit of its bucket, for a few
 * instructions, and no pointer to it leaves the lock: nothing can be freed under a reader. Growing
 * moves bucket by bucket while others work. With one worker the locks are plain loads and stores.
 *
 * Each worker has a table for what its activations declare (key.h: an identity tells its worker).
 * Any worker reads and writes all of them, but mostly its own, which then stays near its core.
 *
 * It must not know statements, nodes or messages: who waits is a waiter, and what a key means is
 * its maker's business. Why the lock is a bit of the bucket: docs/decisions/0004; why each
 * request is one use: 0006. */
#ifndef LUNA_RUNTIME_STORE_H
#define LUNA_RUNTIME_STORE_H

#include "runtime/base/err.h"
#include "runtime/data/key.h"
#include "runtime/store/lives.h"
#include "runtime/data/value.h"
#include "runtime/store/waiter.h"

struct store;

enum { STORE_USES_UNLIMITED = -1 };

enum err store_new(struct store **out, unsigned workers);
void     store_free(struct store *s); /* drops all values; waiters are the caller's */

enum store_want { WANT_HERE, WANT_FIRST, WANT_WAIT, WANT_NOMEM, WANT_NOT };

/* Asks for `key`: one request. HERE: *v is the caller's (counted). FIRST, WAIT: a waiter is linked,
 * as the first or behind others; it is made by `waiter_of(who)` under the lock, so that an object
 * is only made when it is needed. */
typedef struct waiter *store_waiter_fn(void *who);
enum store_want store_want(struct store *s, const struct key *key, luna_value *v,
                           store_waiter_fn *waiter_of, void *who);

/* The same for a value that is here; false: it is not, nothing has changed, use store_want. */
bool store_take(struct store *s, const struct key *key, luna_value *v);

/* The same; but a number with `many` uses left, or any number of them, is lent: it is not counted
 * until it is paid for (loans.h). */
enum store_took { TOOK_NOTHING, TOOK, TOOK_LOAN };
enum store_took store_borrow(struct store *s, const struct key *key, int32_t many, luna_value *v);
void store_pay(struct store *s, const struct key *key, int32_t uses);

/* Asks on behalf of somebody else: HERE only if it is no block of more than `most` bytes; a waiter
 * is linked only if `may` agrees, which sees who waits already (NULL: nobody). NOT: nothing has
 * changed. */
typedef bool store_may_fn(void *who, const struct waiter *first);
enum store_want store_want_for(struct store *s, const struct key *key, size_t most, luna_value *v,
                               store_may_fn *may, store_waiter_fn *waiter_of, void *who);

/* It will be asked for or assigned soon; `hash` is its hash. */
void store_prefetch(struct store *s, const struct key *key, uint64_t hash);

/* A copy for many, who do not count: its value is here, is no block of more than `most` bytes, and
 * promises no number of readers. *v is the caller's. */
bool store_copy(struct store *s, const struct key *key, size_t most, luna_value *v);

/* Shows who waits for `key` to `is`, which may change what they are, but not the list, and may not
 * call the store: does it say yes of them? */
typedef bool store_is_fn(void *who, struct waiter *first);
bool store_awaits(struct store *s, const struct key *key, store_is_fn *is, void *who);

/* Assigns `key`. Takes `v`. `uses`: requests it will serve, or STORE_USES_UNLIMITED; 0 drops it.
 * *waiters gets the list of those that waited, each of whom now holds one request served: the
 * caller hands them `v`, which has been counted once for each. More waiters than uses: the first
 * ones are served, the others stay. OK, E_TWICE (v is still the caller's), E_NOMEM. */
enum err store_put_hashed(struct store *s, const struct key *key, uint64_t hash, luna_value v,
                          int32_t uses, struct waiter **waiters);
static inline enum err
store_put(struct store *s, const struct key *key, luna_value v, int32_t uses,
          struct waiter **waiters)
{
    return store_put_hashed(s, key, key_hash(key), v, uses, waiters);
}

/* One value for one who waits for `key`, whichever comes first: gives the waiter, which holds v
 * now, or NULL: the value is kept for one. Takes v. E_NOMEM. */
enum err store_pair(struct store *s, const struct key *key, luna_value v, struct waiter **waiter);

/* Takes all who wait for `key` off, and the entry with them: the value came from another node.
 * key->bound becomes that of the entry. */
struct waiter *store_take_waiters(struct store *s, struct key *key);

/* Frees the value of `key`, now or when it comes. */
enum store_kill { KILL_DONE, KILL_LATER, KILL_REQUESTED, KILL_COUNTED, KILL_AGAIN, KILL_NOMEM };
enum store_kill store_kill(struct store *s, const struct key *key);

/* Counts what is put here, by its cell: an int or a real while it is here, a block until its last
 * reader is through. Before the first put; `lives` outlives all blocks. */
void store_measure(struct store *s, struct lives *lives);
/* A block, the value of a fragment of `df`, has come to stay here: it counts here from now on, for
 * cell `bound` - 1. */
void store_measure_moved(struct store *s, luna_value v, uint32_t df, uint32_t bound);

/* ---- looking around: fn may not call the store ---- */
struct store_entry {
    const struct key *key;
    bool present, doomed, spent; /* spent: had a value whose count was used up */
    int32_t uses;
    luna_value value;            /* lent */
    struct waiter *waiters;
};
void store_each(const struct store *s, void (*fn)(void *who, const struct store_entry *e),
                void *who);
/* Shows all entries to fn, which may take waiters off e->waiters (an entry without any is gone), or
 * let the whole entry go: true, and the value's count and all waiters are fn's. fn may not call
 * the store, and nobody else may meanwhile. */
typedef bool store_sweep_fn(void *who, struct store_entry *e);
void   store_sweep(struct store *s, store_sweep_fn *fn, void *who);
bool   store_has(struct store *s, const struct key *key); /* its value is here */
/* In builds with assertions: how many readers have got a value so far, each by one request. */
uint64_t store_served(const struct store *s);
/* What became of a fragment that is not here. Only those that were freed lately are known each by
 * itself: of others PERHAPS, if values of their declaration were freed at all. Of what several
 * nodes say the highest holds. */
enum store_gone { GONE_NOT, GONE_PERHAPS, GONE_USED_UP, GONE_DROPPED, GONE_KILLED };
enum store_gone store_gone(const struct store *s, const struct key *key);
/* Perhaps a value of this declaration has been freed; false: all that came are here. */
bool   store_let_go(const struct store *s, uint32_t df);
/* Of a value that was not kept here. */
void   store_note_gone(struct store *s, const struct key *key, enum store_gone how);

#endif
