/* warm.h - near whose core the bytes lie that a call reads: blocks tell which worker has used them
 * last, and when. Values of less than BLOCK_FAR bytes do not count. */
#ifndef LUNA_RUNTIME_WARM_H
#define LUNA_RUNTIME_WARM_H

#include "runtime/data/value.h"

#include <stdbool.h>

/* Others have used most of these n values last. */
bool warm_elsewhere(const luna_value *v, unsigned n, unsigned worker);
/* The worker uses them now. */
void warm_note(const luna_value *v, unsigned n, unsigned worker);
/* The same; most calls read numbers only, and need no look at the time. */
static inline void
warm_here(const luna_value *v, unsigned n, unsigned worker)
{
    for (unsigned i = 0; i < n; i++)
        if (value_is_block(v[i])) {
            warm_note(v, n, worker);
            return;
        }
}

#endif
