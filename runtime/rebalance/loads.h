/* loads.h - how much load the cells of this node carry.
 *
 * Bytes and count are those of the fragments of a cell that live now (lives.h), also if calls have
 * taken them and wait for more; those that have come from another node for a call are of its cell.
 * Of what was seen before, one half still counts, since cells are at different iterations when
 * somebody looks.
 *
 * Time and weight are what the calls of a cell cost; each worker keeps a table. The cost of a call
 * is what it was lately. How often a cell has calls, beside the others, is known only after a few
 * of them: it is a mean over many looks, and a cell that moves takes it along. Nodes may be ahead
 * of others by many iterations, which will have to catch up: so a node whose cells have calls about
 * as often as those of others, half or twice as often, counts as if it were just as often.
 *
 * Time hangs on the node, too. If all cells cost another time than two looks ago, by the same
 * factor, it is the node that has become slower or faster: they would not elsewhere.
 *
 * It must not know what the loads are for. */
#ifndef LUNA_RUNTIME_LOADS_H
#define LUNA_RUNTIME_LOADS_H

#include "runtime/node/node.h"

enum load_measure { LOAD_BYTES, LOAD_COUNT, LOAD_TIME, LOAD_WEIGHT };

struct cell_load {
    uint32_t cell;
    double load, bytes;
    double mean, last; /* cost of a call, and at the look before; 0: not known */
    double rise;       /* the first by what it was two looks ago; 0: not known */
    double calls, ns; /* so many in so much time, the later the more they count */
    double ever;      /* calls, of all times */
};

/* Of each own cell, ascending. */
struct loads {
    struct cell_load *at, *before; /* now; when they were taken last */
    uint32_t n, room, nbefore, room_before;
    uint64_t taken_ns;
    double often, active; /* how often cells have calls, the sum over those that have any */
    double often_elsewhere; /* the mean of all nodes; 0: not known */
    double total, heaviest;
    double speed; /* of this node by what it was at first: load * speed would be the same then */
};

/* No other worker of the node runs meanwhile. E_NOMEM. */
enum err loads_take(struct loads *l, struct node *n, enum load_measure measure, uint64_t now_ns);
void loads_fini(struct loads *l);

/* For asserts: each cell once, ascending. */
bool loads_is_valid(const struct loads *l);

bool loads_has(const struct loads *l, uint32_t cell);
double loads_of(const struct loads *l, uint32_t cell); /* 0 for one that is not ours */
double loads_bytes_of(const struct loads *l, uint32_t cell);
/* NULL: it is not ours. Until the next change. */
const struct cell_load *loads_find(const struct loads *l, uint32_t cell);
/* As a node has it that is so many times slower. */
void loads_scale(struct cell_load *c, double slower);
/* A cell has come, or will, or goes. E_NOMEM. */
enum err loads_add(struct loads *l, const struct cell_load *c);
void loads_drop(struct loads *l, uint32_t cell);

#endif
