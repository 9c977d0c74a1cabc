/* value.h - values of fragments: 16 bytes each; what does not fit lies in a counted block
 * (block.h).
 *
 * An int or a real is held in the word itself; a string or bytes are a block.
 *
 * It must not know keys or stores. Why 16 bytes: docs/decisions/0002. */
#ifndef LUNA_RUNTIME_VALUE_H
#define LUNA_RUNTIME_VALUE_H

#include "runtime/base/block.h"
#include "runtime/program.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool
value_is_block(luna_value v)
{
    return v.type >= LUNA_STRING;
}

static inline struct block *
value_block(luna_value v)
{
    return v.w.p;
}

static inline luna_value
value_unset(void)
{
    return (luna_value){.type = LUNA_UNSET};
}

static inline void
value_retain(luna_value v)
{
    if (value_is_block(v)) block_retain(value_block(v));
}

static inline void
value_release(luna_value v)
{
    if (value_is_block(v)) block_release(value_block(v));
}

/* Of its bytes, as they are counted, hashed and sent: int 4, real 8, string with its 0, bytes. */
static inline size_t
value_size(luna_value v)
{
    if (value_is_block(v)) return value_block(v)->size;
    return v.type == LUNA_INT ? 4 : v.type == LUNA_REAL ? 8 : 0;
}

/* A string value holding a copy of the text (unset: out of memory). */
luna_value value_of_string(const char *text, size_t size);
luna_value value_of_block(struct block *b, enum luna_type type);
/* The bytes themselves. Lends. */
const void *value_bytes(const luna_value *v, size_t *size);
const char *value_type_text(uint32_t type); /* "int", "real", "string", "bytes", "unset" */

#endif
