/* shape.h - which indices the fragments of a declaration have, where its df line says so, and what
 * a read of others is.
 *
 * A shape stands in the row of what is said of the declaration (cells.h): its bounds see the words
 * captured there. */
#ifndef LUNA_RUNTIME_SHAPE_H
#define LUNA_RUNTIME_SHAPE_H

#include "runtime/data/key.h"
#include "runtime/program.h"

#include <stdbool.h>

static inline bool
shape_is_given(const struct luna_program *p, uint32_t df)
{
    uint32_t row = p->shaped ? p->dfs[df & ~KEY_MARKS].about : LUNA_NONE;
    return row != LUNA_NONE && p->abouts[row].shape != LUNA_NONE;
}

/* The fragment with key k that `ref` names has indices of its shape, or there is none. */
bool shape_holds(const struct luna_program *p, const luna_env *e, uint32_t ref,
                 const struct key *k);
/* Of one for which it does not: whether it may be read all the same, and what that is. */
bool shape_is_open(const struct luna_program *p, const struct key *k);
luna_value shape_beyond(const struct luna_program *p, const luna_env *e, uint32_t ref,
                        const struct key *k);
/* Else it is a fault; `read`: it was to be read. */
_Noreturn void shape_broken(const struct luna_program *p, const luna_env *e, uint32_t ref,
                            const struct key *k, bool read);

#endif
