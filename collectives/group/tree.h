/* tree.h - trees along which a notification goes from a root to all others. Pure.
 *
 * Numbers v = 0 .. p-1, 0 is the root; k is the fan-out, at least 2 (flat and chain do not ask).
 *
 *     k-ary       children kv+1 .. kv+k                    depth about log_k p, fan-out k
 *     k-nomial    children v + j k^i below v's lowest digit    depth log_k p, fan-out (k-1) log_k p
 *     flat        all at the root                          depth 1, fan-out p-1
 *     chain       one behind the other                     depth p-1, fan-out 1
 *
 * For another root, v = (rank - root) mod p. With several NUMA nodes there are two trees: the root
 * and the leaders of the other nodes make one, the members of each node, behind their leader or the
 * root, the other; so a notification enters each node once. */
#ifndef LUNA_COLLECTIVES_TREE_H
#define LUNA_COLLECTIVES_TREE_H

#include "collectives/coll.h"

#include <stdint.h>

/* The parent of v > 0. */
int tree_parent(enum coll_tree kind, int k, int v);
/* The children of v in the order to tell them: the deepest subtrees first. `out` has room for p-1.
 * Gives their number. */
int tree_children(enum coll_tree kind, int k, int p, int v, int *out);

/* No node has more children than this. */
int tree_fan_out(enum coll_tree kind, int k, int p);

/* One member of a tree, by ranks. */
struct kin {
    int parent; /* the root's: itself */
    int n;
    int child[];
};
/* The same for ranks. leaders[r] is the lowest rank on r's NUMA node; NULL: nodes do not matter.
 * Gives memory to be freed by mem_free; NULL: there is none. */
struct kin *tree_of_rank(enum coll_tree kind, int k, int p, const int32_t *leaders, int root,
                         int rank);

#endif
