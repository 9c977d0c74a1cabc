/* indexed.h - a name and the indices behind it, as people read them: step[3][-1]. */
#ifndef LUNA_BASE_INDEXED_H
#define LUNA_BASE_INDEXED_H

#include <stddef.h>
#include <stdint.h>

/* Into `room` bytes, without a 0 byte at its end: gives how many. What is too long ends in "...".
 */
size_t indexed_print(char *at, size_t room, const char *base, const int32_t *ix, size_t n);

#endif
