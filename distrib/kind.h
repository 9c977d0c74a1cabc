/* kind.h - what a kind of distribution provides. Only files of distrib/ include it.
 *
 * A kind whose cells never change hands needs two lines, a name and a formula:
 *
 *     const struct distrib_kind distrib_cyclic = {.name = "cyclic", .owner = cyclic_owner};
 *
 * plus a word in the list of kinds.c. What it leaves out follows from the formula, in distrib.c. A
 * kind whose cells move keeps what it knows behind `mine`. docs/distributors.md has an example.
 *
 * A kind knows what all share (distrib.c) and no other kind; distrib.c knows none by name. Only
 * kinds.c, above them, lists them. */
#ifndef LUNA_DISTRIB_KIND_H
#define LUNA_DISTRIB_KIND_H

#include "distrib/distrib.h"
#include "distrib/learnt.h"

struct distrib_kind {
    const char *name;
    bool on_lattice; /* neighbours and distances are those of the node lattice, else of a line */
    bool in_blocks;  /* blocks of cells, which the user chooses, go together */
    bool slides;     /* cells leave only at the ends of a segment, for a neighbour on the line */

    /* The formula: who owns `cell` at the start. */
    int (*owner)(const struct distrib *d, uint32_t cell);
    /* Optional: the cells of this node that follow from the formula, without trying all. */
    void (*each)(const struct distrib *d, void (*fn)(void *who, uint32_t cell), void *who);

    /* For kinds that keep knowledge: makes and frees `mine`. Without init a start given by the
     * caller is refused. */
    enum err (*init)(struct distrib *d, const struct distrib_setup *s, const char **why);
    void (*fini)(struct distrib *d);
    enum err (*copy)(struct distrib *to, const struct distrib *from); /* makes to->mine */
    bool (*owns)(const struct distrib *d, uint32_t cell);
    bool (*founded)(const struct distrib *d, uint32_t cell);
    uint32_t (*epoch)(const struct distrib *d, uint32_t cell);
    uint32_t (*count)(const struct distrib *d);
    uint64_t (*bytes)(const struct distrib *d); /* of `mine` */
    /* The next node of a walk; `cell` is not ours. */
    int (*onward)(const struct distrib *d, uint32_t cell, uint32_t *at);

    /* For kinds whose cells change hands: as distrib_give and so on. */
    enum err (*give)(struct distrib *d, int to, const uint32_t *cells, uint32_t n,
                     struct buf *parcel);
    enum err (*take)(struct distrib *d, int from, const void *parcel, size_t bytes,
                     distrib_tell_fn *tell, void *who);
    enum err (*hear)(struct distrib *d, const void *news, size_t bytes, distrib_tell_fn *tell,
                     void *who);
    enum err (*choose)(const struct distrib *d, int to, double want, distrib_load_fn *load,
                       void *who, uint32_t *cells, uint32_t *n);
    enum err (*best)(const struct distrib *d, int to, const struct distrib_wish *wish,
                     uint32_t *cell, double *rise);
    enum err (*witnesses)(const struct distrib *d, int to, const uint32_t *cells, uint32_t n,
                          void (*fn)(void *who, int node), void *who);
    int (*beside)(const struct distrib *d, uint32_t cell, int side);
    bool (*may_give)(const struct distrib *d, uint32_t cell, int to);
    enum err (*strays)(const struct distrib *d, void (*fn)(void *who, uint32_t cell, int to),
                       void *who);
    /* To whom a cell that was ours went. Optional. */
    struct learnt_fact (*went)(const struct distrib *d, uint32_t cell);
    void (*forget)(struct distrib *d);
    /* What is wrong with one view; with what a view says of others. Optional. */
    const char *(*flaw)(const struct distrib *d, bool shape);
    const char *(*flaw_among)(struct distrib *const *all, int n);
};

struct distrib {
    const struct distrib_kind *kind;
    struct lattice cells, nodes;
    int32_t block[LATTICE_DIMS_MAX]; /* of cells, of a kind in blocks: at least 1 */
    int node, nnodes;
    bool even; /* the start followed from the formula: `owner` guesses well */
    uint32_t ncells, nfounded;
    struct lattice_box bounds; /* of what was founded here */
    struct learnt learnt;
    void *mine; /* the kind's */
};

/* For asserts, wherever a distrib has changed: what this node knows fits together (protocols 9.1,
 * as far as one node can see). */
static inline bool
distrib_is_valid(const struct distrib *d)
{
    return !distrib_flaw(d, false);
}

#endif
