/* key.c - the only file that knows xxhash. */
#include "apps/luna/common/key.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

struct content_key
key_of_bytes(const void *bytes, size_t size)
{
    XXH128_hash_t h = XXH3_128bits(bytes, size);
    return (struct content_key){h.high64, h.low64};
}

uint64_t
key_checksum(const void *bytes, size_t size)
{
    return XXH3_64bits(bytes, size);
}

struct content_key
key_end(struct arena *a, struct buf *b)
{
    struct content_key k = key_of_bytes(b->data, b->size);
    bool failed = b->failed;
    buf_fini(b);
    if (failed) arena_jump(a, ARENA_NO_MEMORY);
    return k;
}

void
key_add(struct buf *b, const char *text)
{
    buf_str(b, text);
    buf_char(b, 0);
}

void
key_add_key(struct buf *b, struct content_key k)
{
    buf_add(b, &k, sizeof k);
}
