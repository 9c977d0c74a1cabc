/* cells.h - the program's lattice of cells, and on which cell a fragment is.
 *
 * A DF with a cell rule is bound: each of its fragments lives with whoever owns its cell, and calls
 * run with the first bound fragment they name. The rule sees the fragment's indices, and words of
 * the block that declares the DF, which were fixed when that block ran: near the declaration they
 * are read from its frame and locals; in a sub that got the name as a parameter, from the name.
 *
 * It must not know who owns a cell. Why rules belong to declarations: docs/decisions/0016. */
#ifndef LUNA_RUNTIME_CELLS_H
#define LUNA_RUNTIME_CELLS_H

#include "distrib/lattice.h"
#include "runtime/data/frame.h"
#include "runtime/data/key.h"
#include "runtime/program.h"

#include <stdbool.h>

/* Does the lattice come while the program runs, when a sub is called? */
static inline bool
cells_come_later(const struct luna_program *p)
{
    return p->nextents && p->lattice_sub != p->main;
}

/* The lattice of this run out of the arguments of the sub that has `cells`. A side below 1, or too
 * many cells: fault at this place; if main makes the lattice, its arguments are wrong. */
struct lattice cells_extent(const struct luna_program *p, const struct frame *f, uint32_t place);

/* What is said of a declaration's fragments; NULL: nothing. */
static inline const struct luna_about *
cells_about(const struct luna_program *p, uint32_t df)
{
    uint32_t row = p->dfs[df & ~KEY_MARKS].about;
    return row == LUNA_NONE ? NULL : &p->abouts[row];
}

/* The rule of a declaration; NULL: its fragments are bound to nothing. */
static inline const struct luna_about *
cells_rule(const struct luna_program *p, uint32_t df)
{
    const struct luna_about *c = p->nextents ? cells_about(p, df) : NULL;
    return c && c->cell != LUNA_NONE ? c : NULL;
}

/* The cell of the fragment with key k that `ref` names; LATTICE_NONE: it is bound to none. Outside
 * the lattice, or with another number of indices than its rule has: fault. */
uint32_t cells_of(const struct luna_program *p, const struct lattice *l, const luna_env *e,
                  uint32_t ref, const struct key *k);
/* The same, of one that has so many indices as its rule; outside the lattice: the nearest. */
uint32_t cells_nearest(const struct luna_program *p, const struct lattice *l, const luna_env *e,
                       uint32_t ref, const struct key *k);
/* How large the rule of its declaration says it is; false: there is none for it, or it cannot be
 * computed, which was told. */
bool cells_bytes(const struct luna_program *p, const luna_env *e, uint32_t ref, const struct key *k,
                 int32_t *bytes);
/* The words that its expressions see: they lie in the name, or are gathered into `words`. */
const luna_word *cells_captured(const struct luna_program *p, const luna_env *e, uint32_t ref,
                                const struct luna_about *c, luna_word *words);
/* What the expressions of such a part see, with room in `words`. */
luna_env cells_env(const struct luna_program *p, const luna_env *e, uint32_t ref,
                   const struct luna_about *c, const struct key *k, enum luna_about_part part,
                   luna_word *words);
/* The words a name takes along when it is handed to a sub: of `count`, at `words`. */
uint32_t cells_capture(const struct luna_program *p, const luna_env *e, uint32_t ref,
                       const struct key *k, luna_word *words);

/* 3, 4: as a place on the lattice is written. */
enum { CELLS_TEXT = 64 };
void cells_text(const struct lattice *l, const int32_t *at, char *text);
/* Adds to a fault about a place how far the lattice goes, and what helps. */
void cells_tell_outside(const struct luna_program *p, const struct lattice *l, const int32_t *at);

#endif
