/* copy.h - copies between a user's memory and the segment. */
#ifndef LUNA_COLLECTIVES_COPY_H
#define LUNA_COLLECTIVES_COPY_H

#include <stdbool.h>
#include <stddef.h>

/* `around`: past the caches, when so much is copied that what they hold would be pushed out before
 * it is used. Complete when it returns: a later release covers it. */
void copy_bytes(void *to, const void *from, size_t bytes, bool around);

/* From so many bytes on the second half of a broadcast goes around the caches. */
size_t copy_around_from(void);

#endif
