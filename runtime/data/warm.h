/* warm.h - near whose core the bytes lie that a call reads: blocks tell which worker has used them
 * last, and when. Values of less than BLOCK_FAR bytes do not count. */
#ifndef LUNA_RUNTIME_WARM_H
#define LUNA_RUNTIME_WARM_H

#include "runtime/data/value.h"

#include <stdbool.h>

/* Others have used most of these n values last. */
bool warm_elsewhere(const luna_value *v, unsigned n, unsigned worker);
/* The worker uses them now. */
void warm_here(const luna_value *v, unsigned n, unsigned worker);

#endif
