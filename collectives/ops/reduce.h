/* reduce.h - the algorithms behind coll_reduce and coll_allreduce.
 *
 * In all of them an element is x0 op x1 op ..., from the left in the order of ranks, made by one
 * member from all operands: no tree, so that neither root nor size nor algorithm changes a bit. */
#ifndef LUNA_COLLECTIVES_REDUCE_H
#define LUNA_COLLECTIVES_REDUCE_H

#include "collectives/group/group.h"

/* A call. root -1: everybody gets the result. */
struct reduction {
    const char *send;
    char *recv;
    size_t bytes; /* of an operand */
    enum coll_type type;
    enum coll_op op;
    int root;
};

/* A call of the user: `r` but for its bytes, and which of the two it is when it is no small one. */
typedef bool reduce_choice(const struct coll *g, size_t bytes);
enum err reduce_call(struct coll *g, struct reduction r, size_t count, reduce_choice *whole);

enum err reduce_slices(struct coll *g, const struct reduction *r); /* else by slices */

/* g->operands, all of which have been set, to `out`. */
void reduce_combine(struct coll *g, const struct reduction *r, void *out, size_t bytes);

static inline bool
reduce_gets(const struct coll *g, const struct reduction *r)
{
    return r->root < 0 || r->root == g->rank;
}

#endif
