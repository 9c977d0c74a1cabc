/* patch.h - what one node of a patch knows: its domain. Only the files patch*.c include it.
 *
 * For each cell it owns, a node keeps who owns the cells beside it, and nothing else of the world:
 *
 *            2                  a cell with its epoch, how often it has changed hands;
 *         0 cell 1              for each of its sides the owner of the cell there, and that
 *            3                  cell's epoch, so that late news is told from new
 *
 * Of a cell it has owned it keeps to whom it gave it: messages that come late go after it. News for
 * a cell that is still on its way here is kept until it comes. */
#ifndef LUNA_DISTRIB_PATCH_H
#define LUNA_DISTRIB_PATCH_H

#include "distrib/cellmap.h"
#include "distrib/kind.h"

enum { PATCH_SIDES_MAX = 2 * LATTICE_DIMS_MAX, PATCH_OUTSIDE = -1 };

struct patch_side {
    int32_t owner; /* PATCH_OUTSIDE: the lattice ends here */
    uint32_t epoch;
};

/* News for the owner of `cell`: the cell at its side `side` has an owner of this epoch. */
struct patch_news {
    uint32_t cell, side;
    int32_t owner;
    uint32_t epoch;
};

struct patch {
    int sides;                /* of a cell: 2 for each dimension */
    uint32_t n, room;         /* own cells */
    uint32_t *cell;           /* in any order; the place of a cell here is its slot */
    struct patch_side *side;  /* `sides` of each own cell */
    struct cellmap slot;      /* own cell -> slot, its epoch */
    struct cellmap gone;      /* cell that was ours -> to whom it went, with which epoch */
    struct patch_news *early; /* for cells on their way here */
    uint32_t nearly, early_room;
    bool boxed;              /* still the box of an even start */
    uint32_t *start, nstart; /* ascending, unless the start was even: what was founded here */
};

static inline struct patch *
patch_of(const struct distrib *d)
{
    return d->mine;
}

static inline struct patch_side *
patch_side(const struct patch *p, uint32_t slot, int side)
{
    return &p->side[(uint64_t)slot * (uint64_t)p->sides + (uint64_t)side];
}

static inline bool
patch_owns(const struct distrib *d, uint32_t cell)
{
    return cellmap_find(&patch_of(d)->slot, cell) != NULL;
}

/* patch_domain.c: the arrays of own cells. */
void patch_domain_fini(struct patch *p);
enum err patch_domain_copy(struct distrib *to, const struct distrib *from);
bool patch_reserve(struct patch *p, uint32_t n); /* room for n own cells in all; false: no memory */
/* A new own cell, its sides not yet set; there must be room. Gives its slot. */
uint32_t patch_add(struct patch *p, uint32_t cell, uint32_t epoch);
void patch_drop(struct patch *p, uint32_t slot); /* the last one takes its slot */
uint64_t patch_domain_bytes(const struct patch *p);

/* patch_walk.c */
int patch_onward(const struct distrib *d, uint32_t cell, uint32_t *at);

/* patch_move.c */
enum err patch_give(struct distrib *d, int to, const uint32_t *cells, uint32_t n,
                    struct buf *parcel);
enum err patch_take(struct distrib *d, int from, const void *parcel, size_t bytes,
                    distrib_tell_fn *tell, void *who);
enum err patch_hear(struct distrib *d, const void *news, size_t bytes, distrib_tell_fn *tell,
                    void *who);
struct learnt_fact patch_went(const struct distrib *d, uint32_t cell);
void patch_forget(struct distrib *d);

/* patch_grow.c */
enum err patch_choose(const struct distrib *d, int to, double want, distrib_load_fn *load,
                      void *who, uint32_t *cells, uint32_t *n);

/* patch_polish.c */
enum err patch_best(const struct distrib *d, int to, const struct distrib_wish *wish,
                    uint32_t *cell, double *rise);
/* patch_group.c */
bool patch_may_give(const struct distrib *d, uint32_t cell, int to);
enum err patch_witnesses(const struct distrib *d, int to, const uint32_t *cells, uint32_t n,
                         void (*fn)(void *who, int node), void *who);
/* patch_mend.c */
enum err patch_strays(const struct distrib *d, void (*fn)(void *who, uint32_t cell, int to),
                      void *who);

/* patch_check.c: invariants 1 to 3 of a start: E_USER with the reason, E_NOMEM. */
enum err patch_check_start(const struct lattice *cells, int nnodes,
                           int (*owner)(void *who, uint32_t cell), void *who, const char **why);
/* What is wrong with one node's view; see distrib_flaw. */
const char *patch_flaw(const struct distrib *d, bool shape);
const char *patch_flaw_among(struct distrib *const *all, int n);

#endif
