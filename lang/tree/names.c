/* names.c - open addressing; entries are never removed, so that slots keep their place. */
#include "lang/tree/names.h"

#include "lang/report/hash.h"

#include <stdint.h>
#include <string.h>

struct word {
    uint32_t hash, size;
    void *value;
    char text[];
};

struct names {
    struct arena *arena;
    struct word **words; /* `room` of them, a power of two, at most half full */
    uint32_t count, room;
};

struct names *
names_new(struct arena *a)
{
    struct names *n = arena_new_of(a, struct names);
    n->arena = a;
    n->room = 256;
    n->words = arena_array(a, struct word *, n->room);
    return n;
}

static uint32_t
text_hash(const char *text, size_t size)
{
    uint64_t h = hash_bytes(HASH_FIRST, text, size);
    return (uint32_t)(h ^ h >> 32);
}

static void
names_double(struct names *n)
{
    uint32_t room = n->room * 2;
    struct word **words = arena_array(n->arena, struct word *, room);
    for (uint32_t i = 0; i < n->room; i++) {
        if (!n->words[i]) continue;
        uint32_t k = n->words[i]->hash & (room - 1);
        while (words[k]) k = (k + 1) & (room - 1);
        words[k] = n->words[i];
    }
    n->words = words;
    n->room = room;
}

static struct word *
names_find(struct names *n, const char *text, size_t size)
{
    uint32_t hash = text_hash(text, size), k = hash & (n->room - 1);
    for (; n->words[k]; k = (k + 1) & (n->room - 1)) {
        struct word *w = n->words[k];
        if (w->hash == hash && w->size == size && !memcmp(w->text, text, size)) return w;
    }
    struct word *w = arena_alloc(n->arena, sizeof *w + size + 1);
    w->hash = hash;
    w->size = size;
    memcpy(w->text, text, size);
    n->words[k] = w;
    if (++n->count > n->room / 2) names_double(n);
    return w;
}

const char *
names_intern(struct names *n, const char *text, size_t size)
{
    return names_find(n, text, size)->text;
}

void **
names_slot(struct names *n, const char *text)
{
    return &names_find(n, text, strlen(text))->value;
}
