/* stretch.c - lists by size, as fine as the classes of the pool; joined by sorting all there is. */
#include "stretch.h"

#include "pool.h"

#include <assert.h>

struct zone {
    struct zone *next; /* by address */
    char *end;
};

static struct zone *zones;
static struct stretch *sized[POOL_CLASSES]; /* at least as large as an object of the class */

void
stretch_zone(void *at, size_t bytes)
{
    struct zone *z = at, **place = &zones;
    while (*place && (uintptr_t)*place < (uintptr_t)z) place = &(*place)->next;
    z->next = *place;
    z->end = (char *)at + bytes;
    *place = z;
}

void
stretch_keep(void *at, size_t bytes)
{
    struct stretch *s = at;
    unsigned k = pool_class(bytes);
    assert(bytes && bytes % 64 == 0);
    if (pool_class_bytes(k) > bytes) k--;
    s->bytes = bytes;
    s->next = sized[k];
    sized[k] = s;
}

struct stretch *
stretch_take(size_t bytes)
{
    for (unsigned k = pool_class(bytes); k < POOL_CLASSES; k++) {
        struct stretch *s = sized[k];
        if (!s || s->bytes < bytes) continue;
        sized[k] = s->next;
        return s;
    }
    return NULL;
}

/* ---- joining ---- */

static struct stretch *
merged(struct stretch *a, struct stretch *b)
{
    struct stretch *all = NULL, **last = &all;
    while (a && b) {
        struct stretch **low = (uintptr_t)a < (uintptr_t)b ? &a : &b;
        *last = *low;
        last = &(*low)->next;
        *low = *last;
    }
    *last = a ? a : b;
    return all;
}

enum { PARTS = 64 }; /* of 1, 2, 4 ... */

static struct stretch *
sorted(struct stretch *list)
{
    struct stretch *part[PARTS] = {NULL}, *all = NULL;
    while (list) {
        struct stretch *one = list;
        unsigned i = 0;
        list = list->next;
        one->next = NULL;
        for (; part[i]; part[i++] = NULL) one = merged(part[i], one);
        part[i] = one;
    }
    for (unsigned i = 0; i < PARTS; i++) all = merged(part[i], all);
    return all;
}

/* All that are free, off the lists, before `list`. */
static struct stretch *
with_all(struct stretch *list)
{
    for (unsigned k = 0; k < POOL_CLASSES; k++)
        while (sized[k]) {
            struct stretch *s = sized[k];
            sized[k] = s->next;
            s->next = list;
            list = s;
        }
    return list;
}

struct stretch *
stretch_give(struct stretch *list)
{
    struct stretch *outside = NULL, *last = NULL, *next;
    const struct zone *z = zones;
    for (struct stretch *s = sorted(with_all(list)); s; s = next) {
        next = s->next;
        while (z && (uintptr_t)s >= (uintptr_t)z->end) z = z->next;
        if (!z || (uintptr_t)s < (uintptr_t)z) {
            s->next = outside;
            outside = s;
        } else if (last && (char *)last + last->bytes == (char *)s) {
            last->bytes += s->bytes;
        } else {
            if (last) stretch_keep(last, last->bytes);
            last = s;
        }
    }
    if (last) stretch_keep(last, last->bytes);
    return outside;
}
