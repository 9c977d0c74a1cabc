/* map.h - a map from strings to pointers, for cold paths: names, files, options. Lends its keys'
 * copies.
 *
 * uthash lives in map.c only. */
#ifndef LUNA_BASE_MAP_H
#define LUNA_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>

struct map;

struct map *map_new(void); /* NULL: out of memory */
void        map_free(struct map *m);
/* The value of `key`, or NULL. */
void *map_get(const struct map *m, const char *key);
/* Sets `key`; false when out of memory. */
bool   map_put(struct map *m, const char *key, void *value);
void   map_remove(struct map *m, const char *key);
size_t map_count(const struct map *m);
/* Calls fn for each pair in the order of first insertion. */
void map_each(const struct map *m, void (*fn)(void *who, const char *key, void *value), void *who);

#endif
