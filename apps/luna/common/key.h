/* key.h - names of things by their contents: 128 bits of XXH3. */
#ifndef LUNA_APPS_KEY_H
#define LUNA_APPS_KEY_H

#include "runtime/base/arena.h"
#include "runtime/base/buf.h"

#include <stdint.h>

struct content_key {
    uint64_t hi, lo;
};

struct content_key key_of_bytes(const void *bytes, size_t size);
uint64_t key_checksum(const void *bytes, size_t size);

/* What a key is made of is gathered in a buffer; each piece ends with a 0. */
void key_add(struct buf *b, const char *text);
void key_add_key(struct buf *b, struct content_key k);
/* Of all that was gathered, which is freed. Without memory for it there would be a key of something
 * else, and another program be found: it jumps (arena_jump). */
struct content_key key_end(struct arena *a, struct buf *b);

#endif
