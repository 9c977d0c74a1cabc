/* distrib.h - which node owns a cell, as one node sees it.
 *
 * Fragments are bound to the cells of a lattice; whoever owns a cell holds its fragments. A node
 * knows its own cells and what its kind of distribution tells it about others: a formula (cyclic,
 * block), or who is next on the way (rope, patch), whose cells may change hands while the program
 * runs. Nobody has a table of all cells or of all nodes.
 *
 * A message for a cell carries its number and how far the walk to it has come:
 *
 *     distrib_first --> this node              it is ours
 *                   --> another --> distrib_onward there --> ... --> the owner
 *
 * distrib_first takes the shortest way it knows: the owner it has learnt, or the one who had the
 * cell at the start, if that follows from a formula. If this is no longer true the walk goes on
 * from there. Wrong knowledge costs hops, never an answer.
 *
 * Pure: no messages, no threads, no clock. Calls on a const distrib, distrib_first, distrib_onward
 * and distrib_learn may run at the same time in several threads; those that change who owns what
 * must run alone. */
#ifndef LUNA_DISTRIB_DISTRIB_H
#define LUNA_DISTRIB_DISTRIB_H

#include "distrib/lattice.h"
#include "runtime/base/buf.h"
#include "runtime/base/err.h"

struct distrib;

/* A kind of distribution: its name is for users. Whoever wants to know how cells of it behave asks
 * the kind, so that a new one has to be made known in one place only (docs/distributors.md). */
struct distrib_kind;

/* The names of all kinds, the last NULL; the kind of this name, or NULL. */
const char *const *distrib_kinds(void);
const struct distrib_kind *distrib_kind(const char *name);

const char *distrib_kind_name(const struct distrib_kind *kind);
bool distrib_kind_moves(const struct distrib_kind *kind); /* cells can change hands */
/* Nodes stand in a lattice, whose sides count, and not in a line. */
bool distrib_kind_on_lattice(const struct distrib_kind *kind);

bool distrib_kind_in_blocks(const struct distrib_kind *kind); /* whose sides the user may choose */

/* What all nodes are told alike, and who of them this one is. */
struct distrib_setup {
    const struct distrib_kind *kind;
    struct lattice cells;
    struct lattice nodes; /* only kinds on a lattice ask for more than the number of its points */
    int32_t block[LATTICE_DIMS_MAX]; /* only of a kind in blocks: cells along each side; 0: 1 */
    int node; /* from the lattice's size on: has no cells, but may send to those who have */
    /* Who owns `cell` at the start; NULL: even shares. Called while the distrib is made, never
     * later. */
    int (*owner)(void *who, uint32_t cell);
    void *who;
};

/* E_NOMEM; E_USER when the kind cannot do what is asked, with a text in *why (static). */
enum err distrib_new(struct distrib **out, const struct distrib_setup *s, const char **why);
void distrib_free(struct distrib *d);
/* Another one that knows the same: to plan on, by giving and taking there first. */
enum err distrib_copy(struct distrib **out, const struct distrib *d);

bool distrib_owns(const struct distrib *d, uint32_t cell);
/* Owned it at the start: of all nodes exactly one says yes, now and later. It creates the calls. */
bool distrib_founded(const struct distrib *d, uint32_t cell);
/* Who owned it at the start, when shares were even. */
int distrib_founder(const struct distrib *d, uint32_t cell);
/* How many nodes may have cells: those with lower numbers. */
int distrib_nodes(const struct distrib *d);
/* The lattice in which they are neighbours: one of theirs, or a line whatever the user says. */
struct lattice distrib_line(const struct distrib *d);
/* A box around all cells founded here. */
struct lattice_box distrib_bounds(const struct distrib *d);

/* A message for `cell` leaves here, or passes: the node it goes to next, this one if it is ours.
 * `at` is the walk's own; the message carries it. */
int distrib_first(const struct distrib *d, uint32_t cell, uint32_t *at);
/* DISTRIB_WAIT: the cell is on its way here; ask again when something has been taken. (Only where
 * cells change hands.) */
enum { DISTRIB_WAIT = -1 };
int distrib_onward(const struct distrib *d, uint32_t cell, uint32_t *at);
/* Somebody who owns `cell` has answered; `epoch` is what distrib_epoch said there. Older knowledge
 * never replaces newer. */
void distrib_learn(struct distrib *d, uint32_t cell, int owner, uint32_t epoch);
uint32_t distrib_epoch(const struct distrib *d, uint32_t cell); /* of a cell of ours */

/* ---- cells change hands ----
 *
 *     giver                           taker                         owners of cells beside them
 *     distrib_give --- parcel ------> distrib_take --- news ------> distrib_hear
 *
 * A parcel and news are bytes, one message each; between two nodes messages keep their order, also
 * with walks (what the transport promises). That is all they need: any number of parcels may be
 * under way, news may come late or early, and each cell always has one owner or is in one parcel.
 * Under rope a border slides: only cells at an end of our segment go, to the neighbour there, and
 * of the two only one may be giving at a time. */
