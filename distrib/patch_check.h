/* patch_check.h - the invariants of domains. */
#ifndef LUNA_DISTRIB_PATCH_CHECK_H
#define LUNA_DISTRIB_PATCH_CHECK_H

#include "distrib/lattice.h"
#include "runtime/base/err.h"

/* Invariants 1 to 3 of a start: E_USER with the reason, E_NOMEM. */
enum err patch_check_start(const struct lattice *cells, int nnodes,
                           int (*owner)(void *who, uint32_t cell), void *who, const char **why);

#endif
