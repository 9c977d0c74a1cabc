/* part.h - parts of fragments of bytes: which one a statement wants, and taking it out.
 *
 * Its name (key.h) tells what it is: real(x, 7) and int(x, 7) are two. Parts are made where the
 * whole is, and only there can be told that there is no such part. */
#ifndef LUNA_RUNTIME_PART_H
#define LUNA_RUNTIME_PART_H

#include "runtime/data/key.h"
#include "runtime/data/value.h"
#include "runtime/program.h"

/* What a statement wants of an input; `row` as in struct luna_in, not 0. */
struct key_part part_wanted(const struct luna_program *p, luna_env *e, uint32_t row);
/* The first of its bytes, and how many they are. */
int64_t part_from(struct key_part x);
int64_t part_bytes(struct key_part x);
/* Takes the count of the whole, whose name is *k; a fault at `place` if it has no such part. */
luna_value part_take(const struct key *k, struct key_part x, uint32_t place, luna_value whole);
/* The fault of one wanted of what lies beyond its shape. */
_Noreturn void part_beyond(const struct key *k, struct key_part x, uint32_t place);

#endif