typedef void distrib_tell_fn(void *who, int node, const void *news, size_t bytes);

bool distrib_moves(const struct distrib *d); /* whether cells of this kind can change hands */
bool distrib_slides(const struct distrib *d); /* and only over a border, as under rope */
/* n cells of ours, each once, belong to `to` when it has what is appended to `parcel`. E_NOMEM:
 * they are still ours, the parcel is rubbish. E_PROTOCOL: a rope that gives other than an end. */
enum err distrib_give(struct distrib *d, int to, const uint32_t *cells, uint32_t n,
                      struct buf *parcel);
/* The cells in a parcel from `from` are ours now; calls tell for each node that must hear of it,
 * and lends the news. E_FORMAT, E_PROTOCOL: not such a parcel, nothing has changed. */
enum err distrib_take(struct distrib *d, int from, const void *parcel, size_t bytes,
                      distrib_tell_fn *tell, void *who);
/* Calls tell with what has to be passed on, because a cell has moved too. */
enum err distrib_hear(struct distrib *d, const void *news, size_t bytes, distrib_tell_fn *tell,
                      void *who);
/* Drops what was remembered of cells that went away. Only when nothing is under way that was sent
 * before the last news was heard: not a parcel, not news, not a walk. */
void distrib_forget(struct distrib *d);

typedef double distrib_load_fn(void *who, uint32_t cell); /* at least 0 */
/* Chooses cells for `to`, a neighbour on the line or in the lattice, whose loads sum up to about
 * `want`; never all. What must be true of domains between transfers stays true if no neighbour
 * gives or takes at the same time. Writes them to `cells`, with room for distrib_count, and their
 * number to *n, 0 if nothing fits. E_NOMEM. */
enum err distrib_choose(const struct distrib *d, int to, double want, distrib_load_fn *load,
                        void *who, uint32_t *cells, uint32_t *n);

/* Who must not give anything while these cells go to `to`, so that all is as it must be when they
 * have come: two transfers that are right alone may be wrong together. Calls fn once for each, but
 * not for us and `to`: neighbours in the lattice, which must keep in touch with us, and owners of
 * cells beside those that go, for the order. E_NOMEM. */
enum err distrib_witnesses(const struct distrib *d, int to, const uint32_t *cells, uint32_t n,
                           void (*fn)(void *who, int node), void *who);
/* A single cell to go to a neighbour: with a load between least and most, and not `except`. */
struct distrib_wish {
    distrib_load_fn *load; /* also asked for cells beside ours */
    void *who;
    double least, most;
    uint32_t except;
};
/* Of the cells that may go, the one with which the sum over all faces between cells of the distance
 * of their owners rises least, or falls most; faces of cells without load hardly count.
 * LATTICE_NONE: no cell may go. */
enum err distrib_best(const struct distrib *d, int to, const struct distrib_wish *wish,
                      uint32_t *cell, double *rise);
/* Who owns the cell at a side of a cell of ours, as far as we know; -1: nobody, the lattice ends
 * there. (Only under patch; else always -1.) */
int distrib_beside(const struct distrib *d, uint32_t cell, int side);
/* For plans that are not yet as they must be. Whether a cell of ours may go to `to`, whose domain
 * it touches, so that what is true of our domain stays true. (Without memory: no.) It may also go
 * to a neighbour in the lattice that we do not touch at all: whoever asks knows that it has no
 * cells. */
bool distrib_may_give(const struct distrib *d, uint32_t cell, int to);
/* Calls fn for each cell that does not hang together with the largest piece of our domain, and the
 * node it should go to: the one its piece has most faces with. E_NOMEM. */
enum err distrib_strays(const struct distrib *d, void (*fn)(void *who, uint32_t cell, int to),
                        void *who);

/* The first thing that is wrong in what this node knows, in words, or NULL. `shape`: also whether
 * its domain is as it must be between transfers (docs/protocols-balancing.md, section 9,
 * has the list). */
const char *distrib_flaw(const struct distrib *d, bool shape);
/* The same for all n nodes of a run together, when nothing is under way: each cell has one owner,
 * and what is known of others is true. */
const char *distrib_flaw_among(struct distrib *const *all, int n, bool shape);

/* Hops between two nodes: |a - b|, on a lattice of nodes the sum over its dimensions. */
int distrib_distance(const struct distrib *d, int a, int b);
/* Calls fn for each cell owned now. */
void distrib_each(const struct distrib *d, void (*fn)(void *who, uint32_t cell), void *who);
uint32_t distrib_count(const struct distrib *d); /* of cells owned now */
uint64_t distrib_bytes(const struct distrib *d); /* memory it takes */

#endif
