/* loads.h - how much load the cells of this node carry.
 *
 * Bytes and count are those of the values that are here now, in the store or taken by calls that
 * wait for more; but cells are at different iterations when somebody looks, so of what was seen
 * before, one half still counts. Time and weight are those of the calls that ran here for a cell
 * since the loads were taken last: each worker notes them in a table of its own. Some cells had
 * fewer calls since then than the time before: then what is missing counts as it did. */
#ifndef LUNA_RUNTIME_LOADS_H
#define LUNA_RUNTIME_LOADS_H

#include "runtime/node.h"

enum load_measure { LOAD_BYTES, LOAD_COUNT, LOAD_TIME, LOAD_WEIGHT };

struct cell_load {
    uint32_t cell;
    double load, bytes;
    double calls, kept; /* in its window; the part of the load that those calls are */
};

/* Of each own cell, ascending. */
struct loads {
    struct cell_load *at, *before; /* now; when they were taken last */
    uint32_t n, room, nbefore, room_before;
    double total, heaviest;
};

/* No other worker of the node runs meanwhile. E_NOMEM. */
enum err loads_take(struct loads *l, struct node *n, enum load_measure measure);
void loads_fini(struct loads *l);

bool loads_has(const struct loads *l, uint32_t cell);
double loads_of(const struct loads *l, uint32_t cell); /* 0 for one that is not ours */
double loads_bytes_of(const struct loads *l, uint32_t cell);
/* A cell has come, or goes. E_NOMEM. */
enum err loads_add(struct loads *l, uint32_t cell, double load, double bytes);
void loads_drop(struct loads *l, uint32_t cell);

/* ---- what calls cost ---- */
struct costs;

enum err costs_new(struct costs **out);
void costs_free(struct costs *c);
/* A call for `cell` has cost so much. E_NOMEM. */
enum err costs_note(struct costs *c, uint32_t cell, double cost);

#endif
