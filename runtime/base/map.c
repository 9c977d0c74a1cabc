/* map.c - uthash behind the five calls of map.h. */
#include "map.h"

#include "mem.h"

#include <string.h>

/* A failed allocation inside uthash must come back to us, not exit. */
#define HASH_NONFATAL_OOM 1
#define uthash_malloc(n) mem_alloc(n)
#define uthash_free(p, n) mem_free(p)
#define uthash_nonfatal_oom(e) (map_failed = true)
static _Thread_local bool map_failed;
#include <uthash.h>

struct pair {
    UT_hash_handle hh;
    void *value;
    char key[];
};

struct map {
    struct pair *pairs;
};

struct map *
map_new(void)
{
    return mem_zalloc(1, sizeof(struct map));
}

void
map_free(struct map *m)
{
    if (!m) return;
    struct pair *p, *next;
    HASH_ITER(hh, m->pairs, p, next)
    {
        HASH_DEL(m->pairs, p);
        mem_free(p);
    }
    mem_free(m);
}

static struct pair *
map_find(const struct map *m, const char *key)
{
    struct pair *p;
    HASH_FIND_STR(m->pairs, key, p);
    return p;
}

void *
map_get(const struct map *m, const char *key)
{
    struct pair *p = map_find(m, key);
    return p ? p->value : NULL;
}

bool
map_put(struct map *m, const char *key, void *value)
{
    struct pair *p = map_find(m, key);
    if (!p) {
        size_t n = strlen(key);
        p = mem_alloc(sizeof *p + n + 1);
        if (!p) return false;
        memcpy(p->key, key, n + 1);
        map_failed = false;
        HASH_ADD_KEYPTR(hh, m->pairs, p->key, n, p);
        if (map_failed) {
            mem_free(p);
            return false;
        }
    }
    p->value = value;
    return true;
}

void
map_remove(struct map *m, const char *key)
{
    struct pair *p = map_find(m, key);
    if (!p) return;
    HASH_DEL(m->pairs, p);
    mem_free(p);
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
