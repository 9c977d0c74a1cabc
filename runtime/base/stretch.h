/* stretch.h - memory that nobody uses, as stretches: what lies side by side is one, whatever sizes
 * it had before.
 *
 *     given:  [a][c][d]   e     free already: [b]        taken: a whole stretch
 *     then:   [a  b  c  d]  [e]
 *
 * Stretches lie in zones, which are told here. One thread at a time may call.
 *
 * It must not know who used the memory, nor what for. */
#ifndef LUNA_BASE_STRETCH_H
#define LUNA_BASE_STRETCH_H

#include <stddef.h>

struct stretch { /* lies in the memory itself; a multiple of 64 bytes, on 64 */
    struct stretch *next;
    size_t bytes;
};

enum { STRETCH_HEAD = 64 };

/* Memory that stays for ever is a zone from now on, which takes its first STRETCH_HEAD bytes. */
void stretch_zone(void *at, size_t bytes);
/* Joins these, in any order, with all that is free. Gives those that lie in no zone. */
struct stretch *stretch_give(struct stretch *list);
/* Keeps one that lies in a zone; it is joined later. */
void stretch_keep(void *at, size_t bytes);
/* One that has at least so many bytes, mostly not many more; it may have all that it tells. NULL:
 * there is none. */
struct stretch *stretch_take(size_t bytes);

#endif
