/* gone.h - answers that calls had asked for before they went with their cells.
 *
 *     home of the input           giver                        owner of the call's cell
 *     asker_afar, for the giver   call goes ---- WAITING ----> waits for one FOLLOWS
 *           <------- LEFT ------  a follower is kept
 *     FOLLOWS, for the cell
 *           ------ TURNED ----->  it is dropped
 *           ---------------- FOLLOWS ------------------------> when there is a value
 *
 * If the home has answered before LEFT comes, it does nothing: the VALUE is under way, and the
 * follower sends it on. So is it if LEFT comes before the request.
 *
 * For a name at most one call at a time is told of, and only one that nobody waited with: a VALUE
 * serves all who wait together, and they must go on getting it. While LEFT is under way others may
 * ask for the same from here. A home must not turn what was asked for after the call had gone, for
 * if its own answer has come meanwhile, TURNED would find nobody. So requests tell how often
 * something had been taken out here (node.h: sweeps) when they were made, and LEFT tells it, too.
 *
 * It must not know why calls go, nor who takes them. */
#ifndef LUNA_RUNTIME_GONE_H
#define LUNA_RUNTIME_GONE_H

#include "runtime/node/node.h"

struct reader;

/* The home: a request for `k` of `node`, made when something had been taken out there at most so
 * often, is one of the cell from now on. False: there is none that waits for a value. */
bool gone_turn(struct store *s, const struct key *k, int node, uint32_t sweeps, uint32_t cell);

/* Sends a value after a call that has gone with this cell (move_forward). */
struct waiter *gone_follower(uint32_t cell);
/* A call that goes with `cell` has asked elsewhere for its input `at`, for which nobody else waits
 * here; its place in the store is empty already. Others stand still. */
void gone_tell(struct worker *w, struct task *call, unsigned at, uint32_t cell);
/* A value has come for which nobody waits under its name: whom it is for, taken off; or NULL. */
struct waiter *gone_take(struct worker *w, const struct key *k);

bool on_left(struct worker *w, struct reader *r);
bool on_turned(struct worker *w, struct reader *r);

#endif
