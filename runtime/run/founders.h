/* founders.h - who owned a cell when cells came, for locators: by what was read from a file, or by
 * the formula of the distributor, which any node can ask. */
#ifndef LUNA_RUNTIME_FOUNDERS_H
#define LUNA_RUNTIME_FOUNDERS_H

#include "runtime/node/node.h"
#include "runtime/node/owners.h"
#include "runtime/table/founder.h"

/* Asks the layout and the map of this node, which are lent. */
struct founders founders_of(const struct layout *l, const struct node *n);

#endif
