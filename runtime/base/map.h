/* map.h - a map from strings, or any bytes, to pointers: names, files, options. Keys are copied.
 *
 * A string is the key of its bytes without the 0 at its end. uthash lives in map.c only. */
#ifndef LUNA_BASE_MAP_H
#define LUNA_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct map;

struct map *map_new(void); /* NULL: out of memory */
/* All of it lies in the arena: there is nothing to free, and a failure is one of the arena. */
struct map *map_new_in(struct arena *a);
void        map_free(struct map *m);
/* The value of `key`, or NULL. */
void *map_get(const struct map *m, const char *key);
/* Sets `key`; false when out of memory. */
bool   map_put(struct map *m, const char *key, void *value);
void   map_remove(struct map *m, const char *key);
size_t map_count(const struct map *m);
/* Calls fn for each pair in the order of first insertion; lends the key, with a 0 behind it. */
void map_each(const struct map *m, void (*fn)(void *who, const char *key, void *value), void *who);

/* The same for keys of `size` bytes, of any values. */
void *map_get_bytes(const struct map *m, const void *key, size_t size);
bool  map_put_bytes(struct map *m, const void *key, size_t size, void *value);
void  map_remove_bytes(struct map *m, const void *key, size_t size);

#endif
