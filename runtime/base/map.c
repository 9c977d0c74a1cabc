/* map.c - uthash behind the calls of map.h. */
#include "map.h"

#include "arena.h"
#include "mem.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>
/* Of keys as long as names it takes half the time of uthash's own. */
#define HASH_FUNCTION(key, size, hash) ((hash) = (unsigned)XXH3_64bits((key), (size)))

/* A failed allocation inside uthash must come back to us, not exit. */
#define HASH_NONFATAL_OOM 1
#define uthash_malloc(n) map_alloc(map_arena, (n))
#define uthash_free(p, n) map_release(map_arena, (p))
#define uthash_nonfatal_oom(e) (map_failed = true)
static _Thread_local bool map_failed;
static _Thread_local struct arena *map_arena; /* of the map that is being changed */

static void *
map_alloc(struct arena *a, size_t bytes)
{
    return a ? arena_alloc(a, bytes) : mem_alloc(bytes);
}

static void
map_release(struct arena *a, void *p)
{
    if (!a) mem_free(p);
}

#include <uthash.h>

struct pair {
    UT_hash_handle hh;
    void *value;
    char key[];
};

struct map {
    struct pair *pairs;
    struct arena *arena; /* NULL: each piece is of malloc */
};

struct map *
map_new(void)
{
    return mem_zalloc(1, sizeof(struct map));
}

struct map *
map_new_in(struct arena *a)
{
    struct map *m = arena_new_of(a, struct map);
    if (m) m->arena = a;
    return m;
}

void
map_free(struct map *m)
{
    if (!m || m->arena) return;
    struct pair *p, *next;
    map_arena = NULL;
    HASH_ITER(hh, m->pairs, p, next)
    {
        HASH_DEL(m->pairs, p);
        mem_free(p);
    }
    mem_free(m);
}

static struct pair *
map_find(const struct map *m, const void *key, size_t size)
{
    struct pair *p;
    if (!size) key = ""; /* it may be NULL, which nobody may compare */
    HASH_FIND(hh, m->pairs, key, size, p);
    return p;
}

void *
map_get_bytes(const struct map *m, const void *key, size_t size)
{
    struct pair *p = map_find(m, key, size);
    return p ? p->value : NULL;
}

bool
map_put_bytes(struct map *m, const void *key, size_t size, void *value)
{
    struct pair *p = map_find(m, key, size);
    if (!p) {
        p = map_alloc(map_arena = m->arena, sizeof *p + size + 1);
        if (!p) return false;
        if (size) memcpy(p->key, key, size);
        p->key[size] = 0;
        map_failed = false;
        HASH_ADD_KEYPTR(hh, m->pairs, p->key, size, p);
        if (map_failed) {
            map_release(m->arena, p);
            return false;
        }
    }
    p->value = value;
    return true;
}

void
map_remove_bytes(struct map *m, const void *key, size_t size)
{
    struct pair *p = map_find(m, key, size);
    if (!p) return;
    map_arena = m->arena;
    HASH_DEL(m->pairs, p);
    map_release(m->arena, p);
}

void *
map_get(const struct map *m, const char *key)
{
    return map_get_bytes(m, key, strlen(key));
}

bool
map_put(struct map *m, const char *key, void *value)
{
    return map_put_bytes(m, key, strlen(key), value);
}

void
map_remove(struct map *m, const char *key)
{
    map_remove_bytes(m, key, strlen(key));
}

size_t
map_count(const struct map *m)
{
    return HASH_COUNT(m->pairs);
}

void
map_each(const struct map *m, void (*fn)(void *who, const char *key, void *value), void *who)
{
    struct pair *p, *next;
    HASH_ITER(hh, m->pairs, p, next) { fn(who, p->key, p->value); }
}
