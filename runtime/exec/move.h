/* move.h - cells change hands while the program runs, and what is bound to them goes along.
 *
 *     giver                                         taker
 *     distrib_give ------------- PARCEL ----------> distrib_take, NEWS to who must hear of it
 *     values -------------------- FRAGMENT -------> there as if they had been put there
 *     requests of others ------- REQUEST ---------> as if they had been sent there
 *     deletes that came early --- KILL ------------>
 *     calls that wait ----------- WAITING ---------> wait there
 *
 * All but PARCEL and NEWS are messages for the cell (send.c): they find its owner also if it has
 * gone on. What the giver has once sent it never sees again, except on its way to somebody else.
 *
 * A call had asked other nodes for inputs. The values come to the giver, since it has asked; there
 * a link of the call has been left, which sends them after the cell, one for each such input:
 *
 *     home of the input --VALUE--> giver, a follower --FOLLOWS--> where the call waits
 *
 * A FOLLOWS value serves exactly one call. If it comes before the call, it is kept for it, and
 * moves with the cell like all else. So whatever overtakes what, numbers agree in the end. In the
 * same way a value is sent after a call for which the node that has made it has asked
 * (home_ask_for), to a cell or, without one, to a node.
 *
 * It must not know why cells move. Why as messages: docs/decisions/0017. */
#ifndef LUNA_RUNTIME_MOVE_H
#define LUNA_RUNTIME_MOVE_H

#include "runtime/node/node.h"

struct reader;

/* Gives n cells of ours, each once, to node `to`, which need not be a neighbour. Other workers
 * stand still meanwhile. */
void move_cells(struct worker *w, int to, const uint32_t *cells, uint32_t n);

/* The same in parts: the trace knows; only their owner changes; what is bound to them follows, in
 * one sweep for all receivers, to who owns them by then, or knows more about who does. */
struct cell_move {
    uint32_t cell;
    int to;
};
void move_traced(struct worker *w, int to, const uint32_t *cells, uint32_t n);
void move_owners(struct worker *w, int to, const uint32_t *cells, uint32_t n);
void move_contents(struct worker *w, const struct cell_move *moves, uint32_t n);

/* A value has come for a call that has moved on. Takes both. */
void move_forward(struct worker *w, struct follower *f, const struct key *k, luna_value v);
/* A message looks for a cell that is on its way here: it waits. Takes the packet. */
void move_park(struct node *n, struct packet *p);

/* A value that was sent after a call which waits here, or will; the call's cell, or LATTICE_NONE.
 * `of`: the fragment. Lends v. */
void move_follows_here(struct worker *w, const struct key *of, uint32_t cell, luna_value v);

/* From another node have come: a call with the inputs it has, for cell `bound` - 1; a value for
 * those in the list. They count as what lives here (lives.h), while calls hold them. */
void move_measure_call(const struct node *n, const struct task *t, uint32_t bound);
void move_measure_value(const struct node *n, struct waiter *list, const struct key *k,
                        luna_value v);

/* Cells have come, and `told` nodes were told of it. What had looked for them and waited goes on:
 * the caller handles `parked`, in order. False: malformed. */
struct taken {
    uint32_t cells;
    unsigned told;
    struct packet *parked;
};
bool move_take(struct worker *w, struct reader *r, struct taken *taken);
/* News of who owns what, which `told` nodes must hear, too. False: malformed. */
bool move_hear(struct worker *w, struct reader *r, unsigned *told);
/* Handlers; false: malformed. */
bool on_fragment(struct worker *w, struct reader *r);
bool on_waiting(struct worker *w, struct reader *r);
bool on_follows(struct worker *w, struct reader *r);

#endif
