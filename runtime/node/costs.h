/* costs.h - what the calls of one worker have cost since somebody last looked, by cell. Who
 * balances reads it (loads.h).
 *
 * It must not know what is made of it. */
#ifndef LUNA_RUNTIME_COSTS_H
#define LUNA_RUNTIME_COSTS_H

#include "runtime/base/err.h"

#include <stdint.h>

struct cost {
    uint32_t cell; /* + 1; 0: free */
    double cost, calls;
};

struct costs {
    struct cost *slot;
    uint32_t used, room; /* a power of two */
};

enum err costs_new(struct costs **out);
void costs_free(struct costs *c);
/* A call for `cell` has cost so much. E_NOMEM. */
enum err costs_note(struct costs *c, uint32_t cell, double cost);

#endif
